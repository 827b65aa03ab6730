/*
 * From a file to a model: reads labeled data, trains a linear SVM, evaluates it on the same rows,
 * and saves it.
 *
 *     ./file mail.tsv filter.model          ./file            trains on the built-in set @spam6
 */
#include "check.h"

int main(int count, char **argument)
{
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_context *context = cleave_context_new(NULL);
    cleave_report *report;
    cleave_model *model;
    cleave_data *data;
    cleave_error error;

    check(cleave_open(context, count > 1 ? argument[1] : "@spam6", NULL, &data, &error), &error);
    check(cleave_train(context, "svm", data, NULL, NULL, &model, &report, &error), &error);
    check(cleave_evaluate(model, data, NULL, &evaluation, &error), &error);
    printf("%llu rows, %llu features, %llu errors on the training rows\n",
           (unsigned long long)report->rows, (unsigned long long)report->features,
           (unsigned long long)evaluation.errors);
    if (count > 2)
        check(cleave_save(model, argument[2], &error), &error);

    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_context_free(context);
    return 0;
}
