#include "eval/leakage.h"

#include "base/pool.h"

#include "base/random.h"
#include "data/traversal.h"
#include "eval/interval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_ROWS = 20000,
    MOST_ENTRIES = 2000000,
    MOST_CLASSES = 1000,
    RANGES = 256,
    RANGE_ROWS = 8
};
/* limits of the search for sums: number of columns, and of rows */
enum { MOST_ADDENDS = 64, SUM_ROWS = 30 };
#define LEAK_STREAM 0x1EA4u
/* limit of the error of a column, relative to the error of the majority class */
static const double suspicious = 0.05;
static const double unexplained = 0.001; /* limit of the unexplained variance, as a fraction */

typedef struct {
    uint64_t number; /* row number in the data */
    uint32_t label;
    double target; /* target in a regression; NaN: label is used */
} KeptRow;

typedef struct {
    uint32_t column; /* a feature; all features of a category have the number of the first */
    uint32_t row;    /* index of the row among the kept rows */
    double value;    /* value; for a category, the feature */
} KeptEntry;

typedef struct {
    const char *name;
    size_t length;
    uint32_t first; /* first feature of the column among the entries; NO_COLUMN: none */
} Category;

struct LeakFinder {
    Context *context;
    unsigned halvings; /* a row is kept if its random bits end in this number of zeros */
    KeptRow *row;
    KeptEntry *entry;
    size_t rows, entries, row_capacity, entry_capacity;
    Category *category; /* categorical columns, by name */
    size_t categories;

    /* Scratch space while columns are evaluated. */
    bool numbers;
    uint32_t classes;
    uint64_t *of_class; /* number of rows of each class */
    /* number of rows of each class with an entry in the column; number of rows in the current
     * bin */
    uint64_t *seen, *in_bin;
    uint64_t labeled;    /* number of labeled rows */
    double sum, squares; /* sums over their targets, relative to the first */
    /* target of the first row, so that large squares do not cancel */
    double first;
    /* number of rows in the current bin; number of errors of the column */
    uint64_t bin_rows, wrong;
    double bin_sum, bin_squares, off; /* the corresponding sums in a regression */
};

Status clv_leak_begin(Context *context, LeakFinder **finder, cleave_error *error)
{
    TRY(ALLOC_ZERO(context, *finder, 1, "the leakage check", error));
    (*finder)->context = context;
    return OK;
}

void clv_leak_free(LeakFinder *finder)
{
    if (!finder)
        return;
    FREE(finder->context, finder->row, finder->entry, finder->category, finder->of_class,
         finder->seen, finder->in_bin, finder);
}

/* ---- kept rows ------------------------------------------------------------------------------- */

static bool is_kept(const LeakFinder *finder, uint64_t number)
{
    Random random = clv_random(LEAK_STREAM, number);

    return (clv_random_next(&random) >> 32 & ((1u << finder->halvings) - 1)) == 0;
}

static void drop_half(LeakFinder *finder)
{
    size_t rows = 0, entries = 0, at = 0;

    finder->halvings++;
    for (size_t i = 0; i < finder->rows; i++) {
        bool kept = is_kept(finder, finder->row[i].number);

        for (; at < finder->entries && finder->entry[at].row == i; at++) {
            if (!kept)
                continue;
            finder->entry[entries] = finder->entry[at];
            finder->entry[entries++].row = (uint32_t)rows;
        }
        if (kept)
            finder->row[rows++] = finder->row[i];
    }
    finder->rows = rows;
    finder->entries = entries;
}

static Status keep(LeakFinder *finder, const Block *block, uint32_t row, cleave_error *error)
{
    KeptRow kept = {.number = block_row_number(block, row),
                    .label = block_label(block, row),
                    .target = (double)NAN};

    if (block->target_form == TARGETS_NUMBERS)
        kept.target = block_number(block, row, NULL);
    TRY(GROW(finder->context, finder->row, finder->row_capacity, finder->rows + 1, error));
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        TRY(GROW(finder->context, finder->entry, finder->entry_capacity, finder->entries + 1,
                 error));
        finder->entry[finder->entries++] = (KeptEntry){walk.column, (uint32_t)finder->rows,
                                                       (double)walk.value};
    }
    finder->row[finder->rows++] = kept;
    return OK;
}

