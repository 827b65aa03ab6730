#include "crowd/label_model.h"

#include "base/machine.h"
#include "base/pool.h"

enum { SLICE_ANSWERS = 1 << 16, MOST_SLICES = 16, MOST_NUMBERS = 1 << 28 };

void clv_label_model_free(LabelModel *model)
{
    if (model->answers)
        FREE(model->answers->context, model->posterior, model->prior, model->table, model->ability,
             model->easiness, model->confusion);
    *model = (LabelModel){.answers = NULL};
}

/* ---- one visit of all tasks ------------------------------------------------------------------ */

typedef enum { VISIT_VOTES, VISIT_SCORES, VISIT_POSTERIORS } Visit;

/* Each slice stores the sums of all workers, the sums of the labels and the change of the
 * posteriors. */
typedef struct {
    LabelModel *model;
    const EmMethod *method;
    Visit visit;
    size_t width; /* length of the sums of a slice */
    double *sums, *log_prior;
} Pass;

static void count_votes(const LabelModel *model, uint32_t task)
{
    const Answers *answers = model->answers;
    uint64_t start = answers->start[task], end = answers->start[task + 1];
    double *posterior = model->posterior + task * model->labels;

    for (size_t label = 0; label < model->labels; label++)
        posterior[label] = end > start ? 0 : 1 / (double)model->labels;
    for (uint64_t i = start; i < end; i++)
        posterior[answers->label[i]] += 1 / (double)(end - start);
}

/* Normalizes the scores to posteriors. Returns the total variation distance to the previous
 * posteriors. */
static double normalize(const double *score, size_t labels, double *posterior)
{
    double most = score[0], total = 0, change = 0;

    for (size_t label = 1; label < labels; label++)
        most = score[label] > most ? score[label] : most;
    for (size_t label = 0; label < labels; label++)
        total += exp(score[label] - most);
    for (size_t label = 0; label < labels; label++) {
        double next = exp(score[label] - most) / total;

        change += fabs(next - posterior[label]) / 2;
        posterior[label] = next;
    }
    return change;
}

static double visit_task(const Pass *pass, uint32_t task, double *score)
{
    LabelModel *model = pass->model;

    if (pass->visit == VISIT_VOTES)
        count_votes(model, task);
    if (pass->visit != VISIT_SCORES)
        return 0;
    memcpy(score, pass->log_prior, model->labels * sizeof *score);
    pass->method->score(model, task, score);
    return normalize(score, model->labels, model->posterior + task * model->labels);
}

static void visit_slice(void *user, uint32_t slice, unsigned worker)
{
    const Pass *pass = user;
    LabelModel *model = pass->model;
    uint64_t tasks = model->answers->tasks, done = 0;
    uint32_t from = (uint32_t)(tasks * slice / model->slices),
             to = (uint32_t)(tasks * (slice + 1) / model->slices);
    double *sums = pass->sums + slice * pass->width, *scores = sums + pass->width - model->labels,
           *change = scores - 1, *label_sum = change - model->labels;

    (void)worker;
    for (uint32_t task = from; task < to; task++) {
        *change += visit_task(pass, task, scores);
        for (size_t label = 0; label < model->labels; label++)
            label_sum[label] += model->posterior[task * model->labels + label];
        pass->method->collect(model, task, sums);
        if (clv_tick_after(model->answers->context, &done,
                           32 * (model->answers->start[task + 1] - model->answers->start[task])))
            return;
    }
}

static void add_slices(void *user, uint32_t part, unsigned worker)
{
    enum { PART = 1 << 12 };
    const Pass *pass = user;
    size_t from = (size_t)part * PART, to = from + PART < pass->width ? from + PART : pass->width;

    (void)worker;
    for (uint32_t slice = 1; slice < pass->model->slices; slice++)
        for (size_t i = from; i < to; i++)
            pass->sums[i] += pass->sums[slice * pass->width + i];
}

