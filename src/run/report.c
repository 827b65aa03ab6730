#include "run/report.h"

Status clv_report_new(Context *context, Report **result, cleave_error *error)
{
    Report *report = clv_alloc_zero(context, 1, sizeof *report);

    *result = report;
    if (!report)
        return clv_fail_memory(error, "a report", sizeof *report);
    report->context = context;
    return OK;
}

void cleave_report_free(cleave_report *public)
{
    Report *report = (Report *)public;

    if (!report)
        return;
    clv_free(report->context, report->seconds);
    clv_free(report->context, report->mistakes);
    clv_free(report->context, report);
}

Status clv_report_round(Report *report, double seconds, uint64_t mistakes, double loss, cleave_error *error)
{
    cleave_report *public = &report->public;
    size_t count = public->round_count;

    TRY(GROW(report->context, report->seconds, report->seconds_capacity, count + 1, error));
    TRY(GROW(report->context, report->mistakes, report->mistakes_capacity, count + 1, error));
    report->seconds[count] = seconds;
    report->mistakes[count] = mistakes;
    public->round_count = count + 1;
    public->round_seconds = report->seconds;
    public->round_mistakes = report->mistakes;
    public->passes = (uint32_t)(count + 1);
    public->last_round_mistakes = mistakes;
    public->loss = loss;
    return OK;
}

void clv_report_finish(Report *report, const Fit *fit)
{
    cleave_report *public = &report->public;
    size_t first = public->round_count > 10 ? public->round_count - 10 : 0;

    public->mistakes = fit->mistakes;
    memcpy(report->figures, fit->figures, sizeof fit->figures);
    public->figures = report->figures;
    public->figure_count = fit->figure_count;
    for (size_t i = first; i < public->round_count; i++) {
        uint64_t mistakes = report->mistakes[i];

        if (i == first || mistakes < public->least_round_mistakes)
        public->least_round_mistakes = mistakes;
        if (i == first || mistakes > public->most_round_mistakes)
        public->most_round_mistakes = mistakes;
    }
}
