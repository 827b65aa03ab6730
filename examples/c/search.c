/*
 * The nearest of a few points, without labels: an index made of rows, asked with values.
 * Build it with the Makefile beside it, or: cc search.c $(pkg-config --cflags --libs cleave)
 */
#include <cleave/expert.h>

#include <stdio.h>
#include <stdlib.h>

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK) {
        fprintf(stderr, "%s\n%s\n", error->message, error->hint);
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    static const float points[5][2] = {{1, 4}, {3, 3}, {3, 1}, {3, 6}, {5, 3}};
    static const float queries[2][2] = {{3, 4}, {6, 3}};
    static const uint32_t columns[2] = {0, 1};
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *index = cleave_options_new(context), *wanted = cleave_options_new(context);
    cleave_searcher *searcher;
    cleave_model *model;
    cleave_data *data;
    cleave_error error;
    uint64_t rows[2][2];
    double distances[2][2];

    check(cleave_data_new(context, &data, &error), &error);
    for (size_t i = 0; i < 5; i++)
        check(cleave_data_add(data, NULL, 2, columns, points[i], &error), &error);
    check(cleave_options_set(index, "unlabelled", "true", &error), &error);
    check(cleave_train(context, "knn", data, NULL, index, &model, NULL, &error), &error);

    check(cleave_options_set(wanted, "k", "2", &error), &error);
    check(cleave_searcher_open(model, wanted, &searcher, &error), &error);
    check(cleave_search_vectors(searcher, queries[0], 2, rows[0], distances[0], &error), &error);
    for (size_t i = 0; i < 2; i++)
        printf("(%g, %g): row %llu at %g, row %llu at %g\n", (double)queries[i][0], (double)queries[i][1],
               (unsigned long long)rows[i][0], distances[i][0], (unsigned long long)rows[i][1], distances[i][1]);

    cleave_searcher_free(searcher);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(wanted);
    cleave_options_free(index);
    cleave_context_free(context);
    return 0;
}
