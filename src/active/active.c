/* Public functions of active learning: the next item, its label, undo, state, model. */
#include "active/active.h"

#include "active/uncertainty.h"

#include "model/registry.h"
#include "read/records.h"
#include "select/trial.h"
#include "train/identity.h"
#include "train/train.h"

#include <stdio.h>

static const char *const strategies[] = {"random",  "margin",  "entropy", "committee",
                                         "density", "mixture", NULL};

const Param clv_active_params[] = {
    NAME(
        ActiveOptions, selection, STRATEGY_MIXTURE, strategies,
        "How the next row is chosen.\n"
        "margin: the smallest difference between the two highest scores. entropy: the highest "
        "entropy of the class probabilities. committee: the greatest disagreement of models "
        "trained on bootstrap samples. density: uncertain and typical rows, different from labeled "
        "rows. mixture: first typical rows, then margin."),
    INTEGER(ActiveOptions, budget, 100, WITHIN(1, 1e9), "Maximum number of labels to ask for."),
    INTEGER(ActiveOptions, train_every, 1, WITHIN(1, 1e6), "Train after this number of labels."),
    INTEGER(ActiveOptions, typical, 10, WITHIN(1, 1e6),
            "mixture: number of labels of typical rows at the start."),
    INTEGER(ActiveOptions, members, 5, WITHIN(2, MOST_MEMBERS),
            "committee: number of models besides the model of all labels."),
    TEXT(ActiveOptions, known_classes, NULL,
         "The classes, e.g. spam,ham; another label is an error.", DEFAULT("any label")),
    REAL(ActiveOptions, test_fraction, 0.2, WITHIN(0, 0.9),
         "Without a test set: fraction of the rows held out to measure the error."),
    INTEGER(ActiveOptions, simulations, 5, WITHIN(0, 1000),
            "Number of simulations of active and random selection to compare (0: none)."),
    TEXT(ActiveOptions, journal, NULL, "Journal of the labels; the same command resumes from it."),
    END_OF_PARAMS,
};

const cleave_param *cleave_active_params(void)
{
    return clv_active_params;
}

const char *clv_strategy_name(int strategy)
{
    return strategies[strategy];
}

/* ---- options --------------------------------------------------------------------------------- */

void clv_active_setup_free(Context *context, ActiveSetup *setup)
{
    clv_free(context, setup->method_options);
    cleave_options_free(setup->kept[0]);
    cleave_options_free(setup->kept[1]);
    *setup = (ActiveSetup){.method = NULL};
}

static Status check_method(const Method *method, cleave_error *error)
{
    if (method->tasks != CLEAVE_TASK_REGRESSION && !(method->traits & CLEAVE_TRAIT_RATINGS))
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE, "use a classification method, such as svm or logistic",
        "active learning asks for classes, and '%s' predicts numbers", method->name);
}

static Status check_training(const ActiveSetup *setup, cleave_error *error)
{
    const RunOptions *run = &setup->run;
    const char *flag = run->calibrate                 ? "calibrate"
                       : run->validation_fraction > 0 ? "validation-fraction"
                       : run->patience > 0            ? "patience"
                       : run->epochs_from_sample > 0  ? "epochs-from-sample"
                       : run->racy                    ? "racy"
                                                      : NULL;

    if (!flag)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "train on the labeled rows afterwards with this option",
                         "--%s cannot be used here: every label is needed for training", flag);
}

Status clv_active_setup(Context *context, const char *method, const cleave_options *options,
                        const cleave_options *training, ActiveSetup *setup, cleave_error *error)
{
    Job job = {.method = NULL};

    *setup = (ActiveSetup){.method = NULL};
    TRY(clv_method_find(method, &setup->method, error));
    TRY(check_method(setup->method, error));
    TRY(clv_options_copy(context, options, &setup->kept[0], error));
    TRY(clv_options_copy(context, training, &setup->kept[1], error));
    TRY(clv_params_apply(setup->kept[0], clv_active_params, &setup->options, NULL, NULL, error));
    TRY(clv_trial_check(context, setup->method, setup->kept[1], &setup->run, error));
    TRY(check_training(setup, error));
    TRY(clv_new(context, &setup->method_options, 1, setup->method->options_size, true, "options",
                error));
    job = (Job){.method = setup->method, .method_options = setup->method_options};
    TRY(clv_train_options(&job, setup->kept[1], &setup->run, error));
    return clv_train_check(setup->method, setup->method_options, &setup->run, false, error);
}

