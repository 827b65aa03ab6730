/*
 * Features other than plain words: stop words, stems, n-grams of words and characters, names with a
 * prefix.
 *
 * The results for a word, its feature and the numbers of its character n-grams, are cached with it,
 * so that a text takes little more time than the lookups. An n-gram is a pair of the n-gram one
 * word shorter and the last word. Pairs of numbers are looked up, and the name of a pair is built
 * only when it is new.
 */
#include "read/words_dictionary.h"
#include "text/stem.h"

#define UNKNOWN UINT32_MAX
#define STOPPED (UINT32_MAX - 1)

enum { FIRST_PAIRS = 4096 };
typedef enum { JOIN_BLANK, JOIN_NOTHING } Joining;

typedef struct {
    uint32_t feature; /* feature of the word; UNKNOWN: not computed yet; STOPPED: a stop word */
    uint32_t grams;   /* position of its character n-grams; UNKNOWN: not computed yet */
} Known;

typedef struct {
    uint64_t key; /* first word, second word and separator, plus 1; 0: free slot */
    uint32_t word;
} Pair;

struct WordsMaker {
    Stemmer *stemmer;
    Known *known;
    size_t known_count, known_capacity;
    uint32_t *list; /* character n-grams of words: their count, followed by their numbers */
    size_t lists, list_capacity;
    Pair *pair; /* hash table with open addressing */
    size_t pairs, pair_slots;
    Buffer name;

    /* State of the current text. */
    bool prefixed;
    uint32_t prefix;
    uint32_t chain[MOST_WORD_GRAM]; /* the n-grams that end at the last word, of 1 word, of 2, … */
    uint32_t chained;
};

void clv_words_maker_forget(struct WordsMaker *maker)
{
    if (!maker)
        return;
    maker->known_count = maker->lists = maker->pairs = 0;
    if (maker->pair_slots)
        memset(maker->pair, 0, maker->pair_slots * sizeof *maker->pair);
}

