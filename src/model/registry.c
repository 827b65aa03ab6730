#include "model/registry.h"

#include <stdarg.h>
#include <stdio.h>

Status clv_method_find(const char *name, const Method **method, cleave_error *error)
{
    const char *names[64];
    const char *nearest;
    char quoted[QUOTE_SIZE];
    size_t count = 0;

    for (; clv_methods[count] && count < 63; count++) {
        if (strcmp(clv_methods[count]->name, name) == 0) {
            *method = clv_methods[count];
            return OK;
        }
        names[count] = clv_methods[count]->name;
    }
    names[count] = NULL;
    nearest = cleave_nearest_word(name, names);
    clv_quote(quoted, name, strlen(name));
    if (nearest)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "unknown method '%s'; did you mean '%s'?  (see 'cleave methods')", quoted,
                        nearest);
    return clv_fail(error, CLEAVE_ERROR_USAGE, "unknown method '%s'  (see 'cleave methods')",
                    quoted);
}

void clv_figure(Fit *fit, const char *name, double value)
{
    if (fit->result.figure_count < sizeof fit->result.figures / sizeof *fit->result.figures)
        fit->result.figures[fit->result.figure_count++] = (cleave_statistic){.name = name,
                                                                             .value = value};
}

void clv_solver(Fit *fit, const char *name)
{
    snprintf(fit->result.solver, sizeof fit->result.solver, "%s", name);
}

void clv_objective(Fit *fit, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(fit->result.objective, sizeof fit->result.objective, format, args);
    va_end(args);
}

void clv_summarize(Fit *fit, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(fit->result.summary, sizeof fit->result.summary, format, args);
    va_end(args);
}
