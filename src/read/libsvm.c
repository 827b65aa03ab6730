/*
 * LIBSVM text: LABEL INDEX:VALUE INDEX:VALUE … # comment
 *
 * The label is any text without blanks, `?` for a missing label. Indexes count from 1
 * (--zero-based: from 0) and increase. `qid:N` after the label is kept. Blank lines and lines that
 * start with # are skipped.
 *
 * The loop over features is the hottest of the program. Indexes and values are parsed eight digits
 * at a time (base/number.h); gaps and values are written directly into the builder's arrays, which
 * are reserved before each row (a feature has at least four bytes of text). Unusual input uses a
 * slower function. With AVX2, plain features are parsed many at a time (libsvm_run.h), with the
 * same result.
 */
#include "read/libsvm_run.h"
#include "read/reader.h"

#include <float.h>
#include <math.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_token(char c)
{
    return is_blank(c) || c == '\n' || c == '#';
}

static size_t token_length(const char *p)
{
    size_t length = 0;

    while (!is_blank(p[length]) && p[length] != '\n')
        length++;
    return length;
}

/* ---- state of the parse of one chunk --------------------------------------------------------- */

typedef struct {
    uint32_t column;
    float value;
} Pair;

typedef struct {
    Pair *pair; /* entries of a row with unsorted indexes */
    size_t capacity;
} PairScratch;

typedef struct {
    const Reader *reader;
    Chunk *chunk;
    Builder *builder;
    const char *limit; /* end of the text, where a newline is */
    const char *line_start;
    uint64_t line;
    uint32_t base; /* index of the first column: 0 or 1 */
    TakeRun take;
    uint32_t pause,
        /* number of features to parse one by one after a failed SIMD attempt, and number of those
         * remaining */
        rest;
    /* The label of the previous row. Often many rows in succession have the same label, and classes
     * are few. */
    const char *label_text;
    size_t label_length;
    uint32_t label;
} Parse;

static Status fail_at(Parse *parse, const char *at, const char *what)
{
    char quoted[QUOTE_SIZE];

    return clv_chunk_fail(parse->chunk, parse->line, (uint64_t)(at - parse->line_start) + 1,
                          CLEAVE_ERROR_DATA, "%s: '%s'", what,
                          clv_quote(quoted, at, token_length(at)));
}

/* ---- errors of one feature ------------------------------------------------------------------- */

static bool word_starts(const char *p, const char *word)
{
    for (; *word; p++, word++)
        if ((*p | 0x20) != *word)
            return false;
    return true;
}

/* Reports the error in the token at p, which the fast path rejected. */
static Status explain_token(Parse *parse, const char *p)
{
    const char *colon = memchr(p, ':', token_length(p));
    const char *q = p;
    float value;

    while ((unsigned)(*q - '0') < 10)
        q++;
    if (!colon || q == p || q != colon) {
        fail_at(parse, p, colon && q != colon ? "index is not a number" : "not a feature");
        return clv_chunk_hint(parse->chunk, "write a feature as INDEX:VALUE, for example 3:0.25");
    }
    if (colon - p > 10 || (colon - p == 10 && memcmp(p, "2147483647", 10) > 0)) {
        fail_at(parse, p, "index out of range");
        return clv_chunk_hint(parse->chunk, "the largest index is 2147483647");
    }
    q = colon + 1;
    if (*q == '+' || *q == '-')
        q++;
    if (word_starts(q, "nan") || word_starts(q, "inf")) {
        fail_at(parse, p, "value is not finite");
        return clv_chunk_hint(parse->chunk,
                              "remove the feature, or replace the value with a number");
    }
    q = clv_parse_float_exact(colon + 1, parse->limit, &value);
    if (q && ends_token(*q) && !isfinite(value)) {
        fail_at(parse, p, "value is too large for a float32");
        return clv_chunk_hint(parse->chunk, "the largest value is 3.4e38; scale the feature");
    }
    fail_at(parse, p, "value is not a number");
    return clv_chunk_hint(parse->chunk, "write a feature as INDEX:VALUE, for example 3:0.25");
}

/* ---- one feature, the slow and general way --------------------------------------------------- */

