#include "learn/factor/alternate.h"

#include "base/dense.h"
#include "base/pool.h"

#include <math.h>

enum { TASK_NUMBERS = 64, STRIP_ROWS = 32 };

typedef struct {
    const Fit *fit;
    const LeastSquares *problem;
    const Factors *factors;
    const RatingSide *side;
    float *own, *own_bias; /* vectors and biases of the side that is solved for */
    const float *other, *other_bias;
    uint32_t size;      /* number of unknowns: the rank, and the bias */
    const double *gram; /* implicit: sum of q q' over the other side */
    double *scratch;    /* scratch space of each worker */
    double *loss;       /* loss of each number */
    atomic_bool failed; /* a system has no solution */
} Solving;

/* ---- normal equations ------------------------------------------------------------------------ */

/* The size of a worker's scratch space in doubles: the matrix, the right side, and a strip of
 * rows. */
static size_t scratch_size(uint32_t size)
{
    return (size_t)size * size + size + (size_t)STRIP_ROWS * size;
}

/* Appends the vectors of the other side, with a 1 for the bias, times the root of their weights. */
static void add_ratings(const Solving *solving, uint32_t n, double *matrix, double *right,
                        double *strip)
{
    const RatingSide *side = solving->side;
    const LeastSquares *problem = solving->problem;
    const RatingScale *scale = &solving->factors->scale;
    uint32_t rank = solving->factors->rank, size = solving->size, rows = 0;

    for (uint64_t i = side->start[n]; i < side->start[n + 1]; i++) {
        uint32_t number = side->other[i];
        const float *q = solving->other + (size_t)number * solving->factors->stride;
        double weight = side->weight ? (double)side->weight[i] : 1, value, root;
        double *row = strip + (size_t)rows * size;

        value = ((double)side->value[i] - scale->mean) / scale->spread;
        if (problem->implicit) {
            weight *= problem->alpha * value; /* is added to the weight 1 of every item */
            root = sqrt(weight);
            value = value > 0 ? 1 + weight : 0;
        } else {
            root = sqrt(weight);
            value = weight * (value - (double)solving->other_bias[number]);
        }
        for (uint32_t j = 0; j < rank; j++) {
            row[j] = root * (double)q[j];
            right[j] += value * (double)q[j];
        }
        if (size > rank) {
            row[rank] = root;
            right[rank] += value;
        }
        if (++rows == STRIP_ROWS) {
            clv_add_squares(matrix, size, strip, rows);
            rows = 0;
        }
    }
    clv_add_squares(matrix, size, strip, rows);
}

static double weight_of(const RatingSide *side, uint32_t n)
{
    double sum = 0;

    if (!side->weight)
        return (double)(side->start[n + 1] - side->start[n]);
    for (uint64_t i = side->start[n]; i < side->start[n + 1]; i++)
        sum += (double)side->weight[i];
    return sum;
}

/* Solves the system. A ridge keeps it solvable where lambda is 0. */
static bool solve(const Solving *solving, uint32_t n, double *scratch)
{
    uint32_t size = solving->size, rank = solving->factors->rank;
    double *matrix = scratch, *right = matrix + (size_t)size * size, *strip = right + size;
    double lambda = solving->problem->lambda, largest = 0, ridge;
    float *p = solving->own + (size_t)n * solving->factors->stride;

    memset(matrix, 0, ((size_t)size * size + size) * sizeof *matrix);
    if (solving->gram)
        memcpy(matrix, solving->gram, (size_t)size * size * sizeof *matrix);
    add_ratings(solving, n, matrix, right, strip);
    for (uint32_t j = 0; j < size; j++)
        largest = fmax(largest, matrix[(size_t)j * size + j]);
    ridge = fmax(lambda * weight_of(solving->side, n), 1e-12 * largest + 1e-30);
    for (uint32_t j = 0; j < size; j++)
        matrix[(size_t)j * size + j] += ridge;
    if (clv_dense_at(0)->cholesky(matrix, size, size) != size)
        return false;
    clv_dense_solve_transposed(matrix, size, size, right);
    clv_dense_solve(matrix, size, size, right);
    for (uint32_t j = 0; j < rank; j++)
        p[j] = (float)right[j];
    if (size > rank)
        solving->own_bias[n] = (float)right[rank];
    return true;
}

static void solve_some(void *user, uint32_t task, unsigned worker)
{
    Solving *solving = user;
    uint32_t first = task * TASK_NUMBERS, count = solving->side->count;
    double *scratch = solving->scratch + worker * scratch_size(solving->size);

    for (uint32_t n = first; n < count && n - first < TASK_NUMBERS; n++) {
        if (clv_tick(solving->fit->context))
            return;
        if (!solve(solving, n, scratch))
            atomic_store(&solving->failed, true);
    }
}

/* ---- one side -------------------------------------------------------------------------------- */

