#include "pipeline/pipeline.h"
#include "train/online_parts.h"

#include <math.h>
#include <stdio.h>

#define SAFE_FILLERS (1000u * FILLER_GAP) /* features: up to here every row of gaps stays one when it is alone */
#define MOST_WEIGHTS_MEASURED ((size_t)1 << 27)

const Param clv_online_params[] = {
    REAL(OnlineOptions, window, 1000, WITHIN(10, 1e9),
         "half-life of the window errors are shown over, in examples; drift is looked for in one a tenth as long"),
    REAL(OnlineOptions, forget, 0, WITHIN(0, 0.5),
         "what the weight of an example loses with each one after it, as in 0.0001; 0: nothing is forgotten"),
    TEXT(OnlineOptions, known_classes, NULL, "classes known in advance, as in spam,ham; others may still appear"),
    INTEGER(OnlineOptions, save_every, 100000, AT_LEAST(0),
            "save the model after so many examples, where it is kept; 0: do not"),
    REAL(OnlineOptions, save_seconds, 10, AT_LEAST(0), "save the model after so many seconds, too; 0: do not"),
    FLAG(OnlineOptions, from_here,
         "the input starts where the one before ended; otherwise it is given from its first byte, and what was learned "
         "from is passed over"),
    FLAG(OnlineOptions, skip_bad, "Skip lines and documents that cannot be read, and count them."),
    REAL(OnlineOptions, poll_seconds, 0, AT_LEAST(0),
         "seconds between polls of a followed folder (0: inotify, where available)"),
    INTEGER(OnlineOptions, seed, 1, AT_LEAST(0), "seed of everything random"),
    TEXT(OnlineOptions, positive, NULL, "which of two classes is the positive one"),
    TEXT(OnlineOptions, class_weight, NULL, "what the rows of a class count, as in spam=2,ham=1"),
    TEXT(
        OnlineOptions, transform, "auto",
        "what makes features of what is read, of a model that begins ('cleave transforms' lists them); auto: what suits the data, "
        "none: nothing"),
    END_OF_PARAMS,
};

const cleave_param *cleave_stream_params(void)
{
    return clv_online_params;
}

/* ---- one row ------------------------------------------------------------------------------------------------------ */

/* Entries of one row as a block of its own. How rows are written depends on their neighbours (data/builder.c), and with it the order of a
 * sum: here every row has the form it would have alone. */
static Status view_entries(Online *online, const Block *block, uint32_t row, Block *view)
{
    cleave_error *error = online->run.error;

    if (block->form == ROWS_GAPS && block->value_form == VALUES_EACH &&
        (!block->has_fillers || block->features <= SAFE_FILLERS)) {
        uint32_t start = block_start(block, row);

        *view = *block;
        online->row_end = block->end[row] - start;
        view->end = &online->row_end;
        view->gap = block->gap + start;
        view->value = block->value + start;
        if (block->features > online->run.fit.features) {
            view->features = 0;
            for (uint32_t i = 0; i < online->row_end; i++)
                view->features += view->gap[i];
        }
        return OK;
    }
    clv_builder_clear(&online->row);
    clv_builder_begin_row(&online->row);
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        TRY(clv_builder_add(&online->row, walk.column, walk.value, error));
    TRY(clv_builder_end_row(&online->row, UNLABELED, error));
    TRY(clv_builder_finish(&online->row, view, error));
    if (block->form == ROWS_DENSE && block->features > view->features)
        view->features = block->features;
    return OK;
}

static Status view_row(Online *online, const Block *block, uint32_t row, Block *view)
{
    TRY(view_entries(online, block, row, view));
    view->rows = 1;
    view->first_row = block_row_number(block, row);
    view->row_number = NULL;
    view->target_form = block->target_form;
    view->label_bytes = block->label_bytes;
    view->target = NULL;
    if (block->target_form == TARGETS_LABELS)
        view->target = (const char *)block->target + (size_t)row * block->label_bytes;
    else if (block->target_form == TARGETS_NUMBERS)
        view->target = (const double *)block->target + row;
    view->weight = block->weight ? block->weight + row : NULL;
    view->qid = NULL;
    view->name_end = NULL;
    view->name = NULL;
    view->line = NULL;
    view->first_line = block_line(block, row);
    view->file = block->file;
    return OK;
}

