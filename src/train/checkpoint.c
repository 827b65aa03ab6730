#include "train/checkpoint.h"

#include "train/identity.h"

#include <stdio.h>
#include <unistd.h>

/* Names of the items in the model's bundle. */
#define FACTS "checkpoint.facts"
#define COUNTS "checkpoint.counts"
#define NUMBERS "checkpoint.numbers"
#define ROUND_COUNTS "checkpoint.round_mistakes"
#define ROUND_SECONDS "checkpoint.round_seconds"
#define BEST "checkpoint.best"

bool clv_checkpoint_is_param(const char *name)
{
    return strncmp(name, "checkpoint", strlen("checkpoint")) == 0;
}

/* ---- the facts ------------------------------------------------------------------------------- */

static Identity identity_of(const Run *run, Buffer *facts)
{
    return (Identity){.context = run->context, .error = run->error, .list = facts};
}

/* Adds the facts of the model of --from. */
static Status add_from(const Run *run, const Identity *identity)
{
    Hash hash;

    clv_hash_start(&hash, 0);
    clv_hash_add(&hash, &run->job.from->rounds, sizeof run->job.from->rounds);
    for (size_t i = 0; i < run->job.from->bundle->count; i++) {
        const BundleItem *item = &run->job.from->bundle->item[i];
        size_t size = item->type == BUNDLE_BYTES                             ? 1
                      : item->type == BUNDLE_U32 || item->type == BUNDLE_F32 ? 4
                                                                             : 8;

        clv_hash_add(&hash, item->name, strlen(item->name));
        clv_hash_add(&hash, item->data, (size_t)item->count * size);
    }
    return clv_identity_hash(identity, "hash of the model of --from", &hash);
}

/* Adds the facts of the program and its options, with `auto` replaced by its value. */
static Status add_command(const Run *run, const Identity *identity, const char *program)
{
    TRY(clv_identity_add(identity, "version of cleave", cleave_version()));
    TRY(clv_identity_add(identity, "program", program));
    TRY(clv_identity_add(identity, "method", run->job.method->name));
    TRY(clv_identity_params(identity, run->job.method->params, run->job.method_options,
                            clv_checkpoint_is_param));
    return clv_identity_params(identity, clv_run_params, &run->options, clv_checkpoint_is_param);
}

/* Lists all facts. The facts of the data come from a sample of the rows, so that the data is not
 * read completely. */
static Status list_facts(const Run *run, Buffer *facts)
{
    Identity identity = identity_of(run, facts);

    TRY(add_command(run, &identity, "cleave"));
    TRY(clv_identity_dataset(&identity, run->dataset, "", false));
    if (run->job.valid)
        TRY(clv_identity_dataset(&identity, run->job.valid, " held out", false));
    return run->job.from ? add_from(run, &identity) : OK;
}

Status clv_checkpoint_describe(Run *run, const char *program, const DataFact *data)
{
    Identity identity = identity_of(run, &run->checkpoint.facts);
    Hash hash;

    run->checkpoint.saved_at = clv_now();
    TRY(add_command(run, &identity, program));
    for (; data->name; data++)
        TRY(clv_identity_count(&identity, data->name, data->count));
    clv_identity_hash_labels(run->labels, &hash);
    TRY(clv_identity_hash(&identity, "hash of the labels", &hash));
    return run->job.from ? add_from(run, &identity) : OK;
}

/* Fails with the first fact that differs. The order of the facts is fixed for a method. */
static Status refuse(const Run *run, const char *theirs, size_t size, cleave_error *error)
{
    const char *path = run->options.checkpoint;
    Difference found = clv_identity_difference(theirs, size, &run->checkpoint.facts);
    char other[QUOTE_SIZE], mine[QUOTE_SIZE];

    if (found.name)
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "%s: the checkpoint belongs to another run: its %s is '%s', not '%s'", path,
                 found.name, clv_quote(other, found.theirs, strlen(found.theirs)),
                 clv_quote(mine, found.mine, strlen(found.mine)));
    else
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the checkpoint belongs to another run: %s", path,
                 run->job.from || run->job.valid ? "it has no --from or no held-out data"
                                                 : "it has --from or held-out data");
    return clv_hint(
        error, CLEAVE_ERROR_USAGE,
        "use the same options and data as that run, choose another file, or remove this file");
}

/* ---- state of the driver --------------------------------------------------------------------- */

enum { MANY_COUNTS = 14, MANY_NUMBERS = 7 };

