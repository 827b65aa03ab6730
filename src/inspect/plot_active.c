/* The error rates of active and random selection by the number of labels. */
#include "inspect/plot.h"

enum { MOST_POINTS = 30 };

/* Every n-th point and the last, so that the error bars stay apart. */
static Status add_selection(Plot *plot, cleave_plot_series *series, const char *name, size_t look,
                            const cleave_active_comparison *facts, const cleave_interval *errors)
{
    size_t step = (facts->point_count + MOST_POINTS - 1) / MOST_POINTS;
    Spots spots;

    *series = (cleave_plot_series){.style = CLEAVE_PLOT_BOTH, .look = look};
    TRY(clv_plot_text(plot, &series->name, "%s%s", name,
                      isnan(errors[0].low) ? "" : ", 95% interval"));
    TRY(clv_plot_points(plot, series, facts->point_count / step + 1, !isnan(errors[0].low),
                        &spots));
    for (size_t i = (facts->point_count - 1) % step; i < facts->point_count; i += step) {
        size_t at = series->count++;

        spots.x[at] = (double)facts->labels[i];
        spots.y[at] = 100 * errors[i].value;
        if (spots.low) {
            spots.low[at] = fmax(0, 100 * errors[i].low);
            spots.high[at] = 100 * errors[i].high;
        }
    }
    return OK;
}

Status clv_plot_needs_comparison(Plot *plot, const char *method, cleave_data *data,
                                 cleave_data *valid, const cleave_options *training)
{
    (void)method, (void)data, (void)valid, (void)training;
    return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                    "the plot 'active' is made by cleave_plot_of_active");
}

Status clv_plot_active(Plot *plot, const cleave_active_comparison *facts)
{
    cleave_plot_panel *panel;
    cleave_plot_series *series;
    char rows[NUMBER_SIZE];

    TRY(clv_plot_panel(plot, 2, &panel, &series));
    panel->x.title = "labels";
    panel->x.low = 0;
    panel->y.title = "error rate (%)";
    panel->y.low = 0;
    panel->series_count = 2;
    TRY(add_selection(plot, &series[0], facts->strategy, 0, facts, facts->active));
    TRY(add_selection(plot, &series[1], "random", 1, facts, facts->random));
    TRY(clv_plot_text(plot, &plot->facts.title, "Error of %s against the number of labels",
                      facts->method));
    return clv_plot_text(plot, &plot->facts.remark, "%s test rows; mean of %u simulation%s",
                         clv_format_count(rows, facts->test_rows), facts->repeats,
                         facts->repeats == 1 ? "" : "s");
}