/* ---- labels ------------------------------------------------------------------------------------------------------- */

/* Labels that have appeared since the last block, as numbers. */
static Status number_labels(Online *online)
{
    Run *run = &online->run;

    if (!online->regression)
        return OK;
    TRY(GROW(run->context, run->problem.label_number, online->number_capacity, (size_t)run->labels->count + 1,
             run->error));
    for (; online->numbers < run->labels->count; online->numbers++)
        run->problem.label_number[online->numbers] = run->labels->list[online->numbers].number;
    return OK;
}

static Status see_class(Online *online, uint32_t label)
{
    if (label < online->seen)
        return OK;
    TRY(GROW(online->run.context, online->count, online->count_capacity, (size_t)label + 1, online->run.error));
    for (; online->seen <= label; online->seen++)
        online->count[online->seen] = 0;
    return OK;
}

/* Of the classes seen: as clv_labels_positive has it, of labels up to here. */
static uint32_t positive_class(const Online *online)
{
    const Labels *labels = online->run.labels;
    const char *wanted = online->options.positive;

    if (wanted)
        return clv_labels_find(labels, wanted, strlen(wanted));
    if (online->seen < 2)
        return 0;
    return online->seen == 2 ? clv_labels_larger(labels) : 1;
}

static Status weigh_classes(Run *run)
{
    clv_free(run->context, run->problem.class_weight);
    run->problem.class_weight = NULL;
    return clv_run_weigh_classes(run);
}

static Status refuse_new_class(const Online *online, uint32_t number)
{
    const Run *run = &online->run;
    const Label *label = &run->labels->list[number];
    char quoted[QUOTE_SIZE], place[24];

    clv_fail(run->error, CLEAVE_ERROR_DATA, "%s%s: the class '%s' is new, and '%s' takes no class more once it learns",
             run->job.name, clv_run_place(label->first_line, label->first_file, place),
             clv_quote(quoted, label->text, strlen(label->text)), run->job.method->name);
    return clv_hint(run->error, CLEAVE_ERROR_DATA, "name every class beforehand, as in --known-classes spam,ham");
}

static Status widen(Online *online, uint32_t label)
{
    Run *run = &online->run;

    TRY(see_class(online, label));
    if (!METHOD_HAS(run->job.method, online, widen) || !(run->job.method->tasks & CLEAVE_TASK_MULTICLASS || label < 2))
        return refuse_new_class(online, label);
    TRY(weigh_classes(run));
    return run->job.method->online->widen(&run->fit, label + 1, run->fit.positive);
}

/* ---- the method --------------------------------------------------------------------------------------------------- */

static Status refuse_to_forget(const Run *run)
{
    clv_fail(run->error, CLEAVE_ERROR_USAGE, "--forget: %s cannot forget", run->job.method->name);
    return clv_param_find(run->job.method->params, "most-points")
               ? clv_hint(run->error, CLEAVE_ERROR_USAGE, "--most-points N keeps the newest N rows and no others")
               : CLEAVE_ERROR_USAGE;
}

/* Whether the method, with these options, learns from each row as it comes. */
static Status check_method(const Online *online)
{
    const Run *run = &online->run;

    if (!METHOD_HAS(run->job.method, online, score) || !run->job.method->training->step ||
        method_needs_fit(run->job.method, run->job.method_options)) {
        clv_fail(run->error, CLEAVE_ERROR_USAGE, "%s, with these options, needs all rows at hand: it cannot stream",
                 run->job.method->name);
        return clv_hint(run->error, CLEAVE_ERROR_USAGE, "'cleave help stream' lists the methods that can");
    }
    if (method_sums_exactly(run->job.method, run->job.method_options)) {
        clv_fail(run->error, CLEAVE_ERROR_USAGE,
                 "%s, with these options, learns at the end of a round, and a stream has none", run->job.method->name);
        return clv_hint(run->error, CLEAVE_ERROR_USAGE, "choose a form that learns from each row");
    }
    if (online->options.forget > 0 && !METHOD_HAS(run->job.method, online, forget))
        return refuse_to_forget(run);
    return OK;
}

