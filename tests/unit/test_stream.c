/* Training that sees each row once and keeps none (src/train/one_pass.c), and continuing from a
 * model (src/train/train.c). */
#include "property/table.h"

#include "model/model.h"
#include "support/support.h"

#include <math.h>

/* ---- helpers --------------------------------------------------------------------------------- */

typedef struct {
    char warnings[8][256];
    size_t count;
    int cancel_after; /* number of calls after which it cancels; 0: never */
    int asked;
} Watch;

static void keep_warning(void *user, cleave_log_level level, const char *message, const char *hint)
{
    Watch *watch = user;

    (void)hint;
    if (level == CLEAVE_LOG_WARNING && watch->count < 8)
        snprintf(watch->warnings[watch->count++], 256, "%s", message);
}

static bool cancel(void *user)
{
    Watch *watch = user;

    return watch->cancel_after && ++watch->asked >= watch->cancel_after;
}

static Context *watched(Watch *watch, unsigned threads)
{
    return cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                               .log = keep_warning,
                                               .cancelled = cancel,
                                               .user = watch,
                                               .threads = threads});
}

typedef struct {
    cleave_model *model;
    cleave_report *report;
    cleave_error error;
    cleave_code code;
} Ran;

static cleave_options *options_of(Context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);
    cleave_error error = {0};

    for (; *pairs; pairs += 2)
        FINE(cleave_options_set(options, pairs[0], pairs[1], &error));
    return options;
}

static Ran train(Context *context, const char *method, cleave_data *data, const char *const *pairs)
{
    cleave_options *options = options_of(context, pairs);
    Ran ran = {0};

    ran.code = cleave_train(context, method, data, NULL, options, &ran.model, &ran.report,
                            &ran.error);
    cleave_options_free(options);
    return ran;
}

static Ran go_on(const cleave_model *from, cleave_data *data, cleave_data *valid,
                 const char *const *pairs)
{
    cleave_options *options = options_of(from->context, pairs);
    cleave_error error = {0};
    Ran ran = {0};

    FINE(cleave_options_set(options, "refit", "true", &error));
    ran.code = cleave_train_from(from, data, valid, options, &ran.model, &ran.report, &ran.error);
    cleave_options_free(options);
    return ran;
}

#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static void end(Ran *ran)
{
    cleave_model_free(ran->model);
    cleave_report_free(ran->report);
}

/* The model file without the record of its parameters. */
static void assert_same_but_params(cleave_model *a, cleave_model *b)
{
    Buffer bytes[2] = {{0}, {0}};
    cleave_model *models[2] = {a, b};
    cleave_error error = {0};

    for (int i = 0; i < 2; i++) {
        size_t params = models[i]->param_count;

        models[i]->param_count = 0;
        FINE(clv_model_to_bytes(models[i], &bytes[i], &error));
        models[i]->param_count = params;
    }
    assert_int_equal(bytes[0].size, bytes[1].size);
    assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].size);
    for (int i = 0; i < 2; i++)
        clv_free(models[i]->context, bytes[i].data);
}

/* LIBSVM text: features that keep growing, two or three classes, and enough rows for several
 * blocks. */
