/* Rules for reading text, from the options or from the model's schema; and the columns of feature
 * hashing. */
#include "base/hash.h"
#include "base/number.h"
#include "read/bytes.h"
#include "read/words_dictionary.h"
#include "text/stem.h"

/* ---- options --------------------------------------------------------------------------------- */

static bool given(const char *option)
{
    return option && *option;
}

/* Checks the options for sequences, whose characters stay unchanged. */
static Status check_sequence(const ReadOptions *options, cleave_error *error)
{
    const char *other = given(options->stop_words) ? "stop-words"
                        : given(options->stem)     ? "stem"
                        : given(options->ngrams)   ? "ngrams"
                        : given(options->chars)    ? "chars"
                        : options->keep_case       ? "keep-case"
                        : options->hash_bits       ? "hash-bits"
                        : options->hash_names      ? "hash-names"
                                                   : NULL;

    if (!other)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "pass only one of the two options",
                         "--sequence keeps texts whole and cannot be combined with --%s", other);
}

static Status rules_of_options(const ReadOptions *options, TextRules *rules, cleave_error *error)
{
    *rules = clv_text_rules();
    rules->sequence = options->sequence;
    if (rules->sequence)
        return check_sequence(options, error);
    rules->keep_case = options->keep_case;
    rules->hash_names = options->hash_names;
    rules->hash_bits = (uint32_t)options->hash_bits;
    if (rules->hash_names && !rules->hash_bits)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE,
            "for example: --hash-bits 18 --hash-names; words that are not hashed always have names",
            "--hash-names has no effect without --hash-bits");
    if (given(options->chars)) {
        TRY(clv_text_range("chars", options->chars, MOST_CHARACTER_GRAM, &rules->least_characters,
                           &rules->most_characters, error));
        rules->least_words = rules->most_words = 0;
    }
    if (given(options->ngrams))
        TRY(clv_text_range("ngrams", options->ngrams, MOST_WORD_GRAM, &rules->least_words,
                           &rules->most_words, error));
    if (given(options->stem) && strcmp(options->stem, "none") != 0) {
        TRY(clv_stem_check(options->stem, error));
        memcpy(rules->stem, options->stem,
               strlen(options->stem) + 1 < sizeof rules->stem ? strlen(options->stem) + 1 : 0);
    }
    return OK;
}

/* ---- stop words ------------------------------------------------------------------------------ */

static Status read_whole(Context *context, const char *path, Buffer *text, cleave_error *error)
{
    Bytes *bytes;
    size_t got = 1;
    Status status;

    TRY(clv_bytes_open(context, path, &bytes, error));
    for (status = OK; status == OK && got;) {
        status = GROW(context, text->data, text->capacity, text->size + 4096, error);
        THEN(status, clv_bytes_read(bytes, text->data + text->size, 4096, &got, error));
        if (status == OK)
            text->size += got;
    }
    clv_bytes_close(bytes);
    return status;
}

static Status stop_words_of(Context *context, const char *option, bool keep_case, StopWords *words,
                            cleave_error *error)
{
    Buffer text = {0};
    Status status;

    if (strcmp(option, "none") == 0)
        return OK;
    if (strcmp(option, "english") == 0)
        return clv_stop_words_make(words, clv_english_stop_words, strlen(clv_english_stop_words),
                                   keep_case, error);
    status = read_whole(context, option, &text, error);
    if (status != OK)
        clv_hint(error, status, "--stop-words takes english, none, or a file of words");
    if (status == OK) {
        /* Lines that begin with '#' are comments. */
        for (size_t i = 0; i < text.size; i++)
            if (text.data[i] == '#' && (i == 0 || text.data[i - 1] == '\n'))
                for (; i < text.size && text.data[i] != '\n'; i++)
                    text.data[i] = ' ';
        status = clv_stop_words_make(words, text.data, text.size, keep_case, error);
    }
    clv_free(context, text.data);
    return status;
}

/* Sets *text to the words as NUL-terminated text; NULL: none. */
static Status text_of(StopWords *words, const char **text, cleave_error *error)
{
    *text = NULL;
    if (words->count == 0)
        return OK;
    TRY(clv_buffer_add(words->context, &words->text, "", 1, error));
    words->text.size--;
    *text = words->text.data;
    return OK;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static Status plan_by_options(Reader *reader, struct WordsPlan *plan, cleave_error *error)
{
    Context *context = reader->source.context;
    const ReadOptions *options = &reader->options;
    const char *stop_words;
    Buffer text = {0};
    Status status;

    TRY(rules_of_options(options, &plan->rules, error));
    if (given(options->stop_words))
        TRY(stop_words_of(context, options->stop_words, options->keep_case, &plan->stop_words,
                          error));
    TRY(text_of(&plan->stop_words, &stop_words, error));
    status = clv_text_rules_write(&plan->rules, context, &text, error);
    THEN(status, clv_buffer_add(context, &text, "", 1, error));
    THEN(status, clv_schema_set_reading(&reader->source.schema, *text.data ? text.data : NULL,
                                        stop_words, error));
    clv_free(context, text.data);
    return status;
}

static Status conflict(const Schema *schema, const char *option, const char *value,
                       cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE, "omit the option: the model stores how text is read",
        "--%s%s%s: the model was trained with other text options (%s)", option, *value ? " " : "",
        value, schema->reading ? schema->reading : "the default");
}

