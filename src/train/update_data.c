/* cleave_update: maps the rows to the inputs of the model, adds new words and columns, and runs the
 * driver in train/update.h. */
#include "train/update.h"

#include "data/compact.h"
#include "data/remap.h"
#include "eval/evaluation.h"
#include "input/input.h"
#include "input/similar_labels.h"
#include "pipeline/pipeline.h"
#include "train/run.h"
#include "train/train.h"

#include <stdio.h>

typedef struct {
    Context *context;
    const Model *from;
    const Labels *labels; /* labels of the model, then new ones */
    Names known;          /* known inputs of the model */
    Names names;          /* names of the inputs of the model, then new ones */
    uint32_t inputs;
    Pipeline *pipeline; /* NULL: none */
    Dataset *rows;      /* rows after the pipeline */
    uint32_t new_features;
    cleave_error *error;
} Updating;

/* ---- the rows -------------------------------------------------------------------------------- */

/* The number of columns from which the model was trained. */
static uint32_t known_inputs(const Model *from)
{
    return from->pipeline && clv_pipeline_any_column(from->pipeline) ? from->features
                                                                     : clv_model_input_count(from);
}

/* Warns of a new class whose label is similar to that of a class of the model: it is probably the
 * same class. */
static Status check_classes(const Updating *updating, const Labels *labels, const char *name)
{
    char one[QUOTE_SIZE], other[QUOTE_SIZE], place[24], trim[TRIM_SIZE];
    const Label *label, *class;
    uint32_t similar, to;

    TRY(clv_labels_similar(labels, updating->from->labels.count, &similar, &to, updating->error));
    if (similar == UNLABELED)
        return OK;
    label = &labels->list[similar];
    class = &labels->list[to];
    clv_quote(one, class->text, strlen(class->text));
    clv_fail(updating->error, CLEAVE_ERROR_DATA,
             "%s%s: the label '%s' would be a new class, but the model has the similar class '%s'",
             name, clv_run_place(label->first_line, label->first_file, place),
             clv_quote(other, label->text, strlen(label->text)), one);
    if (clv_label_trim(label->text, class->text, trim))
        return clv_hint(updating->error, CLEAVE_ERROR_DATA,
                        "use --trim-labels '%s' to remove the difference, or "
                        "--allow-similar-labels to accept a "
                        "new class",
                        trim);
    return clv_hint(updating->error, CLEAVE_ERROR_DATA,
                    "write the label as '%s', or accept a new class with --allow-similar-labels",
                    one);
}

/* Loads the data as it was read, with the labels and columns of the model and new ones. */
static Status load_raw(Updating *updating, cleave_data *data, const UpdateOptions *options,
                       Dataset **raw)
{
    const Model *from = updating->from;
    Source *source, *view;
    Status status;

    TRY(clv_data_source(data, &source, updating->error));
    TRY(clv_remap_growing(source, false, &from->labels, clv_model_inputs(from), NULL,
                          known_inputs(from), &view, updating->error));
    status = clv_dataset_load(view, raw, updating->error);
    if (status == OK && from->labels.count > 0 && !options->allow_similar_labels)
        status = check_classes(updating, &view->labels, clv_data_name(data));
    if (status == OK && from->labels.count > 0)
        clv_labels_note_merged(&view->labels);
    clv_source_close(view);
    return status;
}

/* Gives names to the columns if their numbers have gaps: to those of the model and to those that
 * occur. */
static Status leave_gaps_out(Updating *updating, Dataset **raw)
{
    const Model *from = updating->from;
    uint32_t inputs = known_inputs(from);
    Dataset *compact = NULL;
    Source *source, *view;
    Status status;

    TRY(clv_names_copy(&updating->known, clv_model_inputs(from), updating->error));
    if (!clv_numbers_have_gaps(&from->schema, &updating->known, (*raw)->features,
                               (*raw)->entries + inputs))
        return OK;
    TRY(clv_names_spell_out(&updating->known, inputs, updating->error));
    TRY(clv_dataset_source(*raw, false, &source, updating->error));
    TRY(clv_remap_growing(source, true, &(*raw)->labels, &updating->known, NULL, inputs, &view,
                          updating->error));
    status = clv_dataset_load(view, &compact, updating->error);
    clv_source_close(view);
    TRY(status);
    clv_dataset_free(*raw);
    *raw = compact;
    return OK;
}

static Status count_columns(Updating *updating, Dataset *raw, uint64_t *count)
{
    for (uint32_t i = 0; i < raw->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(raw, i, &block, updating->error));
        clv_block_count(&block, count);
    }
    return OK;
}

static bool admits(const Model *from, uint64_t df)
{
    if (clv_schema_is_table(&from->schema) || df == 0)
        return false;
    return !from->pipeline || clv_pipeline_any_column(from->pipeline) ||
           clv_pipeline_admits(from->pipeline, df);
}

/* Chooses the names of the inputs: those of the model, then those of the accepted new columns. df
 * receives the document frequencies of the new columns, in their order. */
