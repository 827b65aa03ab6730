#include "dist/check_sums.h"

#include "base/exact.h"

#include <math.h>

typedef struct {
    double hashed, size; /* sum of value · h(index), sum of |value| */
} CheckSum;

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014), as a number in [0.25, 0.75), so that
 * products with it are finite. */
static double factor(uint64_t index)
{
    uint64_t mixed = index + 0x9E3779B97F4A7C15u;

    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    mixed ^= mixed >> 31;
    return 0.25 + (double)(mixed >> 11) * 0x1p-54;
}

/* Adds the terms exactly, except for the products, so that the rounding error does not grow with
 * the part. */
static CheckSum sum_up(const DeltaPart *part, size_t from)
{
    Exact hashed = {0}, size = {0};

    for (size_t i = from; part && i < part->count; i++) {
        clv_exact_add(&hashed, part->value[i] * factor(part->index[i]));
        clv_exact_add(&size, fabs(part->value[i]));
    }
    return (CheckSum){clv_exact_round(&hashed), clv_exact_round(&size)};
}

static size_t count_rules(const UpdateRule *rules)
{
    size_t count = 0;

    while (rules[count].name)
        count++;
    return count;
}

/* Computes all checksums except the two checksums of the checksums themselves. */
static CheckSum sum_up_checks(const Delta *delta)
{
    const DeltaPart *checks = clv_delta_part(delta, UPDATE_CHECK);
    size_t from = 0;

    while (checks && from < checks->count && checks->index[from] < 2)
        from++;
    return sum_up(checks, from);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static Status add_pair(Delta *delta, size_t rule, CheckSum sum, cleave_error *error)
{
    TRY(clv_delta_add(delta, UPDATE_CHECK, 2 * rule, sum.hashed, error));
    return clv_delta_add(delta, UPDATE_CHECK, 2 * rule + 1, sum.size, error);
}

static Status list_checks(const Delta *delta, Delta *checks, const UpdateRule *rules,
                          cleave_error *error)
{
    for (size_t i = 1; i < count_rules(rules); i++)
        if (strcmp(rules[i].name, UPDATE_CHECK) != 0)
            TRY(add_pair(checks, i, sum_up(clv_delta_part(delta, rules[i].name), 0), error));
    return OK;
}

Status clv_check_sums_add(Delta *delta, const UpdateRule *rules, cleave_error *error)
{
    Delta checks;
    Status status;

    clv_delta_init(&checks, delta->context);
    status = list_checks(delta, &checks, rules, error);
    THEN(status, add_pair(delta, 0, sum_up_checks(&checks), error));
    THEN(status, clv_delta_sum(delta, &checks, error));
    clv_delta_free(&checks);
    return status;
}

/* ---- testing --------------------------------------------------------------------------------- */

static Status refuse(const char *part, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "pass the complete, unchanged output of every reducer to `cleave apply`",
                         "the sums are incomplete: keys of part '%s' are missing", part);
}

static bool agrees(const Delta *sum, size_t rule, CheckSum found)
{
    const double rounding = 1e-9;
    double hashed = clv_delta_number(sum, UPDATE_CHECK, 2 * rule);
    double size = clv_delta_number(sum, UPDATE_CHECK, 2 * rule + 1);

    /* Sums are at most the sums of sizes, which detects a lost size. */
    return fabs(found.hashed - hashed) <= rounding * size && found.size <= size * (1 + rounding);
}

Status clv_check_sums_test(const Delta *sum, const UpdateRule *rules, cleave_error *error)
{
    if (!agrees(sum, 0, sum_up_checks(sum)))
        return refuse(UPDATE_CHECK, error);
    for (size_t i = 1; i < count_rules(rules); i++) {
        const DeltaPart *part = clv_delta_part(sum, rules[i].name);

        if (strcmp(rules[i].name, UPDATE_CHECK) == 0 || agrees(sum, i, sum_up(part, 0)))
            continue;
        /* If a part has no checksum, the line of the checksum itself is missing. */
        return refuse(clv_delta_number(sum, UPDATE_CHECK, 2 * i + 1) > 0 ? rules[i].name
                                                                         : UPDATE_CHECK,
                      error);
    }
    return OK;
}
