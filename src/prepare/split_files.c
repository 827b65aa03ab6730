/* Splits rows into two files, or documents into two folders, for training and testing. */
#include "base/file.h"
#include "base/lock.h"
#include "base/param.h"
#include "data/tour.h"
#include "eval/folds.h"
#include "input/input.h"
#include "prepare/convert.h"
#include "prepare/record_set.h"
#include "prepare/split_folders.h"
#include "read/records.h"

#include <stdio.h>
#include <unistd.h>

typedef struct {
    double test_fraction;
    bool in_order, csv_safe, force;
    const char *by_group, *by_time, *to;
    int64_t seed;
} SplitOptions;

static const Param split_params[] = {
    REAL(SplitOptions, test_fraction, 0.2, WITHIN(0.001, 0.999),
         "Fraction of the rows in the test set."),
    FLAG(SplitOptions, in_order, "Use the last rows as the test set, without shuffling."),
    TEXT(SplitOptions, by_group, NULL,
         "Keep rows with equal values of this column (or qid) together."),
    TEXT(SplitOptions, by_time, NULL,
         "Use the latest rows by this column as the test set.\n"
         "Rows of equal time stay together."),
    TEXT(SplitOptions, to, NULL, "Output format: cleave, libsvm, csv, tsv or folder.",
         DEFAULT("by suffix")),
    FLAG(SplitOptions, csv_safe, CSV_SAFE_HELP),
    FLAG(SplitOptions, force, FORCE_HELP),
    INTEGER(SplitOptions, seed, 1, AT_LEAST(0), "Seed of all random choices."),
    END_OF_PARAMS,
};

const cleave_param *cleave_split_params(void)
{
    return split_params;
}

enum { TRAIN_PART, TEST_PART };

/* Checks that an existing file can be replaced. */
static Status check_kind(const char *path, cleave_error *error)
{
    uint64_t size;

    if (access(path, F_OK) != 0 || clv_regular_file(path, &size))
        return OK;
    return clv_fail(error, CLEAVE_ERROR_USAGE, "--into: '%s' exists and is not a regular file",
                    path);
}

static Status check_paths(const cleave_data *data, const char *train, const char *test,
                          cleave_error *error)
{
    if (strcmp(train, "-") == 0 || strcmp(test, "-") == 0 || !*train || !*test)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--into: two files are written, and each needs a name");
    if (strcmp(train, test) == 0 || clv_same_file(train, test))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--into: '%s' is named twice, but two different files are written", test);
    TRY(check_kind(train, error));
    TRY(check_kind(test, error));
    TRY(clv_data_protects(data, train, error));
    return clv_data_protects(data, test, error);
}

static Status check_files(const cleave_data *data, const char *train, const char *test,
                          const char *to, cleave_error *error)
{
    TRY(check_paths(data, train, test, error));
    TRY(clv_write_check(train, to, error));
    return clv_write_check(test, to, error);
}

/* The output: rows of the dataset, or records of the files if input and output are tables. */
typedef struct {
    Dataset *dataset;
    const Folds *folds;
    WriteHow how;
    RecordSet records;
} SplitRows;

typedef struct {
    const Folds *folds;
    uint32_t part;
    uint64_t entries;
} SplitPart;

static bool is_of_part(const void *user, uint64_t row)
{
    const SplitPart *part = user;

    return row < part->folds->rows && part->folds->of[row] == part->part;
}

static Status count_entries(void *user, const Block *block, cleave_error *error)
{
    SplitPart *part = user;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++)
        for (RowWalk walk = clv_walk(block, row);
             is_of_part(part, block->first_row + row) && clv_walk_next(&walk);)
            part->entries += walk.value != 0;
    return OK;
}

static Status write_records(SplitRows *rows, SplitPart *part, const char *path,
                            cleave_conversion *done, cleave_error *error)
{
    TRY(clv_tour_all(rows->dataset, count_entries, part, error));
    TRY(clv_records_write(&rows->records, path, is_of_part, part, done, error));
    done->entries = part->entries;
    return OK;
}

static Status write_part(SplitRows *rows, uint32_t number, const char *path,
                         cleave_conversion *done, cleave_error *error)
{
    double started = clv_now(), cpu = clv_cpu_now();
    Source *source = NULL;
    Status status;

    if (rows->records.source) {
        status = write_records(rows, &(SplitPart){.folds = rows->folds, .part = number}, path, done,
                               error);
    } else {
        TRY(clv_fold_source(rows->dataset->context, rows->dataset,
                            &(FoldRows){.folds = rows->folds, .part = number}, &source, error));
        status = clv_write_source(source, path, &rows->how, done, error);
        clv_source_close(source);
    }
    done->seconds = clv_now() - started;
    done->cpu_seconds = clv_cpu_now() - cpu;
    return status;
}

/* Replaces the temporary name in a message, which ends in `tail`, by the name of the target. */
static void name_target(cleave_error *error, const char *tail)
{
    char *at = error ? strstr(error->message, tail) : NULL;

    if (at)
        memmove(at, at + strlen(tail), strlen(at + strlen(tail)) + 1);
}

/* Writes both parts or neither: the training rows are written under a temporary name until the test
 * rows are complete. The lock of the training file protects that name. If a split was killed, the
 * next one replaces its file. */