static Status choose_columns(Updating *updating, const Dataset *raw, uint64_t *df)
{
    const Names *known = &updating->known;
    uint32_t before = known->implicit ? updating->inputs : known->count, last = before;
    Context *context = updating->context;

    clv_names_init(&updating->names, context, known->implicit);
    TRY(clv_names_copy(&updating->names, known, updating->error));
    updating->names.frozen = false;
    for (uint32_t i = before; i < raw->features; i++) {
        char buffer[24];
        const char *name;
        uint32_t column;

        if (!admits(updating->from, df[i]))
            continue;
        if (known->implicit) { /* the columns between them are added too */
            last = i + 1;
            continue;
        }
        name = clv_names_get(&raw->names, i, buffer);
        TRY(clv_names_add(&updating->names, name, strlen(name), &column, updating->error));
        df[last++] = df[i];
    }
    updating->new_features = last - before;
    updating->inputs = last;
    return OK;
}

static Status grow_pipeline(Updating *updating, const Dataset *raw, const uint64_t *df)
{
    const Pipeline *pipeline = updating->from->pipeline;
    Growth growth = {
        .rows = updating->from->rows + raw->rows, .count = updating->new_features, .df = df};

    if (!pipeline || updating->new_features == 0 || clv_pipeline_any_column(pipeline)) {
        updating->pipeline = clv_pipeline_keep(pipeline);
        return OK;
    }
    return clv_pipeline_grow(pipeline, &growth, &updating->names, &updating->pipeline,
                             updating->error);
}

static Status grow(Updating *updating, Dataset *raw)
{
    uint64_t *df = clv_alloc_zero(updating->context, (size_t)raw->features + 1, sizeof *df);
    Status status = df ? count_columns(updating, raw, df)
                       : clv_fail_memory(updating->error, "counts of features",
                                         raw->features * sizeof *df);

    updating->inputs = known_inputs(updating->from);
    THEN(status, choose_columns(updating, raw, df));
    THEN(status, grow_pipeline(updating, raw, df + (updating->inputs - updating->new_features)));
    clv_free(updating->context, df);
    return status;
}

