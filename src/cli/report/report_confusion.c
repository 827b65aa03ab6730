/*
 * Which class is taken for which: a table whose cells are shaded by their share of the row, right answers in one colour and mistakes in the other. Names
 * stay in sight while it scrolls, and page.js says the cell below the pointer in words. With more than a hundred classes, the most frequent mistakes alone.
 */
#include "cli/report/metrics_text.h"
#include "cli/report/report_page.h"

#include <stdlib.h>

enum { MOST_IN_MATRIX = 100, MANY = 12, MISTAKES = 15 };

static double cell_of(const cleave_evaluation_details *details, size_t truth, size_t answer)
{
    return details->confusion[truth * (details->class_count + 1) + answer];
}

static double row_sum(const cleave_evaluation_details *details, size_t truth)
{
    double all = 0;

    for (size_t j = 0; j <= details->class_count; j++)
        all += cell_of(details, truth, j);
    return all;
}

static double column_sum(const cleave_evaluation_details *details, size_t answer)
{
    double all = 0;

    for (size_t i = 0; i <= details->class_count; i++)
        all += cell_of(details, i, answer);
    return all;
}

static const char *name_of(const cleave_evaluation_details *details, size_t number, const char *past_the_last)
{
    return number < details->class_count ? details->classes[number].label : past_the_last;
}

#define UNSEEN "(never seen)"
#define NO_ANSWER "(none)"

static void put_cell(Page *page, const cleave_evaluation_details *details, size_t truth, size_t answer, double all)
{
    double count = cell_of(details, truth, answer);
    char text[HUMAN_SIZE];

    if (count == 0) {
        cli_put(page->out, "<td></td>");
        return;
    }
    cli_print(page->out, "<td class=\"%s\" style=\"--a:%.2f\">%s</td>", truth == answer ? "r" : "w",
              0.08 + 0.57 * count / all, cli_short(count, text));
}

static void put_row(Page *page, const cleave_evaluation_details *details, const ClassPlace *order, size_t truth,
                    size_t columns)
{
    double all = row_sum(details, truth);
    char text[HUMAN_SIZE];

    cli_print(page->out, "<tr data-all=\"%s\"><th scope=\"row\" class=\"t\">", cli_short(all, text));
    cli_page_text(page, name_of(details, truth, UNSEEN));
    cli_put(page->out, "</th>");
    for (size_t j = 0; j < columns; j++)
        put_cell(page, details, truth, order[j].number, all);
    cli_put(page->out, "</tr>\n");
}

static void put_matrix(Page *page, const cleave_evaluation_details *details)
{
    size_t last = details->class_count;
    size_t rows = last + (row_sum(details, last) > 0), columns = last + (column_sum(details, last) > 0);
    ClassPlace *order = cli_order_classes(details);

    cli_put(
        page->out,
        "<p><span class=\"key\" style=\"background:rgba(var(--right),.6)\"></span> right &nbsp; <span class=\"key\" "
        "style=\"background:rgba(var(--wrong),.6)\"></span> wrong; the darker, the larger its share of the "
        "row.</p>\n");
    cli_print(page->out, "<div class=\"box matrix%s\" tabindex=\"0\"><table>\n", columns > MANY ? " many" : "");
    cli_put(page->out, "<caption>Rows: truth by line, answers by column</caption>\n"
                       "<thead><tr><th scope=\"col\" class=\"t\">truth</th>");
    for (size_t j = 0; j < columns; j++) {
        cli_put(page->out, "<th scope=\"col\"><span>");
        cli_page_text(page, name_of(details, order[j].number, NO_ANSWER));
        cli_put(page->out, "</span></th>");
    }
    cli_put(page->out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < rows; i++)
        put_row(page, details, order, order[i].number, columns);
    cli_put(
        page->out,
        "</tbody>\n</table></div>\n<p class=\"reading\" aria-live=\"polite\">Point at a cell, or touch it, to read it in words.</p>\n");
    free(order);
}

typedef struct {
    size_t truth, answer;
    double count;
} Mistake;

/* The most frequent first; the earlier of equals. */
static size_t find_mistakes(const cleave_evaluation_details *details, Mistake list[MISTAKES])
{
    size_t found = 0, last = details->class_count;

    for (size_t i = 0; i <= last; i++)
        for (size_t j = 0; j <= last; j++) {
            Mistake here = {i, j, cell_of(details, i, j)};
            size_t at = found;

            if (here.count == 0 || (i == j && i < last) ||
                (found == MISTAKES && here.count <= list[MISTAKES - 1].count))
                continue;
            at = found < MISTAKES ? found++ : MISTAKES - 1;
            for (; at > 0 && list[at - 1].count < here.count; at--)
                list[at] = list[at - 1];
            list[at] = here;
        }
    return found;
}

static void put_mistakes(Page *page, const cleave_evaluation_details *details)
{
    static const char *const heads[] = {"<truth", "<answered", "<rows", "of the class"};
    Mistake list[MISTAKES];
    size_t count = find_mistakes(details, list);
    char text[HUMAN_SIZE], share[HUMAN_SIZE];

    if (count == 0)
        return;
    cli_page_table(page, "The most frequent mistakes", heads, 4);
    for (size_t i = 0; i < count; i++) {
        cli_page_cell(page, name_of(details, list[i].truth, UNSEEN));
        cli_page_cell(page, name_of(details, list[i].answer, NO_ANSWER));
        cli_page_bar_cell(page, cli_short(list[i].count, text), list[i].count / list[0].count);
        snprintf(share, sizeof share, "%.1f %%", 100 * list[i].count / row_sum(details, list[i].truth));
        cli_page_cell(page, share);
    }
    cli_page_table_end(page);
}

void cli_report_confusion(Page *page, const Tested *tested)
{
    const cleave_evaluation_details *details = tested->details;

    cli_page_section(page, "Which class is taken for which");
    if (!details->confusion) {
        cli_page_note(page, "Left out: classes are more than 2,000. The table of classes says how each fares.");
        return;
    }
    if (details->class_count <= MOST_IN_MATRIX)
        put_matrix(page, details);
    else
        cli_page_note(
            page,
            "The whole matrix is left out, as classes are more than a hundred; cleave test --json --confusion has it.");
    if (details->class_count > 2)
        put_mistakes(page, details);
}
