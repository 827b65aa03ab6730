#include "plot/delaunay.h"

#include "plot/predicates.h"

#include <stdlib.h>

typedef struct {
    float x, y;
    uint32_t point;
} Place;

/* ---- edges ----------------------------------------------------------------------------------- */

static const float *place(const Delaunay *delaunay, uint32_t site)
{
    return delaunay->at + 2 * (size_t)site;
}

/* Makes an edge with its own rings. There are at most 3 n edges, because edges do not cross
 * (Euler). */
static uint32_t new_edge(Delaunay *delaunay, uint32_t from, uint32_t to)
{
    uint32_t edge = delaunay->free_edges;

    if (edge != NO_EDGE) {
        delaunay->free_edges = delaunay->next[edge];
    } else {
        edge = delaunay->edges;
        delaunay->edges += 2;
    }
    delaunay->origin[edge] = from;
    delaunay->origin[edge ^ 1] = to;
    for (uint32_t i = edge; i <= edge + 1; i++)
        delaunay->next[i] = delaunay->before[i] = i;
    return edge;
}

/* Inserts an edge into the ring of another edge, after it. */
static void put_after(Delaunay *delaunay, uint32_t edge, uint32_t other)
{
    uint32_t next = delaunay->next[other];

    delaunay->next[other] = edge;
    delaunay->before[edge] = other;
    delaunay->next[edge] = next;
    delaunay->before[next] = edge;
}

static void take_out(Delaunay *delaunay, uint32_t edge)
{
    for (uint32_t i = edge & ~1u; i <= (edge | 1u); i++) {
        delaunay->next[delaunay->before[i]] = delaunay->next[i];
        delaunay->before[delaunay->next[i]] = delaunay->before[i];
        delaunay->origin[i] = NO_EDGE;
    }
    delaunay->next[edge & ~1u] = delaunay->free_edges;
    delaunay->free_edges = edge & ~1u;
}

/* Connects the end of edge a to the start of edge b, with the same face on the left. */
static uint32_t connect(Delaunay *delaunay, uint32_t a, uint32_t b)
{
    uint32_t edge = new_edge(delaunay, edge_target(delaunay, a), delaunay->origin[b]);

    put_after(delaunay, edge, edge_around(delaunay, a));
    put_after(delaunay, edge ^ 1, b);
    return edge;
}

/* ---- halves ---------------------------------------------------------------------------------- */

/* Positive if the site is to the left of the edge. */
static double side(const Delaunay *delaunay, uint32_t site, uint32_t edge)
{
    return clv_turn(place(delaunay, site), place(delaunay, delaunay->origin[edge]),
                    place(delaunay, edge_target(delaunay, edge)));
}

static bool inside(const Delaunay *delaunay, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return clv_in_circle(place(delaunay, a), place(delaunay, b), place(delaunay, c),
                         place(delaunay, d)) > 0;
}

/* The convex hull: an edge that leaves its leftmost site counter-clockwise, and an edge that leaves
 * its rightmost site clockwise. */
typedef struct {
    uint32_t left, right;
} Hull;

static Hull two_or_three(Delaunay *delaunay, uint32_t first, uint32_t count)
{
    uint32_t a = new_edge(delaunay, first, first + 1), b, c;
    double turn;

    if (count == 2)
        return (Hull){a, a ^ 1};
    b = new_edge(delaunay, first + 1, first + 2);
    put_after(delaunay, b, a ^ 1);
    turn = clv_turn(place(delaunay, first), place(delaunay, first + 1), place(delaunay, first + 2));
    if (turn == 0)
        return (Hull){a, b ^ 1};
    c = connect(delaunay, b, a);
    return turn > 0 ? (Hull){a, b ^ 1} : (Hull){c ^ 1, c};
}

/* Finds the lowest common tangent of two hulls, from the right one to the left one. */
static uint32_t lower_tangent(Delaunay *delaunay, Hull *left, Hull *right)
{
    uint32_t of_left = left->right, of_right = right->left, base;

    for (;;) {
        if (side(delaunay, delaunay->origin[of_right], of_left) > 0)
            of_left = edge_around(delaunay, of_left);
        else if (side(delaunay, delaunay->origin[of_left], of_right) < 0)
            of_right = delaunay->next[of_right ^ 1];
        else
            break;
    }
    base = connect(delaunay, of_right ^ 1, of_left);
    if (delaunay->origin[of_left] == delaunay->origin[left->left])
        left->left = base ^ 1;
    if (delaunay->origin[of_right] == delaunay->origin[right->right])
        right->right = base;
    return base;
}

static bool above(const Delaunay *delaunay, uint32_t edge, uint32_t base)
{
    return side(delaunay, edge_target(delaunay, edge), base) < 0;
}

/* Finds the candidate at the left end of the base. Edges whose triangle contains another site are
 * deleted. */
