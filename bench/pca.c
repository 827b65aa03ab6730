/* pca FILE PIPELINE
 * Reads a file, learns the pipeline (pca:…) from its rows and puts them through it, on one thread, and prints
 *     CPU and wall seconds of learning, CPU and wall seconds of the rows, components, explained variances, all of it */
#include "data/dataset.h"
#include "pipeline/pipeline.h"
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(Status status, const cleave_error *error)
{
    if (status == OK)
        return;
    fprintf(stderr, "pca: %s\n", error->message);
    exit(1);
}

static double kept; /* used, so that the compiler keeps the transformed rows */

static void put_through(Context *context, const Pipeline *pipeline, Source *rows)
{
    RowWorkspace workspace = {.context = context};
    const Block *block;
    cleave_error error;

    need(clv_source_rewind(rows, &error), &error);
    for (;;) {
        need(source_next(rows, &block, &error), &error);
        if (!block)
            break;
        for (uint32_t i = 0; i < block->rows; i++) {
            need(clv_pipeline_row(pipeline, &workspace, block, i, &error), &error);
            if (workspace.row.count)
                kept += (double)workspace.row.value[0];
        }
    }
    clv_workspace_free(&workspace);
}

int main(int count, char **words)
{
    Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config), .threads = 1});
    ReadOptions options = {.format = "auto"};
    const BundleItem *variance, *total;
    double cpu[3], wall[3];
    Source *source, *rows;
    Dataset *dataset;
    Pipeline *pipeline;
    cleave_error error;

    if (count != 3 || !context)
        return 2;
    clv_params_initial(clv_read_params, &options);
    need(clv_read_files(context, (const char *const *)&words[1], 1, &options, NULL, &source, &error), &error);
    need(clv_dataset_load(source, &dataset, &error), &error);
    clv_source_close(source);
    need(clv_dataset_source(dataset, false, &rows, &error), &error);
    need(clv_pipeline_parse(context, words[2], &pipeline, &error), &error);
    cpu[0] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    wall[0] = seconds(CLOCK_MONOTONIC);
    need(clv_pipeline_learn(pipeline, rows, 1, &error), &error);
    cpu[1] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    wall[1] = seconds(CLOCK_MONOTONIC);
    put_through(context, pipeline, rows);
    cpu[2] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    wall[2] = seconds(CLOCK_MONOTONIC);
    variance = clv_bundle_get(clv_pipeline_step(pipeline, 0)->arrays, "variance", BUNDLE_F64);
    total = clv_bundle_get(clv_pipeline_step(pipeline, 0)->arrays, "total_variance", BUNDLE_F64);
    if (!variance || !total)
        return 1;
    printf("%.3f %.3f %.3f %.3f %llu", cpu[1] - cpu[0], wall[1] - wall[0], cpu[2] - cpu[1], wall[2] - wall[1],
           (unsigned long long)variance->count);
    for (uint64_t i = 0; i < variance->count; i++)
        printf(" %.10g", ((const double *)variance->data)[i]);
    printf(" %.10g\n", *(const double *)total->data);
    clv_pipeline_release(pipeline);
    clv_source_close(rows);
    clv_dataset_free(dataset);
    cleave_context_free(context);
    return isnan(kept);
}
