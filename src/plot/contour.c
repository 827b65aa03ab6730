#include "plot/contour.h"

#include <math.h>
#include <stdlib.h>

/* The place between two centers where the value is the level. It is bit-identical from both squares
 * that share them. */
static Spot between(Spot a, double of_a, Spot b, double of_b, double level)
{
    double share;

    if (a.x > b.x || a.y > b.y)
        return between(b, of_b, a, of_a, level);
    share = (level - of_a) / (of_b - of_a);

    return (Spot){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

static Spot center(const ContourGrid *grid, size_t column, size_t row)
{
    return (Spot){grid->box[0] +
                      (grid->box[2] - grid->box[0]) * ((double)column + 0.5) / (double)grid->across,
                  grid->box[1] +
                      (grid->box[3] - grid->box[1]) * ((double)row + 0.5) / (double)grid->up};
}

/* The line crosses two sides of a square between four centers, or all four (a saddle, which the
 * mean of the corners decides). */
static Status cross_square(Contour *contour, const ContourGrid *grid, size_t column, size_t row,
                           double level, cleave_error *error)
{
    static const size_t right[4] = {0, 1, 1, 0}, above[4] = {0, 0, 1, 1};
    double value[4], mean = 0;
    Spot corner[4], crossing[4];
    size_t count = 0, first;

    for (int i = 0; i < 4; i++) {
        value[i] = grid->values[(row + above[i]) * grid->across + column + right[i]];
        if (!isfinite(value[i]))
            return OK;
        corner[i] = center(grid, column + right[i], row + above[i]);
        mean += value[i] / 4;
    }
    for (int i = 0; i < 4; i++) {
        int next = (i + 1) % 4;

        if ((value[i] > level) != (value[next] > level))
            crossing[count++] = between(corner[i], value[i], corner[next], value[next], level);
    }
    if (count == 0)
        return OK;
    TRY(GROW(contour->context, contour->ends, contour->capacity, contour->count + 4, error));
    /* A saddle: the crossings lie on the sides 0 to 3. Side i joins the one whose common corner
     * differs from the middle. */
    first = count == 4 && (mean > level) == (value[0] > level) ? 0 : 1;
    for (size_t i = 0; i < count; i += 2) {
        size_t at = count == 4 ? first + i : i;

        contour->ends[contour->count++] = crossing[at];
        contour->ends[contour->count++] = crossing[(at + 1) % count];
    }
    return OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct {
    Spot at;
    size_t end; /* of contour->ends */
} EndPlace;

static int by_place(const void *a, const void *b)
{
    const EndPlace *one = a, *two = b;

    if (one->at.x != two->at.x)
        return one->at.x < two->at.x ? -1 : 1;
    if (one->at.y != two->at.y)
        return one->at.y < two->at.y ? -1 : 1;
    return (one->end > two->end) - (one->end < two->end);
}

/* Follows a line from one end of a piece: writes its pieces, each from where the last one ended. */
static size_t follow(const Spot *ends, const size_t *other, bool *done, size_t from, Spot *ordered)
{
    size_t count = 0;

    while (from != SIZE_MAX && !done[from / 2]) {
        done[from / 2] = true;
        ordered[count++] = ends[from];
        ordered[count++] = ends[from ^ 1];
        from = other[from ^ 1];
    }
    return count;
}

/* Orders the pieces so that a line is a sequence of pieces: open lines from an end, then closed
 * ones. */
static Status put_in_order(Contour *contour, cleave_error *error)
{
    size_t count = contour->count, at = 0;
    Arena arena = {.context = contour->context, .error = error, .what = "a contour"};
    EndPlace *places = clv_arena_alloc(&arena, count, sizeof *places);
    size_t *other = clv_arena_alloc(&arena, count, sizeof *other);
    bool *done = clv_arena_zero(&arena, count, sizeof *done);
    Spot *ordered = clv_arena_alloc(&arena, count, sizeof *ordered);

    for (size_t i = 0; i < count && arena.status == OK; i++) {
        places[i] = (EndPlace){contour->ends[i], i};
        other[i] = SIZE_MAX;
    }
    if (arena.status == OK && count > 0) {
        qsort(places, count, sizeof *places, by_place);
        for (size_t i = 0; i + 1 < count; i++)
            if (places[i].at.x == places[i + 1].at.x && places[i].at.y == places[i + 1].at.y) {
                other[places[i].end] = places[i + 1].end;
                other[places[i + 1].end] = places[i].end;
                i++;
            }
        for (int closed = 0; closed < 2; closed++)
            for (size_t i = 0; i < count; i++)
                if (closed || other[i] == SIZE_MAX)
                    at += follow(contour->ends, other, done, i, ordered + at);
        memcpy(contour->ends, ordered, count * sizeof *ordered);
    }
    clv_arena_free(&arena);
    return arena.status;
}

Status clv_contour(Contour *contour, const ContourGrid *grid, double level, cleave_error *error)
{
    for (size_t row = 0; row + 1 < grid->up; row++)
        for (size_t column = 0; column + 1 < grid->across; column++)
            TRY(cross_square(contour, grid, column, row, level, error));
    return put_in_order(contour, error);
}
