#include "run/checkpoint.h"

#include "base/hash.h"

#include <stdio.h>
#include <unistd.h>

/* Items of the model's bundle. */
#define FACTS "checkpoint.facts"
#define COUNTS "checkpoint.counts"
#define NUMBERS "checkpoint.numbers"
#define ROUND_COUNTS "checkpoint.round_mistakes"
#define ROUND_SECONDS "checkpoint.round_seconds"
#define BEST "checkpoint.best"

enum { SAMPLED_ROWS = 64, FACT_SIZE = 48 };

bool clv_checkpoint_is_param(const char *name)
{
    return strncmp(name, "checkpoint", strlen("checkpoint")) == 0;
}

/* ---- the facts ---------------------------------------------------------------------------------------------------- */

/* Names and values in turn, each with its NUL. */
static Status add_fact(const Run *run, Buffer *facts, const char *name, const char *value)
{
    TRY(clv_buffer_add(run->context, facts, name, strlen(name) + 1, run->error));
    return clv_buffer_add(run->context, facts, value, strlen(value) + 1, run->error);
}

static Status add_count(const Run *run, Buffer *facts, const char *name, uint64_t count)
{
    char text[FACT_SIZE];

    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    return add_fact(run, facts, name, text);
}

static Status add_hash(const Run *run, Buffer *facts, const char *name, const Hash *hash)
{
    char text[FACT_SIZE];

    snprintf(text, sizeof text, "%016llx", (unsigned long long)clv_hash_end(hash));
    return add_fact(run, facts, name, text);
}

/* Flags are told as they are written. Options are those that `auto` came to. */
static Status add_params(const Run *run, Buffer *facts, const Param *params, const void *options)
{
    for (const Param *param = params; param->name; param++) {
        char text[PARAM_TEXT_SIZE], name[80];

        if (clv_checkpoint_is_param(param->name))
            continue;
        snprintf(name, sizeof name, "--%s", clv_param_flag(param).text);
        TRY(add_fact(run, facts, name, clv_param_text(param, options, text)));
    }
    return OK;
}

static void hash_row(Hash *hash, const Block *block, uint32_t row)
{
    float weight = block_weight(block, row);
    uint32_t label = block_label(block, row);

    clv_hash_add(hash, &weight, sizeof weight);
    clv_hash_add(hash, &label, sizeof label);
    if (block->target_form == TARGETS_NUMBERS)
        clv_hash_add(hash, (const double *)block->target + row, sizeof(double));
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        clv_hash_add(hash, &walk.column, sizeof walk.column);
        clv_hash_add(hash, &walk.value, sizeof walk.value);
    }
}

/* Row i of the sample, spread over all: (rows - 1) * i / (SAMPLED_ROWS - 1), without that product, which may be too large. */
static uint64_t spread_row(uint64_t rows, uint64_t i)
{
    uint64_t whole = (rows - 1) / (SAMPLED_ROWS - 1), rest = (rows - 1) % (SAMPLED_ROWS - 1);

    return whole * i + rest * i / (SAMPLED_ROWS - 1);
}

/* Rows here and there, the first and the last among them: the data need not be read for it, and how it is cut into blocks does not
 * matter. */
static Status hash_rows(const Run *run, Dataset *dataset, Hash *hash)
{
    uint32_t number = 0;

    clv_hash_start(hash, 0);
    for (uint64_t i = 0; i < SAMPLED_ROWS; i++) {
        uint64_t row = spread_row(dataset->rows, i);
        Block block;

        while (number + 1 < dataset->blocks && dataset->block[number + 1].first_row <= row)
            number++;
        TRY(clv_dataset_block(dataset, number, &block, run->error));
        hash_row(hash, &block, (uint32_t)(row - dataset->block[number].first_row));
    }
    return OK;
}

static void hash_labels(const Labels *labels, Hash *hash)
{
    clv_hash_start(hash, 0);
    for (uint32_t i = 0; i < labels->count; i++) {
        clv_hash_add(hash, labels->list[i].text, strlen(labels->list[i].text) + 1);
        clv_hash_add(hash, &labels->list[i].count, sizeof labels->list[i].count);
    }
}

static Status add_dataset(const Run *run, Buffer *facts, Dataset *dataset, const char *which)
{
    char name[FACT_SIZE];
    Hash hash;

    snprintf(name, sizeof name, "number of rows%s", which);
    TRY(add_count(run, facts, name, dataset->rows));
    snprintf(name, sizeof name, "number of features%s", which);
    TRY(add_count(run, facts, name, dataset->features));
    snprintf(name, sizeof name, "number of non-zeros%s", which);
    TRY(add_count(run, facts, name, dataset->entries));
    hash_labels(&dataset->labels, &hash);
    snprintf(name, sizeof name, "hash of the labels%s", which);
    TRY(add_hash(run, facts, name, &hash));
    if (dataset->rows == 0)
        return OK;
    TRY(hash_rows(run, dataset, &hash));
    snprintf(name, sizeof name, "hash of some rows%s", which);
    return add_hash(run, facts, name, &hash);
}