Status clv_active_split(Dataset *dataset, const ActiveSetup *setup, uint64_t seed, Folds *folds,
                        cleave_error *error)
{
    return clv_folds_make(
        dataset, &(FoldPlan){.count = 2, .last_share = setup->options.test_fraction, .seed = seed},
        folds, error);
}

/* ---- the text of the rows -------------------------------------------------------------------- */

static Status take_record(void *user, uint64_t row, const char *bytes, size_t size,
                          cleave_error *error)
{
    cleave_active *active = user;
    Context *context = active->context;

    if (row == RECORD_HEADER)
        return clv_buffer_add(context, &active->header, bytes, size, error);
    TRY(clv_buffer_add(context, &active->records, bytes, size, error));
    TRY(GROW(context, active->record_end, active->record_capacity, (size_t)active->record_count + 1,
             error));
    active->record_end[active->record_count++] = active->records.size;
    return OK;
}

/* Reads the rows, and keeps their text if the format has lines or records. */
static Status read_rows(cleave_active *active, cleave_error *error)
{
    cleave_data *data = active->data;
    RecordSink sink = {.take = take_record, .user = active};
    const char *format = !data->source                          ? NULL
                         : clv_records_fit(data->source, "csv") ? "csv"
                         : clv_records_fit(data->source, "tsv") ? "tsv"
                                                                : NULL;
    Status status = OK;

    if (data->loaded || !format)
        return clv_data_training_set(data, &active->rows, error);
    TRY(clv_records_attach(data->source, format, &sink, error));
    status = clv_data_training_set(data, &active->rows, error);
    clv_records_detach(data->source);
    return status;
}

static uint64_t origin_of(const cleave_active *active, uint32_t row)
{
    return active->pool.origin ? active->pool.origin[row] : row;
}

/* ---- the journal ----------------------------------------------------------------------------- */

enum { ENTRY_LABEL, ENTRY_SKIP, ENTRY_UNDO };
enum { NUMBER_KIND, NUMBER_ROW, NUMBER_LABELS, NUMBER_ERROR, ENTRY_NUMBERS };

static bool is_no_identity(const char *name)
{
    return strcmp(name, "budget") == 0 || strcmp(name, "journal") == 0 ||
           strcmp(name, "simulations") == 0;
}

static Status identify(cleave_active *active, const Identity *identity)
{
    const ActiveSetup *setup = &active->setup;

    TRY(clv_identity_add(identity, "version of cleave", cleave_version()));
    TRY(clv_identity_add(identity, "command", "active"));
    TRY(clv_identity_add(identity, "method", setup->method->name));
    TRY(clv_identity_add(identity, "labels of the pool",
                         active->hides_labels ? "hidden" : "visible"));
    TRY(clv_identity_params(identity, clv_active_params, &setup->options, is_no_identity));
    TRY(clv_identity_params(identity, setup->method->params, setup->method_options, NULL));
    TRY(clv_identity_params(identity, clv_run_params, &setup->run, NULL));
    return clv_identity_dataset(identity, active->rows, "", true);
}

static Status record(cleave_active *active, int kind, uint32_t row, const char *text,
                     cleave_error *error)
{
    const RowSelection *selection = &active->selection;
    const ErrorPoint *point = selection->point_count ? &selection->point[selection->point_count - 1]
                                                     : NULL;
    double numbers[ENTRY_NUMBERS] = {kind, (double)origin_of(active, row),
                                     point ? point->labels : 0, point ? point->error : 0};
    char key[24];

    snprintf(key, sizeof key, "%llu", (unsigned long long)active->entries + 1);
    TRY(clv_journal_add(
        active->journal,
        &(JournalRecord){.key = key, .text = text, .numbers = numbers, .count = ENTRY_NUMBERS},
        error));
    active->entries++;
    return OK;
}

