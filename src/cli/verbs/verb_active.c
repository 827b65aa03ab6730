/* cleave active: asks for the labels that help a model most. */
#include "cli/report/train_summary.h"
#include "cli/ui/ask_command.h"
#include "cli/ui/ask_person.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *oracle, *labeled, *test;
    int64_t oracle_seconds;
} ActiveFlags;

typedef enum { ORACLE_REVEAL, ORACLE_ASK, ORACLE_COMMAND } Oracle;

typedef struct {
    Call *call;
    const ActiveFlags *given;
    Oracle oracle;
    cleave_data *pool, *test;
    cleave_active *active;
    cleave_active_state state;
    cleave_active_comparison *comparison; /* NULL: none */
    uint64_t written;                     /* rows of --labeled */
    bool has_model, exhausted, saved;     /* saved: the person ended the questions */
} Asked;

/* ---- asking ---------------------------------------------------------------------------------- */

static int interrupted(const Asked *asked)
{
    if (cleave_options_get(asked->call->options[TABLE_ACTIVE], "journal"))
        cli_remark(asked->call, CLEAVE_LOG_WARNING,
                   "interrupted: the labels are in the journal, and the same command resumes", "");
    else
        cli_remark(asked->call, CLEAVE_LOG_WARNING, "interrupted: no labels are kept",
                   "use --journal FILE to keep them");
    return cli_interrupted_status();
}

/* An unacceptable label of a person is refused and asked for again. */
static int take_label(Asked *asked, uint64_t row, const char *label)
{
    Call *call = asked->call;
    cleave_code code = cleave_active_label(asked->active, row, label, &call->error);

    if (code == CLEAVE_OK || code != CLEAVE_ERROR_DATA)
        return cli_ok(call, code);
    if (asked->oracle != ORACLE_ASK)
        return cli_failed(call->error.hint, "--oracle: row %llu: %s", (unsigned long long)row,
                          call->error.message);
    cli_failed(call->error.hint, "%s", call->error.message);
    return DONE;
}

static int skip(Asked *asked, uint64_t row)
{
    return cli_ok(asked->call, cleave_active_skip(asked->active, row, &asked->call->error));
}

static int ask_person(Asked *asked, const cleave_active_item *item)
{
    char *label;
    PersonSays says = cli_ask_person(item, &asked->state, &label);
    int status = DONE;

    switch (says) {
    case PERSON_LABEL:
        status = take_label(asked, item->row, label);
        break;
    case PERSON_SKIP:
        status = skip(asked, item->row);
        break;
    case PERSON_UNDO:
        status = cli_ok(asked->call, cleave_active_undo(asked->active, NULL, &asked->call->error));
        break;
    case PERSON_SAVE:
        asked->saved = true;
        break;
    case PERSON_INTERRUPTED:
        status = interrupted(asked);
    }
    free(label);
    return status;
}

static int ask_command(Asked *asked, const cleave_active_item *item)
{
    char *label;
    int status = cli_ask_command(asked->given->oracle, (double)asked->given->oracle_seconds,
                                 item->row, item->text, item->length, &label);

    if (status != DONE)
        return cli_interrupted() ? interrupted(asked) : status;
    status = *label ? take_label(asked, item->row, label) : skip(asked, item->row);
    free(label);
    return status;
}

static int ask(Asked *asked, const cleave_active_item *item)
{
    if (asked->oracle == ORACLE_ASK)
        return ask_person(asked, item);
    if (asked->oracle == ORACLE_COMMAND)
        return ask_command(asked, item);
    return item->hidden_label ? take_label(asked, item->row, item->hidden_label)
                              : skip(asked, item->row);
}

static int update_state(Asked *asked)
{
    return cli_ok(asked->call,
                  cleave_active_get_state(asked->active, &asked->state, &asked->call->error));
}

static void show_progress(Asked *asked)
{
    Call *call = asked->call;

    if (call->progress.on && asked->oracle != ORACLE_ASK)
        cli_progress_show(&call->progress, &(cleave_progress){.phase = "label",
                                                              .rows = asked->state.labeled,
                                                              .rows_total = asked->state.budget});
}

