#include "text/stem.h"

#ifdef HAVE_STEMMER
#include <libstemmer.h>

const char *const *clv_stem_languages(void)
{
    return (const char *const *)sb_stemmer_list();
}

Status clv_stemmer_new(const char *language, Stemmer **stemmer, cleave_error *error)
{
    *stemmer = sb_stemmer_new(language, "UTF_8");
    return *stemmer ? OK : clv_fail_memory(error, "a stemmer", 1);
}

void clv_stemmer_free(Stemmer *stemmer)
{
    sb_stemmer_delete(stemmer);
}

const char *clv_stem(Stemmer *stemmer, const char *word, size_t length, size_t *stem_length)
{
    const sb_symbol *stem = sb_stemmer_stem(stemmer, (const sb_symbol *)word, (int)length);

    *stem_length = stem ? (size_t)sb_stemmer_length(stemmer) : 0;
    return (const char *)stem;
}

static Status no_such_stemmer(const char *language, cleave_error *error)
{
    const char *nearest = cleave_nearest_word(language, clv_stem_languages());
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "use the English name of a language, for example --stem german; docs/guide/text.md lists "
        "the languages",
        "--stem: no stemmer exists for '%s'%s%s%s", clv_quote(quoted, language, strlen(language)),
        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

#else

const char *const *clv_stem_languages(void)
{
    static const char *const none[] = {NULL};

    return none;
}

Status clv_stemmer_new(const char *language, Stemmer **stemmer, cleave_error *error)
{
    *stemmer = NULL;
    return clv_stem_check(language, error);
}

void clv_stemmer_free(Stemmer *stemmer)
{
    (void)stemmer;
}

const char *clv_stem(Stemmer *stemmer, const char *word, size_t length, size_t *stem_length)
{
    (void)stemmer;
    *stem_length = length;
    return word;
}

static Status no_such_stemmer(const char *language, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "install libstemmer-dev and build cleave again",
                         "--stem %s: this cleave was built without libstemmer", language);
}
#endif

Status clv_stem_check(const char *language, cleave_error *error)
{
    for (const char *const *each = clv_stem_languages(); *each; each++)
        if (strcmp(*each, language) == 0)
            return OK;
    return no_such_stemmer(language, error);
}