/* Adds the sums of all slices to those of the first slice. */
static Status run_pass(Pass *pass, Visit visit, cleave_error *error)
{
    LabelModel *model = pass->model;
    Context *context = model->answers->context;

    pass->visit = visit;
    memset(pass->sums, 0, model->slices * pass->width * sizeof *pass->sums);
    for (size_t label = 0; label < model->labels; label++)
        pass->log_prior[label] = log(fmax(model->prior[label], 1e-300));
    clv_pool_run_if(model->slices > 1, context, model->slices, visit_slice, pass);
    if (model->slices > 1)
        clv_pool_run(context, (uint32_t)(pass->width >> 12) + 1, add_slices, pass);
    return clv_poll(context, error);
}

static Status new_pass(LabelModel *model, const EmMethod *method, Pass *pass, cleave_error *error)
{
    const Answers *answers = model->answers;

    *pass = (Pass){.model = model, .method = method};
    pass->width = answers->workers * method->sums(model->labels) + 2 * model->labels + 1;
    model->slices = (uint32_t)(answers->count / SLICE_ANSWERS) + 1;
    if (model->slices > MOST_SLICES)
        model->slices = MOST_SLICES;
    while (model->slices > 1 && model->slices * pass->width > answers->count)
        model->slices--;
    TRY(ALLOC(answers->context, pass->sums, model->slices * pass->width + model->labels,
              "sums of workers", error));
    pass->log_prior = pass->sums + model->slices * pass->width;
    return OK;
}

/* ---- expectation maximization ---------------------------------------------------------------- */

static void update(LabelModel *model, const Pass *pass)
{
    const Answers *answers = model->answers;
    size_t width = pass->method->sums(model->labels);
    const double *label_sum = pass->sums + pass->width - 2 * model->labels - 1;

    for (uint32_t worker = 0; worker < answers->workers; worker++)
        pass->method->update(model, worker, pass->sums + worker * width);
    for (size_t label = 0; label < model->labels && pass->method->estimates_prior; label++)
        model->prior[label] = label_sum[label] / answers->tasks;
}

static Status iterate(LabelModel *model, cleave_error *error)
{
    const EmMethod *method = model->method;
    const Answers *answers = model->answers;
    Pass pass;
    Status status = OK;

    TRY(new_pass(model, method, &pass, error));
    for (uint32_t worker = 0; worker < answers->workers; worker++)
        method->update(model, worker, NULL);
    if (method->from_votes) {
        status = run_pass(&pass, VISIT_VOTES, error);
        if (status == OK)
            update(model, &pass);
    }
    while (status == OK && !model->converged && model->iterations < model->options.max_iterations) {
        double change;

        status = run_pass(&pass, VISIT_SCORES, error);
        if (status != OK)
            break;
        update(model, &pass);
        change = pass.sums[pass.width - model->labels - 1] / answers->tasks;
        model->converged = change <= model->options.tolerance;
        model->iterations++;
        clv_progress(answers->context,
                     &(cleave_progress){.phase = "train",
                                        .epoch = (uint32_t)model->iterations,
                                        .epochs = (uint32_t)model->options.max_iterations});
    }
    clv_free(answers->context, pass.sums);
    return status;
}

/* ---- summary of the workers ------------------------------------------------------------------ */

/* Computes the confusion matrices from the posteriors, or from the votes for the majority vote. */
static Status fill_confusion(LabelModel *model, cleave_error *error)
{
    const Answers *answers = model->answers;
    const EmMethod *method = &clv_em_dawid_skene;
    size_t labels = model->labels;
    Pass pass;
    Status status;

    TRY(new_pass(model, method, &pass, error));
    status = run_pass(&pass, model->method ? VISIT_POSTERIORS : VISIT_VOTES, error);
    for (uint32_t worker = 0; worker < answers->workers && status == OK; worker++)
        clv_em_confusion(pass.sums + worker * labels * labels, labels, model->options.smoothing,
                         model->confusion + worker * labels * labels);
    if (status == OK && (!model->method || !model->method->estimates_prior))
        for (size_t label = 0; label < labels; label++)
            model->prior[label] = pass.sums[pass.width - 2 * labels - 1 + label] / answers->tasks;
    clv_free(answers->context, pass.sums);
    return status;
}

uint32_t clv_label_model_best(const LabelModel *model, uint32_t task)
{
    const double *posterior = model->posterior + task * model->labels;
    uint32_t best = 0;

    for (uint32_t label = 1; label < model->labels; label++)
        if (posterior[label] > posterior[best] ||
            (posterior[label] == posterior[best] && model->prior[label] > model->prior[best]))
            best = label;
    return best;
}

