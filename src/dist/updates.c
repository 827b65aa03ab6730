#include "dist/updates.h"

#include "base/exact.h"
#include "base/hash.h"
#include "base/number.h"
#include "dist/nearest_lines.h"

#include <math.h>
#include <stdlib.h>

/* ---- writing --------------------------------------------------------------------------------- */

/* Formats a value. Most values of perceptrons are integers, which need no search for the shortest
 * text. `line` has space for both. */
static size_t format_value(char *line, double value)
{
    const double exact_integers = 1e15;
    char text[NUMBER_SIZE];
    size_t length, sign = 0;

    if (value == floor(value) && fabs(value) <= exact_integers) {
        if (value < 0)
            line[sign++] = '-';
        length = clv_format_unsigned(text, (uint64_t)fabs(value));
    } else {
        length = clv_format_double(text, value);
    }
    memcpy(line + sign, text, length);
    return sign + length;
}

static Status write_value(Output *output, const char *key, size_t length, double value,
                          cleave_error *error)
{
    char line[KEY_SIZE + NUMBER_SIZE + 3];

    memcpy(line, key, length);
    line[length++] = '\t';
    length += format_value(line + length, value);
    line[length++] = '\n';
    return clv_output_write(output, line, length, error);
}

Status clv_updates_write(const Delta *delta, Output *output, cleave_error *error)
{
    for (size_t i = 0; i < delta->parts; i++) {
        const DeltaPart *part = &delta->part[i];
        char key[KEY_SIZE + NUMBER_SIZE];
        size_t name = strlen(part->name);

        memcpy(key, part->name, name);
        key[name++] = '/';
        for (size_t j = 0; j < part->count; j++)
            TRY(write_value(output, key, name + clv_format_unsigned(key + name, part->index[j]),
                            part->value[j], error));
    }
    return OK;
}

/* ---- reducing -------------------------------------------------------------------------------- */

/* Size of a hash table of the first keys, which detects unsorted input because it soon repeats
 * one of them. An undetected repetition becomes a duplicate key in the output, for which `apply`
 * fails. */
enum { KEPT_KEYS = 1 << 14 };

struct KeptKey {
    uint8_t length; /* 0: free slot */
    char key[KEY_SIZE];
};

typedef struct {
    Context *context;
    Lines lines;
    Output *output;
    bool partial;
    struct KeptKey *kept;
    char key[KEY_SIZE]; /* key of the current sum */
    size_t key_length;
    Exact sum;
    Near near; /* rows found, instead of a sum, for values that are not numbers */
    uint64_t count, keys;
    cleave_error *error;
} Reduction;

static Status keep_key(Reduction *reduction)
{
    const Lines *lines = &reduction->lines;
    struct KeptKey *kept = &reduction->kept[clv_hash(lines->key, lines->key_length, 0) % KEPT_KEYS];

    if (kept->length == lines->key_length &&
        memcmp(kept->key, lines->key, lines->key_length) == 0) {
        char quoted[QUOTE_SIZE];

        clv_lines_fail(
            &reduction->lines,
            "the key '%s' occurs again after other keys: the lines are not sorted by key",
            clv_quote(quoted, reduction->lines.key, reduction->lines.key_length));
        return clv_hint(reduction->error, CLEAVE_ERROR_DATA,
                        "sort the lines of all files together with `LC_ALL=C sort`");
    }
    if (kept->length == 0) {
        kept->length = (uint8_t)lines->key_length;
        memcpy(kept->key, lines->key, lines->key_length);
    }
    return OK;
}

static Status end_key(Reduction *reduction)
{
    bool first = true;

    if (reduction->key_length == 0)
        return OK;
    reduction->keys++;
    if (reduction->near.count)
        return clv_near_write(&reduction->near, reduction->output, reduction->error);
    do {
        double value = clv_exact_round(&reduction->sum);

        if (!isfinite(value))
            return clv_fail_hint(reduction->error, CLEAVE_ERROR_DATA,
                                 "lower the learning rate, or scale the features",
                                 "the sum of the values of '%.*s' is not finite",
                                 (int)reduction->key_length, reduction->key);
        if (value != 0 || first)
            TRY(write_value(reduction->output, reduction->key, reduction->key_length, value,
                            reduction->error));
        clv_exact_add(&reduction->sum, -value);
        first = false;
    } while (reduction->partial && !clv_exact_is_zero(&reduction->sum));
    clv_exact_clear(&reduction->sum);
    return OK;
}

static Status reduce_lines(Reduction *reduction)
{
    Lines *lines = &reduction->lines;

    for (;;) {
        bool more;

        TRY(clv_lines_next(lines, &more));
        if (!more)
            return end_key(reduction);
        if ((reduction->count++ & 0xFFFF) == 0 && clv_cancelled(reduction->context))
            return clv_fail(reduction->error, CLEAVE_ERROR_CANCELLED, "interrupted");
        if (lines->key_length != reduction->key_length ||
            memcmp(lines->key, reduction->key, lines->key_length) != 0) {
            TRY(end_key(reduction));
            TRY(keep_key(reduction));
            memcpy(reduction->key, lines->key, lines->key_length + 1);
            reduction->key_length = lines->key_length;
        }
        if (strcmp(lines->part, UPDATE_NEAR) == 0)
            TRY(clv_near_add(&reduction->near, lines));
        else
            clv_exact_add(&reduction->sum, lines->value);
    }
}

