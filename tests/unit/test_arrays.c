/*
 * Data, predictions, models and searches from the caller's memory: a model from arrays is
 * bit-identical to the model from the file with the same rows, in every layout of the arrays.
 * Threads that share a model predict like one thread.
 */
#include "property/table.h"

#include "base/random.h"
#include "support/support.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, COLUMNS = 6 };

typedef struct {
    cleave_context *context;
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    float values[ROWS][COLUMNS];
    double doubles[COLUMNS][ROWS]; /* Fortran order */
    const char *labels[ROWS];
    double targets[ROWS];
} World;

static const char *const names[COLUMNS] = {"age", "height", "weight", "a b", "x", "last"};

static void fill(World *world, bool missing)
{
    Random random = clv_random(11, 1);

    for (size_t i = 0; i < ROWS; i++) {
        double score = 0;

        for (size_t j = 0; j < COLUMNS; j++) {
            world->values[i][j] = (float)clv_random_normal(&random);
            if (clv_random_unit(&random) < 0.2)
                world->values[i][j] = 0;
            score += (j < 3 ? 1 : -1) * (double)world->values[i][j];
            if (missing && j % 2 && clv_random_unit(&random) < 0.1)
                world->values[i][j] = NAN;
            world->doubles[j][i] = (double)world->values[i][j];
        }
        world->labels[i] = score > 0.5 ? "high" : score < -0.5 ? "low" : "mid";
        world->targets[i] = floor(8 * score) / 8;
    }
}

static World *new_world(bool missing)
{
    World *world = calloc(1, sizeof *world);

    world->context = cleave_context_new(NULL);
    test_folder_new(world->folder);
    fill(world, missing);
    return world;
}

static void free_world(World *world)
{
    test_folder_remove(world->folder);
    cleave_context_free(world->context);
    free(world);
}

static const char *number(float value, char text[32])
{
    return isnan(value) ? "" : cleave_number_text((double)value, text);
}

static void write_csv(World *world, bool regression)
{
    FILE *file = fopen(test_join(world->path, world->folder, "rows.csv"), "w");
    char text[32];

    for (size_t j = 0; j < COLUMNS; j++)
        fprintf(file, "%s,", names[j]);
    fprintf(file, "y\n");
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++)
            fprintf(file, "%s,", number(world->values[i][j], text));
        fprintf(file, "%s\n",
                regression ? cleave_number_text(world->targets[i], text) : world->labels[i]);
    }
    fclose(file);
}

static void write_libsvm(World *world)
{
    FILE *file = fopen(test_join(world->path, world->folder, "rows.libsvm"), "w");
    char text[32];

    for (size_t i = 0; i < ROWS; i++) {
        fprintf(file, "%s", cleave_number_text(world->targets[i] > 0 ? 1 : -1, text));
        for (size_t j = 0; j < COLUMNS; j++)
            if (world->values[i][j] != 0)
                fprintf(file, " %zu:%s", j + 1, number(world->values[i][j], text));
        fprintf(file, "\n");
    }
    fclose(file);
}

/* Trains, frees the data, and returns the bytes of the model. */
static char *train(World *world, const char *method, cleave_data *data, size_t *size)
{
    cleave_model *model;
    cleave_error error = {0};
    void *bytes;
    char *copy;

    FINE(cleave_train(world->context, method, data, NULL, NULL, &model, NULL, &error));
    FINE(cleave_model_to_bytes(model, &bytes, size, &error));
    copy = malloc(*size);
    memcpy(copy, bytes, *size);
    cleave_bytes_free(world->context, bytes);
    cleave_model_free(model);
    cleave_data_free(data);
    return copy;
}

static void expect_same(World *world, const char *method, cleave_data *one, cleave_data *other)
{
    size_t one_size, other_size;
    char *first = train(world, method, one, &one_size),
         *second = train(world, method, other, &other_size);

    if (one_size != other_size || memcmp(first, second, one_size) != 0)
        print_message("%s: %zu and %zu bytes\n", method, one_size, other_size);
    assert_int_equal(one_size, other_size);
    assert_memory_equal(first, second, one_size);
    free(first);
    free(second);
}

static cleave_data *open_file(World *world, const char *label)
{
    cleave_options *options = cleave_options_new(world->context);
    cleave_error error = {0};
    cleave_data *data;

    if (label)
        FINE(cleave_options_set(options, "label", label, &error));
    FINE(cleave_open(world->context, world->path, options, &data, &error));
    cleave_options_free(options); /* the data has a copy */
    return data;
}

enum { C_ORDER, FORTRAN, BORROWED, BORROWED_FORTRAN, LAYOUTS };

static cleave_data *from_dense(World *world, int layout, bool regression, bool with_names)
{
    bool fortran = layout == FORTRAN || layout == BORROWED_FORTRAN;
    cleave_matrix matrix = {
        .size = sizeof matrix, .rows = ROWS, .columns = COLUMNS, .values = world->values};
    cleave_rows rows = {.size = sizeof rows, .borrow = layout >= BORROWED, .label_name = "y"};
    cleave_error error = {0};
    cleave_data *data;

    if (fortran) {
        matrix.type = CLEAVE_FLOAT64;
        matrix.values = world->doubles;
        matrix.row_stride = sizeof(double);
        matrix.column_stride = ROWS * sizeof(double);
    }
    if (with_names)
        rows.column_names = names;
    if (regression)
        rows.targets = world->targets;
    else
        rows.labels = world->labels;
    FINE(cleave_data_from_matrix(world->context, &matrix, &rows, &data, &error));
    return data;
}

