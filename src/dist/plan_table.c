/* Estimates the time of training on many nodes: turns options into a table. */
#include "dist/plan.h"

enum { MOST_LINES = 24 };

typedef struct {
    cleave_plan facts; /* first member, so that the public address frees the plan */
    Context *context;
    cleave_plan_line line[MOST_LINES];
} Plan;

cleave_code cleave_plan_new(cleave_context *context, const cleave_options *given,
                            cleave_plan **result, cleave_error *error)
{
    REQUIRE(context && result);
    PlanOptions options;
    PlanCosts costs;
    Plan *plan;
    double nodes = 1;

    *result = NULL;
    TRY(clv_params_apply(given, clv_plan_params, &options, NULL, NULL, error));
    TRY(clv_plan_measure(context, &options, &costs, error));
    TRY(ALLOC_ZERO(context, plan, 1, "a plan", error));
    plan->context = context;
    plan->facts = (cleave_plan){
        .rows = options.rows,
        .rounds = options.rounds,
        .read_row_seconds = costs.read,
        .learn_row_seconds = costs.learn,
        .chunk_weight_seconds = costs.chunk,
        .message_number_seconds = costs.encode + costs.decode + costs.sum,
        .message_number_bytes = costs.number_bytes,
        .row_bytes = costs.row_bytes,
        .lines = plan->line,
    };
    while (plan->facts.line_count < MOST_LINES) {
        clv_plan_line(&options, &costs, nodes, &plan->line[plan->facts.line_count++]);
        if (nodes >= options.nodes)
            break;
        nodes = nodes * 2 < options.nodes ? nodes * 2 : options.nodes;
    }
    *result = &plan->facts;
    return OK;
}

void cleave_plan_free(cleave_plan *facts)
{
    Plan *plan = (Plan *)facts;

    if (plan)
        clv_free(plan->context, plan);
}
