/* Chooses the order of the training rows if the user gives none. */
#include "train/row_order.h"

#include "data/tour.h"

#include <math.h>
#include <stdio.h>

enum { SMALL_DATA = 1000 };

/* The number of equal adjacent rows, compared with the expectation in random order. */
typedef struct {
    uint64_t pairs, alike;
    double expected; /* expected fraction of equal pairs in random order */
} AdjacentRows;

static bool looks_random(const AdjacentRows *seen)
{
    double n = (double)seen->pairs, deviation = sqrt(n * seen->expected * (1 - seen->expected));

    return n < 2 || fabs((double)seen->alike - n * seen->expected) <= 4.5 * deviation + 1;
}

typedef struct {
    AdjacentRows labels, lengths;
    double mean, longer; /* mean row length; number of rows that are longer */
    uint32_t label_before;
    bool long_before, begun;
} Look;

/* Compares each row with the previous one. */
static Status look_at(void *user, const Block *block, cleave_error *error)
{
    Look *look = user;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        bool is_long = block->form != ROWS_DENSE &&
                       (double)(block->end[row] - block_start(block, row)) > look->mean;

        if (look->begun) {
            look->labels.pairs++;
            look->labels.alike += label == look->label_before;
            look->lengths.pairs++;
            look->lengths.alike += is_long == look->long_before;
        }
        look->begun = true;
        look->longer += is_long;
        look->label_before = label;
        look->long_before = is_long;
    }
    return OK;
}

/* Finds whether rows are shuffled by comparing labels, and whether rows are longer than the mean.
 * This detects rows sorted by class or by a quantity that correlates with their length. */
static Status look_shuffled(Dataset *dataset, bool *shuffled, cleave_error *error)
{
    Look look = {.mean = dataset->rows ? (double)dataset->entries / (double)dataset->rows : 0};
    double share;

    TRY(clv_tour_all(dataset, look_at, &look, error));
    for (uint32_t i = 0; i < dataset->labels.count; i++) {
        share = (double)dataset->labels.list[i].count / (double)dataset->rows;
        look.labels.expected += share * share;
    }
    share = look.longer / (double)dataset->rows;
    look.lengths.expected = share * share + (1 - share) * (1 - share);
    *shuffled = looks_random(&look.labels) && looks_random(&look.lengths);
    return OK;
}

int clv_wanted_order(const Method *method, const RunOptions *options, const Dataset *dataset)
{
    bool shuffles = options->order == ORDER_AUTO && (method->behavior & METHOD_SHUFFLES) &&
                    dataset->rows > SMALL_DATA;

    return shuffles ? ORDER_EACH : options->order;
}

Status clv_choose_order(Dataset *dataset, int wanted, uint64_t seed, int *order, char *words,
                        size_t size, cleave_error *error)
{
    static const char *const plain[] = {"",
                                        "file order",
                                        "shuffled once",
                                        "shuffled each epoch",
                                        "random draws",
                                        "blocks of the file shuffled each epoch"};
    bool shuffled = false;

    *order = wanted;
    if (wanted == ORDER_FILE) {
        snprintf(words, size, "%s", plain[wanted]);
    } else if (wanted != ORDER_AUTO) {
        snprintf(words, size, "%s (seed %llu)", plain[wanted], (unsigned long long)seed);
    } else if (dataset->rows <= SMALL_DATA) {
        *order = ORDER_FILE;
        snprintf(words, size, "file order");
    } else if (dataset->shuffled) {
        *order = ORDER_FILE;
        snprintf(words, size, "file order (the file is stored shuffled)");
    } else {
        TRY(look_shuffled(dataset, &shuffled, error));
        *order = shuffled ? ORDER_FILE : ORDER_EACH;
        if (shuffled)
            snprintf(words, size, "file order (the file looks shuffled)");
        else
            snprintf(words, size, "shuffled each epoch (seed %llu), because the file is sorted",
                     (unsigned long long)seed);
    }
    return OK;
}
