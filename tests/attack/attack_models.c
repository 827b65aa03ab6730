/*
 * Model files from outside. Small models of every method, every index of neighbors and pipelines of
 * every transform are trained here and then changed: bytes, directory entries, arrays, parameters,
 * parts of other models, always with a valid checksum. Every function that takes a model runs on
 * the mutants that load (use_model.c).
 */
#include "attack/mutate.h"
#include "attack/use_model.h"
#include "base/memory.h"
#include "model/registry.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

enum { SPARSE, ONES, CLASSES, NUMBERS, PLANE, TABLE, TEXT_ROWS, SEQUENCES, RATINGS, FILES };

static const struct {
    const char *name;
    const char *text;
} files[FILES] = {
    [SPARSE] = {"sparse.libsvm",
                "+1 1:1 3:0.5\n-1 2:1.5 4:-1\n+1 1:2 5:1\n-1 2:1 3:0.25 7:1\n+1 1:0.5 2:0.5\n"
                "-1 4:2\n+1 3:1 5:1\n-1 2:2 7:0.5\n+1 1:1.5\n-1 4:1 6:1\n"},
    [ONES] = {"ones.libsvm",
              "+1 1:1 3:1\n-1 2:1 4:1\n+1 1:1 5:1\n-1 2:1 3:1 7:1\n+1 1:1 2:1\n-1 4:1\n+1 3:1 5:1\n"
              "-1 2:1 7:1\n"},
    [CLASSES] = {"classes.libsvm",
                 "a 1:1 2:0.5 3:2\nb 1:-1 2:1 3:0.5\nc 1:0.5 2:-1 3:1\na 1:1.5 2:0.25 3:1.5\n"
                 "b 1:-2 2:1.5 3:1\nc 1:0.25 2:-2 3:0.5\na 1:2 2:1 3:1\nb 1:-0.5 2:2 3:0.25\n"
                 "c 1:1 2:-1.5 3:0.75\na 1:3 2:0.5 3:2\nb 1:-1 2:3 3:0.5\nc 1:0.5 2:-3 3:1\n"},
    [NUMBERS] = {"numbers.libsvm",
                 "1.5 1:1 2:0.5\n-1 1:-1 2:1\n0.5 1:0.5 2:-1\n2 1:1.5 2:0.25\n-2.5 1:-2 2:1.5\n"
                 "0.25 1:0.25 2:-2 3:1\n3 1:2 2:1\n-0.5 1:-0.5 2:2 3:1\n"},
    [PLANE] =
        {"plane.csv",
         "x,y,label\n1,2,in\n2,1,in\n0,3,out\n5,4,out\n1.5,1.5,in\n4,0,out\n2,2,in\n-1,3,out\n"},
    [TABLE] = {"table.csv",
               "age,color,size,day,label\n31,red,1.5,2024-01-03,yes\n45,blue,,2024-02-04,no\n"
               "22,red,2.5,2024-03-05,yes\n,green,0.5,2024-04-06,no\n38,blue,1,2024-05-07,yes\n"
               "51,red,3,,no\n29,green,2,2024-07-09,yes\n60,,4,2024-08-10,no\n"},
    [TEXT_ROWS] = {"text.txt", "spam\tcheap viagra now, cheap offer\nham\tthe meeting is at noon\n"
                               "spam\toffer now: buy viagra\nham\tlunch at noon? the same place\n"
                               "spam\tbuy cheap now\nham\tthe notes of the meeting\n"},
    [SEQUENCES] =
        {"words.txt",
         "animal\tcat\nanimal\tcats\nthing\tchair\nthing\tchairs\nanimal\tdog\nthing\tdoor\n"},
    [RATINGS] = {"ratings.csv",
                 "user,item,rating\na,x,5\na,y,1\nb,x,4\nb,z,2\nc,y,1\nc,z,3\nc,w,5\nd,w,4\n"},
};

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct {
    const char *method;
    int file;
    const char *options; /* for training and reading: NAME=VALUE, separated by blanks; boxes=… adds
                            ids, metadata and boxes */
} Wanted;