static Status check_stop_words(const Reader *reader, const Schema *schema,
                               const struct WordsPlan *plan, cleave_error *error)
{
    StopWords given_words;
    const char *text = NULL;
    Status status;
    bool same;

    clv_stop_words_init(&given_words, reader->source.context);
    status = stop_words_of(reader->source.context, reader->options.stop_words,
                           plan->rules.keep_case, &given_words, error);
    THEN(status, text_of(&given_words, &text, error));
    same = status == OK && (text ? schema->stop_words && strcmp(text, schema->stop_words) == 0
                                 : !schema->stop_words);
    clv_stop_words_free(&given_words);
    TRY(status);
    if (same)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE, "omit the option: the model stores how text is read",
        "--stop-words %s: the model was trained with other stop words", reader->options.stop_words);
}

/* Checks that options given with a model equal the model's. */
static Status check_options(const Reader *reader, const Schema *schema,
                            const struct WordsPlan *plan, cleave_error *error)
{
    const ReadOptions *options = &reader->options;
    const TextRules *rules = &plan->rules;
    TextRules given_rules;

    if (given(options->stop_words))
        TRY(check_stop_words(reader, schema, plan, error));
    if (options->sequence && !rules->sequence)
        return conflict(schema, "sequence", "", error);
    if (options->keep_case && !rules->keep_case)
        return conflict(schema, "keep-case", "", error);
    if (options->hash_names && !rules->hash_names)
        return conflict(schema, "hash-names", "", error);
    if (options->hash_bits && options->hash_bits != rules->hash_bits)
        return conflict(schema, "hash-bits", "", error);
    TRY(rules_of_options(
        &(ReadOptions){.stem = options->stem, .ngrams = options->ngrams, .chars = options->chars},
        &given_rules, error));
    if (given(options->stem) && strcmp(given_rules.stem, rules->stem) != 0)
        return conflict(schema, "stem", options->stem, error);
    if (given(options->ngrams) && (given_rules.least_words != rules->least_words ||
                                   given_rules.most_words != rules->most_words))
        return conflict(schema, "ngrams", options->ngrams, error);
    if (given(options->chars) && (given_rules.least_characters != rules->least_characters ||
                                  given_rules.most_characters != rules->most_characters))
        return conflict(schema, "chars", options->chars, error);
    return OK;
}

static Status plan_by_schema(Reader *reader, const Schema *schema, struct WordsPlan *plan,
                             cleave_error *error)
{
    plan->rules = clv_text_rules();
    if (schema->reading && !clv_text_rules_read(schema->reading, &plan->rules))
        return clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                             "upgrade cleave: a newer version may have written the model",
                             "%s: the text options of the model are unknown to this cleave: %s",
                             reader->path, schema->reading);
    if (*plan->rules.stem)
        TRY(clv_stem_check(plan->rules.stem, error));
    if (schema->stop_words)
        TRY(clv_stop_words_make(&plan->stop_words, schema->stop_words, strlen(schema->stop_words),
                                true, error));
    return check_options(reader, schema, plan, error);
}

/* ---- hashing --------------------------------------------------------------------------------- */

static size_t bucket_of(const struct WordsPlan *plan, uint64_t hash)
{
    return (size_t)(hash & (((uint64_t)1 << plan->rules.hash_bits) - 1));
}

/* Top bit of a bucket: several words share it. The other bits: with names, the column + 1; without
 * names, a tag of its first word. */
#define SHARED ((uint32_t)1 << 31)

static Status make_buckets(Reader *reader, struct WordsPlan *plan, cleave_error *error)
{
    const Names *names = &reader->source.names;
    size_t buckets = (size_t)1 << plan->rules.hash_bits;

    if (!plan->rules.hash_names) {
        reader->source.features = (uint32_t)buckets;
        if (reader->guide_schema)
            return OK;
    }
    TRY(ALLOC_ZERO(reader->source.context, plan->bucket, buckets, "columns of words", error));
    for (uint32_t i = 0; i < names->count && plan->rules.hash_names; i++) { /* columns of a model */
        const char *name = names->text.data + names->offset[i];

        plan->bucket[bucket_of(plan, clv_hash(name, clv_names_length(names, i), 0))] = i + 1;
    }
    return OK;
}

