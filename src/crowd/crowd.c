/* Public functions that estimate labels from many workers. */
#include "crowd/crowd.h"

#include "base/param.h"

#include <stdlib.h>

static const char *const methods[] = {"dawid-skene", "one-coin", "mace", "glad", "majority", NULL};

static const Param params[] = {
    NAME(CrowdOptions, method, MODEL_DAWID_SKENE, methods,
         "Method that estimates the labels.\n"
         "dawid-skene: one confusion matrix per worker. one-coin: one accuracy per worker. mace: "
         "workers guess some answers. glad: abilities of workers and difficulties of tasks. "
         "majority: majority vote."),
    TEXT(CrowdOptions, task_column, "1", "Column of the task, by name or number from 1."),
    TEXT(CrowdOptions, worker_column, "2", "Column of the worker, by name or number from 1."),
    TEXT(CrowdOptions, truth, NULL,
         "Report the accuracy on this table of known labels (task, label)."),
    TEXT(CrowdOptions, join, NULL,
         "Table of the tasks; its rows are written with labels and weights."),
    FLAG(CrowdOptions, every_label,
         "Write one row per task and label, weighted by its probability."),
    FLAG(CrowdOptions, csv_safe, "Prefix CSV cells that a spreadsheet would run as a formula."),
    REAL(CrowdOptions, confidence, 0.9, WITHIN(0, 1),
         "Report tasks whose label has a probability below this value."),
    REAL(CrowdOptions, spam_quality, 0.1, WITHIN(0, 1),
         "Report workers with a quality below this value as spammers."),
    INTEGER(CrowdOptions, spam_answers, 10, AT_LEAST(1),
            "Minimum number of answers before a worker is reported as a spammer."),
    {.name = "smoothing",
     .type = CLEAVE_REAL,
     .initial = 0.1,
     AT_LEAST(0),
     .offset = offsetof(CrowdOptions, em.smoothing),
     .help = "dawid-skene, one-coin: mean number of answers added to each matrix cell."},
    {.name = "max_iterations",
     .type = CLEAVE_INTEGER,
     .initial = 100,
     WITHIN(1, 1000000),
     .offset = offsetof(CrowdOptions, em.max_iterations),
     .help = "Maximum number of EM iterations."},
    {.name = "tolerance",
     .type = CLEAVE_REAL,
     .initial = 1e-4,
     AT_LEAST(0),
     .offset = offsetof(CrowdOptions, em.tolerance),
     .help = "Stop when the mean change of the probabilities is at most this value."},
    END_OF_PARAMS,
};

const cleave_param *cleave_crowd_params(void)
{
    return params;
}

void cleave_crowd_free(cleave_crowd *crowd)
{
    if (!crowd)
        return;
    clv_label_model_free(&crowd->model);
    clv_answers_free(&crowd->answers);
    cleave_options_free(crowd->kept);
    FREE(crowd->context, crowd->labels, crowd->accuracy, crowd->count, crowd->workers,
         crowd->uncertain, crowd);
}

/* ---- workers and tasks ----------------------------------------------------------------------- */

static bool is_spammer(const cleave_crowd *crowd, uint32_t worker)
{
    return crowd->count[worker] >= (uint64_t)crowd->options.spam_answers &&
           clv_label_model_quality(&crowd->model, worker) < crowd->options.spam_quality;
}

static double probability(const cleave_crowd *crowd, uint32_t task)
{
    const LabelModel *model = &crowd->model;

    return model->posterior[task * model->labels + clv_label_model_best(model, task)];
}

typedef struct {
    double value;
    uint32_t number;
} Ranked;

static int compare_ranked(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void rank(Ranked *ranked, size_t count, uint32_t *order)
{
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < count; i++)
        order[i] = ranked[i].number;
}

static Status rank_workers(cleave_crowd *crowd, cleave_error *error)
{
    uint32_t count = crowd->answers.workers;
    Ranked *ranked;

    TRY(ALLOC(crowd->context, crowd->workers, count, "workers", error));
    TRY(ALLOC(crowd->context, ranked, count, "workers", error));
    for (uint32_t i = 0; i < count; i++) {
        ranked[i] = (Ranked){clv_label_model_quality(&crowd->model, i), i};
        crowd->summary.spammer_count += is_spammer(crowd, i);
    }
    rank(ranked, count, crowd->workers);
    clv_free(crowd->context, ranked);
    return OK;
}

