/* cleave plot: plots of methods, models and data, and their numbers as JSON. */
#include "cli/report/plot_text.h"
#include "cli/report/report_page.h"
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <cleave/active.h>

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *to, *size;
    bool frames;
} PlotFlags;

/* ---- kinds of plots */

enum { MOST_KINDS = 32 };

/* One kind, or several kinds with the same inputs for a report. */
typedef struct {
    char words[256];
    const char *kind[MOST_KINDS];
    bool needs_data[MOST_KINDS];
    size_t count;
    cleave_plot_source source;
    cleave_plot *plot[MOST_KINDS];
    PlotImage image[MOST_KINDS]; /* for --report */
} Wanted;

static int find_kind(const char *word, cleave_plot_source *source)
{
    const char *known[MOST_KINDS] = {NULL};
    size_t count = 0;

    for (; count < MOST_KINDS - 1 && (known[count] = cleave_plot_kind(count, source, NULL));
         count++)
        if (strcmp(known[count], word) == 0)
            return DONE;
    return cli_unknown("plot", "", word, known, "cleave plot --help");
}

static bool is_of_model(cleave_plot_source source)
{
    return source == CLEAVE_PLOT_OF_MODEL || source == CLEAVE_PLOT_OF_MODEL_ALONE;
}

static int find_kinds(const Call *call, Wanted *wanted)
{
    char *next = wanted->words;
    int status = DONE;

    if (snprintf(wanted->words, sizeof wanted->words, "%s", call->arguments[0]) >=
        (int)sizeof wanted->words)
        return cli_misuse("plot: the list of kinds is too long");
    while (next && status == DONE && wanted->count < MOST_KINDS) {
        char *comma = strchr(next, ',');
        cleave_plot_source source = CLEAVE_PLOT_OF_DATA;

        if (comma)
            *comma = '\0';
        status = find_kind(next, &source);
        if (status == DONE && wanted->count > 0 && source != wanted->source &&
            !(is_of_model(source) && is_of_model(wanted->source)))
            return cli_misuse("'%s' and '%s' need different inputs: plot them separately",
                              wanted->kind[0], next);
        if (wanted->count == 0 || source != CLEAVE_PLOT_OF_MODEL_ALONE)
            wanted->source = source;
        wanted->needs_data[wanted->count] = source != CLEAVE_PLOT_OF_MODEL_ALONE;
        wanted->kind[wanted->count++] = next;
        next = comma ? comma + 1 : NULL;
    }
    if (status == DONE && wanted->count > 1 && call->settings.output)
        return cli_misuse("-o writes one plot: use --report FILE.html for several kinds");
    return status;
}

static bool is_of(const cleave_param *table, const char *name)
{
    return cli_param_find(table, name) != NULL;
}

/* Fails if training options are given for a plot that does not train a model. */
static int check_flags(const Call *call, cleave_plot_source source)
{
    for (size_t i = 0; i < call->given_count; i++) {
        const char *name = call->given[i].name;

        if (is_of(call->verb->flags, name) && strcmp(name, "validation") != 0)
            continue;
        if (strcmp(call->arguments[0], "active") != 0 && is_of(cleave_active_params(), name))
            return cli_misuse("--%s is an option of the plot 'active'", FLAG_NAME(name));
        if (source == CLEAVE_PLOT_OF_TRAINING || is_of(cli_common_flags, name) ||
            is_of(cleave_read_params(), name) || is_of(cleave_plot_params(), name))
            continue;
        return cli_misuse("--%s is a training option, and the plot '%s' does not train a model",
                          FLAG_NAME(name), call->arguments[0]);
    }
    return DONE;
}

/* Reads --size 800x600. */
static int read_size(Call *call)
{
    const char *size = ((const PlotFlags *)call->own)->size,
               *cross = size ? strchr(size, 'x') : NULL;
    char width[8] = "", quoted[QUOTED_SIZE];

    if (!size)
        return DONE;
    if (!cross || cross == size || cross - size > 5 ||
        strspn(size, "0123456789") != (size_t)(cross - size) || !cross[1] ||
        strlen(cross + 1) > 5 || cross[1 + strspn(cross + 1, "0123456789")])
        return cli_misuse("--size: expected WIDTHxHEIGHT in pixels, such as 800x600, found '%s'",
                          cli_quote(size, quoted));
    memcpy(width, size, (size_t)(cross - size));
    if (cleave_options_set(call->options[TABLE_PLOT], "width", width, &call->error) != CLEAVE_OK ||
        cleave_options_set(call->options[TABLE_PLOT], "height", cross + 1, &call->error) !=
            CLEAVE_OK)
        return cli_fail(call);
    return DONE;
}