static void test_dense(void **state)
{
    static const char *const methods[] = {"svm", "logistic",   "tree", "forest",
                                          "knn", "perceptron", "boost"};

    (void)state;
    for (int missing = 0; missing < 2; missing++) {
        World *world = new_world(missing);

        write_csv(world, false);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
            for (int layout = 0; layout < LAYOUTS; layout++)
                expect_same(world, methods[i], open_file(world, "y"),
                            from_dense(world, layout, false, true));
        write_csv(world, true);
        expect_same(world, "least-squares", open_file(world, "y"),
                    from_dense(world, C_ORDER, true, true));
        expect_same(world, "boost-regression", open_file(world, "y"),
                    from_dense(world, BORROWED, true, true));
        for (int layout = 1; layout < LAYOUTS; layout++) /* as a NumPy file */
            expect_same(world, "forest", from_dense(world, C_ORDER, false, false),
                        from_dense(world, layout, false, false));
        free_world(world);
    }
}

/* The rows as CSR: sorted, or backwards with an entry in two halves. */
typedef struct {
    int64_t starts[ROWS + 1], index[2 * ROWS * COLUMNS];
    int32_t short_starts[ROWS + 1], short_index[2 * ROWS * COLUMNS];
    float value[2 * ROWS * COLUMNS];
    double number[2 * ROWS * COLUMNS];
} Csr;

static void add_entry(Csr *csr, size_t *at, size_t column, float value)
{
    csr->index[*at] = csr->short_index[*at] = (int32_t)column;
    csr->number[*at] = (double)value;
    csr->value[(*at)++] = value;
}

static Csr *make_csr(const World *world, bool backwards)
{
    Csr *csr = calloc(1, sizeof *csr);
    size_t at = 0;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            size_t j = backwards ? COLUMNS - 1 - k : k;

            if (world->values[i][j] == 0)
                continue;
            add_entry(csr, &at, j, backwards ? world->values[i][j] / 2 : world->values[i][j]);
            if (backwards)
                add_entry(csr, &at, j, world->values[i][j] / 2);
        }
        csr->starts[i + 1] = csr->short_starts[i + 1] = (int32_t)at;
    }
    return csr;
}

static cleave_matrix csr_matrix(const Csr *csr, bool wide)
{
    return (cleave_matrix){.size = sizeof(cleave_matrix),
                           .rows = ROWS,
                           .columns = COLUMNS,
                           .type = wide ? CLEAVE_FLOAT64 : CLEAVE_FLOAT32,
                           .values = wide ? (const void *)csr->number : csr->value,
                           .index_type = wide ? CLEAVE_INT64 : CLEAVE_INT32,
                           .row_starts = wide ? (const void *)csr->starts : csr->short_starts,
                           .indexes = wide ? (const void *)csr->index : csr->short_index};
}

static void test_csr(void **state)
{
    static const char *const methods[] = {"svm", "logistic", "knn", "perceptron"};
    World *world = new_world(false);
    int64_t classes[ROWS];

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        classes[i] = world->targets[i] > 0 ? 1 : -1;
    write_libsvm(world);
    for (int form = 0; form < 8; form++) {
        Csr *csr = make_csr(world, form & 1);

        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            cleave_matrix matrix = csr_matrix(csr, form & 2);
            cleave_rows rows = {.size = sizeof rows, .classes = classes, .borrow = form & 4};
            cleave_error error = {0};
            cleave_data *data;

            FINE(cleave_data_from_matrix(world->context, &matrix, &rows, &data, &error));
            expect_same(world, methods[i], open_file(world, NULL), data);
        }
        free(csr);
    }
    free_world(world);
}

static const char *const words[] = {"cheap", "pills", "meeting", "at",  "noon",
                                    "buy",   "now",   "report",  "the", "agenda"};

static void make_text(Random *random, bool spam, char text[256])
{
    size_t length = 0;

    for (int i = 0; i < 8; i++)
        length += (size_t)snprintf(text + length, 256 - length, "%s%s", i ? " " : "",
                                   words[(size_t)(clv_random_unit(random) * 6) + (spam ? 0 : 4)]);
}

