/*
 * Stemming: "running" and "runs" become "run". Uses the Snowball stemmers (libstemmer): Porter's
 * algorithm and its relatives for other languages, if available at build time.
 */
#ifndef TEXT_STEM_H
#define TEXT_STEM_H

#include "base/memory.h"

typedef struct sb_stemmer Stemmer;

/* Fails for a language without a stemmer, or if cleave was built without stemmers. */
Status clv_stem_check(const char *language, cleave_error *error);
/* Creates a stemmer for one thread. The library allocates with malloc. */
Status clv_stemmer_new(const char *language, Stemmer **stemmer, cleave_error *error);
void clv_stemmer_free(Stemmer *stemmer); /* accepts NULL */
/* The stem is valid until the next call. NULL: out of memory. */
const char *clv_stem(Stemmer *stemmer, const char *word, size_t length, size_t *stem_length);

/* NULL at the end; empty without stemmers. */
const char *const *clv_stem_languages(void);

#endif
