/* Explains a prediction: the contribution of each feature of a row to the score of the predicted
 * class and of the second-best class. */
#include "inspect/explain.h"

#include "input/input.h"
#include "learn/tree/trees.h"
#include "model/method.h"
#include "pipeline/pipeline.h"

#include <stdio.h>
#include <stdlib.h>

/* The public structure, and the memory to which it points. */
typedef struct {
    cleave_explanation facts; /* first member */
    Context *context;
    const Model *model; /* a reference, because of its labels and names */
    cleave_contribution *share;
    cleave_neighbor *neighbor;
    cleave_support_vector *support;
    Buffer names; /* names of the contributions, each with its NUL */
    char *given;
    char number[32];
    char **unknown;
    size_t unknown_capacity;
} Explanation;

void cleave_explanation_free(cleave_explanation *facts)
{
    Explanation *explanation = (Explanation *)facts;
    Context *context;

    if (!facts)
        return;
    context = explanation->context;
    for (size_t i = 0; i < facts->unknown_count; i++)
        clv_free(context, explanation->unknown[i]);
    FREE(context, explanation->unknown, explanation->share, explanation->neighbor,
         explanation->support, explanation->names.data, explanation->given);
    clv_model_drop(explanation->model);
    clv_free(context, explanation);
}

Status clv_explanation_add_unknown(cleave_explanation *facts, const char *name, cleave_error *error)
{
    Explanation *explanation = (Explanation *)facts;
    char *copy;

    TRY(GROW(explanation->context, explanation->unknown, explanation->unknown_capacity,
             facts->unknown_count + 1, error));
    copy = clv_copy_string(explanation->context, name, strlen(name));
    if (!copy)
        return clv_fail_memory(error, "a name", strlen(name));
    explanation->unknown[facts->unknown_count++] = copy;
    facts->unknown = (const char *const *)explanation->unknown;
    return OK;
}

/* ---- prediction ------------------------------------------------------------------------------ */

/* Outputs of the predicted class and the second-best class, and the signs of their scores. */
typedef struct {
    size_t output, other;
    double sign;
} Sides;

static void answer_class(const Model *model, const double *scores, Explanation *explanation,
                         Sides *sides)
{
    cleave_explanation *facts = &explanation->facts;
    DecisionRule rule = clv_model_rule(model, false);
    uint32_t classes = model->labels.count, answer = clv_decide(&rule, scores), next = UNLABELED;

    facts->label = clv_decided_label(&rule, answer);
    facts->abstained = answer == UNLABELED;
    if (facts->abstained)
        return;
    if (classes <= 2) {
        sides->sign = answer == model->positive ? 1 : -1;
        facts->score = sides->sign * scores[0];
        if (classes == 2)
            next = 1 - answer;
        facts->runner_up_score = 0 - facts->score;
    } else {
        for (uint32_t i = 0; i < classes; i++)
            if (i != answer && (next == UNLABELED || scores[i] > scores[next]))
                next = i;
        *sides = (Sides){.output = answer, .other = next, .sign = 1};
        facts->score = scores[answer];
        facts->runner_up_score = scores[next];
    }
    if (next != UNLABELED)
        facts->runner_up = model->labels.list[next].text;
}

static Status fill_probabilities(const Model *model, const double *scores,
                                 cleave_explanation *facts, cleave_error *error)
{
    double *probabilities;

    TRY(ALLOC(model->context, probabilities, (size_t)model->labels.count + 1, "probabilities",
              error));
    if (clv_model_probabilities(model, scores, probabilities))
        for (uint32_t i = 0; i < model->labels.count; i++) {
            if (facts->label == model->labels.list[i].text)
                facts->probability = probabilities[i];
            if (facts->runner_up == model->labels.list[i].text)
                facts->runner_up_probability = probabilities[i];
        }
    clv_free(model->context, probabilities);
    return OK;
}

/* ---- shares ---------------------------------------------------------------------------------- */