static void add_gram(Context *context, const float *vectors, uint32_t count, const Factors *factors,
                     double *gram, double *strip)
{
    uint32_t rank = factors->rank, rows = 0;

    for (uint32_t n = 0; n < count; n++) {
        for (uint32_t j = 0; j < rank; j++)
            strip[(size_t)rows * rank + j] = (double)vectors[(size_t)n * factors->stride + j];
        if (++rows == STRIP_ROWS || n + 1 == count) {
            clv_add_squares(gram, rank, strip, rows);
            clv_tick(context);
            rows = 0;
        }
    }
}

static Status solve_side(Solving *solving, uint32_t others, Arena *memory)
{
    const Fit *fit = solving->fit;
    uint32_t tasks = (solving->side->count + TASK_NUMBERS - 1) / TASK_NUMBERS;
    unsigned workers = clv_pool_workers(fit->context, tasks);
    size_t size = solving->size;

    solving->scratch = clv_arena_alloc(memory, workers * scratch_size(solving->size),
                                       sizeof(double));
    if (solving->problem->implicit) {
        double *gram = clv_arena_zero(memory, size * size, sizeof *gram);

        TRY(memory->status);
        add_gram(fit->context, solving->other, others, solving->factors, gram, solving->scratch);
        solving->gram = gram;
    }
    TRY(memory->status);
    clv_pool_run(fit->context, tasks, solve_some, solving);
    TRY(fit_check(fit));
    return atomic_load(&solving->failed)
               ? clv_fail_hint(fit->error, CLEAVE_ERROR_DATA, "raise --lambda",
                               "the least-squares problem of a user or item has no solution")
               : OK;
}

static Solving side_of(const Fit *fit, const Ratings *ratings, const LeastSquares *problem,
                       const Factors *factors, bool users)
{
    return (Solving){.fit = fit,
                     .problem = problem,
                     .factors = factors,
                     .size = factors->rank + problem->biases,
                     .side = users ? &ratings->users : &ratings->items,
                     .own = users ? factors->users : factors->items,
                     .own_bias = users ? factors->user_bias : factors->item_bias,
                     .other = users ? factors->items : factors->users,
                     .other_bias = users ? factors->item_bias : factors->user_bias};
}

/* ---- the objective --------------------------------------------------------------------------- */

static double predict(const Factors *factors, uint32_t user, uint32_t item)
{
    const float *p = factors->users + (size_t)user * factors->stride;
    const float *q = factors->items + (size_t)item * factors->stride;
    double sum = (double)factors->user_bias[user] + (double)factors->item_bias[item];

    for (uint32_t j = 0; j < factors->rank; j++)
        sum += (double)p[j] * (double)q[j];
    return sum;
}

typedef struct {
    const Ratings *ratings;
    const LeastSquares *problem;
    const Factors *factors;
    double *loss; /* loss of each task */
} LossSum;

static double loss_of(const LossSum *losses, uint32_t n, uint64_t i)
{
    const RatingSide *users = &losses->ratings->users;
    const RatingScale *scale = &losses->factors->scale;
    double weight = users->weight ? (double)users->weight[i] : 1;
    double value = ((double)users->value[i] - scale->mean) / scale->spread;
    double score = predict(losses->factors, n, users->other[i]), error;

    if (!losses->problem->implicit) {
        error = value - score;
        return weight * error * error;
    }
    error = (value > 0 ? 1 : 0) - score;
    return (1 + losses->problem->alpha * value * weight) * error * error - score * score;
}

static void add_losses(void *user, uint32_t task, unsigned worker)
{
    LossSum *losses = user;
    const RatingSide *users = &losses->ratings->users;
    double sum = 0;

    (void)worker;
    for (uint32_t n = task * TASK_NUMBERS; n < users->count && n / TASK_NUMBERS == task; n++) {
        clv_tick(losses->ratings->memory.context);
        for (uint64_t i = users->start[n]; i < users->start[n + 1]; i++)
            sum += loss_of(losses, n, i);
    }
    losses->loss[task] = sum;
}

/* Implicit: adds the loss of the items without a rating, the sum of all products of the two Gram
 * matrices. */
static Status add_unrated(const Ratings *ratings, const Factors *factors, Arena *memory,
                          double *loss)
{
    size_t rank = factors->rank;
    double *strip = clv_arena_alloc(memory, STRIP_ROWS * rank, sizeof *strip);
    double *of_users = clv_arena_zero(memory, rank * rank, sizeof *of_users);
    double *of_items = clv_arena_zero(memory, rank * rank, sizeof *of_items);

    TRY(memory->status);
    add_gram(memory->context, factors->users, ratings->users.count, factors, of_users, strip);
    add_gram(memory->context, factors->items, ratings->items.count, factors, of_items, strip);
    for (size_t j = 0; j < rank; j++) /* only one triangle is stored */
        for (size_t i = 0; i <= j; i++)
            *loss += (i == j ? 1 : 2) * of_users[j * rank + i] * of_items[j * rank + i];
    return OK;
}