static Status rank_tasks(cleave_crowd *crowd, cleave_error *error)
{
    size_t count = 0;
    Ranked *ranked;

    TRY(ALLOC(crowd->context, ranked, crowd->answers.tasks, "tasks", error));
    for (uint32_t task = 0; task < crowd->answers.tasks; task++) {
        double best = probability(crowd, task);

        if (best < crowd->options.confidence)
            ranked[count++] = (Ranked){best, task};
    }
    crowd->summary.uncertain_count = count;
    if (ALLOC(crowd->context, crowd->uncertain, count, "tasks", error) == OK)
        rank(ranked, count, crowd->uncertain);
    clv_free(crowd->context, ranked);
    return crowd->uncertain ? OK : CLEAVE_ERROR_MEMORY;
}

const cleave_crowd_summary *cleave_crowd_get_summary(const cleave_crowd *crowd)
{
    return &crowd->summary;
}

cleave_crowd_worker cleave_crowd_get_worker(const cleave_crowd *crowd, size_t number)
{
    uint32_t worker = (uint32_t)number;
    size_t labels = crowd->model.labels;

    return (cleave_crowd_worker){.name = clv_keyed_text(&crowd->answers.rows, KEY_WORKER, worker),
                                 .answers = crowd->count[worker],
                                 .accuracy = crowd->accuracy[worker],
                                 .quality = clv_label_model_quality(&crowd->model, worker),
                                 .ability = crowd->model.ability[worker],
                                 .spammer = is_spammer(crowd, worker),
                                 .confusion = crowd->model.confusion + worker * labels * labels};
}

cleave_crowd_task cleave_crowd_get_task(const cleave_crowd *crowd, size_t number)
{
    const LabelModel *model = &crowd->model;
    const Answers *answers = &crowd->answers;
    uint32_t task = (uint32_t)number;

    return (cleave_crowd_task){.name = clv_keyed_text(&answers->rows, KEY_TASK, task),
                               .answers = answers->start[task + 1] - answers->start[task],
                               .label = clv_label_model_best(model, task),
                               .probability = probability(crowd, task),
                               .probabilities = model->posterior + task * model->labels,
                               .difficulty = model->easiness ? exp(-model->easiness[task])
                                                             : (double)NAN,
                               .uncertain = probability(crowd, task) < crowd->options.confidence};
}

/* ---- tables of tasks ------------------------------------------------------------------------- */

Status clv_crowd_open(const cleave_crowd *crowd, const char *path, const char *label,
                      KeyedRows *rows, cleave_error *error)
{
    const char *column = crowd->answers.rows.title[KEY_TASK];
    Status status = clv_keyed_open(crowd->context, &path, 1, NULL, &column, 1, label, rows, error);

    return status == CLEAVE_ERROR_USAGE
               ? clv_hint(error, status, "pass a table with the task column of the answers")
               : status;
}

Status clv_crowd_match(const cleave_crowd *crowd, const KeyedRows *rows, uint32_t from,
                       uint32_t **tasks, size_t *capacity, cleave_error *error)
{
    Buffer scratch = {0};
    Status status = GROW(crowd->context, *tasks, *capacity, (size_t)rows->count[0] + 1, error);

    for (; from < rows->count[0] && status == OK; from++)
        status = clv_keyed_find(&crowd->answers.rows, KEY_TASK, clv_keyed_text(rows, 0, from),
                                &scratch, &(*tasks)[from], error);
    clv_free(crowd->context, scratch.data);
    return status;
}

/* Returns the fraction of the majority vote that a label has: 1, or 1/n if n labels share the most
 * votes. */
static double majority_is(const cleave_crowd *crowd, uint32_t task, uint32_t label)
{
    const Answers *answers = &crowd->answers;
    uint64_t own = 0, tied = 0;

    for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++)
        own += answers->label[i] == label;
    for (uint32_t other = 0; other < answers->labels; other++) {
        uint64_t votes = 0;

        for (uint64_t i = answers->start[task]; i < answers->start[task + 1]; i++)
            votes += answers->label[i] == other;
        if (votes > own)
            return 0;
        tied += votes == own;
    }
    return 1 / (double)tied;
}

