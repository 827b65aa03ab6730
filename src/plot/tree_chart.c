#include "plot/tree_chart.h"

#include "base/number.h"
#include "plot/palette.h"

#include <math.h>
#include <stdio.h>

enum { FONT = 12, SMALL_FONT = 11, LINE = 16, PAD = 8, BAR = 7, BAR_GAP = 5 };
enum {
    LEAST_BOX = 56,
    WIDEST_LINE = 180,
    WIDEST_ALONG = 230
}; /* width limits of text for trees that grow downwards and to the right */
enum { GAP = 14, ALONG_GAP = 9, LEVEL_GAP = 46, ALONG_LEVEL_GAP = 88, WIDEST_DOWNWARDS = 1500 };
enum { THICKEST = 12, ANSWER_GAP = 5 };
enum {
    LEGEND_LINE = 22,
    LEGEND_SWATCH = 12,
    LEGEND_FONT = 12,
    LEGEND_GAP = 18,
    LEGEND_CLASSES = 24
};
enum { INK = 0x222222, MUTED = 0x5A6470, PAPER = 0xF4F6F8, EDGE = 0xB6BFC9, ROUND = 5 };

/* ---- text ------------------------------------------------------------------------------------ */

static double letter_width(unsigned char letter)
{
    if (letter >= 0x80)
        return (letter & 0xC0) == 0x80 ? 0 : letter < 0xE3 ? 0.65 : 1;
    if (strchr(" iljI.,:;'|!()[]tfr-", letter))
        return 0.39;
    if (strchr("mwMW@%", letter))
        return 0.95;
    return letter >= 'A' && letter <= 'Z' ? 0.7 : 0.62;
}

double clv_guess_width(const char *text, size_t length, double size)
{
    double width = 0;

    for (size_t i = 0; i < length && text[i]; i++)
        width += size * letter_width((unsigned char)text[i]);
    return width;
}

/* Returns the end of the word that starts here; a comparison sign belongs to the following
 * number. */
static size_t word_end(const char *text, size_t from)
{
    size_t end = from + strcspn(text + from, " ");

    if (end > from && strspn(text + from, "<>=") == end - from && text[end])
        end += 1 + strcspn(text + end + 1, " ");
    return end;
}

/* Breaks lines at spaces if possible; the rest stays on the last line. */
static void break_lines(TreeBox *box, const char *text, double widest)
{
    size_t all = strlen(text), from = 0;

    for (box->lines = 0; from < all || box->lines == 0; box->lines++) {
        size_t end = all, tried = from;

        if (box->lines + 1 < MOST_LINES &&
            clv_guess_width(text + from, all - from, FONT) > widest) {
            while (tried < all) {
                size_t word = word_end(text, tried);

                if (tried > from && clv_guess_width(text + from, word - from, FONT) > widest)
                    break;
                end = word;
                tried = word + strspn(text + word, " ");
            }
        }
        box->line[box->lines] = text + from;
        box->length[box->lines] = end - from;
        from = end + strspn(text + end, " ");
    }
}

#define BOLDER 1.1 /* a bold text is wider by this factor */
#define FACTS_SIZE 96
/* The number of rows of a node; NaN if a node has a fractional weight. The weights are then sample
 * weights, or second derivatives of an older model, and their fraction of the root's weight is
 * shown. */
static double rows_of(const cleave_plot_tree *tree, const cleave_plot_node *node)
{
    if (isfinite(node->rows))
        return node->rows;
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].weight != floor(tree->nodes[i].weight))
            return (double)NAN;
    return node->weight;
}

