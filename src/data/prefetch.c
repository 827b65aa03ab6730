#include "data/prefetch.h"

#include <pthread.h>

/* ---- copies ---------------------------------------------------------------------------------- */

void clv_copies_init(Copies *copies, Context *context)
{
    *copies = (Copies){0};
    clv_builder_init(&copies->builder, context);
    copies->builder.passing_by = true;
    clv_builder_clear(&copies->builder);
}

void clv_copies_free(Copies *copies)
{
    Context *context = copies->builder.context;

    if (!context)
        return;
    clv_builder_free(&copies->builder);
    clv_free(context, copies->numbers);
    *copies = (Copies){0};
}

void clv_copies_clear(Copies *copies)
{
    clv_builder_clear(&copies->builder);
}

Status clv_copies_add(Copies *copies, const Block *block, uint32_t row, uint32_t rows,
                      cleave_error *error)
{
    Builder *builder = &copies->builder;

    TRY(GROW(builder->context, copies->numbers, copies->number_capacity,
             (size_t)builder->rows + rows, error));
    for (uint32_t i = 0; i < rows; i++)
        copies->numbers[builder->rows + i] = block->first_row + row + i;
    return clv_builder_copy_rows(builder, block, row, rows, error);
}

Status clv_copies_finish(Copies *copies, const Block **block, cleave_error *error)
{
    *block = NULL;
    if (copies->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&copies->builder, &copies->block, error));
    copies->block.row_number = copies->numbers;
    *block = &copies->block;
    return OK;
}

/* ---- read-ahead ------------------------------------------------------------------------------ */

enum { PLACES = 4 };

typedef struct {
    Copies copies;
    const Block *block; /* NULL: the end of the data, or a failure */
    Status status;
    cleave_error error;
} PrefetchPlace;

struct Ahead {
    Context *context;
    MakeCopies *make;
    void *user;
    PrefetchPlace
        place[PLACES]; /* made % PLACES is being filled, taken % PLACES was returned last */

    pthread_mutex_t lock;
    pthread_cond_t workspace, ready;
    pthread_t thread;
    bool leaving;
    /* number of blocks made, and taken, so far; the block taken last is still in use */
    uint64_t made, taken;
};

static bool has_space(const Ahead *ahead)
{
    uint64_t held = ahead->taken > 0 ? ahead->taken - 1 : 0;

    return ahead->made - held < PLACES;
}

static void *make_ahead(void *given)
{
    Ahead *ahead = given;
    bool more = true;

    pthread_mutex_lock(&ahead->lock);
    while (more && !ahead->leaving) {
        PrefetchPlace *place = &ahead->place[ahead->made % PLACES];

        if (!has_space(ahead)) {
            pthread_cond_wait(&ahead->workspace, &ahead->lock);
            continue;
        }
        pthread_mutex_unlock(&ahead->lock);
        place->block = NULL;
        place->status = ahead->make(ahead->user, &place->copies, &place->block, &place->error);
        more = place->status == OK && place->block;
        pthread_mutex_lock(&ahead->lock);
        ahead->made++;
        pthread_cond_signal(&ahead->ready);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

static void free_ahead(Ahead *ahead)
{
    Context *context = ahead->context;

    for (size_t i = 0; i < PLACES; i++)
        clv_copies_free(&ahead->place[i].copies);
    pthread_cond_destroy(&ahead->ready);
    pthread_cond_destroy(&ahead->workspace);
    pthread_mutex_destroy(&ahead->lock);
    clv_free(context, ahead);
}

Ahead *clv_ahead_begin(Context *context, MakeCopies *make, void *user)
{
    Ahead *ahead = clv_alloc_zero(context, 1, sizeof *ahead);

    if (!ahead)
        return NULL;
    ahead->context = context;
    ahead->make = make;
    ahead->user = user;
    for (size_t i = 0; i < PLACES; i++)
        clv_copies_init(&ahead->place[i].copies, context);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->workspace, NULL);
    pthread_cond_init(&ahead->ready, NULL);
    if (pthread_create(&ahead->thread, NULL, make_ahead, ahead) != 0) {
        free_ahead(ahead);
        return NULL;
    }
    return ahead;
}

Status clv_ahead_next(Ahead *ahead, const Block **block, cleave_error *error)
{
    PrefetchPlace *place;

    pthread_mutex_lock(&ahead->lock);
    place = ahead->taken > 0 ? &ahead->place[(ahead->taken - 1) % PLACES] : NULL;
    if (!place || place->block) { /* at the end of the data, no block follows */
        while (ahead->made == ahead->taken)
            pthread_cond_wait(&ahead->ready, &ahead->lock);
        place = &ahead->place[ahead->taken++ % PLACES];
        pthread_cond_signal(&ahead->workspace);
    }
    pthread_mutex_unlock(&ahead->lock);
    *block = place->block;
    if (place->status != OK && error)
        *error = place->error;
    return place->status;
}

void clv_ahead_end(Ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->leaving = true;
    pthread_cond_signal(&ahead->workspace);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    free_ahead(ahead);
}