static uint32_t left_candidate(Delaunay *delaunay, uint32_t base)
{
    uint32_t edge = delaunay->next[base ^ 1];

    if (!above(delaunay, edge, base))
        return edge;
    while (inside(delaunay, edge_target(delaunay, base), delaunay->origin[base],
                  edge_target(delaunay, edge), edge_target(delaunay, delaunay->next[edge]))) {
        uint32_t next = delaunay->next[edge];

        take_out(delaunay, edge);
        edge = next;
    }
    return edge;
}

static uint32_t right_candidate(Delaunay *delaunay, uint32_t base)
{
    uint32_t edge = delaunay->before[base];

    if (!above(delaunay, edge, base))
        return edge;
    while (inside(delaunay, edge_target(delaunay, base), delaunay->origin[base],
                  edge_target(delaunay, edge), edge_target(delaunay, delaunay->before[edge]))) {
        uint32_t before = delaunay->before[edge];

        take_out(delaunay, edge);
        edge = before;
    }
    return edge;
}

static void sew(Delaunay *delaunay, uint32_t base)
{
    for (;;) {
        uint32_t left = left_candidate(delaunay, base), right = right_candidate(delaunay, base);
        bool to_left = above(delaunay, left, base), to_right = above(delaunay, right, base);

        if (!to_left && !to_right)
            return;
        if (!to_left ||
            (to_right && inside(delaunay, edge_target(delaunay, left), delaunay->origin[left],
                                delaunay->origin[right], edge_target(delaunay, right))))
            base = connect(delaunay, right, base ^ 1);
        else
            base = connect(delaunay, base ^ 1, left ^ 1);
    }
}

static Hull triangulate(Delaunay *delaunay, uint32_t first, uint32_t count)
{
    Hull left, right;

    if (count <= 3)
        return two_or_three(delaunay, first, count);
    left = triangulate(delaunay, first, count / 2);
    right = triangulate(delaunay, first + count / 2, count - count / 2);
    sew(delaunay, lower_tangent(delaunay, &left, &right));
    return (Hull){left.left, right.right};
}

/* ---- the whole triangulation ----------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const Place *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->point < q->point ? -1 : p->point > q->point;
}

static void find_sites(Delaunay *delaunay, Place *places, const float *xy, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        places[i] = (Place){xy[2 * (size_t)i], xy[2 * (size_t)i + 1], i};
    qsort(places, count, sizeof *places, by_place);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && places[i].x == places[i - 1].x && places[i].y == places[i - 1].y)
            continue;
        delaunay->at[2 * (size_t)delaunay->sites] = places[i].x;
        delaunay->at[2 * (size_t)delaunay->sites + 1] = places[i].y;
        delaunay->point[delaunay->sites++] = places[i].point;
    }
}

Status clv_delaunay(Delaunay *delaunay, Context *context, const float *xy, uint32_t count,
                    cleave_error *error)
{
    size_t capacity = 6 * (size_t)count + 2;
    Place *places;

    *delaunay = (Delaunay){.context = context, .free_edges = NO_EDGE};
    delaunay->at = clv_alloc(context, 2 * (size_t)count + 1, sizeof *delaunay->at);
    delaunay->point = clv_alloc(context, (size_t)count + 1, sizeof *delaunay->point);
    delaunay->out = clv_alloc(context, (size_t)count + 1, sizeof *delaunay->out);
    delaunay->origin = clv_alloc(context, capacity, sizeof *delaunay->origin);
    delaunay->next = clv_alloc(context, capacity, sizeof *delaunay->next);
    delaunay->before = clv_alloc(context, capacity, sizeof *delaunay->before);
    places = clv_alloc(context, (size_t)count + 1, sizeof *places);
    if (!delaunay->at || !delaunay->point || !delaunay->out || !delaunay->origin ||
        !delaunay->next || !delaunay->before || !places) {
        clv_free(context, places);
        return clv_fail_memory(error, "a triangulation", (size_t)count * 128);
    }
    find_sites(delaunay, places, xy, count);
    clv_free(context, places);
    for (uint32_t i = 0; i < delaunay->sites; i++)
        delaunay->out[i] = NO_EDGE;
    if (delaunay->sites > 1)
        triangulate(delaunay, 0, delaunay->sites);
    for (uint32_t i = 0; i < delaunay->edges; i++)
        if (delaunay->origin[i] != NO_EDGE)
            delaunay->out[delaunay->origin[i]] = i;
    return OK;
}

void clv_delaunay_free(Delaunay *delaunay)
{
    if (!delaunay->context)
        return;
    FREE(delaunay->context, delaunay->at, delaunay->point, delaunay->out, delaunay->origin,
         delaunay->next, delaunay->before);
    *delaunay = (Delaunay){0};
}

bool clv_delaunay_is_triangle(const Delaunay *delaunay, uint32_t edge)
{
    uint32_t second = edge_around(delaunay, edge), third = edge_around(delaunay, second);

    return edge_around(delaunay, third) == edge && third != edge && second != edge &&
           third != second &&
           clv_turn(place(delaunay, delaunay->origin[edge]),
                    place(delaunay, delaunay->origin[second]),
                    place(delaunay, delaunay->origin[third])) > 0;
}