static const Wanted wanted[] = {
    {"perceptron", SPARSE, ""},
    {"perceptron", CLASSES, "form=voted learn_threshold=true epochs=5"},
    {"perceptron", CLASSES, "form=averaged epochs=5 multiclass=joint"},
    {"perceptron", TEXT_ROWS, "form=averaged epochs=5"},
    {"winnow", ONES, "epochs=5"},
    {"winnow", ONES, "balanced=true threshold=1 form=averaged epochs=5"},
    {"lms", NUMBERS, "epochs=5"},
    {"lms", NUMBERS, "form=averaged epochs=5"},
    {"least-squares", NUMBERS, ""},
    {"svm", SPARSE, ""},
    {"svm", CLASSES, "solver=sgd epochs=3 multiclass=joint"},
    {"svm", CLASSES, "solver=asgd epochs=3 calibrate=true validation_fraction=0.5"},
    {"svm", SPARSE, "solver=pegasos epochs=3"},
    {"svm", SPARSE, "solver=dcd max_iterations=2"},
    {"svm", SPARSE, "solver=adaptive epochs=3"},
    {"logistic", CLASSES, "solver=adaptive epochs=2"},
    {"logistic", CLASSES, "solver=ftrl l1_ratio=0.5 epochs=3"},
    {"lms", NUMBERS, "solver=adaptive epochs=3"},
    {"svr", NUMBERS, "solver=ftrl epochs=3"},
    {"logistic", SPARSE, "solver=gd max_iterations=3"},
    {"logistic", CLASSES, "solver=lbfgs max_iterations=2"},
    {"logistic", CLASSES, "solver=newton max_iterations=2"},
    {"logistic", TABLE, ""},
    {"logistic", TEXT_ROWS, ""},
    {"svr", NUMBERS, "max_iterations=3"},
    {"kernel-perceptron", CLASSES, "epochs=3"},
    {"kernel-perceptron", SPARSE, "kernel=linear epochs=3"},
    {"kernel-svm", CLASSES, ""},
    {"kernel-svm", SPARSE, "kernel=polynomial"},
    {"kernel-svm", SPARSE, "solver=sgd epochs=3"},
    {"kernel-svm", SPARSE, "solver=fourier fourier_features=8 epochs=3"},
    {"knn", CLASSES, "index=scan"},
    {"knn", CLASSES, "index=kdtree leaf=2"},
    {"knn", PLANE, "index=quadtree leaf=2 transform=none"},
    {"knn", CLASSES, "index=rtree fanout=3"},
    {"knn", CLASSES, "index=vafile parts=2 bits=4"},
    {"knn", CLASSES, "index=vafile bits=8"},
    {"knn", CLASSES, "index=lsh radii=2"},
    {"knn", CLASSES, "index=ivf"},
    {"knn", CLASSES, "distance=inner-product index=ivf weight=none"},
    {"knn", CLASSES, "distance=cosine weight=gaussian vote=agree"},
    {"knn", CLASSES, "distance=cosine index=vafile bits=8 weight=none"},
    {"knn", CLASSES, "distance=angle index=vafile parts=2 bits=4"},
    {"knn", CLASSES, "distance=inner-product index=vafile bits=8 weight=none"},
    {"knn", CLASSES, "distance=inner-product index=scan weight=none"},
    {"knn", SPARSE, "distance=inner-product weight=none"},
    {"knn", SPARSE, "distance=cosine index=scan weight=none"},
    {"knn", CLASSES, "distance=angle index=lsh radii=2"},
    {"knn", SPARSE, "distance=jaccard weight=1/d"},
    {"knn", TABLE, "distance=gower"},
    {"knn", TABLE, "feature_weights=age=2"},
    {"knn", SEQUENCES, "distance=edit sequence=true k=2"},
    {"knn", TEXT_ROWS, "distance=cosine"},
    {"knn", PLANE, "transform=none"},
    {"knn", PLANE, "transform=none index=rtree fanout=3 boxes=d=x..x,e=y..y"},
    {"knn", PLANE, "transform=none index=kdtree leaf=2 boxes=d=x..x"},
    {"knn-regression", NUMBERS, "index=kdtree"},
    {"knn-regression", NUMBERS, "distance=angle index=vafile bits=4"},
    {"tree", CLASSES, ""},
    {"tree", TABLE, ""},
    {"tree", PLANE, ""},
    {"tree-regression", NUMBERS, ""},
    {"forest", TABLE, "trees=3 importance=permutation"},
    {"forest", CLASSES, "trees=3"},
    {"forest-regression", NUMBERS, "trees=3"},
    {"boost", TABLE, "rounds=3"},
    {"boost", CLASSES, "rounds=3"},
    {"boost", SPARSE, "rounds=3 loss=exponential"},
    {"boost-regression", NUMBERS, "rounds=3"},
    {"mlp", CLASSES, "hidden=5,3 epochs=2"},
    {"mlp", CLASSES, "hidden=4 epochs=2 solver=sgd activation=tanh loss=squared"},
    {"mlp", SPARSE, "hidden=4 epochs=2 loss=logistic"},
    {"mlp", PLANE, "layers=in:\tx=1\t>\t0.5"},
    {"mlp", TABLE, "hidden=3 epochs=2"},
    {"mlp", TEXT_ROWS, "hidden=3 epochs=2"},
    {"mlp-regression", NUMBERS, "hidden=4 epochs=2"},
    {"uv", RATINGS, "task=ratings rank=2 epochs=3"},
    {"uv", RATINGS, "task=ratings rank=3 epochs=2 solver=als implicit=true"},
    {"logistic", TABLE, "transform=impute,rare:min_count=2,scale"},
    {"logistic", TABLE, "transform=ordinal:mark_missing"},
    {"svm", CLASSES, "transform=scale,polynomial:degree=2"},
    {"svm", CLASSES, "transform=pca:components=2"},
    {"svm", CLASSES, "transform=project:components=2"},
    {"svm", CLASSES, "transform=fourier:components=4"},
    {"svm", TEXT_ROWS, "transform=tfidf,select:top=4"},
    {"svm", TEXT_ROWS, "hash_bits=6 ngrams=1-2"},
    {"logistic", PLANE, "transform=polar"},
    {"logistic", PLANE, "transform=radius"},
    {"logistic", PLANE, "transform=running-scale"},
    {"logistic", TABLE, "transform=running-scale"},
    {"perceptron", TABLE, "transform=impute,running-scale:clip=2 epochs=3"},
    {"lms", NUMBERS, "transform=running-scale epochs=3"},
    {"knn", TABLE, "transform=running-scale distance=cosine"},
};
enum { MODELS = sizeof wanted / sizeof *wanted };