/* A state for the classes seen. */
static Status begin(Online *online, const Model *from)
{
    Run *run = &online->run;
    Fit *fit = &run->fit;

    clv_run_bind(run);
    fit->classes = online->regression ? 0 : online->seen;
    fit->outputs = outputs_of(fit->classes);
    fit->task = online->regression ? CLEAVE_TASK_REGRESSION
                : fit->outputs > 1 ? CLEAVE_TASK_MULTICLASS
                                   : CLEAVE_TASK_BINARY;
    run->problem.rows_before = from && !online->resumed ? from->rows : 0; /* a stream has found its options */
    fit->positive = from ? from->positive : online->regression ? 0 : positive_class(online);
    TRY(weigh_classes(run));
    TRY(clv_run_choose_options(run));
    TRY(check_method(online));
    run->job.from = from;
    TRY(clv_run_begin(run));
    run->job.from = NULL;
    if (fit->calibration.every > 0) {
        clv_fail(run->error, CLEAVE_ERROR_USAGE, "a rate that is calibrated again and again cannot stream");
        return clv_hint(run->error, CLEAVE_ERROR_USAGE, "choose another rate: 'cleave stream %s --help'",
                        run->job.method->name);
    }
    return OK;
}

static void end(Online *online)
{
    Run *run = &online->run;
    Fit fresh = {.problem = &run->problem, .features = run->fit.features};

    if (run->fit.state)
        run->job.method->training->free(&run->fit);
    clv_free(run->context, run->fit.state);
    run->fit = fresh;
}

static Status learn(Online *online, const Block *view)
{
    Run *run = &online->run;
    Fit *fit = &run->fit;
    uint32_t label = block_label(view, 0);

    if (!online->regression && label >= fit->classes)
        TRY(widen(online, label));
    if (online->options.forget > 0)
        TRY(run->job.method->online->forget(fit, 1 - online->options.forget));
    for (uint32_t row = 0; row < view->rows; row++)
        clv_run_see_target(run, view, row);
    return run->job.method->training->step(fit, view);
}

/* ---- rows that are held back -------------------------------------------------------------------------------------- */

static Status learn_held(Online *online)
{
    Run *run = &online->run;
    Fit *fit = &run->fit;
    Block held, view;

    TRY(clv_builder_finish(&online->held, &held, run->error));
    if (fit->wants_sample && held.rows > 0)
        TRY(run->job.method->training->sample(fit, &held));
    fit->wants_sample = false;
    for (uint32_t row = 0; row < held.rows; row++) {
        TRY(view_row(online, &held, row, &view));
        TRY(learn(online, &view));
    }
    return OK;
}

static Status begin_again(Online *online)
{
    end(online);
    return begin(online, NULL);
}

/* Whether to learn from what is held, now that one more is. */
static Status settle(Online *online)
{
    bool full = online->held.rows >= HELD_ROWS;

    if (!full && !online->regression && online->seen < 2)
        return OK;
    if (!online->begun || online->run.fit.classes != (online->regression ? 0 : online->seen))
        TRY(begin_again(online));
    online->begun = true;
    if (online->run.fit.wants_sample && !full)
        return OK;
    online->learning = true;
    TRY(learn_held(online));
    clv_builder_clear(&online->held);
    return OK;
}

static Status hold(Online *online, const Block *view)
{
    Run *run = &online->run;
    uint32_t label = online->regression ? UNLABELED : block_label(view, 0);

    TRY(clv_builder_copy_row(&online->held, view, 0, label, run->error));
    if (online->regression)
        TRY(clv_builder_set_number(&online->held, fit_target(&run->fit, view, 0), run->error));
    if (view->features > run->fit.features)
        run->fit.features = view->features;
    if (online->regression) {
        online->target_sum += fit_target(&run->fit, view, 0);
    } else {
        TRY(see_class(online, label));
        online->count[label]++;
    }
    return settle(online);
}

/* ---- answers ------------------------------------------------------------------------------------------------------ */

static Status not_finite(const Online *online)
{
    clv_fail(online->run.error, CLEAVE_ERROR_DATA, "the weights have left the range of numbers");
    return clv_hint(online->run.error, CLEAVE_ERROR_DATA, "the features may want scaling, or the rate a smaller value");
}

/* Before anything is learned: the class seen most, the mean of the targets. */
static double guess(const Online *online, uint32_t *answer)
{
    *answer = online->seen ? 0 : UNLABELED;
    if (online->regression)
        return online->held.rows ? online->target_sum / online->held.rows : 0;
    for (uint32_t i = 1; i < online->seen; i++)
        if (online->count[i] > online->count[*answer])
            *answer = i;
    return 0;
}

