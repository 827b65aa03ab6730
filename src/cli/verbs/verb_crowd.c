/* cleave crowd: estimates the labels of tasks from the answers of many workers. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"

#include <math.h>
#include <stdio.h>

enum { SHOWN_LABELS = 10 };

typedef struct {
    int64_t top;
} CrowdFlags;

typedef struct {
    const cleave_crowd *crowd;
    cleave_crowd_output written;
} Facts;

/* ---- text ------------------------------------------------------------------------------------ */

static void cell(TextTable *table, const char *format, double value)
{
    char text[HUMAN_SIZE];

    snprintf(text, sizeof text, format, value);
    cli_table_cell(table, isnan(value) ? "-" : text);
}

static void print_head(Out *out, const cleave_crowd_summary *summary)
{
    cli_print(out, "%s to %s ", COUNT(summary->answers, "answer", "answers"),
              COUNT(summary->task_count, "task", "tasks"));
    cli_print(out, "by %s", COUNT(summary->worker_count, "worker", "workers"));
    if (summary->repeated)
        cli_print(out, "; %s replaced",
                  COUNT(summary->repeated, "repeated answer", "repeated answers"));
    if (summary->unlabeled)
        cli_print(out, "; %s without a label skipped", COUNT(summary->unlabeled, "row", "rows"));
    cli_print(out, ".\nMethod: %s", summary->method);
    if (summary->iterations)
        cli_print(out, ", %s", COUNT(summary->iterations, "iteration", "iterations"));
    if (!summary->converged)
        cli_put(out, ", not converged");
    if (isnan(summary->agreement))
        cli_put(out, ".\nAgreement (Krippendorff's alpha): undefined.\nLabels:");
    else
        cli_print(out, ".\nAgreement (Krippendorff's alpha): %.3f.\nLabels:", summary->agreement);
    for (size_t i = 0; i < summary->label_count && i < SHOWN_LABELS; i++)
        cli_print(out, "%s %s %.1f%%", i ? "," : "", summary->labels[i],
                  100 * summary->frequencies[i]);
    if (summary->label_count > SHOWN_LABELS)
        cli_print(out, " and %s more", GROUPED(summary->label_count - SHOWN_LABELS));
    cli_put(out, ".\n");
    if (summary->truth_count)
        cli_print(out, "Accuracy on %s: %.2f%% (majority vote: %.2f%%).\n",
                  COUNT(summary->truth_count, "known label", "known labels"),
                  100 * summary->accuracy, 100 * summary->majority_accuracy);
}

static void print_workers(Out *out, const cleave_crowd *crowd, size_t most)
{
    const cleave_crowd_summary *summary = cleave_crowd_get_summary(crowd);
    size_t shown = summary->worker_count < most ? summary->worker_count : most;
    TextTable table;

    if (shown == 0)
        return;
    cli_print(out, "\nWorkers of lowest quality (%s of %s):\n", GROUPED(shown),
              GROUPED(summary->worker_count));
    cli_table_init(&table, out, 5);
    for (const char *const *head =
             (const char *const[]){"worker", "answers", "accuracy", "quality", "", NULL};
         *head; head++)
        cli_table_cell(&table, *head);
    for (size_t i = 0; i < shown; i++) {
        cleave_crowd_worker worker = cleave_crowd_get_worker(crowd, summary->workers_by_quality[i]);

        cli_table_cell(&table, worker.name);
        cli_table_cell(&table, GROUPED(worker.answers));
        cell(&table, "%.3f", worker.accuracy);
        cell(&table, "%.3f", worker.quality);
        cli_table_cell(&table, worker.spammer ? "spammer" : NULL);
    }
    cli_table_end(&table);
    cli_print(out, "Spammers: %s of %s.\n", GROUPED(summary->spammer_count),
              COUNT(summary->worker_count, "worker", "workers"));
}