/* Until the budget or the pool is exhausted, or the person ends the questions. */
static int ask_all(Asked *asked)
{
    cleave_active_item item;

    for (;;) {
        CLI_TRY(update_state(asked));
        show_progress(asked);
        if (asked->saved || asked->state.labeled >= asked->state.budget)
            return DONE;
        CLI_TRY(cli_ok(asked->call, cleave_active_next(asked->active, &item, &asked->call->error)));
        asked->exhausted = item.row == CLEAVE_NO_ROW;
        if (asked->exhausted)
            return DONE;
        CLI_TRY(ask(asked, &item));
        if (cli_interrupted())
            return interrupted(asked);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static int write_model(Asked *asked)
{
    Call *call = asked->call;
    cleave_model *model = NULL;
    int status;

    if (!call->settings.output)
        return DONE;
    CLI_TRY(cli_ok(call, cleave_active_model(asked->active, &model, &call->error)));
    asked->has_model = model != NULL;
    if (!model) {
        cli_remark(call, CLEAVE_LOG_WARNING,
                   "no model is written: fewer than two classes have labels", "label more rows");
        return DONE;
    }
    cli_defer_interrupts(call);
    status = cli_ok(call, cleave_save(model, call->settings.output, &call->error));
    cleave_model_free(model);
    return status;
}

static int write_files(Asked *asked)
{
    Call *call = asked->call;

    if (asked->given->labeled && asked->state.labeled + asked->state.given > 0)
        CLI_TRY(cli_ok(call, cleave_active_write(asked->active, asked->given->labeled,
                                                 &asked->written, &call->error)));
    return write_model(asked);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_labels(Out *out, const Asked *asked)
{
    const cleave_active_state *state = &asked->state;

    cli_print(out, "Labels: %s asked for", GROUPED(state->labeled));
    if (state->given)
        cli_print(out, ", %s in the pool from the start", GROUPED(state->given));
    if (state->skipped)
        cli_print(out, ", %s skipped", COUNT(state->skipped, "row", "rows"));
    cli_print(out, "; %s in the pool", COUNT(state->pool_rows, "row", "rows"));
    cli_put(out, asked->exhausted ? ", none is left to ask about.\n" : ".\n");
    cli_print(out, "Selection: %s. Classes:", state->strategy);
    for (size_t i = 0; i < state->class_count && i < 10; i++)
        cli_print(out, "%s %s", i ? "," : "", state->classes[i]);
    cli_put(out, state->class_count > 10 ? ", ...\n" : state->class_count ? ".\n" : " none.\n");
    if (!isnan(state->error))
        cli_print(out, "Error on %s: %.2f%%.\n", COUNT(state->test_rows, "test row", "test rows"),
                  100 * state->error);
}

static void percent_cell(TextTable *table, double value)
{
    char text[HUMAN_SIZE];

    snprintf(text, sizeof text, "%.2f%%", 100 * value);
    cli_table_cell(table, isnan(value) ? "-" : text);
}

/* The points at 1, 2, 5, 10, 20, 50, ... labels and the last. */
static bool is_shown(const cleave_active_comparison *facts, size_t point)
{
    uint64_t before = point ? facts->labels[point - 1] : 0;

    for (uint64_t step = 10; step <= facts->labels[point]; step *= 10)
        for (size_t i = 0; i < 3; i++) {
            uint64_t at = step * (i == 0 ? 1 : i == 1 ? 2 : 5);

            if (before < at && at <= facts->labels[point])
                return true;
        }
    return point + 1 == facts->point_count;
}

static void print_comparison(Out *out, const cleave_active_comparison *facts)
{
    TextTable table;

    cli_print(out, "\nMean error rate over %s, on %s of each:\n",
              COUNT(facts->repeats, "simulation", "simulations"),
              COUNT(facts->test_rows, "test row", "test rows"));
    cli_table_init(&table, out, 3);
    cli_table_cell(&table, "labels");
    cli_table_cell(&table, facts->strategy);
    cli_table_cell(&table, "random");
    for (size_t i = 0; i < facts->point_count; i++)
        if (is_shown(facts, i)) {
            cli_table_cell(&table, GROUPED(facts->labels[i]));
            percent_cell(&table, facts->active[i].value);
            percent_cell(&table, facts->random[i].value);
        }
    cli_table_end(&table);
    cli_print(out, "%s.\n", facts->summary);
    if (facts->point_count && facts->random_labels)
        cli_print(out, "Random selection reaches the last error rate of %s with %s.\n",
                  facts->strategy, COUNT(facts->random_labels, "label", "labels"));
    else if (facts->point_count)
        cli_print(out, "Random selection does not reach the last error rate of %s with %s.\n",
                  facts->strategy, COUNT(facts->labels[facts->point_count - 1], "label", "labels"));
}

static const char *without_comparison =
    "It is not known whether active selection paid off: labels of a random selection are missing";

static void print_text(Out *out, const Call *call, const void *made)
{
    const Asked *asked = made;

    print_labels(out, asked);
    if (asked->given->labeled && asked->written)
        cli_print(out, "Labeled rows written to %s.\n", asked->given->labeled);
    if (asked->has_model)
        cli_print(out, "Model written to %s.\n", call->settings.output);
    if (asked->comparison)
        print_comparison(out, asked->comparison);
    else
        cli_print(out, "%s.\n", without_comparison);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_curve(Json *json, const Asked *asked)
{
    uint64_t labels;
    double error;

    cli_json_open_key(json, "curve", '[');
    for (size_t i = 0; cleave_active_point(asked->active, i, &labels, &error); i++) {
        cli_json_open(json, '{');
        cli_json_put_count(json, "labels", labels);
        cli_json_put_number(json, "error", error);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_runs(Json *json, const char *key, const cleave_active_comparison *facts,
                      const double *runs)
{
    cli_json_open_key(json, key, '[');
    for (size_t repeat = 0; repeat < facts->repeats; repeat++) {
        cli_json_open(json, '[');
        for (size_t i = 0; i < facts->point_count; i++)
            cli_json_number(json, runs[repeat * facts->point_count + i]);
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
}

static void json_comparison(Json *json, const cleave_active_comparison *facts)
{
    cli_json_open_key(json, "comparison", '{');
    cli_json_put_count(json, "repeats", facts->repeats);
    cli_json_put_count(json, "pool_rows", facts->pool_rows);
    cli_json_put_count(json, "test_rows", facts->test_rows);
    cli_json_open_key(json, "labels", '[');
    for (size_t i = 0; i < facts->point_count; i++)
        cli_json_count(json, facts->labels[i]);
    cli_json_close(json, ']');
    json_runs(json, "errors", facts, facts->active_runs);
    json_runs(json, "random_errors", facts, facts->random_runs);
    cli_json_put_number(json, "gain", facts->gain.value);
    cli_json_put_number(json, "gain_low", facts->gain.low);
    cli_json_put_number(json, "gain_high", facts->gain.high);
    cli_json_put_string(json, "conclusion",
                        facts->conclusion > 0   ? "better"
                        : facts->conclusion < 0 ? "worse"
                                                : "unknown");
    if (facts->random_labels)
        cli_json_put_count(json, "random_labels", facts->random_labels);
    cli_json_close(json, '}');
}

static void print_json(Out *out, const Call *call, const void *made)
{
    const Asked *asked = made;
    const cleave_active_state *state = &asked->state;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", call->method.name);
    cli_json_put_string(&json, "selection", state->strategy);
    cli_json_put_count(&json, "pool_rows", state->pool_rows);
    cli_json_put_count(&json, "budget", state->budget);
    cli_json_put_count(&json, "given", state->given);
    cli_json_put_count(&json, "labeled", state->labeled);
    cli_json_put_count(&json, "skipped", state->skipped);
    cli_json_put_bool(&json, "exhausted", asked->exhausted);
    cli_json_open_key(&json, "classes", '[');
    for (size_t i = 0; i < state->class_count; i++)
        cli_json_string(&json, state->classes[i]);
    cli_json_close(&json, ']');
    if (state->test_rows) {
        cli_json_put_count(&json, "test_rows", state->test_rows);
        cli_json_put_number(&json, "error", state->error);
        json_curve(&json, asked);
    }
    if (asked->comparison)
        json_comparison(&json, asked->comparison);
    cli_json_put_string(&json, "summary",
                        asked->comparison ? asked->comparison->summary : without_comparison);
    cli_json_put_string(&json, "labeled_output", asked->written ? asked->given->labeled : NULL);
    cli_json_put_string(&json, "model", asked->has_model ? call->settings.output : NULL);
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int check_flags(Asked *asked)
{
    const Call *call = asked->call;
    const ActiveFlags *given = asked->given;
    const char *journal = cleave_options_get(call->options[TABLE_ACTIVE], "journal");

    if (!given->oracle || !*given->oracle)
        return cli_misuse("active needs --oracle: reveal, ask, or a command  (see 'cleave active "
                          "--help')");
    asked->oracle = strcmp(given->oracle, "reveal") == 0 ? ORACLE_REVEAL
                    : strcmp(given->oracle, "ask") == 0  ? ORACLE_ASK
                                                         : ORACLE_COMMAND;
    if (asked->oracle != ORACLE_REVEAL && !journal)
        return cli_misuse("--oracle %s needs --journal FILE: an interruption would lose the labels",
                          asked->oracle == ORACLE_ASK ? "ask" : "COMMAND");
    if (asked->oracle == ORACLE_ASK)
        for (size_t i = 1; i < call->argument_count; i++)
            if (strcmp(call->arguments[i], "-") == 0)
                return cli_misuse("--oracle ask reads answers from standard input: name the file "
                                  "of the pool");
    if (given->labeled && cli_is_stdout(given->labeled))
        return cli_misuse("--labeled needs the name of a file: the report goes to standard output");
    if (given->labeled)
        CLI_TRY(cli_check_written(call, "--labeled", given->labeled));
    if (journal)
        CLI_TRY(cli_check_written(call, "--journal", journal));
    return DONE;
}

static int open_data(Asked *asked)
{
    Call *call = asked->call;
    const char *test = asked->given->test;

    CLI_TRY(cli_use_data(call, NULL, 1, &asked->pool));
    if (!test)
        return DONE;
    if (asked->oracle == ORACLE_REVEAL && cli_value_of(call, "test_fraction"))
        return cli_misuse("--test and --test-fraction cannot be combined");
    return cli_ok(call, cleave_open_like(asked->pool, &test, 1, call->options[TABLE_READ],
                                         &asked->test, &call->error));
}

/* A simulation is compared with random selection; the labels of other oracles are not known. */
static int compare(Asked *asked)
{
    Call *call = asked->call;
    const char *simulations = cleave_options_get(call->options[TABLE_ACTIVE], "simulations"),
               *held_out = cleave_options_get(call->options[TABLE_ACTIVE], "test_fraction");

    if (asked->oracle != ORACLE_REVEAL || (simulations && strcmp(simulations, "0") == 0) ||
        (!asked->test && held_out && strtol(held_out, NULL, 10) == 0 &&
         !held_out[strspn(held_out, "0.")]))
        return DONE;
    return cli_ok(call,
                  cleave_active_compare(call->context, call->method.name, asked->pool, asked->test,
                                        call->options[TABLE_ACTIVE], call->options[TABLE_TRAIN],
                                        &asked->comparison, &call->error));
}

static int ask_and_tell(Asked *asked)
{
    Call *call = asked->call;

    CLI_TRY(open_data(asked));
    CLI_TRY(
        cli_ok(call, cleave_active_new(call->context, call->method.name, asked->pool, asked->test,
                                       asked->oracle == ORACLE_REVEAL, call->options[TABLE_ACTIVE],
                                       call->options[TABLE_TRAIN], &asked->active, &call->error)));
    CLI_TRY(ask_all(asked));
    CLI_TRY(write_files(asked));
    call->deaf = false;
    CLI_TRY(compare(asked));
    return cli_tell_done(call, print_text, print_json, asked);
}

static int run(Call *call)
{
    Asked asked = {.call = call, .given = call->own};
    int status;

    CLI_TRY(check_flags(&asked));
    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_lock_model(call, call->settings.output));
    status = ask_and_tell(&asked);
    cleave_active_comparison_free(asked.comparison);
    cleave_active_free(asked.active);
    cleave_data_free(asked.test);
    return status;
}

static bool suits(const cleave_method_info *method)
{
    return method->tasks != CLEAVE_TASK_REGRESSION && !(method->traits & CLEAVE_TRAIT_RATINGS);
}

static const cleave_param flags[] = {
    CLI_OWN_TEXT(
        ActiveFlags, oracle,
        "Source of the labels: reveal, ask, or a command.\n"
        "reveal: labels of the pool (simulation). ask: a person at the terminal. A command "
        "reads the row and prints its label; an empty line skips the row."),
    CLI_OWN_INTEGER(ActiveFlags, oracle_seconds, 60, 1, 1e6,
                    "Maximum time of the command for a row, in seconds."),
    CLI_MODEL_OUTPUT,
    CLI_OWN_TEXT(ActiveFlags, labeled, "Write the labeled rows to this file, as training data."),
    CLI_OWN_TEXT(ActiveFlags, test, "Test set, to measure the error after each training.",
                 .default_text = "with --oracle reveal, --test-fraction of the pool"),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave generate spam --rows 1000 -o mail.tsv",
    "cleave active svm mail.tsv --oracle reveal --budget 50 -o mail.model",
    "cut -f 2 mail.tsv | sed 's/^/\\t/' > pool.tsv",
    "echo 'grep -q cash && echo spam || echo ham' > oracle.sh",
    "cleave active svm pool.tsv --oracle 'sh oracle.sh' --journal j --budget 20",
    NULL,
};

const Verb cli_verb_active = {
    .name = "active",
    .arguments = "METHOD POOL...",
    .brief = "Ask for the labels that help a model most (active learning).",
    .about = "Asks for the label of one row at a time, and trains after each. The pool has few "
             "labels or none: an empty label cell, a line that starts with a tab, '?' in LIBSVM "
             "text. Every label is in the journal before the next question, and the same command "
             "resumes. --oracle reveal hides the labels of the pool, and reports whether active "
             "selection pays off against random selection.",
    .examples = examples,
    .common = "oracle budget selection train-every known-classes journal labeled output test "
              "simulations label seed json quiet",
    .flags = flags,
    .own_size = sizeof(ActiveFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN) | TABLE_BIT(TABLE_ACTIVE),
    .takes_method = true,
    .suits = suits,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
