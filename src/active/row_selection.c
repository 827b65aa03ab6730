#include "active/row_selection.h"

#include "active/uncertainty.h"
#include "base/pool.h"
#include "base/random.h"
#include "model/registry.h"
#include "select/trial.h"

enum {
    TRAINING_ROWS = 512, /* rows of a block of labeled rows */
    STREAM_ORDER = 1,    /* streams of random numbers */
    STREAM_TYPICAL,
    STREAM_BOOTSTRAP
};

#define TYPICAL_POWER 1.0 /* a in row_selection.h */

/* ---- the quiet context ----------------------------------------------------------------------- */

static void *allocate(void *user, void *old, size_t size)
{
    const cleave_config *config = &((RowSelection *)user)->context->config;

    return config->allocate(config->user, old, size);
}

/* Stays true, so that a training which ends early is always found to be incomplete. */
static bool cancelled(void *user)
{
    RowSelection *selection = user;

    if (!selection->interrupted && clv_cancelled(selection->context))
        selection->interrupted = true;
    return selection->interrupted;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static Status add_known_classes(RowSelection *selection, cleave_error *error)
{
    const char *at = selection->options->known_classes;

    for (; at && *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        uint32_t number;

        if (length)
            TRY(clv_labels_add(&selection->classes, at, length, &number, error));
        at += length;
    }
    selection->known = selection->classes.count;
    return OK;
}

Status clv_selection_begin(RowSelection *selection, Context *context, cleave_error *error)
{
    uint32_t count = selection->pool->count;

    selection->context = context;
    selection->quiet = (Context){
        .config = {.allocate = allocate, .cancelled = cancelled, .user = selection, .threads = 1}};
    clv_labels_init(&selection->classes, context);
    TRY(clv_labels_join(&selection->classes, &selection->pool->source->labels, error));
    TRY(add_known_classes(selection, error));
    TRY(ALLOC_ZERO(context, selection->closed, count, "rows of the pool", error));
    TRY(ALLOC(context, selection->utility, count, "rows of the pool", error));
    selection->open = count;
    return OK;
}

void clv_selection_free(RowSelection *selection)
{
    if (!selection->context)
        return;
    cleave_model_free(selection->model);
    clv_labels_free(&selection->classes);
    FREE(selection->context, selection->event, selection->closed, selection->utility,
         selection->queue, selection->similarity, selection->probe, selection->point);
    selection->context = NULL;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Opens or closes the row and its twins. */
static void change(RowSelection *selection, uint32_t row, int step)
{
    uint32_t twin = row;

    do {
        uint16_t before = selection->closed[twin];

        selection->closed[twin] = (uint16_t)(before + step);
        selection->open += (before == 1 && step < 0) - (before == 0 && step > 0);
        twin = selection->pool->twin[twin];
    } while (twin != row);
}

static Status add_event(RowSelection *selection, const ActiveEvent *event, cleave_error *error)
{
    if (selection->closed[event->row] == UINT16_MAX)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "too many rows with the same features");
    TRY(GROW(selection->context, selection->event, selection->event_capacity,
             selection->event_count + 1, error));
    selection->event[selection->event_count++] = *event;
    if (event->label == UNLABELED)
        selection->skipped++;
    else if (event->given)
        selection->given++;
    else
        selection->labeled++;
    change(selection, event->row, 1);
    return OK;
}

Status clv_selection_take_given(RowSelection *selection, cleave_error *error)
{
    const Labels *labels = &selection->pool->source->labels;

    for (uint32_t row = 0; row < selection->pool->count; row++) {
        ActiveEvent event = {.row = row, .given = true};
        const char *text;

        if (selection->pool->truth[row] == UNLABELED || selection->closed[row] == UINT16_MAX)
            continue;
        text = labels->list[selection->pool->truth[row]].text;
        TRY(clv_labels_add(&selection->classes, text, strlen(text), &event.label, error));
        TRY(add_event(selection, &event, error));
    }
    return OK;
}

static Status check_row(const RowSelection *selection, uint32_t row, cleave_error *error)
{
    if (row >= selection->pool->count)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "row %u does not exist: the pool has %u rows",
                        row, selection->pool->count);
    for (size_t i = selection->event_count; i-- > 0;)
        if (selection->event[i].row == row)
            return clv_fail(error, CLEAVE_ERROR_USAGE, "row %u has already been answered", row);
    return OK;
}

