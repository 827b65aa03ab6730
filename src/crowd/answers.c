#include "crowd/answers.h"

#include <strings.h>

/* Answers in the order of the files. */
typedef struct {
    uint32_t task, worker, label;
} Answer;

typedef struct {
    Answer *list;
    size_t count, capacity;
} AnswerList;

void clv_answers_free(Answers *answers)
{
    if (answers->context)
        FREE(answers->context, answers->start, answers->worker, answers->label);
    clv_keyed_free(&answers->rows);
    *answers = (Answers){.tasks = 0};
}

static Status add_block(Answers *answers, const Block *block, AnswerList *list, cleave_error *error)
{
    TRY(GROW(answers->context, list->list, list->capacity, list->count + block->rows, error));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t key[MOST_KEYS], label = block_label(block, row);

        TRY(clv_keyed_row(&answers->rows, block, row, key, error));
        if (label == UNLABELED)
            answers->unlabeled++;
        else
            list->list[list->count++] = (Answer){key[KEY_TASK], key[KEY_WORKER], label};
    }
    return OK;
}

static Status read_all(Answers *answers, AnswerList *list, cleave_error *error)
{
    Source *source = answers->rows.source;

    for (;;) {
        const Block *block;

        TRY(source_next(source, &block, error));
        if (!block)
            return OK;
        TRY(add_block(answers, block, list, error));
        clv_progress(answers->context, &(cleave_progress){.phase = "read",
                                                          .rows = source->rows,
                                                          .bytes = source->bytes,
                                                          .bytes_total = source->bytes_total});
        TRY(clv_poll(answers->context, error));
    }
}

/* Sorts by task. Answers to a task keep the order of the file. */
static Status sort_by_task(Answers *answers, const AnswerList *list, cleave_error *error)
{
    Context *context = answers->context;
    uint64_t *next;

    TRY(ALLOC_ZERO(context, answers->start, (size_t)answers->tasks + 2, "answers", error));
    TRY(ALLOC(context, answers->worker, list->count, "answers", error));
    TRY(ALLOC(context, answers->label, list->count, "answers", error));
    next = answers->start + 1; /* the loop below turns the start of each task into its end */
    for (size_t i = 0; i < list->count; i++)
        next[list->list[i].task + 1]++;
    for (uint32_t task = 0; task < answers->tasks; task++)
        next[task + 1] += next[task];
    for (size_t i = 0; i < list->count; i++) {
        uint64_t at = next[list->list[i].task]++;

        answers->worker[at] = list->list[i].worker;
        answers->label[at] = list->list[i].label;
    }
    answers->count = list->count;
    return OK;
}

/* Drops repeated answers. If a worker answers a task again, the last answer replaces the first
 * one. */
static Status drop_repeated(Answers *answers, cleave_error *error)
{
    typedef struct {
        uint32_t task; /* number of the task plus one */
        uint64_t at;
    } Last;
    Last *last;
    uint64_t kept = 0, start = 0;

    TRY(ALLOC_ZERO(answers->context, last, answers->workers, "workers", error));
    for (uint32_t task = 0; task < answers->tasks; task++) {
        uint64_t end = answers->start[task + 1];

        for (uint64_t i = start; i < end; i++) {
            Last *worker = &last[answers->worker[i]];

            if (worker->task == task + 1) {
                answers->label[worker->at] = answers->label[i];
                continue;
            }
            *worker = (Last){.task = task + 1, .at = kept};
            answers->worker[kept] = answers->worker[i];
            answers->label[kept++] = answers->label[i];
        }
        start = end;
        answers->start[task + 1] = kept;
    }
    answers->repeated = answers->count - kept;
    answers->count = kept;
    clv_free(answers->context, last);
    return OK;
}

static bool is_one_of(const char *title, const char *const *names)
{
    for (; *names; names++)
        if (strcasecmp(title, *names) == 0)
            return true;
    return false;
}

/* Warns if the names of the columns contradict their roles. */
static void check_titles(const Answers *answers)
{
    static const char *const workers[] = {"worker", "annotator", "rater", "user", NULL};
    static const char *const tasks[] = {"task", "question", "item", "unit", NULL};
    const char *task = answers->rows.title[KEY_TASK], *worker = answers->rows.title[KEY_WORKER];
    char one[QUOTE_SIZE], other[QUOTE_SIZE];

    if (is_one_of(task, workers) || is_one_of(worker, tasks))
        clv_warn(answers->context, "specify the columns with --task-column and --worker-column",
                 "%s: column '%s' is read as the task and column '%s' as the worker",
                 clv_data_name(answers->rows.data), clv_quote(one, task, strlen(task)),
                 clv_quote(other, worker, strlen(worker)));
}

static Status check(const Answers *answers, cleave_error *error)
{
    if (answers->count > 0)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "use one row per answer: task, worker, label; see --label",
                         "%s: no row has a label", clv_data_name(answers->rows.data));
}

Status clv_answers_read(Context *context, const char *const *paths, size_t count,
                        const cleave_options *reading, const char *const column[MOST_KEYS],
                        Answers *answers, cleave_error *error)
{
    AnswerList list = {0};
    Status status;

    *answers = (Answers){.context = context};
    TRY(clv_keyed_open(context, paths, count, reading, column, MOST_KEYS, "3", &answers->rows,
                       error));
    check_titles(answers);
    status = read_all(answers, &list, error);
    answers->tasks = answers->rows.count[KEY_TASK];
    answers->workers = answers->rows.count[KEY_WORKER];
    answers->labels = answers->rows.source->labels.count;
    THEN(status, sort_by_task(answers, &list, error));
    clv_free(context, list.list);
    THEN(status, drop_repeated(answers, error));
    THEN(status, check(answers, error));
    return status;
}

/* ---- agreement ------------------------------------------------------------------------------- */

/* Sums over the pairs of answers within tasks of at least two answers. A task of m answers, n of
 * them with label c, has n (m - n) / (m - 1) disagreeing pairs of label c. */
static double disagreement(const Answers *answers, uint64_t *within, uint64_t *total,
                           uint64_t *pairable)
{
    double observed = 0;

    *pairable = 0;
    for (uint32_t task = 0; task < answers->tasks; task++) {
        uint64_t start = answers->start[task], end = answers->start[task + 1], size = end - start;
        uint64_t differing = 0;

        if (size < 2)
            continue;
        *pairable += size;
        for (uint64_t i = start; i < end; i++) {
            within[answers->label[i]]++;
            total[answers->label[i]]++;
        }
        for (uint64_t i = start; i < end; i++)
            differing += size - within[answers->label[i]];
        for (uint64_t i = start; i < end; i++)
            within[answers->label[i]] = 0;
        observed += (double)differing / (double)(size - 1);
    }
    return observed;
}

Status clv_answers_agreement(const Answers *answers, double *alpha, cleave_error *error)
{
    uint64_t *within, *total, pairable;
    double observed, expected = 0;

    TRY(ALLOC_ZERO(answers->context, within, 2 * (size_t)answers->labels, "labels", error));
    total = within + answers->labels;
    observed = disagreement(answers, within, total, &pairable);
    for (uint32_t label = 0; label < answers->labels; label++)
        expected += (double)total[label] * (double)(pairable - total[label]);
    clv_free(answers->context, within);
    *alpha = expected > 0 ? 1 - observed * (double)(pairable - 1) / expected : (double)NAN;
    return OK;
}
