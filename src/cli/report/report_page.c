#include "cli/report/report_page.h"

#include "cli/report/page_parts.h"

#include <stdlib.h>
#include <string.h>

const char *cli_page_library(void)
{
    return cli_chart_js_size ? "Chart.js " CHARTJS_VERSION : "no Chart.js";
}

/* The command line: verb, arguments and options, without the options common to all verbs. */
static void put_call(Out *out, const Call *call)
{
    Json json = {.out = out};
    char color[8];

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "verb", call->verb->name);
    cli_json_put_string(&json, "version", cleave_version());
    cli_json_put_string(&json, "library", cli_page_library());
    cli_json_open_key(&json, "colors", '[');
    for (size_t i = 0; i < CLEAVE_PLOT_COLORS; i++) {
        snprintf(color, sizeof color, "#%06x", (unsigned)cleave_plot_color(i));
        cli_json_string(&json, color);
    }
    cli_json_close(&json, ']');
    cli_json_open_key(&json, "arguments", '[');
    for (size_t i = 0; i < call->argument_count; i++)
        cli_json_string(&json, strcmp(call->arguments[i], "-") == 0 ? "standard input"
                                                                    : call->arguments[i]);
    cli_json_close(&json, ']');
    cli_json_open_key(&json, "options", '{');
    for (size_t i = 0; i < call->given_count; i++)
        if (!cli_param_find(cli_common_flags, call->given[i].name) &&
            strcmp(call->given[i].name, "report") != 0)
            cli_json_put_string(&json, FLAG_NAME(call->given[i].name), call->given[i].value);
    cli_json_close(&json, '}');
    cli_json_close(&json, '}');
}

static void put_part(Out *out, const char *name, size_t length, const Call *call, Telling *as_json,
                     const void *facts)
{
    const struct {
        const char *name;
        const unsigned char *bytes;
        size_t size;
    } files[] = {{"style", cli_page_css, cli_page_css_size},
                 {"library", cli_chart_js, cli_chart_js_size},
                 {"charts", cli_charts_js, cli_charts_js_size},
                 {"report", cli_report_js, cli_report_js_size}};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strncmp(name, files[i].name, length) == 0)
            cli_write(out, (const char *)files[i].bytes, files[i].size);
    out->in_page = true;
    if (strncmp(name, "call", length) == 0)
        put_call(out, call);
    else if (strncmp(name, "result", length) == 0)
        as_json(out, call, facts);
    out->in_page = false;
}

int cli_report_write(Call *call, Telling *as_json, const void *facts)
{
    const char *at = (const char *)cli_page_html, *mark;
    Out *out;
    int status = DONE;

    if (!call->settings.report)
        return DONE;
    out = cli_alloc(NULL, 1, sizeof *out);
    if (cli_out_open(out, call->context, call->settings.report, &call->error) != CLEAVE_OK) {
        free(out);
        return cli_fail(call);
    }
    for (; (mark = strstr(at, "{{")); at = strstr(mark, "}}") + 2) {
        cli_write(out, at, (size_t)(mark - at));
        put_part(out, mark + 2, strcspn(mark + 2, "}"), call, as_json, facts);
    }
    cli_put(out, at);
    if (cli_out_close(out, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    free(out);
    return status;
}
