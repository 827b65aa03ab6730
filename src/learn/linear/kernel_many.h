/*
 * Several weight vectors side by side, w[column * outputs + output]. The outputs of one column are
 * adjacent, so a register holds adjacent outputs and one pass over the row serves all. Rows are
 * first unpacked into short lists of positions and values without fillers and zeros.
 *
 * Entries are added four at a time, score += (p0 + p1) + (p2 + p3), and the rest one by one. This
 * divides the latency of additions and the loads and stores of scores by four.
 */

enum {
    LIST_SIZE = 64, /* a multiple of four, so that the groups of four do not depend on it */
    /* with at most this many outputs, scores stay in registers over a whole list */
    FEW_OUTPUTS = 32,
    FEW_STEPS = 16, /* at most this many nonzero steps are applied one by one */
};

typedef struct {
    size_t place[LIST_SIZE]; /* place of the weight of output 0 */
    double value[LIST_SIZE];
    uint32_t count;
} PlaceList;

/* Position in a row that is being unpacked. */
typedef struct {
    const Block *block;
    Row row; /* dense: value and count only */
    double value;
    uint32_t next;
    size_t at, outputs;
} Taking;

static Taking take(const Block *block, uint32_t number, size_t outputs)
{
    Taking taking = {.block = block, .at = SIZE_MAX, .outputs = outputs};

    if (block->form == ROWS_DENSE) {
        taking.row.value = block->value + (size_t)number * block->features;
        taking.row.count = block->features;
    } else {
        taking.row = row_of(block, number);
        taking.value = value_of(block, number);
    }
    return taking;
}

/* Whether a value is 0 of either sign, by its bits. A comparison of floats also tests for NaN. */
INLINED bool is_zero(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits << 1 == 0;
}

/* Writes every entry to the list, but advances only past nonzero entries. This avoids an
 * unpredictable branch. */
INLINED void take_sparse(Taking *taking, PlaceList *list, Places places, bool each, bool some)
{
    const Row row = taking->row; /* a copy, so that writes to the list cannot alias it */
    uint32_t i = taking->next, count = 0;
    size_t at = taking->at, outputs = taking->outputs;
    double same = taking->value;

    for (; i < row.count && count < LIST_SIZE; i++) {
        at = next_place(&row, places, i, at);
        list->place[count] = at * outputs;
        list->value[count] = each ? (double)row.value[i] : same;
        count += !some || (each ? !is_zero(row.value[i]) : !is_filler(&row, places, i));
    }
    taking->next = i;
    taking->at = at;
    list->count = count;
}

static void take_dense(Taking *taking, PlaceList *list)
{
    const float *value = taking->row.value;
    uint32_t i = taking->next, count = 0, end = taking->row.count;
    size_t outputs = taking->outputs;

    for (; i < end && count < LIST_SIZE; i++) {
        list->place[count] = i * outputs;
        list->value[count] = (double)value[i];
        count += !is_zero(value[i]);
    }
    taking->next = i;
    list->count = count;
}

/* Unpacks the next entries of the row: LIST_SIZE, or fewer at its end. Returns false if none are
 * left. */
static bool next_list(Taking *taking, PlaceList *list)
{
    const Block *block = taking->block;
    bool each = taking->row.value;

    if (taking->next == taking->row.count)
        return false;
    if (block->form == ROWS_DENSE)
        take_dense(taking, list);
    else if (block->form == ROWS_COLUMNS && each)
        take_sparse(taking, list, BY_COLUMN, true, false);
    else if (block->form == ROWS_COLUMNS)
        take_sparse(taking, list, BY_COLUMN, false, false);
    else if (each && block->has_fillers)
        take_sparse(taking, list, BY_GAP, true, true);
    else if (each)
        take_sparse(taking, list, BY_GAP, true, false);
    else if (block->has_fillers)
        take_sparse(taking, list, BY_GAP_OR_FILLER, false, true);
    else
        take_sparse(taking, list, BY_GAP, false, false);
    return true;
}

