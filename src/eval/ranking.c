/* Sorts rows by score; areas under curves, and thresholds. Counts are sums of weights: integers,
 * hence exact, if all weights are 1. */
#include "eval/ranking.h"

#include "eval/interval.h"

#include <math.h>
#include <string.h>

/* ---- order ----------------------------------------------------------------------------------- */

/* A key with the order of the scores: the bits of a double, transformed such that they compare like
 * numbers. */
static uint64_t key_of(double score)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;

    memcpy(&bits, &score, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static void insert_all(RankedRow *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        RankedRow moved = rows[i];
        size_t at = i;

        for (; at > 0 && key_of(rows[at - 1].score) < key_of(moved.score); at--)
            rows[at] = rows[at - 1];
        rows[at] = moved;
    }
}

/* Sorts by the bytes of the key, from the highest byte on, by moving each row to the part of its
 * byte (American flag sort; McIlroy, Bostic and McIlroy 1993). The sort is in place and has at most
 * eight levels. */
static void sort_by_bytes(RankedRow *rows, size_t count, int shift)
{
    size_t size[256] = {0}, next[256], end[256], at = 0;

    if (count <= 32) {
        insert_all(rows, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        size[key_of(rows[i].score) >> shift & 255]++;
    for (size_t byte = 256; byte-- > 0;) {
        next[byte] = at;
        end[byte] = at += size[byte];
    }
    for (size_t byte = 256; byte-- > 0;)
        while (next[byte] < end[byte]) {
            RankedRow moved = rows[next[byte]];
            size_t own = key_of(moved.score) >> shift & 255;

            while (own != byte) {
                RankedRow there = rows[next[own]];

                rows[next[own]++] = moved;
                moved = there;
                own = key_of(moved.score) >> shift & 255;
            }
            rows[next[byte]++] = moved;
        }
    for (size_t byte = 256; shift > 0 && byte-- > 0;)
        if (size[byte] > 1)
            sort_by_bytes(rows + end[byte] - size[byte], size[byte], shift - 8);
}

static double weight_of(const Ranking *ranking, const RankedRow *row)
{
    return ranking->weights ? (double)ranking->weights[row->row] : 1;
}

static void count_sides(Ranking *ranking)
{
    double squares = 0;

    ranking->positives = ranking->negatives = 0;
    ranking->positive_weight = ranking->negative_weight = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        double weight = weight_of(ranking, &ranking->row[i]);

        if (ranking->row[i].positive) {
            ranking->positives++;
            ranking->positive_weight += weight;
            squares += weight * weight;
        } else {
            ranking->negatives++;
            ranking->negative_weight += weight;
        }
    }
    ranking->spread = ranking->positive_weight > 0 ? squares / ranking->positive_weight : 1;
}

void clv_rank(Ranking *ranking, RankedRow *rows, size_t count, const float *weights)
{
    *ranking = (Ranking){.row = rows, .count = count, .weights = weights};
    for (size_t i = 0; i < count; i++)
        rows[i].score = isnan(rows[i].score) ? -(double)INFINITY
                                             : rows[i].score + 0.0; /* adding 0 turns -0 into 0 */
    sort_by_bytes(rows, count, 56);
    count_sides(ranking);
}

void clv_rank_reversed(Ranking *ranking)
{
    for (size_t i = 0, j = ranking->count; i < j; i++) {
        RankedRow swapped = ranking->row[i];

        ranking->row[i] = ranking->row[--j];
        ranking->row[j] = swapped;
    }
    for (size_t i = 0; i < ranking->count; i++) {
        ranking->row[i].score = 0.0 - ranking->row[i].score;
        ranking->row[i].positive = !ranking->row[i].positive;
    }
    count_sides(ranking);
}

/* ---- groups of equal scores ------------------------------------------------------------------ */

typedef struct {
    size_t first, end;
    double positives, negatives;             /* weights of the rows in the group */
    double positives_above, negatives_above; /* weights of the rows in all groups before it */
} Group;

/* Advances to the next group of at least `least` rows, which ends where the score changes. Returns
 * false after the last group. A zeroed group is before the first. */
static bool next_rows(const Ranking *ranking, size_t least, Group *group)
{
    const RankedRow *row = ranking->row;
    size_t first = group->end, end = first, count = ranking->count, flagged = 0;
    double positives = 0, negatives = 0;

    if (first == count)
        return false;
    do {
        if (!ranking->weights)
            flagged += row[end].positive;
        else if (row[end].positive)
            positives += weight_of(ranking, &row[end]);
        else
            negatives += weight_of(ranking, &row[end]);
        end++;
    } while (end < count && (end - first < least || row[end].score == row[end - 1].score));
    group->first = first;
    group->end = end;
    group->positives_above += group->positives;
    group->negatives_above += group->negatives;
    group->positives = ranking->weights ? positives : (double)flagged;
    group->negatives = ranking->weights ? negatives : (double)(end - first - flagged);
    return true;
}

static bool next_group(const Ranking *ranking, Group *group)
{
    return next_rows(ranking, 1, group);
}

/* Number of groups for variances. Rows of adjacent scores have almost the same influence, so for
 * many rows groups of adjacent scores are treated as equal. With 50,000 groups or more this changes
 * a standard error by about 0.005%. */
enum { VARIANCE_GROUPS = 50000 };

static bool next_for_variance(const Ranking *ranking, Group *group)
{
    return next_rows(ranking, 1 + ranking->count / (2 * VARIANCE_GROUPS), group);
}

/* Adds the influence of the rows of a group to influence[row] unless that is NULL, and returns the
 * sum of their squares. */
static double sum_group(const Ranking *ranking, const Group *group, double of_positive,
                        double of_negative, double *influence)
{
    double sum = 0;

    if (!influence && !ranking->weights)
        return group->positives * of_positive * of_positive +
               group->negatives * of_negative * of_negative;
    for (size_t i = group->first; i < group->end; i++) {
        const RankedRow *row = &ranking->row[i];
        double moved = weight_of(ranking, row) * (row->positive ? of_positive : of_negative);

        sum += moved * moved;
        if (influence)
            influence[row->row] += moved;
    }
    return sum;
}

/* ---- areas under curves ---------------------------------------------------------------------- */

double clv_roc_area(const Ranking *ranking)
{
    double sum = 0;
    Group group = {0};

    while (next_group(ranking, &group))
        sum += group.negatives * (group.positives_above + group.positives / 2);
    return sum / ranking->positive_weight / ranking->negative_weight;
}

/* The influence of a row on the area, times its weight. It depends on the fraction of negatives
 * below a positive row, or of positives above a negative row. */
typedef struct {
    /* the area, and factors that divide by the weight of the class, for n - 1 rows */
    double area, of_positive, of_negative;
} Moving;

static Moving moving_of(const Ranking *ranking, double area)
{
    double m = (double)ranking->positives, n = (double)ranking->negatives;

    return (Moving){area, sqrt(m / (m - 1)) / ranking->positive_weight,
                    sqrt(n / (n - 1)) / ranking->negative_weight};
}

static double moved_by(const Ranking *ranking, const Moving *moving, const Group *group,
                       bool positive)
{
    double below = ranking->negative_weight - group->negatives_above - group->negatives / 2;
    double above = group->positives_above + group->positives / 2;

    return positive ? (below / ranking->negative_weight - moving->area) * moving->of_positive
                    : (above / ranking->positive_weight - moving->area) * moving->of_negative;
}

static double sum_roc_influence(const Ranking *ranking, double area, double *influence)
{
    Moving moving = moving_of(ranking, area);
    Group group = {0};
    double sum = 0;

    while (next_for_variance(ranking, &group))
        sum += sum_group(ranking, &group, moved_by(ranking, &moving, &group, true),
                         moved_by(ranking, &moving, &group, false), influence);
    return sum;
}

void clv_roc_influence(const Ranking *ranking, double area, double *influence)
{
    sum_roc_influence(ranking, area, influence);
}

double clv_roc_variance(const Ranking *ranking, double area)
{
    bool few = ranking->positives < 2 || ranking->negatives < 2;

    return few ? (double)NAN : sum_roc_influence(ranking, area, NULL);
}

double clv_pr_area(const Ranking *ranking)
{
    double sum = 0;
    Group group = {0};

    while (next_group(ranking, &group)) {
        double positives = group.positives_above + group.positives;
        double all = positives + group.negatives_above + group.negatives;

        if (group.positives > 0)
            sum += group.positives / ranking->positive_weight * (positives / all);
    }
    return ranking->positive_weight > 0 ? fmin(sum, 1) : (double)NAN;
}

/* AP = sum over groups g of p_g / P * A_g / (A_g + B_g), where A and B are the numbers of positives
 * and negatives down to g. A row of group h is in A or B of all groups from h on. The sums over
 * these groups are the sums over all groups minus those over the groups before h. */
typedef struct {
    /* sums of p_g / P * B_g / (A_g + B_g)^2, and of -p_g / P * A_g / (A_g + B_g)^2 */
    double of_positive, of_negative;
} PrSlope;

static void add_slope(const Ranking *ranking, const Group *group, double sign, PrSlope *slope)
{
    double above = group->positives_above + group->positives,
           below = group->negatives_above + group->negatives;
    double share = group->positives / ranking->positive_weight, all = above + below;

    if (!(group->positives > 0))
        return;
    slope->of_positive += sign * share * below / (all * all);
    slope->of_negative -= sign * share * above / (all * all);
}

/* The change of the area caused by a row of the group. */
static double pr_moved_by(const Ranking *ranking, const Group *group, const PrSlope *slope,
                          double area, bool positive)
{
    double positives = group->positives_above + group->positives;
    double others = group->negatives_above + group->negatives;

    return positive ? (positives / (positives + others) - area) / ranking->positive_weight +
                          slope->of_positive
                    : slope->of_negative;
}

static double sum_pr_influence(const Ranking *ranking, double area, double *influence)
{
    PrSlope slope = {0};
    Group group = {0};
    double sum = 0;

    while (next_for_variance(ranking, &group))
        add_slope(ranking, &group, 1, &slope);
    for (group = (Group){0}; next_for_variance(ranking, &group);
         add_slope(ranking, &group, -1, &slope))
        sum += sum_group(ranking, &group, pr_moved_by(ranking, &group, &slope, area, true),
                         pr_moved_by(ranking, &group, &slope, area, false), influence);
    return sum;
}

void clv_pr_influence(const Ranking *ranking, double area, double *influence)
{
    sum_pr_influence(ranking, area, influence);
}

double clv_pr_variance(const Ranking *ranking, double area)
{
    return sum_pr_influence(ranking, area, NULL);
}

static cleave_interval measure_of(Interval sure)
{
    return (cleave_interval){sure.middle, sure.low, sure.high};
}

cleave_interval clv_roc_measure(const Ranking *ranking)
{
    double area = clv_roc_area(ranking);
    size_t fewer = ranking->positives < ranking->negatives ? ranking->positives
                                                           : ranking->negatives;

    return measure_of(clv_area(AREA_ROC, area, clv_roc_variance(ranking, area), (double)fewer,
                               (double)fewer - 1));
}

cleave_interval clv_pr_measure(const Ranking *ranking)
{
    double area = clv_pr_area(ranking);

    return measure_of(clv_area(AREA_PR, area, clv_pr_variance(ranking, area),
                               (double)ranking->positives, (double)ranking->positives - 1));
}

/* ---- thresholds ------------------------------------------------------------------------------ */

static cleave_threshold threshold_at(const Ranking *ranking, const Group *group)
{
    double right = group->positives_above + group->positives,
           wrong = group->negatives_above + group->negatives;
    bool answered = right + wrong > 0;

    return (cleave_threshold){
        .threshold = ranking->row[group->first].score,
        .true_positives = right,
        .false_positives = wrong,
        .precision = answered ? right / (right + wrong) : 1,
        .recall = right / ranking->positive_weight,
        .f1 = 2 * right / (right + wrong + ranking->positive_weight),
        .false_positive_rate = wrong / ranking->negative_weight,
    };
}

typedef struct {
    /* index of the model's own threshold; SIZE_MAX: no score is above it */
    size_t groups, best, own;
} Landmarks;

static Landmarks find_landmarks(const Ranking *ranking, double own)
{
    Landmarks found = {.own = SIZE_MAX};
    double best = -1;
    Group group = {0};

    for (; next_group(ranking, &group); found.groups++) {
        cleave_threshold here = threshold_at(ranking, &group);

        if (here.f1 > best) {
            best = here.f1;
            found.best = found.groups;
        }
        if (here.threshold > own)
            found.own = found.groups;
    }
    return found;
}

size_t clv_rank_thresholds(const Ranking *ranking, size_t most, double own,
                           cleave_threshold *thresholds)
{
    Landmarks found = find_landmarks(ranking, own);
    size_t count = 0, number = 0;
    Group group = {0};

    for (; next_group(ranking, &group); number++) {
        bool even = found.groups <= most || number == 0 || number + 1 == found.groups ||
                    number * most / found.groups != (number - 1) * most / found.groups;

        if (!even && number != found.best && number != found.own)
            continue;
        thresholds[count] = threshold_at(ranking, &group);
        thresholds[count].best_f1 = number == found.best;
        thresholds[count++].in_use = number == found.own;
    }
    return count;
}

/* ---- curves ---------------------------------------------------------------------------------- */

#define FINEST_CURVE 0.0025

static bool is_apart(const cleave_threshold *a, const cleave_threshold *b, double tolerance)
{
    return fabs(a->recall - b->recall) >= tolerance ||
           fabs(a->precision - b->precision) >= tolerance ||
           fabs(a->false_positive_rate - b->false_positive_rate) >= tolerance;
}

/* Thins the curve. Returns SIZE_MAX if the number of points exceeds `most`. */
static size_t thin(const Ranking *ranking, size_t most, const Landmarks *found, double tolerance,
                   cleave_threshold *points)
{
    size_t count = 0, even = 0, number = 0;
    cleave_threshold last = {0};
    Group group = {0};

    for (; next_group(ranking, &group); number++) {
        cleave_threshold here = threshold_at(ranking, &group);
        bool apart = number == 0 || is_apart(&here, &last, tolerance);

        if (!apart && number + 1 != found->groups && number != found->best && number != found->own)
            continue;
        if (apart && even++ == most)
            return SIZE_MAX;
        last = here;
        points[count] = here;
        points[count].best_f1 = number == found->best;
        points[count++].in_use = number == found->own;
    }
    return count;
}

size_t clv_rank_curve(const Ranking *ranking, size_t most, double own, cleave_threshold *points,
                      double *tolerance)
{
    Landmarks found = find_landmarks(ranking, own);
    double apart = FINEST_CURVE;
    size_t count;

    while ((count = thin(ranking, most, &found, apart, points)) == SIZE_MAX)
        apart *= 2;
    if (tolerance)
        *tolerance = apart;
    return count;
}
