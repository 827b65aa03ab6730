/*
 * The methods, for K labels. z is the true label of a task, y the answer of worker w.
 *
 *     dawid-skene  P(y | z) = C_w[z, y], P(z) estimated (Dawid and Skene 1979). Each row of C_w
 *                  starts with K `smoothing` answers, distributed like all answers of the worker.
 *     one-coin     P(y | z) = p_w if y = z, else (1 - p_w) / (K - 1); P(z) = 1 / K.
 *     mace         y = z with probability t_w, else y is drawn from x_w (Hovy et al. 2013).
 *                  Variational EM with beta and Dirichlet priors of 0.5; P(z) = 1 / K.
 *     glad         P(y = z) = s(a_w e^(b_t)), s the logistic function, e^(b_t) the easiness of the
 *                  task; other answers are equally likely (Whitehill et al. 2009). Priors are
 *                  a ~ N(1, 1) and b ~ N(1, 1). The maximization takes one Fisher scoring step;
 *                  P(z) = 1 / K.
 */
#include "crowd/label_model.h"

#define LEAST_PROBABILITY 1e-10

static size_t no_number(size_t labels)
{
    (void)labels;
    return 1;
}

/* ---- Dawid and Skene ------------------------------------------------------------------------- */

/* The log-probabilities of an answer are adjacent: [worker][answer][true label]. */
static size_t square(size_t labels)
{
    return labels * labels;
}

/* Adds the numbers of each answer to those of the task, or those of the task to each answer. The
 * case of two labels is inlined. */
static inline __attribute__((always_inline)) void add_answers(const Answers *answers, uint32_t task,
                                                              const double *table, size_t labels,
                                                              double *score)
{
    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++) {
        const double *row = table + (answers->worker[i] * labels + answers->label[i]) * labels;

        for (size_t label = 0; label < labels; label++)
            score[label] += row[label];
    }
}

static inline __attribute__((always_inline)) void spread_answers(const Answers *answers,
                                                                 uint32_t task,
                                                                 const double *posterior,
                                                                 size_t labels, double *sums)
{
    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++) {
        double *row = sums + (answers->worker[i] * labels + answers->label[i]) * labels;

        for (size_t label = 0; label < labels; label++)
            row[label] += posterior[label];
    }
}

static void dawid_skene_score(const LabelModel *model, uint32_t task, double *score)
{
    if (model->labels == 2)
        add_answers(model->answers, task, model->table, 2, score);
    else
        add_answers(model->answers, task, model->table, model->labels, score);
}

static void dawid_skene_collect(LabelModel *model, uint32_t task, double *sums)
{
    const double *posterior = model->posterior + task * model->labels;

    if (model->labels == 2)
        spread_answers(model->answers, task, posterior, 2, sums);
    else
        spread_answers(model->answers, task, posterior, model->labels, sums);
}

void clv_em_confusion(const double *sums, size_t labels, double smoothing, double *rows)
{
    double all = 0;

    for (size_t i = 0; i < labels * labels; i++)
        all += sums[i];
    for (size_t truth = 0; truth < labels; truth++) {
        double total = 0;

        for (size_t answer = 0; answer < labels; answer++)
            total += sums[answer * labels + truth];
        for (size_t answer = 0; answer < labels; answer++) {
            double count = sums[answer * labels + truth], own = 0, added;

            for (size_t other = 0; other < labels; other++)
                own += sums[answer * labels + other];
            added = all > 0 ? own / all : 1 / (double)labels;
            rows[truth * labels + answer] = total + smoothing > 0
                                                ? (count + smoothing * (double)labels * added) /
                                                      (total + smoothing * (double)labels)
                                                : added;
        }
    }
}

static void dawid_skene_update(LabelModel *model, uint32_t worker, const double *sums)
{
    size_t labels = model->labels;
    double *table = model->table + worker * labels * labels,
           *rows = model->confusion + worker * labels * labels;

    if (!sums)
        return;
    clv_em_confusion(sums, labels, model->options.smoothing, rows);
    for (size_t truth = 0; truth < labels; truth++)
        for (size_t answer = 0; answer < labels; answer++)
            table[answer * labels + truth] = log(
                fmax(rows[truth * labels + answer], LEAST_PROBABILITY));
}

const EmMethod clv_em_dawid_skene = {.table = square,
                                     .sums = square,
                                     .from_votes = true,
                                     .estimates_prior = true,
                                     .score = dawid_skene_score,
                                     .collect = dawid_skene_collect,
                                     .update = dawid_skene_update};

/* ---- one coin -------------------------------------------------------------------------------- */

static size_t pair(size_t labels)
{
    (void)labels;
    return 2;
}

static double other_labels(const LabelModel *model)
{
    return model->labels > 1 ? (double)(model->labels - 1) : 1;
}

/* The table has the log odds of the correct label against one incorrect label. */
static void one_coin_score(const LabelModel *model, uint32_t task, double *score)
{
    const Answers *answers = model->answers;

    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++)
        score[answers->label[i]] += model->table[answers->worker[i]];
}

static void one_coin_collect(LabelModel *model, uint32_t task, double *sums)
{
    const Answers *answers = model->answers;
    const double *posterior = model->posterior + task * model->labels;

    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++) {
        double *own = sums + 2 * (size_t)answers->worker[i];

        own[0] += posterior[answers->label[i]];
        own[1]++;
    }
}