static Status evaluate(cleave_crowd *crowd, KeyedRows *rows, cleave_error *error)
{
    const Labels *truths = &rows->source->labels, *labels = &crowd->answers.rows.source->labels;
    uint32_t *tasks = NULL, key[MOST_KEYS], matched = 0;
    size_t capacity = 0;
    double right = 0, votes = 0;
    Status status = OK;

    for (const Block *block;;) {
        THEN(status, source_next(rows->source, &block, error));
        if (status != OK || !block)
            break;
        for (uint32_t row = 0; row < block->rows && status == OK; row++) {
            uint32_t label = block_label(block, row), task;

            status = clv_keyed_row(rows, block, row, key, error);
            if (status == OK && rows->count[0] > matched)
                status = clv_crowd_match(crowd, rows, matched, &tasks, &capacity, error);
            matched = rows->count[0];
            if (status != OK || label == UNLABELED || (task = tasks[key[0]]) == NO_COLUMN)
                continue;
            label = clv_labels_find(labels, truths->list[label].text,
                                    strlen(truths->list[label].text));
            crowd->summary.truth_count++;
            right += label == clv_label_model_best(&crowd->model, task);
            votes += label == UNLABELED ? 0 : majority_is(crowd, task, label);
        }
    }
    clv_free(crowd->context, tasks);
    TRY(status);
    if (crowd->summary.truth_count == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: no task of the answers has a known label",
                        crowd->options.truth);
    crowd->summary.accuracy = right / (double)crowd->summary.truth_count;
    crowd->summary.majority_accuracy = votes / (double)crowd->summary.truth_count;
    return OK;
}

/* ---- all together ---------------------------------------------------------------------------- */

static Status read_answers(cleave_crowd *crowd, const char *const *paths, size_t count,
                           const cleave_options *reading, cleave_error *error)
{
    const char *const column[] = {crowd->options.task_column, crowd->options.worker_column};
    const Answers *answers = &crowd->answers;

    TRY(clv_answers_read(crowd->context, paths, count, reading, column, &crowd->answers, error));
    TRY(ALLOC(crowd->context, crowd->labels, answers->labels, "labels", error));
    for (uint32_t label = 0; label < answers->labels; label++)
        crowd->labels[label] = answers->rows.source->labels.list[label].text;
    return clv_answers_agreement(answers, &crowd->summary.agreement, error);
}

static Status fit(cleave_crowd *crowd, cleave_error *error)
{
    const Answers *answers = &crowd->answers;

    TRY(clv_label_model_fit(answers, crowd->options.method, &crowd->options.em, &crowd->model,
                            error));
    TRY(ALLOC(crowd->context, crowd->accuracy, answers->workers, "workers", error));
    TRY(ALLOC(crowd->context, crowd->count, answers->workers, "workers", error));
    clv_label_model_accuracy(&crowd->model, crowd->accuracy, crowd->count);
    TRY(rank_workers(crowd, error));
    return rank_tasks(crowd, error);
}

static Status fill(cleave_crowd *crowd, const char *const *paths, size_t count,
                   const cleave_options *reading, const cleave_options *options,
                   cleave_error *error)
{
    KeyedRows truth = {.keys = 0};
    Status status;

    TRY(clv_options_copy(crowd->context, options, &crowd->kept, error));
    TRY(clv_params_apply(crowd->kept, params, &crowd->options, NULL, NULL, error));
    TRY(read_answers(crowd, paths, count, reading, error));
    TRY(fit(crowd, error));
    crowd->summary.method = methods[crowd->options.method];
    crowd->summary.task_column = crowd->answers.rows.title[KEY_TASK];
    crowd->summary.worker_column = crowd->answers.rows.title[KEY_WORKER];
    crowd->summary.answers = crowd->answers.count;
    crowd->summary.unlabeled = crowd->answers.unlabeled;
    crowd->summary.repeated = crowd->answers.repeated;
    crowd->summary.task_count = crowd->answers.tasks;
    crowd->summary.worker_count = crowd->answers.workers;
    crowd->summary.label_count = crowd->answers.labels;
    crowd->summary.labels = crowd->labels;
    crowd->summary.frequencies = crowd->model.prior;
    crowd->summary.iterations = (uint64_t)crowd->model.iterations;
    crowd->summary.converged = crowd->model.converged;
    crowd->summary.accuracy = crowd->summary.majority_accuracy = (double)NAN;
    crowd->summary.workers_by_quality = crowd->workers;
    crowd->summary.uncertain_tasks = crowd->uncertain;
    if (!crowd->options.truth)
        return OK;
    status = clv_crowd_open(crowd, crowd->options.truth, "2", &truth, error);
    THEN(status, evaluate(crowd, &truth, error));
    clv_keyed_free(&truth);
    return status;
}

cleave_code cleave_crowd_new(cleave_context *context, const char *const *paths, size_t count,
                             const cleave_options *reading, const cleave_options *options,
                             cleave_crowd **result, cleave_error *error)
{
    REQUIRE(context && (paths || count == 0) && result);
    cleave_crowd *crowd;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, crowd, 1, "labels of tasks", error));
    crowd->context = context;
    status = fill(crowd, paths, count, reading, options, error);
    if (status == OK)
        *result = crowd;
    else
        cleave_crowd_free(crowd);
    return status;
}