static Status objective(const Fit *fit, const Ratings *ratings, const LeastSquares *problem,
                        const Factors *factors, Arena *memory, double *loss)
{
    uint32_t tasks = (ratings->users.count + TASK_NUMBERS - 1) / TASK_NUMBERS;
    LossSum losses = {.ratings = ratings, .problem = problem, .factors = factors};

    *loss = 0;
    losses.loss = clv_arena_alloc(memory, tasks, sizeof *losses.loss);
    TRY(memory->status);
    clv_pool_run(fit->context, tasks, add_losses, &losses);
    for (uint32_t i = 0; i < tasks; i++)
        *loss += losses.loss[i];
    return problem->implicit ? add_unrated(ratings, factors, memory, loss) : OK;
}

Status clv_alternate(const Fit *fit, const Ratings *ratings, const LeastSquares *problem,
                     const Factors *factors, double *loss)
{
    Arena memory = {.context = fit->context, .error = fit->error, .what = "normal equations"};
    Solving users = side_of(fit, ratings, problem, factors, true);
    Solving items = side_of(fit, ratings, problem, factors, false);
    Status status = solve_side(&users, ratings->items.count, &memory);

    THEN(status, solve_side(&items, ratings->users.count, &memory));
    THEN(status, objective(fit, ratings, problem, factors, &memory, loss));
    clv_arena_free(&memory);
    return status;
}

/* ---- element by element ---------------------------------------------------------------------- */

typedef struct {
    const RatingSide *side;
    const uint64_t *from; /* position of each rating in the residuals; NULL: the same position */
    float *own;           /* elements of this factor, at a distance of `stride` */
    const float *other;   /* the elements of the other side; NULL: all 1 */
    size_t own_stride, other_stride;
} ElementColumn;

/* Minimizes over one element with the others fixed. */
static void minimize(const ElementColumn *column, uint32_t n, double lambda, double *residual)
{
    const RatingSide *side = column->side;
    float *element = column->own + (size_t)n * column->own_stride;
    double products = 0, squares = 0, change;

    for (uint64_t i = side->start[n]; i < side->start[n + 1]; i++) {
        double weight = side->weight ? (double)side->weight[i] : 1;
        double v = column->other ? (double)column->other[side->other[i] * column->other_stride] : 1;

        products += weight * v *
                    (residual[column->from ? column->from[i] : i] + (double)*element * v);
        squares += weight * (v * v + lambda);
    }
    if (!(squares > 0))
        return;
    change = (double)*element;
    *element = (float)(products / squares);
    change = (double)*element - change;
    for (uint64_t i = side->start[n]; i < side->start[n + 1]; i++)
        residual[column->from ? column->from[i] : i] -=
            change *
            (column->other ? (double)column->other[side->other[i] * column->other_stride] : 1);
}

static Status minimize_pair(const Fit *fit, const ElementColumn columns[2], double lambda,
                            double *residual)
{
    for (uint32_t n = 0; n < columns[0].side->count || n < columns[1].side->count; n++) {
        for (int side = 0; side < 2; side++) {
            if (n >= columns[side].side->count)
                continue;
            minimize(&columns[side], n, lambda, residual);
            if (fit->trace)
                fit->trace(fit, NULL, 0, NULL, true);
        }
        TRY(fit_check(fit));
    }
    return OK;
}

/* Computes value minus prediction, in the order of the users' lists. */
static void find_residuals(const Ratings *ratings, const Factors *factors, double *residual)
{
    const RatingSide *users = &ratings->users;
    const RatingScale *scale = &factors->scale;

    for (uint32_t n = 0; n < users->count; n++) {
        clv_tick(ratings->memory.context);
        for (uint64_t i = users->start[n]; i < users->start[n + 1]; i++)
            residual[i] = ((double)users->value[i] - scale->mean) / scale->spread -
                          predict(factors, n, users->other[i]);
    }
}

Status clv_elements(const Fit *fit, const Ratings *ratings, const LeastSquares *problem,
                    const Factors *factors, double *residual, const uint64_t *from_item,
                    double *loss)
{
    ElementColumn columns[2] = {
        {.side = &ratings->users, .own = factors->user_bias, .own_stride = 1},
        {.side = &ratings->items, .own = factors->item_bias, .own_stride = 1, .from = from_item}};

    find_residuals(ratings, factors, residual);
    if (problem->biases)
        TRY(minimize_pair(fit, columns, problem->lambda, residual));
    for (uint32_t i = 0; i < 2; i++)
        columns[i].own_stride = columns[i].other_stride = factors->stride;
    for (uint32_t s = 0; s < factors->rank; s++) {
        columns[0].own = factors->users + s;
        columns[0].other = factors->items + s;
        columns[1].own = factors->items + s;
        columns[1].other = factors->users + s;
        TRY(minimize_pair(fit, columns, problem->lambda, residual));
    }
    *loss = 0;
    for (uint64_t i = 0; i < ratings->count; i++)
        *loss += (ratings->users.weight ? (double)ratings->users.weight[i] : 1) * residual[i] *
                 residual[i];
    return OK;
}
