#include "model/old_names.h"

#include "base/text.h"

typedef struct {
    const char *owner; /* method or transform; NULL: every method that is not listed above */
    const char *name;  /* current name of the parameter; values are renamed too */
    const char *old, *present;
} OldName;

static const OldName params[] = {
    {"winnow", NULL, "rate", "factor"},
    {"winnow", NULL, "up", "promotion"},
    {"winnow", NULL, "down", "demotion"},
    {"boost", NULL, "rounds", "rounds"},
    {"boost-regression", NULL, "rounds", "rounds"},
    {"forest", NULL, "rounds", "trees"},
    {"forest-regression", NULL, "rounds", "trees"},
    {"least-squares", NULL, "rounds", "max_iterations"},
    {"kernel-svm", NULL, "features", "fourier_features"},
    {"impute", NULL, "by", "strategy"},
    {"rare", NULL, "least", "min_count"},
    {"scale", NULL, "centre", "center"},
    {"select", NULL, "least", "min_score"},
    {"select", NULL, "of", "model"},
    {"fourier", NULL, "dimensions", "components"},
    {"fourier", NULL, "usual", "estimate"},
    {"pca", NULL, "dimensions", "components"},
    {"project", NULL, "dimensions", "components"},
    {NULL, NULL, "rate", "learning_rate"},
    {NULL, NULL, "rate_decay", "learning_rate_decay"},
    {NULL, NULL, "l1", "l1_ratio"},
    {NULL, NULL, "regularize_bias", "regularize_intercept"},
    {NULL, NULL, "no_bias", "no_intercept"},
    {NULL, NULL, "batch", "batch_size"},
    {NULL, NULL, "start", "initial_weights"},
    {NULL, NULL, "most_points", "max_points"},
    {NULL, NULL, "part", "shard"},
    {NULL, NULL, "unlabelled", "keep_unlabeled"},
    {NULL, NULL, "depth", "max_depth"},
    {NULL, NULL, "leaves", "max_leaves"},
    {NULL, NULL, "leaf_rows", "min_leaf_rows"},
    {NULL, NULL, "leaf_hessian", "min_leaf_hessian"},
    {NULL, NULL, "gain", "min_gain"},
    {NULL, NULL, "bins", "max_bins"},
    {NULL, NULL, "most_value", "max_leaf_value"},
    {NULL, NULL, "rows_share", "row_fraction"},
    {NULL, NULL, "rows_drawn", "row_fraction"},
    {NULL, NULL, "columns_share", "column_fraction"},
    {NULL, NULL, "columns_drawn", "max_features"},
    {NULL, NULL, "rounds", "epochs"},
    {NULL, NULL, "stable", "stable_epochs"},
    {NULL, NULL, "watch", "validation_metric"},
    {NULL, NULL, "holdout", "validation_fraction"},
    {NULL, NULL, "sample", "epochs_from_sample"},
    {NULL, NULL, "skip_unlabelled", "skip_unlabeled"},
};

static const OldName values[] = {
    {"impute", "strategy", "category", "mean"},  {"impute", "strategy", "refuse", "error"},
    {NULL, "multiclass", "rest", "one-vs-rest"}, {NULL, "validation_metric", "errors", "error"},
    {NULL, "order", "once", "shuffle-once"},     {NULL, "order", "each", "shuffle"},
    {NULL, "order", "draws", "random"},
};

static const OldName transforms[] = {
    {NULL, NULL, "missing", "impute"},
    {NULL, NULL, "codes", "ordinal"},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *present(const OldName *list, size_t count, const char *owner, const char *name,
                           const char *old)
{
    for (size_t i = 0; i < count; i++)
        if ((!list[i].owner || strcmp(list[i].owner, owner) == 0) &&
            (!name || strcmp(list[i].name, name) == 0) && strcmp(list[i].old, old) == 0)
            return list[i].present;
    return old;
}

const char *clv_present_name(const char *owner, const char *name)
{
    return present(params, COUNT(params), owner, NULL, name);
}

const char *clv_present_value(const char *owner, const char *name, const char *value)
{
    return present(values, COUNT(values), owner, name, value);
}

static Status add(Context *context, Buffer *text, const char *part, const char *separator,
                  cleave_error *error)
{
    TRY(clv_buffer_add(context, text, part, strlen(part), error));
    return clv_buffer_add(context, text, separator, strlen(separator), error);
}

/* Adds NAME:PARAMETER=VALUE:FLAG… . */
static Status add_stage(Context *context, Buffer *text, char *stage, cleave_error *error)
{
    char *next = strchr(stage, ':');
    const char *owner;

    if (next)
        *next++ = '\0';
    owner = present(transforms, COUNT(transforms), "", NULL, stage);
    TRY(add(context, text, owner, next ? ":" : "", error));
    for (char *at = next; at; at = next) {
        char *value = strchr(at, '='), *end = strchr(at, ':');

        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        if (value && (!end || value < end))
            *value++ = '\0';
        else
            value = NULL;
        at = (char *)clv_present_name(owner, at);
        TRY(add(context, text, at, value ? "=" : "", error));
        TRY(add(context, text, value ? clv_present_value(owner, at, value) : "", next ? ":" : "",
                error));
    }
    return OK;
}

Status clv_present_pipeline(Context *context, const char *text, char **result, cleave_error *error)
{
    char *copy = clv_copy_string(context, text, strlen(text));
    Buffer changed = {0};
    Status status = copy ? OK : clv_fail_memory(error, "a pipeline", strlen(text));

    for (char *at = copy, *next; at && status == OK; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        status = add_stage(context, &changed, at, error);
        THEN(status, clv_buffer_add(context, &changed, ",", next ? 1 : 0, error));
    }
    THEN(status, clv_buffer_add(context, &changed, "", 1, error));
    clv_free(context, copy);
    if (status != OK)
        FREE(context, changed.data);
    *result = changed.data;
    return status;
}