static void test_texts(void **state)
{
    World *world = new_world(false);
    char(*texts)[256] = calloc(ROWS, sizeof *texts);
    const char *list[ROWS], *labels[ROWS];
    Random random = clv_random(3, 1);
    cleave_error error = {0};
    cleave_rows rows = {.size = sizeof rows, .labels = labels};
    cleave_data *data;
    cleave_model *model, *updated;
    cleave_predictor *predictor;
    int64_t predicted[ROWS];
    cleave_predictions to = {.size = sizeof to, .labels = predicted};
    size_t wrong = 0;
    FILE *file = fopen(test_join(world->path, world->folder, "mail.txt"), "w");

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        make_text(&random, i % 2, texts[i]);
        list[i] = texts[i];
        labels[i] = i % 2 ? "spam" : "ham";
        fprintf(file, "%s\t%s\n", labels[i], texts[i]);
    }
    fclose(file);
    FINE(cleave_data_from_texts(world->context, list, NULL, ROWS, &rows, NULL, &data, &error));
    expect_same(world, "svm", open_file(world, NULL), data);

    FINE(cleave_data_from_texts(world->context, list, NULL, ROWS, &rows, NULL, &data, &error));
    FINE(cleave_train(world->context, "perceptron", data, NULL, NULL, &model, NULL, &error));
    cleave_data_free(data);
    FINE(cleave_predictor_new(model, &predictor, &error));
    FINE(cleave_predict_texts(predictor, list, NULL, ROWS, &to, &error));
    for (size_t i = 0; i < ROWS; i++)
        wrong += strcmp(cleave_model_label(model, (size_t)predicted[i]), labels[i]) != 0;
    assert_in_range(wrong, 0, ROWS / 20);
    cleave_predictor_free(predictor);
    rows.model = model;
    rows.keep_new = true;
    list[0] = "novel vocabulary";
    FINE(cleave_data_from_texts(world->context, list, NULL, 10, &rows, NULL, &data, &error));
    {
        cleave_update_result result = {.size = sizeof result};

        FINE(cleave_update(model, data, NULL, NULL, &updated, &result, &error));
        assert_int_equal(result.rows, 10);
        assert_int_equal(result.new_features, 2);
    }
    cleave_data_free(data);
    cleave_model_free(updated);
    cleave_model_free(model);
    free(texts);
    free_world(world);
}

/* ---- Arrow */

typedef struct {
    int batches;
    struct ArrowSchema children[3], dictionary;
    struct ArrowSchema *child[3];
    struct ArrowArray arrays[3], values, *array[3];
    const void *buffers[3][3], *value_buffers[3], *top[1];
    double numbers[4];
    uint8_t valid[1];
    int8_t codes[4];
    int32_t ends[5], value_ends[3];
    char text[32];
    bool views; /* the text column has string views */
    char view[4][16];
    int released;
} Stream;

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    Stream *self = stream->private_data;

    self->dictionary = (struct ArrowSchema){.format = "u"};
    self->children[0] = (struct ArrowSchema){.format = "g", .name = "size"};
    self->children[1] = (struct ArrowSchema){
        .format = "c", .name = "color", .dictionary = &self->dictionary};
    self->children[2] = (struct ArrowSchema){.format = self->views ? "vu" : "u", .name = "kind"};
    for (int i = 0; i < 3; i++)
        self->child[i] = &self->children[i];
    *out = (struct ArrowSchema){
        .format = "+s", .n_children = 3, .children = self->child, .release = release_schema};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    Stream *self = stream->private_data;

    *out = (struct ArrowArray){0};
    if (self->batches++ == 30)
        return 0;
    for (int i = 0; i < 4; i++)
        self->numbers[i] = self->batches + 0.5 * i;
    self->valid[0] = 0x0D; /* the second is null */
    memcpy(self->codes, (int8_t[]){0, 1, 1, 0}, 4);
    memcpy(self->value_ends, (int32_t[]){0, 3, 7}, sizeof self->value_ends);
    memcpy(self->ends, (int32_t[]){0, 1, 2, 3, 4}, sizeof self->ends);
    memcpy(self->text, "abba", 4);
    self->value_buffers[1] = self->value_ends;
    self->value_buffers[2] = "redblue";
    self->values = (struct ArrowArray){.length = 2, .n_buffers = 3, .buffers = self->value_buffers};
    self->buffers[0][0] = self->valid;
    self->buffers[0][1] = self->numbers;
    self->buffers[1][1] = self->codes;
    self->buffers[2][1] = self->ends;
    self->buffers[2][2] = self->text;
    for (int i = 0; i < 3; i++) {
        self->arrays[i] = (struct ArrowArray){
            .length = 4, .n_buffers = i == 2 ? 3 : 2, .buffers = self->buffers[i]};
        self->array[i] = &self->arrays[i];
    }
    for (int i = 0; self->views && i < 4; i++) { /* inline, or in the first data buffer */
        int32_t length = i % 2 ? 16 : 2, offset = 1;

        memset(self->view[i], 0, sizeof self->view[i]);
        memcpy(self->view[i], &length, sizeof length);
        if (i % 2)
            memcpy(self->view[i] + 12, &offset, sizeof offset);
        else
            memcpy(self->view[i] + 4, "ab", 2);
    }
    if (self->views) {
        self->buffers[2][1] = self->view;
        self->buffers[2][2] = "-more than twelve";
    }
    self->arrays[0].null_count = 1;
    self->arrays[1].dictionary = &self->values;
    *out = (struct ArrowArray){.length = 4,
                               .n_buffers = 1,
                               .buffers = self->top,
                               .n_children = 3,
                               .children = self->array,
                               .release = release_array};
    return 0;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    ((Stream *)stream->private_data)->released++;
    stream->release = NULL;
}