static Status refuse_label(const RowSelection *selection, const char *label, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA, "add it to --known-classes, or correct the answer",
        "unknown label '%s': --known-classes is %s", clv_quote(quoted, label, strlen(label)),
        selection->options->known_classes);
}

Status clv_selection_label(RowSelection *selection, uint32_t row, const char *label,
                           cleave_error *error)
{
    ActiveEvent event = {.row = row};
    size_t length = strlen(label);

    TRY(check_row(selection, row, error));
    if (length == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the label is empty");
    if (strpbrk(label, "\t\r\n"))
        return clv_fail(error, CLEAVE_ERROR_DATA, "a label must not contain a tab or a line end");
    event.label = clv_labels_find(&selection->classes, label, length);
    if (selection->known && event.label >= selection->known)
        return refuse_label(selection, label, error);
    if (event.label == UNLABELED)
        TRY(clv_labels_add(&selection->classes, label, length, &event.label, error));
    return add_event(selection, &event, error);
}

Status clv_selection_skip(RowSelection *selection, uint32_t row, cleave_error *error)
{
    TRY(check_row(selection, row, error));
    return add_event(selection, &(ActiveEvent){.row = row, .label = UNLABELED}, error);
}

void clv_selection_undo(RowSelection *selection, uint32_t *row)
{
    const ActiveEvent *event;

    *row = NO_ROW;
    if (selection->event_count == 0 || selection->event[selection->event_count - 1].given)
        return;
    event = &selection->event[--selection->event_count];
    *row = event->row;
    if (event->label == UNLABELED)
        selection->skipped--;
    else
        selection->labeled--;
    change(selection, *row, -1);
    while (selection->point_count &&
           selection->point[selection->point_count - 1].labels > clv_selection_labels(selection))
        selection->point_count--;
    if (selection->model_events > selection->event_count)
        selection->current = false;
    if (selection->similar_events > selection->event_count)
        selection->similar_events = 0;
}

uint32_t clv_selection_labels(const RowSelection *selection)
{
    return selection->given + selection->labeled;
}

/* ---- training -------------------------------------------------------------------------------- */

/* Labeled rows as a training set. Classes have the order of their first label. */
typedef struct {
    const RowSelection *selection;
    Dataset *from; /* the rows of the pool, or their features */
    Dataset *rows;
    Builder builder;
    uint32_t *number; /* of each class in the training set; UNLABELED: not yet */
} TrainingSet;

static Status flush_rows(TrainingSet *set, cleave_error *error)
{
    Block block;

    if (set->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&set->builder, &block, error));
    block.first_row = set->rows->rows;
    TRY(clv_dataset_add(set->rows, &block, error));
    clv_builder_clear(&set->builder);
    return OK;
}

static Status add_row(TrainingSet *set, const ActiveEvent *event, cleave_error *error)
{
    const RowSelection *selection = set->selection;
    Labels *labels = &set->rows->labels;
    uint32_t *number = &set->number[event->label], place;
    Block block;

    if (*number == UNLABELED) {
        const char *text = selection->classes.list[event->label].text;

        TRY(clv_labels_add(labels, text, strlen(text), number, error));
        labels->list[*number].count = 0;
    }
    labels->list[*number].count++;
    TRY(clv_active_row_at(set->from, event->row, &block, &place, error));
    clv_builder_begin_row(&set->builder);
    TRY(clv_builder_copy_row(&set->builder, &block, place, *number, error));
    return set->builder.rows >= TRAINING_ROWS ? flush_rows(set, error) : OK;
}

