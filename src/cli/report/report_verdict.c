/*
 * What a judgement comes to, in words, before any table: is the model better than the answer anybody could give, surely so or perhaps by chance, where is it
 * weakest, and are its probabilities to be believed.
 */
#include "cli/report/report_page.h"

#include <math.h>

enum { SENTENCE_SIZE = 700 };

/* ---- classes */

static size_t most_frequent(const cleave_evaluation_details *details)
{
    size_t most = 0;

    for (size_t k = 1; k < details->class_count; k++)
        most = details->classes[k].rows > details->classes[most].rows ? k : most;
    return most;
}

/* Those with a label that the model has never seen, too, as far as they are known. */
static double all_rows(const cleave_evaluation_details *details)
{
    double all = 0;

    for (size_t k = 0; k < details->class_count; k++)
        all += details->classes[k].rows;
    for (size_t j = 0; details->confusion && j <= details->class_count; j++)
        all += details->confusion[details->class_count * (details->class_count + 1) + j];
    return all;
}

/* One class alone has a baseline that is never wrong, and nothing to be told from. */
static void tell_one_class(Page *page, const Tested *tested, size_t only)
{
    const cleave_interval *error = &tested->judgement->error_rate;
    char text[SENTENCE_SIZE], quoted[QUOTED_SIZE], rows[HUMAN_SIZE];

    snprintf(
        text, sizeof text,
        "Wrong on %.2f %% of %s (95 %% interval: %.2f %% to %.2f %%). They are all of one class, '%s': whether the model "
        "tells it from others cannot be seen by them.",
        100 * error->value, cli_count(tested->judgement->rows, "row", "rows", rows), 100 * error->low,
        100 * error->high, cli_quote(tested->details->classes[only].label, quoted));
    cli_page_verdict(page, PAGE_UNSURE, text);
}

static void tell_classes(Page *page, const Tested *tested)
{
    const cleave_interval *error = &tested->judgement->error_rate;
    size_t most = most_frequent(tested->details);
    double all = all_rows(tested->details), easy = all > 0 ? 1 - tested->details->classes[most].rows / all : 1;
    PageTone tone = error->high < easy ? PAGE_GOOD : error->value < easy ? PAGE_UNSURE : PAGE_BAD;
    char text[SENTENCE_SIZE], quoted[QUOTED_SIZE], rows[HUMAN_SIZE];

    if (easy == 0) {
        tell_one_class(page, tested, most);
        return;
    }
    snprintf(
        text, sizeof text,
        "Wrong on %.2f %% of %s (95 %% interval: %.2f %% to %.2f %%). The answer '%s' to all would be wrong on %.2f %%: "
        "the model is %s.",
        100 * error->value, cli_count(tested->judgement->rows, "row", "rows", rows), 100 * error->low,
        100 * error->high, cli_quote(tested->details->classes[most].label, quoted), 100 * easy,
        tone == PAGE_GOOD     ? "surely better than that"
        : tone == PAGE_UNSURE ? "better than that, but perhaps by chance"
        : error->low <= easy  ? "not better than that"
                              : "surely worse than that");
    cli_page_verdict(page, tone, text);
}

/* The class that fares worst, and what it is taken for. */
static void tell_weakest(Page *page, const Tested *tested)
{
    const cleave_evaluation_details *details = tested->details;
    size_t worst = SIZE_MAX, other = SIZE_MAX, across = details->class_count + 1;
    char text[SENTENCE_SIZE], label[QUOTED_SIZE], taken[QUOTED_SIZE], missed[HUMAN_SIZE], rows[HUMAN_SIZE];
    const cleave_class_metrics *of_class;
    int used;

    for (size_t k = 0; k < details->class_count; k++)
        if (details->classes[k].rows > 0 &&
            (worst == SIZE_MAX || details->classes[k].f1.value < details->classes[worst].f1.value))
            worst = k;
    if (worst == SIZE_MAX || details->classes[worst].f1.value >= 1)
        return;
    of_class = &details->classes[worst];
    used = snprintf(text, sizeof text, "Weakest class: '%s', with precision %.3f and recall %.3f (%s of %s rows missed",
                    cli_quote(of_class->label, label), of_class->precision.value, of_class->recall.value,
                    cli_short(of_class->rows - of_class->correct, missed), cli_short(of_class->rows, rows));
    for (size_t j = 0; details->confusion && details->class_count > 2 && j < details->class_count; j++)
        if (j != worst && details->confusion[worst * across + j] > 0 &&
            (other == SIZE_MAX || details->confusion[worst * across + j] > details->confusion[worst * across + other]))
            other = j;
    if (other != SIZE_MAX)
        used += snprintf(text + used, sizeof text - (size_t)used, ", most often taken for '%s'",
                         cli_quote(details->classes[other].label, taken));
    snprintf(text + used, sizeof text - (size_t)used, ").");
    cli_page_verdict_more(page, text);
}

