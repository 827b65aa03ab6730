#include "dist/nearest_lines.h"

#include "base/number.h"
#include "data/builder.h"

#include <math.h>
#include <stdlib.h>

/* ---- search ---------------------------------------------------------------------------------- */

/* Escapes a prediction. It may contain any character; line ends, tabs and backslashes are written
 * as two characters. */
static Status add_escaped(Context *context, Buffer *line, const char *text, cleave_error *error)
{
    static const char plain[] = "\n\r\t\\", marks[] = "nrt\\";

    for (; *text; text++) {
        const char *found = strchr(plain, *text);
        char pair[2] = {'\\', found ? marks[found - plain] : 0};

        TRY(clv_buffer_add(context, line, found ? pair : text, found ? 2 : 1, error));
    }
    return OK;
}

static Status add_number(Context *context, Buffer *line, double number, char after,
                         cleave_error *error)
{
    char text[NUMBER_SIZE + 1];
    size_t length = clv_format_double(text, number);

    text[length++] = after;
    return clv_buffer_add(context, line, text, length, error);
}

static Status add_count(Context *context, Buffer *line, uint64_t number, char after,
                        cleave_error *error)
{
    char text[NUMBER_SIZE + 1];
    size_t length = clv_format_unsigned(text, number);

    text[length++] = after;
    return clv_buffer_add(context, line, text, length, error);
}

/* Writes the fields before the prediction. */
static Status begin_line(Context *context, Buffer *line, uint64_t question, uint32_t most,
                         const Found *found, cleave_error *error)
{
    line->size = 0;
    TRY(clv_buffer_add(context, line, UPDATE_NEAR "/", strlen(UPDATE_NEAR) + 1, error));
    TRY(add_count(context, line, question, '\t', error));
    TRY(add_count(context, line, most, ' ', error));
    TRY(add_number(context, line, found->key, ' ', error));
    TRY(add_count(context, line, found->place >> 32, ' ', error));
    TRY(add_count(context, line, found->place & UINT32_MAX, ' ', error));
    return add_number(context, line, found->weight, ' ', error);
}

static Status end_line(Context *context, Buffer *line, Output *output, cleave_error *error)
{
    TRY(clv_buffer_add(context, line, "\n", 1, error));
    return clv_output_write(output, line->data, line->size, error);
}

typedef struct {
    const Model *model;
    /* number of neighbors requested per query; the same limited to the rows of this part */
    uint32_t asked, most;
    Found *found;
    uint32_t *counts;
    Builder builder;
    Buffer line;
    Output *output;
    cleave_error *error;
} Finding;

enum { FOUND_AT_ONCE = 1 << 18 };

static Status write_found(Finding *finding, uint64_t question, const Found *found, uint32_t count)
{
    const Model *model = finding->model;
    Context *context = model->context;

    for (uint32_t i = 0; i < count; i++) {
        TRY(begin_line(context, &finding->line, question, finding->asked, &found[i],
                       finding->error));
        if (model->task == CLEAVE_TASK_REGRESSION) {
            TRY(add_number(context, &finding->line, found[i].number, '\n', finding->error));
            finding->line.size--;
        } else {
            TRY(add_escaped(context, &finding->line, model->labels.list[found[i].label].text,
                            finding->error));
        }
        TRY(end_line(context, &finding->line, finding->output, finding->error));
    }
    return OK;
}

/* Searches as many rows of a block as have results that fit in memory. Returns their number. */
static Status find_some(Finding *finding, const Block *block, uint32_t first, uint32_t rows)
{
    Block some;

    clv_builder_clear(&finding->builder);
    for (uint32_t i = 0; i < rows; i++)
        TRY(clv_builder_copy_row(&finding->builder, block, first + i, UNLABELED, finding->error));
    TRY(clv_builder_finish(&finding->builder, &some, finding->error));
    TRY(finding->model->method->distributed->find_neighbors(
        finding->model, &some, finding->most, finding->found, finding->counts, finding->error));
    for (uint32_t i = 0; i < rows; i++)
        TRY(write_found(finding, block_row_number(block, first + i),
                        finding->found + (size_t)i * finding->most, finding->counts[i]));
    return OK;
}

