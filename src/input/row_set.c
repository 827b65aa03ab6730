#include "input/row_set.h"

#include "base/text.h"
#include "input/side_table.h"

#include <stdlib.h>

static const char blanks[] = ", \t\r\n";

void clv_row_set_free(RowSet *set)
{
    if (set->context)
        clv_free(set->context, set->range);
    *set = (RowSet){0};
}

static Status add(RowSet *set, uint64_t first, uint64_t last, cleave_error *error)
{
    TRY(GROW(set->context, set->range, set->capacity, set->count + 1, error));
    set->range[set->count++] = (RowRange){first, last};
    return OK;
}

static int by_first(const void *a, const void *b)
{
    const RowRange *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts the ranges and merges adjacent ones. */
void clv_row_set_settle(RowSet *set)
{
    size_t count = 0;

    if (set->count)
        qsort(set->range, set->count, sizeof *set->range, by_first);
    for (size_t i = 0; i < set->count; i++) {
        RowRange *last = count ? &set->range[count - 1] : NULL;

        if (last && (set->range[i].first <= last->last || set->range[i].first - last->last == 1))
            last->last = set->range[i].last > last->last ? set->range[i].last : last->last;
        else
            set->range[count++] = set->range[i];
    }
    set->count = count;
}

/* Parses digits. Returns false if there are none, or too many. */
static bool take_number(const char **at, uint64_t *number)
{
    const char *start = *at;

    *number = 0;
    for (; (unsigned)(**at - '0') <= 9; (*at)++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(**at - '0'), number))
            return false;
    return *at > start;
}

/* Parses a NUL-terminated text. *wrong is the first part that is not a row or range, or NULL. */
static Status parse_list(RowSet *set, const char *text, const char **wrong, cleave_error *error)
{
    *wrong = NULL;
    for (const char *at = text + strspn(text, blanks); *at; at += strspn(at, blanks)) {
        const char *start = at;
        uint64_t first, last;
        bool well = take_number(&at, &first);

        last = first;
        if (well && *at == '-') {
            at++;
            well = take_number(&at, &last) && last >= first;
        }
        if (!well || last == UINT64_MAX || (*at && !strchr(blanks, *at))) {
            *wrong = start;
            return OK;
        }
        TRY(add(set, first, last, error));
    }
    return OK;
}

static Status fail_list(const char *flag, const char *path, const char *wrong, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE, "pass a list of rows, or a file that contains one",
        "--%s: %s%sexpected rows such as 3,7-9, counted from 0, found '%s'", flag, path ? path : "",
        path ? ": " : "", clv_quote(quoted, wrong, strcspn(wrong, blanks)));
}

static Status parse_file(RowSet *set, const char *flag, const char *path, cleave_error *error)
{
    Buffer text = {0};
    const char *wrong = NULL;
    Status status = clv_read_text(set->context, flag, path, &text, error);

    THEN(status, parse_list(set, text.data, &wrong, error));
    if (status == OK && wrong)
        status = fail_list(flag, path, wrong, error);
    clv_free(set->context, text.data);
    return status;
}

static Status parse(RowSet *set, const char *flag, const char *text, cleave_error *error)
{
    const char *wrong;

    if (text[strspn(text, "0123456789-, ")])
        return parse_file(set, flag, text, error);
    TRY(parse_list(set, text, &wrong, error));
    return wrong ? fail_list(flag, NULL, wrong, error) : OK;
}

Status clv_row_set_parse(Context *context, const char *flag, const char *text, RowSet *set,
                         cleave_error *error)
{
    Status status;

    *set = (RowSet){.context = context};
    status = parse(set, flag, text, error);
    if (status == OK && set->count == 0) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--%s: expected rows such as 3,7-9, found none", flag);
        status = clv_hint(error, CLEAVE_ERROR_USAGE,
                          "pass a list of rows, or a file that contains one");
    }
    if (status != OK) {
        clv_row_set_free(set);
        return status;
    }
    clv_row_set_settle(set);
    return OK;
}

Status clv_row_set_from(Context *context, const uint64_t *rows, size_t count, RowSet *set,
                        cleave_error *error)
{
    *set = (RowSet){.context = context};
    for (size_t i = 0; i < count; i++) {
        Status status = rows[i] < UINT64_MAX
                            ? add(set, rows[i], rows[i], error)
                            : clv_fail(error, CLEAVE_ERROR_USAGE, "a row number is too large");

        if (status != OK) {
            clv_row_set_free(set);
            return status;
        }
    }
    clv_row_set_settle(set);
    return OK;
}

Status clv_row_set_add(RowSet *set, uint64_t row, cleave_error *error)
{
    return add(set, row, row, error);
}

bool clv_row_set_has(const RowSet *set, uint64_t row)
{
    size_t low = 0, high = set->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (set->range[middle].last < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && set->range[low].first <= row;
}

uint64_t clv_row_set_size(const RowSet *set)
{
    uint64_t size = 0;

    for (size_t i = 0; i < set->count; i++)
        size += set->range[i].last - set->range[i].first + 1;
    return size;
}