static uint32_t row_of(const cleave_active *active, double origin)
{
    const ActivePool *pool = &active->pool;
    uint32_t low = 0, high = pool->count;

    if (!(origin >= 0) || origin >= NO_ROW)
        return NO_ROW;
    if (!pool->origin)
        return origin < pool->count ? (uint32_t)origin : NO_ROW;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (pool->origin[middle] < (uint32_t)origin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pool->count && pool->origin[low] == (uint32_t)origin ? low : NO_ROW;
}

static Status take_point(RowSelection *selection, const double *numbers, cleave_error *error)
{
    ErrorPoint point = {(uint32_t)numbers[NUMBER_LABELS], numbers[NUMBER_ERROR]};

    if (point.labels == 0 || (selection->point_count &&
                              selection->point[selection->point_count - 1].labels >= point.labels))
        return OK;
    TRY(GROW(selection->context, selection->point, selection->point_capacity,
             selection->point_count + 1, error));
    selection->point[selection->point_count++] = point;
    return OK;
}

static Status replay_entry(cleave_active *active, const JournalRecord *entry, cleave_error *error)
{
    RowSelection *selection = &active->selection;
    uint32_t row;

    if (entry->count != ENTRY_NUMBERS ||
        (row = row_of(active, entry->numbers[NUMBER_ROW])) == NO_ROW)
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "%s: entry %s is invalid",
                        active->setup.options.journal, entry->key);
    TRY(take_point(selection, entry->numbers, error));
    if (entry->numbers[NUMBER_KIND] == ENTRY_LABEL)
        return clv_selection_label(selection, row, entry->text, error);
    if (entry->numbers[NUMBER_KIND] == ENTRY_SKIP)
        return clv_selection_skip(selection, row, error);
    clv_selection_undo(selection, &row);
    return OK;
}

static Status replay(cleave_active *active, cleave_error *error)
{
    size_t count = clv_journal_count(active->journal);

    for (size_t i = 0; i < count; i++) {
        const JournalRecord *entry;
        char key[24];

        snprintf(key, sizeof key, "%zu", i + 1);
        entry = clv_journal_find(active->journal, key);
        if (!entry)
            return clv_fail(error, CLEAVE_ERROR_FORMAT, "%s: entry %s is missing",
                            active->setup.options.journal, key);
        TRY(replay_entry(active, entry, error));
        active->entries++;
    }
    return OK;
}

static Status open_journal(cleave_active *active, cleave_error *error)
{
    const char *path = active->setup.options.journal;
    Buffer list = {0};
    Identity identity = {.context = active->context, .error = error, .list = &list};
    Status status = path ? clv_data_protects(active->data, path, error) : OK;

    if (path)
        THEN(status, identify(active, &identity));
    THEN(status, clv_journal_open(active->context, path, &list, &active->journal, error));
    clv_free(active->context, list.data);
    return status == OK ? replay(active, error) : status;
}

/* ---- begin and end --------------------------------------------------------------------------- */

void cleave_active_free(cleave_active *active)
{
    Context *context;

    if (!active)
        return;
    context = active->context;
    clv_journal_close(active->journal);
    clv_selection_free(&active->selection);
    clv_active_pool_free(&active->pool);
    clv_folds_free(&active->folds);
    clv_active_setup_free(context, &active->setup);
    cleave_data_free(active->data);
    FREE(context, active->records.data, active->header.data, active->record_end, active->shown.data,
         active->class_names, active);
}

static Status make_pool(cleave_active *active, cleave_data *test, cleave_error *error)
{
    const ActiveSetup *setup = &active->setup;
    PoolPlan plan = {.method = setup->method,
                     .method_options = setup->method_options,
                     .run = &setup->run,
                     .hide_labels = active->hides_labels,
                     .test = test,
                     .name = clv_data_name(active->data)};

    if (active->hides_labels && !test && setup->options.test_fraction > 0) {
        TRY(clv_active_split(active->rows, setup, (uint64_t)setup->run.seed, &active->folds,
                             error));
        plan.folds = &active->folds;
    }
    return clv_active_pool_make(active->context, active->rows, &plan, &active->pool, error);
}

