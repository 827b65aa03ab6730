#include "eval/folds.h"

#include "base/random.h"
#include "data/builder.h"
#include "data/traversal.h"
#include "eval/groups.h"
#include "eval/row_times.h"

#include <stdlib.h>

enum { RANGES = 10 };
#define FOLDS_STREAM 0xF01D5u

/* ---- assignment to parts --------------------------------------------------------------------- */

typedef struct {
    uint64_t random;
    uint32_t first, rows; /* range of the group in Deal.row */
} Group;

typedef struct {
    Context *context;
    Dataset *dataset;
    const FoldPlan *plan;
    uint32_t rows;
    uint32_t *stratum; /* stratum of each row */
    uint32_t strata;
    double *number; /* target of each row, for regression */
    uint64_t *key;  /* key of the group of each row, if there are groups */
    uint32_t *row;  /* row numbers, group by group */
    Group *group;   /* groups in the order of assignment */
    uint32_t groups;
    double *share;      /* requested fraction of each part */
    uint64_t *there;    /* number of rows by part and stratum: [part * strata + stratum] */
    uint64_t *total;    /* number of rows of each stratum */
    uint32_t *met;      /* strata that occur in the current group */
    uint32_t *met_rows; /* rows of the current group in each stratum */
    uint32_t met_count;
    cleave_error *error;
} FoldMaker;

bool clv_folds_look_like_numbers(const Dataset *dataset)
{
    return dataset->numbers || clv_labels_look_like_numbers(&dataset->labels, dataset->rows);
}

static Status fail_no_memory(const FoldMaker *maker)
{
    return clv_fail_memory(maker->error, "folds", (size_t)maker->rows * sizeof(Group));
}

/* Collects the stratum and group of each row. */
static Status look_at_block(FoldMaker *maker, const Block *block, const GroupColumn *column,
                            const double *label_number)
{
    for (uint32_t i = 0; i < block->rows; i++) {
        uint64_t row = block_row_number(block, i);
        uint32_t label = block_label(block, i);

        if (maker->number)
            maker->number[row] = block_number(block, i, label_number);
        else
            maker->stratum[row] = label == UNLABELED ? maker->dataset->labels.count : label;
        if (maker->key)
            TRY(clv_group_of(column, block, i, &maker->key[row], maker->error));
    }
    return OK;
}

static Status look(FoldMaker *maker, const GroupColumn *column, const double *label_number)
{
    Traversal traversal = {0};
    Status status = clv_traversal_init(&traversal, maker->dataset, ORDER_FILE, 0, 0, 1,
                                       maker->error);

    THEN(status, clv_traversal_begin(&traversal, 0, maker->error));
    while (status == OK) {
        const Block *block;

        status = clv_traversal_next(&traversal, &block, maker->error);
        if (status != OK || !block)
            break;
        status = look_at_block(maker, block, column, label_number);
    }
    clv_traversal_free(&traversal);
    return status;
}

static Status look_for_numbers(FoldMaker *maker, const GroupColumn *column)
{
    const Labels *labels = &maker->dataset->labels;
    double *label_number = clv_alloc(maker->context, (size_t)labels->count + 1,
                                     sizeof *label_number);
    Status status;

    if (!label_number)
        return fail_no_memory(maker);
    for (uint32_t i = 0; i < labels->count; i++)
        label_number[i] = labels->list[i].number;
    status = look(maker, column, label_number);
    clv_free(maker->context, label_number);
    return status;
}

static Status look_for_all(FoldMaker *maker)
{
    GroupColumn column;
    Status status;

    clv_group_column_init(&column, maker->context);
    status = maker->key ? clv_group_column_find(&column, maker->dataset, maker->plan->by_group,
                                                maker->error)
                        : OK;
    THEN(status, maker->number ? look_for_numbers(maker, &column) : look(maker, &column, NULL));
    clv_group_column_free(&column);
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Makes a stratum of each range of targets, if it has enough rows. A label that is not a number is
 * its own stratum. */
static Status make_ranges(FoldMaker *maker)
{
    uint32_t known = 0, ranges = RANGES;
    double *sorted = clv_alloc(maker->context, maker->rows, sizeof *sorted);

    if (!sorted)
        return fail_no_memory(maker);
    for (uint32_t row = 0; row < maker->rows; row++)
        if (!isnan(maker->number[row]))
            sorted[known++] = maker->number[row];
    qsort(sorted, known, sizeof *sorted, compare_numbers);
    if (ranges > known / maker->plan->count)
        ranges = known >= maker->plan->count ? known / maker->plan->count : 1;
    for (uint32_t row = 0; row < maker->rows; row++) {
        uint32_t range = 0;

        while (known && range + 1 < ranges &&
               maker->number[row] >= sorted[(uint64_t)(range + 1) * known / ranges])
            range++;
        maker->stratum[row] = isnan(maker->number[row]) ? ranges : range;
    }
    maker->strata = ranges + 1;
    clv_free(maker->context, sorted);
    return OK;
}

typedef struct {
    uint64_t key;
    uint32_t row;
} Member;

static int compare_members(const void *a, const void *b)
{
    const Member *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->row > y->row) - (x->row < y->row);
}