/* Reads INDEX:VALUE; *next is after it. */
static Status slow_feature(Parse *parse, const char *p, uint32_t *column, float *value,
                           const char **next)
{
    uint64_t index = 0;
    const char *q = p;

    for (; (unsigned)(*q - '0') < 10 && index <= MOST_FEATURES; q++)
        index = index * 10 + (uint64_t)(*q - '0');
    if (q == p || *q != ':' || index > MOST_FEATURES)
        return explain_token(parse, p);
    if (index < parse->base) {
        fail_at(parse, p, "index out of range");
        return clv_chunk_hint(parse->chunk,
                              "indexes start at 1; pass --zero-based if they start at 0");
    }
    *column = (uint32_t)index - parse->base;
    if (*column >= MOST_FEATURES)
        return explain_token(parse, p);
    q = clv_parse_float(q + 1, parse->limit, value);
    if (!q || !ends_token(*q) || !isfinite(*value))
        return explain_token(parse, p);
    *next = q;
    return OK;
}

static void sort_pairs(Pair *pair, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap /= 2) { /* Shell sort */
        for (size_t i = gap; i < count; i++) {
            Pair held = pair[i];
            size_t j = i;

            for (; j >= gap && pair[j - gap].column > held.column; j -= gap)
                pair[j] = pair[j - gap];
            pair[j] = held;
        }
    }
}

/* Reads a row with unsorted indexes again from its first feature, if the options allow it. */
static Status unordered_row(Parse *parse, const char *p, const char **next)
{
    PairScratch *scratch = parse->chunk->scratch;
    Chunk *chunk = parse->chunk;
    size_t count = 0;

    for (;;) {
        Pair pair;

        while (is_blank(*p))
            p++;
        if (*p == '\n' || *p == '#')
            break;
        TRY(slow_feature(parse, p, &pair.column, &pair.value, &p));
        chunk->status = GROW(parse->builder->context, scratch->pair, scratch->capacity, count + 1,
                             &chunk->error);
        TRY(chunk->status);
        scratch->pair[count++] = pair;
    }
    *next = p;
    sort_pairs(scratch->pair, count);
    clv_builder_begin_row(parse->builder);
    for (size_t i = 0; i < count;) {
        double sum = 0;
        uint32_t column = scratch->pair[i].column;

        if (i + 1 < count && scratch->pair[i + 1].column == column &&
            !parse->reader->options.sum_repeated) {
            clv_chunk_fail(chunk, parse->line, 0, CLEAVE_ERROR_DATA,
                           "index %u appears twice in the row", column + parse->base);
            return clv_chunk_hint(chunk, "pass --sum-repeated to add the values");
        }
        for (; i < count && scratch->pair[i].column == column; i++)
            sum += (double)scratch->pair[i].value;
        if (!(fabs(sum) <= FLT_MAX))
            return clv_chunk_fail(chunk, parse->line, 0, CLEAVE_ERROR_DATA,
                                  "the sum of the values of index %u is too large for a float32",
                                  column + parse->base);
        chunk->status = clv_builder_add(parse->builder, column, (float)sum, &chunk->error);
        TRY(chunk->status);
    }
    return OK;
}

/* Reads the rest of a row from p on, one feature at a time through the builder. This handles long
 * gaps, long indexes, errors and unsorted indexes. seen is the column of the previous feature (a 0
 * counts), -1 at the start of the row. */
static Status slow_features(Parse *parse, const char *p, const char *first, int64_t seen,
                            const char **next)
{
    const ReadOptions *options = &parse->reader->options;
    Builder *builder = parse->builder;

    for (;;) {
        const char *token;
        uint32_t column = 0;
        float value = 0;

        while (is_blank(*p))
            p++;
        if (*p == '\n' || *p == '#')
            break;
        token = p;
        TRY(slow_feature(parse, p, &column, &value, &p));
        if ((int64_t)column <= seen) {
            bool repeated = column == seen;

            if (repeated ? !options->sum_repeated : !options->sort_indexes) {
                fail_at(parse, token,
                        repeated ? "index appears twice in the row"
                                 : "index is smaller than the previous index");
                return clv_chunk_hint(parse->chunk, repeated
                                                        ? "pass --sum-repeated to add the values"
                                                        : "pass --sort-indexes to sort them");
            }
            clv_builder_restart_row(builder);
            return unordered_row(parse, first, next);
        }
        parse->chunk->status = clv_builder_add(builder, column, value, &parse->chunk->error);
        TRY(parse->chunk->status);
        seen = column;
    }
    *next = p;
    return OK;
}