static void list_counts(const Run *run, uint64_t counts[MANY_COUNTS], double numbers[MANY_NUMBERS])
{
    const Evaluation *best = &run->selected.evaluation;

    memcpy(counts,
           (uint64_t[MANY_COUNTS]){run->fit.counters.mistakes, (uint64_t)run->stop.epochs,
                                   run->stop.last_mistakes, (uint64_t)run->stop.unchanged,
                                   (uint64_t)run->stop.worse, run->stop.improved, run->checking,
                                   run->selected.epoch, best->n, best->unlabeled, best->errors,
                                   best->none, best->unseen_label, best->without_loss},
           MANY_COUNTS * sizeof *counts);
    memcpy(numbers,
           (double[MANY_NUMBERS]){run->stop.best, run->report->facts.loss, best->loss,
                                  best->squared_error, best->abs_error, best->target_mean,
                                  best->target_spread},
           MANY_NUMBERS * sizeof *numbers);
}

static void take_counts(Run *run, const uint64_t counts[MANY_COUNTS],
                        const double numbers[MANY_NUMBERS])
{
    run->fit.counters.mistakes = counts[0];
    run->stop.epochs = (int64_t)counts[1];
    run->stop.last_mistakes = counts[2];
    run->stop.unchanged = (int64_t)counts[3];
    run->stop.worse = (int64_t)counts[4];
    run->stop.improved = counts[5] != 0;
    run->checking = counts[6] != 0;
    run->selected.epoch = (uint32_t)counts[7];
    run->selected.evaluation = (Evaluation){.n = counts[8],
                                            .unlabeled = counts[9],
                                            .errors = counts[10],
                                            .none = counts[11],
                                            .unseen_label = counts[12],
                                            .without_loss = counts[13] != 0,
                                            .loss = numbers[2],
                                            .squared_error = numbers[3],
                                            .abs_error = numbers[4],
                                            .target_mean = numbers[5],
                                            .target_spread = numbers[6]};
    run->stop.best = numbers[0];
}

static Status broken(const Run *run, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_FORMAT, "use another file, or remove this file",
                         "%s: the file is a model, not a checkpoint of this version",
                         run->options.checkpoint);
}

static Status take_rounds(Run *run, const Bundle *bundle, double loss)
{
    const BundleItem *mistakes = clv_bundle_get(bundle, ROUND_COUNTS, BUNDLE_U64);
    const BundleItem *seconds = clv_bundle_get(bundle, ROUND_SECONDS, BUNDLE_F64);

    if (!mistakes || !seconds || mistakes->count != seconds->count || mistakes->count == 0)
        return broken(run, run->error);
    for (uint64_t i = 0; i < mistakes->count; i++)
        TRY(clv_report_round(run->report, ((const double *)seconds->data)[i],
                             ((const uint64_t *)mistakes->data)[i], loss, run->error));
    return OK;
}

static Status take_best(Run *run, const Bundle *bundle)
{
    const BundleItem *best = clv_bundle_get(bundle, BEST, BUNDLE_BYTES);

    if (!best)
        return run->watches ? broken(run, run->error) : OK;
    TRY(clv_new(run->context, &run->checkpoint.best_bytes, (size_t)best->count, 1, false,
                "the best model so far", run->error));
    memcpy(run->checkpoint.best_bytes, best->data, (size_t)best->count);
    TRY(clv_model_from_bytes(run->context, run->options.checkpoint, run->checkpoint.best_bytes,
                             (size_t)best->count, &run->selected.model, run->error));
    /* the bytes are freed with the model */
    run->selected.model->bytes = run->checkpoint.best_bytes;
    run->checkpoint.best_bytes = NULL;
    return OK;
}

Status clv_checkpoint_restore(Run *run, const Model *model)
{
    uint64_t counts[MANY_COUNTS];
    double numbers[MANY_NUMBERS];

    if (!clv_bundle_copy(model->bundle, COUNTS, BUNDLE_U64, counts, MANY_COUNTS) ||
        !clv_bundle_copy(model->bundle, NUMBERS, BUNDLE_F64, numbers, MANY_NUMBERS))
        return broken(run, run->error);
    take_counts(run, counts, numbers);
    TRY(take_rounds(run, model->bundle, numbers[1]));
    TRY(take_best(run, model->bundle));
    run->job.from = model;
    clv_note(run->context, "resuming after epoch %u from checkpoint %s", run->report->facts.epochs,
             run->options.checkpoint);
    return OK;
}

bool clv_checkpoint_is_one(const Model *model)
{
    return clv_bundle_get(model->bundle, FACTS, BUNDLE_BYTES) != NULL;
}

/* ---- search ---------------------------------------------------------------------------------- */