static void print_tasks(Out *out, const cleave_crowd *crowd, size_t most)
{
    const cleave_crowd_summary *summary = cleave_crowd_get_summary(crowd);
    size_t shown = summary->uncertain_count < most ? summary->uncertain_count : most;
    TextTable table;

    if (summary->uncertain_count == 0) {
        cli_put(out, "\nNo task needs another answer.\n");
        return;
    }
    cli_print(out, "\n%s another answer",
              COUNT(summary->uncertain_count, "task needs", "tasks need"));
    if (shown == 0) {
        cli_put(out, ".\n");
        return;
    }
    cli_put(out, shown < summary->uncertain_count ? "; the least certain are:\n" : ":\n");
    cli_table_init(&table, out, 4);
    for (const char *const *head =
             (const char *const[]){"task", "answers", "label", "probability", NULL};
         *head; head++)
        cli_table_cell(&table, *head);
    for (size_t i = 0; i < shown; i++) {
        cleave_crowd_task task = cleave_crowd_get_task(crowd, summary->uncertain_tasks[i]);

        cli_table_cell(&table, task.name);
        cli_table_cell(&table, GROUPED(task.answers));
        cli_table_cell(&table, summary->labels[task.label]);
        cell(&table, "%.3f", task.probability);
    }
    cli_table_end(&table);
}