/* Loads the rows after the extended pipeline. */
static Status load_rows(Updating *updating, Dataset *raw)
{
    Source *source, *view;
    Status status;

    TRY(clv_dataset_source(raw, false, &source, updating->error));
    TRY(clv_remap_source(source, true, &raw->labels, &updating->names, updating->inputs, &view,
                         updating->error));
    if (updating->pipeline)
        TRY(clv_pipeline_source(updating->pipeline, view, true, &view, updating->error));
    status = clv_dataset_load(view, &updating->rows, updating->error);
    clv_source_close(view);
    return status;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static Status evaluate_rows(const Model *model, Dataset *rows, Evaluation *evaluation,
                            cleave_error *error)
{
    Context *context = model->context;
    double *numbers = clv_alloc(context, (size_t)rows->labels.count + 1, sizeof *numbers);
    Traversal traversal = {0};
    Status status;

    if (!numbers)
        return clv_fail_memory(error, "targets", rows->labels.count * sizeof *numbers);
    for (uint32_t i = 0; i < rows->labels.count; i++)
        numbers[i] = rows->labels.list[i].number;
    status = clv_traversal_init(&traversal, rows, ORDER_FILE, 0, 0, 1, error);
    evaluation->without_loss = true;
    THEN(status, clv_evaluate_rows(model, &traversal, numbers, NULL, NULL, evaluation, error));
    clv_traversal_free(&traversal);
    clv_free(context, numbers);
    return status;
}

static double error_of(const Model *model, const Evaluation *evaluation)
{
    double n = (double)evaluation->n;

    if (evaluation->n == 0)
        return (double)NAN;
    return model->task == CLEAVE_TASK_REGRESSION ? sqrt(evaluation->squared_error / n)
                                                 : (double)evaluation->errors / n;
}

/* Evaluates data as it was read, mapped to the inputs of the model. warns: prints a warning for
 * labels whose numeric value equals that of a class of the model. */
static Status evaluate_data(const Model *model, Source *source, bool warns, double *error_rate,
                            uint64_t *n, cleave_error *error)
{
    Evaluation evaluation = {0};
    Dataset *rows = NULL;
    Source *view;
    Status status;

    TRY(clv_view_for(model, source, &view, error));
    status = clv_dataset_load(view, &rows, error);
    clv_source_close(view);
    THEN(status, evaluate_rows(model, rows, &evaluation, error));
    if (status == OK && warns && model->labels.count > 0)
        clv_labels_note(&rows->labels, model->labels.count);
    clv_dataset_free(rows);
    TRY(status);
    *error_rate = clv_evaluation_error(&evaluation, model->task == CLEAVE_TASK_REGRESSION);
    *n = evaluation.n;
    return OK;
}

static Status evaluate_validation(const Model *model, cleave_data *validation, bool warns,
                                  double *error_rate, cleave_update_result *result,
                                  cleave_error *error)
{
    Source *source;

    if (!validation)
        return OK;
    TRY(clv_data_source(validation, &source, error));
    return evaluate_data(model, source, warns, error_rate, &result->validation_rows, error);
}

/* ---- cleave_update --------------------------------------------------------------------------- */

static Status learn(Updating *updating, const UpdateOptions *options, const char *name,
                    Model **model)
{
    const Model *from = updating->from;
    UpdateJob job = {.from = from,
                     .options = options,
                     .name = name,
                     .names = updating->new_features ? &updating->names : &from->names,
                     .pipeline = updating->pipeline,
                     .dataset = updating->rows};
    RunOptions run;
    Status status;

    TRY(clv_new(updating->context, &job.method_options, 1, from->method->options_size, true,
                "options", updating->error));
    job.run = &run;
    status = clv_options_of_model(from, &run, job.method_options, updating->error);
    THEN(status, clv_update_check(from, job.method_options, updating->error));
    THEN(status, clv_update(updating->context, &job, model, updating->error));
    clv_free(updating->context, job.method_options);
    return status;
}

/* Warns if one class fills an update, because a linear model then moves toward it. A few
 * corrections are harmless. */
static void warn_of_one_class(const Updating *updating, const Labels *labels)
{
    enum { MANY_ROWS = 100 };
    const Label *only = NULL;
    char quoted[QUOTE_SIZE];

    for (uint32_t i = 0; i < labels->count; i++) {
        if (labels->list[i].count == 0)
            continue;
        if (only)
            return;
        only = &labels->list[i];
    }
    if (only && only->count >= MANY_ROWS)
        clv_warn(updating->context,
                 "add rows of the other classes; --validation FILE shows the error on other rows",
                 "all %llu new rows have the label '%s'; the error on other classes may rise",
                 (unsigned long long)only->count,
                 clv_quote(quoted, only->text, strlen(only->text)));
}

static Status update(Updating *updating, Dataset *raw, cleave_data *validation,
                     const UpdateOptions *options, const char *name, Model **model,
                     cleave_update_result *result)
{
    const Model *from = updating->from;
    Evaluation after = {0};
    Source *source;
    Status status;

    TRY(clv_dataset_source(raw, false, &source, updating->error));
    status = evaluate_data(updating->from, source, false, &result->error_before, &result->rows,
                           updating->error);
    clv_source_close(source);
    TRY(status);
    TRY(evaluate_validation(from, validation, false, &result->validation_before, result,
                            updating->error));
    TRY(grow(updating, raw));
    TRY(load_rows(updating, raw));
    TRY(learn(updating, options, name, model));
    if (from->names.implicit && !(*model)->names.implicit) /* the rows come from an array */
        snprintf((*model)->schema.format, sizeof(*model)->schema.format, "%s", SCHEMA_NUMBERED);
    TRY(evaluate_rows(*model, updating->rows, &after, updating->error));
    TRY(evaluate_validation(*model, validation, true, &result->validation_after, result,
                            updating->error));
    result->error_after = error_of(*model, &after);
    result->unlabeled = raw->rows - result->rows;
    result->new_features = (*model)->features - from->features;
    result->new_classes = (*model)->labels.count - from->labels.count;
    result->regression = from->task == CLEAVE_TASK_REGRESSION;
    if (from->task != CLEAVE_TASK_REGRESSION)
        warn_of_one_class(updating, &raw->labels);
    if (result->unlabeled)
        clv_warn(updating->context, "", "%llu row%s no label and %s skipped",
                 (unsigned long long)result->unlabeled, result->unlabeled == 1 ? " has" : "s have",
                 result->unlabeled == 1 ? "is" : "are");
    return OK;
}

cleave_code cleave_update(const cleave_model *from, cleave_data *data, cleave_data *validation,
                          const cleave_options *options, cleave_model **model,
                          cleave_update_result *result, cleave_error *error)
{
    REQUIRE(from && data && model);
    cleave_update_result own;
    Updating updating = {.context = from->context, .from = from, .error = error};
    UpdateOptions given;
    Dataset *raw = NULL;
    Status status;

    *model = NULL;
    if (result)
        TRY(clv_take_sized(&own, sizeof own, result, "cleave_update_result", error));
    own = (cleave_update_result){.validation_before = (double)NAN, .validation_after = (double)NAN};
    TRY(clv_params_apply(options, clv_update_params, &given, NULL, NULL, error));
    clv_names_init(&updating.names, from->context, false);
    clv_names_init(&updating.known, from->context, false);
    status = load_raw(&updating, data, &given, &raw);
    THEN(status, leave_gaps_out(&updating, &raw));
    THEN(status, update(&updating, raw, validation, &given, clv_data_name(data), model, &own));
    if (status != OK) {
        cleave_model_free(*model);
        *model = NULL;
    }
    clv_names_free(&updating.names);
    clv_names_free(&updating.known);
    clv_pipeline_release(updating.pipeline);
    clv_dataset_free(updating.rows);
    clv_dataset_free(raw);
    if (result)
        clv_give_sized(result, &own, sizeof own);
    return status;
}