Status clv_leak_add(LeakFinder *finder, const Block *block, cleave_error *error)
{
    for (uint32_t row = 0; row < block->rows; row++) {
        if (is_kept(finder, block_row_number(block, row)))
            TRY(keep(finder, block, row, error));
        while (finder->halvings < 31 &&
               (finder->rows > MOST_ROWS || finder->entries > MOST_ENTRIES))
            drop_half(finder);
    }
    return OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const KeptEntry *x = a, *y = b;

    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int compare_names(const void *a, const void *b)
{
    const Category *x = a, *y = b;

    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return memcmp(x->name, y->name, x->length);
}

static Status list_categories(LeakFinder *finder, const Schema *schema, cleave_error *error)
{
    TRY(ALLOC(finder->context, finder->category, schema->count, "columns", error));
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == COLUMN_CATEGORY)
            finder->category[finder->categories++] = (Category){
                schema->column[i].name, strlen(schema->column[i].name), NO_COLUMN};
    qsort(finder->category, finder->categories, sizeof *finder->category, compare_names);
    return OK;
}

/* The category whose name precedes '='; NULL: there is none. */
static Category *category_in(const LeakFinder *finder, const char *name)
{
    Category *found = NULL;

    for (const char *at = strchr(name, '='); at && !found; at = strchr(at + 1, '='))
        found = bsearch(&(Category){name, (size_t)(at - name), NO_COLUMN}, finder->category,
                        finder->categories, sizeof *finder->category, compare_names);
    return found;
}

/* Turns the features of a category into one column, with the number of the first that occurs. */
static void gather_categories(LeakFinder *finder, const Names *names)
{
    uint32_t last = NO_COLUMN;
    Category *category = NULL;

    for (size_t i = 0; i < finder->entries; i++) {
        KeptEntry *entry = &finder->entry[i];

        if (entry->column != last) {
            char buffer[24];

            last = entry->column;
            category = category_in(finder, clv_names_get(names, last, buffer));
            if (category && category->first == NO_COLUMN)
                category->first = last;
        }
        if (category) {
            entry->value = entry->column;
            entry->column = category->first;
        }
    }
    if (finder->entries)
        qsort(finder->entry, finder->entries, sizeof *finder->entry, compare_entries);
}

static bool counts(const LeakFinder *finder, const KeptRow *row)
{
    return finder->numbers ? !isnan(row->target) : row->label < finder->classes;
}

static void put_in_bin(LeakFinder *finder, const KeptRow *row)
{
    double off = row->target - finder->first;

    if (!counts(finder, row))
        return;
    finder->bin_rows++;
    if (finder->numbers) {
        finder->bin_sum += off;
        finder->bin_squares += off * off;
    } else {
        finder->in_bin[row->label]++;
    }
}

/* Ends a bin: predicts each row from the other rows of the bin. A single row, or a tie with another
 * class, is an error. */
static void end_bin_of_classes(LeakFinder *finder)
{
    uint64_t most = 0, second = 0;

    for (uint32_t i = 0; i < finder->classes; i++) {
        uint64_t count = finder->in_bin[i];

        finder->in_bin[i] = 0;
        if (count > most) {
            second = most;
            most = count;
        } else if (count > second) {
            second = count;
        }
    }
    finder->wrong += finder->bin_rows - (most > second + 1 ? most : 0);
}

static void end_bin(LeakFinder *finder)
{
    double n = (double)finder->bin_rows, spread;

    if (finder->bin_rows == 0)
        return;
    if (finder->numbers) {
        spread = finder->bin_squares - finder->bin_sum * finder->bin_sum / n;
        if (finder->bin_rows > 1)
            finder->off += fmax(spread, 0) * (n / (n - 1)) * (n / (n - 1));
        else
            finder->off += finder->squares / (double)finder->labeled;
    } else {
        end_bin_of_classes(finder);
    }
    finder->bin_rows = 0;
    finder->bin_sum = finder->bin_squares = 0;
}

