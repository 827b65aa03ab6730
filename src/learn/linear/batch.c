#include "learn/linear/batch.h"

#include "base/machine.h"
#include "base/pool.h"
#include "data/tour.h"

enum { SQUARES_ROWS = 50000 }; /* number of rows sampled to estimate the scale of features */
enum { MOST_PIECES = 16, ENTRIES_PER_WEIGHT = 16 };

/* A range of blocks with its own sums and scratch space, otherwise like the whole batch. */
struct BatchPiece {
    Batch batch;
    Fit fit;
    cleave_error error;
    Status status;
    uint32_t first, end; /* range of blocks */
    double *sum, *more_sum;
};

/* ---- opening --------------------------------------------------------------------------------- */

static Status get(const Batch *batch, Arena *memory, size_t count, double **numbers,
                  const char *what)
{
    if (clv_affordable((double)sizeof **numbers * (double)count, batch->fit->error, "%s of %s",
                       what, batch->risk->solver->name) != OK)
        return clv_hint(batch->fit->error, CLEAVE_ERROR_MEMORY,
                        "--solver sgd needs one number per weight");
    memory->what = what;
    *numbers = clv_arena_zero(memory, count, sizeof **numbers);
    return memory->status;
}

Status clv_batch_vectors(const Batch *batch, Arena *memory, size_t count, double **vectors)
{
    return get(batch, memory, count * batch->size, vectors, "vectors");
}

Status clv_batch_per_row(const Batch *batch, Arena *memory, double **numbers)
{
    return get(batch, memory, (size_t)batch->rows * batch->outputs, numbers, "per-row values");
}

/* The first sampled row of this block. */
static uint32_t first_taken(const Batch *batch, uint64_t rows_before)
{
    return (uint32_t)((batch->every - rows_before % batch->every) % batch->every);
}

/* The sample number of the first sampled row of a block. */
static uint64_t number_taken(const Batch *batch, const Block *block)
{
    return (block->first_row + batch->every - 1) / batch->every;
}

static Status read_block(void *user, const Block *block, cleave_error *error)
{
    Batch *batch = user;
    const Fit *fit = batch->fit;
    uint64_t i = number_taken(batch, block);

    (void)error;
    for (uint32_t row = first_taken(batch, block->first_row); row < block->rows;
         row += batch->every, i++) {
        uint32_t label;
        double target;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        batch->target[i] = fit->task == CLEAVE_TASK_REGRESSION ? target : (double)label;
        batch->share[i] = fit_weight(fit, block, row, label);
    }
    return OK;
}

/* Reads the weights and targets of the rows, and scales c to a sum of 1. */
static Status read_rows(Batch *batch)
{
    double total = 0;

    TRY(clv_tour_all(batch->dataset, read_block, batch, batch->fit->error));
    for (uint64_t i = 0; i < batch->rows; i++)
        total += batch->share[i];
    for (uint64_t i = 0; i < batch->rows && total > 0; i++)
        batch->share[i] /= total;
    return OK;
}

static void weigh_targets(Batch *batch)
{
    bool regression = batch->fit->task == CLEAVE_TASK_REGRESSION;

    for (uint64_t i = 0; i < batch->rows; i++) {
        if (regression)
            batch->positive[0] += batch->share[i] * batch->target[i];
        else if (batch->outputs > 1)
            batch->positive[(size_t)batch->target[i]] += batch->share[i];
        else if (batch->target[i] == (double)batch->fit->positive)
            batch->positive[0] += batch->share[i];
    }
}