void clv_words_maker_free(Context *context, struct WordsMaker *maker)
{
    if (!maker)
        return;
    clv_stemmer_free(maker->stemmer);
    FREE(context, maker->known, maker->list, maker->pair, maker->name.data, maker);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Returns the number of the word in maker->name. */
static Status find_name(Words *words, uint32_t *number, cleave_error *error)
{
    Buffer *name = &words->maker->name;
    size_t length = name->size;
    Token token;

    TRY(clv_buffer_add(words->context, name, "\0\0\0\0\0\0\0", 8, error));
    token = clv_token_of(words->context->hash_key, name->data, length);
    return clv_words_find(words, &token, number, error);
}

static Status add_text(Words *words, uint32_t number, cleave_error *error)
{
    const Word *word = &words->word[number];

    return clv_buffer_add(words->context, &words->maker->name, word_text(words, word), word->length,
                          error);
}

static size_t pair_slot(const Words *words, uint64_t key, size_t slots)
{
    return (size_t)hash_pair(words->context->hash_key, key, 0) & (slots - 1);
}

static Status grow_pairs(Words *words, cleave_error *error)
{
    struct WordsMaker *maker = words->maker;
    size_t slots = maker->pair_slots ? 4 * maker->pair_slots : FIRST_PAIRS;
    Pair *pair;

    TRY(ALLOC_ZERO(words->context, pair, slots, "n-grams", error));
    for (size_t i = 0; i < maker->pair_slots; i++) {
        size_t at = pair_slot(words, maker->pair[i].key, slots);

        if (maker->pair[i].key == 0)
            continue;
        while (pair[at].key)
            at = (at + 1) & (slots - 1);
        pair[at] = maker->pair[i];
    }
    clv_free(words->context, maker->pair);
    maker->pair = pair;
    maker->pair_slots = slots;
    return OK;
}

/* Returns the word whose name is the concatenation of two others. */
static Status join(Words *words, uint32_t first, uint32_t second, Joining joining, uint32_t *joined,
                   cleave_error *error)
{
    struct WordsMaker *maker = words->maker;
    uint64_t key = ((uint64_t)first << 32 | (uint64_t)second << 1 | joining) + 1;
    size_t at;

    if (2 * (maker->pairs + 1) > maker->pair_slots)
        TRY(grow_pairs(words, error));
    at = pair_slot(words, key, maker->pair_slots);
    while (maker->pair[at].key && maker->pair[at].key != key)
        at = (at + 1) & (maker->pair_slots - 1);
    if (maker->pair[at].key == 0) {
        maker->name.size = 0;
        TRY(add_text(words, first, error));
        if (joining == JOIN_BLANK)
            TRY(clv_buffer_add(words->context, &maker->name, " ", 1, error));
        TRY(add_text(words, second, error));
        TRY(find_name(words, joined, error));
        maker->pair[at] = (Pair){.key = key, .word = *joined};
        maker->pairs++;
    }
    *joined = maker->pair[at].word;
    return OK;
}

static Status count_feature(Words *words, uint32_t number, cleave_error *error)
{
    if (words->maker->prefixed)
        TRY(join(words, words->maker->prefix, number, JOIN_NOTHING, &number, error));
    TRY(words_reserve(words, 1, error));
    words_count(words, number, 1);
    return OK;
}

/* ---- what a word becomes --------------------------------------------------------------------- */

static Status find_stem(Words *words, uint32_t number, uint32_t *feature, cleave_error *error)
{
    struct WordsMaker *maker = words->maker;
    const Word *word = &words->word[number];
    size_t length;
    const char *stem = clv_stem(maker->stemmer, word_text(words, word), word->length, &length);

    *feature = number;
    if (!stem)
        return clv_fail_memory(error, "a stem", word->length);
    if (length == 0)
        return OK;
    maker->name.size = 0;
    TRY(clv_buffer_add(words->context, &maker->name, stem, length, error));
    return find_name(words, feature, error);
}

static Status find_feature(Words *words, uint32_t number, uint32_t *feature, cleave_error *error)
{
    const struct WordsPlan *plan = words->plan;
    const Word *word = &words->word[number];

    *feature = number;
    if (!plan)
        return OK;
    if (plan->stop_words.count &&
        clv_is_stop_word(&plan->stop_words, word_text(words, word), word->length))
        *feature = STOPPED;
    else if (*plan->rules.stem)
        return find_stem(words, number, feature, error);
    return OK;
}

/* ---- n-grams --------------------------------------------------------------------------------- */

/* Finds the starts of the characters of a UTF-8 text, and its end. */
static size_t find_characters(const char *text, size_t length, uint16_t start[TOKEN_MOST + 3])
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            start[count++] = (uint16_t)i;
    start[count] = (uint16_t)length;
    return count;
}

static Status list_gram(Words *words, const char *text, size_t length, cleave_error *error)
{
    struct WordsMaker *maker = words->maker;
    uint32_t number;

    maker->name.size = 0;
    TRY(clv_buffer_add(words->context, &maker->name, "chars:", 6, error));
    TRY(clv_buffer_add(words->context, &maker->name, text, length, error));
    TRY(find_name(words, &number, error));
    TRY(GROW(words->context, maker->list, maker->list_capacity, maker->lists + 1, error));
    maker->list[maker->lists++] = number;
    return OK;
}

/* Lists the character n-grams of a word with '_' before and after it. A word shorter than the
 * smallest n is a single n-gram. */
