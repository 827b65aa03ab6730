#include "train/team.h"

bool clv_team_suits(const Method *method)
{
    return METHOD_HAS(method, distributed, give) && METHOD_HAS(method, distributed, take) &&
           method->training->resume;
}

Status clv_team_check(const Method *method, const void *method_options, cleave_error *error)
{
    if (!clv_team_suits(method))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "'cleave begin --help' lists the methods for several workers",
                             "'%s' cannot be trained by several workers", method->name);
    if (!method_prefers_fit(method, method_options))
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "use --solver sgd (averages models) or --solver gd (sums gradients)",
        "'%s' with these options needs all rows in memory and cannot be trained by several workers",
        method->name);
}

Status clv_team_join(Fit *worker, const Fit *start, const Model *model, cleave_error *error)
{
    *worker = *start;
    worker->error = error;
    worker->trace = NULL;
    worker->driver = NULL;
    worker->counters.epoch_mistakes = 0;
    worker->counters.epoch_loss = 0;
    TRY(clv_new(start->context, &worker->state, 1, start->method->state_size, true,
                "the state of the method", error));
    TRY(start->method->training->begin(worker));
    return start->method->training->resume(worker, model);
}

void clv_team_leave(Fit *worker)
{
    if (worker->state)
        worker->method->training->free(worker);
    clv_free(worker->context, worker->state);
    worker->state = NULL;
}

Status clv_team_give(const Fit *worker, const Fit *start, Delta *delta)
{
    TRY(clv_delta_add(delta, DELTA_ROUND, ROUND_ROWS,
                      (double)(worker->counters.seen - start->counters.seen), worker->error));
    TRY(clv_delta_add(delta, DELTA_ROUND, ROUND_MISTAKES, (double)worker->counters.epoch_mistakes,
                      worker->error));
    TRY(clv_delta_add(delta, DELTA_ROUND, ROUND_LOSS, worker->counters.epoch_loss, worker->error));
    return worker->method->distributed->give(worker, start, delta);
}

Status clv_team_take(Fit *fit, const Delta *sum, bool *clean)
{
    fit->counters.seen += (uint64_t)clv_delta_number(sum, DELTA_ROUND, ROUND_ROWS);
    fit->counters.epoch_mistakes = (uint64_t)clv_delta_number(sum, DELTA_ROUND, ROUND_MISTAKES);
    fit->counters.epoch_loss = clv_delta_number(sum, DELTA_ROUND, ROUND_LOSS);
    TRY(fit->method->distributed->take(fit, sum));
    return fit->method->training->end_epoch(fit, clean);
}