typedef struct {
    const Wanted *wanted;
    Bytes bytes;
    BundleParts parts;
} Seed;

typedef struct {
    char folder[TEST_PATH_SIZE];
    char path[FILES][TEST_PATH_SIZE];
    cleave_context *context;
    Seed seed[MODELS];
    uint64_t accepted;
} Campaign;

/* One list has the options for reading and for training. */
static void set_options(const char *list, cleave_options *reading, cleave_options *training)
{
    char text[256], *rest = NULL;

    snprintf(text, sizeof text, "%s", list);
    for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(pair, '=');

        *value++ = '\0';
        if (strcmp(pair, "boxes") == 0)
            continue;
        cleave_options_set(clv_param_find(cleave_read_params(), pair) ? reading : training, pair,
                           value, NULL);
    }
}

/* A table of ids, languages and titles for the rows of a model. */
static void add_metadata(Campaign *campaign, const Wanted *one, cleave_model *model)
{
    char path[TEST_PATH_SIZE], text[1024] = "key,lang,title\n";
    cleave_error error = {0};

    for (uint64_t row = 0; row < cleave_model_rows(model); row++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "k%d,%s,\"a, %d\"\n", (int)row,
                 row % 2 ? "en" : "", (int)row);
    test_write_text(test_join(path, campaign->folder, "metadata.csv"), text);
    if (cleave_model_add_metadata(model, "key", path, &error) != CLEAVE_OK ||
        cleave_model_set_boxes(model, strstr(one->options, "boxes=") + strlen("boxes="), &error) !=
            CLEAVE_OK)
        attack_fail(one->method, error.message);
}