/* Groups the rows with the same key. */
static Status gather_groups(FoldMaker *maker)
{
    Member *member = clv_alloc(maker->context, maker->rows, sizeof *member);

    if (!member)
        return fail_no_memory(maker);
    for (uint32_t row = 0; row < maker->rows; row++)
        member[row] = (Member){maker->key[row], row};
    qsort(member, maker->rows, sizeof *member, compare_members);
    for (uint32_t i = 0; i < maker->rows; i++) {
        maker->row[i] = member[i].row;
        if (i == 0 || member[i].key != member[i - 1].key)
            maker->group[maker->groups++] = (Group){.first = i};
        maker->group[maker->groups - 1].rows++;
    }
    clv_free(maker->context, member);
    return OK;
}

static int compare_groups(const void *a, const void *b)
{
    const Group *x = a, *y = b;

    if (x->rows != y->rows)
        return x->rows < y->rows ? 1 : -1;
    if (x->random != y->random)
        return x->random < y->random ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static Status make_groups(FoldMaker *maker)
{
    Random random = clv_random(maker->plan->seed, FOLDS_STREAM + maker->plan->stream);

    if (maker->key)
        TRY(gather_groups(maker));
    for (uint32_t i = 0; !maker->key && i < maker->rows; i++) {
        maker->row[i] = i;
        maker->group[maker->groups++] = (Group){.first = i, .rows = 1};
    }
    for (uint32_t i = 0; i < maker->groups; i++)
        maker->group[i].random = clv_random_next(&random);
    qsort(maker->group, maker->groups, sizeof *maker->group, compare_groups);
    return OK;
}

/* The cost of putting a group into a part: the increase of the sum over strata, then over all
 * rows. */
static double cost(const FoldMaker *maker, uint32_t part, uint64_t part_rows, uint32_t group_rows)
{
    double all = (double)maker->rows, more = group_rows, sum;

    sum = 1e-6 * more * (2 * (double)part_rows + more) / (all * all);
    for (uint32_t i = 0; i < maker->met_count; i++) {
        uint32_t stratum = maker->met[i];
        double total = (double)maker->total[stratum], add = maker->met_rows[stratum];

        sum += add * (2 * (double)maker->there[(size_t)part * maker->strata + stratum] + add) /
               (total * total);
    }
    return sum / maker->share[part];
}

static void meet(FoldMaker *maker, const Group *group)
{
    for (uint32_t i = 0; i < maker->met_count; i++)
        maker->met_rows[maker->met[i]] = 0;
    maker->met_count = 0;
    for (uint32_t i = 0; i < group->rows; i++) {
        uint32_t stratum = maker->stratum[maker->row[group->first + i]];

        if (maker->met_rows[stratum]++ == 0)
            maker->met[maker->met_count++] = stratum;
    }
}

static void assign_group(FoldMaker *maker, const Group *group, Folds *folds)
{
    uint32_t best = 0;
    double least = INFINITY;

    meet(maker, group);
    for (uint32_t part = 0; part < folds->count; part++) {
        double found = cost(maker, part, folds->size[part], group->rows);

        if (found < least) {
            least = found;
            best = part;
        }
    }
    for (uint32_t i = 0; i < maker->met_count; i++)
        maker->there[(size_t)best * maker->strata + maker->met[i]] += maker
                                                                          ->met_rows[maker->met[i]];
    for (uint32_t i = 0; i < group->rows; i++)
        folds->of[maker->row[group->first + i]] = (uint16_t)best;
    folds->size[best] += group->rows;
}

static Status deal_groups(FoldMaker *maker, Folds *folds)
{
    maker->there = clv_alloc_zero(maker->context, (size_t)folds->count * maker->strata,
                                  sizeof *maker->there);
    maker->total = clv_alloc_zero(maker->context, maker->strata, sizeof *maker->total);
    maker->met = clv_alloc(maker->context, maker->strata, sizeof *maker->met);
    maker->met_rows = clv_alloc_zero(maker->context, maker->strata, sizeof *maker->met_rows);
    if (!maker->there || !maker->total || !maker->met || !maker->met_rows)
        return fail_no_memory(maker);
    for (uint32_t row = 0; row < maker->rows; row++)
        maker->total[maker->stratum[row]]++;
    for (uint32_t i = 0; i < maker->groups; i++)
        assign_group(maker, &maker->group[i], folds);
    folds->groups = maker->groups;
    return OK;
}

static Status make_room(FoldMaker *maker)
{
    Context *context = maker->context;

    maker->stratum = clv_alloc(context, maker->rows, sizeof *maker->stratum);
    maker->row = clv_alloc(context, maker->rows, sizeof *maker->row);
    maker->group = clv_alloc(context, maker->rows, sizeof *maker->group);
    if (maker->plan->numbers)
        maker->number = clv_alloc(context, maker->rows, sizeof *maker->number);
    if (maker->plan->by_group)
        maker->key = clv_alloc(context, maker->rows, sizeof *maker->key);
    if (!maker->stratum || !maker->row || !maker->group ||
        (maker->plan->numbers && !maker->number) || (maker->plan->by_group && !maker->key))
        return fail_no_memory(maker);
    return OK;
}

static void free_workspace(FoldMaker *maker)
{
    void *const all[] = {maker->stratum, maker->number, maker->key, maker->row,     maker->group,
                         maker->there,   maker->total,  maker->met, maker->met_rows};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clv_free(maker->context, all[i]);
}

static void deal_in_order(const double *share, Folds *folds)
{
    double upto = share[0];
    uint32_t part = 0;

    for (uint64_t row = 0; row < folds->rows; row++) {
        while (part + 1 < folds->count && (double)row + 0.5 > upto * (double)folds->rows)
            upto += share[++part];
        folds->of[row] = (uint16_t)part;
        folds->size[part]++;
    }
    folds->groups = folds->rows;
}

typedef struct {
    double time;
    uint32_t row;
} TimedRow;

static int compare_times(const void *a, const void *b)
{
    const TimedRow *x = a, *y = b;

    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->row > y->row) - (x->row < y->row);
}