static int decisive_first(const void *a, const void *b)
{
    const cleave_contribution *x = a, *y = b;
    double one = fabs(x->contribution - x->runner_up), two = fabs(y->contribution - y->runner_up);

    if (one != two)
        return one > two ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Sets the names. They are copied into the buffer first, because the buffer moves while it
 * grows. */
static Status name_shares(const Model *model, Explanation *explanation, cleave_error *error)
{
    size_t at = 0;

    for (size_t i = 0; i < explanation->facts.contribution_count; i++) {
        char buffer[24];
        const char *name = clv_names_get(&model->names, (uint32_t)explanation->share[i].column,
                                         buffer);

        TRY(clv_buffer_add(explanation->context, &explanation->names, name, strlen(name) + 1,
                           error));
    }
    for (size_t i = 0; i < explanation->facts.contribution_count; i++) {
        cleave_contribution *share = &explanation->share[i];

        share->name = explanation->names.data + at;
        share->text = clv_category_text(model, share->column, share->value);
        at += strlen(explanation->names.data + at) + 1;
    }
    return OK;
}

/* Contributions of all features to the scores of the two classes. */
typedef struct {
    double *mine, *theirs; /* theirs: NULL if a single output decides */
} Contributions;

static bool find_contributions(const Model *model, const Block *block, const Sides *sides,
                               const Contributions *all, cleave_explanation *facts)
{
    return METHOD_HAS(model->method, inspection, contributions) &&
           model->method->inspection->contributions(model, block, 0, sides->output, all->mine,
                                                    &facts->intercept) &&
           (!all->theirs ||
            model->method->inspection->contributions(model, block, 0, sides->other, all->theirs,
                                                     &facts->runner_up_intercept));
}

/* Lists the features that occur in the row or contribute. A feature of 0 may contribute too, if a
 * tree splits by it. */
static Status list_shares(const Model *model, const Block *block, const Sides *sides,
                          const Contributions *all, Explanation *explanation, cleave_error *error)
{
    cleave_explanation *facts = &explanation->facts;
    RowWalk walk = clv_walk(block, 0);
    bool more = clv_walk_next(&walk);
    size_t capacity = 0;

    for (uint32_t column = 0; column < model->features; column++) {
        bool occurs = more && walk.column == column;
        double theirs = all->theirs ? all->theirs[column] : 0;

        if (occurs || all->mine[column] != 0 || theirs != 0) {
            TRY(GROW(explanation->context, explanation->share, capacity,
                     facts->contribution_count + 1, error));
            explanation->share[facts->contribution_count++] = (cleave_contribution){
                .column = column,
                .value = !occurs                       ? 0
                         : walk.value == MISSING_VALUE ? (double)NAN
                                                       : (double)walk.value,
                .contribution = sides->sign * all->mine[column],
                .runner_up = theirs};
        }
        if (occurs)
            more = clv_walk_next(&walk);
    }
    if (facts->contribution_count)
        qsort(explanation->share, facts->contribution_count, sizeof *explanation->share,
              decisive_first);
    facts->contributions = explanation->share;
    return name_shares(model, explanation, error);
}

static Status find_shares(const Model *model, const Block *block, const Sides *sides,
                          Explanation *explanation, cleave_error *error)
{
    cleave_explanation *facts = &explanation->facts;
    const bool two = sides->other != sides->output;
    const size_t features = (size_t)model->features + 1;
    double *memory = clv_alloc_zero(model->context, features, 2 * sizeof *memory);
    const Contributions all = {.mine = memory, .theirs = two && memory ? memory + features : NULL};
    Status status = OK;

    if (!memory)
        return clv_fail_memory(error, "contributions", 2 * features * sizeof *memory);
    facts->has_contributions = find_contributions(model, block, sides, &all, facts);
    if (facts->has_contributions) {
        facts->intercept *= sides->sign;
        if (!two && facts->runner_up)
            facts->runner_up_intercept = 0 - facts->intercept;
        status = list_shares(model, block, sides, &all, explanation, error);
    } else {
        facts->intercept = facts->runner_up_intercept = 0;
    }
    clv_free(model->context, memory);
    return status;
}

/* ---- support vectors ------------------------------------------------------------------------- */

static Status find_supports(const Model *model, const Block *block, const Sides *sides,
                            Explanation *explanation, cleave_error *error)
{
    cleave_explanation *facts = &explanation->facts;

    TRY(model->method->inspection->supports(model, block, 0, sides->output, &explanation->support,
                                            &facts->support_vector_count, error));
    for (size_t i = 0; i < facts->support_vector_count; i++) {
        explanation->support[i].alpha *= sides->sign;
        explanation->support[i].contribution *= sides->sign;
    }
    facts->support_vectors = explanation->support;
    return OK;
}

/* Precedes the support vectors in memory. Their labels point into the model, to which it has a
 * reference. */
typedef struct {
    const Model *model;
    cleave_support_vector support[];
} Supports;

cleave_code cleave_model_support_vectors(const cleave_model *model,
                                         cleave_support_vector **supports, size_t *count,
                                         cleave_error *error)
{
    REQUIRE(model && supports && count);
    cleave_support_vector *found = NULL;
    Supports *made;
    size_t size;

    *supports = NULL;
    *count = 0;
    if (!METHOD_HAS(model->method, inspection, supports))
        return OK;
    TRY(model->method->inspection->supports(model, NULL, 0, 0, &found, count, error));
    if (*count == 0) {
        clv_free(model->context, found);
        return OK;
    }
    size = *count * sizeof *found;
    made = clv_alloc(model->context, 1, sizeof *made + size);
    if (made) {
        made->model = clv_model_keep(model);
        clv_copy_bytes(model->context, made->support, found, size);
        *supports = made->support;
    }
    clv_free(model->context, found);
    return made ? OK : clv_fail_memory(error, "support vectors", size);
}

void cleave_support_vectors_free(cleave_support_vector *supports)
{
    Supports *made = supports ? (Supports *)(void *)((char *)supports - offsetof(Supports, support))
                              : NULL;
    const Model *model = made ? made->model : NULL;

    if (!made)
        return;
    clv_free(model->context, made);
    clv_model_drop(model);
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* Finds the leaf of a row in a single tree. Several trees have no common path. */
static Status find_leaf(const Model *model, const Block *block, cleave_explanation *facts,
                        cleave_error *error)
{
    uint32_t node;
    Trees trees;

    facts->leaf = SIZE_MAX;
    if (!clv_trees_of(model, &trees) || trees.trees != 1)
        return OK;
    TRY(clv_trees_leaves(&trees, model->context, block, 0, &node, error));
    facts->leaf = node;
    return OK;
}

static Status answer(const Model *model, const Block *block, double *scores,
                     Explanation *explanation, cleave_error *error)
{
    cleave_explanation *facts = &explanation->facts;
    Sides sides = {.sign = 1};

    TRY(model->method->inference->predict(model, block, scores, error));
    facts->probability = facts->runner_up_probability = (double)NAN;
    if (model->task == CLEAVE_TASK_REGRESSION) {
        facts->score = scores[0];
        facts->label = cleave_number_text(scores[0], explanation->number);
    } else {
        answer_class(model, scores, explanation, &sides);
        TRY(fill_probabilities(model, scores, facts, error));
    }
    if (METHOD_HAS(model->method, inspection, neighbors))
        TRY(model->method->inspection->neighbors(model, block, 0, &explanation->neighbor,
                                                 &facts->neighbor_count, error));
    facts->neighbors = explanation->neighbor;
    if (METHOD_HAS(model->method, inspection, supports))
        TRY(find_supports(model, block, &sides, explanation, error));
    TRY(find_leaf(model, block, facts, error));
    return find_shares(model, block, &sides, explanation, error);
}

static Status explain_block(const Model *model, const Block *block, const char *given,
                            Explanation *explanation, cleave_error *error)
{
    size_t outputs = outputs_of(model->labels.count);
    double *scores = clv_alloc(model->context, outputs, sizeof *scores);
    Status status = scores ? OK : clv_fail_memory(error, "scores", outputs * sizeof *scores);

    if (status == OK && given) {
        explanation->facts.true_label = explanation->given = clv_copy_string(model->context, given,
                                                                             strlen(given));
        if (!explanation->given)
            status = clv_fail_memory(error, "a label", strlen(given));
    }
    THEN(status, answer(model, block, scores, explanation, error));
    clv_free(model->context, scores);
    return status;
}

Status clv_explain_one(const Model *model, const Source *source, const Block *block, uint32_t row,
                       cleave_explanation **result, cleave_error *error)
{
    Explanation *explanation;
    uint32_t given = block_label(block, row);
    Builder builder;
    Block one;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(model->context, explanation, 1, "an explanation", error));
    explanation->context = model->context;
    explanation->model = clv_model_keep(model);
    clv_builder_init(&builder, model->context);
    clv_builder_clear(&builder);
    status = clv_builder_copy_row(&builder, block, row, given, error);
    THEN(status, clv_builder_finish(&builder, &one, error));
    THEN(status,
         explain_block(model, &one, given == UNLABELED ? NULL : source->labels.list[given].text,
                       explanation, error));
    clv_builder_free(&builder);
    if (status != OK) {
        cleave_explanation_free(&explanation->facts);
        return status;
    }
    *result = &explanation->facts;
    return OK;
}

static Status find_row(const Model *model, const cleave_data *data, Source *source, uint64_t row,
                       cleave_explanation **result, cleave_error *error)
{
    uint64_t before = 0;

    for (;;) {
        const Block *block;

        TRY(source_next(source, &block, error));
        if (!block) {
            clv_fail(error, CLEAVE_ERROR_USAGE, "%s: row %llu does not exist", clv_data_name(data),
                     (unsigned long long)row);
            return clv_hint(error, CLEAVE_ERROR_USAGE, "choose a row from 1 to %llu",
                            (unsigned long long)before);
        }
        if (row - before <= block->rows)
            return clv_explain_one(model, source, block, (uint32_t)(row - before - 1), result,
                                   error);
        before += block->rows;
    }
}

static Status refuse_several(const cleave_data *data, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "use --row N to choose the row to explain, counted from 1",
                         "%s: expected one row, found several", clv_data_name(data));
}