static void make_seed(Campaign *campaign, const Wanted *one, Seed *seed)
{
    cleave_options *reading = cleave_options_new(campaign->context),
                   *training = cleave_options_new(campaign->context);
    cleave_data *data = NULL;
    cleave_model *model = NULL;
    cleave_error error = {0};
    Buffer bytes = {0};

    seed->wanted = one;
    set_options(one->options, reading, training);
    if (cleave_open(campaign->context, campaign->path[one->file], reading, &data, &error) !=
            CLEAVE_OK ||
        cleave_train(campaign->context, one->method, data, NULL, training, &model, NULL, &error) !=
            CLEAVE_OK)
        attack_fail(one->method, error.message);
    if (strstr(one->options, "boxes="))
        add_metadata(campaign, one, model);
    if (clv_model_to_bytes(model, &bytes, &error) != OK)
        attack_fail(one->method, error.message);
    bytes_set(&seed->bytes, bytes.data, bytes.size);
    if (!bundle_take_apart(&seed->bytes, &seed->parts))
        attack_fail(one->method, "a new model is not a bundle");
    clv_free(campaign->context, bytes.data);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(reading);
    cleave_options_free(training);
}

/* ---- parameters ------------------------------------------------------------------------------ */

static size_t below(Random *random, size_t bound)
{
    return bound ? (size_t)(clv_random_next(random) % bound) : 0;
}

/* A valid value of the parameter, or a value of another kind. */
static void draw_value(const Param *param, Random *random, char text[64])
{
    static const char *const odd[] = {
        "",    "0",    "1",     "-1",   "auto", "none", "true", "false", "inf", "-inf",
        "nan", "1e18", "1e300", "4e9",  "0.5",  "1/0",  "2",    "65536", "x,y", "1e-300",
        "63",  "1e15", "999",   "a=1e", "3,",   "mean", "all",  "sgd",   "dcd", "balanced"};
    size_t count = 0;

    snprintf(text, 64, "%s", odd[below(random, sizeof odd / sizeof *odd)]);
    if (!param || below(random, 3) == 0)
        return;
    switch (param->type) {
    case CLEAVE_NAME:
        while (param->values[count])
            count++;
        snprintf(text, 64, "%s", param->values[below(random, count)]);
        break;
    case CLEAVE_FLAG:
        snprintf(text, 64, "%s", below(random, 2) ? "true" : "false");
        break;
    case CLEAVE_REAL:
    case CLEAVE_INTEGER:
        snprintf(text, 64, "%.17g",
                 below(random, 3) == 0   ? (double)below(random, 20)
                 : below(random, 2) == 0 ? param->min
                                         : param->max);
        break;
    case CLEAVE_TEXT:
        break;
    }
}

/* Changes the value of a parameter or its name, repeats the parameter or removes it. */
static void mutate_param(BundleParts *parts, const Method *method, Random *random)
{
    BundlePart *params = bundle_part(parts, "m.params");
    size_t count = 0, at = 0, chosen, name, value;
    char text[64];

    if (!params || params->data.size == 0 || params->data.bytes[params->data.size - 1] != '\0')
        return;
    for (size_t i = 0; i < params->data.size; i++)
        count += params->data.bytes[i] == '\0';
    chosen = below(random, count / 2);
    for (size_t i = 0; i < 2 * chosen; i++)
        at += strlen((const char *)params->data.bytes + at) + 1;
    name = strlen((const char *)params->data.bytes + at);
    if (at + name + 1 >= params->data.size)
        return;
    value = strlen((const char *)params->data.bytes + at + name + 1);
    draw_value(clv_param_find(method->params, (const char *)params->data.bytes + at), random, text);
    switch (below(random, 12)) {
    case 0:
        bytes_replace(&params->data, at, name + value + 2, NULL, 0);
        break;
    case 1: { /* once more, in front of all */
        unsigned char *copy = malloc(name + value + 2);

        memcpy(copy, params->data.bytes + at, name + value + 2);
        bytes_replace(&params->data, 0, 0, copy, name + value + 2);
        free(copy);
        break;
    }
    case 2:
        bytes_replace(&params->data, at, name, text, strlen(text));
        break;
    default:
        bytes_replace(&params->data, at + name + 1, value, text, strlen(text));
    }
    params->count = params->data.size;
}

/* ---- mutants --------------------------------------------------------------------------------- */

static const Method *method_of(const char *name)
{
    const Method *method = NULL;

    if (clv_method_find(name, &method, NULL) != OK)
        attack_fail("no such method", name);
    return method;
}