/* The model that --from gave. */
static Status add_from(const Run *run, Buffer *facts)
{
    Hash hash;

    clv_hash_start(&hash, 0);
    clv_hash_add(&hash, &run->from->rounds, sizeof run->from->rounds);
    for (size_t i = 0; i < run->from->bundle->count; i++) {
        const BundleItem *item = &run->from->bundle->item[i];
        size_t size = item->type == BUNDLE_BYTES ? 1 : item->type == BUNDLE_U32 || item->type == BUNDLE_F32 ? 4 : 8;

        clv_hash_add(&hash, item->name, strlen(item->name));
        clv_hash_add(&hash, item->data, (size_t)item->count * size);
    }
    return add_hash(run, facts, "hash of the model of --from", &hash);
}

/* Whoever runs it. */
static Status add_command(const Run *run, Buffer *facts, const char *program)
{
    TRY(add_fact(run, facts, "version of cleave", cleave_version()));
    TRY(add_fact(run, facts, "program", program));
    TRY(add_fact(run, facts, "method", run->method->name));
    TRY(add_params(run, facts, run->method->params, run->method_options));
    return add_params(run, facts, clv_run_params, &run->options);
}

static Status list_facts(const Run *run, Buffer *facts)
{
    TRY(add_command(run, facts, "cleave"));
    TRY(add_dataset(run, facts, run->dataset, ""));
    if (run->valid)
        TRY(add_dataset(run, facts, run->valid, " held out"));
    return run->from ? add_from(run, facts) : OK;
}

Status clv_checkpoint_describe(Run *run, const char *program, const DataFact *data)
{
    Buffer *facts = &run->checkpoint.facts;
    Hash hash;

    run->checkpoint.saved_at = clv_now();
    TRY(add_command(run, facts, program));
    for (; data->name; data++)
        TRY(add_count(run, facts, data->name, data->count));
    hash_labels(run->labels, &hash);
    TRY(add_hash(run, facts, "hash of the labels", &hash));
    return run->from ? add_from(run, facts) : OK;
}

/* Says which of the facts is another one; they are listed in one order, as far as the methods are the same. */
static Status refuse(const Run *run, const char *theirs, size_t size, cleave_error *error)
{
    const char *path = run->options.checkpoint, *mine = run->checkpoint.facts.data;
    const char *end = theirs + size, *my_end = mine + run->checkpoint.facts.size;
    char found[QUOTE_SIZE], wanted[QUOTE_SIZE];

    while (theirs < end && mine < my_end) {
        const char *value = theirs + strlen(theirs) + 1, *my_value = mine + strlen(mine) + 1;

        if (strcmp(theirs, mine) != 0 || value >= end)
            break;
        if (strcmp(value, my_value) != 0) {
            clv_fail(error, CLEAVE_ERROR_USAGE, "%s is of another run: its %s is '%s', and here it is '%s'", path, mine,
                     clv_quote(found, value, strlen(value)), clv_quote(wanted, my_value, strlen(my_value)));
            return clv_hint(error, CLEAVE_ERROR_USAGE,
                            "give the options and the data of that run, name another file, or remove this one");
        }
        theirs = value + strlen(value) + 1;
        mine = my_value + strlen(my_value) + 1;
    }
    clv_fail(error, CLEAVE_ERROR_USAGE, "%s is of another run: %s", path,
             run->from || run->valid ? "it had no such --from or held-out data" : "it had --from or held-out data");
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "give the options and the data of that run, name another file, or remove this one");
}

/* ---- what the driver knows ---------------------------------------------------------------------------------------- */

enum { MANY_COUNTS = 14, MANY_NUMBERS = 7 };

static void list_counts(const Run *run, uint64_t counts[MANY_COUNTS], double numbers[MANY_NUMBERS])
{
    const Judgement *best = &run->best_judgement;

    memcpy(counts,
           (uint64_t[MANY_COUNTS]){run->fit.mistakes, (uint64_t)run->stop.rounds, run->stop.last_mistakes,
                                   (uint64_t)run->stop.unchanged, (uint64_t)run->stop.worse, run->stop.improved,
                                   run->checking, run->best_round, best->n, best->unlabelled, best->errors, best->none,
                                   best->unseen_label, best->without_loss},
           MANY_COUNTS * sizeof *counts);
    memcpy(numbers,
           (double[MANY_NUMBERS]){run->stop.best, run->report->facts.loss, best->loss, best->squared_error,
                                  best->abs_error, best->target_mean, best->target_spread},
           MANY_NUMBERS * sizeof *numbers);
}

