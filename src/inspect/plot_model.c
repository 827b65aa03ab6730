/* Plots of an evaluation on labeled rows: ROC and precision-recall curves of each class against the
 * rest (Fawcett 2006), and the confusion matrix. */
#include "eval/ranking.h"
#include "inspect/plot.h"

#include <stdio.h>

static Status refuse_numbers(const Plot *plot, const Model *model)
{
    if (model->task != CLEAVE_TASK_REGRESSION)
        return OK;
    return clv_fail_hint(
        plot->error, CLEAVE_ERROR_USAGE,
        "use 'cleave test' to evaluate it, or 'cleave plot regions' for a model of two features",
        "plot '%s' requires a classification model, and this model of '%s' is for regression",
        plot->facts.kind, model->method->name);
}

/* ---- curves ---------------------------------------------------------------------------------- */

enum { MOST_CURVES = 8, MOST_SPOTS = 1000 };
static const size_t MOST_SCORES_KEPT = (size_t)1 << 28;

/* Scores of all labeled rows, and their classes. */
typedef struct {
    Context *context;
    const Model *model;
    size_t outputs, rows, score_capacity, label_capacity;
    double *scores;
    uint32_t *labels;
    const char *name; /* name of the data */
} Scores;

typedef struct {
    uint32_t label;
    cleave_interval area;
    double share; /* fraction of the rows that are of the class */
    cleave_threshold *spots;
    size_t spot_count;
} Curve;

static cleave_code keep_scores(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Scores *kept = user;
    const Model *model = kept->model;
    uint32_t label;

    if (!prediction->true_label)
        return OK;
    label = clv_labels_find(&model->labels, prediction->true_label, strlen(prediction->true_label));
    if (label == UNLABELED)
        return OK;
    if ((kept->rows + 1) * kept->outputs > MOST_SCORES_KEPT)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "use a sample of the rows",
                             "the plot supports at most %zu scores", MOST_SCORES_KEPT);
    TRY(GROW(kept->context, kept->scores, kept->score_capacity, (kept->rows + 1) * kept->outputs,
             error));
    TRY(GROW(kept->context, kept->labels, kept->label_capacity, kept->rows + 1, error));
    memcpy(kept->scores + kept->rows * kept->outputs, prediction->scores,
           kept->outputs * sizeof *kept->scores);
    kept->labels[kept->rows++] = label;
    return OK;
}

static Status rank_class(Plot *plot, const Scores *kept, RankedRow *ranked, bool precision,
                         Curve *curve)
{
    size_t output = kept->outputs == 1 ? 0 : curve->label;
    Ranking ranking;

    for (size_t i = 0; i < kept->rows; i++)
        ranked[i] = (RankedRow){.score = kept->scores[i * kept->outputs + output],
                                .row = (uint32_t)i,
                                .positive = kept->labels[i] == curve->label};
    clv_rank(&ranking, ranked, kept->rows, NULL);
    curve->area = precision ? clv_pr_measure(&ranking) : clv_roc_measure(&ranking);
    curve->share = ranking.positive_weight / (ranking.positive_weight + ranking.negative_weight);
    if (isnan(curve->area.value) || !curve->spots)
        return OK;
    curve->spot_count = clv_rank_thresholds(&ranking, MOST_SPOTS, 0, curve->spots);
    return clv_cancelled(plot->context)
               ? clv_fail(plot->error, CLEAVE_ERROR_CANCELLED, "interrupted")
               : OK;
}

/* Chooses the classes that are shown. If there are many classes, they are those with the smallest
 * areas. */
static size_t choose_curves(Curve *curves, size_t count)
{
    size_t known = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(curves[i].area.value))
            curves[known++] = curves[i];
    if (known <= MOST_CURVES)
        return known;
    for (size_t i = 1; i < known; i++)
        for (size_t j = i; j > 0 && curves[j].area.value < curves[j - 1].area.value; j--) {
            Curve other = curves[j];

            curves[j] = curves[j - 1];
            curves[j - 1] = other;
        }
    return MOST_CURVES;
}

