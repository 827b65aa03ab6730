#include "train/stopping.h"

void clv_stop_init(Stop *stop, const RunOptions *options)
{
    *stop = (Stop){.limit = clv_run_params[EPOCH_PASS].name,
                   .epochs = options->limit,
                   .stable = options->stable_epochs,
                   .patience = options->patience,
                   .best = INFINITY};
}

static bool settled(Stop *stop, uint32_t traversals, uint64_t mistakes)
{
    stop->unchanged = traversals > 1 && mistakes == stop->last_mistakes ? stop->unchanged + 1 : 0;
    stop->last_mistakes = mistakes;
    return stop->stable > 0 && stop->unchanged >= stop->stable;
}

static bool no_better(Stop *stop, double held_out)
{
    stop->improved = held_out < stop->best;
    stop->worse = stop->improved ? 0 : stop->worse + 1;
    if (stop->improved)
        stop->best = held_out;
    return stop->patience > 0 && stop->worse >= stop->patience;
}

const char *clv_stop_after(Stop *stop, uint32_t traversals, uint64_t mistakes, const char *ending,
                           double held_out)
{
    bool stable = settled(stop, traversals, mistakes);
    bool worse = !isnan(held_out) && no_better(stop, held_out);

    if (ending)
        return ending;
    if (worse)
        return "early_stopping";
    if (stable)
        return "stable_epochs";
    return traversals >= stop->epochs ? stop->limit : NULL;
}

const char *clv_stop_after_fit(const Fit *fit, const char *stopped_by)
{
    const char *ending = fit_ending(fit, fit->result.converged || fit->result.plateau ||
                                             fit->result.complete);

    if (ending)
        return ending;
    return stopped_by ? stopped_by
                      : clv_run_params[method_epoch_kind(fit->method, fit->options)].name;
}