/* Adds entries i to end of the list for one register of outputs, starting at `output`. */
#define SCORE_ENTRIES(Vector, Floats)                                                              \
    INLINED void score_entries_##Vector(const float *w, const PlaceList *list, uint32_t i,         \
                                        uint32_t end, double *scores)                              \
    {                                                                                              \
        Vector sum;                                                                                \
                                                                                                   \
        memcpy(&sum, scores, sizeof sum);                                                          \
        for (; i + 4 <= end; i += 4) {                                                             \
            Floats floats[4];                                                                      \
                                                                                                   \
            UNROLLED for (int j = 0; j < 4; j++)                                                   \
                memcpy(&floats[j], w + list->place[i + j], sizeof floats[j]);                      \
            sum += MULTIPLY_ADD_##Vector(WIDEN_##Vector(floats[1]),                                \
                                         list->value[i + 1] - (Vector){0},                         \
                                         WIDEN_##Vector(floats[0]) * list->value[i]) +             \
                   MULTIPLY_ADD_##Vector(WIDEN_##Vector(floats[3]),                                \
                                         list->value[i + 3] - (Vector){0},                         \
                                         WIDEN_##Vector(floats[2]) * list->value[i + 2]);          \
        }                                                                                          \
        for (; i < end; i++) {                                                                     \
            Floats floats;                                                                         \
                                                                                                   \
            memcpy(&floats, w + list->place[i], sizeof floats);                                    \
            sum += WIDEN_##Vector(floats) * list->value[i];                                        \
        }                                                                                          \
        memcpy(scores, &sum, sizeof sum);                                                          \
    }

typedef double One __attribute__((vector_size(8)));
typedef float FloatOne __attribute__((vector_size(4)));
#define WIDEN_One(floats) __builtin_convertvector(floats, One)
#define MULTIPLY_ADD_One(a, b, sum) ((sum) + (a) * (b))
SCORE_ENTRIES(Part, FloatPart)
#if WIDTH > 4
SCORE_ENTRIES(Four, FloatFour)
#endif
#if WIDTH > 2
SCORE_ENTRIES(Two, FloatTwo)
#endif
SCORE_ENTRIES(One, FloatOne)

INLINED void score_outputs(const float *w, size_t outputs, const PlaceList *list, uint32_t i,
                           uint32_t end, double *scores)
{
    size_t output = 0;

    for (; output + WIDTH <= outputs; output += WIDTH)
        score_entries_Part(w + output, list, i, end, scores + output);
#if WIDTH > 4
    if (output + 4 <= outputs) {
        score_entries_Four(w + output, list, i, end, scores + output);
        output += 4;
    }
#endif
#if WIDTH > 2
    if (output + 2 <= outputs) {
        score_entries_Two(w + output, list, i, end, scores + output);
        output += 2;
    }
#endif
    if (output < outputs)
        score_entries_One(w + output, list, i, end, scores + output);
}

static void dot_many(const float *w, size_t outputs, const Block *block, uint32_t row,
                     double *scores)
{
    Taking taking = take(block, row, outputs);
    PlaceList list;

    while (next_list(&taking, &list)) {
        uint32_t fours = list.count & ~3u;

        if (outputs <= FEW_OUTPUTS) {
            score_outputs(w, outputs, &list, 0, list.count, scores);
            continue;
        }
        for (uint32_t i = 0; i < fours; i += 4)
            score_outputs(w, outputs, &list, i, i + 4, scores);
        for (uint32_t i = fours; i < list.count; i++)
            score_outputs(w, outputs, &list, i, i + 1, scores);
    }
}

/* Lists the outputs with a nonzero step. Stops after FEW_STEPS + 1 of them. */
static size_t steps_taken(const double *steps, size_t outputs, size_t taken[FEW_STEPS])
{
    size_t count = 0;

    for (size_t output = 0; output < outputs; output++) {
        if (steps[output] == 0)
            continue;
        if (count == FEW_STEPS)
            return FEW_STEPS + 1;
        taken[count++] = output;
    }
    return count;
}

static void add_to_outputs(float *restrict w, size_t outputs, const double *restrict steps,
                           double value)
{
    size_t output = 0;

    for (; output + WIDTH <= outputs; output += WIDTH) {
        Part weights, step;

        part_of_floats(w + output, &weights);
        part_of_doubles(steps + output, &step);
        weights += step * value;
        part_to_floats(&weights, w + output);
    }
    for (; output < outputs; output++)
        w[output] = (float)((double)w[output] + steps[output] * value);
}

static void add_many(float *w, size_t outputs, const double *steps, const Block *block,
                     uint32_t row)
{
    Taking taking = take(block, row, outputs);
    size_t taken[FEW_STEPS], count = steps_taken(steps, outputs, taken);
    PlaceList list;

    while (next_list(&taking, &list)) {
        for (uint32_t i = 0; i < list.count; i++) {
            float *weights = w + list.place[i];

            if (count > FEW_STEPS || 4 * count > outputs) {
                add_to_outputs(weights, outputs, steps, list.value[i]);
                continue;
            }
            for (size_t j = 0; j < count; j++)
                weights[taken[j]] = (float)((double)weights[taken[j]] +
                                            steps[taken[j]] * list.value[i]);
        }
    }
}