/* Cuts the sorted rows into blocks with the given fractions. Rows of equal time belong to the block
 * that contains the middle one of them. */
static void cut_blocks(const TimedRow *timed, const double *share, Folds *folds)
{
    uint32_t blocks = folds->count + folds->forward, block = 0;
    double upto = share[0];

    for (uint64_t first = 0, stop; first < folds->rows; first = stop) {
        uint32_t part;

        for (stop = first + 1; stop < folds->rows && timed[stop].time == timed[first].time;)
            stop++;
        while (block + 1 < blocks && (double)(first + stop) / 2 > upto * (double)folds->rows)
            upto += share[++block];
        part = !folds->forward ? block : block == 0 ? folds->count : block - 1;
        for (uint64_t i = first; i < stop; i++)
            folds->of[timed[i].row] = (uint16_t)part;
        folds->size[part] += stop - first;
        folds->groups++;
    }
}

static Status deal_by_time(FoldMaker *maker, Folds *folds)
{
    TimedRow *timed = clv_alloc(maker->context, maker->rows, sizeof *timed);
    double *time = clv_alloc(maker->context, maker->rows, sizeof *time);
    Status status = timed && time
                        ? clv_times_read(maker->dataset, maker->plan->by_time, time, maker->error)
                        : fail_no_memory(maker);

    for (uint32_t row = 0; row < maker->rows && status == OK; row++)
        timed[row] = (TimedRow){.time = time[row], .row = row};
    if (status == OK) {
        qsort(timed, maker->rows, sizeof *timed, compare_times);
        cut_blocks(timed, maker->share, folds);
    }
    FREE(maker->context, timed, time);
    return status;
}

