#include "model/predictor.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- one predictor --------------------------------------------------------------------------- */

Status clv_predictor_init(Predictor *predictor, const Model *model, cleave_error *error)
{
    Context *context = model->context;
    size_t count = outputs_of(model->labels.count) + model->labels.count;

    *predictor = (Predictor){
        .model = model, .rule = clv_model_rule(model, false), .workspace = {.context = context}};
    clv_builder_init(&predictor->raw, context);
    clv_builder_init(&predictor->made, context);
    predictor->raw.passing_by = predictor->made.passing_by = true;
    TRY(ALLOC_ZERO(context, predictor->scores, count, "scores", error));
    predictor->probabilities = predictor->scores + predictor->rule.outputs;
    return model->method->inference->session
               ? model->method->inference->session->open(model, &predictor->session, error)
               : OK;
}

void clv_predictor_free(Predictor *predictor)
{
    clv_builder_free(&predictor->raw);
    clv_builder_free(&predictor->made);
    clv_workspace_free(&predictor->workspace);
    if (predictor->session)
        predictor->model->method->inference->session->close(predictor->session);
    clv_free(predictor->model->context, predictor->scores);
}

/* Whether columns that the model lacks are part of a row: the same rule as for files (input). */
static bool keeps_unknown(const Model *model)
{
    return (model->method->behavior & METHOD_WIDER_ROWS) &&
           (!model->pipeline || clv_schema_is_sequence(&model->schema));
}

/* Adds the columns of a row to the scratch row, with their columns in the model in ascending order.
 * Columns that the model lacks are left out or, as in files, numbered past those of the model. */
static Status find_columns(Predictor *predictor, size_t count, const uint32_t *columns,
                           const float *values, cleave_error *error)
{
    const Names *names = clv_model_inputs(predictor->model);
    RowWorkspace *workspace = &predictor->workspace;
    FeatureRow *row = &workspace->spare;
    bool keeps = keeps_unknown(predictor->model) && !predictor->model->pipeline;
    uint32_t next = clv_model_input_count(predictor->model);

    row->count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t column = clv_names_find_number(names, (uint64_t)columns[i] + names->first);
        size_t at = row->count;

        if (column == NO_COLUMN && keeps)
            column = next++;
        if (column == NO_COLUMN)
            continue;
        TRY(clv_row_add(workspace, row, column, values[i], error));
        for (; at > 0 && row->column[at - 1] > column; at--) {
            row->column[at] = row->column[at - 1];
            row->value[at] = row->value[at - 1];
        }
        row->column[at] = column;
        row->value[at] = values[i];
    }
    return OK;
}

Status clv_predictor_build(Predictor *predictor, size_t count, const uint32_t *columns,
                           const float *values, Block *block, cleave_error *error)
{
    uint32_t known = keeps_unknown(predictor->model) ? UINT32_MAX
                                                     : clv_model_input_count(predictor->model);
    Builder *builder = &predictor->raw;

    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]) || (i > 0 && columns[i] <= columns[i - 1]))
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "entry %zu of the row: indexes must increase and values must be finite",
                            i);
    /* For a model with only the columns that occurred in its training set: the given numbers are
     * looked up as names (data/compact.h). */
    if (clv_schema_is_numbered(&predictor->model->schema) &&
        !clv_model_inputs(predictor->model)->implicit) {
        TRY(find_columns(predictor, count, columns, values, error));
        count = predictor->workspace.spare.count;
        columns = predictor->workspace.spare.column;
        values = predictor->workspace.spare.value;
    }
    clv_builder_clear(builder);
    clv_builder_begin_row(builder);
    for (size_t i = 0; i < count; i++)
        if (columns[i] < known)
            TRY(clv_builder_add(builder, columns[i], values[i], error));
    TRY(clv_builder_end_row(builder, UNLABELED, error));
    return clv_builder_finish(builder, block, error);
}

