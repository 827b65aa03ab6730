/*
 * The problem of dual coordinate descent: the rows with their costs and norms, the center that is
 * subtracted from them, and passes over the rows on all threads.
 */
#include "base/memory.h"
#include "base/pool.h"
#include "learn/linear/dcd.h"

enum { SAMPLE = 1001 };
#define TAU_SHARE 0.05 /* fraction of the squared norm of a typical row */
/* minimum squared distance of a useful center, as a fraction of the same norm */
#define CENTER_SHARE 0.1

static DcdShape shape_of(Loss loss)
{
    switch (loss.kind) {
    case LOSS_HINGE:
        return (DcdShape){.capped = true};
    case LOSS_SQUARED_HINGE:
        return (DcdShape){.curvature = 0.5};
    case LOSS_EPSILON:
        return (DcdShape){.two_sided = true, .capped = true, .epsilon = loss.epsilon};
    case LOSS_SQUARED_EPSILON:
        return (DcdShape){.two_sided = true, .curvature = 0.5, .epsilon = loss.epsilon};
    default:
        return (DcdShape){.two_sided = true, .curvature = 1};
    }
}

enum { ROW_PIECES = 64 };

/* A contiguous range of rows per task. Few rows are one range. */
typedef struct {
    Dcd *dcd;
    uint32_t count;
    DcdRowWork *work;
    DcdRowSums *add;
    size_t output;
    double sums[ROW_PIECES][DCD_SUMS];
} RowPieces;

static void work_on_piece(void *user, uint32_t piece, unsigned worker)
{
    RowPieces *pieces = user;
    uint64_t rows = pieces->dcd->problem.count;
    uint32_t from = (uint32_t)(rows * piece / pieces->count),
             to = (uint32_t)(rows * (piece + 1) / pieces->count);

    (void)worker;
    if (pieces->work)
        pieces->work(pieces->dcd, from, to);
    else
        pieces->add(pieces->dcd, pieces->output, from, to, pieces->sums[piece]);
}

static void run_pieces(RowPieces *pieces)
{
    const uint32_t few_rows = 10000;

    pieces->count = (uint64_t)pieces->dcd->problem.count *
                                (pieces->work ? pieces->dcd->fit->outputs : 1) <
                            few_rows
                        ? 1
                        : ROW_PIECES;
    clv_pool_run(pieces->dcd->fit->context, pieces->count, work_on_piece, pieces);
}

void clv_dcd_each_row(Dcd *dcd, DcdRowWork *work)
{
    run_pieces(&(RowPieces){.dcd = dcd, .work = work});
}

void clv_dcd_sum_rows(Dcd *dcd, size_t output, DcdRowSums *work, double sums[DCD_SUMS])
{
    RowPieces pieces = {.dcd = dcd, .add = work, .output = output};

    run_pieces(&pieces);
    memset(sums, 0, DCD_SUMS * sizeof *sums);
    for (uint32_t i = 0; i < pieces.count; i++)
        for (size_t k = 0; k < DCD_SUMS; k++)
            sums[k] += pieces.sums[i][k];
}

/* The same result as clv_block_norm2, faster. A gap of 0 is a filler, whose value, if it has one,
 * is 0. */
static double norm2_of(const Block *block, uint32_t row)
{
    double sum[4] = {0};
    uint32_t i, end, count = 0;

    if (block->form != ROWS_GAPS)
        return clv_block_norm2(block, row);
    i = block_start(block, row);
    end = block->end[row];
    if (block->value_form != VALUES_EACH) {
        double value = block->value_form == VALUES_PER_ROW ? (double)block->value[row] : 1;

        for (; i < end; i++)
            count += block->gap[i] != 0;
        return value * value * count;
    }
    for (; i + 4 <= end; i += 4)
        for (uint32_t j = 0; j < 4; j++)
            sum[j] += (double)block->value[i + j] * (double)block->value[i + j];
    for (; i < end; i++)
        sum[0] += (double)block->value[i] * (double)block->value[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void gather_block(Dcd *dcd, uint32_t number)
{
    const Fit *fit = dcd->fit;
    const Risk *risk = dcd->risk;
    const Block *block = &dcd->problem.blocks[number];

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label;
        double target, weight;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        weight = fit_weight(fit, block, row, label);
        if (weight <= 0)
            continue;
        dcd->problem.rows[dcd->problem.count++] = (DcdRow){
            .block = number,
            .row = row,
            .y = dcd->fit->outputs > 1 ? (double)label : risk_y(fit, label, target, 0),
            .cost = risk_is_hard(risk) ? (double)INFINITY
                                       : weight / (risk->lambda * fit->problem->weight_total),
        };
    }
}

static void measure_rows(Dcd *dcd, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        dcd->problem.rows[i].norm2 = norm2_of(&dcd->problem.blocks[dcd->problem.rows[i].block],
                                              dcd->problem.rows[i].row);
}

static void place_rows(Dcd *dcd, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        DcdRow *row = &dcd->problem.rows[i];

        row->center_dot = dcd->risk->kernels->dot_wide(dcd->problem.center.x,
                                                       &dcd->problem.blocks[row->block], row->row);
    }
}

