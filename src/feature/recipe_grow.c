/* A recipe that takes columns which appeared after it was learned: the same stages with more inputs and outputs. */
#include "feature/recipe_parts.h"

bool clv_recipe_admits(const Recipe *recipe, uint64_t df)
{
    for (size_t i = 0; i < recipe->count; i++)
        if (!recipe->stage[i].transform->grow || !recipe->stage[i].transform->admits(&recipe->stage[i], df))
            return false;
    return clv_names_same(&recipe->inputs.names, &recipe->outputs.names);
}

static Status grow_stages(const Recipe *recipe, const Growth *growth, Recipe *grown, cleave_error *error)
{
    for (size_t i = 0; i < recipe->count; i++) {
        const Stage *from = &recipe->stage[i];
        Stage *stage = &grown->stage[i];

        stage->inputs = from->inputs + growth->count;
        stage->outputs = from->outputs + growth->count;
        stage->error = error;
        TRY(from->transform->grow(from, growth, stage));
        stage->error = NULL;
        if (stage->transform->ready)
            TRY(stage->transform->ready(stage, error));
    }
    return OK;
}

Status clv_recipe_grow(const Recipe *recipe, const Growth *growth, const Names *names, Recipe **result,
                       cleave_error *error)
{
    Buffer text = {0};
    Recipe *grown = NULL;
    Status status = clv_recipe_text(recipe, &text, error);

    *result = NULL;
    if (status == OK)
        status = clv_recipe_parse(recipe->context, text.data, &grown, error);
    clv_free(recipe->context, text.data);
    TRY(status);
    status = clv_names_copy(&grown->inputs.names, names, error);
    if (status == OK)
        status = clv_names_copy(&grown->outputs.names, names, error);
    grown->inputs.count = recipe->inputs.count + growth->count;
    grown->outputs.count = recipe->outputs.count + growth->count;
    if (status == OK)
        status = grow_stages(recipe, growth, grown, error);
    if (status != OK) {
        clv_recipe_drop(grown);
        return status;
    }
    *result = grown;
    return OK;
}
