#include "text/rules.h"

#include "base/number.h"

#include <stdio.h>

TextRules clv_text_rules(void)
{
    return (TextRules){.least_words = 1, .most_words = 1};
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool take_number(const char **at, uint32_t *number)
{
    const char *start = *at;

    for (*number = 0; (unsigned)(**at - '0') < 10 && *at - start < 4; ++*at)
        *number = *number * 10 + (uint32_t)(**at - '0');
    return *at > start;
}

static bool take_range(const char **at, uint32_t *low, uint32_t *high)
{
    if (!take_number(at, low))
        return false;
    *high = *low;
    if (**at != '-')
        return true;
    ++*at;
    return take_number(at, high);
}

Status clv_text_range(const char *option, const char *text, uint32_t most, uint32_t *low,
                      uint32_t *high, cleave_error *error)
{
    const char *at = text;
    char quoted[QUOTE_SIZE];

    if (take_range(&at, low, high) && !*at && *low >= 1 && *low <= *high && *high <= most)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE,
             "--%s: expected a number or a range within 1-%u, found '%s'", option, most,
             clv_quote(quoted, text, strlen(text)));
    return clv_hint(error, CLEAVE_ERROR_USAGE, "for example: --%s 2 or --%s 1-3", option, option);
}

/* ---- as text --------------------------------------------------------------------------------- */

static Status add(Context *context, Buffer *text, const char *part, cleave_error *error)
{
    if (text->size)
        TRY(clv_buffer_add(context, text, ":", 1, error));
    return clv_buffer_add(context, text, part, strlen(part), error);
}

Status clv_text_rules_write(const TextRules *rules, Context *context, Buffer *text,
                            cleave_error *error)
{
    TextRules usual = clv_text_rules();
    char part[64];

    if (rules->sequence)
        return add(context, text, "sequence", error);
    if (rules->keep_case)
        TRY(add(context, text, "keep-case", error));
    if (*rules->stem) {
        snprintf(part, sizeof part, "stem=%s", rules->stem);
        TRY(add(context, text, part, error));
    }
    if (rules->least_words != usual.least_words || rules->most_words != usual.most_words) {
        snprintf(part, sizeof part, "ngrams=%u-%u", rules->least_words, rules->most_words);
        TRY(add(context, text, part, error));
    }
    if (rules->most_characters) {
        snprintf(part, sizeof part, "chars=%u-%u", rules->least_characters, rules->most_characters);
        TRY(add(context, text, part, error));
    }
    if (rules->hash_bits) {
        snprintf(part, sizeof part, "hash-bits=%u", rules->hash_bits);
        TRY(add(context, text, part, error));
    }
    return rules->hash_names ? add(context, text, "hash-names", error) : OK;
}

static bool starts(const char **at, const char *with)
{
    size_t length = strlen(with);

    if (strncmp(*at, with, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool read_stem(const char **at, char stem[24])
{
    size_t length = strcspn(*at, ":");

    if (length == 0 || length >= 24)
        return false;
    memcpy(stem, *at, length);
    stem[length] = '\0';
    *at += length;
    return true;
}

static bool read_one(const char **at, TextRules *rules)
{
    if (starts(at, "keep-case"))
        return rules->keep_case = true;
    if (starts(at, "sequence"))
        return rules->sequence = true;
    if (starts(at, "hash-names"))
        return rules->hash_names = true;
    if (starts(at, "stem="))
        return read_stem(at, rules->stem);
    if (starts(at, "ngrams="))
        return take_range(at, &rules->least_words, &rules->most_words);
    if (starts(at, "chars="))
        return take_range(at, &rules->least_characters, &rules->most_characters);
    return starts(at, "hash-bits=") && take_number(at, &rules->hash_bits);
}

static bool make_sense(const TextRules *rules)
{
    if (rules->sequence)
        return !rules->keep_case && !rules->hash_names && !*rules->stem &&
               rules->most_characters == 0 && rules->least_words == 1 && rules->most_words == 1 &&
               rules->hash_bits == 0;
    return rules->least_words <= rules->most_words && rules->most_words <= MOST_WORD_GRAM &&
           rules->least_characters <= rules->most_characters &&
           rules->most_characters <= MOST_CHARACTER_GRAM &&
           rules->most_words + rules->most_characters > 0 &&
           (rules->least_words > 0 || rules->most_words == 0) &&
           (rules->least_characters > 0 || rules->most_characters == 0) &&
           rules->hash_bits <= MOST_HASH_BITS && (rules->hash_bits > 0 || !rules->hash_names);
}

bool clv_text_rules_read(const char *text, TextRules *rules)
{
    *rules = clv_text_rules();
    while (*text) {
        if (!read_one(&text, rules) || (*text && *text != ':'))
            return false;
        text += *text == ':';
    }
    return make_sense(rules);
}