/* Some changes of bytes leave a wrong size in the header, as in a truncated copy. */
static void mutate_file(const Campaign *campaign, const Seed *seed, Bytes *bytes, Random *random)
{
    const Seed *other = &campaign->seed[below(random, MODELS)];
    size_t changes = 1 + below(random, 3);

    bytes_set(bytes, seed->bytes.bytes, seed->bytes.size);
    for (size_t i = 0; i < changes; i++)
        mutate_bytes(bytes, below(random, 8) == 0 ? 0 : 64, &other->bytes, random);
    if (bytes->size >= 64 && below(random, 8) != 0) {
        uint64_t size = bytes->size;

        memcpy(bytes->bytes + 16, &size, sizeof size);
    }
    if (below(random, 32) != 0)
        bundle_mend(bytes->bytes, bytes->size);
}

static void mutate_model(const Campaign *campaign, const Seed *seed, Bytes *bytes, Random *random)
{
    const Seed *other = &campaign->seed[below(random, MODELS)];
    size_t changes = 1 + below(random, 3);
    BundleParts parts;

    if (below(random, 8) == 0) {
        mutate_file(campaign, seed, bytes, random);
        return;
    }
    for (size_t i = 0; i < 8 && strcmp(other->wanted->method, seed->wanted->method) != 0; i++)
        other = &campaign->seed[below(random, MODELS)]; /* most often of the same method */
    if (!bundle_take_apart(&seed->bytes, &parts))
        attack_fail(seed->wanted->method, "a seed is not a bundle");
    for (size_t i = 0; i < changes; i++)
        if (below(random, 4) == 0)
            mutate_param(&parts, method_of(seed->wanted->method), random);
        else
            mutate_parts(&parts, &other->parts, random);
    bundle_put_together(&parts, bytes);
    bundle_parts_free(&parts);
}

static void attack_model(Campaign *campaign, const Seed *seed, const Bytes *bytes, uint64_t choice)
{
    ModelFiles used = {.rows = campaign->path[seed->wanted->file], .folder = campaign->folder};
    unsigned char *copy = bytes_exact(bytes);
    cleave_error error = {0};
    cleave_model *model = NULL;

    if (attack_check(
            clv_model_from_bytes(campaign->context, "mutant", copy, bytes->size, &model, &error),
            &error, "cleave_load")) {
        campaign->accepted++;
        use_model_alone(campaign->context, model);
        use_model(campaign->context, model, &used, choice);
    }
    cleave_model_free(model);
    free(copy);
}

static void begin(Campaign *campaign)
{
    campaign->context = cleave_context_new(&attack_config);
    if (!campaign->context)
        attack_fail("the attack itself is out of memory", "");
    test_folder_new(campaign->folder);
    for (size_t i = 0; i < FILES; i++)
        test_write_text(test_join(campaign->path[i], campaign->folder, files[i].name),
                        files[i].text);
    for (size_t i = 0; i < MODELS; i++)
        make_seed(campaign, &wanted[i], &campaign->seed[i]);
}

static void end(Campaign *campaign)
{
    for (size_t i = 0; i < MODELS; i++) {
        bytes_free(&campaign->seed[i].bytes);
        bundle_parts_free(&campaign->seed[i].parts);
    }
    cleave_context_free(campaign->context);
    test_folder_remove(campaign->folder);
}

int main(int argc, char **argv)
{
    Attack attack = attack_begin(argc, argv, 1500);
    Campaign campaign = {0};
    Bytes bytes = {0};

    begin(&campaign);
    for (size_t i = 0; i < MODELS; i++) /* the seeds work */
        attack_model(&campaign, &campaign.seed[i], &campaign.seed[i].bytes, i);
    if (campaign.accepted != MODELS)
        attack_fail("not every model loads", "");
    campaign.accepted = 0;
    for (uint64_t n = attack.first; n < attack.first + attack.count; n++) {
        Random random = attack_next(&attack, n, 20);
        const Seed *seed = &campaign.seed[below(&random, MODELS)];

        if (attack.verbose)
            fprintf(stderr, "%s %s %s\n", seed->wanted->method, files[seed->wanted->file].name,
                    seed->wanted->options);
        mutate_model(&campaign, seed, &bytes, &random);
        attack_model(&campaign, seed, &bytes, clv_random_next(&random));
    }
    printf("%llu of %llu mutants loaded and were used\n", (unsigned long long)campaign.accepted,
           (unsigned long long)attack.count);
    bytes_free(&bytes);
    end(&campaign);
    return 0;
}