/* Returns the next block that has rows; NULL at the end. */
static Status next_rows(Source *source, const Block **block, cleave_error *error)
{
    do
        TRY(source_next(source, block, error));
    while (*block && (*block)->rows == 0);
    return OK;
}

/* Reads the only row of data that has one row. */
static Status find_only_row(const Model *model, const cleave_data *data, Source *source,
                            cleave_explanation **result, cleave_error *error)
{
    const Block *block;
    Status status;

    TRY(next_rows(source, &block, error));
    if (!block)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: expected one row, found none",
                        clv_data_name(data));
    if (block->rows > 1)
        return refuse_several(data, error);
    TRY(clv_explain_one(model, source, block, 0, result, error));
    status = next_rows(source, &block, error);
    if (status == OK && block)
        status = refuse_several(data, error);
    if (status != OK) {
        cleave_explanation_free(*result);
        *result = NULL;
    }
    return status;
}

cleave_code cleave_explain_row(const cleave_model *model, cleave_data *data, uint64_t row,
                               cleave_explanation **result, cleave_error *error)
{
    REQUIRE(model && data && result);
    Source *source, *view = NULL;
    const char *given;
    Status status;

    *result = NULL;
    TRY(clv_data_source(data, &source, error));
    if (data->opened_for != model)
        TRY(clv_view_for(model, source, &view, error));
    if (row == 0)
        status = find_only_row(model, data, view ? view : source, result, error);
    else
        status = find_row(model, data, view ? view : source, row, result, error);
    given = status == OK ? (*result)->true_label : NULL;
    if (given && clv_labels_find(&model->labels, given, strlen(given)) == UNLABELED)
        clv_data_warn_labels(data, 1, given);
    clv_source_close(view);
    return status;
}