void clv_label_model_accuracy(const LabelModel *model, double *accuracy, uint64_t *count)
{
    const Answers *answers = model->answers;

    memset(accuracy, 0, answers->workers * sizeof *accuracy);
    memset(count, 0, answers->workers * sizeof *count);
    for (uint32_t task = 0; task < answers->tasks; task++)
        for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++) {
            accuracy[answers->worker[i]] +=
                model->posterior[task * model->labels + answers->label[i]];
            count[answers->worker[i]]++;
        }
    for (uint32_t worker = 0; worker < answers->workers; worker++)
        accuracy[worker] = count[worker] ? accuracy[worker] / (double)count[worker] : (double)NAN;
}

double clv_label_model_quality(const LabelModel *model, uint32_t worker)
{
    size_t labels = model->labels;
    const double *rows = model->confusion + worker * labels * labels;
    double sum = 0;

    for (size_t one = 0; one < labels; one++)
        for (size_t other = one + 1; other < labels; other++)
            for (size_t answer = 0; answer < labels; answer++) {
                double gap = rows[one * labels + answer] - rows[other * labels + answer];

                sum += gap * gap;
            }
    return labels > 1 ? sum / ((double)labels * (double)(labels - 1)) : 1;
}

/* ---- all together ---------------------------------------------------------------------------- */

static Status check_size(const LabelModel *model, cleave_error *error)
{
    const Answers *answers = model->answers;
    double labels = answers->labels, tasks = labels * answers->tasks,
           workers = labels * labels * answers->workers;

    if (workers > MOST_NUMBERS || tasks > 4.0 * MOST_NUMBERS)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "check the label column; see --label",
                             "%s: too many labels: %u, with %u workers and %u tasks",
                             clv_data_name(answers->rows.data), answers->labels, answers->workers,
                             answers->tasks);
    workers += workers; /* for the confusion matrices and their sums */
    if (model->method)
        workers += (double)answers->workers * (double)model->method->table(model->labels);
    return clv_affordable(8 * (tasks + workers), error, "%u labels of %u workers and %u tasks",
                          answers->labels, answers->workers, answers->tasks);
}

static Status new_arrays(LabelModel *model, int method, cleave_error *error)
{
    const Answers *answers = model->answers;
    Context *context = answers->context;
    size_t labels = model->labels, table = model->method ? model->method->table(labels) : 0;

    TRY(ALLOC_ZERO(context, model->posterior, answers->tasks * labels, "labels of tasks", error));
    TRY(ALLOC(context, model->prior, labels, "labels", error));
    TRY(ALLOC(context, model->table, answers->workers * table, "workers", error));
    TRY(ALLOC(context, model->ability, answers->workers, "workers", error));
    TRY(ALLOC(context, model->confusion, answers->workers * labels * labels, "workers", error));
    for (size_t label = 0; label < labels; label++)
        model->prior[label] = 1 / (double)labels;
    for (uint32_t worker = 0; worker < answers->workers; worker++)
        model->ability[worker] = (double)NAN;
    return method == MODEL_GLAD
               ? ALLOC_ZERO(context, model->easiness, answers->tasks, "tasks", error)
               : OK;
}

Status clv_label_model_fit(const Answers *answers, int method, const EmOptions *options,
                           LabelModel *model, cleave_error *error)
{
    static const EmMethod *const methods[] = {[MODEL_DAWID_SKENE] = &clv_em_dawid_skene,
                                              [MODEL_ONE_COIN] = &clv_em_one_coin,
                                              [MODEL_MACE] = &clv_em_mace,
                                              [MODEL_GLAD] = &clv_em_glad,
                                              [MODEL_MAJORITY] = NULL};

    *model = (LabelModel){.answers = answers,
                          .method = methods[method],
                          .options = *options,
                          .labels = answers->labels,
                          .converged = !methods[method]};
    TRY(check_size(model, error));
    TRY(new_arrays(model, method, error));
    if (model->method)
        TRY(iterate(model, error));
    return fill_confusion(model, error);
}