/* Another threshold, where it would do better by F1. */
static void tell_threshold(Page *page, const Tested *tested)
{
    const cleave_threshold *own = NULL, *best = NULL;
    char text[SENTENCE_SIZE], from[HUMAN_SIZE];

    for (size_t i = 0; i < tested->details->threshold_count; i++) {
        const cleave_threshold *here = &tested->details->thresholds[i];

        own = here->in_use ? here : own;
        best = here->best_f1 ? here : best;
    }
    if (!own || !best || best->f1 < own->f1 + 0.005)
        return;
    snprintf(
        text, sizeof text,
        "From a score of %s on instead of 0, F1 would be %.3f instead of %.3f on these rows (precision %.3f, recall %.3f); "
        "choose a threshold on rows that are not tested with.",
        cli_brief(best->threshold, from), best->f1, own->f1, best->precision, best->recall);
    cli_page_verdict_more(page, text);
}

/* Whether chance alone explains how far probabilities are from what came: bins that their interval does not explain hold few of the rows. */
static bool may_be_chance(const cleave_evaluation_plots *pictures)
{
    double all = 0, apart = 0;

    for (size_t i = 0; i < pictures->calibration_count; i++) {
        const cleave_calibration_bin *bin = &pictures->calibration[i];

        all += bin->rows;
        apart += bin->predicted < bin->observed.low || bin->predicted > bin->observed.high ? bin->rows : 0;
    }
    return apart <= all / 10;
}

static void tell_calibration(Page *page, const Tested *tested)
{
    double error = tested->pictures->calibration_error;
    char text[SENTENCE_SIZE];

    if (isnan(error))
        return;
    snprintf(text, sizeof text, "Probabilities %s: on average they are %.1f points of a hundred from what came.",
             error < 0.02                      ? "are to be believed"
             : may_be_chance(tested->pictures) ? "may be right, rows being too few to tell"
             : error < 0.06                    ? "are roughly right"
                                               : "are not to be taken at their word",
             100 * error);
    cli_page_verdict_more(page, text);
}

/* ---- numbers */

static void tell_numbers(Page *page, const Tested *tested)
{
    const cleave_evaluation *judgement = tested->judgement;
    const cleave_interval *rmse = &judgement->rmse_interval;
    double high = isnan(rmse->high) ? judgement->rmse : rmse->high;
    char text[SENTENCE_SIZE], value[HUMAN_SIZE], mae[HUMAN_SIZE], mean[HUMAN_SIZE], low[HUMAN_SIZE], up[HUMAN_SIZE],
        rows[HUMAN_SIZE];
    PageTone tone = high < judgement->baseline_rmse              ? PAGE_GOOD
                    : judgement->rmse < judgement->baseline_rmse ? PAGE_UNSURE
                                                                 : PAGE_BAD;
    int used = snprintf(text, sizeof text, "Off by %s on average (root mean square %s", cli_plain(judgement->mae, mae),
                        cli_plain(judgement->rmse, value));

    if (!isnan(rmse->low))
        used += snprintf(text + used, sizeof text - (size_t)used, "; with 95 %% confidence between %s and %s",
                         cli_plain(rmse->low, low), cli_plain(rmse->high, up));
    used += snprintf(text + used, sizeof text - (size_t)used, ") on %s.",
                     cli_count(judgement->rows, "row", "rows", rows));
    if (isfinite(judgement->r2))
        snprintf(text + used, sizeof text - (size_t)used,
                 " Their mean as the answer to all would be off by %s (root mean square): the model %s, R² %.4f.",
                 cli_plain(judgement->baseline_rmse, mean),
                 tone == PAGE_GOOD     ? "is surely better than that"
                 : tone == PAGE_UNSURE ? "is better than that, but perhaps by chance"
                                       : "is not better than that",
                 judgement->r2 + 0.0);
    cli_page_verdict(page, isfinite(judgement->r2) ? tone : PAGE_PLAIN, text);
}

void cli_report_verdict(Page *page, const Tested *tested)
{
    if (tested->details->class_count == 0) {
        tell_numbers(page, tested);
        return;
    }
    tell_classes(page, tested);
    tell_weakest(page, tested);
    tell_threshold(page, tested);
    tell_calibration(page, tested);
}