/* Writes the number of rows and, for a leaf, the number of rows of its class. */
static const char *facts_of(const cleave_plot_tree *tree, const cleave_plot_node *node,
                            char buffer[FACTS_SIZE])
{
    double rows = rows_of(tree, node), share = node->class_weight && node->label != SIZE_MAX
                                                   ? node->class_weight[node->label] / node->weight
                                                   : (double)NAN;
    char weight[NUMBER_SIZE], percent[NUMBER_SIZE];

    buffer[0] = '\0';
    if (!isfinite(node->weight))
        return buffer;
    if (!isnan(rows))
        clv_format_count(weight, (uint64_t)rows);
    else
        clv_format_rounded(weight, 100 * node->weight / tree->nodes[0].weight, 3);
    clv_format_rounded(percent, share >= 1 ? 100 : fmin(100 * share, 99.9), 3);
    snprintf(buffer, FACTS_SIZE, "%s%s%s%s%s", weight,
             isnan(rows) ? "% of the weight"
             : rows == 1 ? " row"
                         : " rows",
             isfinite(share) ? ", " : "", isfinite(share) ? percent : "",
             isfinite(share) ? "%" : "");
    return buffer;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static bool has_bar(const cleave_plot_node *node)
{
    return node->class_weight || isfinite(node->value);
}

static void size_box(TreeBox *box, const cleave_plot_tree *tree, const cleave_plot_node *node,
                     double widest)
{
    char buffer[FACTS_SIZE];
    const char *facts = facts_of(tree, node, buffer);
    double text = clv_guess_width(facts, FACTS_SIZE, SMALL_FONT),
           bolder = node->yes == SIZE_MAX && !node->left_out ? BOLDER : 1; /* it is a leaf */

    break_lines(box, node->text, widest);
    for (size_t i = 0; i < box->lines; i++)
        text = fmax(text,
                    fmin(bolder * clv_guess_width(box->line[i], box->length[i], FONT), widest));
    box->box.width = fmax(LEAST_BOX, ceil(text)) + 2 * PAD;
    box->box.height = 2 * PAD + LINE * ((double)box->lines + (*facts != '\0')) - 3 +
                      (has_bar(node) ? BAR + BAR_GAP : 0);
}

/* Arranges the levels vertically or horizontally. A level is as thick as its thickest box. */
static Status stand_levels(TreeLayout *layout, size_t count, cleave_error *error)
{
    double gap = layout->sideways ? ALONG_LEVEL_GAP : LEVEL_GAP, at = 0, *thick;
    size_t levels = 0;

    for (size_t i = 0; i < count; i++)
        levels = layout->node[i].level >= levels ? layout->node[i].level + 1 : levels;
    TRY(ALLOC_ZERO(layout->context, thick, 2 * levels, "a picture", error));
    for (size_t i = 0; i < count; i++) {
        double *most = &thick[layout->node[i].level];

        *most = fmax(*most,
                     layout->sideways ? layout->boxes[i].box.width : layout->boxes[i].box.height);
    }
    for (size_t i = 0; i < levels; i++) {
        thick[levels + i] = at;
        at += thick[i] + gap;
    }
    for (size_t i = 0; i < count; i++) {
        Area *box = &layout->boxes[i].box;
        double along = thick[levels + layout->node[i].level], middle = layout->node[i].at;

        box->left = layout->sideways ? along : middle - box->width / 2;
        box->top = layout->sideways ? middle - box->height / 2 : along;
        layout->width = fmax(layout->width, layout->sideways ? along + box->width
                                                             : middle + layout->node[i].reach[1]);
        layout->height = fmax(layout->height, box->top + box->height);
    }
    clv_free(layout->context, thick);
    return OK;
}

static const char *answer_of(const cleave_plot_node *parent, bool yes)
{
    bool missing = parent->missing == (yes ? 1 : 0);

    return yes ? missing ? "yes, missing" : "yes" : missing ? "no, missing" : "no";
}

/* Makes space for the branch labels above children, on the outer side. */
static void make_room(TreeLayout *layout, const cleave_plot_node *parent)
{
    for (int no = 0; no < 2 && parent->yes != SIZE_MAX; no++) {
        double *reach = &layout->node[no ? parent->no : parent->yes].reach[no];

        *reach = fmax(*reach, ANSWER_GAP + THICKEST / 2.0 +
                                  clv_guess_width(answer_of(parent, !no), SIZE_MAX, SMALL_FONT));
    }
}

static Status lay_out(TreeLayout *layout, const cleave_plot_tree *tree, bool sideways,
                      cleave_error *error)
{
    double half;

    layout->sideways = sideways;
    layout->width = layout->height = 0;
    for (size_t i = 0; i < tree->node_count; i++) {
        const cleave_plot_node *node = &tree->nodes[i];

        size_box(&layout->boxes[i], tree, node, sideways ? WIDEST_ALONG : WIDEST_LINE);
        half = (sideways ? layout->boxes[i].box.height : layout->boxes[i].box.width) / 2;
        layout->node[i] = (TidyNode){.child = {node->yes, node->no}, .reach = {half, half}};
    }
    for (size_t i = 0; i < tree->node_count && !sideways; i++)
        make_room(layout, &tree->nodes[i]);
    clv_tidy(layout->node, tree->node_count, sideways ? ALONG_GAP : GAP);
    return stand_levels(layout, tree->node_count, error);
}

Status clv_tree_layout(TreeLayout *layout, Context *context, const cleave_plot_tree *tree,
                       cleave_error *error)
{
    *layout = (TreeLayout){.context = context,
                           .node = clv_alloc(context, tree->node_count, sizeof *layout->node),
                           .boxes = clv_alloc(context, tree->node_count, sizeof *layout->boxes)};
    if (!layout->node || !layout->boxes)
        return clv_fail_memory(error, "a picture",
                               tree->node_count * (sizeof *layout->node + sizeof *layout->boxes));
    TRY(lay_out(layout, tree, false, error));
    return layout->width > WIDEST_DOWNWARDS ? lay_out(layout, tree, true, error) : OK;
}

void clv_tree_layout_free(TreeLayout *layout)
{
    FREE(layout->context, layout->node, layout->boxes);
}

/* ---- color legend ---------------------------------------------------------------------------- */

static bool shows_classes(const cleave_plot_tree *tree)
{
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].class_weight || tree->nodes[i].label != SIZE_MAX)
            return tree->class_count > 0;
    return false;
}

