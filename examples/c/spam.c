/*
 * A spam filter in forty lines: rows of words in, a trained model out, one new message judged.
 * Build it with the Makefile beside it, or: cc spam.c $(pkg-config --cflags --libs cleave)
 */
#include <cleave/expert.h>

#include <stdio.h>
#include <stdlib.h>

static const char *const words[] = {"and", "viagra", "the", "of", "nigeria"};

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK) {
        fprintf(stderr, "%s\n%s\n", error->message, error->hint);
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    static const uint32_t mails[4][4] = {{2, 3}, {0, 1, 3, 4}, {0, 2, 3}, {1, 2}};
    static const size_t lengths[4] = {2, 4, 3, 2};
    static const char *const labels[4] = {"ham", "spam", "ham", "spam"};
    static const float ones[4] = {1, 1, 1, 1};
    cleave_context *context = cleave_context_new(NULL);
    cleave_prediction answer;
    cleave_model *model;
    cleave_data *data;
    cleave_error error;

    check(cleave_data_new(context, &data, &error), &error);
    for (size_t i = 0; i < 4; i++)
        check(cleave_data_add(data, labels[i], lengths[i], mails[i], ones, &error), &error);
    check(cleave_train(context, "perceptron", data, NULL, NULL, &model, NULL, &error), &error);

    check(cleave_predict_row(model, 2, (uint32_t[]){1, 4}, ones, &answer, &error), &error);
    printf("\"%s %s\" is %s, by a score of %g\n", words[1], words[4], answer.label, answer.scores[0]);

    cleave_model_free(model);
    cleave_data_free(data);
    cleave_context_free(context);
    return 0;
}