static Status list_grams(Words *words, uint32_t number, uint32_t *list, cleave_error *error)
{
    const TextRules *rules = &words->plan->rules;
    struct WordsMaker *maker = words->maker;
    const Word *word = &words->word[number];
    size_t length = word->length < TOKEN_MOST ? word->length : TOKEN_MOST, characters;
    char text[TOKEN_MOST + 2] = "_";
    uint16_t start[TOKEN_MOST + 3];

    *list = (uint32_t)maker->lists;
    memcpy(text + 1, word_text(words, word), length);
    text[length + 1] = '_';
    characters = find_characters(text, length + 2, start);
    TRY(GROW(words->context, maker->list, maker->list_capacity, maker->lists + 1, error));
    maker->list[maker->lists++] = 0;
    for (size_t n = rules->least_characters; n <= rules->most_characters && n <= characters; n++)
        for (size_t i = 0; i + n <= characters; i++)
            TRY(list_gram(words, text + start[i], (size_t)(start[i + n] - start[i]), error));
    if (characters < rules->least_characters)
        TRY(list_gram(words, text, length + 2, error));
    maker->list[*list] = (uint32_t)maker->lists - *list - 1;
    return OK;
}

static Status count_characters(Words *words, uint32_t number, cleave_error *error)
{
    struct WordsMaker *maker = words->maker;
    uint32_t list = maker->known[number].grams;

    if (list == UNKNOWN) {
        TRY(list_grams(words, number, &list, error));
        maker->known[number].grams = list;
    }
    for (uint32_t i = 1; i <= maker->list[list]; i++)
        TRY(count_feature(words, maker->list[list + i], error));
    return OK;
}

/* Adds the n-grams that end at a word, and keeps those that the next word can extend. */
static Status count_words(Words *words, uint32_t feature, uint32_t least, uint32_t most,
                          cleave_error *error)
{
    struct WordsMaker *maker = words->maker;

    if (maker->chained < most)
        maker->chained++;
    for (uint32_t n = maker->chained; n > 1; n--)
        TRY(join(words, maker->chain[n - 2], feature, JOIN_BLANK, &maker->chain[n - 1], error));
    maker->chain[0] = feature;
    for (uint32_t n = least; n <= maker->chained; n++)
        TRY(count_feature(words, maker->chain[n - 1], error));
    return OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

Status clv_words_make_begin(Words *words, const char *prefix, cleave_error *error)
{
    struct WordsMaker *maker;

    if (!words->maker)
        TRY(ALLOC_ZERO(words->context, words->maker, 1, "words", error));
    maker = words->maker;
    if (words->plan && *words->plan->rules.stem && !maker->stemmer)
        TRY(clv_stemmer_new(words->plan->rules.stem, &maker->stemmer, error));
    maker->chained = 0;
    maker->prefixed = prefix && *prefix;
    if (!maker->prefixed)
        return OK;
    maker->name.size = 0;
    TRY(clv_buffer_add(words->context, &maker->name, prefix, strnlen(prefix, WORDS_FEATURE_MOST),
                       error));
    return find_name(words, &maker->prefix, error);
}

static Status make_of_word(Words *words, uint32_t number, cleave_error *error)
{
    struct WordsMaker *maker = words->maker;
    TextRules rules = words->plan ? words->plan->rules : clv_text_rules();
    uint32_t feature;

    TRY(GROW(words->context, maker->known, maker->known_capacity, words->words, error));
    while (maker->known_count < words->words)
        maker->known[maker->known_count++] = (Known){UNKNOWN, UNKNOWN};
    feature = maker->known[number].feature;
    if (feature == UNKNOWN) {
        TRY(find_feature(words, number, &feature, error));
        maker->known[number].feature = feature;
    }
    if (feature == STOPPED)
        return OK;
    if (rules.most_words)
        TRY(count_words(words, feature, rules.least_words, rules.most_words, error));
    return rules.most_characters ? count_characters(words, number, error) : OK;
}

Status clv_words_make(Words *words, const Tokens *tokens, cleave_error *error)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (words->slots)
            __builtin_prefetch(&words->slot[words_slot_of(words, tokens->token[i].hash)]);
    for (size_t i = 0; i < tokens->count; i++) {
        uint32_t number;

        TRY(clv_words_find(words, &tokens->token[i], &number, error));
        TRY(make_of_word(words, number, error));
    }
    return OK;
}