static Status fill(cleave_active *active, const char *method, cleave_data *test,
                   const cleave_options *options, const cleave_options *training,
                   cleave_error *error)
{
    ActiveSetup *setup = &active->setup;

    TRY(clv_active_setup(active->context, method, options, training, setup, error));
    TRY(read_rows(active, error));
    TRY(make_pool(active, test, error));
    active->selection = (RowSelection){.pool = &active->pool,
                                       .method = setup->method,
                                       .method_options = setup->method_options,
                                       .run = &setup->run,
                                       .options = &setup->options,
                                       .strategy = setup->options.selection,
                                       .seed = (uint64_t)setup->run.seed};
    TRY(clv_selection_begin(&active->selection, active->context, error));
    if (!active->hides_labels)
        TRY(clv_selection_take_given(&active->selection, error));
    return open_journal(active, error);
}

cleave_code cleave_active_new(cleave_context *context, const char *method, cleave_data *pool,
                              cleave_data *test, bool hide_labels, const cleave_options *options,
                              const cleave_options *training, cleave_active **result,
                              cleave_error *error)
{
    REQUIRE(context && method && pool && result);
    cleave_active *active;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, active, 1, "active learning", error));
    active->context = context;
    active->hides_labels = hide_labels;
    active->data = pool;
    atomic_fetch_add(&pool->holders, 1);
    status = fill(active, method, test, options, training, error);
    if (status == OK)
        *result = active;
    else
        cleave_active_free(active);
    return status;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* The features of a row as `name:value`, for data without text. */
static Status describe_row(cleave_active *active, uint32_t row, cleave_error *error)
{
    Dataset *rows = active->pool.rows;
    Block block;
    uint32_t place;

    active->shown.size = 0;
    TRY(clv_active_row_at(rows, row, &block, &place, error));
    for (RowWalk walk = clv_walk(&block, place); clv_walk_next(&walk);) {
        char name[24], number[32], value[NUMBER_SIZE + 2];
        const char *text = clv_names_get(&rows->names, walk.column, name);

        if (walk.value == 0)
            continue;
        snprintf(value, sizeof value, ":%s", cleave_number_text((double)walk.value, number));
        if (active->shown.size)
            TRY(clv_buffer_add(active->context, &active->shown, " ", 1, error));
        TRY(clv_buffer_add(active->context, &active->shown, text, strlen(text), error));
        TRY(clv_buffer_add(active->context, &active->shown, value, strlen(value), error));
    }
    return clv_buffer_add(active->context, &active->shown, "", 1, error);
}

/* A line of text without its label; a record without its line end. */
static Status show_record(cleave_active *active, uint64_t row, cleave_error *error)
{
    uint64_t start = row ? active->record_end[row - 1] : 0, end = active->record_end[row];
    const char *text = active->records.data + start;
    size_t size = (size_t)(end - start);
    const char *tab = clv_schema_is_text(&active->rows->schema) ? memchr(text, '\t', size) : NULL;

    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    if (tab && tab < text + size) {
        size -= (size_t)(tab + 1 - text);
        text = tab + 1;
    }
    active->shown.size = 0;
    TRY(clv_buffer_add(active->context, &active->shown, text, size, error));
    return clv_buffer_add(active->context, &active->shown, "", 1, error);
}

static Status show_row(cleave_active *active, uint32_t row, cleave_error *error)
{
    uint64_t origin = origin_of(active, row);

    return origin < active->record_count ? show_record(active, origin, error)
                                         : describe_row(active, row, error);
}

