/* cleave voronoi: which training point is nearest, all over the plane, as a picture. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <stdio.h>
#include <string.h>

static int read_points(Call *call, cleave_voronoi **voronoi)
{
    cleave_options *options = call->options[TABLE_VORONOI];
    cleave_model *model = NULL;
    cleave_data *data = NULL;
    int status;
    bool fine = false;

    if (call->argument_count == 1 && cli_is_model(call->arguments[0])) {
        status = cli_load(call, call->arguments[0], &model);
        if (status == DONE)
            fine = cleave_voronoi_of_model(model, options, voronoi, &call->error) == CLEAVE_OK;
    } else {
        status = cli_open(call, NULL, call->arguments, call->argument_count, &data);
        if (status == DONE)
            fine = cleave_voronoi_of_data(data, options, voronoi, &call->error) == CLEAVE_OK;
    }
    cleave_data_free(data);
    cleave_model_free(model);
    return status == DONE && !fine ? cli_fail(call) : status;
}

static size_t count_between(const cleave_voronoi *voronoi)
{
    size_t count = 0;

    for (size_t i = 0; i < voronoi->border_count; i++)
        count += voronoi->borders[i].between_classes;
    return count;
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const cleave_voronoi *voronoi = facts;
    char points[HUMAN_SIZE], regions[HUMAN_SIZE], borders[HUMAN_SIZE];

    cli_print(out, "%s, %s, %s, %zu of them between classes; drawn in ",
              cli_count(voronoi->point_count, "point", "points", points),
              cli_count(voronoi->region_count, "region", "regions", regions),
              cli_count(voronoi->border_count, "border", "borders", borders), count_between(voronoi));
    cli_put_name(out, call->settings.output);
    cli_put(out, "\n");
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const cleave_voronoi *voronoi = facts;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_count(&json, "points", voronoi->point_count);
    cli_json_put_count(&json, "regions", voronoi->region_count);
    cli_json_put_count(&json, "borders", voronoi->border_count);
    cli_json_put_count(&json, "between_classes", count_between(voronoi));
    cli_json_put_string(&json, "picture", call->settings.output);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

static int run(Call *call)
{
    cleave_voronoi *voronoi = NULL;
    int status = cli_check_output(call);

    call->keep_remarks = call->settings.json;
    if (status == DONE)
        status = read_points(call, &voronoi);
    if (status == DONE && cleave_voronoi_write(voronoi, call->settings.output, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    if (status == DONE)
        status = cli_tell_done(call, print_text, print_json, voronoi);
    cleave_voronoi_free(voronoi);
    return status;
}

static const cleave_param flags[] = {
    {.name = "output",
     .alias = "o",
     .type = CLEAVE_TEXT,
     .help = "Write the plot to this file; - is standard output.",
     .offset = offsetof(Settings, output)},
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave voronoi @dogs -o dogs.svg",
    "cleave train knn @dogs --k 1 -o dogs.model",
    "cleave voronoi dogs.model -o regions.svg --width 1200 --height 900",
    NULL,
};

const Verb cli_verb_voronoi = {
    .name = "voronoi",
    .arguments = "MODEL|DATA...",
    .brief = "Draw the Voronoi diagram of points in the plane.",
    .about =
        "Draws, as SVG, what of the plane is nearer to each training point than to any other: what a model of knn with "
        "--k 1 answers there. The points are those of data with two columns of numbers, or of a model of knn with two "
        "features. Regions have the colour of their class; borders between classes are thick, those within one thin.",
    .examples = examples,
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_VORONOI),
    .wants_output = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