static Status add_roc(Plot *plot, cleave_plot_series *series, const Curve *curve)
{
    Spots points;

    TRY(clv_plot_points(plot, series, curve->spot_count + 1, false, &points));
    series->style = CLEAVE_PLOT_LINE;
    series->count = curve->spot_count + 1;
    for (size_t i = 0; i < curve->spot_count; i++) {
        points.x[i + 1] = curve->spots[i].false_positive_rate;
        points.y[i + 1] = curve->spots[i].recall;
    }
    return OK;
}

/* Adds the precision-recall curve. The precision of a threshold holds for all recalls since the
 * previous one, as in the area. */
static Status add_pr(Plot *plot, cleave_plot_series *series, const Curve *curve)
{
    Spots points;

    TRY(clv_plot_points(plot, series, curve->spot_count + 1, false, &points));
    series->style = CLEAVE_PLOT_STEPS;
    series->count = curve->spot_count + 1;
    for (size_t i = 0; i < curve->spot_count; i++) {
        points.x[i + 1] = curve->spots[i].recall;
        points.y[i] = curve->spots[i].precision;
    }
    points.y[curve->spot_count] = curve->spots[curve->spot_count - 1].precision;
    return OK;
}

/* Adds the curve of random predictions. */
static Status add_chance(Plot *plot, cleave_plot_series *series, double left, double right,
                         const char *name)
{
    Spots points;

    TRY(clv_plot_points(plot, series, 2, false, &points));
    series->style = CLEAVE_PLOT_REFERENCE;
    series->name = name;
    series->count = 2;
    points.x[1] = 1;
    points.y[0] = left;
    points.y[1] = right;
    return OK;
}

static Status add_own(Plot *plot, cleave_plot_series *series, const Curve *curve, bool precision)
{
    Spots points;

    TRY(clv_plot_points(plot, series, 1, false, &points));
    series->style = CLEAVE_PLOT_MARKS;
    series->look = 6;
    series->name = "threshold of the model";
    for (size_t i = 0; i < curve->spot_count; i++)
        if (curve->spots[i].in_use) {
            points.x[0] = precision ? curve->spots[i].recall : curve->spots[i].false_positive_rate;
            points.y[0] = precision ? curve->spots[i].precision : curve->spots[i].recall;
            series->count = 1;
        }
    return OK;
}

static Status name_curve(Plot *plot, cleave_plot_series *series, const Model *model,
                         const Curve *curve, bool precision, bool alone)
{
    char quoted[QUOTE_SIZE], chance[32] = "";
    const char *label = model->labels.list[curve->label].text;

    if (precision && !alone)
        snprintf(chance, sizeof chance, ", chance %.3f", curve->share);
    return clv_plot_text(plot, &series->name, "%s (%.3f%s)",
                         clv_quote(quoted, label, strlen(label)), curve->area.value, chance);
}

static Status draw_curves(Plot *plot, const Scores *kept, const Curve *curves, size_t count,
                          bool precision)
{
    const Model *model = kept->model;
    bool alone = kept->outputs == 1;
    cleave_plot_panel *panel;
    cleave_plot_series *series;

    TRY(clv_plot_panel(plot, count + 2, &panel, &series));
    panel->same_unit = true;
    panel->x = (cleave_plot_axis){.title = precision ? "recall" : "false positive rate", .high = 1};
    panel->y = (cleave_plot_axis){.title = precision ? "precision" : "true positive rate (recall)",
                                  .high = 1};
    if (!precision)
        TRY(add_chance(plot, &series[panel->series_count++], 0, 1, "chance"));
    else if (alone)
        TRY(add_chance(plot, &series[panel->series_count++], curves[0].share, curves[0].share,
                       "chance"));
    for (size_t i = 0; i < count; i++) {
        cleave_plot_series *one = &series[panel->series_count++];

        one->look = curves[i].label;
        TRY(name_curve(plot, one, model, &curves[i], precision, alone));
        TRY(precision ? add_pr(plot, one, &curves[i]) : add_roc(plot, one, &curves[i]));
    }
    if (alone)
        TRY(add_own(plot, &series[panel->series_count++], &curves[0], precision));
    return OK;
}

