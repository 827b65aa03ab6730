/* Online updates: a model of text learns from new messages, with new words and a new class. */
#include "check.h"

int main(void)
{
    static const char *const first[] = {"cheap pills buy now", "meeting at noon",
                                        "buy cheap watches", "agenda for the meeting"};
    static const char *const first_labels[] = {"spam", "ham", "spam", "ham"};
    static const char *const later[] = {"your invoice is attached", "invoice number 17",
                                        "invoice overdue"};
    static const char *const later_labels[] = {"bill", "bill", "bill"};
    static const char *const message[] = {"an invoice for you"};
    cleave_rows rows = {.size = sizeof rows, .labels = first_labels};
    cleave_update_result result = {.size = sizeof result};
    cleave_context *context = cleave_context_new(NULL);
    cleave_model *model, *updated;
    cleave_predictor *predictor;
    cleave_data *data;
    cleave_error error;
    int64_t label;
    cleave_predictions to = {.size = sizeof to, .labels = &label};

    check(cleave_data_from_texts(context, first, NULL, 4, &rows, NULL, &data, &error), &error);
    check(cleave_train(context, "logistic", data, NULL, NULL, &model, NULL, &error), &error);
    cleave_data_free(data);

    rows = (cleave_rows){
        .size = sizeof rows, .labels = later_labels, .model = model, .keep_new = true};
    check(cleave_data_from_texts(context, later, NULL, 3, &rows, NULL, &data, &error), &error);
    check(cleave_update(model, data, NULL, NULL, &updated, &result, &error), &error);
    printf("%llu new rows, %llu new class, %llu new features\n", (unsigned long long)result.rows,
           (unsigned long long)result.new_classes, (unsigned long long)result.new_features);

    check(cleave_predictor_new(updated, &predictor, &error), &error);
    check(cleave_predict_texts(predictor, message, NULL, 1, &to, &error), &error);
    printf("\"%s\" is %s\n", message[0], cleave_model_label(updated, (size_t)label));

    cleave_predictor_free(predictor);
    cleave_model_free(updated);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_context_free(context);
    return 0;
}