static Status compare(const Run *run, const Model *model, cleave_error *error)
{
    const BundleItem *facts = clv_bundle_get(model->bundle, FACTS, BUNDLE_BYTES);
    const Buffer *mine = &run->checkpoint.facts;

    if (!facts || facts->count == 0 || ((const char *)facts->data)[facts->count - 1] != '\0')
        return broken(run, error);
    if (facts->count != mine->size || memcmp(facts->data, mine->data, mine->size) != 0)
        return refuse(run, facts->data, (size_t)facts->count, error);
    return OK;
}

Status clv_checkpoint_load(const Run *run, Model **model, cleave_error *error)
{
    const char *path = run->options.checkpoint;
    Status status;

    *model = NULL;
    if (access(path, F_OK) != 0)
        return OK;
    status = clv_model_load(run->context, path, model, error);
    if (status == CLEAVE_ERROR_FORMAT)
        clv_hint(error, status,
                 "the file must be a checkpoint: use another file, or remove this file to start a "
                 "new run");
    THEN(status, compare(run, *model, error));
    if (status != OK) {
        cleave_model_free(*model);
        *model = NULL;
    }
    return status;
}

Status clv_checkpoint_pass_over(const Run *run, const char *flag)
{
    const BundleItem *rounds;
    cleave_error error;
    Model *model;
    Status status = clv_checkpoint_load(run, &model, &error);

    if (status == CLEAVE_ERROR_USAGE) {
        clv_note(run->context, "%s; a new run replaces it", error.message);
        return OK;
    }
    if (status != OK && run->error)
        *run->error = error;
    if (status != OK || !model)
        return status;
    rounds = clv_bundle_get(model->bundle, ROUND_COUNTS, BUNDLE_U64);
    clv_note(
        run->context,
        "%s is a checkpoint of this run after epoch %llu; a new run replaces it (%s resumes it)",
        run->options.checkpoint, (unsigned long long)(rounds ? rounds->count : 0), flag);
    cleave_model_free(model);
    return OK;
}

Status clv_checkpoint_find(Run *run)
{
    if (!run->options.checkpoint)
        return OK;
    run->checkpoint.saved_at = clv_now();
    TRY(list_facts(run, &run->checkpoint.facts));
    TRY(clv_checkpoint_load(run, &run->checkpoint.model, run->error));
    return run->checkpoint.model ? clv_checkpoint_restore(run, run->checkpoint.model) : OK;
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* A checkpoint is due every N epochs or every N seconds if one of them is given, otherwise after
 * each epoch. */
bool clv_checkpoint_is_due(const Run *run)
{
    uint32_t rounds = run->report->facts.epochs;
    int64_t every = run->options.checkpoint_every;

    if (run->options.checkpoint_seconds > 0 &&
        clv_now() - run->checkpoint.saved_at >= run->options.checkpoint_seconds)
        return true;
    return every > 0 ? rounds % every == 0 : !(run->options.checkpoint_seconds > 0);
}

static Status put_best(const Run *run, Model *model)
{
    Buffer bytes = {0};
    Status status;

    if (!run->selected.model)
        return OK;
    status = clv_model_to_bytes(run->selected.model, &bytes, run->error);
    if (status != OK) {
        clv_free(run->context, bytes.data);
        return status;
    }
    return clv_bundle_take(model->bundle, BEST, BUNDLE_BYTES, bytes.data, bytes.size, run->error);
}

static Status put(const Run *run, Model *model)
{
    const cleave_report *report = &run->report->facts;
    const Buffer *facts = &run->checkpoint.facts;
    uint64_t counts[MANY_COUNTS];
    double numbers[MANY_NUMBERS];

    list_counts(run, counts, numbers);
    TRY(clv_bundle_put(model->bundle, FACTS, BUNDLE_BYTES, facts->data, facts->size, run->error));
    TRY(clv_bundle_put(model->bundle, COUNTS, BUNDLE_U64, counts, MANY_COUNTS, run->error));
    TRY(clv_bundle_put(model->bundle, NUMBERS, BUNDLE_F64, numbers, MANY_NUMBERS, run->error));
    TRY(clv_bundle_put(model->bundle, ROUND_COUNTS, BUNDLE_U64, report->epoch_mistakes,
                       report->epoch_count, run->error));
    TRY(clv_bundle_put(model->bundle, ROUND_SECONDS, BUNDLE_F64, report->epoch_seconds,
                       report->epoch_count, run->error));
    return put_best(run, model);
}

Status clv_checkpoint_save(Run *run)
{
    Model *model;
    Status status;

    if (!run->options.checkpoint || run->stopped_by || !clv_checkpoint_is_due(run))
        return OK;
    TRY(clv_run_make_model(run, &model));
    status = put(run, model);
    THEN(status, clv_model_save(model, run->options.checkpoint, run->error));
    cleave_model_free(model);
    run->checkpoint.saved_at = clv_now();
    return status;
}
