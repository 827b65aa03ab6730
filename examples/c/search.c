/* Nearest neighbors: an index of points without labels, searched with queries in memory. Rows
 * count from 0. */
#include "check.h"

int main(void)
{
    static const float points[5][2] = {{1, 4}, {3, 3}, {3, 1}, {3, 6}, {5, 3}};
    static const float queries[2][2] = {{3, 4}, {6, 3}};
    cleave_matrix matrix = {
        .size = sizeof matrix, .rows = 5, .columns = 2, .type = CLEAVE_FLOAT32, .values = points};
    cleave_matrix query = {
        .size = sizeof query, .rows = 2, .columns = 2, .type = CLEAVE_FLOAT32, .values = queries};
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *index = cleave_options_new(context), *options = cleave_options_new(context);
    cleave_searcher *searcher;
    cleave_model *model;
    cleave_data *data;
    cleave_error error;
    int64_t rows[2][2];
    double distances[2][2];

    check(cleave_data_from_matrix(context, &matrix, NULL, &data, &error), &error);
    check(cleave_options_set(index, "keep_unlabeled", "true", &error), &error);
    check(cleave_train(context, "knn", data, NULL, index, &model, NULL, &error), &error);

    check(cleave_options_set(options, "k", "2", &error), &error);
    check(cleave_searcher_open(model, options, &searcher, &error), &error);
    check(cleave_search_matrix(searcher, &query, rows[0], distances[0], &error), &error);
    for (size_t i = 0; i < 2; i++)
        printf("(%g, %g): row %lld at %g, row %lld at %g\n", (double)queries[i][0],
               (double)queries[i][1], (long long)rows[i][0], distances[i][0], (long long)rows[i][1],
               distances[i][1]);

    cleave_searcher_free(searcher);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_options_free(index);
    cleave_context_free(context);
    return 0;
}
