/* From arrays to a model: trains on a matrix in memory, without a copy, and predicts a new row. */
#include "check.h"

int main(void)
{
    static const float rows[8][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2},
                                     {5, 5}, {5, 6}, {6, 5}, {6, 6}};
    static const char *const labels[8] = {"small", "small", "small", "small",
                                          "large", "large", "large", "large"};
    static const float point[2] = {5.5, 4};
    cleave_matrix matrix = {
        .size = sizeof matrix, .rows = 8, .columns = 2, .type = CLEAVE_FLOAT32, .values = rows};
    cleave_rows with = {.size = sizeof with, .labels = labels, .borrow = true};
    cleave_matrix query = {
        .size = sizeof query, .rows = 1, .columns = 2, .type = CLEAVE_FLOAT32, .values = point};
    cleave_context *context = cleave_context_new(NULL);
    cleave_predictor *predictor;
    cleave_model *model;
    cleave_data *data;
    cleave_error error;
    int64_t label;
    cleave_predictions to = {.size = sizeof to, .labels = &label};

    check(cleave_data_from_matrix(context, &matrix, &with, &data, &error), &error);
    check(cleave_train(context, "logistic", data, NULL, NULL, &model, NULL, &error), &error);
    check(cleave_predictor_new(model, &predictor, &error), &error);
    check(cleave_predict_matrix(predictor, &query, &to, &error), &error);
    printf("(%g, %g) is %s\n", (double)point[0], (double)point[1],
           cleave_model_label(model, (size_t)label));

    cleave_predictor_free(predictor);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_context_free(context);
    return 0;
}