static void test_arrow(void **state)
{
    World *world = new_world(false);
    Stream self = {0};
    struct ArrowArrayStream stream = {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .release = release_stream,
                                      .private_data = &self};
    cleave_options *options = cleave_options_new(world->context);
    cleave_error error = {0};
    cleave_data *data;
    FILE *file = fopen(test_join(world->path, world->folder, "arrow.csv"), "w");

    (void)state;
    fprintf(file, "size,color,kind\n");
    for (int batch = 1; batch <= 30; batch++)
        fprintf(file, "%d,red,a\n,blue,b\n%d,blue,b\n%g,red,a\n", batch, batch + 1, batch + 1.5);
    fclose(file);
    FINE(cleave_options_set(options, "label", "kind", &error));
    FINE(cleave_data_from_arrow(world->context, &stream, NULL, options, NULL, &data, &error));
    cleave_options_free(options);
    assert_int_equal(self.released, 1);
    expect_same(world, "logistic", open_file(world, "kind"), data);
    free_world(world);
}

/* Labels and weights beside the stream are the last columns of the table. */
static void test_arrow_rows(void **state)
{
    enum { BATCHES = 30, BATCH = 4 };
    static const char *const kinds[BATCH] = {"ab", "more than twelve", "ab", "more than twelve"};
    static const char *labels[BATCHES * BATCH];
    static float weights[BATCHES * BATCH];
    World *world = new_world(false);
    Stream self = {.views = true};
    struct ArrowArrayStream stream = {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .release = release_stream,
                                      .private_data = &self};
    cleave_rows rows = {
        .size = sizeof rows, .labels = labels, .weights = weights, .label_name = "class"};
    cleave_options *options = cleave_options_new(world->context);
    cleave_error error = {0};
    cleave_data *file_data, *data;
    FILE *file = fopen(test_join(world->path, world->folder, "arrow.csv"), "w");

    (void)state;
    fprintf(file, "size,color,kind,class,sample weight\n");
    for (int i = 0; i < BATCHES * BATCH; i++) {
        labels[i] = i % 3 ? "yes" : "no";
        weights[i] = (float)(1 + i % 5) / 2;
        if (i % BATCH == 1)
            fprintf(file, ",blue");
        else
            fprintf(file, "%g,%s", i / BATCH + 1 + 0.5 * (i % BATCH),
                    i % BATCH == 2 ? "blue" : "red");
        fprintf(file, ",%s,%s,%g\n", kinds[i % BATCH], labels[i], (double)weights[i]);
    }
    fclose(file);
    FINE(cleave_options_set(options, "label", "class", &error));
    FINE(cleave_options_set(options, "columns", "size=number,color=category,sample weight=weight",
                            &error));
    FINE(cleave_open(world->context, world->path, options, &file_data, &error));
    FINE(cleave_data_from_arrow(world->context, &stream, &rows, NULL, NULL, &data, &error));
    assert_int_equal(self.released, 1);
    expect_same(world, "logistic", file_data, data);
    rows.groups = (const uint64_t *)(const void *)labels;
    self = (Stream){.views = true};
    stream.release = release_stream;
    assert_int_equal(
        cleave_data_from_arrow(world->context, &stream, &rows, NULL, NULL, &data, &error),
        CLEAVE_ERROR_USAGE);
    assert_int_equal(self.released, 1);
    cleave_options_free(options);
    free_world(world);
}

/* ---- predictions */

static cleave_model *train_model(World *world, const char *method, bool with_names)
{
    cleave_data *data = from_dense(
        world, C_ORDER, strstr(method, "regression") || strstr(method, "least"), with_names);
    cleave_error error = {0};
    cleave_model *model;

    FINE(cleave_train(world->context, method, data, NULL, NULL, &model, NULL, &error));
    cleave_data_free(data);
    return model;
}

typedef struct {
    size_t row;
    double scores[ROWS][3];
    int64_t labels[ROWS];
    size_t outputs;
} Seen;

static cleave_code see(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Seen *seen = user;

    (void)error;
    seen->labels[seen->row] = prediction->label_number == SIZE_MAX
                                  ? -1
                                  : (int64_t)prediction->label_number;
    memcpy(seen->scores[seen->row++], prediction->scores, prediction->score_count * sizeof(double));
    return CLEAVE_OK;
}

static void test_predict(void **state)
{
    static const char *const methods[] = {"svm", "logistic",      "tree", "forest",
                                          "knn", "least-squares", "boost"};

    (void)state;
    for (size_t i = 0; i < 4 * sizeof methods / sizeof *methods; i++) {
        World *world = new_world(i & 1);
        cleave_model *model = train_model(world, methods[i / 4], i & 2);
        size_t outputs = cleave_model_score_count(model);
        cleave_data *data = from_dense(world, C_ORDER, false, i & 2);
        double *scores = calloc(ROWS * outputs, sizeof *scores);
        int64_t labels[ROWS];
        cleave_predictions to = {.size = sizeof to, .labels = labels, .scores = scores};
        cleave_matrix matrix = {
            .size = sizeof matrix, .rows = ROWS, .columns = COLUMNS, .values = world->values};
        cleave_matrix one = {.size = sizeof one, .rows = 1, .columns = COLUMNS};
        cleave_predictor *predictor;
        cleave_error error = {0};
        Seen seen = {0};

        FINE(cleave_predict(model, data, NULL, see, &seen, &error));
        FINE(cleave_predictor_new(model, &predictor, &error));
        FINE(cleave_predict_matrix(predictor, &matrix, &to, &error));
        for (size_t row = 0; row < ROWS; row++) {
            int64_t label;
            double alone[3];

            assert_int_equal(labels[row], seen.labels[row]);
            for (size_t j = 0; j < outputs; j++)
                assert_true(fabs(scores[row * outputs + j] - seen.scores[row][j]) < 1e-9);
            one.values = world->values[row];
            FINE(cleave_predict_matrix(
                predictor, &one,
                &(cleave_predictions){.size = sizeof to, .labels = &label, .scores = alone},
                &error));
            assert_int_equal(label, labels[row]);
            assert_memory_equal(alone, scores + row * outputs, outputs * sizeof *alone);
        }
        cleave_model_free(model); /* the predictor has a reference */
        FINE(cleave_predict_matrix(predictor, &matrix, &to, &error));
        cleave_predictor_free(predictor);
        cleave_data_free(data);
        free(scores);
        free_world(world);
    }
}