static Status say_areas(Plot *plot, const Scores *kept, const Curve *curves, size_t known,
                        size_t drawn, bool precision)
{
    const char *what = precision ? "average precision" : "ROC AUC";
    char rows[NUMBER_SIZE];
    double sum = 0;

    clv_format_count(rows, kept->rows);
    TRY(clv_plot_text(plot, &plot->facts.title, "%s of %s",
                      precision ? "Precision-recall curve" : "ROC curve",
                      kept->model->method->name));
    if (kept->outputs == 1 && isfinite(curves[0].area.low))
        return clv_plot_text(plot, &plot->facts.remark,
                             "%s rows, %s %.4f (95%% confidence interval %.4f to %.4f)", rows, what,
                             curves[0].area.value, curves[0].area.low, curves[0].area.high);
    if (kept->outputs == 1)
        return clv_plot_text(plot, &plot->facts.remark,
                             "%s rows, %s %.4f (too few rows for an interval)", rows, what,
                             curves[0].area.value);
    for (size_t i = 0; i < known; i++)
        sum += curves[i].area.value;
    if (drawn < known)
        return clv_plot_text(plot, &plot->facts.remark,
                             "%s rows, one class against the rest: mean %s %.4f; of %zu classes, "
                             "the %zu lowest are "
                             "shown",
                             rows, what, sum / (double)known, known, drawn);
    return clv_plot_text(plot, &plot->facts.remark,
                         "%s rows, one class against the rest: mean %s %.4f", rows, what,
                         sum / (double)known);
}

static Status rank_all(Plot *plot, const Scores *kept, bool precision)
{
    size_t count = kept->outputs == 1 ? 1 : kept->model->labels.count, drawn, known = 0;
    RankedRow *ranked = clv_plot_alloc(plot, kept->rows, sizeof *ranked);
    Curve *curves = clv_plot_alloc(plot, count, sizeof *curves);

    if (!ranked || !curves)
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        curves[i].label = kept->outputs == 1 ? kept->model->positive : (uint32_t)i;
        TRY(rank_class(plot, kept, ranked, precision, &curves[i]));
        known += !isnan(curves[i].area.value);
    }
    drawn = choose_curves(curves, count);
    if (drawn == 0)
        return clv_fail_hint(
            plot->error, CLEAVE_ERROR_DATA, "use data with at least two classes",
            "%s: all labeled rows (%zu) have the same class, so the curve is undefined", kept->name,
            kept->rows);
    for (size_t i = 0; i < drawn; i++) {
        curves[i].spots = clv_plot_alloc(plot, MOST_SPOTS + 4, sizeof *curves[i].spots);
        if (!curves[i].spots)
            return CLEAVE_ERROR_MEMORY;
        TRY(rank_class(plot, kept, ranked, precision, &curves[i]));
    }
    TRY(draw_curves(plot, kept, curves, drawn, precision));
    return say_areas(plot, kept, curves, known, drawn, precision);
}

static Status draw_ranking(Plot *plot, const Model *model, cleave_data *data, bool precision)
{
    Scores kept = {.context = plot->context,
                   .model = model,
                   .outputs = outputs_of(model->labels.count),
                   .name = clv_data_name(data)};
    Status status;

    TRY(refuse_numbers(plot, model));
    status = cleave_predict(model, data, NULL, keep_scores, &kept, plot->error);
    if (status == OK && kept.rows == 0)
        status = clv_fail(plot->error, CLEAVE_ERROR_DATA,
                          "%s: no row has a label that is a class of the model",
                          clv_data_name(data));
    THEN(status, rank_all(plot, &kept, precision));
    FREE(plot->context, kept.scores, kept.labels);
    return status;
}

Status clv_plot_roc(Plot *plot, const Model *model, cleave_data *data)
{
    return draw_ranking(plot, model, data, false);
}

Status clv_plot_pr(Plot *plot, const Model *model, cleave_data *data)
{
    return draw_ranking(plot, model, data, true);
}

/* ---- confusion ------------------------------------------------------------------------------- */

enum { MOST_CLASSES = 400 };

/* Whether a class is before another one: numeric classes are sorted by value, others
 * alphabetically. */
