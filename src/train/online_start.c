/* Starts and ends a stream: its options, the classes known in advance, the warm-start model. */
#include "pipeline/pipeline.h"
#include "train/online_parts.h"

#include <unistd.h>

const Param clv_online_params[] = {
    REAL(OnlineOptions, window, 1000, WITHIN(10, 1e9),
         "Half-life of the error window, in examples.\n"
         "The drift test uses a tenth of it."),
    REAL(OnlineOptions, forget, 0, WITHIN(0, 0.5),
         "Fraction by which each new example reduces the weights of earlier ones."),
    TEXT(OnlineOptions, known_classes, NULL, "Classes known in advance, e.g. spam,ham."),
    INTEGER(OnlineOptions, save_every, 100000, AT_LEAST(0),
            "Number of examples between saves of the model (0: never)."),
    REAL(OnlineOptions, save_seconds, 10, AT_LEAST(0),
         "Number of seconds between saves of the model (0: never)."),
    FLAG(OnlineOptions, input_continues,
         "Read an input that begins where the previous one ended.\n"
         "Otherwise, the input is read from its first byte, and rows already learned are skipped."),
    FLAG(OnlineOptions, skip_bad, "Skip and count lines and documents that cannot be read."),
    REAL(OnlineOptions, poll_seconds, 0, AT_LEAST(0),
         "Number of seconds between polls of a followed folder.", DEFAULT("inotify, no polling")),
    INTEGER(OnlineOptions, seed, 1, AT_LEAST(0), "Seed of all random choices."),
    TEXT(OnlineOptions, labels_later, NULL,
         "File of labels that arrive later: row, tab, label. It may grow (--follow)."),
    TEXT(OnlineOptions, positive, NULL, "Positive class of a binary problem."),
    TEXT(OnlineOptions, class_weight, NULL, "Class weights, e.g. spam=2,ham=1, or 'balanced'."),
    TEXT(OnlineOptions, transform, "auto",
         "Feature pipeline, e.g. scale,polynomial:degree=2; 'cleave transforms' lists all.\n"
         "auto: chosen from the data. none: no transforms."),
    END_OF_PARAMS,
};

const cleave_param *cleave_stream_params(void)
{
    return clv_online_params;
}

static Status load_fit(Online *online, const Model *model)
{
    online->run.fit.features = model->features;
    TRY(clv_online_begin(online, model));
    online->begun = true;
    return clv_online_load_fit(online, model);
}

/* Starts from a model of a stream or of a training run. */
static Status resume(Online *online, const Model *model, cleave_error *error)
{
    if (!online->run.job.method->training->resume)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "'%s' does not support a warm start; use another model file",
                        model->method->name);
    online->learning = online->guided = true;
    online->resumed = clv_bundle_get(model->bundle, "stream", BUNDLE_U64) != NULL;
    online->run.targets = clv_model_target_range(model);
    if (online->resumed)
        TRY(clv_online_load_counts(online, model, error));
    if (model->rows > online->windows.examples)
        online->rows_before = model->rows - online->windows.examples;
    online->run.fit.features = model->features;
    return online->learning ? load_fit(online, model) : clv_online_load_held(online, model, error);
}

static Status add_known(Online *online, const char *text, size_t length, const char *flag,
                        cleave_error *error)
{
    uint32_t number;

    if (length == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "%s: expected names of classes, e.g. spam,ham",
                        flag);
    return clv_labels_add(&online->known, text, length, &number, error);
}

/* Adds classes named by an option, which are known. A name in --class-weight ends at its last
 * '='. */
static Status know_classes(Online *online, cleave_error *error)
{
    const OnlineOptions *options = &online->options;

    for (const char *at = options->known_classes; at; at = *at ? at + 1 : NULL) {
        size_t length = strcspn(at, ",");

        TRY(add_known(online, at, length, "--known-classes", error));
        at += length;
        if (!*at)
            break;
    }
    for (const char *at = options->class_weight; at; at++) {
        size_t length = strcspn(at, ","), name = length;

        while (name > 0 && at[name - 1] != '=')
            name--;
        if (name > 1)
            TRY(add_known(online, at, name - 1, "--class-weight", error));
        at += length;
        if (!*at)
            break;
    }
    return options->positive ? add_known(online, options->positive, strlen(options->positive),
                                         "--positive", error)
                             : OK;
}

static Status check_options(const Online *online, cleave_error *error)
{
    const OnlineOptions *options = &online->options;
    const char *flag = options->known_classes  ? "--known-classes"
                       : options->class_weight ? "--class-weight"
                                               : "--positive";

    if (options->class_weight && strcmp(options->class_weight, "balanced") == 0)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "set a weight for each class, e.g. spam=2,ham=1",
            "--class-weight balanced cannot be used with a stream: class counts are not known in "
            "advance");
    if (online->regression &&
        (options->known_classes || options->class_weight || options->positive))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "%s requires a classification method, and '%s' is for regression", flag,
                        online->run.job.method->name);
    return OK;
}

static Status know(Online *online, const Model *from, cleave_error *error)
{
    TRY(check_options(online, error));
    if (from)
        TRY(clv_labels_copy(&online->known, &from->labels, error));
    TRY(know_classes(online, error));
    if (from && online->options.positive && from->labels.count == 2 &&
        clv_labels_find(&online->known, online->options.positive,
                        strlen(online->options.positive)) != from->positive) {
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "omit --positive; a warm start keeps the positive class of the model",
                             "--positive: '%s' is not the positive class of the warm-start model",
                             online->options.positive);
    }
    if (online->known.count == 0)
        return OK;
    /* A warm start begins with the classes of the model; see_class and widen add new ones. */
    return clv_online_see_class(online, (from ? from->labels.count : online->known.count) - 1);
}