static int find_format(const Call *call, const char **format)
{
    const char *to = ((const PlotFlags *)call->own)->to;
    const char *path = call->settings.output, *dot = path ? strrchr(path, '.') : NULL;

    *format = to ? to : dot && strlen(dot) == 4 ? dot + 1 : "";
    if (!path || strcmp(*format, "svg") == 0 || strcmp(*format, "pdf") == 0 ||
        strcmp(*format, "png") == 0)
        return DONE;
    if (to)
        return cli_misuse("--to: expected svg, pdf or png, found '%s'", QUOTED(to));
    return cli_misuse("-o '%s': expected .svg, .pdf or .png; --to svg, --to pdf or --to png "
                      "selects the format for any name",
                      QUOTED(path));
}

static int check_arguments(const Call *call, cleave_plot_source source)
{
    static const char *const wanted[] = {"METHOD DATA...", "MODEL DATA...", "DATA...", "MODEL", ""};
    bool one = source == CLEAVE_PLOT_OF_DATA || source == CLEAVE_PLOT_OF_MODEL_ALONE;

    if (source == CLEAVE_PLOT_OF_MODEL_ALONE && call->argument_count > 2)
        return cli_misuse("the plot '%s' takes only a model: omit '%s'", call->arguments[0],
                          call->arguments[2]);
    if (source == CLEAVE_PLOT_OF_NOTHING && call->argument_count > 1)
        return cli_misuse("the plot '%s' takes no data: leave out '%s'", call->arguments[0],
                          call->arguments[1]);
    if (source != CLEAVE_PLOT_OF_NOTHING && call->argument_count < (one ? 2u : 3u))
        return cli_misuse("plot %s needs %s  (see 'cleave plot --help')", call->arguments[0],
                          wanted[source]);
    if (!call->settings.output && !call->settings.json && !call->settings.report)
        return cli_misuse("plot needs -o FILE.svg, FILE.pdf or FILE.png, --report FILE.html, or "
                          "--json for the numbers  (see 'cleave "
                          "plot --help')");
    return DONE;
}

/* ---- plotting */

static int plot_comparison(Call *call, cleave_data *data, cleave_data *test, cleave_plot **plot)
{
    cleave_active_comparison *comparison;
    int status;

    CLI_TRY(
        cli_ok(call, cleave_active_compare(call->context, call->method.name, data, test,
                                           call->options[TABLE_ACTIVE], call->options[TABLE_TRAIN],
                                           &comparison, &call->error)));
    status = cli_ok(call, cleave_plot_of_active(call->context, comparison,
                                                call->options[TABLE_PLOT], plot, &call->error));
    cleave_active_comparison_free(comparison);
    return status;
}

static int plot_training(Call *call, const char *kind, cleave_plot **plot)
{
    cleave_data *data = NULL, *valid = NULL;
    int status = cli_open(call, NULL, call->arguments + 2, call->argument_count - 2, &data);

    if (status == DONE && call->settings.validation)
        status = cli_ok(call, cleave_open_like(data, &call->settings.validation, 1,
                                               call->options[TABLE_READ], &valid, &call->error));
    if (status == DONE && strcmp(kind, "active") == 0)
        status = plot_comparison(call, data, valid, plot);
    else if (status == DONE)
        status = cli_ok(call,
                        cleave_plot_of_training(kind, call->context, call->method.name, data, valid,
                                                call->options[TABLE_PLOT],
                                                call->options[TABLE_TRAIN], plot, &call->error));
    cleave_data_free(valid);
    cleave_data_free(data);
    return status;
}

