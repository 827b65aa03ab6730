/* Loss functions of linear classifiers against y s, where s = w.x + b and y = +1 or -1. */
#include "inspect/plot.h"

enum { SPOTS = 251 };
static const double LOW = -2, HIGH = 3;

static double hinge(double margin)
{
    return fmax(0, 1 - margin);
}

static double perceptron(double margin)
{
    return fmax(0, 0 - margin);
}

static double logistic(double margin)
{
    return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

static Status add_curve(Plot *plot, cleave_plot_panel *panel, cleave_plot_series *series,
                        const char *name, double (*loss)(double margin))
{
    size_t look = panel->series_count;
    Spots spots;

    *series = (cleave_plot_series){.name = name, .style = CLEAVE_PLOT_LINE, .look = look};
    TRY(clv_plot_points(plot, series, SPOTS, false, &spots));
    for (size_t i = 0; i < SPOTS; i++) {
        spots.x[i] = LOW + (HIGH - LOW) * (double)i / (SPOTS - 1);
        spots.y[i] = loss(spots.x[i]);
    }
    series->count = SPOTS;
    panel->series_count++;
    return OK;
}

Status clv_plot_loss(Plot *plot)
{
    static const struct {
        const char *name;
        double (*loss)(double margin);
    } curves[] = {{"hinge: max(0, 1 - y s)", hinge},
                  {"perceptron: max(0, -y s)", perceptron},
                  {"logistic: ln(1 + exp(-y s))", logistic}};
    enum { CURVES = sizeof curves / sizeof *curves };
    cleave_plot_panel *panel;
    cleave_plot_series *series;
    Spots step;

    TRY(clv_plot_panel(plot, CURVES + 1, &panel, &series));
    panel->x = (cleave_plot_axis){
        .title = "y s: score of the true class", .low = LOW, .high = HIGH};
    panel->y = (cleave_plot_axis){.title = "loss", .low = 0, .high = 3};
    series[0] = (cleave_plot_series){
        .name = "0/1: misclassified", .style = CLEAVE_PLOT_STEPS, .look = 6, .count = 3};
    TRY(clv_plot_points(plot, &series[0], 3, false, &step));
    memcpy(step.x, (double[]){LOW, 0, HIGH}, 3 * sizeof *step.x);
    memcpy(step.y, (double[]){1, 0, 0}, 3 * sizeof *step.y);
    panel->series_count = 1;
    for (size_t i = 0; i < CURVES; i++)
        TRY(add_curve(plot, panel, &series[i + 1], curves[i].name, curves[i].loss));
    for (size_t i = 0; i < CURVES; i++)
        series[i + 1].look = i;
    plot->facts.title = "Loss functions";
    plot->facts.remark = "s = w.x + b, y = +1 or -1";
    return OK;
}