Status clv_batch_open(Batch *batch, Fit *fit, Risk *risk, Dataset *dataset, uint32_t every)
{
    double l1 = risk->options->l1_ratio;
    Arena *memory = &batch->memory;

    *batch = (Batch){
        .fit = fit,
        .risk = risk,
        .dataset = dataset,
        .outputs = risk->w.outputs,
        .size = ((size_t)risk->w.features + 1) * risk->w.outputs,
        .free_intercept = risk->learn_intercept && !risk->options->regularize_intercept,
        .l1 = risk->lambda * l1,
        .l2 = risk->lambda * (1 - l1),
        .every = every,
        .rows = (dataset->rows + every - 1) / every,
        .memory = {.context = fit->context, .error = fit->error},
    };
    TRY(get(batch, memory, batch->rows, &batch->share, "sample weights"));
    TRY(get(batch, memory, batch->rows, &batch->target, "targets"));
    memory->what = "sums";
    batch->positive = clv_arena_zero(memory, batch->outputs, sizeof *batch->positive);
    batch->scores = clv_arena_zero(memory, batch->outputs, sizeof *batch->scores);
    batch->steps = clv_arena_zero(memory, batch->outputs, sizeof *batch->steps);
    batch->sums = clv_arena_zero(memory, batch->outputs, sizeof *batch->sums);
    batch->standing = clv_arena_zero(memory, batch->outputs, sizeof *batch->standing);
    TRY(memory->status);
    TRY(read_rows(batch));
    weigh_targets(batch);
    return OK;
}

void clv_batch_close(Batch *batch)
{
    Context *context = batch->fit->context;

    for (uint32_t i = 0; batch->piece && i < batch->pieces; i++) {
        FREE(context, batch->piece[i].more_sum, batch->piece[i].batch.column,
             batch->piece[i].batch.value);
    }
    FREE(context, batch->column, batch->value);
    clv_arena_free(&batch->memory);
}

/* ---- start and end --------------------------------------------------------------------------- */

static double best_offset(const Batch *batch, size_t output)
{
    double share = batch->positive[output];

    if (batch->fit->task == CLEAVE_TASK_REGRESSION)
        return share;
    if (!(share > 0 && share < 1))
        return 0; /* with one class only, the optimal intercept is infinite */
    return batch->risk->loss.kind == LOSS_LOGISTIC ? log(share / (1 - share)) : 2 * share - 1;
}

void clv_batch_start(const Batch *batch, double *w)
{
    double *offset = w + batch->size - batch->outputs;

    for (size_t k = 0; k < batch->outputs && batch->free_intercept; k++)
        offset[k] = best_offset(batch, k);
}

bool clv_batch_load(const Batch *batch, double *w)
{
    const Risk *risk = batch->risk;
    size_t count = batch->size - batch->outputs;
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        w[i] = risk->scale * (double)risk->w.w[i];
        any |= w[i] != 0;
    }
    for (size_t k = 0; k < batch->outputs; k++) {
        w[count + k] = risk->learn_intercept ? risk->w.intercept[k] : 0;
        any |= w[count + k] != 0;
    }
    return any;
}

/* Applies LIBLINEAR's rule: with few rows of one class and a regularized intercept, the other class
 * dominates the first gradient. */
double clv_batch_set_reference(const Batch *batch, size_t output, double start_length)
{
    double share = batch->positive[output], fewer = fmin(share, 1 - share);

    if (batch->fit->task == CLEAVE_TASK_REGRESSION || batch->free_intercept)
        return start_length;
    return start_length * fmax(fewer, 1 / (double)batch->rows);
}

/* ---- state of a run -------------------------------------------------------------------------- */

Status clv_batch_fingerprint(Batch *batch)
{
    return batch->fingerprint
               ? OK
               : clv_risk_fingerprint(batch->fit, batch->risk, batch->dataset, &batch->fingerprint);
}

void clv_batch_store(const Batch *batch, double *numbers)
{
    for (size_t k = 0; k < batch->outputs; k++) {
        const LossSums *sums = &batch->sums[k];
        const Standing *standing = &batch->standing[k];
        const double of_output[BATCH_NUMBERS] = {
            sums->loss,          sums->up,         sums->down,
            sums->up_value,      sums->down_value, (double)sums->wrong,
            standing->value,     standing->bound,  standing->length,
            standing->reference, standing->done,   standing->stuck,
        };

        memcpy(numbers + k * BATCH_NUMBERS, of_output, sizeof of_output);
    }
    numbers[batch->outputs * BATCH_NUMBERS] = batch->longest2;
}

