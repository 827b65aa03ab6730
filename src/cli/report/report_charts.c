/* The charts of a test. Curves have as many points as a screen can show (cleave_evaluate_plots thins them). */
#include "cli/report/page_charts.h"
#include "cli/report/report_page.h"

#include <math.h>

static const char *label_of(const Tested *tested, size_t curve)
{
    return tested->details->classes[tested->pictures->curves[curve].class_number].label;
}

/* "name, area 0.93". */
static const char *with_area(const Tested *tested, size_t curve, double area, char buffer[QUOTED_SIZE + 40])
{
    char quoted[QUOTED_SIZE];

    snprintf(buffer, QUOTED_SIZE + 40, "%.60s (%.3f)", cli_quote(label_of(tested, curve), quoted), area);
    return buffer;
}

static void draw_roc(Page *page, const Tested *tested)
{
    const cleave_evaluation_plots *pictures = tested->pictures;
    char name[QUOTED_SIZE + 40];
    ChartPen pen;

    cli_chart_begin(
        &pen, page,
        &(ChartFrame){
            .title = "ROC curve",
            .caption = "What share of the others is let in by mistake for what share of the class that is found, as "
                       "the threshold falls. Up and to the left is better; the dashed line is chance. In brackets: "
                       "the area below.",
            .x = "false positive rate",
            .y = "recall (true positive rate)",
            .unit_x = true,
            .unit_y = true});
    for (size_t i = 0; i < pictures->curve_count; i++) {
        const cleave_curve *curve = &pictures->curves[i];

        cli_chart_series(&pen, with_area(tested, i, tested->details->classes[curve->class_number].roc_auc.value, name),
                         CHART_LINE);
        cli_chart_point(&pen, 0, 0);
        for (size_t k = 0; k < curve->count; k++)
            cli_chart_point(&pen, curve->points[k].false_positive_rate, curve->points[k].recall);
    }
    cli_chart_series(&pen, "chance", CHART_REFERENCE);
    cli_chart_point(&pen, 0, 0);
    cli_chart_point(&pen, 1, 1);
    cli_chart_end(&pen);
}

static void draw_pr(Page *page, const Tested *tested)
{
    const cleave_evaluation_plots *pictures = tested->pictures;
    const cleave_evaluation_details *details = tested->details;
    double all = 0, share;
    char name[QUOTED_SIZE + 40];
    ChartPen pen;

    for (size_t k = 0; k < details->class_count; k++)
        all += details->classes[k].rows;
    share = details->classes[pictures->curves[0].class_number].rows / all;
    cli_chart_begin(
        &pen, page,
        &(ChartFrame){
            .title = "Precision and recall",
            .caption = "What share of the answers is right for what share of the class that is found. Up and to "
                       "the right is better. In brackets: the area below (average precision).",
            .x = "recall",
            .y = "precision",
            .unit_x = true,
            .unit_y = true});
    for (size_t i = 0; i < pictures->curve_count; i++) {
        const cleave_curve *curve = &pictures->curves[i];

        cli_chart_series(&pen, with_area(tested, i, details->classes[curve->class_number].pr_auc.value, name),
                         CHART_LINE);
        for (size_t k = 0; k < curve->count; k++)
            cli_chart_point(&pen, curve->points[k].recall, curve->points[k].precision);
    }
    if (pictures->curve_count == 1) {
        cli_chart_series(&pen, "chance (share of the class)", CHART_REFERENCE);
        cli_chart_point(&pen, 0, share);
        cli_chart_point(&pen, 1, share);
    }
    cli_chart_end(&pen);
}

/* The part of the thresholds that most rows are in: where the histogram is. */
static bool in_sight(const cleave_evaluation_plots *pictures, double threshold)
{
    return pictures->bar_count == 0 ||
           (threshold >= pictures->bars[0].low && threshold <= pictures->bars[pictures->bar_count - 1].high);
}

static void sweep_series(ChartPen *pen, const cleave_evaluation_plots *pictures, const char *name, int which)
{
    const cleave_curve *curve = &pictures->curves[0];

    cli_chart_series(pen, name, CHART_LINE);
    for (size_t k = 0; k < curve->count; k++) {
        const cleave_threshold *here = &curve->points[k];

        if (in_sight(pictures, here->threshold))
            cli_chart_point(pen, here->threshold, which == 0 ? here->precision : which == 1 ? here->recall : here->f1);
    }
}

static void draw_thresholds(Page *page, const Tested *tested)
{
    const cleave_curve *curve = &tested->pictures->curves[0];
    char caption[QUOTED_SIZE + 200], quoted[QUOTED_SIZE];
    double best = (double)NAN;
    ChartPen pen;

    snprintf(caption, sizeof caption, "What comes of answering '%s' from a score on. The model's own threshold is 0.",
             cli_quote(label_of(tested, 0), quoted));
    cli_chart_begin(&pen, page,
                    &(ChartFrame){.title = "Other thresholds",
                                  .caption = caption,
                                  .x = "threshold (score of the model)",
                                  .y = "precision, recall, F1",
                                  .unit_y = true});
    sweep_series(&pen, tested->pictures, "precision", 0);
    sweep_series(&pen, tested->pictures, "recall", 1);
    sweep_series(&pen, tested->pictures, "F1", 2);
    for (size_t k = 0; k < curve->count; k++)
        best = curve->points[k].best_f1 ? curve->points[k].threshold : best;
    if (in_sight(tested->pictures, 0))
        cli_chart_mark(&pen, 0, "own");
    if (in_sight(tested->pictures, best))
        cli_chart_mark(&pen, best, "best F1");
    cli_chart_end(&pen);
}