static bool comes_before(const Labels *labels, size_t a, size_t b)
{
    const Label *first = &labels->list[a], *second = &labels->list[b];

    if (isnan(first->number) != isnan(second->number))
        return isnan(second->number);
    if (!isnan(first->number) && first->number != second->number)
        return first->number < second->number;
    return strcmp(first->text, second->text) < 0;
}

static size_t *sort_classes(Plot *plot, const Labels *labels)
{
    size_t *order = clv_plot_alloc(plot, (size_t)labels->count + 1, sizeof *order);

    for (size_t i = 0; order && i < labels->count; i++) {
        size_t at = i;

        for (; at > 0 && comes_before(labels, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    if (order)
        order[labels->count] = labels->count;
    return order;
}

/* Fills the matrix: classes of the model, and unknown labels and abstentions if they occur. */
static Status fill_matrix(Plot *plot, const Model *model, const cleave_evaluation_details *details,
                          cleave_plot_matrix *matrix)
{
    size_t classes = details->class_count, side = classes + 1;
    const double *given = details->confusion;
    const char **names = clv_plot_alloc(plot, 2 * side, sizeof *names);
    const size_t *order = sort_classes(plot, &model->labels);
    double *counts, unseen = 0, none = 0;

    for (size_t i = 0; i < side; i++) {
        unseen += given[classes * side + i];
        none += given[i * side + classes];
    }
    matrix->rows = classes + (unseen > 0);
    matrix->columns = classes + (none > 0);
    counts = clv_plot_alloc(plot, matrix->rows * matrix->columns, sizeof *counts);
    if (!names || !counts || !order)
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < matrix->rows; i++)
        for (size_t j = 0; j < matrix->columns; j++)
            counts[i * matrix->columns + j] = given[order[i] * side + order[j]];
    for (size_t i = 0; i < classes; i++)
        TRY(clv_plot_text(plot, &names[i], "%s", model->labels.list[order[i]].text));
    memcpy(names + side, names, classes * sizeof *names);
    names[classes] = "not a class of the model";
    names[side + classes] = "none";
    matrix->counts = counts;
    matrix->row_names = names;
    matrix->column_names = names + side;
    return OK;
}

static Status draw_matrix(Plot *plot, const Model *model, const cleave_evaluation *sums,
                          const cleave_evaluation_details *details)
{
    cleave_plot_matrix *matrix = clv_plot_alloc(plot, 1, sizeof *matrix);
    cleave_plot_panel *panel;
    char errors[NUMBER_SIZE], rows[NUMBER_SIZE];

    if (!matrix)
        return CLEAVE_ERROR_MEMORY;
    TRY(clv_plot_panel(plot, 0, &panel, NULL));
    TRY(fill_matrix(plot, model, details, matrix));
    panel->matrix = matrix;
    panel->x.title = "predicted class";
    panel->y.title = "true class";
    TRY(clv_plot_text(plot, &plot->facts.title, "Confusion matrix of %s", model->method->name));
    return clv_plot_text(
        plot, &plot->facts.remark,
        "%s of %s rows misclassified, error %.2f%% (95%% confidence interval %.2f%% to "
        "%.2f%%)",
        clv_format_count(errors, sums->errors), clv_format_count(rows, sums->rows),
        100 * sums->error_rate.value, 100 * sums->error_rate.low, 100 * sums->error_rate.high);
}

Status clv_plot_confusion(Plot *plot, const Model *model, cleave_data *data)
{
    cleave_evaluation_details *details = NULL;
    cleave_evaluation sums = {.size = sizeof sums};
    Status status;

    TRY(refuse_numbers(plot, model));
    if (model->labels.count > MOST_CLASSES)
        return clv_fail_hint(plot->error, CLEAVE_ERROR_USAGE,
                             "use 'cleave test --per-class' for the metrics of each class",
                             "%u classes are too many for a confusion matrix; the limit is %d",
                             model->labels.count, MOST_CLASSES);
    TRY(cleave_evaluate_details(model, data, NULL, &sums, &details, plot->error));
    if (sums.rows == 0)
        status = clv_fail(plot->error, CLEAVE_ERROR_DATA,
                          "%s: no row has a label, so no metric can be computed",
                          clv_data_name(data));
    else
        status = draw_matrix(plot, model, &sums, details);
    cleave_evaluation_details_free(details);
    return status;
}