Status clv_batch_restore(Batch *batch, const double *numbers)
{
    for (size_t k = 0; k < batch->outputs; k++) {
        const double *of_output = numbers + k * BATCH_NUMBERS;

        if (!state_is_whole(of_output[5], (double)batch->rows))
            return clv_state_nonsense(batch->fit->error);
        batch->sums[k] = (LossSums){.loss = of_output[0],
                                    .up = of_output[1],
                                    .down = of_output[2],
                                    .up_value = of_output[3],
                                    .down_value = of_output[4],
                                    .wrong = (uint64_t)of_output[5]};
        batch->standing[k] = (Standing){.value = of_output[6],
                                        .bound = of_output[7],
                                        .length = of_output[8],
                                        .reference = of_output[9],
                                        .done = of_output[10] != 0,
                                        .stuck = of_output[11] != 0};
    }
    batch->longest2 = numbers[batch->outputs * BATCH_NUMBERS];
    return OK;
}

/* ---- passes ---------------------------------------------------------------------------------- */

double clv_batch_length2(const Block *block, uint32_t row)
{
    const float *value;
    size_t count;
    double sum[4] = {0};

    if (block->form != ROWS_DENSE && block->value_form != VALUES_EACH)
        return clv_block_norm2(block, row);
    if (block->form == ROWS_DENSE) {
        value = block->value + (size_t)row * block->features;
        count = block->features;
    } else {
        value = block->value + block_start(block, row);
        count = block->end[row] - block_start(block, row);
    }
    for (size_t i = 0; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            sum[j] += (double)value[i + j] * (double)value[i + j];
    for (size_t i = count - count % 4; i < count; i++)
        sum[0] += (double)value[i] * (double)value[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* Unpacks the columns and values of a row; returns their number. */
static Status unpack(Batch *batch, const Block *block, uint32_t row, size_t *count)
{
    size_t most = block->form == ROWS_DENSE ? block->features
                                            : block->end[row] - block_start(block, row);
    size_t n = 0;

    if (most > batch->capacity) {
        size_t values = batch->capacity, columns = batch->capacity;

        TRY(GROW(batch->fit->context, batch->column, columns, most, batch->fit->error));
        TRY(GROW(batch->fit->context, batch->value, values, most, batch->fit->error));
        batch->capacity = most;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk); n++) {
        batch->column[n] = walk.column;
        batch->value[n] = walk.value;
    }
    *count = n;
    return OK;
}

#define DOT_UNPACKED(weights)                                                                      \
    for (size_t i = 0; i < count; i++) {                                                           \
        double x = (double)batch->value[i];                                                        \
                                                                                                   \
        for (size_t k = 0; k < batch->outputs; k++)                                                \
            scores[k] += (double)(weights)[batch->column[i] * batch->outputs + k] * x;             \
    }

static void dot_wide_unpacked(const Batch *batch, size_t count, const double *w,
                              double *restrict scores)
{
    memcpy(scores, w + batch->size - batch->outputs, batch->outputs * sizeof *scores);
    DOT_UNPACKED(w)
}

static void dot_unpacked(const Batch *batch, size_t count, const float *w, double *restrict scores)
{
    for (size_t k = 0; k < batch->outputs; k++)
        scores[k] = (double)w[batch->size - batch->outputs + k];
    DOT_UNPACKED(w)
}

static void add_unpacked(const Batch *batch, size_t count, const double *steps,
                         double *restrict sum)
{
    for (size_t i = 0; i < count; i++) {
        double *of_column = sum + batch->column[i] * batch->outputs;
        double x = (double)batch->value[i];

        for (size_t k = 0; k < batch->outputs; k++)
            of_column[k] += steps[k] * x;
    }
    for (size_t k = 0; k < batch->outputs; k++)
        sum[batch->size - batch->outputs + k] += steps[k];
}

/* A function that visits one row. The arrays of scores and steps belong to the batch. */
typedef struct {
    const double *wide;
    const float *narrow;
    const double *given, *more_given; /* slopes and second derivatives by row */
    double *numbers;                  /* scores and q by row */
    double *sum, *more_sum;
} Visit;

typedef Status (*Visitor)(Batch *batch, const Visit *visit, const Block *block, uint32_t row,
                          uint64_t i);

typedef struct {
    Batch *batch;
    Visitor visitor;
    const Visit *visit;
    uint64_t work; /* units of work since the last check for cancellation */
} Pass;

static Status visit_block(void *user, const Block *block, cleave_error *error)
{
    Pass *pass = user;
    Batch *batch = pass->batch;
    uint64_t i = number_taken(batch, block);

    (void)error;
    for (uint32_t row = first_taken(batch, block->first_row); row < block->rows;
         row += batch->every, i++) {
        if (batch->share[i] > 0)
            TRY(pass->visitor(batch, pass->visit, block, row, i));
        TRY(fit_poll(batch->fit, &pass->work,
                     (block_row_entries(block, row) + (uint64_t)LOSS_UNITS) * batch->outputs));
    }
    return OK;
}

/* `beside` is the number of visits per call. */
static Status visit_blocks(Batch *batch, Visitor visitor, const Visit *visit, uint32_t first,
                           uint32_t end, uint32_t beside)
{
    return clv_tour(batch->dataset,
                    (TourPlan){.first = first, .places = end - first, .beside = beside},
                    visit_block, &(Pass){.batch = batch, .visitor = visitor, .visit = visit},
                    batch->fit->error);
}

/* Cuts the rows into pieces. A piece costs a pass over the weights, so it has many more entries
 * than weights. Sums depend on the pieces, and pieces on the data alone. */
static Status make_pieces(Batch *batch)
{
    const Dataset *dataset = batch->dataset;
    Arena *memory = &batch->memory;
    uint64_t many = dataset->entries / (batch->every * ENTRIES_PER_WEIGHT * (uint64_t)batch->size);
    uint32_t pieces = (uint32_t)(many < 1 ? 1 : many < MOST_PIECES ? many : MOST_PIECES);

    batch->pieces = pieces < dataset->blocks ? pieces : dataset->blocks;
    if (batch->pieces < 2)
        return OK;
    batch->piece = clv_arena_zero(memory, batch->pieces, sizeof *batch->piece);
    TRY(memory->status);
    for (uint32_t i = 0; i < batch->pieces; i++) {
        struct BatchPiece *piece = &batch->piece[i];

        piece->first = (uint32_t)((uint64_t)dataset->blocks * i / batch->pieces);
        piece->end = (uint32_t)((uint64_t)dataset->blocks * (i + 1) / batch->pieces);
        TRY(get(batch, memory, batch->size, &piece->sum, "sums"));
        piece->batch.scores = clv_arena_zero(memory, batch->outputs, sizeof *batch->scores);
        piece->batch.steps = clv_arena_zero(memory, batch->outputs, sizeof *batch->steps);
        piece->batch.sums = clv_arena_zero(memory, batch->outputs, sizeof *batch->sums);
    }
    return memory->status;
}

/* Makes the batch of a piece: a copy of the whole batch with its own scratch space and zero
 * sums. */
static void make_piece_batch(const Batch *batch, struct BatchPiece *piece)
{
    Batch own = piece->batch;

    piece->fit = *batch->fit;
    piece->fit.error = &piece->error;
    piece->batch = *batch;
    piece->batch.fit = &piece->fit;
    piece->batch.scores = own.scores;
    piece->batch.steps = own.steps;
    piece->batch.column = own.column;
    piece->batch.value = own.value;
    piece->batch.capacity = own.capacity;
    piece->batch.sums = own.sums;
    memset(own.sums, 0, batch->outputs * sizeof *own.sums);
}

static void visit_piece(void *user, uint32_t number, unsigned worker)
{
    const Pass *pass = user;
    struct BatchPiece *piece = &pass->batch->piece[number];
    Visit visit = *pass->visit;

    (void)worker;
    make_piece_batch(pass->batch, piece);
    if (visit.sum) {
        visit.sum = piece->sum;
        memset(piece->sum, 0, pass->batch->size * sizeof *piece->sum);
    }
    piece->status = OK;
    if (visit.more_sum) {
        size_t size = pass->batch->size;

        if (!piece->more_sum)
            piece->more_sum = clv_alloc(piece->fit.context, size, sizeof *piece->more_sum);
        if (piece->more_sum)
            memset(piece->more_sum, 0, size * sizeof *piece->more_sum);
        else
            piece->status = clv_fail_memory(&piece->error, "sums", size * sizeof *piece->more_sum);
        visit.more_sum = piece->more_sum;
    }
    if (piece->status == OK)
        piece->status = visit_blocks(
            &piece->batch, pass->visitor, &visit, piece->first, piece->end,
            clv_pool_workers(pass->batch->fit->context, pass->batch->pieces));
}

static void add_sums(Batch *batch, const Batch *from)
{
    for (size_t k = 0; k < batch->outputs; k++) {
        batch->sums[k].loss += from->sums[k].loss;
        batch->sums[k].up += from->sums[k].up;
        batch->sums[k].down += from->sums[k].down;
        batch->sums[k].up_value += from->sums[k].up_value;
        batch->sums[k].down_value += from->sums[k].down_value;
        batch->sums[k].wrong += from->sums[k].wrong;
    }
    batch->longest2 = fmax(batch->longest2, from->longest2);
}

/* Runs all pieces in any order and adds their sums in the order of the pieces. */
static Status visit_pieces(Batch *batch, Visitor visitor, const Visit *visit)
{
    Pass pass = {.batch = batch, .visitor = visitor, .visit = visit};

    clv_pool_run(batch->fit->context, batch->pieces, visit_piece, &pass);
    for (uint32_t number = 0; number < batch->pieces; number++) {
        const struct BatchPiece *piece = &batch->piece[number];

        if (piece->status != OK) {
            if (batch->fit->error)
                *batch->fit->error = piece->error;
            return piece->status;
        }
        add_sums(batch, &piece->batch);
        for (size_t i = 0; visit->sum && i < batch->size; i++)
            visit->sum[i] += piece->sum[i];
        for (size_t i = 0; visit->more_sum && i < batch->size; i++)
            visit->more_sum[i] += piece->more_sum[i];
    }
    return OK;
}

static Status visit_rows(Batch *batch, Visitor visitor, const Visit *visit)
{
    if (batch->pieces == 0)
        TRY(make_pieces(batch));
    if (visit->sum)
        memset(visit->sum, 0, batch->size * sizeof *visit->sum);
    TRY(batch->pieces > 1 ? visit_pieces(batch, visitor, visit)
                          : visit_blocks(batch, visitor, visit, 0, batch->dataset->blocks, 1));
    if (visit->sum) {
        /* Without an intercept, its gradient is 0. */
        if (!batch->risk->learn_intercept)
            memset(visit->sum + batch->size - batch->outputs, 0,
                   batch->outputs * sizeof *visit->sum);
    }
    batch->fit->counters.seen += batch->rows;
    return OK;
}

static double slope_of_row(Batch *batch, uint64_t i, size_t output, double score)
{
    double y = batch_y(batch, i, output);
    LossAt at = loss_at(batch->risk->loss, y, score);

    sums_add(&batch->sums[output], batch->share[i], y, score, at,
             batch->fit->task == CLEAVE_TASK_REGRESSION);
    return batch->share[i] * at.slope;
}

Status clv_batch_score_row(Batch *batch, const double *w, const Block *block, uint32_t row,
                           double *scores)
{
    if (batch->outputs == 1) {
        *scores = batch->risk->kernels->dot_wide(w, block, row) + w[batch->size - 1];
        return OK;
    }
    TRY(unpack(batch, block, row, &batch->count));
    dot_wide_unpacked(batch, batch->count, w, scores);
    return OK;
}

void clv_batch_add_row(Batch *batch, const double *steps, const Block *block, uint32_t row,
                       double *w)
{
    if (batch->outputs > 1) {
        add_unpacked(batch, batch->count, steps, w);
    } else if (*steps != 0) {
        batch->risk->kernels->add_wide(w, *steps, block, row);
        w[batch->size - 1] += *steps;
    }
}

static Status evaluate_row(Batch *batch, const Visit *visit, const Block *block, uint32_t row,
                           uint64_t i)
{
    TRY(clv_batch_score_row(batch, visit->wide, block, row, batch->scores));
    for (size_t k = 0; k < batch->outputs; k++)
        batch->steps[k] = slope_of_row(batch, i, k, batch->scores[k]);
    clv_batch_add_row(batch, batch->steps, block, row, visit->sum);
    return OK;
}

static Status measure_and_evaluate_row(Batch *batch, const Visit *visit, const Block *block,
                                       uint32_t row, uint64_t i)
{
    batch->longest2 = fmax(batch->longest2, clv_batch_length2(block, row));
    return evaluate_row(batch, visit, block, row, i);
}

Status clv_batch_evaluate(Batch *batch, const double *w, double *gradient)
{
    memset(batch->sums, 0, batch->outputs * sizeof *batch->sums);
    return visit_rows(batch, batch->longest2 > 0 ? evaluate_row : measure_and_evaluate_row,
                      &(Visit){.wide = w, .sum = gradient});
}

static Status score_row(Batch *batch, const Visit *visit, const Block *block, uint32_t row,
                        uint64_t i)
{
    return clv_batch_score_row(batch, visit->wide, block, row, visit->numbers + i * batch->outputs);
}

Status clv_batch_scores(Batch *batch, const double *w, double *scores)
{
    return visit_rows(batch, score_row, &(Visit){.wide = w, .numbers = scores});
}

/* Adds row * c * given value to the sum. */
static void add_given(Batch *batch, const double *given, const Block *block, uint32_t row,
                      uint64_t i, size_t count, double *sum)
{
    double share = batch->share[i];

    if (batch->outputs == 1) {
        double step = share * given[i];

        if (step != 0) {
            batch->risk->kernels->add_wide(sum, step, block, row);
            sum[batch->size - 1] += step;
        }
        return;
    }
    for (size_t k = 0; k < batch->outputs; k++)
        batch->steps[k] = share * given[i * batch->outputs + k];
    add_unpacked(batch, count, batch->steps, sum);
}

static Status gradient_row(Batch *batch, const Visit *visit, const Block *block, uint32_t row,
                           uint64_t i)
{
    size_t count = 0;

    if (batch->outputs > 1)
        TRY(unpack(batch, block, row, &count));
    add_given(batch, visit->given, block, row, i, count, visit->sum);
    if (visit->more_sum)
        add_given(batch, visit->more_given, block, row, i, count, visit->more_sum);
    return OK;
}

static Status measure_and_gradient_row(Batch *batch, const Visit *visit, const Block *block,
                                       uint32_t row, uint64_t i)
{
    batch->longest2 = fmax(batch->longest2, clv_batch_length2(block, row));
    return gradient_row(batch, visit, block, row, i);
}

Status clv_batch_gradient(Batch *batch, const double *slope, const double *curvature, double *sum,
                          double *curvatures)
{
    if (curvatures)
        memset(curvatures, 0, batch->size * sizeof *curvatures);
    return visit_rows(
        batch, batch->longest2 > 0 ? gradient_row : measure_and_gradient_row,
        &(Visit){.given = slope, .more_given = curvature, .sum = sum, .more_sum = curvatures});
}

static Status curve_row(Batch *batch, const Visit *visit, const Block *block, uint32_t row,
                        uint64_t i)
{
    const Kernels *kernels = batch->risk->kernels;
    double share = batch->share[i], *q = visit->numbers + i * batch->outputs;
    const double *curvature = visit->given + i * batch->outputs;
    size_t count;

    if (batch->outputs == 1) {
        *q = kernels->dot(visit->narrow, block, row) + (double)visit->narrow[batch->size - 1];
        if (*curvature != 0) {
            kernels->add_wide(visit->sum, share * *curvature * *q, block, row);
            visit->sum[batch->size - 1] += share * *curvature * *q;
        }
        return OK;
    }
    TRY(unpack(batch, block, row, &count));
    dot_unpacked(batch, count, visit->narrow, q);
    for (size_t k = 0; k < batch->outputs; k++)
        batch->steps[k] = share * curvature[k] * q[k];
    add_unpacked(batch, count, batch->steps, visit->sum);
    return OK;
}

Status clv_batch_curve(Batch *batch, const float *p, const double *curvature, double *q,
                       double *sum)
{
    return visit_rows(batch, curve_row,
                      &(Visit){.narrow = p, .given = curvature, .numbers = q, .sum = sum});
}

Status clv_batch_squares(Batch *batch, double *squares)
{
    uint64_t before = 0, i = 0, step = 1 + batch->rows / SQUARES_ROWS;
    double taken = 0;

    memset(squares, 0, (size_t)batch->risk->w.features * sizeof *squares);
    for (uint32_t number = 0; number < batch->dataset->blocks; number++) {
        Block block;

        TRY(clv_dataset_block(batch->dataset, number, &block, batch->fit->error));
        for (uint32_t row = first_taken(batch, before); row < block.rows;
             row += batch->every, i++) {
            if (i % step != 0 || !(batch->share[i] > 0))
                continue;
            taken += batch->share[i];
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
                squares[walk.column] += batch->share[i] * (double)walk.value * (double)walk.value;
        }
        before += block.rows;
    }
    for (size_t j = 0; j < batch->risk->w.features && taken > 0; j++)
        squares[j] /= taken;
    return OK;
}

/* ---- columns of matrices --------------------------------------------------------------------- */

static double dot(const double *a, const double *b, size_t count)
{
    double sum[4] = {0};
    size_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            sum[j] += a[i + j] * b[i + j];
    for (; i < count; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

void clv_columns_dot(const Batch *batch, const double *a, const double *b, double *out)
{
    size_t outputs = batch->outputs;
    uint64_t done = 0;

    if (outputs == 1) {
        out[0] = dot(a, b, batch->size);
        return;
    }
    memset(out, 0, outputs * sizeof *out);
    for (size_t i = 0; i < batch->size; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            out[k] += a[i + k] * b[i + k];
}

void clv_columns_add(const Batch *batch, const double *factor, const double *x, double *y)
{
    size_t outputs = batch->outputs;
    uint64_t done = 0;

    if (outputs == 1) {
        for (size_t i = 0; i < batch->size; i++)
            y[i] += factor[0] * x[i];
        return;
    }
    for (size_t i = 0; i < batch->size; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            y[i + k] += factor[k] * x[i + k];
}

/* The number of penalized elements of a vector. */
static size_t penalized(const Batch *batch)
{
    return batch->risk->options->regularize_intercept ? batch->size : batch->size - batch->outputs;
}

void clv_batch_penalty(const Batch *batch, const double *w, double *penalty)
{
    size_t outputs = batch->outputs, count = penalized(batch);
    uint64_t done = 0;

    memset(penalty, 0, outputs * sizeof *penalty);
    for (size_t i = 0; i < count; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            penalty[k] += batch->l2 / 2 * w[i + k] * w[i + k] + batch->l1 * fabs(w[i + k]);
}

void clv_batch_add_penalty(const Batch *batch, const double *w, double *gradient)
{
    size_t count = penalized(batch), outputs = batch->outputs;
    uint64_t done = 0;

    for (size_t i = 0; i < count; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            gradient[i + k] += batch->l2 * w[i + k];
}

/* ---- convergence ----------------------------------------------------------------------------- */

/* Returns whether the gradient norm or the duality gap is below the tolerance. */
static bool is_certified(const Batch *batch, const Standing *standing, double tolerance)
{
    return standing->length <= tolerance * standing->reference ||
           (batch->l1 == 0 && standing->value - standing->bound <= tolerance * standing->value);
}

bool clv_batch_done(Batch *batch, double tolerance)
{
    bool all = true;

    for (size_t k = 0; k < batch->outputs; k++) {
        Standing *standing = &batch->standing[k];

        standing->done |= is_certified(batch, standing, tolerance);
        all &= standing->done;
    }
    return all;
}

static void summarize(const Batch *batch)
{
    Fit *fit = batch->fit;
    double worst = 0;

    for (size_t k = 0; k < batch->outputs; k++)
        if (batch->standing[k].length > 0)
            worst = fmax(worst, batch->standing[k].length / batch->standing[k].reference);
    clv_summarize(fit, "%s after %u iteration%s%s, relative gradient norm %.2g%s",
                  fit->result.converged ? "converged" : "stopped", batch->iterations,
                  batch->iterations == 1 ? "" : "s",
                  fit->result.converged ? "" : " without convergence", worst,
                  fit->result.plateau ? ", objective no longer decreasing" : "");
}

void clv_batch_end(Batch *batch, double tolerance)
{
    Fit *fit = batch->fit;

    fit->result.converged = true;
    for (size_t k = 0; k < batch->outputs; k++)
        fit->result.converged &= is_certified(batch, &batch->standing[k], tolerance);
    fit->result.plateau = !fit->result.converged && clv_batch_done(batch, tolerance);
    summarize(batch);
}

static Status check_finite(const Batch *batch)
{
    for (size_t k = 0; k < batch->outputs; k++)
        if (!isfinite(batch->standing[k].value) || !isfinite(batch->standing[k].length))
            return clv_fail_hint(batch->fit->error, CLEAVE_ERROR_DATA,
                                 "some features or targets are very large; standardize them",
                                 "the objective or its gradient overflows a double");
    return OK;
}

/* Squared norm of each output's loss gradient over the penalized weights. */
static void lengths2(const Batch *batch, const double *gradient, const double *w, double *length2)
{
    size_t outputs = batch->outputs, count = penalized(batch);

    memset(length2, 0, outputs * sizeof *length2);
    for (size_t i = 0; i < count; i += outputs)
        for (size_t k = 0; k < outputs; k++) {
            double of_losses = gradient[i + k] - batch->l2 * w[i + k];

            length2[k] += of_losses * of_losses;
        }
}

/* Lower bound of an output's objective; see batch.h. */
static double bound(const Batch *batch, size_t output, double length2)
{
    const LossSums *sums = &batch->sums[output];
    double up = sums->up, down = sums->down, length = sqrt(length2),
           value = sums->up_value + sums->down_value;

    if (batch->free_intercept && up != down) {
        double heavy = fmax(up, down), theta = fmin(up, down) / heavy;

        value = up > down ? theta * sums->up_value + sums->down_value
                          : sums->up_value + theta * sums->down_value;
        length += (1 - theta) * heavy * sqrt(batch->longest2);
    }
    return fmax(0, value - length * length / (2 * batch->l2)); /* the dual value is 0 at u = 0 */
}

Status clv_batch_bound(Batch *batch, const double *w, const double *gradient)
{
    TRY(check_finite(batch));
    if (batch->l1 > 0)
        return OK;
    lengths2(batch, gradient, w, batch->scores);
    for (size_t k = 0; k < batch->outputs; k++)
        batch->standing[k].bound = bound(batch, k, batch->scores[k]);
    return OK;
}

Status clv_batch_report(Batch *batch, const double *w, uint32_t steps)
{
    Fit *fit = batch->fit;
    Risk *risk = batch->risk;
    size_t count = batch->size - batch->outputs;

    for (size_t i = 0; i < count; i++)
        risk->w.w[i] = (float)w[i];
    for (size_t k = 0; k < batch->outputs; k++)
        risk->w.intercept[k] = w[count + k];
    risk->scale = 1;
    if (!clv_linear_finite(&risk->w))
        return clv_linear_overflow(fit->error);
    fit->counters.epoch_loss = 0;
    fit->counters.epoch_mistakes = 0;
    risk->has_dual = batch->l1 == 0;
    risk->dual = 0;
    for (size_t k = 0; k < batch->outputs; k++) {
        fit->counters.epoch_loss += batch->standing[k].value;
        fit->counters.epoch_mistakes += batch->sums[k].wrong;
        risk->dual += batch->standing[k].bound;
    }
    batch->iterations = steps;
    if (fit->trace && steps > 0)
        fit->trace(fit, NULL, 0, NULL, false);
    return OK;
}
