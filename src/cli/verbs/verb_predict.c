/* cleave predict: one prediction per line, with scores or probabilities. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    bool names;
} PredictFlags;

typedef struct {
    Call *call;
    const cleave_model *model;
    bool names, regression, probabilities, every, begun, warned;
    Out out;
} Prediction;

static void json_per_class(const Prediction *prediction, Json *json, const char *key,
                           const double *values)
{
    size_t classes = cleave_model_label_count(prediction->model);

    cli_json_key(json, key);
    cli_json_open(json, '{');
    for (size_t i = 0; i < classes; i++)
        cli_json_put_number(json, cleave_model_label(prediction->model, i), values[i]);
    cli_json_close(json, '}');
}

static bool abstains(const cleave_prediction *row)
{
    return row->label_number == SIZE_MAX;
}

static void json_row(Prediction *prediction, const cleave_prediction *row)
{
    Json json = {.out = &prediction->out};

    cli_json_open(&json, '{');
    cli_json_put_count(&json, "row", row->row);
    if (row->name && prediction->names)
        cli_json_put_string(&json, "name", row->name);
    if (prediction->regression) {
        cli_json_put_number(&json, "number", row->value);
    } else {
        cli_json_put_string(&json, "label", abstains(row) ? NULL : row->label);
        if (abstains(row))
            cli_json_put_bool(&json, "abstained", true);
        if (prediction->every) {
            cli_json_key(&json, "labels");
            cli_json_open(&json, '[');
            for (size_t i = 0; i < row->above_count; i++)
                cli_json_string(&json, cleave_model_label(prediction->model, row->above[i]));
            cli_json_close(&json, ']');
        }
        if (row->score_count == 1)
            cli_json_put_number(&json, "score", row->scores[0]);
        else
            json_per_class(prediction, &json, "scores", row->scores);
        if (prediction->probabilities)
            json_per_class(prediction, &json, "probabilities", row->probabilities);
    }
    if (row->unseen_count) {
        cli_json_key(&json, "unseen");
        cli_json_open(&json, '[');
        for (size_t i = 0; i < row->unseen_count; i++)
            cli_json_string(&json, row->unseen[i]);
        cli_json_close(&json, ']');
    }
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* A label in a list: commas in the label are escaped. */
static void put_member(Out *out, const char *label)
{
    size_t size = strlen(label) + 1;
    char *part = cli_alloc(NULL, size, 1);

    for (size_t length; *label; label += length + (label[length] == ',')) {
        length = strcspn(label, ",");
        memcpy(part, label, length);
        part[length] = '\0';
        cli_put_value(out, part);
        cli_put(out, label[length] ? "\\x2c" : "");
    }
    free(part);
}

/* In text output, an abstention looks like a class named "none": warns once if there is one. */
static void put_none(Prediction *prediction)
{
    for (size_t i = 0; !prediction->warned && i < cleave_model_label_count(prediction->model); i++)
        if (strcmp(cleave_model_label(prediction->model, i), "none") == 0)
            cli_warn_of_none(prediction->call,
                             "--json marks rows without a prediction as abstained");
    prediction->warned = true;
    cli_put(&prediction->out, "none");
}

static void text_prediction(Prediction *prediction, const cleave_prediction *row)
{
    if (prediction->every ? row->above_count == 0 : !prediction->regression && abstains(row)) {
        put_none(prediction);
        return;
    }
    if (!prediction->every) {
        cli_put_value(&prediction->out, row->label);
        return;
    }
    for (size_t i = 0; i < row->above_count; i++) {
        cli_put(&prediction->out, i ? "," : "");
        put_member(&prediction->out, cleave_model_label(prediction->model, row->above[i]));
    }
}

static void text_column(Prediction *prediction, double value)
{
    cli_put(&prediction->out, "\t");
    cli_put(&prediction->out, EXACT(value));
}