static const char *write_rows(char path[TEST_PATH_SIZE], const char *folder, int rows, int classes,
                              int one_class_from)
{
    Random random = clv_random(3, 1);
    FILE *file = fopen(test_join(path, folder, "rows.libsvm"), "w");

    assert_non_null(file);
    for (int i = 0; i < rows; i++) {
        int label = i >= one_class_from ? 0 : (int)(clv_random_unit(&random) * classes);

        fprintf(file, "%c", 'a' + label);
        for (int column = 1; column < 12; column++)
            fprintf(file, " %d:%.3f", column,
                    clv_random_normal(&random) + (column == label + 1 ? 1 : 0));
        fprintf(file, " %d:1\n", 20 + i / 50);
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static cleave_data *open_path(Context *context, const char *path)
{
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_open(context, path, NULL, &data, &error));
    return data;
}

static cleave_data *open_text(Context *context, const char *folder, const char *text)
{
    char path[TEST_PATH_SIZE];

    test_write_text(test_join(path, folder, "text.libsvm"), text);
    return open_path(context, path);
}

/* ---- streams --------------------------------------------------------------------------------- */

static void equals_one_epoch(void **state)
{
    static const char *const forms[][6] = {
        {"learning_rate", "0.5", NULL},
        {"learn_threshold", "true", "learning_rate", "1/3", NULL},
        {"form", "averaged", NULL},
        {"form", "voted", NULL},
        {"update", "sum", "learn_threshold", "true", NULL},
        {"multiclass", "joint", NULL},
        {"class_weight", "a=2,b=0.5", NULL},
        {"positive", "a", NULL},
    };
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    for (int classes = 2; classes <= 3; classes++) {
        write_rows(path, folder, 9000, classes, INT_MAX);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            for (unsigned threads = 1; threads <= 2; threads++) {
                Context *context = new_context(threads);
                cleave_data *data[2] = {open_path(context, path), open_path(context, path)};
                Ran ran[2];

                if (classes == 3 && strcmp(forms[f][0], "positive") == 0) {
                    cleave_data_free(data[0]);
                    cleave_data_free(data[1]);
                    cleave_context_free(context);
                    continue;
                }
                for (int i = 0; i < 2; i++) {
                    const char *pairs[12] = {i ? "stream" : "order", i ? "true" : "file", "epochs",
                                             "1"};

                    for (size_t j = 0; forms[f][j]; j++)
                        pairs[4 + j] = forms[f][j];
                    ran[i] = train(context, "perceptron", data[i], pairs);
                    assert_fine(ran[i].code, &ran[i].error);
                    assert_int_equal(ran[i].report->rows, 9000);
                    assert_int_equal(ran[i].report->features, 20 + 8999 / 50);
                    assert_int_equal(ran[i].report->classes, classes);
                    assert_int_equal(ran[i].report->epochs, 1);
                }
                assert_string_equal(ran[1].report->stopped_by, "stream");
                assert_int_equal(ran[0].report->mistakes, ran[1].report->mistakes);
                assert_same_but_params(ran[0].model, ran[1].model);
                for (int i = 0; i < 2; i++) {
                    end(&ran[i]);
                    cleave_data_free(data[i]);
                }
                cleave_context_free(context);
            }
    }
    test_folder_remove(folder);
}

/* Rows from memory, a mapped dataset and a gzip stream are sources too. */
static void equals_one_epoch_of_other_sources(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], packed[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_data *text, *dataset, *builtin = open_path(context, "@spam6");
    Ran ran[3];

    (void)state;
    write_rows(path, test_folder_new(folder), 5000, 2, INT_MAX);
    text = open_path(context, path);
    FINE(cleave_convert(text, test_join(packed, folder, "rows.cleave"), NULL,
                        &(cleave_conversion){0}, &error));
    dataset = open_path(context, packed);
    ran[0] = train(context, "perceptron", text, WITH("stream", "true"));
    ran[1] = train(context, "perceptron", dataset, WITH("stream", "true"));
    ran[2] = train(context, "perceptron", builtin, WITH("stream", "true", "learning_rate", "0.5"));
    for (int i = 0; i < 3; i++)
        assert_fine(ran[i].code, &ran[i].error);
    for (size_t i = 0; i < cleave_model_feature_count(ran[0].model); i++)
        assert_true(cleave_model_weight(ran[0].model, 0, i) ==
                    cleave_model_weight(ran[1].model, 0, i));
    assert_int_equal(ran[2].report->mistakes, 4);
    for (int i = 0; i < 3; i++)
        end(&ran[i]);
    cleave_data_free(text);
    cleave_data_free(dataset);
    cleave_data_free(builtin);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void refused(const char *text, const char *const *pairs, cleave_code code, const char *says)
{
    char folder[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_data *data = open_text(context, test_folder_new(folder), text);
    Ran ran = train(context, "perceptron", data, pairs);

    assert_int_equal(ran.code, code);
    assert_null(ran.model);
    assert_null(ran.report);
    assert_says(&ran.error, says);
    cleave_data_free(data);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void what_a_stream_refuses(void **state)
{
    static const char fine[] = "a 1:1\nb 1:2\na 1:3\nb 1:4\n";

    (void)state;
    refused("a 1:1\na 1:2\n", WITH("stream", "true"), CLEAVE_ERROR_DATA,
            "all 2 examples have the label 'a'");
    refused("? 1:1\n? 1:2\n", WITH("stream", "true"), CLEAVE_ERROR_DATA,
            "the first 2 examples have no label");
    refused("a 1:1\nb 1:2\n? 1:3\n", WITH("stream", "true"), CLEAVE_ERROR_DATA,
            "text.libsvm:3: the row has no label");
    refused(fine, WITH("stream", "true", "epochs", "2"), CLEAVE_ERROR_USAGE,
            "--stream reads the rows once");
    refused(fine, WITH("stream", "true", "validation_fraction", "0.5"), CLEAVE_ERROR_USAGE,
            "--stream");
    refused(fine, WITH("stream", "true", "epochs_from_sample", "1"), CLEAVE_ERROR_USAGE,
            "--stream");
    refused(fine, WITH("stream", "true", "calibrate", "true"), CLEAVE_ERROR_USAGE,
            "--calibrate and --stream cannot be combined");
    refused(fine, WITH("stream", "true", "class_weight", "balanced"), CLEAVE_ERROR_USAGE,
            "--class-weight balanced");
    refused(fine, WITH("stream", "true", "class_weight", "c=1"), CLEAVE_ERROR_USAGE,
            "the data has no such class");
    refused(fine, WITH("stream", "true", "positive", "c"), CLEAVE_ERROR_USAGE,
            "no row has the label 'c'");
}

static void skips_unlabeled_rows(void **state)
{
    char folder[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_data *data = open_text(context, test_folder_new(folder),
                                  "a 1:1\n? 2:2\nb 1:-1\n? 7:7\na 1:3\n");
    Ran ran = train(context, "perceptron", data, WITH("stream", "true", "skip_unlabeled", "true"));

    (void)state;
    assert_fine(ran.code, &ran.error);
    assert_int_equal(ran.report->rows, 3);
    assert_int_equal(cleave_model_rows(ran.model), 3);
    assert_true(cleave_model_weight(ran.model, 0, 1) == 0);
    end(&ran);
    cleave_data_free(data);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void empty_data(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_data *data;
    Ran ran;

    (void)state;
    FINE(cleave_data_new(context, &data, &error));
    ran = train(context, "perceptron", data, WITH("stream", "true"));
    assert_int_equal(ran.code, CLEAVE_ERROR_DATA);
    assert_says(&ran.error, "the training set is empty");
    cleave_data_free(data);
    cleave_context_free(context);
}

/* A third class among the first rows is learned; one that occurs after training has begun cannot
 * be. */
static void late_classes(void **state)
{
    static const int places[] = {3000, 200000};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    for (int p = 0; p < 2; p++) {
        FILE *file = fopen(test_join(path, folder, "late.libsvm"), "w");
        Context *context = new_context(2);
        cleave_data *data;
        Ran ran;

        assert_non_null(file);
        for (int i = 1; i <= places[p] + 10; i++)
            fprintf(file, "%s 1:%d 2:1\n", i == places[p] ? "late" : i % 2 ? "odd" : "even", i % 7);
        assert_int_equal(fclose(file), 0);
        data = open_path(context, path);
        ran = train(context, "perceptron", data, WITH("stream", "true"));
        if (p == 0) {
            assert_fine(ran.code, &ran.error);
            assert_int_equal(ran.report->classes, 3);
        } else {
            assert_int_equal(ran.code, CLEAVE_ERROR_DATA);
            assert_says(&ran.error,
                        "late.libsvm:200000: the class 'late' appears for the first time after");
            assert_non_null(strstr(ran.error.hint, "omit --stream"));
        }
        end(&ran);
        cleave_data_free(data);
        cleave_context_free(context);
    }
    test_folder_remove(folder);
}

/* A single class for so long that the memory for the first rows is exhausted. */
static void one_class_for_too_long(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    FILE *file = fopen(test_join(path, test_folder_new(folder), "sorted.libsvm"), "w");
    Context *context = new_context(1);
    cleave_data *data;
    Ran ran;

    (void)state;
    assert_non_null(file);
    for (int i = 0; i < 400000; i++)
        fprintf(file, "%s 1:0.12345 2:0.23456 3:0.34567 4:0.45678 5:0.56789 6:0.6789 7:0.7 8:0.8\n",
                i < 399000 ? "first" : "second");
    assert_int_equal(fclose(file), 0);
    data = open_path(context, path);
    ran = train(context, "perceptron", data, WITH("stream", "true"));
    assert_int_equal(ran.code, CLEAVE_ERROR_DATA);
    assert_says(&ran.error, "examples have the label 'first'; training needs two classes");
    assert_non_null(strstr(ran.error.hint, "shuffle the rows"));
    cleave_data_free(data);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void warns_of_sorted_rows(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    for (int sorted = 0; sorted <= 1; sorted++) {
        Watch watch = {0};
        Context *context = watched(&watch, 1);
        cleave_data *data;
        Ran ran;

        write_rows(path, folder, 16000, 2, sorted ? 4000 : INT_MAX);
        data = open_path(context, path);
        ran = train(context, "perceptron", data, WITH("stream", "true"));
        assert_fine(ran.code, &ran.error);
        assert_int_equal(watch.count, sorted);
        if (sorted)
            assert_non_null(strstr(watch.warnings[0], "consecutive rows have the same label"));
        end(&ran);
        cleave_data_free(data);
        cleave_context_free(context);
    }
    test_folder_remove(folder);
}

/* An interrupt keeps the model of the rows learned so far. */
static void interrupted(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Watch watch = {.cancel_after = 6};
    Context *context = watched(&watch, 1);
    cleave_error error = {0};
    cleave_data *data;
    Buffer bytes = {0};
    cleave_model *again;
    Ran ran;

    (void)state;
    write_rows(path, test_folder_new(folder), 60000, 2, INT_MAX);
    data = open_path(context, path);
    ran = train(context, "perceptron", data, WITH("stream", "true"));
    assert_fine(ran.code, &ran.error);
    assert_true(ran.report->cancelled);
    assert_string_equal(ran.report->stopped_by, "interrupt");
    assert_true(ran.report->rows > 0 && ran.report->rows < 60000);
    FINE(clv_model_to_bytes(ran.model, &bytes, &error));
    FINE(clv_model_from_bytes(context, "m", bytes.data, bytes.size, &again, &error));
    cleave_model_free(again);
    clv_free(context, bytes.data);
    end(&ran);
    cleave_data_free(data);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void no_trace(void **state)
{
    Context *context = new_context(1);
    cleave_data *data = open_path(context, "@spam6");
    cleave_options *options = options_of(context, WITH("stream", "true"));
    cleave_error error = {0};

    (void)state;
    assert_int_equal(
        cleave_trace(context, "perceptron", data, options, NULL, NULL, NULL, NULL, &error),
        CLEAVE_ERROR_USAGE);
    assert_says(&error, "--stream cannot be used with a trace");
    cleave_options_free(options);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* ---- continuing from a model ----------------------------------------------------------------- */

static const char *param_of(const cleave_model *model, const char *wanted)
{
    const char *name, *value;

    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        if (strcmp(name, wanted) == 0)
            return value;
    return "";
}

/* The model's options are used unless others are given. Stopping rules belong to each run. */
static void inherits_options(void **state)
{
    Context *context = new_context(1);
    cleave_data *data = open_path(context, "@points5");
    Ran first = train(context, "svm", data,
                      WITH("solver", "sgd", "lambda", "0.01", "seed", "7", "order", "shuffle-once",
                           "class_weight", "+1=2", "epochs", "3", "stable_epochs", "50"));
    Ran next = go_on(first.model, data, NULL, WITH("epochs", "2"));
    Ran other = go_on(first.model, data, NULL,
                      WITH("C", "2", "seed", "8", "order", "file", "epochs", "2"));

    (void)state;
    assert_fine(first.code, &first.error);
    assert_fine(next.code, &next.error);
    assert_fine(other.code, &other.error);
    assert_string_equal(param_of(next.model, "solver"), "sgd");
    assert_string_equal(param_of(next.model, "lambda"), "0.01");
    assert_string_equal(param_of(next.model, "seed"), "7");
    assert_string_equal(param_of(next.model, "order"), "shuffle-once");
    assert_string_equal(param_of(next.model, "class_weight"), "+1=2");
    assert_string_equal(param_of(next.model, "epochs"), "2");
    assert_string_equal(param_of(next.model, "stable_epochs"), "0");
    assert_int_equal(cleave_model_seed(next.model), 7);
    assert_int_equal(next.model->rounds, first.model->rounds + next.report->epochs);
    assert_string_equal(param_of(other.model, "lambda"),
                        "0"); /* C is given, with an equivalent value */
    assert_string_equal(param_of(other.model, "C"), "2");
    assert_string_equal(param_of(other.model, "seed"), "8");
    assert_string_equal(param_of(other.model, "order"), "file");
    end(&first);
    end(&next);
    end(&other);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* Columns in another order, some missing, a new one: read as for the model, however the data was
 * opened. */
static void sees_data_as_the_model_does(void **state)
{
    static const char table[] = "label,x,y\nyes,1,2\nno,-1,3\nyes,2,1\nno,-2,-1\n";
    static const char turned[] = "extra,y,label,x\n5,2,yes,1\n6,3,no,-1\n7,1,yes,2\n8,-1,no,-2\n";
    char folder[TEST_PATH_SIZE], path[2][TEST_PATH_SIZE], name[24];
    Context *context = new_context(1);
    cleave_error error = {0};
    const char *file;
    cleave_data *data, *plain, *opened, *same, *valid;
    Ran first, ran[4];

    (void)state;
    test_write_text(test_join(path[0], test_folder_new(folder), "a.csv"), table);
    test_write_text(test_join(path[1], folder, "b.csv"), turned);
    data = open_path(context, path[0]);
    first = train(context, "svm", data, WITH("solver", "sgd", "lambda", "0.01", "epochs", "3"));
    assert_fine(first.code, &first.error);
    file = path[1];
    plain = open_path(context, path[1]);
    FINE(cleave_open_for(first.model, &file, 1, NULL, &opened, &error));
    FINE(cleave_open_like(opened, &file, 1, NULL, &valid, &error));
    same = open_path(context, path[0]);
    ran[0] = go_on(first.model, same, NULL, WITH("epochs", "3"));
    ran[1] = go_on(first.model, plain, NULL, WITH("epochs", "3"));
    ran[2] = go_on(first.model, opened, valid, WITH("epochs", "3"));
    ran[3] = go_on(first.model, opened, NULL, WITH("stream", "true"));
    for (int i = 0; i < 4; i++) {
        assert_fine(ran[i].code, &ran[i].error);
        assert_int_equal(cleave_model_feature_count(ran[i].model), 2);
        assert_string_equal(cleave_model_feature_name(ran[i].model, 1, name), "y");
        assert_string_equal(cleave_model_positive(ran[i].model),
                            cleave_model_positive(first.model));
        for (size_t c = 0; c < 2 && i < 3; c++)
            assert_true(cleave_model_weight(ran[i].model, 0, c) ==
                        cleave_model_weight(ran[0].model, 0, c));
    }
    assert_int_equal(ran[2].report->validation_rows, 4);
    for (int i = 0; i < 4; i++)
        end(&ran[i]);
    end(&first);
    cleave_data_free(data);
    cleave_data_free(plain);
    cleave_data_free(opened);
    cleave_data_free(same);
    cleave_data_free(valid);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void from_refused(const char *text, const char *const *pairs, cleave_code code,
                         const char *says)
{
    char folder[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_data *first = open_text(context, test_folder_new(folder),
                                   "a 1:1\nb 1:2\na 1:3\nb 1:4\n"),
                *next;
    Ran start = train(context, "svm", first,
                      WITH("solver", "sgd", "lambda", "0.01", "epochs", "1")),
        ran;

    assert_fine(start.code, &start.error);
    next = open_text(context, folder, text);
    for (int stream = 0; stream <= 1; stream++) {
        const char *all[8] = {"stream", stream ? "true" : "false"};

        for (size_t i = 0; pairs[i]; i++)
            all[2 + i] = pairs[i];
        ran = go_on(start.model, next, NULL, all);
        assert_int_equal(ran.code, code);
        assert_null(ran.model);
        assert_says(&ran.error, says);
    }
    end(&start);
    cleave_data_free(first);
    cleave_data_free(next);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void what_going_on_refuses(void **state)
{
    (void)state;
    from_refused("a 1:1\nc 1:2\n", WITH("seed", "1"), CLEAVE_ERROR_DATA,
                 "the label 'c' is not a class of the warm-start model");
    from_refused("a 1:1\nb 1:2\n", WITH("positive", "a"), CLEAVE_ERROR_USAGE,
                 "'a' is not the positive class of the warm-start model");
    from_refused("a 1:1\nb 1:2\n", WITH("solvr", "sgd"), CLEAVE_ERROR_USAGE,
                 "unknown option --solvr");
    from_refused("? 1:1\nb 1:2\n", WITH("seed", "1"), CLEAVE_ERROR_DATA, "text.libsvm:1: ");
}

/* New data may have only one of the classes, because the others are known. */
static void one_class_is_enough(void **state)
{
    char folder[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_data *first = open_text(context, test_folder_new(folder),
                                   "a 1:1\nb 1:2\na 1:3\nb 1:4\n");
    Ran start = train(context, "svm", first,
                      WITH("solver", "sgd", "lambda", "0.01", "epochs", "1"));
    cleave_data *next = open_text(context, folder, "b 1:3\nb 1:5\n");

    (void)state;
    for (int stream = 0; stream <= 1; stream++) {
        Ran ran = go_on(start.model, next, NULL,
                        WITH("epochs", "1", "stream", stream ? "true" : "false"));

        assert_fine(ran.code, &ran.error);
        assert_int_equal(ran.report->rows, 2);
        assert_int_equal(cleave_model_label_count(ran.model), 2);
        end(&ran);
    }
    end(&start);
    cleave_data_free(first);
    cleave_data_free(next);
    cleave_context_free(context);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_one_epoch),
        cmocka_unit_test(equals_one_epoch_of_other_sources),
        cmocka_unit_test(what_a_stream_refuses),
        cmocka_unit_test(skips_unlabeled_rows),
        cmocka_unit_test(empty_data),
        cmocka_unit_test(late_classes),
        cmocka_unit_test(one_class_for_too_long),
        cmocka_unit_test(warns_of_sorted_rows),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(no_trace),
        cmocka_unit_test(inherits_options),
        cmocka_unit_test(sees_data_as_the_model_does),
        cmocka_unit_test(what_going_on_refuses),
        cmocka_unit_test(one_class_is_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
