/*
 * Stems: "running" and "runs" become "run", by Porter's algorithm and its relatives for other languages, as the Snowball project's
 * library has them (libstemmer), where that was found when cleave was built.
 */
#ifndef TEXT_STEM_H
#define TEXT_STEM_H

#include "base/memory.h"

typedef struct sb_stemmer Stemmer;

/* An error for a language that there is no stemmer for, or when there are none at all. */
Status clv_stem_check(const char *language, cleave_error *error);
/* One for each thread. The library takes its memory from malloc. */
Status clv_stemmer_new(const char *language, Stemmer **stemmer, cleave_error *error);
void clv_stemmer_free(Stemmer *stemmer); /* NULL is fine */
/* The stem lives until the next call. NULL: memory is short. */
const char *clv_stem(Stemmer *stemmer, const char *word, size_t length, size_t *stem_length);

/* NULL at the end; empty when there are none. */
const char *const *clv_stem_languages(void);

#endif
