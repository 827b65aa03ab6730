/*
 * A start for newton with the logistic loss: a few iterations of dual coordinate ascent (Yu, Huang
 * and Lin 2011). They reach the neighborhood of the minimum in the time of one or two Newton steps.
 *
 * With w = Σ cᵢ aᵢ yᵢ xᵢ / λ, 0 < a < 1, the dual is Σ −cᵢ (aᵢ ln aᵢ + (1 − aᵢ) ln(1 − aᵢ)) − λ/2
 * ‖w‖². With u = ln(a / (1 − a)), margin m and row norm ‖x‖, the maximum along one aᵢ satisfies
 *
 *     u + m + q (σ(u) − a) = 0           q = cᵢ ‖xᵢ‖² / λ,   a: the old value
 *
 * The solution lies between −m and the old u; Newton's method is limited to this interval. Rows are
 * visited in a new random order in each iteration, which reduces 30 iterations to 8 on data sorted
 * by class. An unregularized intercept is approximated by the weight of one more feature, as large
 * as the others together; newton corrects this.
 */
#include "base/random.h"
#include "learn/linear/batch.h"

enum {
    MAX_ITERATIONS = 10,
    GROUP = 64,
    WINDOW = 4096,
    AHEAD = 4,
    FAR_AHEAD = 16,
    FETCHED = 1024,
    CG_UNITS = 64
};
#define NEVER (-36.0) /* ln(a / (1 − a)) where a is 0 within rounding */

typedef struct {
    Batch *batch;
    double *w;
    double *u;       /* per row and output */
    double *length2; /* per row */
    double unit2;    /* square of the feature of the intercept; 0: no intercept */
    Block *block;    /* all blocks */
    uint64_t *first; /* first row of each block; one more at the end */
    double blocks_per_row;
    uint32_t *order, *group, groups; /* order of the rows; groups of adjacent rows */
    double *scores, *steps;          /* per output */
    double gain, total;              /* increase of the dual in this iteration, and in total */
    Arena memory;
} Dual;

static double sigmoid(double u)
{
    return 1 / (1 + exp(-u));
}

/* Sets u to its new value; returns the change of a. */
static double cg(double *u, double margin, double q)
{
    double a = sigmoid(*u), low = fmin(*u, -margin), high = fmax(*u, -margin),
           first = fabs(*u + margin);
    double to = *u - (*u + margin) / (1 + q * a * (1 - a)), now = a;

    for (int i = 0; i < 8; i++) {
        double rest;

        if (!(to > low && to < high))
            to = (low + high) / 2;
        *u = to;
        now = sigmoid(to);
        rest = to + margin + q * (now - a);
        if (fabs(rest) <= 0.01 * first)
            break;
        if (rest > 0)
            high = to;
        else
            low = to;
        to -= rest / (1 + q * now * (1 - now));
    }
    return now - a;
}

/* The change of a for one output, times c y / λ. */
static double visit_output(Dual *dual, uint64_t i, size_t k, double score)
{
    const Batch *batch = dual->batch;
    double *u = &dual->u[i * batch->outputs + k], y = batch_y(batch, i, k),
           share = batch->share[i] / batch->l2;
    double margin = y * score, slope = *u + margin, change;

    if (fabs(slope) < 1e-9)
        return 0;
    change = cg(u, margin, share * (dual->length2[i] + dual->unit2));
    /* an approximation: the slope decreases to 0 along the step */
    dual->gain += batch->share[i] * fabs(change * fmax(-4, slope)) / 2;
    return share * change * y;
}

static Status visit_row(Dual *dual, const Block *block, uint32_t row, uint64_t i)
{
    Batch *batch = dual->batch;
    size_t last = batch->size - batch->outputs;

    TRY(clv_batch_score_row(batch, dual->w, block, row, dual->scores));
    for (size_t k = 0; k < batch->outputs; k++) {
        dual->steps[k] = visit_output(dual, i, k, dual->scores[k]);
        /* the last term is added together with the row */
        dual->w[last + k] += dual->unit2 * dual->steps[k] - dual->steps[k];
    }
    clv_batch_add_row(batch, dual->steps, block, row, dual->w);
    return OK;
}

/* The block of a row, found from the mean number of rows per block. */
static uint32_t block_of(const Dual *dual, uint64_t row)
{
    uint32_t number = (uint32_t)((double)row * dual->blocks_per_row);

    while (dual->first[number] > row)
        number--;
    while (dual->first[number + 1] <= row)
        number++;
    return number;
}

static void fetch(const void *from, size_t bytes)
{
    const char *at = from;

    for (size_t i = 0; i < bytes && i < (size_t)FETCHED; i += 64)
        __builtin_prefetch(at + i);
}

/* Prefetches the position and numbers of a row. */
static void fetch_place(const Dual *dual, uint64_t row)
{
    uint32_t number = block_of(dual, row), at = (uint32_t)(row - dual->first[number]);

    if (dual->block[number].form != ROWS_DENSE)
        __builtin_prefetch(dual->block[number].end + at);
    __builtin_prefetch(dual->batch->share + row);
    __builtin_prefetch(dual->batch->target + row);
    __builtin_prefetch(dual->length2 + row);
    __builtin_prefetch(dual->u + row * dual->batch->outputs);
}

