#include "train/training_report.h"

#include <stdio.h>

Status clv_report_new(Context *context, Report **result, cleave_error *error)
{
    Report *report = clv_alloc_zero(context, 1, sizeof *report);

    *result = report;
    if (!report)
        return clv_fail_memory(error, "a report", sizeof *report);
    report->context = context;
    return OK;
}

void cleave_report_free(cleave_report *facts)
{
    Report *report = (Report *)facts;

    if (!report)
        return;
    FREE(report->context, report->seconds, report->mistakes, report->rates, report);
}

Status clv_report_round(Report *report, double seconds, uint64_t mistakes, double loss,
                        cleave_error *error)
{
    cleave_report *facts = &report->facts;
    size_t count = facts->epoch_count;

    TRY(GROW(report->context, report->seconds, report->seconds_capacity, count + 1, error));
    TRY(GROW(report->context, report->mistakes, report->mistakes_capacity, count + 1, error));
    report->seconds[count] = seconds;
    report->mistakes[count] = mistakes;
    facts->epoch_count = count + 1;
    facts->epoch_seconds = report->seconds;
    facts->epoch_mistakes = report->mistakes;
    facts->epochs = (uint32_t)(count + 1);
    facts->last_epoch_mistakes = mistakes;
    facts->loss = loss;
    return OK;
}

Status clv_report_rate(Report *report, const cleave_rate_trial *tried, cleave_error *error)
{
    cleave_report *facts = &report->facts;

    TRY(GROW(report->context, report->rates, report->rates_capacity, facts->rate_count + 1, error));
    report->rates[facts->rate_count++] = *tried;
    facts->rates = report->rates;
    return OK;
}

void clv_report_finish(Report *report, const Fit *fit)
{
    cleave_report *facts = &report->facts;
    size_t first = facts->epoch_count > 10 ? facts->epoch_count - 10 : 0;

    facts->counts_mistakes = (fit->method->behavior & METHOD_COUNTS_MISTAKES);
    facts->mistakes = fit->counters.mistakes;
    memcpy(report->figures, fit->result.figures, sizeof fit->result.figures);
    facts->statistics = report->figures;
    facts->statistic_count = fit->result.figure_count;
    snprintf(report->solver, sizeof report->solver, "%s", fit->result.solver);
    snprintf(report->objective, sizeof report->objective, "%s",
             *fit->result.objective ? fit->result.objective : fit->method->objective);
    snprintf(report->summary, sizeof report->summary, "%s", fit->result.summary);
    facts->solver = report->solver;
    facts->objective = report->objective;
    facts->summary = report->summary;
    for (size_t i = first; i < facts->epoch_count; i++) {
        uint64_t mistakes = report->mistakes[i];

        if (i == first || mistakes < facts->least_epoch_mistakes)
            facts->least_epoch_mistakes = mistakes;
        if (i == first || mistakes > facts->most_epoch_mistakes)
            facts->most_epoch_mistakes = mistakes;
    }
}