/* random: draws as many labels with replacement; NULL: all. */
static Status fill_set(TrainingSet *set, size_t events, Random *random, cleave_error *error)
{
    const RowSelection *selection = set->selection;

    for (uint32_t i = 0; i < selection->classes.count; i++)
        set->number[i] = UNLABELED;
    TRY(clv_labels_join(&set->rows->labels, &selection->classes, error));
    for (size_t i = 0; i < events; i++) {
        const ActiveEvent *event = &selection->event[i];

        if (random)
            event = &selection->event[clv_random_below(random, (uint32_t)events)];
        if (event->label != UNLABELED)
            TRY(add_row(set, event, error));
    }
    TRY(flush_rows(set, error));
    set->rows->features = set->from->features;
    TRY(clv_names_copy(&set->rows->names, &set->from->names, error));
    return clv_schema_copy(&set->rows->schema, &set->from->schema, error);
}

/* The labels of the first events as a dataset, with the rows of `from`. */
static Status make_set(const RowSelection *selection, Context *context, Dataset *from,
                       size_t events, Random *random, Dataset **rows, cleave_error *error)
{
    TrainingSet set = {.selection = selection, .from = from};
    Status status;

    clv_builder_init(&set.builder, context);
    status = clv_dataset_new(context, &set.rows, error);
    THEN(status, ALLOC(context, set.number, selection->classes.count + 1U, "classes", error));
    THEN(status, fill_set(&set, events, random, error));
    clv_builder_free(&set.builder);
    clv_free(context, set.number);
    if (status != OK) {
        clv_dataset_free(set.rows);
        set.rows = NULL;
    }
    *rows = set.rows;
    return status;
}

Status clv_selection_labeled_rows(const RowSelection *selection, Dataset *from, Dataset **rows,
                                  cleave_error *error)
{
    return make_set(selection, selection->context, from, selection->event_count, NULL, rows, error);
}