/* ---- many features --------------------------------------------------------------------------- */

enum { SHORTEST_PAUSE = 8, LONGEST_PAUSE = 1024, ENOUGH = 4 };

TakeRun clv_libsvm_taker(void)
{
#ifdef CLEAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        return clv_libsvm_take_avx2;
#endif
    return NULL;
}

/* ---- one row --------------------------------------------------------------------------------- */

/* Reserves memory for all features that can follow: each has at least four bytes of text. */
static Status reserve_features(Parse *parse, const char *p)
{
    Builder *builder = parse->builder;
    size_t most = builder->entries + (size_t)(parse->limit - p) / 4 + 1 + RUN_SPARE;
    Status status = GROW(builder->context, builder->gap, builder->gap_capacity, most,
                         &parse->chunk->error);

    THEN(status, GROW(builder->context, builder->value, builder->value_capacity, most,
                      &parse->chunk->error));
    parse->chunk->status = status;
    return status;
}

/* Fast path for the features of a row. Continues with slow_features at the first token that is not
 * a short, increasing index, a colon, a number, and an end. */
static Status features(Parse *parse, const char *p, const char **next)
{
    Builder *builder = parse->builder;
    const char *first = p, *limit = parse->limit;
    uint16_t *gap;
    float *value;
    size_t at = builder->entries;
    uint32_t last = UINT32_MAX; /* column of the last entry that was written */
    int64_t seen = -1;          /* column of the last feature, written or 0 */

    clv_builder_begin_row(builder);
    if (builder->wide)
        return slow_features(parse, p, first, seen, next);
    TRY(reserve_features(parse, p));
    gap = builder->gap;
    value = builder->value;
    for (;;) {
        uint64_t index;
        unsigned digits;
        uint32_t step;
        const char *stop;

        while (is_blank(*p))
            p++;
        if (*p == '\n' || *p == '#')
            break;
        if (parse->rest > 0) {
            parse->rest--;
        } else if (parse->take && (int32_t)last == seen) {
            FeatureRun run = {p, gap + at, value + at, 0, (int32_t)(last + parse->base)};

            parse->take(&run);
            /* Tries again after the token that ended a long run. If runs are short, the delays
             * grow. */
            if (*run.text == '\n' || run.count >= ENOUGH) {
                parse->rest = *run.text != '\n';
                parse->pause = SHORTEST_PAUSE;
            } else {
                parse->rest = parse->pause;
                parse->pause = parse->pause < LONGEST_PAUSE ? 2 * parse->pause : LONGEST_PAUSE;
            }
            if (run.count > 0) {
                p = run.text;
                at += run.count;
                last = (uint32_t)run.last - parse->base;
                seen = (int32_t)last;
                continue;
            }
        }
        digits = clv_digits8(p, &index);
        index -= parse->base;
        /* in the first feature of a row, the gap counts from column -1 */
        step = (uint32_t)index - last;
        if (p[digits] != ':' || digits - 1 > 6 || (int64_t)index <= seen || step > FILLER_GAP)
            break;
        stop = clv_parse_short_float(p + digits + 1, &value[at]);
        if (!stop)
            stop = clv_parse_float(p + digits + 1, limit, &value[at]);
        if (!stop || !ends_token(*stop) || !(fabsf(value[at]) <= FLT_MAX))
            break;
        seen = (int64_t)index;
        if (value[at] != 0) {
            gap[at++] = (uint16_t)step;
            last = (uint32_t)index;
        }
        p = stop;
    }
    builder->entries = at;
    builder->last = last;
    if (seen + 1 > builder->features)
        builder->features = (uint32_t)(seen + 1);
    *next = p;
    return *p == '\n' || *p == '#' ? OK : slow_features(parse, p, first, seen, next);
}