static void test_no_allocation(void **state)
{
    static const char *const methods[] = {"svm", "forest", "boost", "knn"};

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        TestMemory memory = {0};
        World *world = new_world(false);
        cleave_model *model;
        cleave_predictor *predictor;
        cleave_error error = {0};
        int64_t label;
        cleave_predictions to = {.size = sizeof to, .labels = &label};
        cleave_matrix one = {
            .size = sizeof one, .rows = 1, .columns = COLUMNS, .values = world->values};
        long long calls;

        cleave_context_free(world->context);
        world->context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                             .allocate = test_allocate,
                                                             .user = &memory,
                                                             .threads = 1});
        model = train_model(world, methods[i], false);
        FINE(cleave_predictor_new(model, &predictor, &error));
        FINE(cleave_predict_matrix(predictor, &one, &to, &error));
        calls = memory.calls;
        for (size_t row = 0; row < ROWS; row++) {
            one.values = world->values[row];
            FINE(cleave_predict_matrix(predictor, &one, &to, &error));
        }
        if (memory.calls != calls)
            print_message("%s allocates\n", methods[i]);
        assert_int_equal(memory.calls, calls);
        cleave_predictor_free(predictor);
        cleave_model_free(model);
        free_world(world);
        assert_int_equal(memory.live, 0);
    }
}

enum { THREADS = 8 };

typedef struct {
    const cleave_model *model;
    const World *world;
    const double *expected;
    size_t times, outputs, wrong;
} Worker;

static void *work(void *argument)
{
    Worker *worker = argument;
    cleave_predictor *predictor;
    double scores[3];
    cleave_predictions to = {.size = sizeof to, .scores = scores};
    cleave_matrix one = {.size = sizeof one, .rows = 1, .columns = COLUMNS};
    cleave_error error;

    if (cleave_predictor_new(worker->model, &predictor, &error) != CLEAVE_OK) {
        worker->wrong = worker->times;
        return NULL;
    }
    for (size_t i = 0; i < worker->times; i++) {
        size_t row = i % ROWS;

        one.values = worker->world->values[row];
        if (cleave_predict_matrix(predictor, &one, &to, &error) != CLEAVE_OK ||
            memcmp(scores, worker->expected + row * worker->outputs,
                   worker->outputs * sizeof *scores) != 0)
            worker->wrong++;
    }
    cleave_predictor_free(predictor);
    return NULL;
}

/* 8 threads share a model. CLEAVE_LONG=1: 10^6 predictions each of a linear model, 10^5 of the others. */
static void test_threads(void **state)
{
    static const char *const methods[] = {"svm", "forest", "knn", "boost"};
    bool all = getenv("CLEAVE_LONG") != NULL;

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        World *world = new_world(false);
        cleave_model *model = train_model(world, methods[m], false);
        size_t outputs = cleave_model_score_count(model);
        double *expected = calloc(ROWS * outputs, sizeof *expected);
        cleave_matrix matrix = {
            .size = sizeof matrix, .rows = ROWS, .columns = COLUMNS, .values = world->values};
        cleave_predictor *predictor;
        cleave_error error = {0};
        Worker worker[THREADS];
        pthread_t thread[THREADS];

        FINE(cleave_predictor_new(model, &predictor, &error));
        FINE(cleave_predict_matrix(
            predictor, &matrix,
            &(cleave_predictions){.size = sizeof(cleave_predictions), .scores = expected}, &error));
        cleave_predictor_free(predictor);
        for (size_t i = 0; i < THREADS; i++) {
            worker[i] = (Worker){.model = model,
                                 .world = world,
                                 .expected = expected,
                                 .times = !all     ? 3000
                                          : m == 0 ? 1000000
                                                   : 100000,
                                 .outputs = outputs};
            assert_int_equal(pthread_create(&thread[i], NULL, work, &worker[i]), 0);
        }
        for (size_t i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(worker[i].wrong, 0);
        }
        cleave_model_free(model);
        free(expected);
        free_world(world);
    }
}

/* ---- the rest */