static Status find_all(Finding *finding, Source *source, uint64_t *rows)
{
    uint32_t at_once = FOUND_AT_ONCE / finding->most;

    at_once = at_once ? at_once : 1;
    finding->found = clv_alloc(finding->model->context, (size_t)at_once * finding->most,
                               sizeof *finding->found);
    finding->counts = clv_alloc(finding->model->context, at_once, sizeof *finding->counts);
    if (!finding->found || !finding->counts)
        return clv_fail_memory(finding->error, "neighbors",
                               (size_t)at_once * finding->most * sizeof *finding->found);
    for (;;) {
        const Block *block;

        TRY(source_next(source, &block, finding->error));
        if (!block)
            return OK;
        for (uint32_t row = 0; row < block->rows; row += at_once)
            TRY(find_some(finding, block, row,
                          block->rows - row < at_once ? block->rows - row : at_once));
        *rows += block->rows;
        if (clv_cancelled(finding->model->context))
            return clv_fail(finding->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
}

Status clv_near_map(const Model *model, Source *source, Output *output, uint64_t *rows,
                    cleave_error *error)
{
    Finding finding = {.model = model, .output = output, .error = error};
    Status status;
    uint32_t there = 0;

    finding.asked = model->method->distributed->neighbors_used(model, &there);
    finding.most = finding.asked < there ? finding.asked : there;
    if (finding.most == 0)
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no points");
    clv_builder_init(&finding.builder, model->context);
    finding.builder.passing_by = true;
    status = find_all(&finding, source, rows);
    clv_builder_free(&finding.builder);
    FREE(model->context, finding.found, finding.counts, finding.line.data);
    return status;
}

/* ---- lines back to rows ---------------------------------------------------------------------- */

void clv_near_free(Near *near)
{
    FREE(near->context, near->row, near->texts.data);
    *near = (Near){.context = near->context};
}

static Status refuse(const Lines *lines)
{
    char quoted[QUOTE_SIZE];

    clv_lines_fail(lines, "expected K KEY PART ROW WEIGHT PREDICTION after %s, found '%s'",
                   lines->key, clv_quote(quoted, lines->rest, lines->rest_length));
    return clv_hint(lines->error, CLEAVE_ERROR_DATA,
                    "use lines that `cleave map` writes for a nearest-neighbor model");
}

/* Parses a number. A key may exceed a double, for example with --distance lr and a large --r. */
static bool parse_number(const char *at, const char *end, double *number, const char **stop)
{
    static const char beyond[] = "inf";

    if ((size_t)(end - at) < strlen(beyond) || memcmp(at, beyond, strlen(beyond)) != 0)
        return clv_parse_double(at, end, number, stop);
    *number = (double)INFINITY;
    *stop = at + strlen(beyond);
    return true;
}

/* Parses a number that is followed by a space. */
static bool parse(const char **at, const char *end, double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *stop;

        if (!parse_number(*at, end, &numbers[i], &stop) || stop == end || *stop != ' ' ||
            !(numbers[i] >= 0))
            return false;
        *at = stop + 1;
    }
    return true;
}

static bool is_count(double number, double least)
{
    return number >= least && number <= UINT32_MAX && number == floor(number);
}

Status clv_near_add(Near *near, const Lines *lines)
{
    enum { K, KEY, PART, ROW, WEIGHT, NUMBERS };
    const char *at = lines->rest, *end = lines->rest + lines->rest_length;
    double number[NUMBERS];
    struct NearRow *row;
    uint32_t most;

    if (!parse(&at, end, number, NUMBERS) || !is_count(number[K], 1) ||
        !is_count(number[PART], 0) || !is_count(number[ROW], 0) || number[WEIGHT] <= 0 ||
        !isfinite(number[WEIGHT]))
        return refuse(lines);
    most = (uint32_t)number[K];
    if (near->most && near->most != most) {
        clv_lines_fail(lines, "this line has k = %u, and earlier lines have k = %u", most,
                       near->most);
        return clv_hint(lines->error, CLEAVE_ERROR_DATA, "train every part with the same options");
    }
    near->most = most;
    TRY(GROW(near->context, near->row, near->capacity, near->count + 1, lines->error));
    row = &near->row[near->count];
    *row = (struct NearRow){
        .question = lines->index,
        .found = {.key = number[KEY],
                  .place = (uint64_t)number[PART] << 32 | (uint64_t)number[ROW],
                  .weight = number[WEIGHT]},
        .text = near->texts.size,
        .length = (size_t)(end - at),
    };
    TRY(clv_buffer_add(near->context, &near->texts, at, row->length, lines->error));
    near->count++;
    return OK;
}

static int by_nearness(const void *a, const void *b)
{
    const struct NearRow *x = a, *y = b;

    if (x->question != y->question)
        return x->question < y->question ? -1 : 1;
    if (x->found.key != y->found.key)
        return x->found.key < y->found.key ? -1 : 1;
    return x->found.place < y->found.place ? -1 : x->found.place > y->found.place;
}

/* Sorts the rows. Fails for a duplicate row: two parts have the same number, or a part was queried
 * twice. */
static Status sort(Near *near, cleave_error *error)
{
    if (near->count == 0)
        return OK;
    qsort(near->row, near->count, sizeof *near->row, by_nearness);
    for (size_t i = 1; i < near->count; i++)
        if (by_nearness(&near->row[i - 1], &near->row[i]) == 0)
            return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                                 "use a different number for each part: cleave train ... --shard N",
                                 "near/%llu: row %llu of part %llu occurs twice",
                                 (unsigned long long)near->row[i].question,
                                 (unsigned long long)(near->row[i].found.place & UINT32_MAX),
                                 (unsigned long long)(near->row[i].found.place >> 32));
    return OK;
}

