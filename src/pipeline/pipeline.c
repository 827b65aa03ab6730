#include "pipeline/pipeline_parts.h"

/* ---- creation -------------------------------------------------------------------------------- */

static Status set_parameter(const Step *step, char *word, cleave_error *error)
{
    char *equals = strchr(word, '='), quoted[QUOTE_SIZE];
    const Param *param;

    if (equals)
        *equals = '\0';
    param = clv_param_find(step->transform->params, word);
    if (!param) {
        const char *names[32], *nearest;
        size_t count = 0;

        for (const Param *each = step->transform->params; each->name && count < 31; each++)
            names[count++] = each->name;
        names[count] = NULL;
        nearest = cleave_nearest_word(word, names);
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--transform: %s has no parameter '%s'%s%s%s",
                        step->transform->name, clv_quote(quoted, word, strlen(word)),
                        nearest ? "; did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "");
    }
    if (!equals && param->type != CLEAVE_FLAG) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--transform: parameter '%s' of %s needs a value", word,
                 step->transform->name);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "for example: %s:%s=VALUE",
                        step->transform->name, word);
    }
    return clv_param_set(param, step->options, equals ? equals + 1 : "true", error);
}

/* Parses one step. The text is modified. */
static Status add_step(Pipeline *pipeline, char *text, cleave_error *error)
{
    Context *context = pipeline->context;
    char *word = strchr(text, ':');
    Step *step;

    if (word)
        *word++ = '\0';
    TRY(GROW(context, pipeline->step, pipeline->capacity, pipeline->count + 1, error));
    step = &pipeline->step[pipeline->count];
    *step = (Step){.context = context, .limit = NO_COLUMN};
    TRY(clv_transform_find(text, strlen(text), &step->transform, error));
    pipeline->count++;
    step->options = clv_alloc_zero(context, 1, step->transform->options_size);
    step->state = clv_alloc_zero(context, 1, step->transform->state_size);
    if (!step->options || !step->state)
        return clv_fail_memory(error, "a transformation", step->transform->state_size);
    TRY(clv_bundle_new(context, &step->arrays, error));
    clv_params_initial(step->transform->params, step->options);
    while (word) {
        char *next = strchr(word, ':');

        if (next)
            *next++ = '\0';
        TRY(set_parameter(step, word, error));
        word = next;
    }
    return step->transform->check ? step->transform->check(step->options, error) : OK;
}

static Status add_steps(Pipeline *pipeline, cleave_error *error)
{
    for (char *at = pipeline->text, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (!*at || *at == ' ')
            return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                                 "for example: --transform scale,polynomial:degree=2",
                                 "--transform: expected the name of a transform, found nothing");
        TRY(add_step(pipeline, at, error));
    }
    return OK;
}

Status clv_pipeline_parse(Context *context, const char *text, Pipeline **result,
                          cleave_error *error)
{
    Pipeline *pipeline;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, pipeline, 1, "a pipeline", error));
    pipeline->context = context;
    pipeline->users = 1;
    clv_columns_init(&pipeline->inputs, context);
    clv_columns_init(&pipeline->outputs, context);
    clv_columns_init(&pipeline->between, context);
    pipeline->text = clv_copy_string(context, text, strlen(text));
    status = pipeline->text ? add_steps(pipeline, error)
                            : clv_fail_memory(error, "a pipeline", strlen(text));
    if (status != OK) {
        clv_pipeline_release(pipeline);
        return status;
    }
    *result = pipeline;
    return OK;
}

Pipeline *clv_pipeline_keep(const Pipeline *pipeline)
{
    /* the reference count is not part of the value of a pipeline */
    Pipeline *same = (Pipeline *)pipeline;

    if (same)
        atomic_fetch_add(&same->users, 1);
    return same;
}

