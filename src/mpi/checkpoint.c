#include "mpi/checkpoint.h"

#include "base/file.h"

#include <stddef.h>
#include <stdio.h>

static const struct {
    const char *name;
    size_t offset;
} facts[] = {
    {"checkpoint_chunks", offsetof(Checkpoint, chunks)},
    {"checkpoint_bytes", offsetof(Checkpoint, bytes)},
    {"checkpoint_passes", offsetof(Checkpoint, passes)},
    {"checkpoint_mistakes", offsetof(Checkpoint, mistakes)},
    {"checkpoint_last_mistakes", offsetof(Checkpoint, last_mistakes)},
    {"checkpoint_unchanged", offsetof(Checkpoint, unchanged)},
};
enum { FACTS = sizeof facts / sizeof *facts };

static Status add_facts(Model *model, const Checkpoint *checkpoint, cleave_error *error)
{
    for (size_t i = 0; i < FACTS; i++) {
        uint64_t number;
        char text[24];

        memcpy(&number, (const char *)checkpoint + facts[i].offset, sizeof number);
        snprintf(text, sizeof text, "%llu", (unsigned long long)number);
        TRY(clv_model_add_param(model, facts[i].name, text, error));
    }
    return OK;
}

Status clv_cluster_checkpoint_save(Run *run, const Checkpoint *checkpoint, const char *path)
{
    Model *model;
    Status status;

    TRY(clv_run_make_model(run, &model));
    status = add_facts(model, checkpoint, run->error);
    if (status == OK)
        status = clv_model_save(model, path, run->error);
    cleave_model_free(model);
    return status;
}

static const char *param_of(const Model *model, const char *name)
{
    for (size_t i = 0; i < model->param_count; i++)
        if (strcmp(model->params[i].name, name) == 0)
            return model->params[i].value;
    return NULL;
}

void clv_cluster_checkpoint_facts(const Model *model, Checkpoint *checkpoint)
{
    *checkpoint = (Checkpoint){0};
    for (size_t i = 0; i < FACTS; i++) {
        const char *text = param_of(model, facts[i].name);
        uint64_t number = 0;

        for (; text && *text >= '0' && *text <= '9'; text++)
            number = 10 * number + (uint64_t)(*text - '0');
        memcpy((char *)checkpoint + facts[i].offset, &number, sizeof number);
    }
}

static Status of_another_run(const char *path, const char *what, const char *then, const char *now, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_USAGE, "--resume: %s is of another run: %s was %s, and is %s now", path, what, then,
             now);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "give the same command again, or start anew without --resume");
}

static Status compare_number(const char *path, const char *what, uint64_t then, uint64_t now, cleave_error *error)
{
    char before[24], after[24];

    snprintf(before, sizeof before, "%llu", (unsigned long long)then);
    snprintf(after, sizeof after, "%llu", (unsigned long long)now);
    return then == now ? OK : of_another_run(path, what, before, after, error);
}

/* What stops a run may be said anew. */
static bool may_differ(const char *name)
{
    return strcmp(name, "rounds") == 0 || strcmp(name, "stable") == 0;
}

static Status compare_params(const Model *model, const char *path, const Param *params, const void *options,
                             cleave_error *error)
{
    for (const Param *param = params; param->name; param++) {
        const char *then = param_of(model, param->name), *now;
        char text[PARAM_TEXT_SIZE], what[80];

        now = clv_param_text(param, options, text);
        if (!then || may_differ(param->name) || strcmp(then, now) == 0)
            continue;
        snprintf(what, sizeof what, "--%s", clv_param_flag(param).text);
        return of_another_run(path, what, then, now, error);
    }
    return OK;
}

static Status compare(const Model *model, const char *path, const Run *run, uint64_t chunks, uint64_t bytes,
                      cleave_error *error)
{
    Checkpoint then;

    clv_cluster_checkpoint_facts(model, &then);
    if (then.chunks == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--resume: %s is a model, and no checkpoint of a run", path);
    if (model->method != run->method)
        return of_another_run(path, "the method", model->method->name, run->method->name, error);
    TRY(compare_number(path, "the number of chunks", then.chunks, chunks, error));
    TRY(compare_number(path, "the size of the data", then.bytes, bytes, error));
    TRY(compare_number(path, "the number of features", model->features, run->fit.features, error));
    TRY(compare_params(model, path, run->method->params, run->method_options, error));
    return compare_params(model, path, clv_run_params, &run->options, error);
}

Status clv_cluster_checkpoint_load(const char *path, const Run *run, uint64_t chunks, uint64_t bytes, Model **model,
                                   cleave_error *error)
{
    uint64_t size;
    Status status;

    *model = NULL;
    if (!clv_regular_file(path, &size)) {
        clv_note(run->context, "no checkpoint %s: this run begins with the first round", path);
        return OK;
    }
    TRY(clv_model_load(run->context, path, model, error));
    status = compare(*model, path, run, chunks, bytes, error);
    if (status != OK) {
        cleave_model_free(*model);
        *model = NULL;
    }
    return status;
}