Status clv_near_write(Near *near, Output *output, cleave_error *error)
{
    Buffer line = {0};
    Status status = sort(near, error);

    for (size_t i = 0; i < near->count && i < near->most && status == OK; i++) {
        const struct NearRow *row = &near->row[i];

        status = begin_line(near->context, &line, row->question, near->most, &row->found, error);
        THEN(status, clv_buffer_add(near->context, &line, near->texts.data + row->text, row->length,
                                    error));
        THEN(status, end_line(near->context, &line, output, error));
    }
    clv_free(near->context, line.data);
    near->count = 0;
    near->texts.size = 0;
    return status;
}

/* ---- predictions ----------------------------------------------------------------------------- */

typedef struct {
    const Model *model;
    Near near;
    Labels labels;
    double *scores;
    Buffer text;
    cleave_predict_callback callback;
    void *user;
    cleave_error *error;
} Answering;

static Status unescape(Answering *answering, const struct NearRow *row)
{
    Buffer *text = &answering->text;
    const char *at = answering->near.texts.data + row->text;

    text->size = 0;
    for (size_t i = 0; i < row->length; i++) {
        char c = at[i];

        if (c == '\\' && i + 1 < row->length) {
            c = at[++i];
            c = c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
        }
        TRY(clv_buffer_add(answering->near.context, text, &c, 1, answering->error));
    }
    return OK;
}

static Status read_answer(Answering *answering, struct NearRow *row)
{
    const char *stop, *text;

    TRY(unescape(answering, row));
    text = answering->text.size ? answering->text.data : "";
    if (answering->model->task != CLEAVE_TASK_REGRESSION)
        return clv_labels_add(&answering->labels, text, answering->text.size, &row->found.label,
                              answering->error);
    if (row->length > 0 &&
        clv_parse_double(text, text + answering->text.size, &row->found.number, &stop) &&
        stop == text + answering->text.size && isfinite(row->found.number))
        return OK;
    return clv_fail(answering->error, CLEAVE_ERROR_DATA,
                    "near/%llu: expected a number, because the model is for regression",
                    (unsigned long long)row->question);
}