static DecisionRule rule_of(const Online *online)
{
    const Fit *fit = &online->run.fit;

    return (DecisionRule){
        .labels = online->run.labels,
        .outputs = fit->outputs,
        .classes = fit->classes,
        .positive = fit->positive,
        .regression = online->regression,
        .abstains = online->run.job.method->inference->abstains,
    };
}

/* Before the method has begun: the same score for every output, and the most frequent class so far. */
static void predict_by_guess(Online *online, size_t outputs, cleave_prediction *prediction)
{
    DecisionRule rule = {.labels = online->run.labels, .outputs = outputs, .regression = online->regression};
    uint32_t answer;
    double number = guess(online, &answer);

    for (size_t i = 0; i < outputs; i++)
        online->scores[i] = number;
    clv_prediction_decide(&rule, online->scores, NULL, prediction);
    if (!online->regression && answer != UNLABELED) {
        prediction->label = clv_decided_label(&rule, answer);
        prediction->label_number = answer;
    }
}

static Status answer_row(Online *online, const Block *view, cleave_prediction *prediction)
{
    Run *run = &online->run;
    const Fit *fit = &run->fit;
    size_t outputs = online->learning ? fit->outputs : outputs_of(online->regression ? 0 : online->seen);

    TRY(GROW(run->context, online->scores, online->score_capacity, outputs, run->error));
    if (online->learning) {
        DecisionRule rule = rule_of(online);

        TRY(run->job.method->online->score(fit, view, 0, online->scores));
        for (size_t i = 0; i < outputs; i++)
            if (!isfinite(online->scores[i]))
                return not_finite(online);
        clv_prediction_decide(&rule, online->scores, NULL, prediction);
    } else {
        predict_by_guess(online, outputs, prediction);
    }
    prediction->row = online->rows + 1;
    clv_prediction_given(prediction, run->labels, block_label(view, 0));
    if (online->regression)
        prediction->true_value = fit_target(fit, view, 0);
    return OK;
}

/* A number is written out only where somebody looks. */
static void spell(Online *online, cleave_prediction *prediction)
{
    if (online->regression)
        prediction->label = cleave_number_text(prediction->value, online->text);
}

/* ---- judging ------------------------------------------------------------------------------------------------------ */

static double length_of_weights(Online *online)
{
    Run *run = &online->run;
    size_t count = run->fit.outputs * (size_t)run->fit.features;
    double *weights, *thresholds, sum = 0;

    if (!online->learning || !METHOD_HAS(run->job.method, inspection, weights) || count > MOST_WEIGHTS_MEASURED)
        return (double)NAN;
    weights = clv_alloc(run->context, count, sizeof *weights);
    thresholds = clv_alloc(run->context, run->fit.outputs, sizeof *thresholds);
    if (weights && thresholds) {
        run->job.method->inspection->weights(&run->fit, weights, thresholds);
        for (size_t i = 0; i < count; i++)
            sum += weights[i] * weights[i];
    } else {
        sum = (double)NAN;
    }
    clv_free(run->context, weights);
    clv_free(run->context, thresholds);
    return sqrt(sum);
}

void clv_online_facts(Online *online, cleave_stream_status *facts)
{
    const Run *run = &online->run;

    *facts = (cleave_stream_status){
        .examples = online->windows.examples,
        .unlabeled = online->unlabelled,
        .classes = online->seen,
        .features = run->fit.features,
        .regression = online->regression,
        .error = clv_windows_error(&online->windows),
        .window_error = clv_decaying_mean(&online->windows.shown),
        .learning_rate = online->learning && METHOD_HAS(run->job.method, online, learning_rate)
                             ? run->job.method->online->learning_rate(&run->fit)
                             : (double)NAN,
        .weights_norm = length_of_weights(online),
        .alarms = online->windows.alarms,
    };
}

static void report(Online *online)
{
    cleave_stream_status facts;

    if (online->windows.examples < online->next_report)
        return;
    while (online->next_report <= online->windows.examples)
        online->next_report *= 2;
    if (!online->watch.progress)
        return;
    clv_online_facts(online, &facts);
    online->watch.progress(online->watch.user, &facts);
}