static Status take_label(Parse *parse, const char *p, size_t length, uint32_t *label)
{
    const char *q = p;

    if (parse->label_text && length == parse->label_length &&
        memcmp(p, parse->label_text, length) == 0) {
        *label = parse->label;
        if (*label != UNLABELED)
            parse->chunk->labels.list[*label].count++;
        else
            parse->chunk->labels.unlabeled++;
        return OK;
    }
    while ((unsigned)(*q - '0') < 10)
        q++;
    if (*q == ':' && q > p) {
        fail_at(parse, p, "the label is missing: the line begins with a feature");
        return clv_chunk_hint(
            parse->chunk, "write a line as LABEL INDEX:VALUE …, with ? for a row without a label");
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)p[i] < 0x20 || p[i] == 0x7F) {
            fail_at(parse, p, "the label contains a control character");
            return clv_chunk_hint(parse->chunk,
                                  "set the format with --format if the file is not LIBSVM text");
        }
    }
    TRY(clv_chunk_label(parse->chunk, p, length, parse->line, label));
    parse->label_text = p;
    parse->label_length = length;
    parse->label = *label;
    return OK;
}

/* Reads qid:N after the label, if it is present. */
static Status take_qid(Parse *parse, const char **p, uint64_t *qid, bool *has)
{
    const char *q = *p;

    while (is_blank(*q))
        q++;
    *has = q[0] == 'q' && q[1] == 'i' && q[2] == 'd' && q[3] == ':';
    if (!*has)
        return OK;
    *qid = 0;
    *p = q;
    q += 4;
    if ((unsigned)(*q - '0') > 9)
        return fail_at(parse, *p, "qid is not a whole number");
    for (; (unsigned)(*q - '0') < 10; q++) {
        if (*qid > (UINT64_MAX - 9) / 10)
            return fail_at(parse, *p, "qid is too large");
        *qid = *qid * 10 + (uint64_t)(*q - '0');
    }
    if (!ends_token(*q))
        return fail_at(parse, *p, "qid is not a whole number");
    *p = q;
    return OK;
}

/* A last line without a newline must end with a complete token. */
static Status check_unfinished(Parse *parse, const char *p)
{
    const char *end = parse->limit, *token = end;

    if (end > p && is_blank(end[-1])) {
        clv_chunk_fail(
            parse->chunk, parse->line, (uint64_t)(end - parse->line_start), CLEAVE_ERROR_DATA,
            "the file is incomplete: its last line ends with a space and has no newline");
        return clv_chunk_hint(parse->chunk,
                              "pass --allow-cut to read up to the last complete line");
    }
    while (token > p && !is_blank(token[-1]))
        token--;
    if (token > p && token < end && *token != '#' &&
        !memchr(parse->line_start, '#', (size_t)(token - parse->line_start))) {
        const char *colon = memchr(token, ':', (size_t)(end - token));

        if (!colon || colon + 1 == end || !((unsigned)(end[-1] - '0') < 10)) {
            fail_at(parse, token, "the file is incomplete: its last line ends inside a feature");
            return clv_chunk_hint(parse->chunk,
                                  "pass --allow-cut to read up to the last complete line");
        }
    }
    return OK;
}

static Status row(Parse *parse, const char *p, const char **next)
{
    Chunk *chunk = parse->chunk;
    Builder *builder = parse->builder;
    size_t length = token_length(p), before = builder->entries;
    uint32_t label;
    uint64_t qid = 0;
    bool has_qid;

    if (!clv_keeps_class(parse->reader, p, length)) {
        *next = (const char *)memchr(p, '\n', (size_t)(parse->limit - p) + 1) + 1;
        return clv_chunk_drop(chunk, parse->line);
    }
    TRY(take_label(parse, p, length, &label));
    p += length;
    TRY(take_qid(parse, &p, &qid, &has_qid));
    TRY(features(parse, p, &p));
    if (builder->entries == before && chunk->empty_rows++ == 0)
        chunk->first_empty_line = parse->line;
    chunk->status = clv_builder_end_row(builder, label, &chunk->error);
    if (chunk->status == OK)
        chunk->status = clv_builder_set_line(builder, parse->line, &chunk->error);
    if (chunk->status == OK && has_qid)
        chunk->status = clv_builder_set_qid(builder, qid, &chunk->error);
    if (*p == '#')
        p = memchr(p, '\n', (size_t)(parse->limit - p) + 1);
    *next = p + 1;
    return chunk->status;
}