void clv_pipeline_release(Pipeline *pipeline)
{
    if (!pipeline || atomic_fetch_sub(&pipeline->users, 1) > 1)
        return;
    for (size_t i = 0; i < pipeline->count; i++) {
        Step *step = &pipeline->step[i];

        if (step->state && step->transform->free)
            step->transform->free(step);
        clv_bundle_free(step->arrays);
        FREE(step->context, step->options, step->state);
    }
    clv_columns_free(&pipeline->inputs);
    clv_columns_free(&pipeline->outputs);
    clv_columns_free(&pipeline->between);
    FREE(pipeline->context, pipeline->step, pipeline->text, pipeline);
}

size_t clv_pipeline_steps(const Pipeline *pipeline)
{
    return pipeline->count;
}

const Step *clv_pipeline_step(const Pipeline *pipeline, size_t i)
{
    return &pipeline->step[i];
}

static Status add_text(Context *context, Buffer *buffer, const char *text, cleave_error *error)
{
    return clv_buffer_add(context, buffer, text, strlen(text), error);
}

Status clv_pipeline_text(const Pipeline *pipeline, Buffer *text, cleave_error *error)
{
    Context *context = pipeline->context;

    for (size_t i = 0; i < pipeline->count; i++) {
        const Step *step = &pipeline->step[i];
        void *usual = clv_alloc_zero(context, 1, step->transform->options_size);
        Status status = usual ? OK
                              : clv_fail_memory(error, "options", step->transform->options_size);

        if (status == OK) {
            clv_params_initial(step->transform->params, usual);
            if (i > 0)
                status = add_text(context, text, ",", error);
        }
        THEN(status, add_text(context, text, step->transform->name, error));
        for (const Param *param = step->transform->params; param->name && status == OK; param++) {
            char one[PARAM_TEXT_SIZE], other[PARAM_TEXT_SIZE];
            const char *now = clv_param_text(param, step->options, one);

            if (strcmp(now, clv_param_text(param, usual, other)) == 0)
                continue;
            status = add_text(context, text, ":", error);
            THEN(status, add_text(context, text, clv_param_flag(param).text, error));
            THEN(status, add_text(context, text, "=", error));
            THEN(status, add_text(context, text, now, error));
        }
        clv_free(context, usual);
        TRY(status);
    }
    return clv_buffer_add(context, text, "", 1, error);
}

static bool step_looks(const Step *step)
{
    const Transform *transform = step->transform;

    return transform->looks ? transform->looks(step->options)
                            : transform->look || transform->look_row || transform->columns;
}

const char *clv_pipeline_looks(const Pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->count; i++)
        if (step_looks(&pipeline->step[i]))
            return pipeline->step[i].transform->name;
    return NULL;
}

const char *clv_pipeline_looks_ahead(const Pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->count; i++)
        if (step_looks(&pipeline->step[i]) && !pipeline->step[i].transform->observe)
            return pipeline->step[i].transform->name;
    return NULL;
}

bool clv_pipeline_observes(const Pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->count; i++)
        if (pipeline->step[i].transform->observe)
            return true;
    return false;
}

static bool step_needs_rows(const Step *step)
{
    return (step->transform->look || step->transform->look_row) && step_looks(step);
}

const char *clv_pipeline_needs_rows(const Pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->count; i++)
        if (step_needs_rows(&pipeline->step[i]))
            return pipeline->step[i].transform->name;
    return NULL;
}

const char *clv_pipeline_wants_model(const Pipeline *pipeline, size_t step)
{
    const Transform *transform = pipeline->step[step].transform;

    return transform->wants_model ? transform->wants_model(pipeline->step[step].options) : NULL;
}