static void test_bytes(void **state)
{
    World *world = new_world(false);
    cleave_model *model = train_model(world, "svm", true), *again;
    cleave_array array = {.size = sizeof array};
    cleave_error error = {0};
    void *bytes, *second;
    size_t size, second_size, count = 0;

    (void)state;
    FINE(cleave_model_to_bytes(model, &bytes, &size, &error));
    for (int borrow = 0; borrow < 2; borrow++) {
        FINE(cleave_model_from_bytes(world->context, bytes, size, borrow, &again, &error));
        FINE(cleave_model_to_bytes(again, &second, &second_size, &error));
        assert_int_equal(size, second_size);
        assert_memory_equal(bytes, second, size);
        cleave_bytes_free(world->context, second);
        cleave_model_free(again);
    }
    assert_int_equal(
        cleave_model_from_bytes(world->context, bytes, size / 2, false, &again, &error),
        CLEAVE_ERROR_FORMAT);
    assert_null(again);
    cleave_bytes_free(world->context, bytes);
    while (cleave_model_array_at(model, count, &array))
        count++;
    assert_true(count > 2);
    assert_true(cleave_model_array(model, "weights", &array));
    assert_int_equal(array.count, 3 * COLUMNS);
    assert_false(cleave_model_array(model, "nothing", &array));
    cleave_model_free(model);
    free_world(world);
}

static void test_options(void **state)
{
    World *world = new_world(false);
    cleave_options *options = cleave_options_new(world->context), *clone;
    cleave_error error = {0};
    const char *name;

    (void)state;
    FINE(cleave_options_set(options, "C", "2", &error));
    FINE(cleave_options_set_numbers(options, "class_weight", 2, (const char *[]){"a", "b"},
                                    (double[]){2, 0.5}, &error));
    FINE(cleave_options_set_numbers(options, "monotone", 3, names, (double[]){1, 0, -1}, &error));
    FINE(cleave_options_clone(options, &clone, &error));
    cleave_options_free(options);
    assert_string_equal(cleave_options_get(clone, "class_weight"), "a=2,b=0.5");
    assert_string_equal(cleave_options_get(clone, "monotone"), "age=+,weight=-");
    assert_string_equal(cleave_options_at(clone, 0, &name), "2");
    assert_string_equal(name, "C");
    assert_null(cleave_options_at(clone, 3, &name));
    assert_null(cleave_options_get(clone, "seed"));
    assert_int_equal(cleave_options_set_numbers(clone, "class_weight", 1, (const char *[]){"a=b"},
                                                (double[]){2}, &error),
                     CLEAVE_ERROR_USAGE);
    cleave_options_free(clone);
    free_world(world);
}

static void test_search(void **state)
{
    World *world = new_world(false);
    cleave_model *model = train_model(world, "knn", false);
    cleave_options *options = cleave_options_new(world->context);
    cleave_matrix dense = {
        .size = sizeof dense, .rows = ROWS, .columns = COLUMNS, .values = world->values};
    Csr *csr = make_csr(world, true);
    cleave_matrix sparse = csr_matrix(csr, true);
    int64_t rows[ROWS][3], again[ROWS][3];
    double distances[ROWS][3];
    cleave_searcher *searcher;
    cleave_error error = {0};

    (void)state;
    FINE(cleave_options_set(options, "k", "3", &error));
    FINE(cleave_searcher_open(model, options, &searcher, &error));
    FINE(cleave_search_matrix(searcher, &dense, rows[0], distances[0], &error));
    FINE(cleave_search_matrix(searcher, &sparse, again[0], NULL, &error));
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(rows[i][0], i);
        assert_true(distances[i][0] == 0 && distances[i][1] > 0);
    }
    assert_memory_equal(rows, again, sizeof rows);
    cleave_searcher_free(searcher);
    cleave_options_free(options);
    cleave_model_free(model);
    free(csr);
    free_world(world);
}

/* A stream that continues from a model in memory learns as one stream; the model is unchanged. */
static void test_stream_from(void **state)
{
    World *world = new_world(false);
    static const uint32_t indexes[COLUMNS] = {0, 1, 2, 3, 4};
    cleave_options *options = cleave_options_new(world->context);
    cleave_model *whole, *part, *rest;
    cleave_stream *stream;
    void *bytes[2];
    size_t sizes[2];
    cleave_error error = {0};

    (void)state;
    FINE(cleave_options_set(options, "known_classes", "a,b", &error));
    FINE(cleave_stream_new(world->context, "logistic", NULL, options, NULL, &stream, &error));
    for (size_t i = 0; i < ROWS; i++) {
        if (i == ROWS / 2)
            FINE(cleave_stream_model(stream, &part, &error));
        FINE(cleave_stream_row(stream, i % 2 ? "a" : "b", COLUMNS < 5 ? COLUMNS : 5, indexes,
                               world->values[i], NULL, &error));
    }
    FINE(cleave_stream_model(stream, &whole, &error));
    cleave_stream_free(stream);
    FINE(cleave_model_to_bytes(part, &bytes[0], &sizes[0], &error));
    FINE(cleave_stream_from(part, NULL, NULL, &stream, &error));
    for (size_t i = ROWS / 2; i < ROWS; i++)
        FINE(cleave_stream_row(stream, i % 2 ? "a" : "b", COLUMNS < 5 ? COLUMNS : 5, indexes,
                               world->values[i], NULL, &error));
    FINE(cleave_stream_model(stream, &rest, &error));
    cleave_stream_free(stream);
    FINE(cleave_model_to_bytes(part, &bytes[1], &sizes[1], &error));
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    for (size_t i = 0; i < cleave_model_feature_count(whole); i++)
        assert_true(cleave_model_weight(whole, 0, i) == cleave_model_weight(rest, 0, i));
    for (int i = 0; i < 2; i++)
        cleave_bytes_free(world->context, bytes[i]);
    cleave_model_free(whole);
    cleave_model_free(part);
    cleave_model_free(rest);
    cleave_options_free(options);
    free_world(world);
}