static void one_coin_update(LabelModel *model, uint32_t worker, const double *sums)
{
    double smoothing = model->options.smoothing, p;

    if (!sums)
        return;
    p = sums[1] + smoothing > 0
            ? (sums[0] + smoothing) / (sums[1] + smoothing * (1 + other_labels(model)))
            : 1 / (double)model->labels;
    p = fmin(fmax(p, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY);
    model->ability[worker] = p;
    model->table[worker] = log(p / (1 - p) * other_labels(model));
}

const EmMethod clv_em_one_coin = {.table = no_number,
                                  .sums = pair,
                                  .from_votes = true,
                                  .score = one_coin_score,
                                  .collect = one_coin_collect,
                                  .update = one_coin_update};

/* ---- MACE ------------------------------------------------------------------------------------ */

static const double mace_prior = 0.5;

/* The logarithmic derivative of the gamma function, x > 0: recurrence and asymptotic series. */
static double digamma(double x)
{
    double sum = 0, square;

    for (; x < 10; x++)
        sum -= 1 / x;
    square = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           square *
               (1.0 / 12 -
                square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240 - square / 132))));
}

/* The table has for each answer y the log of P(y | z = y) / P(y | z != y), and the probability that
 * a correct answer is not a guess. */
static size_t mace_table(size_t labels)
{
    return 2 * labels;
}

/* The sums are the number of answers that are not guesses, and the number of guesses of each
 * label. */
static size_t mace_sums(size_t labels)
{
    return 1 + labels;
}

static void mace_score(const LabelModel *model, uint32_t task, double *score)
{
    const Answers *answers = model->answers;

    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++)
        score[answers->label[i]] +=
            model->table[2 * (answers->worker[i] * model->labels + answers->label[i])];
}

static void mace_collect(LabelModel *model, uint32_t task, double *sums)
{
    const Answers *answers = model->answers;
    const double *posterior = model->posterior + task * model->labels;

    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++) {
        size_t worker = answers->worker[i], label = answers->label[i];
        double copied = posterior[label] * model->table[2 * (worker * model->labels + label) + 1];
        double *own = sums + worker * (1 + model->labels);

        own[0] += copied;
        own[1 + label] += 1 - copied;
    }
}

static void mace_update(LabelModel *model, uint32_t worker, const double *sums)
{
    double *table = model->table + 2 * worker * model->labels, labels = (double)model->labels;
    double copied = sums ? sums[0] : 0, guesses = 0, copying, guessing, all;

    for (size_t label = 0; label < model->labels && sums; label++)
        guesses += sums[1 + label];
    model->ability[worker] = (copied + mace_prior) / (copied + guesses + 2 * mace_prior);
    all = digamma(copied + guesses + 2 * mace_prior);
    copying = sums ? exp(digamma(copied + mace_prior) - all) : 0.5;
    guessing = sums ? exp(digamma(guesses + mace_prior) - all) : 0.5;
    for (size_t label = 0; label < model->labels; label++) {
        double strategy = sums ? exp(digamma(sums[1 + label] + mace_prior) -
                                     digamma(guesses + labels * mace_prior))
                               : 1 / labels,
               guess = fmax(guessing * strategy, LEAST_PROBABILITY * LEAST_PROBABILITY);

        table[2 * label] = log((copying + guess) / guess);
        table[2 * label + 1] = copying / (copying + guess);
    }
}

const EmMethod clv_em_mace = {.table = mace_table,
                              .sums = mace_sums,
                              .score = mace_score,
                              .collect = mace_collect,
                              .update = mace_update};

/* ---- GLAD ------------------------------------------------------------------------------------ */

static const double glad_mean = 1, largest_step = 1;

static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* Performs one Fisher scoring step toward the maximum, with the prior. */
static double glad_step(double value, double gradient, double curvature)
{
    double step = (gradient - (value - glad_mean)) / (curvature + 1);

    return value + fmin(fmax(step, -largest_step), largest_step);
}

static void glad_score(const LabelModel *model, uint32_t task, double *score)
{
    const Answers *answers = model->answers;
    double ease = exp(model->easiness[task]), others = log(other_labels(model));

    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++)
        score[answers->label[i]] += model->ability[answers->worker[i]] * ease + others;
}

/* Updates the easiness of the task, then adds the gradient and the curvature of the abilities. */
static void glad_collect(LabelModel *model, uint32_t task, double *sums)
{
    const Answers *answers = model->answers;
    const double *posterior = model->posterior + task * model->labels;
    double ease = exp(model->easiness[task]), gradient = 0, curvature = 0;

    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++) {
        double x = model->ability[answers->worker[i]] * ease, p = logistic(x);

        gradient += (posterior[answers->label[i]] - p) * x;
        curvature += p * (1 - p) * x * x;
    }
    model->easiness[task] = glad_step(model->easiness[task], gradient, curvature);
    ease = exp(model->easiness[task]);
    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++) {
        double p = logistic(model->ability[answers->worker[i]] * ease);
        double *own = sums + 2 * (size_t)answers->worker[i];

        own[0] += (posterior[answers->label[i]] - p) * ease;
        own[1] += p * (1 - p) * ease * ease;
    }
}

static void glad_update(LabelModel *model, uint32_t worker, const double *sums)
{
    model->ability[worker] = sums ? glad_step(model->ability[worker], sums[0], sums[1]) : glad_mean;
}

const EmMethod clv_em_glad = {.table = no_number,
                              .sums = pair,
                              .score = glad_score,
                              .collect = glad_collect,
                              .update = glad_update};
