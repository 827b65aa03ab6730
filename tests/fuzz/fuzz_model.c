/* The model file, with the checksum switched off (nohash.c): what loads is looked through, predicts, and loads again. */
#include "fuzz/fuzz.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void look_through(const cleave_model *model)
{
    size_t outputs = 0, features = cleave_model_feature_count(model);
    char buffer[24];

    PROMISE(cleave_model_method(model));
    PROMISE(cleave_model_writer(model));
    for (size_t i = 0; i < cleave_model_label_count(model); i++)
        PROMISE(cleave_model_label(model, i));
    for (size_t i = 0; i < features && i < 4096; i++)
        PROMISE(cleave_model_feature_name(model, i, buffer));
    for (size_t i = 0;; i++) {
        const char *name;

        if (!cleave_model_param(model, i, &name))
            break;
        PROMISE(name);
    }
    if (!cleave_model_is_linear(model, &outputs))
        return;
    for (size_t output = 0; output < outputs && output < 64; output++) {
        volatile double sum = cleave_model_threshold(model, output);

        for (size_t i = 0; i < features && i < 4096; i++)
            sum = sum + cleave_model_weight(model, output, i);
    }
}

/* Every question of a tree in words, both ways. */
static void read_tree(const cleave_model *model, size_t tree)
{
    cleave_tree_node node;
    char words[64];

    for (size_t i = 0; i < 4096 && cleave_model_tree_node(model, tree, i, &node); i++) {
        PROMISE(node.nodes % 2 == 1);
        PROMISE(node.leaf || (node.left > i && node.right == node.left + 1));
        PROMISE(isnan(node.weight) || isfinite(node.weight));
        for (int left = 0; left < 2; left++)
            PROMISE(cleave_model_tree_condition(model, tree, i, left, 3, words, sizeof words) > 0 || node.leaf);
    }
}

static void look_at_trees(const cleave_model *model)
{
    size_t trees = cleave_model_tree_count(model), features = cleave_model_feature_count(model);
    double *gain, *harm;

    for (size_t i = 0; i < trees && i < 16; i++)
        read_tree(model, i);
    if (trees == 0 || features > 4096)
        return;
    gain = calloc(features + 1, sizeof *gain);
    harm = calloc(features + 1, sizeof *harm);
    if (gain && harm)
        cleave_model_importances(model, gain, harm);
    free(gain);
    free(harm);
}

static void predict(cleave_model *model)
{
    const uint32_t indexes[] = {0, 1, 3, 1000, 70000};
    const float values[] = {1, -2, 0.5f, 1e30f, 1};
    cleave_error error = {0};
    cleave_prediction prediction;

    for (size_t count = 0; count <= 5; count++) {
        cleave_code code = cleave_predict_row(model, count, indexes, values, &prediction, &error);

        if (code != CLEAVE_OK)
            fuzz_check_error(code, &error);
        else
            PROMISE(prediction.label && prediction.score_count > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    cleave_error error = {0};
    cleave_model *model = NULL;
    Status status = clv_model_from_bytes(context, "input", data, size, &model, &error);

    if (status == OK) {
        look_through(model);
        look_at_trees(model);
        predict(model);
        cleave_model_free(model);
    } else {
        fuzz_check_error(status, &error);
    }
    cleave_context_free(context);
    return 0;
}