static int plot_model(Call *call, const char *kind, bool needs_data, cleave_plot **plot)
{
    const char *const *paths = call->arguments + 2;
    size_t count = call->argument_count - 2;
    cleave_model *model = NULL;
    cleave_data *data = NULL;
    int status = cli_load(call, call->arguments[1], &model);

    if (status == DONE && strcmp(kind, "regions") == 0) {
        if (cleave_open_raw_for(model, paths, count, call->options[TABLE_READ], &data,
                                &call->error) != CLEAVE_OK)
            status = cli_fail(call);
    } else if (status == DONE && needs_data) {
        status = cli_open(call, model, paths, count, &data);
    }
    if (status == DONE && cleave_plot_of_model(kind, model, data, call->options[TABLE_PLOT], plot,
                                               &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    cleave_data_free(data);
    cleave_model_free(model);
    return status;
}

static int plot_data(Call *call, const char *kind, cleave_plot **plot)
{
    cleave_data *data = NULL;
    int status;

    if (strcmp(kind, "voronoi") == 0 && call->argument_count == 2 &&
        cli_is_model(call->arguments[1]))
        return plot_model(call, kind, false, plot);
    status = cli_open(call, NULL, call->arguments + 1, call->argument_count - 1, &data);
    if (status == DONE &&
        cleave_plot_of_data(kind, data, call->options[TABLE_PLOT], plot, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    cleave_data_free(data);
    return status;
}

static int plot_nothing(Call *call, const char *kind, cleave_plot **plot)
{
    return cli_ok(call, cleave_plot_of_nothing(kind, call->context, call->options[TABLE_PLOT], plot,
                                               &call->error));
}

/* ---- output */

static cleave_code write_piece(void *user, const void *bytes, size_t size, cleave_error *error)
{
    return cleave_output_write(user, bytes, size, error);
}

static int draw_to(Call *call, const cleave_plot *plot, const char *format, const char *path)
{
    cleave_output *output;

    if (cleave_output_open(call->context, path, &output, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    if (cleave_plot_draw(call->context, plot, format, write_piece, output, &call->error) !=
        CLEAVE_OK) {
        cleave_output_abandon(output);
        return cli_fail(call);
    }
    return cleave_output_commit(output, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

/* line.svg: line-001.svg, line-002.svg, ... */
static int draw_frames(Call *call, const cleave_plot *plot, const char *format)
{
    const char *path = call->settings.output, *dot = strrchr(path, '.'),
               *slash = strrchr(path, '/');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    size_t size = strlen(path) + 32;
    char *name = cli_alloc(NULL, size, 1);
    int status = DONE;

    for (size_t i = 0; i < plot->frame_count && status == DONE; i++) {
        cleave_plot frame = plot->frames[i];

        frame.width = plot->width;
        frame.height = plot->height;
        snprintf(name, size, "%.*s-%03zu%s", (int)stem, path, i + 1, path + stem);
        status = draw_to(call, &frame, format, name);
    }
    free(name);
    return status;
}

static int draw(Call *call, const cleave_plot *plot, const char *format)
{
    bool frames = ((const PlotFlags *)call->own)->frames;

    if (frames && (!call->settings.output || cli_to_stdout(call)))
        return cli_misuse("--frames needs -o FILE, whose name is numbered");
    if (frames && plot->frame_count == 0)
        return cli_misuse("--frames: the plot '%s' has only one frame", plot->kind);
    if (!call->settings.output)
        return DONE;
    return frames ? draw_frames(call, plot, format)
                  : draw_to(call, plot, format, call->settings.output);
}

static cleave_code keep_bytes(void *user, const void *bytes, size_t size, cleave_error *error)
{
    PlotImage *image = user;

    (void)error;
    if (image->size + size > image->capacity) {
        image->capacity = 2 * (image->size + size);
        image->bytes = cli_alloc(image->bytes, image->capacity, 1);
    }
    memcpy(image->bytes + image->size, bytes, size);
    image->size += size;
    return CLEAVE_OK;
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const Wanted *wanted = facts;

    for (size_t i = 0; i < wanted->count; i++)
        cli_plot_json(out, call, wanted->plot[i], &wanted->image[i]);
}

static int write_report(Call *call, Wanted *wanted)
{
    for (size_t i = 0; i < wanted->count && call->settings.report; i++)
        if (!cli_plot_is_chart(wanted->plot[i]) &&
            cleave_plot_draw(call->context, wanted->plot[i], "svg", keep_bytes, &wanted->image[i],
                             &call->error) != CLEAVE_OK)
            return cli_fail(call);
    return cli_report_write(call, print_json, wanted);
}

static int make_all(Call *call, Wanted *wanted)
{
    int status = DONE;

    for (size_t i = 0; i < wanted->count && status == DONE; i++)
        status = wanted->source == CLEAVE_PLOT_OF_TRAINING
                     ? plot_training(call, wanted->kind[i], &wanted->plot[i])
                 : wanted->source == CLEAVE_PLOT_OF_NOTHING
                     ? plot_nothing(call, wanted->kind[i], &wanted->plot[i])
                 : is_of_model(wanted->source)
                     ? plot_model(call, wanted->kind[i], wanted->needs_data[i], &wanted->plot[i])
                     : plot_data(call, wanted->kind[i], &wanted->plot[i]);
    return status;
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const Wanted *wanted = facts;

    for (size_t i = 0; i < wanted->count; i++) {
        const cleave_plot *plot = wanted->plot[i];

        cli_print(out, "%s: %s.\n", plot->title, plot->remark);
        if (call->settings.output && ((const PlotFlags *)call->own)->frames)
            cli_print(out, "%s written, numbered %s (%zu x %zu).\n",
                      COUNT(plot->frame_count, "plot", "plots"), call->settings.output, plot->width,
                      plot->height);
        else if (call->settings.output)
            cli_print(out, "Plot written to %s (%zu x %zu).\n", call->settings.output, plot->width,
                      plot->height);
    }
    if (call->settings.report)
        cli_print(out, "Report written to %s.\n", call->settings.report);
}

static int run(Call *call)
{
    Wanted wanted = {.count = 0};
    const char *format;
    int status;

    CLI_TRY(find_kinds(call, &wanted));
    CLI_TRY(check_arguments(call, wanted.source));
    CLI_TRY(check_flags(call, wanted.source));
    CLI_TRY(read_size(call));
    CLI_TRY(find_format(call, &format));
    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_check_report(call));
    status = make_all(call, &wanted);
    if (status == DONE)
        status = draw(call, wanted.plot[0], format);
    if (status == DONE)
        status = write_report(call, &wanted);
    if (status == DONE)
        status = cli_tell_done(call, print_text, print_json, &wanted);
    for (size_t i = 0; i < wanted.count; i++) {
        cleave_plot_free(wanted.plot[i]);
        free(wanted.image[i].bytes);
    }
    return status;
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write the plot to this file, .svg, .pdf or .png; - is standard output."),
    CLI_OWN_TEXT(PlotFlags, to, "Format: svg, pdf or png.", .default_text = "by the suffix of -o"),
    CLI_OWN_TEXT(PlotFlags, size, "Size in pixels, e.g. 800x600."),
    CLI_OWN_FLAG(PlotFlags, frames, "trace: write each picture to its own numbered file."),
    CLI_REPORT_FLAG,
    CLI_TEXT(validation, "curve, active: validation set.", .default_text = "a fifth of the rows"),
    {.name = NULL},
};

static const char *const method_kinds[] = {"curve", "size", "trace", "active", NULL};

static const char *const examples[] = {
    "cleave plot rules @peak7 -o rules.svg",
    "cleave plot curve perceptron @spam6 --validation-fraction 0.5 -o curve.png",
    "cleave generate spam --rows 500 -o mail.tsv",
    "cleave plot active svm mail.tsv --budget 50 -o active.svg",
    "cleave train knn @dogs --k 3 -o dogs.model",
    "cleave plot regions dogs.model @dogs -o regions.svg",
    "cleave plot confusion dogs.model @dogs -o confusion.png --size 700x600",
    "cleave plot roc dogs.model @dogs --json",
    "cleave train tree @dogs -o tree.model",
    "cleave plot tree tree.model -o tree.svg",
    "cleave plot trace perceptron @points5 --learn-threshold -o line.svg",
    "cleave plot voronoi dogs.model -o voronoi.svg",
    NULL,
};

const Verb cli_verb_plot = {
    .name = "plot",
    .arguments = "KIND ...",
    .brief = "Plot learning curves, evaluations, models, trees or data.",
    .about =
        "Writes SVG, PDF or PNG, by the suffix of -o. --json prints the data of the plot. "
        "Arguments by kind: curve, size, trace and active take METHOD DATA; roc, pr, confusion "
        "and regions take MODEL DATA; tree, importance and "
        "index take MODEL; voronoi, data and rules "
        "take DATA; loss takes none. "
        "Several kinds, e.g. roc,pr,confusion, make one page with --report.",
    .examples = examples,
    .common = "output report size width height cells levels top threads seed json quiet",
    .flags = flags,
    .own_size = sizeof(PlotFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN) | TABLE_BIT(TABLE_PLOT) |
              TABLE_BIT(TABLE_ACTIVE),
    .takes_method = true,
    .method_follows = method_kinds,
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