/* Returns the index of the first column. Indexes are names: for a model that was trained on indexes
 * from 0, they count from 0 with or without the option. */
static uint32_t first_index(const Reader *reader)
{
    if (reader->options.zero_based)
        return 0;
    return reader->guide_schema ? reader->source.names.first : 1;
}

static void parse_chunk(const Reader *reader, Chunk *chunk)
{
    Parse parse = {
        .reader = reader,
        .chunk = chunk,
        .builder = &chunk->builder,
        .limit = chunk->text + chunk->size,
        .base = first_index(reader),
        .take = clv_libsvm_taker(),
        .pause = SHORTEST_PAUSE,
    };
    const char *p = chunk->text;

    chunk->labels.from_libsvm = true;
    while (p < parse.limit && chunk->status == OK) {
        parse.line_start = p;
        parse.line++;
        while (is_blank(*p))
            p++;
        if (*p == '\n') {
            p++;
            continue;
        }
        if (*p == '#') {
            p = (const char *)memchr(p, '\n', (size_t)(parse.limit - p) + 1) + 1;
            continue;
        }
        if (chunk->unfinished && !memchr(p, '\n', (size_t)(parse.limit - p)) &&
            check_unfinished(&parse, p) != OK)
            break;
        if (row(&parse, p, &p) != OK)
            break;
    }
    chunk->lines = parse.line;
}

static void free_scratch(Context *context, void *scratch)
{
    clv_free(context, ((PairScratch *)scratch)->pair);
}

/* ---- recognition ----------------------------------------------------------------------------- */

/* Returns whether every token after the first looks like INDEX:VALUE; *features counts them. */
static bool line_looks_right(const char *p, const char *end, size_t *features)
{
    bool first = true;

    while (p < end) {
        const char *token;

        while (p < end && is_blank(*p))
            p++;
        if (p == end || *p == '#')
            return true;
        token = p;
        while (p < end && !is_blank(*p))
            p++;
        if (!first) {
            const char *q = token;

            while (q < p && (unsigned)(*q - '0') < 10)
                q++;
            if (p - token > 4 && memcmp(token, "qid:", 4) == 0)
                continue;
            if (q == token || q == p || *q != ':')
                return false;
            ++*features;
        }
        first = false;
    }
    return true;
}

static bool sniff(const char *head, size_t size)
{
    const char *p = head, *end = head + size;
    size_t features = 0, lines = 0;

    while (p < end && lines < 20) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));

        if (!newline && lines > 0)
            break;
        if (!newline)
            newline = end;
        if (!line_looks_right(p, newline, &features))
            return false;
        p = newline + 1;
        lines++;
    }
    return features > 0;
}

/* Reads the columns of a model. A model has the columns that occurred in its training set, by their
 * numbers (data/compact.h). Files may have any number of columns. */
static void read_numbers(Reader *reader)
{
    uint32_t first = reader->source.names.first;

    clv_names_free(&reader->source.names);
    clv_names_init(&reader->source.names, reader->source.context, true);
    reader->source.names.first = first;
    reader->source.features = 0;
}

static Status start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                    cleave_error *error)
{
    (void)head;
    (void)size;
    (void)whole;
    (void)error;
    *skip = 0;
    if (!reader->guide_schema)
        reader->source.names.first = reader->options.zero_based ? 0 : 1;
    else if (clv_schema_is_numbered(reader->guide_schema) && !reader->source.names.implicit)
        read_numbers(reader);
    return OK;
}

static const char *const suffixes[] = {".libsvm", ".svm", ".svmlight", NULL};

const Format clv_format_libsvm = {
    .name = "libsvm",
    .brief = "LABEL INDEX:VALUE …, one example per line",
    .suffixes = suffixes,
    .sniff = sniff,
    .start = start,
    .parse = parse_chunk,
    .free_scratch = free_scratch,
    .scratch_size = sizeof(PairScratch),
    .text = true,
};