static void bar_series(ChartPen *pen, const cleave_evaluation_plots *pictures, const char *name, bool positive)
{
    const cleave_histogram_bar *last = &pictures->bars[pictures->bar_count - 1];

    cli_chart_series(pen, name, CHART_STEPS);
    for (size_t i = 0; i < pictures->bar_count; i++)
        cli_chart_point(pen, pictures->bars[i].low, positive ? pictures->bars[i].positives : pictures->bars[i].others);
    cli_chart_point(pen, last->high, positive ? last->positives : last->others);
}

static void draw_scores(Page *page, const Tested *tested)
{
    const cleave_evaluation_details *details = tested->details;
    size_t positive = details->positive;
    ChartPen pen;

    cli_chart_begin(
        &pen, page,
        &(ChartFrame){
            .title = "Scores by class",
            .caption = "How many rows of each class have which score; above 0 the answer is the positive class. The "
                       "outermost columns hold what is beyond them too.",
            .x = "score of the model",
            .y = "rows"});
    bar_series(&pen, tested->pictures, details->classes[positive].label, true);
    bar_series(&pen, tested->pictures, details->class_count == 2 ? details->classes[1 - positive].label : "others",
               false);
    if (in_sight(tested->pictures, 0))
        cli_chart_mark(&pen, 0, "threshold");
    cli_chart_end(&pen);
}

static void draw_calibration(Page *page, const Tested *tested)
{
    const cleave_evaluation_plots *pictures = tested->pictures;
    bool two = tested->details->class_count <= 2;
    ChartPen pen;

    cli_chart_begin(
        &pen, page,
        &(ChartFrame){
            .title = "Are probabilities to be believed?",
            .caption =
                "Rows by the probability the model gives, in tenths: what share came true, with 95 % "
                "intervals. On the dashed line the model is as sure as it should be; below it, too sure; above it, not sure enough.",
            .x = two ? "probability the model says (positive class)" : "probability the model says (its answer)",
            .y = "share that came true",
            .unit_x = true,
            .unit_y = true});
    cli_chart_series(&pen, "model", CHART_RANGES);
    for (size_t i = 0; i < pictures->calibration_count; i++) {
        const cleave_calibration_bin *bin = &pictures->calibration[i];

        cli_chart_range(&pen, bin->predicted, bin->observed.value, bin->observed.low, bin->observed.high);
    }
    cli_chart_series(&pen, "as it should be", CHART_REFERENCE);
    cli_chart_point(&pen, 0, 0);
    cli_chart_point(&pen, 1, 1);
    cli_chart_end(&pen);
}

/* ---- numbers */

static void draw_answers(Page *page, const Tested *tested)
{
    const cleave_evaluation_plots *pictures = tested->pictures;
    double low = (double)INFINITY, high = -(double)INFINITY;
    char caption[200], shown[HUMAN_SIZE];
    ChartPen pen;

    snprintf(caption, sizeof caption, "%s%s. On the dashed line answers are right; above it they are too high.",
             cli_count(pictures->pair_count, "row", "rows", shown),
             pictures->pair_count < tested->judgement->scored_rows ? ", chosen by chance from the model's seed" : "");
    cli_chart_begin(
        &pen, page,
        &(ChartFrame){.title = "Answers against the truth", .caption = caption, .x = "truth", .y = "answer"});
    cli_chart_series(&pen, "rows", CHART_POINTS);
    for (size_t i = 0; i < pictures->pair_count; i++) {
        cli_chart_point(&pen, pictures->pairs[i].truth, pictures->pairs[i].predicted);
        low = fmin(low, pictures->pairs[i].truth);
        high = fmax(high, pictures->pairs[i].truth);
    }
    cli_chart_series(&pen, "right", CHART_REFERENCE);
    cli_chart_point(&pen, low, low);
    cli_chart_point(&pen, high, high);
    cli_chart_end(&pen);
}

static void draw_residuals(Page *page, const Tested *tested)
{
    ChartPen pen;

    cli_chart_begin(
        &pen, page,
        &(ChartFrame){
            .title = "How far off",
            .caption = "How many rows are off by how much, in the units of the number. Right of 0 answers are too "
                       "high. The outermost columns hold what is beyond them too.",
            .x = "answer less truth",
            .y = "rows"});
    bar_series(&pen, tested->pictures, "rows", false);
    if (in_sight(tested->pictures, 0))
        cli_chart_mark(&pen, 0, "right");
    cli_chart_end(&pen);
}

void cli_report_charts(Page *page, const Tested *tested)
{
    const cleave_evaluation_plots *pictures = tested->pictures;
    size_t classes = tested->details->class_count;

    if (tested->judgement->scores_omitted) {
        cli_page_section(page, "Charts");
        cli_page_note(page, classes ? "Rows are too many to keep their scores: curves are left out."
                                    : "Rows are too many to keep their answers: charts and intervals are left out.");
        return;
    }
    if (pictures->pair_count) {
        cli_page_section(page, "Answers and errors");
        draw_answers(page, tested);
        if (pictures->bar_count)
            draw_residuals(page, tested);
    }
    if (pictures->curve_count) {
        cli_page_section(page, "Scores and thresholds");
        if (classes > 2)
            cli_page_paragraph(page, pictures->curve_count < classes
                                         ? "Each class against the rest, for the classes with the lowest F1."
                                         : "Each class against the rest.");
        draw_roc(page, tested);
        draw_pr(page, tested);
    }
    if (pictures->curve_count && classes <= 2) {
        draw_thresholds(page, tested);
        if (pictures->bar_count)
            draw_scores(page, tested);
    }
    if (pictures->calibration_count)
        draw_calibration(page, tested);
}