Status clv_updates_reduce(Context *context, const char *const *paths, size_t count, bool partial,
                          Output *output, uint64_t *lines, uint64_t *keys, cleave_error *error)
{
    Reduction reduction = {.context = context,
                           .output = output,
                           .partial = partial,
                           .near.context = context,
                           .error = error};
    Status status;

    TRY(ALLOC_ZERO(context, reduction.kept, KEPT_KEYS, "keys", error));
    clv_lines_open(&reduction.lines, context, paths, count, error);
    status = reduce_lines(&reduction);
    clv_lines_close(&reduction.lines);
    clv_near_free(&reduction.near);
    clv_free(context, reduction.kept);
    *lines = reduction.count;
    *keys = reduction.keys;
    return status;
}

/* ---- reading all ----------------------------------------------------------------------------- */

typedef struct {
    uint64_t index;
    double value;
    uint64_t line;
    uint32_t file, rule;
} Entry;

typedef struct {
    Context *context;
    Lines lines;
    const UpdateRule *rules;
    Entry *entry;
    size_t count, capacity;
    cleave_error *error;
} Gathering;

static Status refuse_part(const Gathering *gathering)
{
    char quoted[QUOTE_SIZE], known[256] = "";
    size_t length = 0;

    for (size_t i = 0; gathering->rules[i].name; i++) {
        size_t name = strlen(gathering->rules[i].name);

        if (length + name + 3 > sizeof known)
            break;
        memcpy(known + length, i ? ", " : "", i ? 2 : 0);
        length += i ? 2 : 0;
        memcpy(known + length, gathering->rules[i].name, name + 1);
        length += name;
    }
    clv_lines_fail(&gathering->lines, "the model has no values with the key '%s'",
                   clv_quote(quoted, gathering->lines.key, gathering->lines.key_length));
    return clv_hint(gathering->error, CLEAVE_ERROR_DATA, "use updates with these keys: %s", known);
}

static Status refuse_index(const Gathering *gathering, const UpdateRule *rule)
{
    char quoted[QUOTE_SIZE];

    if (rule->size == 0)
        return refuse_part(gathering);
    clv_lines_fail(&gathering->lines, "'%s' is out of range: the largest is %s/%llu",
                   clv_quote(quoted, gathering->lines.key, gathering->lines.key_length), rule->name,
                   (unsigned long long)(rule->size - 1));
    return clv_hint(gathering->error, CLEAVE_ERROR_DATA,
                    "check that the updates belong to this model");
}

static Status gather_line(Gathering *gathering)
{
    const Lines *lines = &gathering->lines;
    uint32_t rule = 0;

    while (gathering->rules[rule].name && strcmp(gathering->rules[rule].name, lines->part) != 0)
        rule++;
    if (!gathering->rules[rule].name)
        return refuse_part(gathering);
    if (lines->index >= gathering->rules[rule].size)
        return refuse_index(gathering, &gathering->rules[rule]);
    TRY(GROW(gathering->context, gathering->entry, gathering->capacity, gathering->count + 1,
             gathering->error));
    gathering->entry[gathering->count++] = (Entry){.index = lines->index,
                                                   .value = lines->value,
                                                   .line = lines->line,
                                                   .file = (uint32_t)lines->at,
                                                   .rule = rule};
    return OK;
}

static int by_key(const void *left, const void *right)
{
    const Entry *a = left, *b = right;

    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static Status refuse_twice(const Gathering *gathering, const Entry *first, const Entry *second)
{
    const Lines *lines = &gathering->lines;

    return clv_fail_hint(
        gathering->error, CLEAVE_ERROR_DATA,
        "sum the lines with `LC_ALL=C sort | cleave reduce`, and pass each file once",
        "%s:%llu: the key '%s/%llu' occurs twice, first in %s:%llu",
        clv_lines_file(lines, second->file), (unsigned long long)second->line,
        gathering->rules[second->rule].name, (unsigned long long)second->index,
        clv_lines_file(lines, first->file), (unsigned long long)first->line);
}

static Status fill_delta(const Gathering *gathering, Delta *sum)
{
    for (size_t i = 0; i < gathering->count; i++) {
        const Entry *entry = &gathering->entry[i];

        if (i > 0 && entry[-1].rule == entry->rule && entry[-1].index == entry->index)
            return refuse_twice(gathering, entry - 1, entry);
        TRY(clv_delta_add(sum, gathering->rules[entry->rule].name, entry->index, entry->value,
                          gathering->error));
    }
    return OK;
}

static Status gather_all(Gathering *gathering)
{
    for (;;) {
        bool more;

        TRY(clv_lines_next(&gathering->lines, &more));
        if (!more)
            return OK;
        TRY(gather_line(gathering));
    }
}

Status clv_updates_read(Context *context, const char *const *paths, size_t count,
                        const UpdateRule *rules, Delta *sum, cleave_error *error)
{
    Gathering gathering = {.context = context, .rules = rules, .error = error};
    Status status;

    clv_lines_open(&gathering.lines, context, paths, count, error);
    status = gather_all(&gathering);
    if (status == OK && gathering.count)
        qsort(gathering.entry, gathering.count, sizeof *gathering.entry, by_key);
    THEN(status, fill_delta(&gathering, sum));
    clv_lines_close(&gathering.lines);
    clv_free(context, gathering.entry);
    return status;
}
