/*
 * Copies the rows of an iteration in the order of their visits. Coordinate descent is sequential:
 * each row needs the w of the previous step. But the order of an iteration is known in advance, and
 * rows do not change. A second thread copies the next rows, which are scattered in memory, into a
 * small ring buffer that stays in the cache.
 *
 * The learner does not wait for copies. It reads a row from its original place if the row has not
 * been copied. Copies are exact, so results are bit-identical and only the speed depends on timing.
 */
#include "learn/linear/dcd.h"

#include "base/memory.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <time.h>

enum { SLOTS = 8, MIN_WORKSPACE = 1 << 12, MAX_WORKSPACE = 1 << 16, ROWS_LEAST = 10000 };

typedef struct {
    _Atomic uint32_t ready; /* 1 + the number of the stretch in this slot */
    DcdStretch stretch;
    uint16_t *gap;
    float *value;
    DcdRow row[DCD_STRETCH];
    uint32_t end[DCD_STRETCH];
} Slot;

struct DcdPrefetch {
    /* number of stretches learned, which is the number of the current one */
    _Atomic uint32_t learned;
    uint32_t workspace; /* entries per slot */
    char apart[64];     /* padding: each thread's variables have their own cache line */
    Slot slot[SLOTS];
};

/* ---- the prefetch thread --------------------------------------------------------------------- */

static void prefetch_row(const Dcd *dcd, uint32_t number)
{
    const DcdRow *row = &dcd->problem.rows[number];
    const Block *block = &dcd->problem.blocks[row->block];
    uint32_t start = block_start(block, row->row), end = block->end[row->row];

    for (uint32_t i = start; i < end; i += 64 / sizeof *block->gap)
        __builtin_prefetch(block->gap + i);
    for (uint32_t i = start; i < end; i += 64 / sizeof *block->value)
        __builtin_prefetch(block->value + i);
}

/* Copies rows, beginning with row `first` of the order, until the slot is full. */
static void copy_rows(const Dcd *dcd, Slot *slot, uint32_t workspace, uint32_t first)
{
    enum { NEAR = 4, FAR = 12 };
    uint32_t most = dcd->order.active - first < DCD_STRETCH ? dcd->order.active - first
                                                            : DCD_STRETCH,
             filled = 0, i;

    for (i = 0; i < most; i++) {
        const uint32_t *order = dcd->order.rows + first + i;
        const DcdRow *row = &dcd->problem.rows[*order];
        const Block *block = &dcd->problem.blocks[row->block];
        uint32_t start = block_start(block, row->row), count = block->end[row->row] - start;

        if (i + FAR < most)
            __builtin_prefetch(&dcd->problem.rows[order[FAR]]);
        if (i + NEAR < most)
            prefetch_row(dcd, order[NEAR]);
        if (count > workspace - filled)
            break;
        memcpy(slot->gap + filled, block->gap + start, count * sizeof *block->gap);
        memcpy(slot->value + filled, block->value + start, count * sizeof *block->value);
        filled += count;
        slot->row[i] = *row;
        slot->end[i] = filled;
    }
    slot->stretch.rows = slot->stretch.block.rows = i;
}

void clv_dcd_prefetch_rows(Dcd *dcd)
{
    struct DcdPrefetch *ahead = dcd->order.ahead;
    uint32_t stretches = (dcd->order.active + DCD_STRETCH - 1) / DCD_STRETCH, learned;

    for (uint32_t next = 1;; next++) {
        Slot *slot;

        while ((learned = atomic_load_explicit(&ahead->learned, memory_order_acquire)) + SLOTS <=
                   next &&
               learned < stretches)
            nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
        if (learned >= stretches)
            return;
        next = next > learned ? next : learned + 1;
        if (next >= stretches)
            return;
        slot = &ahead->slot[next % SLOTS];
        copy_rows(dcd, slot, ahead->workspace, next * DCD_STRETCH);
        atomic_store_explicit(&slot->ready, next + 1, memory_order_release);
    }
}

/* ---- the learner ----------------------------------------------------------------------------- */

const DcdStretch *clv_dcd_prefetched(Dcd *dcd, uint32_t number)
{
    Slot *slot = &dcd->order.ahead->slot[number % SLOTS];

    return atomic_load_explicit(&slot->ready, memory_order_acquire) == number + 1 ? &slot->stretch
                                                                                  : NULL;
}

void clv_dcd_stretch_learned(Dcd *dcd, uint32_t learned)
{
    atomic_store_explicit(&dcd->order.ahead->learned, learned, memory_order_release);
}

/* ---- set-up and clean-up --------------------------------------------------------------------- */

void clv_dcd_prefetch_begin(Dcd *dcd)
{
    atomic_store_explicit(&dcd->order.ahead->learned, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < SLOTS; i++)
        atomic_store_explicit(&dcd->order.ahead->slot[i].ready, 0, memory_order_relaxed);
}

static bool pays(const Dcd *dcd)
{
    if (dcd->problem.count < ROWS_LEAST || clv_pool_workers(dcd->fit->context, 2) < 2)
        return false;
    for (uint32_t i = 0; i < dcd->problem.dataset->blocks; i++)
        if (dcd->problem.blocks[i].form != ROWS_GAPS ||
            dcd->problem.blocks[i].value_form != VALUES_EACH)
            return false;
    return true;
}

void clv_dcd_prefetch_make(Dcd *dcd)
{
    Context *context = dcd->fit->context;
    uint64_t typical = 2 * DCD_STRETCH *
                       (dcd->problem.dataset->entries / (dcd->problem.dataset->rows + 1) + 1);
    uint32_t workspace = (uint32_t)(typical < MIN_WORKSPACE   ? MIN_WORKSPACE
                                    : typical > MAX_WORKSPACE ? MAX_WORKSPACE
                                                              : typical);
    struct DcdPrefetch *ahead;

    if (!pays(dcd) || !(ahead = clv_alloc_zero(context, 1, sizeof *ahead)))
        return;
    dcd->order.ahead = ahead;
    ahead->workspace = workspace;
    for (uint32_t i = 0; i < SLOTS; i++) {
        Slot *slot = &ahead->slot[i];

        slot->gap = clv_alloc(context, workspace, sizeof *slot->gap);
        slot->value = clv_alloc(context, workspace, sizeof *slot->value);
        if (!slot->gap || !slot->value) {
            clv_dcd_prefetch_free(dcd);
            return;
        }
        slot->stretch.row = slot->row;
        slot->stretch.block = (Block){.form = ROWS_GAPS,
                                      .value_form = VALUES_EACH,
                                      .features = dcd->fit->features,
                                      .has_fillers = true,
                                      .end = slot->end,
                                      .gap = slot->gap,
                                      .value = slot->value};
    }
}

void clv_dcd_prefetch_free(Dcd *dcd)
{
    if (!dcd->order.ahead)
        return;
    for (uint32_t i = 0; i < SLOTS; i++) {
        FREE(dcd->fit->context, dcd->order.ahead->slot[i].gap, dcd->order.ahead->slot[i].value);
    }
    clv_free(dcd->fit->context, dcd->order.ahead);
    dcd->order.ahead = NULL;
}