/* Arranges swatches and names in lines, and draws them if a canvas is given. Returns the height. */
static double put_legend(Canvas *canvas, const cleave_plot_tree *tree, Area area)
{
    size_t shown = tree->class_count < LEGEND_CLASSES ? tree->class_count : LEGEND_CLASSES;
    double x = area.left, y = area.top;

    if (!shows_classes(tree))
        return 0;
    for (size_t i = 0; i <= shown; i++) {
        char more[48];
        const char *name = i < shown ? tree->classes[i] : more;
        double width;

        if (i == shown && shown == tree->class_count)
            break;
        snprintf(more, sizeof more, "\xE2\x80\xA6 and %zu more", tree->class_count - shown);
        width = LEGEND_SWATCH + 6 + clv_guess_width(name, strlen(name), LEGEND_FONT);
        if (x > area.left && x + width > area.left + area.width) {
            x = area.left;
            y += LEGEND_LINE;
        }
        if (canvas && i < shown)
            clv_canvas_fill(canvas, (Area){x, y + 3, LEGEND_SWATCH, LEGEND_SWATCH},
                            clv_look_color(i));
        if (canvas)
            clv_canvas_text(canvas, name, (Pixel){x + LEGEND_SWATCH + 6, y + 13},
                            (TextLook){.size = LEGEND_FONT, .color = INK});
        x += width + LEGEND_GAP;
    }
    return y + LEGEND_LINE + 6 - area.top;
}