static void print_text(Out *out, const Call *call, const void *made)
{
    const Facts *facts = made;
    size_t top = (size_t)((const CrowdFlags *)call->own)->top;

    print_head(out, cleave_crowd_get_summary(facts->crowd));
    print_workers(out, facts->crowd, top);
    print_tasks(out, facts->crowd, top);
    if (!call->settings.output)
        return;
    cli_print(out, "\n%s written to %s", COUNT(facts->written.rows, "row", "rows"),
              cli_to_stdout(call) ? "standard output" : call->settings.output);
    if (facts->written.without_answers)
        cli_print(out, "; %s without answers left out",
                  COUNT(facts->written.without_answers, "row", "rows"));
    if (facts->written.without_row)
        cli_print(out, "; %s without a row left out",
                  COUNT(facts->written.without_row, "task", "tasks"));
    cli_put(out, ".\n");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_numbers(Json *json, const char *key, const double *values, size_t count)
{
    cli_json_open_key(json, key, '[');
    for (size_t i = 0; i < count; i++)
        cli_json_number(json, values[i]);
    cli_json_close(json, ']');
}

static void json_workers(Json *json, const cleave_crowd *crowd)
{
    const cleave_crowd_summary *summary = cleave_crowd_get_summary(crowd);
    size_t labels = summary->label_count;

    cli_json_open_key(json, "workers", '[');
    for (size_t i = 0; i < summary->worker_count; i++) {
        cleave_crowd_worker worker = cleave_crowd_get_worker(crowd, summary->workers_by_quality[i]);

        cli_json_open(json, '{');
        cli_json_put_string(json, "worker", worker.name);
        cli_json_put_count(json, "answers", worker.answers);
        cli_json_put_number(json, "accuracy", worker.accuracy);
        cli_json_put_number(json, "quality", worker.quality);
        cli_json_put_number(json, "ability", worker.ability);
        cli_json_put_bool(json, "spammer", worker.spammer);
        cli_json_open_key(json, "confusion", '[');
        for (size_t truth = 0; truth < labels; truth++) {
            cli_json_open(json, '[');
            for (size_t answer = 0; answer < labels; answer++)
                cli_json_number(json, worker.confusion[truth * labels + answer]);
            cli_json_close(json, ']');
        }
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_tasks(Json *json, const cleave_crowd *crowd)
{
    const cleave_crowd_summary *summary = cleave_crowd_get_summary(crowd);

    cli_json_open_key(json, "tasks", '[');
    for (size_t i = 0; i < summary->task_count; i++) {
        cleave_crowd_task task = cleave_crowd_get_task(crowd, i);

        cli_json_open(json, '{');
        cli_json_put_string(json, "task", task.name);
        cli_json_put_count(json, "answers", task.answers);
        cli_json_put_string(json, "label", summary->labels[task.label]);
        cli_json_put_number(json, "probability", task.probability);
        json_numbers(json, "probabilities", task.probabilities, summary->label_count);
        if (!isnan(task.difficulty))
            cli_json_put_number(json, "difficulty", task.difficulty);
        cli_json_put_bool(json, "uncertain", task.uncertain);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void print_json(Out *out, const Call *call, const void *made)
{
    const Facts *facts = made;
    const cleave_crowd_summary *summary = cleave_crowd_get_summary(facts->crowd);
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", summary->method);
    cli_json_put_count(&json, "answers", summary->answers);
    cli_json_put_count(&json, "unlabeled", summary->unlabeled);
    cli_json_put_count(&json, "repeated", summary->repeated);
    cli_json_put_count(&json, "iterations", summary->iterations);
    cli_json_put_bool(&json, "converged", summary->converged);
    cli_json_put_number(&json, "agreement", summary->agreement);
    cli_json_open_key(&json, "labels", '[');
    for (size_t i = 0; i < summary->label_count; i++)
        cli_json_string(&json, summary->labels[i]);
    cli_json_close(&json, ']');
    json_numbers(&json, "frequencies", summary->frequencies, summary->label_count);
    if (summary->truth_count) {
        cli_json_put_count(&json, "known_labels", summary->truth_count);
        cli_json_put_number(&json, "accuracy", summary->accuracy);
        cli_json_put_number(&json, "majority_accuracy", summary->majority_accuracy);
    }
    cli_json_put_count(&json, "spammers", summary->spammer_count);
    cli_json_put_count(&json, "uncertain", summary->uncertain_count);
    json_workers(&json, facts->crowd);
    json_tasks(&json, facts->crowd);
    if (call->settings.output) {
        cli_json_put_string(&json, "output", call->settings.output);
        cli_json_put_count(&json, "rows", facts->written.rows);
        cli_json_put_count(&json, "rows_without_answers", facts->written.without_answers);
        cli_json_put_count(&json, "tasks_without_row", facts->written.without_row);
    }
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int report(Call *call, cleave_crowd *crowd)
{
    Facts facts = {.crowd = crowd};

    if (call->settings.output)
        CLI_TRY(cli_ok(
            call, cleave_crowd_write(crowd, call->settings.output, &facts.written, &call->error)));
    return cli_tell_done(call, print_text, print_json, &facts);
}

static int run(Call *call)
{
    const char *join = cleave_options_get(call->options[TABLE_CROWD], "join");
    const char *every = cleave_options_get(call->options[TABLE_CROWD], "every_label");
    Inputs inputs = cli_inputs(call);
    cleave_crowd *crowd;
    int status;

    if ((join || every) && !call->settings.output)
        return cli_misuse("--%s needs -o, the file to write", join ? "join" : "every-label");
    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_ok(call, cleave_crowd_new(call->context, inputs.paths, inputs.count,
                                          call->options[TABLE_READ], call->options[TABLE_CROWD],
                                          &crowd, &call->error)));
    status = report(call, crowd);
    cleave_crowd_free(crowd);
    return status;
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write the labels as weighted training data: a CSV or TSV file."),
    CLI_OWN_INTEGER(CrowdFlags, top, 10, 0, 1e9, "Maximum number of workers and tasks to print."),
    {.name = NULL},
};

static const char *const examples[] = {
    "printf 'task,worker,label\\n1,al,cat\\n1,bo,cat\\n2,al,dog\\n2,bo,dog\\n' > a.csv",
    "cleave crowd a.csv -o labels.csv",
    "cleave train tree labels.csv --label label --columns weight=weight",
    NULL,
};

const Verb cli_verb_crowd = {
    .name = "crowd",
    .arguments = "ANSWERS...",
    .brief = "Estimate labels from the answers of many workers.",
    .about = "Reads a table with one row per answer: task, worker, label. Estimates the label of "
             "each task with its probability, and the quality of each worker. Lists spammers and "
             "tasks that need another answer. The label column is the third, or that of --label. "
             "-o writes training data: 'cleave train METHOD FILE "
             "--label label --columns weight=weight'.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(CrowdFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_CROWD),
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
