/*
 * Quadtree, in three columns octree (Finkel and Bentley 1974; Samet 1990): a square cell around all
 * points is divided into 2^d equal cells, recursively while a cell has more points than a leaf,
 * down to a smallest cell with any number of points. A node of the tree of boxes (boxtree.h) holds
 * up to sixteen cells of different sizes: the fullest cell is divided while lanes are free. Cells
 * only group points; bounds are the boxes around the points, so that the rounding of cells does not
 * matter.
 */
#include "learn/neighbor/boxtree.h"

enum { MOST_AXES = 3, SMALLEST = 48 }; /* the smallest cell: the root's side over 2^48 */

typedef struct {
    uint64_t *point;
    uint32_t count, level;
    double low[MOST_AXES];
} Cell;

typedef struct {
    BoxBuilder *builder;
    uint64_t *workspace; /* one per point */
    double side;         /* side of the root's cell */
} Build;

/* Orders the points by the children of the cell and counts them. */
static void sort_by_child(const Build *build, const Cell *cell, uint32_t count[1 << MOST_AXES])
{
    uint32_t axes = build->builder->columns, place[1 << MOST_AXES], sum = 0;
    double half = ldexp(build->side, -(int)cell->level - 1);

    memset(count, 0, (1 << MOST_AXES) * sizeof *count);
    for (uint32_t i = 0; i < cell->count; i++) {
        uint32_t row = (uint32_t)cell->point[i], child = 0;
        const float *x = build->builder->point + row * build->builder->stride;

        for (uint32_t j = 0; j < axes; j++)
            child |= (uint32_t)((double)x[j] >= cell->low[j] + half) << j;
        cell->point[i] = (uint64_t)child << 32 | row;
        count[child]++;
    }
    for (uint32_t i = 0; i < 1u << axes; i++) {
        place[i] = sum;
        sum += count[i];
    }
    for (uint32_t i = 0; i < cell->count; i++)
        build->workspace[place[cell->point[i] >> 32]++] = cell->point[i];
    memcpy(cell->point, build->workspace, cell->count * sizeof *cell->point);
}

/* Replaces a cell by its nonempty children. Returns the new number of cells. */
static uint32_t cut(const Build *build, Cell *cell, uint32_t cells, uint32_t which)
{
    uint32_t axes = build->builder->columns, count[1 << MOST_AXES], to = which;
    double half = ldexp(build->side, -(int)cell[which].level - 1);
    Cell parent = cell[which];

    sort_by_child(build, &parent, count);
    for (uint32_t i = 0; i < 1u << axes; i++) {
        Cell child = {.point = parent.point, .count = count[i], .level = parent.level + 1};

        for (uint32_t j = 0; j < axes; j++)
            child.low[j] = parent.low[j] + (i >> j & 1 ? half : 0);
        parent.point += count[i];
        if (count[i] == 0)
            continue;
        cell[to] = child;
        cells += to == cells;
        to = cells;
    }
    return cells;
}

static bool may_be_cut(const Build *build, const Cell *cell)
{
    return cell->count > build->builder->leaf && cell->level < SMALLEST;
}

/* The fullest cell that can be divided; `cells` if there is none. */
static uint32_t fullest(const Build *build, const Cell *cell, uint32_t cells)
{
    uint32_t best = cells;

    for (uint32_t i = 0; i < cells; i++)
        if (may_be_cut(build, &cell[i]) && (best == cells || cell[i].count > cell[best].count))
            best = i;
    return best;
}

/* Fills a node. Cells become smaller with each level, so the depth is at most SMALLEST. */
static Status fill_node(Build *build, uint32_t node, const Cell *whole)
{
    uint32_t cells = 1, which, child;
    Cell cell[BOX_LANES];

    cell[0] = *whole;
    while ((which = fullest(build, cell, cells)) < cells &&
           cells - 1 + (1u << build->builder->columns) <= BOX_LANES) {
        TRY(boxbuilder_poll(build->builder, cell[which].count));
        cells = cut(build, cell, cells, which);
    }
    for (uint32_t i = 0; i < cells; i++) {
        if (!may_be_cut(build, &cell[i])) {
            TRY(clv_boxbuilder_leaf(build->builder, node, i, cell[i].point, cell[i].count));
            continue;
        }
        TRY(clv_boxbuilder_node(build->builder, &child));
        TRY(fill_node(build, child, &cell[i]));
        clv_boxbuilder_child(build->builder, node, i, child);
    }
    return OK;
}

/* The smallest square cell around all points. */
static Cell root_cell(Build *build)
{
    const BoxBuilder *builder = build->builder;
    Cell cell = {.point = builder->to_place, .count = builder->count};

    for (uint32_t j = 0; j < builder->columns; j++) {
        float low = INFINITY, high = -INFINITY;

        for (uint32_t i = 0; i < builder->count; i++) {
            float x = builder->point[(size_t)(uint32_t)builder->to_place[i] * builder->stride + j];

            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        cell.low[j] = (double)low;
        build->side = (double)high - (double)low > build->side ? (double)high - (double)low
                                                               : build->side;
    }
    if (build->side == 0)
        cell.level = SMALLEST;
    return cell;
}

static Status fill_tree(BoxBuilder *builder, uint32_t root)
{
    Build build = {.builder = builder};
    Cell cell = root_cell(&build);
    Status status = ALLOC(builder->context, build.workspace, builder->count, "a quadtree",
                          builder->error);

    if (status == OK)
        status = fill_node(&build, root, &cell);
    clv_free(builder->context, build.workspace);
    return status;
}

static Status build(const Index *index, Bundle *into, cleave_error *error)
{
    return clv_boxtree_build(index, fill_tree, into, error);
}

static Status suits(const Metric *metric, const Vectors *vectors, cleave_error *error)
{
    if (vectors->features != 2 && vectors->features != MOST_AXES) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--index quadtree supports 2 or 3 columns, found %u",
                 vectors->features);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--index kdtree supports any number of columns");
    }
    return clv_boxtree_suits("quadtree", metric, vectors, error);
}

const IndexKind clv_index_quadtree = {.name = "quadtree",
                                      .exact = true,
                                      .dense = true,
                                      .suits = suits,
                                      .build = build,
                                      .parts_size = sizeof(BoxTree),
                                      .read = clv_boxtree_read,
                                      .check = clv_boxtree_check,
                                      .search = clv_boxtree_search,
                                      .inside = clv_boxtree_inside};