/* Adds the rows without an entry in the column to the bin of the value 0. */
static void put_rest_in_bin(LeakFinder *finder, const KeptEntry *entry, size_t count)
{
    uint64_t rows = 0;
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < finder->classes; i++)
        finder->seen[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const KeptRow *row = &finder->row[entry[i].row];

        if (!counts(finder, row))
            continue;
        rows++;
        if (finder->numbers) {
            sum += row->target - finder->first;
            squares += (row->target - finder->first) * (row->target - finder->first);
        } else {
            finder->seen[row->label]++;
        }
    }
    finder->bin_rows += finder->labeled - rows;
    finder->bin_sum += finder->sum - sum;
    finder->bin_squares += finder->squares - squares;
    for (uint32_t i = 0; i < finder->classes; i++)
        finder->in_bin[i] += finder->of_class[i] - finder->seen[i];
}

static size_t different_values(const KeptEntry *entry, size_t count)
{
    size_t different = 1;

    for (size_t i = 1; i < count; i++)
        different += entry[i].value != entry[i - 1].value;
    return different;
}

/* Computes the error of a column, whose entries are sorted by value. */
static void look_at_column(LeakFinder *finder, const KeptEntry *entry, size_t count, bool category)
{
    bool rest_is_in = false;
    uint64_t enough = 1;

    if (!category && different_values(entry, count) > RANGES)
        enough = finder->labeled / RANGES > RANGE_ROWS ? finder->labeled / RANGES : RANGE_ROWS;
    finder->wrong = 0;
    finder->off = 0;
    for (size_t i = 0; i < count; i++) {
        bool passes = !rest_is_in && (category || entry[i].value > 0);

        if (passes || (i > 0 && entry[i].value != entry[i - 1].value)) {
            if (finder->bin_rows >= enough)
                end_bin(finder);
        }
        if (passes) {
            put_rest_in_bin(finder, entry, count);
            rest_is_in = true;
            if (finder->bin_rows >= enough)
                end_bin(finder);
        }
        put_in_bin(finder, &finder->row[entry[i].row]);
    }
    if (!rest_is_in) {
        if (finder->bin_rows >= enough)
            end_bin(finder);
        put_rest_in_bin(finder, entry, count);
    }
    end_bin(finder);
}

/* ---- entry points ---------------------------------------------------------------------------- */

static Status count_all(LeakFinder *finder, const Labels *labels, cleave_error *error)
{
    finder->classes = finder->numbers ? 0 : labels->count;
    finder->of_class = clv_alloc_zero(finder->context, (size_t)finder->classes + 1,
                                      sizeof *finder->of_class);
    finder->seen = clv_alloc_zero(finder->context, (size_t)finder->classes + 1,
                                  sizeof *finder->seen);
    finder->in_bin = clv_alloc_zero(finder->context, (size_t)finder->classes + 1,
                                    sizeof *finder->in_bin);
    if (!finder->of_class || !finder->seen || !finder->in_bin)
        return clv_fail_memory(error, "classes", finder->classes * sizeof *finder->seen);
    for (size_t i = 0; i < finder->rows; i++) {
        KeptRow *row = &finder->row[i];

        if (finder->numbers && isnan(row->target) && row->label < labels->count)
            row->target = labels->list[row->label].number;
        if (!counts(finder, row))
            continue;
        if (finder->labeled++ == 0)
            finder->first = row->target;
        if (finder->numbers)
            finder->sum += row->target - finder->first;
        else
            finder->of_class[row->label]++;
    }
    /* Centers targets at their mean, so that the squared error of a single row is relative to the
     * baseline. */
    if (finder->numbers && finder->labeled) {
        finder->first += finder->sum / (double)finder->labeled;
        finder->sum = 0;
        for (size_t i = 0; i < finder->rows; i++)
            if (counts(finder, &finder->row[i])) {
                double off = finder->row[i].target - finder->first;

                finder->sum += off;
                finder->squares += off * off;
            }
    }
    return OK;
}

/* The error of the baseline. */
static double error_of_all(const LeakFinder *finder)
{
    uint64_t most = 0;

    if (finder->numbers)
        return sqrt(finder->squares / (double)finder->labeled);
    for (uint32_t i = 0; i < finder->classes; i++)
        if (finder->of_class[i] > most)
            most = finder->of_class[i];
    return 1 - (double)most / (double)finder->labeled;
}