static void judge(Online *online, const cleave_prediction *prediction)
{
    double off = prediction->value - prediction->true_value;
    Drift drift;

    if (!clv_windows_add(&online->windows, online->regression ? off * off : !prediction->correct, &drift) ||
        !online->watch.drift)
        return;
    online->watch.drift(online->watch.user, &(cleave_stream_drift){.example = online->windows.examples,
                                                                   .before = drift.before,
                                                                   .now = drift.now,
                                                                   .z = drift.z});
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static Status check_target(const Online *online, const Block *view)
{
    const Run *run = &online->run;
    uint32_t label = block_label(view, 0);

    if (!online->regression && view->target_form == TARGETS_NUMBERS)
        return clv_fail(run->error, CLEAVE_ERROR_DATA,
                        "%s tells classes apart, and the labels are more than 65536 different numbers",
                        run->job.method->name);
    if (online->regression && label != UNLABELED && isnan(run->labels->list[label].number))
        return clv_run_refuse_word(run, &run->labels->list[label]);
    return clv_run_check_values(run, view);
}

static bool has_target(const Block *view)
{
    return view->target_form == TARGETS_NUMBERS ? !isnan(*(const double *)view->target)
                                                : block_label(view, 0) != UNLABELED;
}

static Status take(Online *online, const Block *block, uint32_t row, cleave_prediction *prediction)
{
    Block view;

    TRY(view_row(online, block, row, &view));
    TRY(check_target(online, &view));
    TRY(answer_row(online, &view, prediction));
    online->rows++;
    if (online->watch.prediction) {
        spell(online, prediction);
        TRY(online->watch.prediction(online->watch.user, prediction, online->run.error));
    }
    if (!has_target(&view)) {
        online->unlabelled++;
        return OK;
    }
    judge(online, prediction);
    TRY(online->learning ? learn(online, &view) : hold(online, &view));
    report(online);
    return OK;
}

static void hand_error(Online *online, cleave_error *error)
{
    online->run.error = online->run.fit.error = error;
}

Status clv_online_take(Online *online, const Block *block, cleave_error *error)
{
    cleave_prediction prediction;

    hand_error(online, error);
    TRY(number_labels(online));
    for (uint32_t row = 0; row < block->rows; row++)
        TRY(take(online, block, row, &prediction));
    return OK;
}

Status clv_online_take_row(Online *online, const Block *block, cleave_prediction *prediction, cleave_error *error)
{
    hand_error(online, error);
    TRY(number_labels(online));
    TRY(take(online, block, 0, prediction));
    spell(online, prediction);
    return OK;
}

/* ---- saving ------------------------------------------------------------------------------------------------------- */

/* A model of the rows held so far, by a state that is thrown away. */
static Status try_model(Online *online, Model **model)
{
    Run *run = &online->run;
    Fit kept = run->fit;
    Status status;

    run->fit = (Fit){.problem = &run->problem, .features = kept.features};
    status = begin(online, NULL);
    if (status == OK)
        status = learn_held(online);
    if (status == OK) {
        run->report->facts.rows = online->windows.examples;
        status = clv_run_make_model(run, model);
    }
    run->job.from = NULL;
    end(online);
    run->fit = kept;
    return status;
}

static Status make_model(Online *online, Model **model)
{
    if (!online->learning)
        return try_model(online, model);
    online->run.report->facts.rows = online->windows.examples;
    return clv_run_make_model(&online->run, model);
}

Status clv_online_model(Online *online, const Place *place, uint64_t mark, Model **model, cleave_error *error)
{
    Status status;

    *model = NULL;
    hand_error(online, error);
    if (!online->run.labels || online->windows.examples == 0)
        return OK;
    TRY(make_model(online, model));
    status = clv_online_save_counts(online, place, mark, (*model)->bundle, error);
    if (status == OK && !online->learning)
        status = clv_online_save_held(online, (*model)->bundle, error);
    if (status != OK) {
        cleave_model_free(*model);
        *model = NULL;
    }
    return status;
}

/* ---- going on ----------------------------------------------------------------------------------------------------- */

static Status load_fit(Online *online, const Model *model)
{
    online->run.fit.features = model->features;
    TRY(begin(online, model));
    online->begun = true;
    return clv_online_load_fit(online, model);
}

/* From a model of a stream, or of a training run, from which a stream may go on too. */
static Status resume(Online *online, const Model *model, cleave_error *error)
{
    if (!online->run.job.method->training->resume)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "'%s' cannot go on from a model: name another file",
                        model->method->name);
    online->learning = online->guided = true;
    online->resumed = clv_bundle_get(model->bundle, "stream", BUNDLE_U64) != NULL;
    online->run.targets = clv_model_target_range(model);
    if (online->resumed)
        TRY(clv_online_load_counts(online, model, error));
    online->run.fit.features = model->features;
    return online->learning ? load_fit(online, model) : clv_online_load_held(online, model, error);
}