Status clv_predictor_scores(Predictor *predictor, const Block *block, double *scores,
                            cleave_error *error)
{
    const Model *model = predictor->model;
    Block made;

    if (model->pipeline) {
        TRY(clv_pipeline_block(model->pipeline, &predictor->workspace, block, &predictor->made,
                               &made, error));
        block = &made;
    }
    return predictor->session ? model->method->inference->session->predict(predictor->session,
                                                                           block, scores, error)
                              : model->method->inference->predict(model, block, scores, error);
}

Status clv_predictor_row(Predictor *predictor, size_t count, const uint32_t *columns,
                         const float *values, cleave_prediction *prediction, cleave_error *error)
{
    const Model *model = predictor->model;
    Block block;

    TRY(clv_predictor_build(predictor, count, columns, values, &block, error));
    TRY(clv_predictor_scores(predictor, &block, predictor->scores, error));
    clv_prediction_decide(&predictor->rule, predictor->scores, predictor->text, prediction);
    prediction->row = 1;
    if (!predictor->rule.regression &&
        clv_model_probabilities(model, predictor->scores, predictor->probabilities))
        prediction->probabilities = predictor->probabilities;
    return OK;
}

/* ---- one for each thread --------------------------------------------------------------------- */

/* A predictor of a thread. Slots are added at the front of the list, and are freed with the model.
 * A thread that begins after another has ended may have the same number, and then has the same
 * slot. `busy` synchronizes the two. In a forked child it also marks a slot whose thread was in a
 * call at the time of the fork: such a slot is not used again. */
typedef struct Slot {
    struct Slot *next;
    pthread_t owner;
    atomic_bool busy;
    Predictor predictor;
} Slot;

struct PredictorList {
    _Atomic(Slot *) first;
};

Status clv_predictors_new(Context *context, PredictorList **list, cleave_error *error)
{
    return ALLOC_ZERO(context, *list, 1, "a model", error);
}

void clv_predictors_clear(Context *context, PredictorList *list)
{
    for (Slot *slot = atomic_load(&list->first), *next; slot; slot = next) {
        next = slot->next;
        clv_predictor_free(&slot->predictor);
        clv_free(context, slot);
    }
    atomic_store(&list->first, NULL);
}

void clv_predictors_free(Context *context, PredictorList *list)
{
    if (!list)
        return;
    clv_predictors_clear(context, list);
    clv_free(context, list);
}

static Slot *find_slot(PredictorList *list)
{
    pthread_t self = pthread_self();
    Slot *slot = atomic_load_explicit(&list->first, memory_order_acquire);

    while (slot && !(pthread_equal(slot->owner, self) &&
                     !atomic_load_explicit(&slot->busy, memory_order_acquire)))
        slot = slot->next;
    return slot;
}

static Status add_slot(PredictorList *list, const Model *model, Slot **result, cleave_error *error)
{
    Slot *slot = clv_alloc_zero(model->context, 1, sizeof *slot);
    Status status;

    *result = slot;
    if (!slot)
        return clv_fail_memory(error, "a prediction", sizeof *slot);
    slot->owner = pthread_self();
    status = clv_predictor_init(&slot->predictor, model, error);
    if (status != OK) {
        clv_predictor_free(&slot->predictor);
        clv_free(model->context, slot);
        return status;
    }
    slot->next = atomic_load_explicit(&list->first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&list->first, &slot->next, slot,
                                                  memory_order_release, memory_order_relaxed))
        ;
    return OK;
}

Status clv_predictors_row(PredictorList *list, const Model *model, size_t count,
                          const uint32_t *columns, const float *values,
                          cleave_prediction *prediction, cleave_error *error)
{
    Slot *slot = find_slot(list);
    Status status;

    if (!slot)
        TRY(add_slot(list, model, &slot, error));
    atomic_store_explicit(&slot->busy, true, memory_order_relaxed);
    status = clv_predictor_row(&slot->predictor, count, columns, values, prediction, error);
    atomic_store_explicit(&slot->busy, false, memory_order_release);
    return status;
}