static bool is_suspicious(const LeakFinder *finder, double majority, double *error)
{
    double n = (double)finder->labeled;

    *error = finder->numbers ? sqrt(finder->off / n) : (double)finder->wrong / n;
    if (finder->numbers)
        return finder->labeled >= 100 && finder->off < unexplained * finder->squares;
    /* tested first, because it makes the interval unnecessary for most columns */
    return *error < suspicious * majority &&
           clv_wilson((double)finder->wrong, n).high < suspicious * majority;
}

static void note_suspect(Suspect *suspects, size_t *count, const Suspect *found)
{
    size_t at = *count;

    while (at > 0 && suspects[at - 1].error > found->error)
        at--;
    if (at == MOST_SUSPECTS)
        return;
    if (*count < MOST_SUSPECTS)
        (*count)++;
    memmove(suspects + at + 1, suspects + at, (*count - 1 - at) * sizeof *suspects);
    suspects[at] = *found;
}

static void look_at_columns(LeakFinder *finder, const Names *names, Suspect *suspects,
                            size_t *count)
{
    double majority = error_of_all(finder);
    size_t end;

    for (size_t start = 0; start < finder->entries; start = end) {
        char buffer[24];
        const char *name = clv_names_get(names, finder->entry[start].column, buffer);
        const Category *category = category_in(finder, name);
        Suspect found = {.majority = majority};

        for (end = start + 1;
             end < finder->entries && finder->entry[end].column == finder->entry[start].column;)
            end++;
        look_at_column(finder, finder->entry + start, end - start, category != NULL);
        if (!is_suspicious(finder, majority, &found.error))
            continue;
        clv_quote(found.name, name, category ? category->length : strlen(name));
        note_suspect(suspects, count, &found);
    }
}

/* ---- sums of columns ------------------------------------------------------------------------- */

/* Numeric columns of the kept rows, dense, with the target as the last column. */
typedef struct {
    uint32_t count;
    uint32_t feature[MOST_ADDENDS];
    double *value; /* rows of count + 1 values */
    double *cross; /* sums of products, (count + 1)^2, for the sweep operator */
    double scale[MOST_ADDENDS + 1];
} Addends;

static void take_columns(const LeakFinder *finder, const Names *names, Addends *addends)
{
    for (size_t i = 0; i < finder->entries; i++) {
        uint32_t feature = finder->entry[i].column;
        char buffer[24];

        if (i > 0 && feature == finder->entry[i - 1].column)
            continue;
        if (category_in(finder, clv_names_get(names, feature, buffer)))
            continue;
        if (addends->count == MOST_ADDENDS) {
            addends->count = 0;
            return;
        }
        addends->feature[addends->count++] = feature;
    }
}

static void fill_values(const LeakFinder *finder, Addends *addends)
{
    uint32_t width = addends->count + 1, column = 0;

    for (size_t i = 0; i < finder->entries; i++) {
        const KeptEntry *entry = &finder->entry[i];

        while (column < addends->count && addends->feature[column] < entry->column)
            column++;
        if (column < addends->count && addends->feature[column] == entry->column)
            addends->value[entry->row * (size_t)width + column] = isfinite(entry->value)
                                                                      ? entry->value
                                                                      : 0;
    }
    for (size_t i = 0; i < finder->rows; i++)
        addends->value[i * width + addends->count] = finder->row[i].target;
}

/* Computes sums of products of the columns and the target about their means. */
static void fill_cross(const LeakFinder *finder, Addends *addends)
{
    uint32_t width = addends->count + 1;
    double mean[MOST_ADDENDS + 1] = {0};

    for (size_t i = 0; i < finder->rows; i++)
        for (uint32_t k = 0; counts(finder, &finder->row[i]) && k < width; k++)
            mean[k] += addends->value[i * width + k] / (double)finder->labeled;
    for (size_t i = 0; i < finder->rows; i++) {
        const double *value = addends->value + i * width;

        for (uint32_t k = 0; counts(finder, &finder->row[i]) && k < width; k++)
            for (uint32_t j = 0; j <= k; j++)
                addends->cross[k * width + j] += (value[k] - mean[k]) * (value[j] - mean[j]);
    }
    for (uint32_t k = 0; k < width; k++)
        addends->scale[k] = sqrt(addends->cross[k * width + k]);
    for (uint32_t k = 0; k < width; k++)
        for (uint32_t j = 0; j <= k; j++) {
            double both = addends->scale[k] * addends->scale[j];

            addends->cross[k * width + j] = both > 0 ? addends->cross[k * width + j] / both : 0;
            addends->cross[j * width + k] = addends->cross[k * width + j];
        }
}

