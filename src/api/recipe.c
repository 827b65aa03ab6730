#include "feature/recipe.h"
#include "api/recipe.h"

#include <stdio.h>

/* What suits the kind of data where nobody says: words weighted, values brought to one scale, all else as it is. */
static const char *usual(const Method *method, const Schema *schema, bool piecewise)
{
    if (clv_schema_is_text(schema) && method->binary_features)
        return "tfidf:tf=presence:idf=none:norm=none";
    if (clv_schema_is_text(schema))
        return piecewise ? "tfidf:idf=none" : "tfidf";
    return "";
}

static Status add(Context *context, Buffer *text, const char *part, size_t length, cleave_error *error)
{
    if (length && text->size)
        TRY(clv_buffer_add(context, text, ",", 1, error));
    return clv_buffer_add(context, text, part, length, error);
}

/* `auto` in a list is what is usual; `none` alone is nothing. */
static Status expand(Context *context, const char *said, const char *suits, Buffer *text, cleave_error *error)
{
    if (strcmp(said, "none") == 0)
        return clv_buffer_add(context, text, "", 1, error);
    for (const char *at = said;; at++) {
        size_t length = strcspn(at, ",");

        if (length == 4 && memcmp(at, "auto", 4) == 0)
            TRY(add(context, text, suits, strlen(suits), error));
        else
            TRY(add(context, text, length ? at : " ", length ? length : 1, error));
        at += length;
        if (!*at)
            return clv_buffer_add(context, text, "", 1, error);
    }
}

Status clv_recipe_of_run(Context *context, const Method *method, const char *said, const Schema *schema, bool piecewise,
                         Recipe **recipe, cleave_error *error)
{
    Buffer text = {0};
    Status status = expand(context, said, usual(method, schema, piecewise), &text, error);

    *recipe = NULL;
    if (status == OK && *text.data)
        status = clv_recipe_parse(context, text.data, recipe, error);
    clv_free(context, text.data);
    return status;
}

Status clv_recipe_tell(const Recipe *recipe, bool as_usual, cleave_error *error)
{
    Context *context = clv_recipe_stage(recipe, 0)->context;
    Buffer text = {0};
    char facts[512] = "";
    size_t used = 0;
    Status status = clv_recipe_text(recipe, &text, error);

    for (size_t i = 0; i < clv_recipe_stages(recipe); i++) {
        const Stage *stage = clv_recipe_stage(recipe, i);
        char said[160] = "";

        if (stage->transform->tell)
            stage->transform->tell(stage, said);
        if (*said && used + strlen(said) + 4 < sizeof facts)
            used += (size_t)snprintf(facts + used, sizeof facts - used, "%s%s", used ? "; " : ": ", said);
    }
    if (status == OK)
        clv_note(context, "features by --transform %s%s%s", text.data, as_usual ? " (as usual for such data)" : "",
                 facts);
    clv_free(context, text.data);
    return status;
}

Status clv_recipe_cook(Recipe *recipe, Dataset *raw, uint64_t seed, Dataset **cooked, cleave_error *error)
{
    Source *source, *made;
    Status status;

    TRY(clv_dataset_source(raw, false, &source, error));
    status = clv_recipe_learn(recipe, source, seed, error);
    if (status == OK)
        status = clv_source_rewind(source, error);
    if (status == OK) {
        status = clv_recipe_source(recipe, source, false, &made, error);
        if (status == OK) {
            status = clv_dataset_load(made, cooked, error);
            clv_source_close(made);
        }
    }
    clv_source_close(source);
    TRY(status);
    return clv_recipe_narrow(recipe, error);
}