/* Prefetches the entries of a row before its visit. */
static void fetch_row(const Dual *dual, uint64_t row)
{
    uint32_t number = block_of(dual, row), at = (uint32_t)(row - dual->first[number]), start, count;
    const Block *block = &dual->block[number];

    if (block->form == ROWS_DENSE) {
        fetch(block->value + (size_t)at * block->features, block->features * sizeof *block->value);
        return;
    }
    start = block_start(block, at);
    count = block->end[at] - start;
    if (block->form == ROWS_GAPS)
        fetch(block->gap + start, count * sizeof *block->gap);
    else
        fetch(block->column + start, count * sizeof *block->column);
    if (block->value_form == VALUES_EACH)
        fetch(block->value + start, count * sizeof *block->value);
}

/* Computes a random order with locality: shuffles groups of adjacent rows, then the rows within
 * each window of many groups. */
static void shuffle(Dual *dual, Random *random)
{
    uint32_t rows = (uint32_t)dual->batch->rows, at = 0;

    clv_shuffle(random, dual->group, dual->groups);
    for (uint32_t i = 0; i < dual->groups; i++)
        for (uint32_t row = dual->group[i] * GROUP;
             row < dual->group[i] * GROUP + GROUP && row < rows; row++)
            dual->order[at++] = row;
    for (at = 0; at < rows; at += WINDOW)
        clv_shuffle(random, dual->order + at, rows - at < WINDOW ? rows - at : WINDOW);
}

static Status visit_rows(Dual *dual)
{
    const Batch *batch = dual->batch;
    uint64_t done = 0;

    for (uint64_t i = 0; i < batch->rows; i++) {
        uint32_t row = dual->order[i], number = block_of(dual, row);

        if (i + FAR_AHEAD < batch->rows)
            fetch_place(dual, dual->order[i + FAR_AHEAD]);
        if (i + AHEAD < batch->rows)
            fetch_row(dual, dual->order[i + AHEAD]);
        if (batch->share[row] > 0)
            TRY(visit_row(dual, &dual->block[number], (uint32_t)(row - dual->first[number]), row));
        TRY(fit_poll(
            batch->fit, &done,
            (2 * block_row_entries(&dual->block[number], row - (uint32_t)dual->first[number]) +
             CG_UNITS) *
                (uint64_t)batch->outputs));
    }
    return OK;
}

static Status measure_rows(Dual *dual)
{
    Batch *batch = dual->batch;
    uint64_t row = 0;
    double mean = 0;

    for (uint32_t number = 0; number < batch->dataset->blocks; number++) {
        Block *block = &dual->block[number];

        TRY(clv_dataset_block(batch->dataset, number, block, batch->fit->error));
        dual->first[number] = row;
        for (uint32_t i = 0; i < block->rows; i++, row++) {
            dual->length2[row] = clv_batch_length2(block, i);
            mean += batch->share[row] * dual->length2[row];
        }
    }
    dual->first[batch->dataset->blocks] = row;
    dual->blocks_per_row = (double)(batch->dataset->blocks - 1) / (double)row;
    dual->unit2 = !batch->risk->learn_intercept ? 0
                  : !batch->free_intercept      ? 1
                  : mean > 0                    ? mean
                                                : 1;
    return OK;
}

static Status open_dual(Dual *dual, Batch *batch)
{
    Arena *memory = &dual->memory;

    *memory = (Arena){.context = batch->fit->context, .error = batch->fit->error};
    TRY(clv_batch_per_row(batch, memory, &dual->u));
    dual->length2 = clv_arena_alloc(memory, batch->rows, sizeof *dual->length2);
    dual->first = clv_arena_alloc(memory, (size_t)batch->dataset->blocks + 1, sizeof *dual->first);
    dual->block = clv_arena_alloc(memory, batch->dataset->blocks, sizeof *dual->block);
    dual->order = clv_arena_alloc(memory, batch->rows, sizeof *dual->order);
    dual->groups = (uint32_t)((batch->rows + GROUP - 1) / GROUP);
    dual->group = clv_arena_alloc(memory, dual->groups, sizeof *dual->group);
    dual->scores = clv_arena_zero(memory, batch->outputs, sizeof *dual->scores);
    dual->steps = clv_arena_zero(memory, batch->outputs, sizeof *dual->steps);
    TRY(memory->status);
    for (size_t i = 0; i < batch->rows * batch->outputs; i++)
        dual->u[i] = NEVER;
    for (uint32_t i = 0; i < dual->groups; i++)
        dual->group[i] = i;
    return measure_rows(dual);
}

static Status ascend(Dual *dual, double enough)
{
    Batch *batch = dual->batch;
    Random random = clv_random(batch->fit->problem->seed, 0x64756131);

    for (int iteration = 0; iteration < MAX_ITERATIONS && !clv_cancelled(batch->fit->context);
         iteration++) {
        dual->gain = 0;
        shuffle(dual, &random);
        TRY(visit_rows(dual));
        batch->fit->counters.seen += batch->rows;
        dual->total += dual->gain;
        if (dual->gain <= enough * dual->total)
            break;
    }
    return OK;
}

Status clv_dual_start(Batch *batch, double *w, double enough)
{
    Dual dual = {.batch = batch, .w = w};
    Status status = open_dual(&dual, batch);

    memset(w, 0, batch->size * sizeof *w);
    THEN(status, ascend(&dual, enough));
    clv_arena_free(&dual.memory);
    return status;
}