static void count_shared(struct WordsPlan *plan, uint32_t *bucket, bool same)
{
    if (same || *bucket & SHARED)
        return;
    *bucket |= SHARED;
    plan->shared++;
}

/* Returns the column of a bucket. The name of the column is its first word. */
static Status named_bucket(Reader *reader, const char *text, size_t length, uint64_t hash,
                           uint32_t *column, cleave_error *error)
{
    struct WordsPlan *plan = reader->words;
    const Names *names = &reader->source.names;
    uint32_t *bucket = &plan->bucket[bucket_of(plan, hash)];

    if (*bucket == 0) {
        TRY(clv_names_add(&reader->source.names, text, length, column, error));
        if (*column == NO_COLUMN)
            return OK;
        *bucket = *column + 1;
        plan->used++;
    }
    *column = (*bucket & ~SHARED) - 1;
    count_shared(plan, bucket,
                 clv_names_length(names, *column) == length &&
                     memcmp(names->text.data + names->offset[*column], text, length) == 0);
    return OK;
}

/* The hash must not change, because models contain the columns of words. */
Status clv_words_bucket(Reader *reader, const char *text, size_t length, uint32_t *column,
                        cleave_error *error)
{
    struct WordsPlan *plan = reader->words;
    uint64_t hash = clv_hash(text, length, 0);
    uint32_t *bucket, mark = (uint32_t)(hash >> 33) | 1;

    if (plan->rules.hash_names)
        return named_bucket(reader, text, length, hash, column, error);
    *column = (uint32_t)bucket_of(plan, hash);
    if (!plan->bucket)
        return OK;
    bucket = &plan->bucket[*column];
    if (*bucket == 0) {
        *bucket = mark;
        plan->used++;
    }
    count_shared(plan, bucket, (*bucket & ~SHARED) == mark);
    return OK;
}

void clv_words_note_collisions(const Reader *reader)
{
    struct WordsPlan *plan = reader->words;
    char used[NUMBER_SIZE], shared[NUMBER_SIZE];

    if (!plan || !plan->bucket || plan->noted || reader->guide_schema || reader->options.ranged)
        return;
    plan->noted = true;
    clv_format_unsigned(used, plan->used);
    clv_format_unsigned(shared, plan->shared);
    clv_note(reader->source.context,
             "--hash-bits %u: %s of %u columns are in use, %s of them by several words",
             plan->rules.hash_bits, used, (uint32_t)1 << plan->rules.hash_bits, shared);
}

/* ---- starting -------------------------------------------------------------------------------- */

static bool is_plain(const struct WordsPlan *plan)
{
    const TextRules *rules = &plan->rules;

    return !*rules->stem && plan->stop_words.count == 0 && rules->least_words == 1 &&
           rules->most_words == 1 && rules->most_characters == 0;
}

/* Returns the source of the rules if they are not from the options: a model, or a resumed
 * stream. */
static const Schema *guiding_schema(const Reader *reader)
{
    const Schema *own = &reader->source.schema;

    return reader->guide_schema              ? reader->guide_schema
           : own->reading || own->stop_words ? own
                                             : NULL;
}

void clv_words_forget_plan(Reader *reader)
{
    if (!reader->words)
        return;
    clv_stop_words_free(&reader->words->stop_words);
    FREE(reader->source.context, reader->words->bucket, reader->words);
    reader->words = NULL;
}

Status clv_words_start(Reader *reader, cleave_error *error)
{
    Names *names = &reader->source.names;
    bool numbered;
    const Schema *guide = guiding_schema(reader);
    struct WordsPlan *plan;

    if (reader->words)
        return OK;
    TRY(ALLOC_ZERO(reader->source.context, plan, 1, "words", error));
    clv_stop_words_init(&plan->stop_words, reader->source.context);
    reader->words = plan;
    TRY(guide ? plan_by_schema(reader, guide, plan, error) : plan_by_options(reader, plan, error));
    plan->plain = is_plain(plan);
    numbered = reader->words->rules.sequence ||
               (reader->words->rules.hash_bits && !reader->words->rules.hash_names);
    if (!reader->guide_schema) {
        names->implicit = numbered;
        names->first = reader->words->rules.hash_bits && numbered ? 0 : 1;
    } else if (names->implicit != numbered) {
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA,
            "pass data of the same kind as the training data, or set the format with --format",
            "%s: this is text, but the features of the model are numbered columns (%s)",
            reader->path, reader->guide_schema->format);
    }
    return reader->words->rules.hash_bits ? make_buckets(reader, reader->words, error) : OK;
}