/* Least squares by the sweep operator (Goodnight 1979). Collinear columns are omitted. */
static void sweep(Addends *addends, uint32_t pivot)
{
    const double collinear = 1e-9;
    uint32_t width = addends->count + 1;
    double *cross = addends->cross, own = cross[pivot * width + pivot];

    if (own < collinear)
        return;
    for (uint32_t k = 0; k < width; k++)
        cross[pivot * width + k] /= own;
    for (uint32_t i = 0; i < width; i++) {
        double times = cross[i * width + pivot];

        if (i == pivot)
            continue;
        for (uint32_t k = 0; k < width; k++)
            cross[i * width + k] -= times * cross[pivot * width + k];
        cross[i * width + pivot] = -times / own;
    }
    cross[pivot * width + pivot] = 1 / own;
}

/* Whether the columns with these signs add up to the target, up to rounding. off: receives the
 * RMSE. */
static bool is_sum(const LeakFinder *finder, const Addends *addends, const signed char *sign,
                   double *off)
{
    /* fraction of the variance, due to rounding to floats or to printed decimals */
    const double rounding = 1e-6;
    uint32_t width = addends->count + 1;
    double squares = 0;

    for (size_t i = 0; i < finder->rows; i++) {
        const double *value = addends->value + i * width;
        double sum = 0;

        if (!counts(finder, &finder->row[i]))
            continue;
        for (uint32_t k = 0; k < addends->count; k++)
            sum += sign[k] * value[k];
        squares += (sum - value[addends->count]) * (sum - value[addends->count]);
    }
    *off = sqrt(squares / (double)finder->labeled);
    return squares <= rounding * finder->squares;
}

/* Writes "a + b - c", the added columns first. */
static void name_sum(const Addends *addends, const signed char *sign, const Names *names,
                     Suspect *found)
{
    char all[QUOTE_SIZE] = "", buffer[24];
    size_t used = 0;

    for (int wanted = 1; wanted >= -1; wanted -= 2)
        for (uint32_t k = 0; k < addends->count; k++)
            if (sign[k] == wanted && used + 1 < sizeof all)
                used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                         wanted < 0 ? (used ? " - " : "-") : (used ? " + " : ""),
                                         clv_names_get(names, addends->feature[k], buffer));
    clv_quote(found->name, all, strlen(all));
}

/* Finds a target that is a sum or difference of columns, such as a total beside its parts, or a
 * part beside the total and the other parts. Least squares proposes the columns with a coefficient
 * of 1 or -1. */
static Status look_at_sums(LeakFinder *finder, const Names *names, Suspect *suspects, size_t *count,
                           cleave_error *error)
{
    Addends addends = {0};
    signed char sign[MOST_ADDENDS] = {0};
    double off;
    uint32_t width, found = 0;

    if (!finder->numbers || finder->labeled < SUM_ROWS || !(finder->squares > 0))
        return OK;
    take_columns(finder, names, &addends);
    width = addends.count + 1;
    if (addends.count < 2 || finder->labeled < 2 * (uint64_t)addends.count)
        return OK;
    addends.value = clv_alloc_zero(finder->context, finder->rows * width, sizeof *addends.value);
    addends.cross = clv_alloc_zero(finder->context, (size_t)width * width, sizeof *addends.cross);
    if (addends.value && addends.cross) {
        fill_values(finder, &addends);
        fill_cross(finder, &addends);
        for (uint32_t k = 0; k < addends.count; k++)
            sweep(&addends, k);
        for (uint32_t k = 0; k < addends.count; k++) {
            double slope = addends.cross[k * width + addends.count] * addends.scale[addends.count] /
                           addends.scale[k];

            if (addends.scale[k] > 0 && fabs(fabs(slope) - 1) < 1e-3)
                sign[k] = slope > 0 ? 1 : -1;
            found += sign[k] != 0;
        }
        if (found >= 2 && is_sum(finder, &addends, sign, &off)) {
            Suspect suspect = {.majority = error_of_all(finder), .error = off};

            name_sum(&addends, sign, names, &suspect);
            note_suspect(suspects, count, &suspect);
        }
    }
    FREE(finder->context, addends.value, addends.cross);
    return addends.value && addends.cross
               ? OK
               : clv_fail_memory(error, "sums of columns",
                                 finder->rows * width * sizeof *addends.value);
}

