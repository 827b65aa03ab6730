/*
 * Logistic regression: the probability of the positive class is 1 / (1 + e^(−s)), s = w·x + b. The
 * weights maximize the regularized likelihood of the labels (Cox 1958):
 *
 *     minimize  λ/2 ‖w‖² + mean ln(1 + e^(−y s))
 *
 * Multiclass: one model per class against the rest, with probabilities normalized to a sum of 1; or
 * jointly, by the softmax of the scores.
 */
#include "learn/linear/risk.h"

static const char *const losses[] = {"logistic", NULL};
static const LossKind kinds[] = {LOSS_LOGISTIC};

static const Param params[] = {
    RISK_PARAMS(RiskOptions, losses),
    END_OF_PARAMS,
};

RISK_FUNCTIONS(kinds)

static void probabilities(const Model *model, const double *scores, double *p)
{
    const double *stored = clv_bundle_get(model->bundle, "loss", BUNDLE_F64)->data;
    size_t outputs = outputs_of(model->labels.count);
    double sum = 0, highest = scores[0];

    for (size_t i = 1; i < outputs; i++)
        highest = fmax(highest, scores[i]);
    if (outputs == 1) {
        double yes = 1 / (1 + exp(-scores[0]));

        for (uint32_t i = 0; i < model->labels.count; i++)
            p[i] = i == model->positive ? yes : 1 - yes;
        return;
    }
    for (size_t i = 0; i < outputs; i++) /* joint training: softmax */
        sum += p[i] = stored[2] != 0 ? exp(scores[i] - highest) : 1 / (1 + exp(-scores[i]));
    for (size_t i = 0; i < outputs; i++)
        p[i] = sum > 0 ? p[i] / sum : 1 / (double)outputs;
}

static const MethodInference inference = {
    .predict = clv_linear_predict,
    .check_model = clv_risk_check_model,
    .probabilities = probabilities,
    .loss = clv_risk_loss,
};

static const MethodTraining training = {.choose = choose, .begin = begin, RISK_TRAINING};

const Method clv_method_logistic = {
    .name = "logistic",
    .title = "Logistic regression.",
    .objective = "lambda/2 |w|^2 + mean ln(1 + exp(-y (w.x + b))), lambda = 1/(n C)",
    .reference = "Cox 1958; solvers: Yu, Huang and Lin 2011, Liu and Nocedal 1989, Lin, Weng and "
                 "Keerthi 2008",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = params,
    .check_options = check,
    .inference = &inference,
    RISK_METHOD,
};