static Status check_parts(const FoldPlan *plan, const Folds *folds, cleave_error *error)
{
    const char *what = plan->by_group ? "group" : plan->by_time ? "distinct time" : "row";

    for (uint32_t part = 0; part < folds->count + folds->forward; part++) {
        if (folds->size[part])
            continue;
        clv_fail(error, CLEAVE_ERROR_DATA,
                 "%llu %s%s cannot be split into %u parts: one part would be empty",
                 (unsigned long long)folds->groups, what, folds->groups == 1 ? "" : "s",
                 folds->count + folds->forward);
        if (plan->last_share > 0 && plan->count == 2)
            return clv_hint(error, CLEAVE_ERROR_DATA,
                            "set --test-fraction nearer to 0.5, or add rows");
        return clv_hint(
            error, CLEAVE_ERROR_DATA,
            folds->forward
                ? "use fewer --folds; forward-chaining folds need one more part than --folds"
                : "use fewer --folds");
    }
    return OK;
}

static Status deal_parts(FoldMaker *maker, Folds *folds)
{
    const FoldPlan *plan = maker->plan;
    double rest = plan->last_share > 0 ? 1 - plan->last_share : 1;
    uint32_t blocks = plan->count + folds->forward,
             equal = plan->last_share > 0 ? blocks - 1 : blocks;

    folds->of = clv_alloc(maker->context, folds->rows, sizeof *folds->of);
    folds->size = clv_alloc_zero(maker->context, blocks, sizeof *folds->size);
    if (!folds->of || !folds->size)
        return fail_no_memory(maker);
    for (uint32_t block = 0; block < blocks; block++)
        maker->share[block] = block < equal ? rest / equal : plan->last_share;
    if (plan->by_time)
        TRY(deal_by_time(maker, folds));
    else if (plan->in_order)
        deal_in_order(maker->share, folds);
    else {
        TRY(make_room(maker));
        maker->strata = maker->dataset->labels.count + 1;
        TRY(look_for_all(maker));
        if (maker->number)
            TRY(make_ranges(maker));
        TRY(make_groups(maker));
        TRY(deal_groups(maker, folds));
    }
    return check_parts(plan, folds, maker->error);
}

Status clv_folds_make(Dataset *dataset, const FoldPlan *plan, Folds *folds, cleave_error *error)
{
    Context *context = dataset->context;
    FoldMaker maker = {.context = context,
                       .dataset = dataset,
                       .plan = plan,
                       .rows = (uint32_t)dataset->rows,
                       .error = error};
    Status status;

    *folds = (Folds){.context = context,
                     .rows = dataset->rows,
                     .count = plan->count,
                     .forward = plan->by_time && plan->forward};
    if (dataset->rows == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the data has no rows to split");
    if (dataset->rows >= UINT32_MAX)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%llu rows are too many to split into folds",
                        (unsigned long long)dataset->rows);
    maker.share = clv_alloc(context, (size_t)plan->count + 1, sizeof *maker.share);
    if (!maker.share)
        return fail_no_memory(&maker);
    status = deal_parts(&maker, folds);
    free_workspace(&maker);
    clv_free(context, maker.share);
    return status;
}

void clv_folds_free(Folds *folds)
{
    if (!folds->context)
        return;
    FREE(folds->context, folds->of, folds->size);
    *folds = (Folds){0};
}

uint32_t clv_folds_training_part(const Folds *folds, uint32_t part)
{
    if (folds->forward)
        return part ? part - 1 : folds->count;
    return (part + 1) % (folds->count - folds->apart);
}

uint64_t clv_folds_training_rows(const Folds *folds, uint32_t part)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < folds->count - folds->apart; i++)
        rows += i != part && (!folds->forward || i < part) ? folds->size[i] : 0;
    return folds->forward ? rows + folds->size[folds->count] : rows;
}

double clv_folds_test_ratio(const Folds *folds)
{
    uint32_t parts = folds->count - folds->apart;
    double test = 0, train = 0;

    if (!folds->forward)
        return 1 / (double)(parts - 1);
    for (uint32_t part = 0; part < parts; part++) {
        test += (double)folds->size[part];
        train += (double)clv_folds_training_rows(folds, part);
    }
    return test / train;
}

Status clv_folds_check_options(const char *by_time, const char *by_group, int64_t repeats,
                               cleave_error *error)
{
    if (by_time && by_group)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--by-time and --by-group cannot be combined");
    if (by_time && repeats > 1)
        return clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "--by-time and --repeats cannot be combined: folds by time are always the same");
    return OK;
}

/* ---- the rows of a part ---------------------------------------------------------------------- */