static Status write_both(SplitRows *rows, const char *const paths[2], cleave_split_result *facts,
                         cleave_error *error)
{
    Context *context = rows->dataset->context;
    Buffer aside = {0};
    const char *suffix = strrchr(paths[TRAIN_PART], '.');
    bool named;
    Status status = clv_buffer_add(context, &aside, paths[TRAIN_PART], strlen(paths[TRAIN_PART]),
                                   error);

    THEN(status, clv_buffer_add(context, &aside, SPLIT_SUFFIX, strlen(SPLIT_SUFFIX), error));
    if (status == OK && suffix)
        status = clv_buffer_add(context, &aside, suffix, strlen(suffix), error);
    THEN(status, clv_buffer_add(context, &aside, "", 1, error));
    /* without the temporary suffix, the name may be that of an existing file */
    named = status == OK;
    THEN(status, write_part(rows, TRAIN_PART, aside.data, &facts->train, error));
    THEN(status, write_part(rows, TEST_PART, paths[TEST_PART], &facts->test, error));
    if (status == OK && rename(aside.data, paths[TRAIN_PART]) != 0)
        status = clv_fail_io(error, paths[TRAIN_PART], "cannot be written");
    if (status != OK && named) {
        unlink(aside.data);
        name_target(error, aside.data + strlen(paths[TRAIN_PART]));
    }
    clv_free(context, aside.data);
    return status;
}

/* Warns of classes that occur in only one part, and cannot be evaluated. */
static void warn_of_classes(const Dataset *dataset, const cleave_split_result *facts)
{
    if (dataset->labels.count && facts->train.rows && facts->test.rows &&
        dataset->labels.count > facts->test.rows)
        clv_warn(dataset->context, "raise --test-fraction to enlarge the test set",
                 "the data has %u classes, but the test set has only %llu rows",
                 dataset->labels.count, (unsigned long long)facts->test.rows);
}

/* Decides whether records are written, and whether they must be held in memory. */
static Status begin_records(const cleave_data *data, const char *const paths[2],
                            const WriteHow *how, RecordSet *records, cleave_error *error)
{
    const char *to = how->to;
    bool held;

    *records = (RecordSet){.source = NULL};
    if (data->loaded || !clv_records_apply(data->source, paths[TRAIN_PART], to) ||
        !clv_records_apply(data->source, paths[TEST_PART], to))
        return OK;
    held = !clv_records_rewindable(data->source);
    if (held && strcmp(clv_write_format(paths[TRAIN_PART], to),
                       clv_write_format(paths[TEST_PART], to)) != 0) {
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "use the suffix .csv for both files, or .tsv for both",
            "--into: data that can be read only once needs the same format for both files");
    }
    return clv_records_begin(records, data->source, paths[TRAIN_PART], how, held, error);
}

cleave_code cleave_split(cleave_data *data, const char *train_path, const char *test_path,
                         const cleave_options *options, cleave_split_result *facts,
                         cleave_error *error)
{
    REQUIRE(data && train_path && test_path);
    const char *const paths[2] = {train_path, test_path};
    cleave_split_result own = {.stratified = true};
    SplitOptions split;
    FoldPlan plan;
    Folds folds;
    SplitRows rows = {.folds = &folds};
    Lock *lock[2] = {NULL, NULL};
    Dataset *dataset;
    Status status;
    bool folders;

    TRY(clv_params_apply(options, split_params, &split, NULL, NULL, error));
    if (split.in_order && split.by_group)
        return clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "--in-order and --by-group cannot be combined: a split by order separates groups");
    if (split.in_order && split.by_time)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--in-order and --by-time cannot be combined");
    TRY(clv_folds_check_options(split.by_time, split.by_group, 1, error));
    folders = clv_splits_folders(data, paths, split.to);
    TRY(folders ? clv_split_folders_check(data, paths, error)
                : check_files(data, train_path, test_path, split.to, error));
    rows.how = (WriteHow){.to = split.to, .csv_safe = split.csv_safe, .force = split.force};
    TRY(begin_records(data, paths, &rows.how, &rows.records, error));
    status = clv_data_dataset(data, &dataset, error);
    rows.how.bytes_in = data->source ? data->source->bytes : 0;
    for (int i = 0; i < 2 && status == OK; i++)
        status = clv_lock_open(data->context, paths[i], &lock[i], error);
    if (status != OK) {
        clv_lock_free(lock[0]);
        clv_records_end(&rows.records);
        return status;
    }
    rows.dataset = dataset;
    plan = (FoldPlan){.count = 2,
                      .last_share = split.test_fraction,
                      .seed = (uint64_t)split.seed,
                      .in_order = split.in_order,
                      .numbers = clv_folds_look_like_numbers(dataset),
                      .by_group = split.by_group,
                      .by_time = split.by_time};
    status = clv_folds_make(dataset, &plan, &folds, error);
    if (status == OK && folders)
        status = clv_split_folders(data, dataset, &folds, paths,
                                   (cleave_conversion *const[2]){&own.train, &own.test}, error);
    else if (status == OK)
        status = write_both(&rows, paths, &own, error);
    own.groups = split.by_group ? folds.groups : 0;
    own.stratified = !split.in_order && !split.by_time;
    own.by_time = split.by_time != NULL;
    clv_folds_free(&folds);
    for (int i = 0; i < 2; i++)
        clv_lock_free(lock[i]);
    if (status == OK && !rows.records.source && !folders)
        clv_write_note(dataset, train_path, split.to);
    if (status == OK && !plan.numbers)
        warn_of_classes(dataset, &own);
    clv_records_end(&rows.records);
    if (status == OK && facts)
        *facts = own;
    return status;
}