static Status start(Online *online, const Model *from, cleave_error *error)
{
    Run *run = &online->run;

    TRY(clv_report_new(run->context, &run->report, error));
    if (run->job.method->check_options)
        TRY(run->job.method->check_options(run->job.method_options, error));
    TRY(clv_online_check_method(online));
    if (!online->regression)
        TRY(know(online, from, error));
    else
        TRY(check_options(online, error));
    if (!from)
        return OK;
    run->problem.names = &from->names;
    run->job.pipeline = from->pipeline;
    run->problem.schema = &from->schema;
    TRY(resume(online, from, error));
    while (!online->regression && online->learning && online->run.fit.classes < online->known.count)
        TRY(clv_online_widen(online, online->run.fit.classes));
    return OK;
}

/* The file is read after rows have been learned: a wrong name is an error before. */
static Status check_late_labels(const Online *online, cleave_error *error)
{
    const char *path = online->options.labels_later;

    if (path && online->regression)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--labels-later needs a classification method");
    if (path && strcmp(path, "-") == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--labels-later needs a file, and '-' is standard input");
    return path && access(path, R_OK) != 0 ? clv_fail_io(error, path, "cannot be opened") : OK;
}

Status clv_online_new(Context *context, const Method *method, void *method_options,
                      const OnlineOptions *options, const Model *from,
                      const cleave_stream_callbacks *watch, Online **result, cleave_error *error)
{
    Online *online;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, online, 1, "a stream", error));
    online->run = (Run){.context = context,
                        .job.method = method,
                        .job.method_options = method_options,
                        .job.name = "data"};
    online->run.fit.problem = &online->run.problem;
    clv_params_initial(clv_run_params, &online->run.options);
    online->run.options.seed = options->seed;
    online->run.options.positive = options->positive;
    online->run.options.class_weight = options->class_weight;
    online->run.options.transform = options->transform;
    online->run.options.stream = true;
    online->options = *options;
    if (watch)
        online->watch = *watch;
    online->regression = method->tasks == CLEAVE_TASK_REGRESSION;
    online->next_report = 1;
    clv_labels_init(&online->known, context);
    online->run.labels = &online->known;
    clv_builder_init(&online->held, context);
    clv_builder_init(&online->row, context);
    online->held.passing_by = online->row.passing_by = true;
    clv_builder_clear(&online->held);
    clv_windows_init(&online->windows, options->window, online->regression);
    for (int i = 0; i < 2; i++)
        clv_decaying_init(&online->side[i].shown, options->window);
    clv_late_init(&online->late, context, options->labels_later);
    clv_online_hand_error(online, error);
    status = check_late_labels(online, error);
    THEN(status, start(online, from, error));
    if (status != OK) {
        clv_online_free(online);
        return status;
    }
    *result = online;
    return OK;
}

void clv_online_free(Online *online)
{
    Context *context;

    if (!online)
        return;
    context = online->run.context;
    clv_run_end(&online->run);
    if (online->run.report)
        cleave_report_free(&online->run.report->facts);
    clv_labels_free(&online->known);
    clv_builder_free(&online->held);
    clv_builder_free(&online->row);
    clv_late_free(&online->late);
    FREE(context, online->count, online->scores, online);
}

/* Whether the columns read differ from those of the method. */
static bool reads_for_pipeline(const Online *online)
{
    return online->run.job.pipeline && !clv_pipeline_any_column(online->run.job.pipeline);
}

void clv_online_use_pipeline(Online *online, const Pipeline *pipeline)
{
    online->run.job.pipeline = pipeline;
}

const Pipeline *clv_online_own_pipeline(const Online *online)
{
    return online->run.job.pipeline;
}

void clv_online_start(const Online *online, LiveStart *start)
{
    *start = (LiveStart){
        .labels = &online->known,
        .names = reads_for_pipeline(online) ? clv_pipeline_inputs(online->run.job.pipeline)
                                            : online->run.problem.names,
        .schema = online->run.problem.schema,
        .features = reads_for_pipeline(online) ? clv_pipeline_input_count(online->run.job.pipeline)
                                               : online->run.fit.features,
        .rows = online->rows,
        .continued = online->resumed && !online->guided,
        .skips_bad = online->options.skip_bad,
        .poll_seconds = online->options.poll_seconds,
        .place = online->place,
    };
    if (online->options.input_continues)
        start->place = (LivePlace){.skipped = online->place.skipped,
                                   .documents = online->place.documents,
                                   .document_count = online->place.document_count};
}

void clv_online_source(Online *online, const Source *source, const char *name)
{
    online->run.labels = &source->labels;
    if (!reads_for_pipeline(online))
        online->run.problem.names = &source->names;
    if (!online->run.problem.schema)
        online->run.problem.schema = &source->schema;
    online->run.job.name = name;
    online->numbers = 0;
}

void clv_online_columns(Online *online, const Source *columns)
{
    online->run.problem.names = &columns->names;
    if (!online->run.problem.schema->format[0]) /* a model of arrays */
        online->run.problem.schema = &columns->schema;
}

uint64_t clv_online_examples(const Online *online)
{
    return online->windows.examples;
}

uint64_t clv_online_mark(const Online *online)
{
    return online->mark;
}

bool clv_online_resumed(const Online *online)
{
    return online->resumed;
}