static Status train_rows(const RowSelection *selection, Context *context, Dataset *rows,
                         Model **model, cleave_error *error)
{
    Job job = {.method = selection->method,
               .options = selection->run,
               .name = "labeled rows",
               .pipeline = selection->pool->pipeline};
    Report *report = NULL;
    Status status;

    TRY(clv_new(context, &job.method_options, 1, selection->method->options_size, true, "options",
                error));
    memcpy(job.method_options, selection->method_options, selection->method->options_size);
    status = clv_train(context, &job, rows, model, &report, error);
    if (status == OK && (report->facts.cancelled || clv_cancelled(context))) {
        cleave_model_free(*model);
        *model = NULL;
        status = clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    if (report)
        cleave_report_free(&report->facts);
    clv_free(context, job.method_options);
    return status;
}

/* *model is NULL if fewer than two classes have labels. */
static Status train(const RowSelection *selection, Context *context, size_t events, Random *random,
                    Model **model, cleave_error *error)
{
    Dataset *rows;
    Status status = OK;

    *model = NULL;
    TRY(make_set(selection, context, clv_active_pool_features(selection->pool), events, random,
                 &rows, error));
    if (rows->labels.count > 1)
        status = train_rows(selection, context, rows, model, error);
    clv_dataset_free(rows);
    return status;
}

Status clv_selection_model(const RowSelection *selection, Model **model, cleave_error *error)
{
    return train(selection, selection->context, selection->event_count, NULL, model, error);
}

/* ---- errors on the test rows ----------------------------------------------------------------- */

typedef struct {
    const Model *model;
    Dataset *rows;
    uint32_t *label;            /* of the test rows, by class of the model */
    uint64_t *errors, *counted; /* by block */
    _Atomic int failure;
} Testing;

static void test_block(void *user, uint32_t task, unsigned worker)
{
    Testing *testing = user;
    Context *context = testing->model->context;
    size_t outputs = outputs_of(testing->model->labels.count);
    double *scores = NULL;
    Block block;
    Status status = clv_dataset_block(testing->rows, task, &block, NULL);

    (void)worker;
    THEN(status, ALLOC(context, scores, block.rows * outputs, "scores", NULL));
    THEN(status, testing->model->method->inference->predict(testing->model, &block, scores, NULL));
    for (uint32_t row = 0; status == OK && row < block.rows; row++) {
        uint32_t label = block_label(&block, row),
                 predicted = clv_model_decide(testing->model, scores + row * outputs, false);

        if (label == UNLABELED)
            continue;
        testing->counted[task]++;
        testing->errors[task] += predicted == UNLABELED || testing->label[predicted] != label;
    }
    clv_free(context, scores);
    if (status != OK)
        testing->failure = status;
}

static Status count_errors(Testing *testing, Context *context, double *error_rate,
                           cleave_error *error)
{
    const Labels *labels = &testing->model->labels;
    uint64_t errors = 0, counted = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        testing->label[i] = clv_labels_find(&testing->rows->labels, labels->list[i].text,
                                            strlen(labels->list[i].text));
    clv_pool_run(context, testing->rows->blocks, test_block, testing);
    if (testing->failure != OK)
        return clv_fail(error, (cleave_code)testing->failure, "the test rows cannot be predicted");
    for (uint32_t i = 0; i < testing->rows->blocks; i++) {
        errors += testing->errors[i];
        counted += testing->counted[i];
    }
    *error_rate = counted ? (double)errors / (double)counted : (double)NAN;
    return OK;
}

static Status test_model(const RowSelection *selection, double *error_rate, cleave_error *error)
{
    Testing testing = {.model = selection->model, .rows = selection->pool->test};
    Context *context = selection->context;
    Status status = ALLOC(context, testing.label, selection->model->labels.count, "classes", error);

    THEN(status, ALLOC_ZERO(context, testing.errors, testing.rows->blocks, "errors", error));
    THEN(status, ALLOC_ZERO(context, testing.counted, testing.rows->blocks, "errors", error));
    THEN(status, count_errors(&testing, context, error_rate, error));
    FREE(context, testing.label, testing.errors, testing.counted);
    return status;
}

/* Without a model: the error of predicting the only class. */
static double test_constant(const RowSelection *selection, size_t events)
{
    const Labels *labels = &selection->pool->test->labels;
    uint64_t rows = 0, correct = 0;
    uint32_t only = UNLABELED;

    for (size_t i = 0; i < events && only == UNLABELED; i++)
        if (selection->event[i].label != UNLABELED) {
            const char *text = selection->classes.list[selection->event[i].label].text;

            only = clv_labels_find(labels, text, strlen(text));
        }
    for (uint32_t i = 0; i < labels->count; i++) {
        rows += labels->list[i].count;
        correct += i == only ? labels->list[i].count : 0;
    }
    return rows ? 1 - (double)correct / (double)rows : (double)NAN;
}

static Status add_point(RowSelection *selection, size_t events, uint32_t labels,
                        cleave_error *error)
{
    ErrorPoint point = {.labels = labels};

    if (!selection->pool->test || labels == 0 ||
        (selection->point_count && selection->point[selection->point_count - 1].labels >= labels))
        return OK;
    if (selection->model)
        TRY(test_model(selection, &point.error, error));
    else
        point.error = test_constant(selection, events);
    TRY(GROW(selection->context, selection->point, selection->point_capacity,
             selection->point_count + 1, error));
    selection->point[selection->point_count++] = point;
    return OK;
}

/* ---- the model and the queue ----------------------------------------------------------------- */

/* The events up to the last full batch of labels; until two classes are known, all of them. */
static size_t boundary(const RowSelection *selection, uint32_t *labels)
{
    uint32_t asked = 0, kept = 0;
    size_t events = 0;
    uint32_t first = UNLABELED;
    bool two = false;

    for (size_t i = 0; i < selection->event_count; i++) {
        const ActiveEvent *event = &selection->event[i];

        if (event->label == UNLABELED)
            continue;
        asked += !event->given;
        kept += event->given;
        if (first != UNLABELED && event->label != first && !two) {
            two = true;
            events = i + 1; /* the first model */
            *labels = asked + kept;
        }
        first = event->label;
        if (!two || event->given || asked % (uint32_t)selection->options->train_every == 0) {
            events = i + 1;
            *labels = asked + kept;
        }
    }
    return events;
}

Status clv_selection_refresh(RowSelection *selection, cleave_error *error)
{
    uint32_t labels = 0;
    size_t events = boundary(selection, &labels);

    if (selection->current && selection->model_events == events)
        return OK;
    selection->current = false;
    selection->queue_count = 0;
    cleave_model_free(selection->model);
    selection->model = NULL;
    selection->interrupted = false;
    TRY(clv_poll(selection->context, error));
    TRY(train(selection, &selection->quiet, events, NULL, &selection->model, error));
    TRY(add_point(selection, events, labels, error));
    selection->model_events = events;
    selection->current = true;
    return OK;
}

static Status train_committee(const RowSelection *selection, Model **members, cleave_error *error)
{
    for (int64_t i = 0; i < selection->options->members; i++) {
        Random random = clv_random(selection->seed,
                                   ((uint64_t)selection->model_events << 8 | (uint64_t)i) * 8 +
                                       STREAM_BOOTSTRAP);

        TRY(train(selection, &((RowSelection *)selection)->quiet, selection->model_events, &random,
                  &members[i], error));
    }
    return OK;
}

static Status score(RowSelection *selection, cleave_error *error)
{
    Model *members[MOST_MEMBERS + 1] = {selection->model};
    bool committee = selection->strategy == STRATEGY_COMMITTEE;
    UncertaintyPlan plan = {.strategy = selection->strategy,
                            .pool = selection->pool,
                            .similarity = selection->similarity,
                            .models = members,
                            .model_count = 1};
    Status status = OK;

    selection->interrupted = false;
    if (committee) {
        plan.model_count = (size_t)selection->options->members + 1;
        status = train_committee(selection, members + 1, error);
    }
    THEN(status, clv_uncertainty(selection->context, &plan, selection->utility, error));
    for (size_t i = 1; i < plan.model_count; i++)
        cleave_model_free(members[i]);
    return status;
}

/* Rows that were open when the model was made, best first; earlier rows first among equals. */
static Status fill_queue(RowSelection *selection, size_t wanted, cleave_error *error)
{
    const double *utility = selection->utility;
    uint32_t *queue;
    size_t count = 0;

    TRY(GROW(selection->context, selection->queue, selection->queue_capacity, wanted, error));
    queue = selection->queue;
    for (uint32_t row = 0; row < selection->pool->count; row++) {
        size_t place = count;

        if (selection->closed[row] || isnan(utility[row]) ||
            (count == wanted && utility[row] <= utility[queue[count - 1]]))
            continue;
        if (count == wanted)
            place--;
        else
            count++;
        for (; place > 0 && utility[queue[place - 1]] < utility[row]; place--)
            queue[place] = queue[place - 1];
        queue[place] = row;
    }
    selection->queue_count = count;
    return OK;
}

/* ---- the next row ---------------------------------------------------------------------------- */

static uint32_t next_random(const RowSelection *selection)
{
    uint32_t best = NO_ROW;
    uint64_t least = UINT64_MAX;
    Random random = clv_random(selection->seed, STREAM_ORDER);

    for (uint32_t row = 0; row < selection->pool->count; row++) {
        uint64_t key = clv_random_next(&random);

        if (selection->closed[row] == 0 && (best == NO_ROW || key < least)) {
            best = row;
            least = key;
        }
    }
    return best;
}

/* Includes the rows of the first events in selection->similarity. */
static Status update_similarity(RowSelection *selection, size_t events, cleave_error *error)
{
    const ActivePool *pool = selection->pool;
    size_t features = clv_active_pool_features(pool)->features;

    if (!selection->similarity) {
        TRY(ALLOC(selection->context, selection->similarity, pool->count, "similarities", error));
        TRY(ALLOC_ZERO(selection->context, selection->probe, features + 1, "similarities", error));
    }
    if (selection->similar_events == 0)
        memset(selection->similarity, 0, pool->count * sizeof *selection->similarity);
    for (; selection->similar_events < events; selection->similar_events++) {
        TRY(clv_poll(selection->context, error));
        TRY(clv_active_pool_similar(pool, selection->event[selection->similar_events].row,
                                    selection->probe, selection->similarity, error));
    }
    return OK;
}

static double typical_weight(const RowSelection *selection, uint32_t row)
{
    double different = 1 - selection->similarity[row], typical = selection->pool->typical[row];

    if (selection->closed[row] || !(different > 0) || !(typical > 0))
        return 0;
    return pow(typical, TYPICAL_POWER) * different * different;
}

static Status next_typical(RowSelection *selection, uint32_t *row, cleave_error *error)
{
    Random random = clv_random(selection->seed,
                               (uint64_t)selection->event_count * 8 + STREAM_TYPICAL);
    double sum = 0, at;

    TRY(update_similarity(selection, selection->event_count, error));
    for (uint32_t i = 0; i < selection->pool->count; i++)
        sum += typical_weight(selection, i);
    at = clv_random_unit(&random) * sum;
    *row = NO_ROW;
    for (uint32_t i = 0; i < selection->pool->count && sum > 0; i++) {
        double weight = typical_weight(selection, i);

        if (weight <= 0)
            continue;
        *row = i;
        at -= weight;
        if (at < 0)
            return OK;
    }
    if (*row == NO_ROW)
        *row = next_random(selection);
    return OK;
}

static Status next_uncertain(RowSelection *selection, uint32_t *row, cleave_error *error)
{
    size_t since = selection->event_count - selection->model_events;

    if (selection->queue_count == 0) {
        if (selection->strategy == STRATEGY_DENSITY)
            TRY(update_similarity(selection, selection->model_events, error));
        TRY(score(selection, error));
        TRY(fill_queue(selection, (size_t)selection->options->train_every + since, error));
    }
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < selection->queue_count; i++)
            if (selection->closed[selection->queue[i]] == 0) {
                *row = selection->queue[i];
                return OK;
            }
        TRY(fill_queue(selection, 2 * selection->queue_count + 1, error));
    }
    *row = next_random(selection);
    return OK;
}

