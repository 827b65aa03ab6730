/* What the pages of all verbs share: the file, and words for what was judged. */
#include "cli/report/report_page.h"

#include "cli/report/metric_value.h"

#include <math.h>
#include <string.h>

int cli_page_file_open(Call *call, PageFile *file, const char *title, const char *origin)
{
    if (cli_out_open(&file->out, call->context, call->settings.report, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    cli_page_begin(&file->page, &file->out, title, origin);
    return DONE;
}

int cli_page_file_close(Call *call, PageFile *file)
{
    cli_page_end(&file->page);
    return cli_out_close(&file->out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

const char *cli_paths_text(const Call *call, size_t first, char buffer[PATHS_SIZE])
{
    enum { MOST = 3 };
    size_t used = 0;
    char quoted[QUOTED_SIZE];

    buffer[0] = '\0';
    for (size_t i = first; i < call->argument_count && i < first + MOST; i++)
        used += (size_t)snprintf(buffer + used, PATHS_SIZE - used, "%s%s", i > first ? ", " : "",
                                 strcmp(call->arguments[i], "-") == 0 ? "standard input"
                                                                      : cli_quote(call->arguments[i], quoted));
    if (call->argument_count > first + MOST)
        snprintf(buffer + used, PATHS_SIZE - used, " and %zu more", call->argument_count - first - MOST);
    return buffer;
}

const char *cli_plain(double value, char buffer[HUMAN_SIZE])
{
    double size = fabs(value);

    if (size >= 1000 && size < 1e9)
        snprintf(buffer, HUMAN_SIZE, "%.0f", value);
    else
        cli_brief(value, buffer);
    return buffer;
}

const char *cli_interval_text(const cleave_interval *measure, bool share, char buffer[INTERVAL_SIZE])
{
    const char *none = cli_no_interval(measure->value, measure->low, measure->high);
    char low[HUMAN_SIZE], high[HUMAN_SIZE];

    if (none)
        return isnan(measure->value) ? "-" : none;
    if (share)
        snprintf(buffer, INTERVAL_SIZE, "%.4f to %.4f", measure->low + 0.0, measure->high + 0.0);
    else
        snprintf(buffer, INTERVAL_SIZE, "%s to %s", cli_plain(measure->low, low), cli_plain(measure->high, high));
    return buffer;
}
