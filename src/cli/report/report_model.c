/* What the model has learned, for the page: its heaviest weights for and against each class, the points it keeps, or its support vectors. `explain` says more. */
#include "cli/report/largest_weights.h"
#include "cli/report/report_page.h"

#include <math.h>
#include <stdlib.h>

enum { TOP = 12, TOP_OF_MANY = 4, FEW_CLASSES = 4, CLASSES_SHOWN = 30 };

/* The heaviest of both sides together, for first. */
static void put_output(Page *page, const cleave_model *model, size_t output, const char *label, size_t top,
                       double of_all, HeavyWeight *list)
{
    double most = cli_heaviest_weight(model, output);
    char name[24], text[HUMAN_SIZE];

    for (double side = 1; side >= -1; side -= 2) {
        size_t count = cli_heaviest(model, output, 1, side, list);

        for (size_t i = 0; i < count && i < top; i++) {
            if (label)
                cli_page_cell(page, label);
            cli_page_cell(page, cleave_model_feature_name(model, list[i].column, name));
            cli_page_bar_cell(page, cli_short(list[i].weight, text), cli_weight_part(list[i].weight, most, of_all));
        }
    }
}

static void put_weights(Page *page, const cleave_model *model, size_t outputs)
{
    static const char *const of_one[] = {"<feature", "<weight"}, *const of_many[] = {"<class", "<feature", "<weight"};
    HeavyWeight *list = cli_alloc(NULL, cleave_model_feature_count(model), sizeof *list);
    bool number = cleave_model_task(model) == CLEAVE_TASK_REGRESSION;
    double of_all = cli_heaviest_of_all(model);
    char caption[QUOTED_SIZE + 120], quoted[QUOTED_SIZE];

    if (outputs == 1) {
        const char *positive = cleave_model_positive(model);

        snprintf(caption, sizeof caption,
                 number ? "Features that raise the number most, then those that lower it%s"
                        : "Features that speak most for '%s', then those against it",
                 number ? "" : cli_quote(positive ? positive : "the positive class", quoted));
        cli_page_table(page, caption, of_one, 2);
        put_output(page, model, 0, NULL, TOP, of_all, list);
    } else {
        cli_page_table(page, "Features that speak most for each class, then those against it", of_many, 3);
        for (size_t k = 0; k < outputs && k < CLASSES_SHOWN; k++)
            put_output(page, model, k, cleave_model_label(model, k), outputs > FEW_CLASSES ? TOP_OF_MANY : TOP, of_all,
                       list);
    }
    cli_page_table_end(page);
    if (outputs > CLASSES_SHOWN)
        cli_page_note(
            page,
            "Only the first classes are shown; cleave explain MODEL --class NAME shows one, --json has them all.");
    free(list);
}

static void put_points(Page *page, const cleave_point_set *points)
{
    char text[300], bytes[HUMAN_SIZE];

    snprintf(
        text, sizeof text,
        "It keeps %llu training rows (%s) and answers by the nearest of them, by the distance '%s'; cleave explain "
        "MODEL DATA --row N shows those that decide an answer.",
        (unsigned long long)points->count, cli_bytes(points->bytes, bytes), points->distance);
    cli_page_paragraph(page, text);
}

/* Of kernel methods, the heaviest first; nothing of others. */
static void put_supports(Page *page, const cleave_model *model)
{
    static const char *const heads[] = {"<training row", "<speaks for", "<alpha"};
    cleave_support_vector *supports;
    char text[QUOTED_SIZE + 120], quoted[QUOTED_SIZE];
    size_t count;

    if (cleave_model_support_vectors(model, &supports, &count, NULL) != CLEAVE_OK || count == 0)
        return;
    cli_page_section(page, "What the model goes by");
    snprintf(text, sizeof text, "Its scores are sums over %zu support vectors, of %llu training rows; these weigh most",
             count, (unsigned long long)cleave_model_rows(model));
    cli_page_table(page, text, heads, 3);
    for (size_t i = 0; i < count && i < TOP; i++) {
        const cleave_support_vector *support = &supports[i];

        snprintf(text, sizeof text, "%llu", (unsigned long long)support->row);
        cli_page_cell(page, support->row ? text : "?");
        snprintf(text, sizeof text, "%s%s", support->against ? "not " : "",
                 support->label ? cli_quote(support->label, quoted) : "");
        cli_page_cell(page, text);
        cli_page_bar_cell(page, cli_short(support->alpha, text), support->alpha / fabs(supports[0].alpha));
    }
    cli_page_table_end(page);
    cleave_support_vectors_free(supports);
}

void cli_report_model(Page *page, const cleave_model *model)
{
    cleave_point_set points;
    size_t outputs;

    if (cleave_model_is_linear(model, &outputs) && cleave_model_feature_count(model) > 0) {
        cli_page_section(page, "What the model goes by");
        put_weights(page, model, outputs);
    } else if (cleave_model_points(model, &points, NULL)) {
        cli_page_section(page, "What the model goes by");
        put_points(page, &points);
    } else {
        put_supports(page, model);
    }
}