Status clv_selection_next(RowSelection *selection, uint32_t *row, cleave_error *error)
{
    bool starts = selection->strategy == STRATEGY_MIXTURE &&
                  clv_selection_labels(selection) < selection->options->typical;

    *row = NO_ROW;
    if (selection->pool->test || (selection->strategy != STRATEGY_RANDOM && !starts))
        TRY(clv_selection_refresh(selection, error));
    if (selection->open == 0)
        return OK;
    if (starts || (selection->strategy == STRATEGY_MIXTURE && !selection->model))
        return next_typical(selection, row, error);
    if (selection->strategy == STRATEGY_RANDOM || !selection->model) {
        *row = next_random(selection);
        return OK;
    }
    return next_uncertain(selection, row, error);
}

/* ---- a single prediction --------------------------------------------------------------------- */

Status clv_selection_predict(const RowSelection *selection, uint32_t row, uint32_t *label,
                             double *margin, cleave_error *error)
{
    const Model *model = selection->model;
    Builder builder;
    Block block, one;
    uint32_t place;
    double *scores;
    size_t outputs;
    Status status;

    *label = UNLABELED;
    *margin = (double)NAN;
    if (!model)
        return OK;
    outputs = outputs_of(model->labels.count);
    TRY(ALLOC(selection->context, scores, outputs, "scores", error));
    clv_builder_init(&builder, selection->context);
    status = clv_active_row_at(clv_active_pool_features(selection->pool), row, &block, &place,
                               error);
    clv_builder_begin_row(&builder);
    THEN(status, clv_builder_copy_row(&builder, &block, place, UNLABELED, error));
    THEN(status, clv_builder_finish(&builder, &one, error));
    THEN(status, model->method->inference->predict(model, &one, scores, error));
    if (status == OK) {
        *label = clv_model_decide(model, scores, false);
        *margin = clv_margin(scores, outputs);
    }
    clv_builder_free(&builder);
    clv_free(selection->context, scores);
    return status;
}