bool cleave_model_points(const cleave_model *model, cleave_point_set *points, uint64_t *per_class)
{
    return METHOD_HAS(model->method, inspection, points) &&
           model->method->inspection->points(model, points, per_class);
}

bool cleave_model_unit(const cleave_model *model, size_t unit, double *weights, double *outputs,
                       double *intercept)
{
    return METHOD_HAS(model->method, inspection, unit) &&
           model->method->inspection->unit(model, unit, weights, outputs, intercept);
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

static const Step *step_of(const Model *model, size_t number)
{
    return model->pipeline && number < clv_pipeline_steps(model->pipeline)
               ? clv_pipeline_step(model->pipeline, number)
               : NULL;
}

static bool is_usual(const Param *param, const void *options)
{
    Param alone[] = {*param, END_OF_PARAMS};
    union {
        double real;
        int64_t integer;
        int name;
        bool flag;
        const char *text;
    } usual = {0};
    char one[PARAM_TEXT_SIZE], other[PARAM_TEXT_SIZE];

    alone[0].offset = 0;
    clv_params_initial(alone, &usual);
    return strcmp(clv_param_text(param, options, one), clv_param_text(alone, &usual, other)) == 0;
}

static void step_text(const Step *step, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%s", step->transform->name);

    for (const Param *param = step->transform->params; param->name && used < capacity; param++) {
        char now[PARAM_TEXT_SIZE];
        const char *value = clv_param_text(param, step->options, now);

        if (!is_usual(param, step->options))
            used += (size_t)snprintf(text + used, capacity - used, ":%s=%s",
                                     clv_param_flag(param).text, value);
    }
}

bool cleave_model_step(const cleave_model *model, size_t number, cleave_pipeline_step *facts)
{
    const Step *step = step_of(model, number);

    if (!step)
        return false;
    *facts = (cleave_pipeline_step){.name = step->transform->name,
                                    .brief = step->transform->brief,
                                    .inputs = step->inputs,
                                    .outputs = step->outputs};
    step_text(step, facts->text, sizeof facts->text);
    if (step->transform->summarize)
        step->transform->summarize(step, facts->facts);
    return true;
}

/* The array of a step with this number, among those that are not text. */
static const BundleItem *array_of(const Step *step, size_t number)
{
    for (size_t i = 0; step && i < step->arrays->count; i++)
        if (step->arrays->item[i].type != BUNDLE_BYTES && number-- == 0)
            return &step->arrays->item[i];
    return NULL;
}

bool cleave_model_step_array(const cleave_model *model, size_t step, size_t number,
                             const char **name, size_t *count, bool *whole)
{
    const BundleItem *item = array_of(step_of(model, step), number);

    if (!item)
        return false;
    *name = item->name;
    *count = (size_t)item->count;
    if (whole)
        *whole = item->type == BUNDLE_U32 || item->type == BUNDLE_U64;
    return true;
}

double cleave_model_step_value(const cleave_model *model, size_t step, size_t array, size_t index)
{
    const BundleItem *item = array_of(step_of(model, step), array);

    if (!item || index >= item->count)
        return 0;
    switch (item->type) {
    case BUNDLE_U32:
        return ((const uint32_t *)item->data)[index];
    case BUNDLE_U64:
        return (double)((const uint64_t *)item->data)[index];
    case BUNDLE_F32:
        return (double)((const float *)item->data)[index];
    case BUNDLE_F64:
        return ((const double *)item->data)[index];
    default:
        return 0;
    }
}

const char *cleave_model_step_column(const cleave_model *model, size_t step, size_t column,
                                     char buffer[24])
{
    const Step *of = step_of(model, step);

    return of && column < of->outputs
               ? clv_pipeline_name(model->pipeline, step, (uint32_t)column, buffer)
               : NULL;
}