/* Evaluates the columns for clv_leak_find. The size of the sample is bounded, because qsort cannot
 * be interrupted. */
typedef struct {
    LeakFinder *finder;
    const Names *names;
    Suspect *suspects;
    size_t *count;
    cleave_error *error;
    Status status;
} Looking;

static void describe(const LeakFinder *finder, Suspect *suspect)
{
    int length = snprintf(suspect->message, sizeof suspect->message,
                          "'%s' alone almost determines the label ", suspect->name);

    if (finder->numbers)
        snprintf(suspect->message + length, sizeof suspect->message - (size_t)length,
                 "(RMSE %.4g, baseline %.4g): possible target leakage", suspect->error,
                 suspect->majority);
    else
        snprintf(suspect->message + length, sizeof suspect->message - (size_t)length,
                 "(accuracy %.4g%%, baseline %.4g%%): possible target leakage",
                 100 * (1 - suspect->error), 100 * (1 - suspect->majority));
}

static void look(void *user)
{
    Looking *looking = user;
    LeakFinder *finder = looking->finder;

    if (finder->entries)
        qsort(finder->entry, finder->entries, sizeof *finder->entry, compare_entries);
    gather_categories(finder, looking->names);
    look_at_columns(finder, looking->names, looking->suspects, looking->count);
    looking->status = look_at_sums(finder, looking->names, looking->suspects, looking->count,
                                   looking->error);
}

Status clv_leak_find(LeakFinder *finder, const Labels *labels, const Names *names,
                     const Schema *schema, bool numbers, Suspect *suspects, size_t *count,
                     cleave_error *error)
{
    Looking looking = {finder, names, suspects, count, error, OK};

    *count = 0;
    finder->numbers = numbers;
    if (!numbers && labels->count > MOST_CLASSES)
        return OK;
    TRY(list_categories(finder, schema, error));
    TRY(count_all(finder, labels, error));
    if (finder->labeled == 0)
        return OK;
    clv_run_beside(finder->context, look, &looking);
    for (size_t i = 0; looking.status == OK && i < *count; i++)
        describe(finder, &suspects[i]);
    return looking.status;
}

static Status add_all(LeakFinder *finder, Dataset *dataset, cleave_error *error)
{
    Traversal traversal = {0};
    Status status = clv_traversal_init(&traversal, dataset, ORDER_FILE, 0, 0, 1, error);

    THEN(status, clv_traversal_begin(&traversal, 0, error));
    while (status == OK) {
        const Block *block;

        status = clv_traversal_next(&traversal, &block, error);
        if (status != OK || !block)
            break;
        status = clv_leak_add(finder, block, error);
    }
    clv_traversal_free(&traversal);
    return status;
}

Status clv_leak_in_dataset(Dataset *dataset, bool numbers, Suspect *suspects, size_t *count,
                           cleave_error *error)
{
    LeakFinder *finder;
    Status status;

    *count = 0;
    TRY(clv_leak_begin(dataset->context, &finder, error));
    status = add_all(finder, dataset, error);
    THEN(status, clv_leak_find(finder, &dataset->labels, &dataset->names, &dataset->schema, numbers,
                               suspects, count, error));
    clv_leak_free(finder);
    return status;
}

Status clv_leak_warn(Dataset *dataset, bool numbers, cleave_error *error)
{
    Suspect suspects[MOST_SUSPECTS];
    size_t count;

    if (!clv_schema_is_table(&dataset->schema))
        return OK;
    TRY(clv_leak_in_dataset(dataset, numbers, suspects, &count, error));
    for (size_t i = 0; i < count; i++)
        clv_warn(dataset->context, LEAK_HINT, "%s", suspects[i].message);
    return OK;
}
