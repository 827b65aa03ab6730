/* cleave explain: the transforms of a model's pipeline and their learned values. */
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"
#include "cli/verbs/explain_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- text */

static void put_range(Out *out, const cleave_model *model, size_t step, size_t array,
                      const char *name, size_t count)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        double value = cleave_model_step_value(model, step, array, i);

        least = fmin(least, value);
        most = fmax(most, value);
    }
    cli_put_name(out, name);
    if (least == most)
        cli_print(out, " %s", BRIEF(least));
    else
        cli_print(out, " from %s to %s", BRIEF(least), BRIEF(most));
}

static void put_step(Out *out, const cleave_model *model, size_t number,
                     const cleave_pipeline_step *step)
{
    const char *name, *between = ": ";
    size_t count;
    bool whole;

    cli_put_name(out, step->text);
    if (*step->facts) {
        cli_put(out, between);
        cli_put_name(out, step->facts);
        between = "; ";
    }
    for (size_t i = 0; cleave_model_step_array(model, number, i, &name, &count, &whole); i++) {
        if (whole || count == 0 || strcmp(name, "score") == 0 || (count == 1 && *step->facts))
            continue; /* shown with the details */
        cli_put(out, between);
        put_range(out, model, number, i, name, count);
        between = "; ";
    }
    cli_put(out, "\n");
}

void cli_explain_pipeline(Out *out, const cleave_model *model)
{
    cleave_pipeline_step step;

    cli_put(out, cleave_model_step(model, 0, &step) ? ", by the pipeline\n" : "\n");
    for (size_t i = 0; cleave_model_step(model, i, &step); i++) {
        cli_print(out, "%9zu  ", i + 1);
        put_step(out, model, i, &step);
    }
}

/* ---- selected columns */

typedef struct {
    double score;
    size_t column;
} Chosen;

static int best_first(const void *a, const void *b)
{
    const Chosen *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static void show_chosen(Out *out, const cleave_model *model, size_t step, const Chosen *chosen,
                        size_t shown)
{
    Bars bars = cli_bars();
    char buffer[24], drawn[BAR_SIZE];
    TextTable table;

    cli_table_init(&table, out, 3);
    table.indent = 2;
    table.left[0] = table.left[2] = true;
    for (size_t i = 0; i < shown; i++) {
        const char *name = cleave_model_step_column(model, step, chosen[i].column, buffer);

        cli_table_cell(&table, name ? name : "(no name)");
        cli_table_cell(&table, SHORT(chosen[i].score));
        cli_table_bar(
            &table,
            cli_bar(&bars, chosen[0].score > 0 ? chosen[i].score / chosen[0].score : 0, drawn));
    }
    cli_table_end(&table);
}

static void show_scores(Out *out, const cleave_model *model, size_t number,
                        const cleave_pipeline_step *step, size_t array, size_t top)
{
    Chosen *chosen = cli_alloc(NULL, step->outputs, sizeof *chosen);
    size_t scored = 0, shown;

    for (size_t i = 0; i < step->outputs; i++) {
        double score = cleave_model_step_value(model, number, array, i);

        if (score >= 0)
            chosen[scored++] = (Chosen){score, i};
    }
    qsort(chosen, scored, sizeof *chosen, best_first);
    shown = scored < top ? scored : top;
    cli_put(out, "\nSelected by ");
    cli_put_name(out, step->text);
    cli_print(out, shown < scored ? " (%zu of %zu)\n" : "\n", shown, scored);
    show_chosen(out, model, number, chosen, shown);
    free(chosen);
}

void cli_explain_scores(Out *out, const cleave_model *model, size_t top)
{
    cleave_pipeline_step step;

    for (size_t i = 0; cleave_model_step(model, i, &step); i++) {
        const char *name;
        size_t count;

        for (size_t j = 0; cleave_model_step_array(model, i, j, &name, &count, NULL); j++)
            if (strcmp(name, "score") == 0 && count == step.outputs)
                show_scores(out, model, i, &step, j, top);
    }
}