cleave_code cleave_active_next(cleave_active *active, cleave_active_item *item, cleave_error *error)
{
    REQUIRE(active && item);
    RowSelection *selection = &active->selection;
    uint32_t row, label;

    *item = (cleave_active_item){.row = CLEAVE_NO_ROW, .margin = (double)NAN};
    TRY(clv_selection_next(selection, &row, error));
    if (row == NO_ROW)
        return OK;
    TRY(show_row(active, row, error));
    TRY(clv_selection_predict(selection, row, &label, &item->margin, error));
    item->row = origin_of(active, row);
    item->text = active->shown.data;
    item->length = active->shown.size - 1;
    if (label != UNLABELED)
        item->predicted = selection->model->labels.list[label].text;
    if (active->hides_labels && active->pool.truth[row] != UNLABELED)
        item->hidden_label = active->rows->labels.list[active->pool.truth[row]].text;
    return OK;
}

static Status find_row(const cleave_active *active, uint64_t origin, uint32_t *row,
                       cleave_error *error)
{
    *row = row_of(active, (double)origin);
    return *row == NO_ROW ? clv_fail(error, CLEAVE_ERROR_USAGE, "row %llu is not in the pool",
                                     (unsigned long long)origin)
                          : OK;
}

cleave_code cleave_active_label(cleave_active *active, uint64_t origin, const char *label,
                                cleave_error *error)
{
    REQUIRE(active && label);
    uint32_t row, undone;
    Status status;

    TRY(find_row(active, origin, &row, error));
    TRY(clv_selection_label(&active->selection, row, label, error));
    status = record(active, ENTRY_LABEL, row, label, error);
    if (status != OK)
        clv_selection_undo(&active->selection, &undone);
    return status;
}

cleave_code cleave_active_skip(cleave_active *active, uint64_t origin, cleave_error *error)
{
    REQUIRE(active);
    uint32_t row, undone;
    Status status;

    TRY(find_row(active, origin, &row, error));
    TRY(clv_selection_skip(&active->selection, row, error));
    status = record(active, ENTRY_SKIP, row, NULL, error);
    if (status != OK)
        clv_selection_undo(&active->selection, &undone);
    return status;
}

cleave_code cleave_active_undo(cleave_active *active, uint64_t *origin, cleave_error *error)
{
    REQUIRE(active);
    const RowSelection *selection = &active->selection;
    uint32_t row = NO_ROW;

    if (origin)
        *origin = CLEAVE_NO_ROW;
    if (selection->event_count == 0 || selection->event[selection->event_count - 1].given)
        return OK;
    TRY(record(active, ENTRY_UNDO, selection->event[selection->event_count - 1].row, NULL, error));
    clv_selection_undo(&active->selection, &row);
    if (origin)
        *origin = origin_of(active, row);
    return OK;
}

cleave_code cleave_active_get_state(cleave_active *active, cleave_active_state *state,
                                    cleave_error *error)
{
    REQUIRE(active && state);
    RowSelection *selection = &active->selection;

    TRY(clv_selection_refresh(selection, error));
    TRY(GROW(active->context, active->class_names, active->class_capacity,
             (size_t)selection->classes.count + 1, error));
    for (uint32_t i = 0; i < selection->classes.count; i++)
        active->class_names[i] = selection->classes.list[i].text;
    *state = (cleave_active_state){.strategy = strategies[selection->strategy],
                                   .pool_rows = active->pool.count,
                                   .test_rows = active->pool.test ? active->pool.test->rows : 0,
                                   .budget = (uint64_t)active->setup.options.budget,
                                   .given = selection->given,
                                   .labeled = selection->labeled,
                                   .skipped = selection->skipped,
                                   .open = selection->open,
                                   .class_count = selection->classes.count,
                                   .classes = active->class_names,
                                   .fixed_classes = selection->known > 0,
                                   .has_model = selection->model != NULL,
                                   .error = selection->point_count
                                                ? selection->point[selection->point_count - 1].error
                                                : (double)NAN};
    return OK;
}

cleave_code cleave_active_model(const cleave_active *active, cleave_model **model,
                                cleave_error *error)
{
    REQUIRE(active && model);
    return clv_selection_model(&active->selection, model, error);
}

bool cleave_active_point(const cleave_active *active, size_t number, uint64_t *labels,
                         double *error_rate)
{
    if (number >= active->selection.point_count)
        return false;
    *labels = active->selection.point[number].labels;
    *error_rate = active->selection.point[number].error;
    return true;
}