bool clv_dcd_neighbors_are_similar(const DcdProblem *problem)
{
    double n = (double)problem->count, mean = 0, above = 0, alike = 0, by_chance;
    bool before = false;

    for (uint32_t i = 0; i < problem->count; i++)
        mean += problem->rows[i].y / n;
    for (uint32_t i = 0; i < problem->count; i++) {
        bool now = problem->rows[i].y > mean;

        above += now;
        alike += i > 0 && now == before;
        before = now;
    }
    by_chance = (above * above + (n - above) * (n - above)) / n;
    return alike > by_chance + 5 * sqrt(n);
}

/* The median of a sample, which is robust against rows of large norm. */
static double typical_norm2(const Dcd *dcd)
{
    uint32_t apart = dcd->problem.count / SAMPLE + 1, count = 0;
    double sample[SAMPLE + 1];

    for (uint32_t i = 0; i < dcd->problem.count; i += apart) {
        double norm2 = dcd_norm2(dcd, &dcd->problem.rows[i]);
        uint32_t at = count++;

        for (; at > 0 && sample[at - 1] > norm2; at--)
            sample[at] = sample[at - 1];
        sample[at] = norm2;
    }
    for (uint32_t i = count / 2; i < count; i++)
        if (sample[i] > 0)
            return sample[i];
    return 1;
}

/* Subtracts the mean of a sample from the rows if this makes them much shorter. */
static Status choose_center(Dcd *dcd)
{
    const Kernels *kernels = dcd->risk->kernels;
    uint32_t apart = dcd->problem.count / SAMPLE + 1;
    double share = 1 / (double)((dcd->problem.count + apart - 1) / apart),
           typical = typical_norm2(dcd), squares = 0;

    TRY(ALLOC_ZERO(dcd->fit->context, dcd->problem.center.x, dcd->fit->features, "the center",
                   dcd->fit->error));
    for (uint32_t i = 0; i < dcd->problem.count; i += apart)
        kernels->add_wide(dcd->problem.center.x, share,
                          &dcd->problem.blocks[dcd->problem.rows[i].block],
                          dcd->problem.rows[i].row);
    for (uint32_t i = 0; i < dcd->fit->features; i++)
        squares += dcd->problem.center.x[i] * dcd->problem.center.x[i];
    if (squares < (CENTER_SHARE + share) * typical) {
        clv_free(dcd->fit->context, dcd->problem.center.x);
        dcd->problem.center.x = NULL;
        return OK;
    }
    dcd->problem.center.norm2 = squares;
    clv_dcd_each_row(dcd, place_rows);
    return OK;
}

/* Hard margin: computes the largest distance of a row from the mean, which is the scale of
 * margins. */
static void measure_spread(Dcd *dcd)
{
    DcdCertificate *certificate = &dcd->certificate;
    const Kernels *kernels = dcd->risk->kernels;
    double squares = 0;

    for (uint32_t i = 0; i < dcd->problem.count; i++)
        kernels->add_wide(certificate->spare, 1 / (double)dcd->problem.count,
                          &dcd->problem.blocks[dcd->problem.rows[i].block],
                          dcd->problem.rows[i].row);
    for (uint32_t i = 0; i < dcd->fit->features; i++)
        squares += certificate->spare[i] * certificate->spare[i];
    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        const DcdRow *row = &dcd->problem.rows[i];
        double cross = kernels->dot_wide(certificate->spare, &dcd->problem.blocks[row->block],
                                         row->row);

        dcd->problem.spread = fmax(dcd->problem.spread,
                                   sqrt(fmax(0, row->norm2 - 2 * cross + squares)));
    }
}

/* Computes the loss of w = 0. Fails if no w can separate the rows. */
static Status measure_losses(Dcd *dcd)
{
    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        for (size_t j = 0; j < dcd->fit->outputs && !risk_is_hard(dcd->risk); j++)
            dcd->problem.first_loss += dcd->problem.rows[i].cost *
                                       loss_value(dcd->risk->loss,
                                                  dcd_y(dcd, &dcd->problem.rows[i], j), 0);
        if (!risk_is_hard(dcd->risk) || dcd->problem.rows[i].norm2 + dcd->problem.tau > 0)
            continue;
        return clv_fail_hint(
            dcd->fit->error, CLEAVE_ERROR_DATA, "omit --no-intercept, or use a finite --C",
            "row %llu is all zeros and cannot be separated without an intercept",
            (unsigned long long)block_row_number(&dcd->problem.blocks[dcd->problem.rows[i].block],
                                                 dcd->problem.rows[i].row) +
                1);
    }
    return OK;
}

Status clv_dcd_gather(Dcd *dcd)
{
    DcdProblem *problem = &dcd->problem;

    problem->shape = shape_of(dcd->risk->loss);
    for (uint32_t i = 0; i < problem->dataset->blocks; i++) {
        TRY(clv_dataset_block(problem->dataset, i, &problem->blocks[i], dcd->fit->error));
        gather_block(dcd, i);
    }
    clv_dcd_each_row(dcd, measure_rows);
    if (dcd_free_intercept(dcd))
        TRY(choose_center(dcd));
    if (dcd->risk->learn_intercept)
        problem->tau = dcd_free_intercept(dcd) ? TAU_SHARE * typical_norm2(dcd) : 1;
    for (size_t j = 0; j < dcd->fit->outputs && dcd_free_intercept(dcd); j++)
        dcd->solution.offset[j] = dcd->risk->w.intercept[j];
    if (risk_is_hard(dcd->risk))
        measure_spread(dcd);
    return measure_losses(dcd);
}