Status clv_tree_size(Context *context, const cleave_plot_tree *tree, double *width, double *height,
                     cleave_error *error)
{
    TreeLayout layout;
    Status status = clv_tree_layout(&layout, context, tree, error);

    *width = fmax(*width, layout.width);
    *height = layout.height + put_legend(NULL, tree, (Area){0, 0, *width, 0});
    clv_tree_layout_free(&layout);
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------- */

typedef struct {
    Canvas *canvas;
    const cleave_plot_tree *tree;
    const TreeLayout *layout;
    double left, top, scale;
    double low, high; /* range of the leaf values */
} Sheet;

static Area place(const Sheet *sheet, size_t number)
{
    Area box = sheet->layout->boxes[number].box;

    return (Area){sheet->left + sheet->scale * box.left, sheet->top + sheet->scale * box.top,
                  sheet->scale * box.width, sheet->scale * box.height};
}

/* Corners of a rounded box, clockwise from the upper right, and the first one again. */
enum { ARC = 5, CORNERS = 4 * ARC + 1 };
static void round_box(Area box, double radius, Pixel corners[CORNERS])
{
    for (int corner = 0; corner < 4; corner++)
        for (int i = 0; i < ARC; i++) {
            double angle = 1.5707963267948966 * (corner - 1 + (double)i / (ARC - 1));
            double x = corner < 2 ? box.left + box.width - radius : box.left + radius;
            double y = corner == 0 || corner == 3 ? box.top + radius
                                                  : box.top + box.height - radius;

            corners[corner * ARC + i] = (Pixel){x + radius * cos(angle), y + radius * sin(angle)};
        }
    corners[CORNERS - 1] = corners[0];
}

static Color number_color(const Sheet *sheet, double value)
{
    return clv_number_color(
        sheet->high > sheet->low ? (value - sheet->low) / (sheet->high - sheet->low) : 0.5);
}

static void draw_frame(const Sheet *sheet, const cleave_plot_node *node, Area box)
{
    bool leaf = node->yes == SIZE_MAX && !node->left_out;
    Color color = EDGE;
    Pixel corners[CORNERS];

    if (leaf && node->label != SIZE_MAX)
        color = clv_look_color(node->label);
    else if (leaf && isfinite(node->value))
        color = number_color(sheet, node->value);
    round_box(box, ROUND * sheet->scale, corners);
    clv_canvas_polygon(sheet->canvas, corners, CORNERS,
                       leaf             ? clv_blend(color, WHITE, 0.88)
                       : node->left_out ? WHITE
                                        : PAPER);
    clv_canvas_line(sheet->canvas, corners, CORNERS, color, (leaf ? 1.5 : 1) * sheet->scale,
                    node->left_out ? DASHED : SOLID);
}

/* Draws the fraction of rows per class; for a number, its color. */
static void draw_bar(const Sheet *sheet, const cleave_plot_node *node, Area bar)
{
    double sum = 0, x = bar.left;

    if (!node->class_weight) {
        clv_canvas_fill(sheet->canvas, bar, number_color(sheet, node->value));
        return;
    }
    for (size_t i = 0; i < sheet->tree->class_count; i++)
        sum += fmax(node->class_weight[i], 0);
    for (size_t i = 0; sum > 0 && i < sheet->tree->class_count; i++) {
        double width = bar.width * fmax(node->class_weight[i], 0) / sum;

        if (width > 0)
            clv_canvas_fill(sheet->canvas, (Area){x, bar.top, width, bar.height},
                            clv_look_color(i));
        x += width;
    }
}

/* Draws a line of a condition, truncated to fit. */
static void draw_line(const Sheet *sheet, const char *text, size_t length, Pixel at, double width,
                      TextLook look)
{
    char line[FITTED_SIZE], buffer[FITTED_SIZE];

    snprintf(line, sizeof line, "%.*s", (int)(length < FITTED_SIZE - 1 ? length : FITTED_SIZE - 1),
             text);
    clv_canvas_text(
        sheet->canvas,
        clv_fit_text(sheet->canvas, line, look.bold ? width / BOLDER : width, look.size, buffer),
        at, look);
}

static void draw_node(const Sheet *sheet, size_t number)
{
    const cleave_plot_node *node = &sheet->tree->nodes[number];
    const TreeBox *lines = &sheet->layout->boxes[number];
    bool leaf = node->yes == SIZE_MAX && !node->left_out;
    Area box = place(sheet, number);
    double scale = sheet->scale, width = box.width - PAD * scale,
           y = box.top + (PAD + FONT - 1) * scale;
    TextLook look = {
        .size = FONT * scale, .align = 0.5, .bold = leaf, .color = node->left_out ? MUTED : INK};
    char buffer[FACTS_SIZE];
    const char *facts = facts_of(sheet->tree, node, buffer);

    draw_frame(sheet, node, box);
    for (size_t i = 0; i < lines->lines; i++) {
        draw_line(sheet, lines->line[i], lines->length[i], (Pixel){box.left + box.width / 2, y},
                  width, look);
        y += LINE * scale;
    }
    if (*facts)
        draw_line(sheet, facts, FACTS_SIZE, (Pixel){box.left + box.width / 2, y}, width,
                  (TextLook){.size = SMALL_FONT * scale, .align = 0.5, .color = MUTED});
    if (has_bar(node))
        draw_bar(sheet, node,
                 (Area){box.left + PAD * scale, box.top + box.height - (PAD - 1 + BAR) * scale,
                        box.width - 2 * PAD * scale, BAR * scale});
}

/* Number of points of a cubic Bézier curve with straight ends. */
enum { CURVE = 25 };
static void draw_curve(const Sheet *sheet, Pixel from, Pixel to, double thick)
{
    Pixel first = from, second = to, spots[CURVE];

    if (sheet->layout->sideways)
        first.x = second.x = (from.x + to.x) / 2;
    else
        first.y = second.y = (from.y + to.y) / 2;
    for (int i = 0; i < CURVE; i++) {
        double t = (double)i / (CURVE - 1), u = 1 - t;
        double w[] = {u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};

        spots[i] = (Pixel){w[0] * from.x + w[1] * first.x + w[2] * second.x + w[3] * to.x,
                           w[0] * from.y + w[1] * first.y + w[2] * second.y + w[3] * to.y};
    }
    clv_canvas_line(sheet->canvas, spots, CURVE, 0xC3CBD4, thick, SOLID);
}

/* The width of an edge: proportional to the fraction of rows, constant without counts. */
static double thickness(const Sheet *sheet, const cleave_plot_node *child)
{
    double share = child->weight / sheet->tree->nodes[0].weight;

    return sheet->scale * (isfinite(share) ? 1 + (THICKEST - 1) * fmin(fmax(share, 0), 1) : 1.5);
}

static Pixel leaves_at(const Sheet *sheet, Area box)
{
    return sheet->layout->sideways ? (Pixel){box.left + box.width, box.top + box.height / 2}
                                   : (Pixel){box.left + box.width / 2, box.top + box.height};
}

static Pixel arrives_at(const Sheet *sheet, Area box)
{
    return sheet->layout->sideways ? (Pixel){box.left, box.top + box.height / 2}
                                   : (Pixel){box.left + box.width / 2, box.top};
}

/* Draws the branch label on the outer side of the line, at its end. */
static void draw_answer(const Sheet *sheet, const cleave_plot_node *parent, bool yes, Pixel at,
                        double thick)
{
    TextLook look = {.size = SMALL_FONT * sheet->scale,
                     .align = sheet->layout->sideways || yes ? 1 : 0,
                     .color = MUTED};
    double away = thick / 2 + ANSWER_GAP * sheet->scale;

    if (sheet->layout->sideways)
        at = (Pixel){at.x - 5 * sheet->scale,
                     at.y + (yes ? -away + sheet->scale : away + 8 * sheet->scale)};
    else
        at = (Pixel){at.x + (yes ? -away : away), at.y - 6 * sheet->scale};
    clv_canvas_text(sheet->canvas, answer_of(parent, yes), at, look);
}

static void draw_lines(const Sheet *sheet, size_t number)
{
    const cleave_plot_node *node = &sheet->tree->nodes[number];
    size_t children[] = {node->yes, node->no};

    for (int i = 0; i < 2 && node->yes != SIZE_MAX; i++) {
        Pixel to = arrives_at(sheet, place(sheet, children[i]));
        double thick = thickness(sheet, &sheet->tree->nodes[children[i]]);

        draw_curve(sheet, leaves_at(sheet, place(sheet, number)), to, thick);
        draw_answer(sheet, node, i == 0, to, thick);
    }
}

static void find_numbers(Sheet *sheet)
{
    sheet->low = INFINITY;
    sheet->high = -INFINITY;
    for (size_t i = 0; i < sheet->tree->node_count; i++)
        if (isfinite(sheet->tree->nodes[i].value)) {
            sheet->low = fmin(sheet->low, sheet->tree->nodes[i].value);
            sheet->high = fmax(sheet->high, sheet->tree->nodes[i].value);
        }
}

Status clv_tree_draw(Context *context, Canvas *canvas, Area area, const cleave_plot_tree *tree,
                     cleave_error *error)
{
    Sheet sheet = {.canvas = canvas, .tree = tree};
    TreeLayout layout;
    double legend;
    Status status;

    if (tree->node_count == 0)
        return OK;
    status = clv_tree_layout(&layout, context, tree, error);
    if (status == OK) {
        legend = put_legend(canvas, tree, area);
        sheet.layout = &layout;
        sheet.scale = fmin(
            2, fmin(area.width / layout.width, fmax(area.height - legend, 1) / layout.height));
        sheet.left = area.left + (area.width - sheet.scale * layout.width) / 2;
        sheet.top = area.top + legend;
        find_numbers(&sheet);
        for (size_t i = 0; i < tree->node_count; i++)
            draw_lines(&sheet, i);
        for (size_t i = 0; i < tree->node_count; i++)
            draw_node(&sheet, i);
    }
    clv_tree_layout_free(&layout);
    return status;
}