enum { BLOCK_BYTES = 1 << 18 };

bool clv_fold_has(const FoldRows *rows, uint64_t row)
{
    const Folds *folds = rows->folds;
    Random draw;

    if ((folds->of[row] == rows->part) == rows->others)
        return false;
    if (rows->others && folds->forward && folds->of[row] > rows->part &&
        folds->of[row] != folds->count)
        return false;
    if (rows->others && !folds->forward && folds->of[row] >= folds->count - folds->apart)
        return false;
    if (rows->share == 0)
        return true;
    draw = clv_random(rows->seed, row);
    return clv_random_unit(&draw) < rows->share;
}

typedef struct {
    Source source;
    Dataset *dataset;
    FoldRows rows;
    Traversal traversal;
    bool begun, ended;
    Builder builder;
    Block block;
} PartSource;

static void forget_counts(Labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        labels->list[i].count = 0;
    labels->unlabeled = 0;
}

static Status take_row(PartSource *self, const Block *block, uint32_t row, cleave_error *error)
{
    uint32_t label = block_label(block, row);

    TRY(clv_builder_copy_row(&self->builder, block, row, label, error));
    if (label < self->source.labels.count)
        self->source.labels.list[label].count++;
    else if (block->target_form != TARGETS_NUMBERS || isnan(block_number(block, row, NULL)))
        self->source.labels.unlabeled++;
    return OK;
}

/* Reads blocks of the dataset until they contain enough rows of the part. */
static Status fill(PartSource *self, cleave_error *error)
{
    uint32_t most = self->rows.block_rows ? self->rows.block_rows : UINT32_MAX;

    while (!self->ended && self->builder.rows < most &&
           clv_builder_bytes(&self->builder) < BLOCK_BYTES) {
        const Block *block;

        TRY(clv_traversal_next(&self->traversal, &block, error));
        self->ended = !block;
        for (uint32_t row = 0; block && row < block->rows; row++)
            if (clv_fold_has(&self->rows, block_row_number(block, row)))
                TRY(take_row(self, block, row, error));
    }
    return OK;
}

static Status next_block(Source *source, const Block **block, cleave_error *error)
{
    PartSource *self = (PartSource *)source;

    *block = NULL;
    if (!self->begun) {
        TRY(clv_traversal_begin(&self->traversal, 0, error));
        forget_counts(&source->labels);
        self->ended = false;
    }
    self->begun = true;
    clv_builder_clear(&self->builder);
    TRY(fill(self, error));
    if (self->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&self->builder, &self->block, error));
    self->block.first_row = source->rows;
    source->rows += self->block.rows;
    *block = &self->block;
    return OK;
}

static Status rewind_part(Source *source, cleave_error *error)
{
    (void)error;
    ((PartSource *)source)->begun = false;
    source->rows = 0;
    return OK;
}

static void close_part(Source *source)
{
    PartSource *self = (PartSource *)source;

    clv_traversal_free(&self->traversal);
    clv_builder_free(&self->builder);
}

static const SourceOps ops = {.next = next_block, .rewind = rewind_part, .close = close_part};

static Status describe(PartSource *self, cleave_error *error)
{
    Source *source = &self->source;
    const Dataset *dataset = self->dataset;
    const FoldRows *rows = &self->rows;

    source->features = dataset->features;
    source->rows_total = rows->share    ? 0
                         : rows->others ? clv_folds_training_rows(rows->folds, rows->part)
                                        : rows->folds->size[rows->part];
    source->shuffled = dataset->shuffled;
    TRY(clv_labels_copy(&source->labels, &dataset->labels, error));
    forget_counts(&source->labels);
    TRY(clv_names_copy(&source->names, &dataset->names, error));
    return clv_schema_copy(&source->schema, &dataset->schema, error);
}

Status clv_fold_source(Context *context, Dataset *dataset, const FoldRows *rows, Source **source,
                       cleave_error *error)
{
    PartSource *self;
    Status status;

    *source = NULL;
    TRY(ALLOC_ZERO(context, self, 1, "a source", error));
    clv_source_init(&self->source, context, &ops);
    clv_builder_init(&self->builder, context);
    self->dataset = dataset;
    self->rows = *rows;
    status = clv_traversal_init(&self->traversal, dataset, ORDER_FILE, 0, 0, 1, error);
    THEN(status, describe(self, error));
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    *source = &self->source;
    return OK;
}