/* The rows as CSR equal the dense rows. */
static void check_csr(cleave_data *data, const float *values)
{
    uint64_t entries, starts[ROWS + 1];
    cleave_error error = {0};
    uint32_t *indexes;
    float *nonzeros;

    FINE(cleave_data_entries(data, &entries, &error));
    indexes = calloc(entries, sizeof *indexes);
    nonzeros = calloc(entries, sizeof *nonzeros);
    FINE(cleave_data_copy_csr(data, starts, indexes, nonzeros, &error));
    assert_int_equal(starts[0], 0);
    assert_int_equal(starts[ROWS], entries);
    for (size_t i = 0, at = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            if (values[i * COLUMNS + j] != 0) {
                assert_int_equal(indexes[at], j);
                assert_true(nonzeros[at++] == values[i * COLUMNS + j]);
            }
    free(indexes);
    free(nonzeros);
}

static void test_pipeline(void **state)
{
    World *world = new_world(false);
    cleave_data *data = from_dense(world, C_ORDER, false, true), *made;
    cleave_pipeline *pipeline, *fitted;
    cleave_error error = {0};
    uint64_t rows, features;
    float *values;
    void *bytes;
    size_t size;
    cleave_array array = {.size = sizeof array};

    (void)state;
    FINE(cleave_pipeline_fit(world->context, "scale", data, 0, &fitted, &error));
    assert_true(cleave_pipeline_array(fitted, 0, 0, &array));
    assert_int_equal(array.count, COLUMNS);
    assert_non_null(array.name);
    array.size = 0;
    assert_false(cleave_pipeline_array(fitted, 0, 0, &array));
    assert_false(cleave_pipeline_array(fitted, 0, 100, &array));
    assert_false(cleave_pipeline_array(fitted, 1, 0, &array));
    assert_false(cleave_pipeline_array(NULL, 0, 0, &array));
    FINE(cleave_pipeline_to_bytes(fitted, &bytes, &size, &error));
    cleave_pipeline_free(fitted);
    FINE(cleave_pipeline_from_bytes(world->context, bytes, size, &pipeline, &error));
    ((char *)bytes)[size / 2] ^= 1;
    assert_int_equal(cleave_pipeline_from_bytes(world->context, bytes, size, &fitted, &error),
                     CLEAVE_ERROR_FORMAT);
    assert_null(fitted);
    cleave_bytes_free(world->context, bytes);
    FINE(cleave_pipeline_apply(pipeline, data, &made, &error));
    cleave_pipeline_free(pipeline);
    FINE(cleave_data_size(made, &rows, &features, &error));
    assert_int_equal(rows, ROWS);
    assert_int_equal(features, COLUMNS);
    values = calloc(ROWS * COLUMNS, sizeof *values);
    FINE(cleave_data_copy(made, values, &error));
    assert_true(values[0] != 0);
    check_csr(made, values);
    free(values);
    cleave_data_free(made);
    cleave_data_free(data);
    free_world(world);
}

/* The number of features is known before a stage allocates by it. */
static void test_pipeline_of_borrowed_csr(void **state)
{
    World *world = new_world(false);
    Csr *csr = make_csr(world, true);
    cleave_matrix matrix = csr_matrix(csr, true);
    cleave_rows borrow = {.size = sizeof borrow, .borrow = true};
    cleave_pipeline *pipeline;
    cleave_data *data, *made;
    cleave_error error = {0};
    uint64_t rows, features;

    (void)state;
    FINE(cleave_data_from_matrix(world->context, &matrix, &borrow, &data, &error));
    FINE(cleave_pipeline_fit(world->context, "pca:components=2", data, 0, &pipeline, &error));
    FINE(cleave_pipeline_apply(pipeline, data, &made, &error));
    FINE(cleave_data_size(made, &rows, &features, &error));
    assert_int_equal(rows, ROWS);
    assert_int_equal(features, 2);
    cleave_pipeline_free(pipeline);
    cleave_data_free(made);
    cleave_data_free(data);
    free(csr);
    free_world(world);
}

static void test_refusals(void **state)
{
    World *world = new_world(false);
    cleave_matrix matrix = {
        .size = sizeof matrix, .rows = ROWS, .columns = COLUMNS, .values = world->values};
    int32_t starts[] = {0, 1}, index[] = {9};
    cleave_matrix sparse = {.size = sizeof sparse,
                            .rows = 1,
                            .columns = 3,
                            .values = world->values,
                            .index_type = CLEAVE_INT32,
                            .row_starts = starts,
                            .indexes = index};
    cleave_error error = {0};
    cleave_data *data;

    (void)state;
    world->values[7][2] = INFINITY;
    assert_int_equal(cleave_data_from_matrix(world->context, &matrix, NULL, &data, &error),
                     CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "row 7, column 2"));
    assert_int_equal(cleave_data_from_matrix(world->context, &sparse, NULL, &data, &error),
                     CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "index 9"));
    matrix.size = 0;
    assert_int_equal(cleave_data_from_matrix(world->context, &matrix, NULL, &data, &error),
                     CLEAVE_ERROR_USAGE);
    assert_null(data);
    free_world(world);
}