Status clv_pipeline_give_weights(Pipeline *pipeline, size_t step, const Names *names,
                                 const double *weight, uint32_t count, cleave_error *error)
{
    return pipeline->step[step].transform->give_weights(&pipeline->step[step], names, weight, count,
                                                        error);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void load_dense(FeatureRow *row, const float *values, uint32_t count)
{
    size_t found = 0;

    for (uint32_t i = 0; i < count; i++) { /* a 0 is also written, and then overwritten */
        row->column[found] = i;
        row->value[found] = values[i];
        found += values[i] != 0;
    }
    row->count = found;
}

/* Loads a row of gaps with one value per entry; a 0 is a filler. */
static void load_gaps(FeatureRow *row, const Block *block, uint32_t start, uint32_t stop)
{
    uint32_t column = UINT32_MAX;
    size_t found = 0;

    for (uint32_t i = start; i < stop; i++) {
        column += block->gap[i];
        row->column[found] = column;
        row->value[found] = block->value[i];
        found += block->value[i] != 0;
    }
    row->count = found;
}

/* Loads a row through a step that renumbers columns: entries are inserted in order. */
static void load_moved(FeatureRow *row, const Block *block, uint32_t start, uint32_t stop,
                       const uint32_t *place)
{
    /* a column of UINT32_MAX does not occur, and adding 1 gives 0 */
    uint32_t from = UINT32_MAX, last = UINT32_MAX;
    size_t found = 0;

    for (uint32_t i = start; i < stop; i++) {
        uint32_t column;
        size_t at = found;

        from += block->gap[i];
        if (block->value[i] == 0)
            continue;
        column = place[from];
        if (column + 1 > last + 1) {
            row->column[found] = last = column;
            row->value[found++] = block->value[i];
            continue;
        }
        while (at > 0 && row->column[at - 1] > column)
            at--;
        if (at > 0 && row->column[at - 1] == column)
            continue;
        memmove(row->column + at + 1, row->column + at, (found - at) * sizeof *row->column);
        memmove(row->value + at + 1, row->value + at, (found - at) * sizeof *row->value);
        row->column[at] = column;
        row->value[at] = block->value[i];
        found++;
    }
    row->count = found;
}

static Status decode_row(RowWorkspace *workspace, const Block *block, uint32_t index,
                         cleave_error *error)
{
    FeatureRow *row = &workspace->row;
    bool dense = block->form == ROWS_DENSE;
    uint32_t start = dense ? 0 : block_start(block, index),
             stop = dense ? block->features : block->end[index];

    workspace->block = block;
    workspace->index = index;
    row->count = 0;
    TRY(GROW(workspace->context, row->column, row->column_capacity, (size_t)(stop - start), error));
    TRY(GROW(workspace->context, row->value, row->value_capacity, (size_t)(stop - start), error));
    if (dense) {
        load_dense(row, block->value + (size_t)index * block->features, block->features);
        return OK;
    }
    if (block->form == ROWS_GAPS && block->value_form == VALUES_EACH) {
        load_gaps(row, block, start, stop);
        return OK;
    }
    for (RowWalk walk = clv_walk(block, index); clv_walk_next(&walk); row->count++) {
        row->column[row->count] = walk.column;
        row->value[row->count] = walk.value;
    }
    return OK;
}

/* Loads a row. Unknown columns, such as new words, are skipped. */
static Status load_row(RowWorkspace *workspace, uint32_t inputs, const Block *block, uint32_t index,
                       cleave_error *error)
{
    FeatureRow *row = &workspace->row;

    TRY(decode_row(workspace, block, index, error));
    while (row->count && row->column[row->count - 1] >= inputs)
        row->count--;
    return OK;
}

/* Returns whether the first step renumbers columns while the row is read from the block. */
static bool moves_first(const Pipeline *pipeline, const Block *block)
{
    const Step *step = pipeline->step;

    return step->transform->moved && step->transform->moved(step) && block->form == ROWS_GAPS &&
           block->value_form == VALUES_EACH && block->features <= step->inputs;
}

/* Reads a row and applies the first step to it. */
static Status load_through_first(const Pipeline *pipeline, RowWorkspace *workspace,
                                 const Block *block, uint32_t index, cleave_error *error)
{
    const Step *step = pipeline->step;
    FeatureRow *row = &workspace->row;
    uint32_t start = block_start(block, index), stop = block->end[index];

    workspace->block = block;
    workspace->index = index;
    row->count = 0;
    TRY(GROW(workspace->context, row->column, row->column_capacity, (size_t)(stop - start), error));
    TRY(GROW(workspace->context, row->value, row->value_capacity, (size_t)(stop - start), error));
    load_moved(row, block, start, stop, step->transform->moved(step));
    return OK;
}

/* Transforms a row with the first steps of a pipeline. */
static Status first_steps(const Pipeline *pipeline, size_t count, RowWorkspace *workspace,
                          const Block *block, uint32_t row, cleave_error *error)
{
    bool moved = count > 0 && moves_first(pipeline, block);

    if (moved)
        TRY(load_through_first(pipeline, workspace, block, row, error));
    else
        TRY(load_row(workspace, clv_pipeline_input_count(pipeline), block, row, error));
    for (size_t i = moved; i < count; i++)
        TRY(pipeline->step[i].transform->row(&pipeline->step[i], workspace, error));
    return OK;
}

Status clv_pipeline_row(const Pipeline *pipeline, RowWorkspace *workspace, const Block *block,
                        uint32_t row, cleave_error *error)
{
    return first_steps(pipeline, pipeline->count, workspace, block, row, error);
}

static Status build_row(const RowWorkspace *workspace, Builder *builder, uint32_t label,
                        cleave_error *error)
{
    const FeatureRow *made = &workspace->row;
    bool finite = true;

    for (size_t i = 0; i < made->count; i++)
        finite &= isfinite(made->value[i]) != 0;
    for (size_t i = 0; i < made->count && !finite; i++)
        if (!isfinite(made->value[i])) {
            clv_row_fail(workspace, error,
                         "the value of transformed column %u is too large for a float32",
                         made->column[i] + 1);
            return clv_hint(error, CLEAVE_ERROR_DATA,
                            "scale the data first: --transform scale,...");
        }
    clv_builder_begin_row(builder);
    TRY(clv_builder_add_many(builder, made->column, made->value, made->count, error));
    return clv_builder_end_row(builder, label, error);
}

/* Transforms a row with a pipeline of one step that renumbers columns. Sets *done if the order is
 * unchanged. */
static Status move_row(const Pipeline *pipeline, const Block *block, uint32_t row, Builder *builder,
                       bool *done, cleave_error *error)
{
    const Step *step = pipeline->step;

    clv_builder_begin_row(builder);
    TRY(clv_builder_add_moved(builder, block, row, step->transform->moved(step), done, error));
    return *done ? clv_builder_end_row(builder, block_label(block, row), error) : OK;
}

static Status finish_row(Builder *builder, const Block *block, uint32_t row, cleave_error *error)
{
    TRY(clv_builder_copy_extras(builder, block, row, error));
    return block_line(block, row) ? clv_builder_set_line(builder, block_line(block, row), error)
                                  : OK;
}

static Status finish_block(Builder *builder, const Block *block, Block *made, cleave_error *error)
{
    TRY(clv_builder_finish(builder, made, error));
    made->first_row = block->first_row;
    made->row_number = block->row_number;
    made->file = block->file;
    return OK;
}

static Status first_steps_of_block(const Pipeline *pipeline, size_t count, RowWorkspace *workspace,
                                   const Block *block, Builder *builder, Block *made,
                                   cleave_error *error)
{
    bool moves = count == 1 && moves_first(pipeline, block) && pipeline->step->outputs < FILLER_GAP;

    clv_builder_clear(builder);
    for (uint32_t row = 0; row < block->rows; row++) {
        bool done = false;

        if (moves)
            TRY(move_row(pipeline, block, row, builder, &done, error));
        if (!done) {
            TRY(first_steps(pipeline, count, workspace, block, row, error));
            TRY(build_row(workspace, builder, block_label(block, row), error));
        }
        TRY(finish_row(builder, block, row, error));
    }
    return finish_block(builder, block, made, error);
}

Status clv_pipeline_observe(Pipeline *pipeline, const Names *names, RowWorkspace *workspace,
                            const Block *block, Builder *builder, Block *made, cleave_error *error)
{
    clv_builder_clear(builder);
    for (uint32_t row = 0; row < block->rows; row++) {
        TRY(load_row(workspace, clv_pipeline_input_count(pipeline), block, row, error));
        for (size_t i = 0; i < pipeline->count; i++) {
            Step *step = &pipeline->step[i];

            if (step->transform->observe)
                TRY(step->transform->observe(step, names, &workspace->row, block_weight(block, row),
                                             error));
            TRY(step->transform->row(step, workspace, error));
        }
        TRY(build_row(workspace, builder, block_label(block, row), error));
        TRY(finish_row(builder, block, row, error));
    }
    return finish_block(builder, block, made, error);
}

Status clv_pipeline_block(const Pipeline *pipeline, RowWorkspace *workspace, const Block *block,
                          Builder *builder, Block *made, cleave_error *error)
{
    return first_steps_of_block(pipeline, pipeline->count, workspace, block, builder, made, error);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Passes the rows of a block one by one. */
static Status look_at_rows(Pipeline *pipeline, size_t number, RowWorkspace *workspace,
                           const Block *block, cleave_error *error)
{
    Step *step = &pipeline->step[number];

    for (uint32_t row = 0; row < block->rows; row++, step->rows++) {
        TRY(first_steps(pipeline, number, workspace, block, row, error));
        TRY(step->transform->look_row(step, &workspace->row, block_weight(block, row)));
    }
    return OK;
}

/* Runs one pass of the step over the output of the previous steps. */
static Status fit_step(Pipeline *pipeline, size_t number, Source *source, RowWorkspace *workspace,
                       Builder *builder, cleave_error *error)
{
    Step *step = &pipeline->step[number];
    const Block *block;
    Block made;

    TRY(clv_source_rewind(source, error));
    step->rows = 0;
    for (;;) {
        TRY(source_next(source, &block, error));
        if (!block)
            return OK;
        clv_progress(pipeline->context, &(cleave_progress){.phase = "transform",
                                                           .detail = step->transform->name,
                                                           .rows = source->rows,
                                                           .rows_total = source->rows_total});
        TRY(clv_poll(pipeline->context, error));
        step->labels = source->labels.count;
        if (step->transform->look_row && (number > 0 || !step->transform->look)) {
            TRY(look_at_rows(pipeline, number, workspace, block, error));
            continue;
        }
        if (number > 0) {
            TRY(first_steps_of_block(pipeline, number, workspace, block, builder, &made, error));
            block = &made;
        }
        TRY(step->transform->look(step, block));
        step->rows += block->rows;
    }
}

static Status fit_step_fully(Pipeline *pipeline, size_t number, Source *source, cleave_error *error)
{
    Step *step = &pipeline->step[number];
    RowWorkspace workspace = {.context = pipeline->context};
    Builder builder;
    bool again = true;
    Status status = OK;

    clv_builder_init(&builder, pipeline->context);
    builder.passing_by = true;
    while (again && status == OK) {
        again = false;
        status = fit_step(pipeline, number, source, &workspace, &builder, error);
        if (status == OK && step->transform->end_pass)
            status = step->transform->end_pass(step, &again);
    }
    clv_builder_free(&builder);
    clv_workspace_free(&workspace);
    return status;
}

Status clv_step_make_ready(Step *step, cleave_error *error)
{
    Status status = step->transform->ready ? step->transform->ready(step, error) : OK;

    if (status != CLEAVE_ERROR_FORMAT)
        return status;
    clv_fail(
        error, CLEAVE_ERROR_DATA,
        "--transform: the parameters that '%s' learns from these rows are out of the float32 range",
        step->transform->name);
    return clv_hint(error, CLEAVE_ERROR_DATA, "scale the data first: --transform scale,%s",
                    step->transform->name);
}

/* Computes the output columns of a step. *columns is the input before the call, and the output
 * after it. */
static Status end_step(Step *step, bool any_column, Columns *columns, cleave_error *error)
{
    Columns out;
    Status status = OK;

    clv_columns_init(&out, step->context);
    if (step->transform->columns && !any_column) {
        status = step->transform->columns(step, &out);
        if (status == OK) {
            Names titles = out.titles;

            out.titles = columns->titles;
            out.table = columns->table;
            columns->titles = titles;
            clv_columns_free(columns);
            *columns = out;
        } else {
            clv_columns_free(&out);
        }
    }
    TRY(status);
    step->outputs = columns->count;
    step->in = NULL;
    return clv_step_make_ready(step, error);
}

static Status learn_step(Pipeline *pipeline, size_t number, Source *source, Columns *columns,
                         uint64_t seed, cleave_error *error)
{
    Step *step = &pipeline->step[number];

    step->in = columns;
    step->inputs = columns->count;
    step->seed = seed + number;
    step->error = error;
    step->labels = source ? source->labels.count : 0;
    if (step->transform->begin)
        TRY(step->transform->begin(step));
    if (source && step_needs_rows(step))
        TRY(fit_step_fully(pipeline, number, source, error));
    return end_step(step, pipeline->any_column, columns, error);
}

static Status learn_all(Pipeline *pipeline, Source *source, Columns *columns, uint64_t seed,
                        cleave_error *error)
{
    for (size_t i = 0; i < pipeline->count; i++) {
        TRY(learn_step(pipeline, i, source, columns, seed, error));
        if (pipeline->apart == i && pipeline->step[i].transform->narrow &&
            (i == 0 || !pipeline->step[i - 1].transform->whole)) {
            pipeline->apart++;
            clv_columns_free(&pipeline->between);
            TRY(clv_columns_copy(&pipeline->between, columns, error));
        }
    }
    return OK;
}

/* Reads the source to its end, where the names and numbers of columns are complete. */
static Status read_to_the_end(Source *source, cleave_error *error)
{
    const Block *block;

    do
        TRY(source_next(source, &block, error));
    while (block);
    return OK;
}

/* Adds columns that steps require because other rows may have them. */
static Status add_required(Pipeline *pipeline, cleave_error *error)
{
    for (size_t i = 0;
         i < pipeline->count && !pipeline->any_column && !pipeline->inputs.names.implicit; i++) {
        Step *step = &pipeline->step[i];

        step->error = error;
        if (step->transform->wants)
            TRY(step->transform->wants(step, &pipeline->inputs));
    }
    return OK;
}

static Status learn_from(Pipeline *pipeline, Source *source, const Schema *schema,
                         const Names *names, uint32_t features, uint64_t seed, cleave_error *error)
{
    Columns columns;
    Status status;

    if (!names->implicit && names->count > features)
        features = names->count;
    clv_columns_init(&columns, pipeline->context);
    status = clv_columns_of(schema, names, features, &pipeline->inputs, error);
    THEN(status, add_required(pipeline, error));
    THEN(status, clv_columns_copy(&columns, &pipeline->inputs, error));
    THEN(status, learn_all(pipeline, source, &columns, seed, error));
    if (status != OK) {
        clv_columns_free(&columns);
        return status;
    }
    clv_columns_free(&pipeline->outputs);
    pipeline->outputs = columns;
    return OK;
}

Status clv_pipeline_learn(Pipeline *pipeline, Source *source, uint64_t seed, cleave_error *error)
{
    if (source->rows_total == 0)
        TRY(read_to_the_end(source, error));
    return learn_from(pipeline, source, &source->schema, &source->names, source->features, seed,
                      error);
}

Status clv_pipeline_learn_columns(Pipeline *pipeline, const Schema *schema, const Names *names,
                                  uint32_t features, uint64_t seed, cleave_error *error)
{
    return learn_from(pipeline, NULL, schema, names, features, seed, error);
}

Status clv_pipeline_begin(Pipeline *pipeline, const Schema *schema, const Names *names,
                          cleave_error *error)
{
    pipeline->any_column = true;
    return learn_from(pipeline, NULL, schema, names, 0, 0, error);
}

/* ---- removal of unused columns --------------------------------------------------------------- */

/* Finds which outputs are needed, and their inputs, from the last step with one input per output to
 * the first step. */
static Status narrow_steps(Pipeline *pipeline, uint32_t *wanted, uint32_t *needed, uint32_t count,
                           cleave_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        wanted[i] = i;
    for (size_t i = pipeline->apart; i-- > 0;) {
        Step *step = &pipeline->step[i];
        const uint32_t *kept = step->transform->kept(step);

        for (uint32_t j = 0; j < count; j++)
            needed[j] = kept ? kept[wanted[j]] : wanted[j];
        step->error = error;
        TRY(step->transform->narrow(step, wanted, count));
        step->inputs = step->outputs = count;
        TRY(clv_step_make_ready(step, error));
        memcpy(wanted, needed, count * sizeof *wanted);
    }
    return OK;
}

Status clv_pipeline_narrow(Pipeline *pipeline, cleave_error *error)
{
    Context *context = pipeline->context;
    uint32_t count = pipeline->between.count;
    uint32_t *wanted, *needed;
    Status status;

    if (pipeline->apart == 0 || pipeline->inputs.names.implicit || pipeline->any_column)
        return OK;
    wanted = clv_alloc(context, count, sizeof *wanted);
    needed = clv_alloc(context, count, sizeof *needed);
    status = wanted && needed ? narrow_steps(pipeline, wanted, needed, count, error)
                              : clv_fail_memory(error, "columns", count * sizeof *wanted);
    FREE(context, wanted, needed);
    TRY(status);
    clv_columns_free(&pipeline->inputs);
    return clv_columns_copy(&pipeline->inputs, &pipeline->between, error);
}

/* ---- inspection ------------------------------------------------------------------------------ */

const Names *clv_pipeline_inputs(const Pipeline *pipeline)
{
    return &pipeline->inputs.names;
}

uint32_t clv_pipeline_input_count(const Pipeline *pipeline)
{
    return pipeline->any_column ? MOST_FEATURES : pipeline->inputs.count;
}

const Names *clv_pipeline_outputs(const Pipeline *pipeline)
{
    return &pipeline->outputs.names;
}

uint32_t clv_pipeline_output_count(const Pipeline *pipeline)
{
    return pipeline->outputs.count;
}

bool clv_pipeline_any_column(const Pipeline *pipeline)
{
    return pipeline->any_column;
}

/* Whether each output of the step depends on only one input. */
static bool is_apart(const Step *step)
{
    return step->transform->kept != NULL;
}

static uint32_t output_of(const Step *step, uint32_t input)
{
    const uint32_t *kept = step->transform->kept(step);

    if (!kept)
        return input;
    for (uint32_t i = 0; i < step->outputs; i++)
        if (kept[i] == input)
            return i;
    return NO_COLUMN;
}

const char *clv_pipeline_name(const Pipeline *pipeline, size_t step, uint32_t output,
                              char buffer[24])
{
    size_t i = step + 1;
    uint32_t column = output;

    for (; i > 0 && is_apart(&pipeline->step[i - 1]); i--) {
        const uint32_t *kept = pipeline->step[i - 1].transform->kept(&pipeline->step[i - 1]);

        column = kept ? kept[column] : column;
    }
    if (i == 0)
        return clv_names_get(&pipeline->inputs.names, column, buffer);
    column = output;
    for (i = step + 1; i < pipeline->count && is_apart(&pipeline->step[i]) && column != NO_COLUMN;
         i++)
        column = output_of(&pipeline->step[i], column);
    return i == pipeline->count && column != NO_COLUMN
               ? clv_names_get(&pipeline->outputs.names, column, buffer)
               : NULL;
}