static void text_row(Prediction *prediction, const cleave_prediction *row)
{
    size_t scores = prediction->call->settings.scores ? row->score_count : 0;
    size_t classes = cleave_model_label_count(prediction->model);

    if (prediction->names) {
        if (row->name)
            cli_put_value(&prediction->out, row->name);
        else
            cli_print(&prediction->out, "%llu", (unsigned long long)row->row);
        cli_put(&prediction->out, "\t");
    }
    text_prediction(prediction, row);
    for (size_t i = 0; i < scores; i++)
        text_column(prediction, row->scores[i]);
    for (size_t i = 0; prediction->probabilities && i < classes; i++)
        text_column(prediction, row->probabilities[i]);
    cli_put(&prediction->out, "\n");
}

/* The header of per-class columns, once, also if there are no rows. */
static void print_header(Prediction *prediction)
{
    const Settings *settings = &prediction->call->settings;
    size_t labels = cleave_model_label_count(prediction->model);

    if (prediction->begun)
        return;
    prediction->begun = true;
    if (!(prediction->probabilities || (settings->scores && labels > 2)) || settings->json)
        return;
    cli_put(&prediction->out, prediction->names ? "#name\tlabel" : "#label");
    for (size_t i = 0; i < labels; i++) {
        cli_put(&prediction->out, "\t");
        cli_put_value(&prediction->out, cleave_model_label(prediction->model, i));
    }
    cli_put(&prediction->out, "\n");
}

static cleave_code take_row(void *user, const cleave_prediction *row, cleave_error *error)
{
    Prediction *prediction = user;

    print_header(prediction);
    if (prediction->call->settings.json)
        json_row(prediction, row);
    else
        text_row(prediction, row);
    if (!prediction->out.failed)
        return CLEAVE_OK;
    if (error)
        *error = prediction->out.error;
    return prediction->out.error.code;
}

static int predict(Prediction *prediction, cleave_data *data)
{
    Call *call = prediction->call;

    if (cli_out_open(&prediction->out, call->context, call->settings.output, &call->error) !=
        CLEAVE_OK)
        return cli_fail(call);
    if (cleave_predict(prediction->model, data, call->options[TABLE_PREDICT], take_row, prediction,
                       &call->error) != CLEAVE_OK) {
        cli_out_abandon(&prediction->out);
        return cli_fail(call);
    }
    print_header(prediction);
    return cli_out_close(&prediction->out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

static int run(Call *call)
{
    Prediction prediction = {.call = call,
                             .names = ((const PredictFlags *)call->own)->names,
                             .probabilities = cli_is_on(call, "probabilities"),
                             .every = cli_was_given(call, "multilabel_threshold")};
    cleave_model *model = NULL;
    cleave_data *data = NULL;
    int status = cli_to_stdout(call) ? DONE : cli_check_output(call);

    if (call->settings.scores && prediction.probabilities && !call->settings.json)
        return cli_misuse("--scores and --probabilities cannot be combined; --json prints both");

    if (status == DONE)
        status = cli_load(call, call->arguments[0], &model);
    if (status == DONE)
        status = cli_open(call, model, call->arguments + 1, call->argument_count - 1, &data);
    prediction.model = model;
    prediction.regression = model && cleave_model_task(model) == CLEAVE_TASK_REGRESSION;
    if (status == DONE)
        status = predict(&prediction, data);
    cleave_data_free(data);
    cleave_model_free(model);
    return status;
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write to this file.", .default_text = "standard output"),
    CLI_FLAG(scores, "Print scores after the predicted labels."),
    CLI_OWN_FLAG(PredictFlags, names,
                 "Print the name of each row before its label.\n"
                 "The name of a document is its file; the name of any other row is its number."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave train perceptron @spam6 -o spam.model",
    "cleave predict spam.model @spam6 --scores",
    "cleave predict spam.model @spam6 --multilabel-threshold 0.6",
    NULL,
};

const Verb cli_verb_predict = {
    .name = "predict",
    .arguments = "MODEL DATA...",
    .brief = "Predict labels for new data.",
    .about = "Prints one label per line, in the order of the rows; a regression model prints "
             "numbers. Labels in the data are ignored. With --probabilities, a column per class "
             "follows below a #label header; with --scores likewise, or for two classes the score "
             "of the positive class alone. "
             "With --multilabel-threshold, commas separate the labels. A row for which the model "
             "abstains is printed as 'none'; --json marks it as abstained.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(PredictFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_PREDICT),
    .shows_progress = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