/* Uses of memory, up to the first failure. All memory is freed. */
static cleave_code use(World *world, const cleave_model *model, int job)
{
    static const char *const texts[] = {"cheap pills", "meeting at noon", "pills"},
                             *const labels[] = {"a", "b", "a"};
    cleave_rows rows = {.size = sizeof rows, .labels = world->labels, .borrow = job & 1};
    cleave_matrix matrix = {
        .size = sizeof matrix, .rows = 40, .columns = COLUMNS, .values = world->values};
    Stream self = {.batches = 25};
    struct ArrowArrayStream stream = {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .release = release_stream,
                                      .private_data = &self};
    int32_t starts[] = {0, 2, 3}, index[] = {4, 1, 0};
    int64_t found[40], classes[] = {1, -1};
    cleave_predictor *predictor = NULL;
    cleave_searcher *searcher = NULL;
    cleave_pipeline *pipeline = NULL;
    cleave_data *data = NULL, *made = NULL;
    cleave_model *again = NULL;
    cleave_error error = {0};
    void *bytes = NULL;
    cleave_code code;
    size_t size;

    switch (job / 2) {
    case 0: /* a table with missing values */
        rows.column_names = names;
        code = cleave_data_from_matrix(world->context, &matrix, &rows, &data, &error);
        break;
    case 1:
        matrix = (cleave_matrix){.size = sizeof matrix,
                                 .rows = 2,
                                 .columns = 5,
                                 .values = (const float[]){1, 2, 3},
                                 .index_type = CLEAVE_INT32,
                                 .row_starts = starts,
                                 .indexes = index};
        rows = (cleave_rows){.size = sizeof rows, .classes = classes, .borrow = job & 1};
        code = cleave_data_from_matrix(world->context, &matrix, &rows, &data, &error);
        break;
    case 2:
        rows = (cleave_rows){.size = sizeof rows, .labels = labels};
        code = cleave_data_from_texts(world->context, texts, NULL, 3, &rows, NULL, &data, &error);
        if (code == CLEAVE_OK &&
            (code = cleave_pipeline_fit(world->context, "tfidf", data, 0, &pipeline, &error)) == 0)
            code = cleave_pipeline_apply(pipeline, data, &made, &error);
        break;
    case 3:
        code = cleave_data_from_arrow(world->context, &stream, NULL, NULL, NULL, &data, &error);
        assert_int_equal(self.released, 1);
        break;
    case 4:
        code = cleave_predictor_new(model, &predictor, &error);
        if (code == CLEAVE_OK)
            code = cleave_predict_matrix(
                predictor, &matrix, &(cleave_predictions){.size = 32, .labels = found}, &error);
        break;
    default:
        code = cleave_model_to_bytes(model, &bytes, &size, &error);
        if (code == CLEAVE_OK)
            code = cleave_model_from_bytes(world->context, bytes, size, false, &again, &error);
        if (code == CLEAVE_OK)
            code = cleave_searcher_open(again, NULL, &searcher, &error);
    }
    if (code != CLEAVE_OK && code != CLEAVE_ERROR_MEMORY)
        print_message("job %d: %s\n", job, error.message);
    cleave_searcher_free(searcher);
    cleave_predictor_free(predictor);
    cleave_pipeline_free(pipeline);
    cleave_bytes_free(world->context, bytes);
    cleave_model_free(again);
    cleave_data_free(made);
    cleave_data_free(data);
    return code;
}

/* Every allocation fails in turn: the call fails, and all memory is freed. */
static void test_shortage(void **state)
{
    TestMemory memory = {0};
    World *world = new_world(true);
    cleave_model *model;
    long long live;

    (void)state;
    cleave_context_free(world->context);
    world->context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory, .threads = 1});
    model = train_model(world, "knn", true);
    live = memory.live;
    for (int job = 0; job < 12; job++)
        for (long long at = 1;; at++) {
            cleave_code code;

            memory.fail_at = memory.calls + at;
            code = use(world, model, job);
            assert_int_equal(memory.live, live);
            if (memory.calls < memory.fail_at) {
                assert_int_equal(code, CLEAVE_OK);
                break;
            }
            assert_true(code == CLEAVE_ERROR_MEMORY || code == CLEAVE_OK);
        }
    memory.fail_at = 0;
    cleave_model_free(model);
    free_world(world);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),      cmocka_unit_test(test_csr),
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_arrow),
        cmocka_unit_test(test_arrow_rows), cmocka_unit_test(test_stream_from),
        cmocka_unit_test(test_predict),    cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_options),    cmocka_unit_test(test_search),
        cmocka_unit_test(test_pipeline),   cmocka_unit_test(test_pipeline_of_borrowed_csr),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_shortage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
