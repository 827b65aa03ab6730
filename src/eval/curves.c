#include "eval/curves.h"

#include "base/random.h"

#include <stdlib.h>

enum { CURVE_POINTS = 500, MOST_CURVES = 10, BARS = 40, BINS = 10, MOST_ANSWERS = 2000 };

static Status no_memory(cleave_error *error, size_t bytes)
{
    return clv_fail_memory(error, "pictures", bytes);
}

static double weight_of(const Tally *tally, size_t row)
{
    return tally->weights ? (double)tally->weights[row] : 1;
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void add_curve(Pictures *pictures, size_t class_number, const Ranking *ranking, double own)
{
    size_t made = pictures->facts.curve_count;
    cleave_threshold *points = pictures->thresholds + made * (CURVE_POINTS + 4);

    if (ranking->positives == 0 || ranking->negatives == 0)
        return;
    pictures->curves[made] = (cleave_curve){
        .class_number = class_number,
        .count = clv_rank_curve(ranking, CURVE_POINTS, own, points, NULL),
        .points = points,
    };
    pictures->facts.curve_count++;
}

static Status make_room_for_curves(Pictures *pictures, size_t count, cleave_error *error)
{
    pictures->curves = clv_alloc_zero(pictures->context, count, sizeof *pictures->curves);
    pictures->thresholds = clv_alloc(pictures->context, count * (CURVE_POINTS + 4),
                                     sizeof *pictures->thresholds);
    pictures->facts.curves = pictures->curves;
    if (!pictures->curves || !pictures->thresholds)
        return no_memory(error, count * (CURVE_POINTS + 4) * sizeof *pictures->thresholds);
    return OK;
}

/* F1 from the counts; 2 for a class that neither occurs in the data nor is predicted. */
static double f1_of(const Tally *tally, size_t number)
{
    double both = tally->rows[number] + tally->answers[number];

    return both > 0 ? 2 * tally->right[number] / both : 2;
}

/* Whether the class is among the MOST_CURVES classes with the lowest F1; of equal classes, the
 * first. */
static bool is_shown(const Tally *tally, size_t number)
{
    double own = f1_of(tally, number);
    size_t before = 0;

    if (tally->rows[number] == 0)
        return false;
    for (size_t k = 0; k < tally->model->labels.count && before < MOST_CURVES; k++)
        if (k != number && tally->rows[k] > 0)
            before += f1_of(tally, k) < own || (f1_of(tally, k) == own && k < number);
    return before < MOST_CURVES;
}

static Status curves_of_many(Pictures *pictures, const Tally *tally, cleave_error *error)
{
    size_t classes = tally->model->labels.count;
    RankedRow *ranked = clv_alloc(pictures->context, tally->kept, sizeof *ranked);
    Status status = ranked ? make_room_for_curves(
                                 pictures, classes < MOST_CURVES ? classes : MOST_CURVES, error)
                           : no_memory(error, tally->kept * sizeof *ranked);

    for (size_t k = 0; status == OK && k < classes; k++) {
        Ranking ranking;

        if (!is_shown(tally, k))
            continue;
        if (clv_cancelled(pictures->context))
            status = clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
        for (size_t i = 0; i < tally->kept; i++)
            ranked[i] = (RankedRow){tally->scores[i * classes + k], (uint32_t)i,
                                    tally->labels[i] == k};
        clv_rank(&ranking, ranked, tally->kept, tally->weights);
        add_curve(pictures, k, &ranking, (double)NAN);
    }
    clv_free(pictures->context, ranked);
    return status;
}

/* ---- histograms ------------------------------------------------------------------------------ */

/* Begins a histogram with BARS bins of equal width from low to high. Values outside are counted in
 * the outermost bins. There are no bins if the range is infinite. */
static Status begin_bars(Pictures *pictures, double low, double high, cleave_error *error)
{
    cleave_histogram_bar *bars;

    if (!isfinite(high - low))
        return OK;
    bars = clv_alloc_zero(pictures->context, BARS, sizeof *bars);
    if (!bars)
        return no_memory(error, BARS * sizeof *bars);
    if (!(high > low)) {
        double half = fmax(fabs(low) / 100, 0.5);

        low -= half;
        high += half;
    }
    for (size_t i = 0; i < BARS; i++) {
        bars[i].low = low + (high - low) * (double)i / BARS;
        bars[i].high = low + (high - low) * (double)(i + 1) / BARS;
    }
    pictures->bars = bars;
    pictures->facts.bars = bars;
    pictures->facts.bar_count = BARS;
    return OK;
}

static cleave_histogram_bar *bar_of(Pictures *pictures, double value)
{
    double low = pictures->bars[0].low, high = pictures->bars[BARS - 1].high;
    double place = (value - low) / (high - low) * BARS;

    return &pictures->bars[!(place > 0) ? 0 : place >= BARS ? BARS - 1 : (size_t)place];
}

/* The index of the 0.5% quantile in count sorted values. */
static size_t past_the_tail(size_t count)
{
    return count / 200;
}

/* ---- calibration ----------------------------------------------------------------------------- */

typedef struct {
    double rows, right, sure, weight_squares;
} Bin;

static void count_probability(Bin bins[BINS], double probability, bool right, double weight)
{
    Bin *bin = &bins[probability >= 1     ? BINS - 1
                     : !(probability > 0) ? 0
                                          : (size_t)(probability * BINS)];

    bin->rows += weight;
    bin->weight_squares += weight * weight;
    bin->sure += weight * probability;
    bin->right += right ? weight : 0;
}

static Status tell_calibration(Pictures *pictures, const Bin bins[BINS], cleave_error *error)
{
    double all = 0, apart = 0;

    pictures->calibration = clv_alloc(pictures->context, BINS, sizeof *pictures->calibration);
    if (!pictures->calibration)
        return no_memory(error, BINS * sizeof *pictures->calibration);
    for (size_t i = 0; i < BINS; i++) {
        const Bin *bin = &bins[i];

        if (!(bin->rows > 0))
            continue;
        all += bin->rows;
        apart += fabs(bin->right - bin->sure);
        pictures->calibration[pictures->facts.calibration_count++] = (cleave_calibration_bin){
            .low = (double)i / BINS,
            .high = (double)(i + 1) / BINS,
            .rows = bin->rows,
            .predicted = bin->sure / bin->rows,
            .observed = clv_share(bin->right, bin->rows,
                                  bin->rows * bin->rows / bin->weight_squares),
        };
    }
    pictures->facts.calibration = pictures->calibration;
    pictures->facts.calibration_error = all > 0 ? apart / all : (double)NAN;
    return OK;
}

/* Calibration of the probability of the positive class, or, for more than two classes, of the most
 * probable class. */
static Status calibrate(Pictures *pictures, const Tally *tally, cleave_error *error)
{
    size_t classes = tally->model->labels.count, positive = tally->model->positive;
    Bin bins[BINS] = {0};

    if (!tally->probabilities)
        return OK;
    for (size_t i = 0; i < tally->kept; i++) {
        const double *scores = classes <= 2 ? &tally->ranked[i].score : tally->scores + i * classes;
        size_t row = classes <= 2 ? tally->ranked[i].row : i, best = classes <= 2 ? positive : 0;

        if (!clv_model_probabilities(tally->model, scores, tally->probabilities))
            return OK;
        for (size_t k = 1; k < classes && classes > 2; k++)
            best = tally->probabilities[k] > tally->probabilities[best] ? k : best;
        count_probability(bins, tally->probabilities[best],
                          classes <= 2 ? tally->ranked[i].positive : tally->labels[i] == best,
                          weight_of(tally, row));
    }
    return tell_calibration(pictures, bins, error);
}

/* ---- two classes ----------------------------------------------------------------------------- */

static Status picture_two(Pictures *pictures, Tally *tally, cleave_error *error)
{
    size_t tail = past_the_tail(tally->kept);
    Ranking ranking;

    clv_rank(&ranking, tally->ranked, tally->kept, tally->weights);
    TRY(make_room_for_curves(pictures, 1, error));
    add_curve(pictures, tally->model->positive, &ranking, 0);
    TRY(begin_bars(pictures, tally->ranked[tally->kept - 1 - tail].score, tally->ranked[tail].score,
                   error));
    for (size_t i = 0; pictures->bars && i < tally->kept; i++) {
        const RankedRow *row = &tally->ranked[i];
        cleave_histogram_bar *bar = bar_of(pictures, row->score);

        *(row->positive ? &bar->positives : &bar->others) += weight_of(tally, row->row);
    }
    return OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Computes the residuals and their mean, the mean excess of predictions over targets. */
static Status picture_residuals(Pictures *pictures, const Tally *tally, cleave_error *error)
{
    size_t count = tally->kept, tail = past_the_tail(count);
    double *apart = clv_alloc(pictures->context, count, sizeof *apart);
    Status status;

    if (!apart)
        return no_memory(error, count * sizeof *apart);
    for (size_t i = 0; i < count; i++)
        apart[i] = tally->scores[i] - tally->targets[i];
    qsort(apart, count, sizeof *apart, compare_numbers);
    status = begin_bars(pictures, apart[tail], apart[count - 1 - tail], error);
    for (size_t i = 0; status == OK && pictures->bars && i < count; i++)
        bar_of(pictures, tally->scores[i] - tally->targets[i])->others += weight_of(tally, i);
    clv_free(pictures->context, apart);
    return status;
}

/* Draws a random sample of MOST_ANSWERS rows, or takes all, in their order (Knuth, 3.4.2, algorithm
 * S). */
static Status choose_answers(Pictures *pictures, const Tally *tally, cleave_error *error)
{
    size_t wanted = tally->kept < MOST_ANSWERS ? tally->kept : MOST_ANSWERS,
           *taken = &pictures->facts.pair_count;
    Random random = clv_random(tally->model->seed, 0);

    pictures->answers = clv_alloc(pictures->context, wanted, sizeof *pictures->answers);
    if (!pictures->answers)
        return no_memory(error, wanted * sizeof *pictures->answers);
    for (size_t i = 0; i < tally->kept && *taken < wanted; i++)
        if (clv_random_unit(&random) * (double)(tally->kept - i) < (double)(wanted - *taken))
            pictures->answers[(*taken)++] = (cleave_prediction_pair){tally->targets[i],
                                                                     tally->scores[i]};
    pictures->facts.pairs = pictures->answers;
    return OK;
}

/* ---- entry points ---------------------------------------------------------------------------- */

Status clv_pictures_make(Pictures *pictures, Tally *tally, cleave_error *error)
{
    *pictures = (Pictures){.context = tally->context, .facts = {.calibration_error = (double)NAN}};
    if (tally->left_out || tally->kept == 0)
        return OK;
    if (tally->model->task == CLEAVE_TASK_REGRESSION) {
        TRY(choose_answers(pictures, tally, error));
        return picture_residuals(pictures, tally, error);
    }
    TRY(tally->model->labels.count <= 2 ? picture_two(pictures, tally, error)
                                        : curves_of_many(pictures, tally, error));
    return calibrate(pictures, tally, error);
}

void clv_pictures_free(Pictures *pictures)
{
    Context *context = pictures->context;

    if (!context)
        return;
    FREE(context, pictures->curves, pictures->thresholds, pictures->calibration, pictures->bars,
         pictures->answers);
}