static void take_counts(Run *run, const uint64_t counts[MANY_COUNTS], const double numbers[MANY_NUMBERS])
{
    run->fit.mistakes = counts[0];
    run->stop.rounds = (int64_t)counts[1];
    run->stop.last_mistakes = counts[2];
    run->stop.unchanged = (int64_t)counts[3];
    run->stop.worse = (int64_t)counts[4];
    run->stop.improved = counts[5] != 0;
    run->checking = counts[6] != 0;
    run->best_round = (uint32_t)counts[7];
    run->best_judgement = (Judgement){.n = counts[8],
                                      .unlabelled = counts[9],
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
    clv_fail(error, CLEAVE_ERROR_FORMAT, "%s is a model, but no checkpoint of this version", run->options.checkpoint);
    return clv_hint(error, CLEAVE_ERROR_FORMAT, "name another file, or remove this one");
}

static Status take_rounds(Run *run, const Bundle *bundle, double loss)
{
    const BundleItem *mistakes = clv_bundle_get(bundle, ROUND_COUNTS, BUNDLE_U64);
    const BundleItem *seconds = clv_bundle_get(bundle, ROUND_SECONDS, BUNDLE_F64);

    if (!mistakes || !seconds || mistakes->count != seconds->count || mistakes->count == 0)
        return broken(run, run->error);
    for (uint64_t i = 0; i < mistakes->count; i++)
        TRY(clv_report_round(run->report, ((const double *)seconds->data)[i], ((const uint64_t *)mistakes->data)[i],
                             loss, run->error));
    return OK;
}

static Status take_best(Run *run, const Bundle *bundle)
{
    const BundleItem *best = clv_bundle_get(bundle, BEST, BUNDLE_BYTES);

    if (!best)
        return run->watches ? broken(run, run->error) : OK;
    run->checkpoint.best_bytes = clv_alloc(run->context, (size_t)best->count, 1);
    if (!run->checkpoint.best_bytes)
        return clv_fail_memory(run->error, "the best model so far", (size_t)best->count);
    memcpy(run->checkpoint.best_bytes, best->data, (size_t)best->count);
    TRY(clv_model_from_bytes(run->context, run->options.checkpoint, run->checkpoint.best_bytes, (size_t)best->count,
                             &run->best, run->error));
    run->best->bytes = run->checkpoint.best_bytes; /* the model's to free */
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
    run->from = model;
    clv_note(run->context, "going on after round %u, from the checkpoint %s", run->report->facts.passes,
             run->options.checkpoint);
    return OK;
}

bool clv_checkpoint_is_one(const Model *model)
{
    return clv_bundle_get(model->bundle, FACTS, BUNDLE_BYTES) != NULL;
}

/* ---- finding ------------------------------------------------------------------------------------------------------ */

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
        clv_hint(error, status, "a checkpoint was expected: name another file, or remove this one to begin anew");
    if (status == OK)
        status = compare(run, *model, error);
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
        clv_note(run->context, "%s; this run begins anew, and takes its place", error.message);
        return OK;
    }
    if (status != OK && run->error)
        *run->error = error;
    if (status != OK || !model)
        return status;
    rounds = clv_bundle_get(model->bundle, ROUND_COUNTS, BUNDLE_U64);
    clv_note(run->context,
             "%s is a checkpoint of this very run, after round %llu: %s would have gone on from it; this run begins "
             "anew, and takes its place",
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

/* ---- saving ------------------------------------------------------------------------------------------------------- */

/* By rounds or by seconds, where one of them was given; else after each round. */
bool clv_checkpoint_is_due(const Run *run)
{
    uint32_t rounds = run->report->facts.passes;
    int64_t every = run->options.checkpoint_every;

    if (run->options.checkpoint_seconds > 0 && clv_now() - run->checkpoint.saved_at >= run->options.checkpoint_seconds)
        return true;
    return every > 0 ? rounds % every == 0 : !(run->options.checkpoint_seconds > 0);
}

static Status put_best(const Run *run, Model *model)
{
    Buffer bytes = {0};
    Status status;

    if (!run->best)
        return OK;
    status = clv_model_to_bytes(run->best, &bytes, run->error);
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
    TRY(clv_bundle_put(model->bundle, ROUND_COUNTS, BUNDLE_U64, report->round_mistakes, report->round_count,
                       run->error));
    TRY(clv_bundle_put(model->bundle, ROUND_SECONDS, BUNDLE_F64, report->round_seconds, report->round_count,
                       run->error));
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
    if (status == OK)
        status = clv_model_save(model, run->options.checkpoint, run->error);
    cleave_model_free(model);
    run->checkpoint.saved_at = clv_now();
    return status;
}