/* ---- beginning and end -------------------------------------------------------------------------------------------- */

static Status add_known(Online *online, const char *text, size_t length, const char *flag, cleave_error *error)
{
    uint32_t number;

    if (length == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "%s: expected the names of classes, as in spam,ham", flag);
    return clv_labels_add(&online->known, text, length, &number, error);
}

/* Classes that an option names are known. A name in --class-weight ends at its last '='. */
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
    return options->positive ? add_known(online, options->positive, strlen(options->positive), "--positive", error)
                             : OK;
}

static Status check_options(const Online *online, cleave_error *error)
{
    const OnlineOptions *options = &online->options;
    const char *flag = options->known_classes  ? "--known-classes"
                       : options->class_weight ? "--class-weight"
                                               : "--positive";

    if (options->class_weight && strcmp(options->class_weight, "balanced") == 0) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--class-weight balanced does not go with a stream: nobody has counted the rows yet");
        return clv_hint(error, CLEAVE_ERROR_USAGE, "give the weights, as in spam=2,ham=1");
    }
    if (online->regression && (options->known_classes || options->class_weight || options->positive))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "%s is for classes, and %s predicts numbers", flag,
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
        clv_labels_find(&online->known, online->options.positive, strlen(online->options.positive)) != from->positive) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--positive: '%s' is not the positive class of the warm-start model",
                 online->options.positive);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "omit --positive: a model keeps its positive class");
    }
    if (online->known.count == 0)
        return OK;
    /* From a model, the method starts with its classes: see_class and widen do the rest. */
    return see_class(online, (from ? from->labels.count : online->known.count) - 1);
}

static Status start(Online *online, const Model *from, cleave_error *error)
{
    Run *run = &online->run;

    TRY(clv_report_new(run->context, &run->report, error));
    if (run->job.method->check_options)
        TRY(run->job.method->check_options(run->job.method_options, error));
    TRY(check_method(online));
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
        TRY(widen(online, online->run.fit.classes));
    return OK;
}

Status clv_online_new(Context *context, const Method *method, void *method_options, const OnlineOptions *options,
                      const Model *from, const cleave_stream_callbacks *watch, Online **result, cleave_error *error)
{
    Online *online = clv_alloc_zero(context, 1, sizeof *online);
    Status status;

    *result = NULL;
    if (!online)
        return clv_fail_memory(error, "a stream", sizeof *online);
    online->run = (Run){
        .context = context, .job.method = method, .job.method_options = method_options, .job.name = "data"};
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
    hand_error(online, error);
    status = start(online, from, error);
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
    clv_free(context, online->count);
    clv_free(context, online->scores);
    clv_free(context, online);
}

/* Whether the columns that are read are others than the method sees. */
static bool reads_for_pipeline(const Online *online)
{
    return online->run.job.pipeline && !clv_pipeline_any_column(online->run.job.pipeline);
}

void clv_online_recipe(Online *online, const Pipeline *pipeline)
{
    online->run.job.pipeline = pipeline;
}

const Pipeline *clv_online_own_recipe(const Online *online)
{
    return online->run.job.pipeline;
}

void clv_online_start(const Online *online, LiveStart *start)
{
    *start = (LiveStart){
        .labels = &online->known,
        .names = reads_for_pipeline(online) ? clv_pipeline_inputs(online->run.job.pipeline) : online->run.problem.names,
        .schema = online->run.problem.schema,
        .features = reads_for_pipeline(online) ? clv_pipeline_input_count(online->run.job.pipeline)
                                               : online->run.fit.features,
        .rows = online->rows,
        .continued = online->resumed && !online->guided,
        .skips_bad = online->options.skip_bad,
        .poll_seconds = online->options.poll_seconds,
        .place = online->place,
    };
    if (online->options.from_here)
        start->place = (Place){.skipped = online->place.skipped,
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