/* Passes on a prediction. Its classes are those of the lines, not of the model, so it has neither
 * label number nor scores. */
static Status tell(Answering *answering, uint64_t question, uint32_t classes)
{
    DecisionRule rule = {.labels = &answering->labels,
                         .outputs = classes ? classes : 1,
                         .classes = answering->labels.count,
                         .regression = classes == 0,
                         .abstains = answering->model->method->inference->abstains};
    char text[PREDICTION_TEXT_SIZE];
    cleave_prediction prediction;

    clv_prediction_decide(&rule, answering->scores, text, &prediction);
    prediction.row = question + 1;
    prediction.label_number = SIZE_MAX;
    prediction.score_count = 0;
    prediction.scores = NULL;
    return answering->callback(answering->user, &prediction, answering->error);
}

/* Predicts from the rows first … of one query. */
static Status answer_one(Answering *answering, size_t first, size_t count, uint32_t classes)
{
    const Model *model = answering->model;
    Near *near = &answering->near;
    uint32_t some = count < near->most ? (uint32_t)count : near->most;
    Found *found;
    Status status;

    TRY(ALLOC(near->context, found, some, "neighbors", answering->error));
    for (uint32_t i = 0; i < some; i++)
        found[i] = near->row[first + i].found;
    status = model->method->distributed->score_neighbors(model, found, some, classes,
                                                         answering->scores, answering->error);
    clv_free(near->context, found);
    return status == OK ? tell(answering, near->row[first].question, classes) : status;
}

static Status answer_all(Answering *answering)
{
    const Near *near = &answering->near;
    uint32_t classes = 0;
    uint64_t expected = 0;

    for (size_t i = 0; i < near->count; i++)
        TRY(read_answer(answering, &near->row[i]));
    if (answering->model->task !=
        /* three or more classes: each has a score, its fraction of the votes */
        CLEAVE_TASK_REGRESSION)
        classes = answering->labels.count > 3 ? answering->labels.count : 3;
    TRY(ALLOC(near->context, answering->scores, (size_t)classes + 1, "scores", answering->error));
    for (size_t first = 0, end; first < near->count; first = end, expected++) {
        for (end = first + 1;
             end < near->count && near->row[end].question == near->row[first].question;)
            end++;
        if (near->row[first].question != expected)
            return clv_fail_hint(answering->error, CLEAVE_ERROR_DATA,
                                 "pass the output of every map task", "query %llu has no result",
                                 (unsigned long long)expected);
        TRY(answer_one(answering, first, end - first, classes));
    }
    return OK;
}

static Status read_lines(Answering *answering, Lines *lines)
{
    for (;;) {
        bool more;

        TRY(clv_lines_next(lines, &more));
        if (!more)
            return sort(&answering->near, answering->error);
        if (strcmp(lines->part, UPDATE_NEAR) != 0) {
            clv_lines_fail(lines, "expected a key such as near/12, found '%s'", lines->key);
            return clv_hint(lines->error, CLEAVE_ERROR_DATA,
                            "apply sums to the model that they were computed with");
        }
        TRY(clv_near_add(&answering->near, lines));
    }
}

Status clv_near_answers(const Model *model, const char *const *paths, size_t count,
                        cleave_predict_callback callback, void *user, cleave_error *error)
{
    Answering answering = {.model = model, .callback = callback, .user = user, .error = error};
    Lines lines;
    Status status;

    answering.near.context = model->context;
    clv_labels_init(&answering.labels, model->context);
    clv_lines_open(&lines, model->context, paths, count, error);
    status = read_lines(&answering, &lines);
    clv_lines_close(&lines);
    THEN(status, answer_all(&answering));
    clv_near_free(&answering.near);
    clv_labels_free(&answering.labels);
    FREE(model->context, answering.scores, answering.text.data);
    return status;
}
