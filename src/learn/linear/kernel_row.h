/*
 * w·x and w += s x for one weight vector. kernel_loops.h includes this file once for float weights
 * and once for double weights.
 */

/* The weights of entries i to i + 3; 0 for fillers, without reading a weight. */
INLINED void NAME(weights)(const WEIGHT *w, const Row *row, Places places, size_t i, size_t *at,
                           Four *result)
{
    const WEIGHT nothing = 0;
    size_t a = next_place(row, places, i, *at);
    size_t b = next_place(row, places, i + 1, a);
    size_t c = next_place(row, places, i + 2, b);
    size_t d = next_place(row, places, i + 3, c);
    const WEIGHT *pa = is_filler(row, places, i) ? &nothing : w + a;
    const WEIGHT *pb = is_filler(row, places, i + 1) ? &nothing : w + b;
    const WEIGHT *pc = is_filler(row, places, i + 2) ? &nothing : w + c;
    const WEIGHT *pd = is_filler(row, places, i + 3) ? &nothing : w + d;

    *at = d;
    FOUR_WEIGHTS(result, *pa, *pb, *pc, *pd);
}

INLINED double NAME(dot_sparse)(const WEIGHT *w, const Row *row, Places places, bool each)
{
    Four low = {0}, high = {0};
    double lane[LANES];
    size_t at = SIZE_MAX;
    size_t i = 0;

    for (; i + LANES <= row->count; i += LANES) {
        Four a, b;

        fetch_ahead(row, places, each, i);
        NAME(weights)(w, row, places, i, &at, &a);
        NAME(weights)(w, row, places, i + 4, &at, &b);
        if (each) {
            Four x, y;

            load_floats(row->value + i, &x);
            load_floats(row->value + i + 4, &y);
            low = SUM_FOUR(a, x, low);
            high = SUM_FOUR(b, y, high);
        } else {
            low += a;
            high += b;
        }
    }
    memcpy(lane, &low, sizeof low);
    memcpy(lane + 4, &high, sizeof high);
    for (uint32_t j = 0; i < row->count; i++, j++) {
        at = next_place(row, places, i, at);
        if (!is_filler(row, places, i))
            lane[j] += (double)w[at] * (each ? (double)row->value[i] : 1);
    }
    return add_up(lane);
}

/* Columns of a row increase, so the weights of four entries can be loaded before the first one is
 * stored. */
INLINED void NAME(add_sparse)(WEIGHT *restrict w, double step, const Row *row, Places places,
                              bool each)
{
    size_t at = SIZE_MAX;
    size_t i = 0;

    for (; i + 4 <= row->count; i += 4) {
        WEIGHT nowhere = 0;
        size_t a = next_place(row, places, i, at);
        size_t b = next_place(row, places, i + 1, a);
        size_t c = next_place(row, places, i + 2, b);
        size_t d = next_place(row, places, i + 3, c);
        WEIGHT *pa = is_filler(row, places, i) ? &nowhere : w + a;
        WEIGHT *pb = is_filler(row, places, i + 1) ? &nowhere : w + b;
        WEIGHT *pc = is_filler(row, places, i + 2) ? &nowhere : w + c;
        WEIGHT *pd = is_filler(row, places, i + 3) ? &nowhere : w + d;
        Four weights, increments = {step, step, step, step};
        STORED stored;

        FOUR_WEIGHTS(&weights, *pa, *pb, *pc, *pd);
        if (each) {
            Four x;

            load_floats(row->value + i, &x);
            increments *= x;
        }
        stored = TO_STORED(weights + increments);
        *pa = stored[0];
        *pb = stored[1];
        *pc = stored[2];
        *pd = stored[3];
        at = d;
    }
    for (; i < row->count; i++) {
        at = next_place(row, places, i, at);
        if (!is_filler(row, places, i))
            w[at] = NARROW((double)w[at] + (each ? step * (double)row->value[i] : step));
    }
}

static double NAME(dot_dense)(const WEIGHT *w, const float *value, uint32_t count)
{
    Part sum[PARTS] = {0};
    double lane[LANES];
    uint32_t i = 0;

    for (; i + LANES <= count; i += LANES) {
        UNROLLED for (int part = 0; part < PARTS; part++)
        {
            Part a, x;

            LOAD_PART(w + i + part * WIDTH, &a);
            part_of_floats(value + i + part * WIDTH, &x);
            sum[part] = SUM_PART(a, x, sum[part]);
        }
    }
    memcpy(lane, sum, sizeof lane);
    for (uint32_t j = 0; i < count; i++, j++)
        lane[j] += (double)w[i] * (double)value[i];
    return add_up(lane);
}

static void NAME(add_dense)(WEIGHT *restrict w, double step, const float *value, uint32_t count)
{
    uint32_t i = 0;

    for (; i + WIDTH <= count; i += WIDTH) {
        Part a, x;

        LOAD_PART(w + i, &a);
        part_of_floats(value + i, &x);
        a += step * x;
        STORE_PART(&a, w + i);
    }
    for (; i < count; i++)
        w[i] = NARROW((double)w[i] + step * (double)value[i]);
}

static double NAME(dot)(const WEIGHT *w, const Block *block, uint32_t number)
{
    Row row;

    if (block->form == ROWS_DENSE)
        return NAME(dot_dense)(w, block->value + (size_t)number * block->features, block->features);
    row = row_of(block, number);
    if (row.value)
        return row.gap ? NAME(dot_sparse)(w, &row, BY_GAP, true)
                       : NAME(dot_sparse)(w, &row, BY_COLUMN, true);
    switch (places_of(block)) {
    case BY_COLUMN:
        return value_of(block, number) * NAME(dot_sparse)(w, &row, BY_COLUMN, false);
    case BY_GAP:
        return value_of(block, number) * NAME(dot_sparse)(w, &row, BY_GAP, false);
    default:
        return value_of(block, number) * NAME(dot_sparse)(w, &row, BY_GAP_OR_FILLER, false);
    }
}

static void NAME(add)(WEIGHT *w, double step, const Block *block, uint32_t number)
{
    Row row;

    if (block->form == ROWS_DENSE) {
        NAME(add_dense)(w, step, block->value + (size_t)number * block->features, block->features);
        return;
    }
    row = row_of(block, number);
    if (row.value && row.gap) {
        NAME(add_sparse)(w, step, &row, BY_GAP, true);
        return;
    }
    if (row.value) {
        NAME(add_sparse)(w, step, &row, BY_COLUMN, true);
        return;
    }
    step *= value_of(block, number);
    switch (places_of(block)) {
    case BY_COLUMN:
        NAME(add_sparse)(w, step, &row, BY_COLUMN, false);
        return;
    case BY_GAP:
        NAME(add_sparse)(w, step, &row, BY_GAP, false);
        return;
    default:
        NAME(add_sparse)(w, step, &row, BY_GAP_OR_FILLER, false);
    }
}

#undef WEIGHT
#undef NAME
#undef NARROW
#undef FOUR_WEIGHTS
#undef STORED
#undef TO_STORED
#undef LOAD_PART
#undef STORE_PART
#undef SUM_FOUR
#undef SUM_PART
