#include "learn/neighbor/boxtree.h"
#include "learn/neighbor/simd.h"

/* ---- opening --------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 1 << 22, MOST_SPARSE_COLUMNS = 64 };

Status clv_boxtree_suits(const char *name, const Metric *metric, const Vectors *vectors,
                         cleave_error *error)
{
    if (metric->distance > MAXIMUM) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--index %s supports the distances euclidean, manhattan, lr and maximum, not %s",
                 name, clv_distances[metric->distance]);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--index scan supports every distance");
    }
    if (vectors->features > MOST_COLUMNS ||
        (!vectors->dense && vectors->features > MOST_SPARSE_COLUMNS)) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--index %s supports few columns only, found %s rows of %u columns", name,
                 vectors->dense ? "dense" : "sparse", vectors->features);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--index scan supports all rows");
    }
    return OK;
}

BoxWalk *clv_boxtree_walk_at(size_t level)
{
    static BoxWalk *const walk[SIMD_LEVELS] = SIMD_FORMS(
        clv_boxtree_walk_plain, clv_boxtree_walk_avx2, clv_boxtree_walk_avx512);

    return level <= simd_level() ? walk[level] : NULL;
}

bool clv_boxtree_read(const Index *index, const Bundle *from, void *parts)
{
    BoxTree *tree = parts;
    const BundleItem *boxes = clv_bundle_get(from, "index_boxes", BUNDLE_F32);
    const BundleItem *child = clv_bundle_get(from, "index_children", BUNDLE_U32);
    const BundleItem *value = clv_bundle_get(from, "index_values", BUNDLE_F32);
    const BundleItem *row = clv_bundle_get(from, "index_rows", BUNDLE_U32);
    uint64_t columns, nodes, blocks;

    if (!boxes || !child || !value || !row || !clv_bundle_number(from, "index_columns", &columns))
        return false;
    nodes = child->count / (2 * BOX_LANES);
    blocks = row->count / BOX_LANES;
    if (columns == 0 || columns > MOST_COLUMNS || nodes == 0 || nodes > UINT32_MAX ||
        blocks > UINT32_MAX / BOX_LANES)
        return false;
    *tree = (BoxTree){.walk = clv_boxtree_walk_plain,
                      .columns = (uint32_t)columns,
                      .nodes = (uint32_t)nodes,
                      .blocks = (uint32_t)blocks,
                      .boxes = boxes->data,
                      .child = child->data,
                      .value = value->data,
                      .row = row->data};
    for (size_t i = 1; clv_boxtree_walk_at(i) && !index->options.plain; i++)
        tree->walk = clv_boxtree_walk_at(i);
    return child->count == nodes * 2 * BOX_LANES &&
           boxes->count == nodes * columns * 2 * BOX_LANES && row->count == blocks * BOX_LANES &&
           value->count == row->count * columns;
}

/* Whether each node except the root is the child of one earlier node, within the depth limit, and
 * the blocks of leaves exist. */
static bool nodes_make_sense(const BoxTree *tree, uint8_t *depth)
{
    uint64_t blocks = 0;

    for (uint32_t node = 0; node < tree->nodes; node++) {
        if (node > 0 && depth[node] == 0)
            return false;
        for (uint32_t lane = 0; lane < BOX_LANES; lane++) {
            BoxChild child = tree->child[(size_t)node * BOX_LANES + lane];

            if (child.blocks) {
                if (child.first >= tree->blocks || child.blocks > tree->blocks - child.first)
                    return false;
                blocks += child.blocks;
            } else if (child.first) {
                if (child.first <= node || child.first >= tree->nodes || depth[child.first] ||
                    depth[node] == BOX_MOST_DEPTH - 1)
                    return false;
                depth[child.first] = (uint8_t)(depth[node] + 1);
            }
        }
    }
    return blocks == tree->blocks;
}

/* Whether the rows are those of the vectors, with no row where values are NaN. */
static bool rows_make_sense(const BoxTree *tree, uint32_t built)
{
    for (size_t block = 0; block < tree->blocks; block++)
        for (size_t lane = 0; lane < BOX_LANES; lane++) {
            uint32_t row = tree->row[block * BOX_LANES + lane];
            bool none = isnan(tree->value[block * tree->columns * BOX_LANES + lane]);

            if (none ? row != NO_ROW : row >= built)
                return false;
            for (uint32_t i = 1; i < tree->columns && none; i++)
                if (!isnan(tree->value[(block * tree->columns + i) * BOX_LANES + lane]))
                    return false;
        }
    return true;
}

Status clv_boxtree_check(const Index *index, const Bundle *from, cleave_error *error)
{
    const BoxTree *tree = index->parts;
    uint8_t *depth;
    bool good;

    (void)from;
    if ((tree->columns > 1 && tree->columns > index->vectors.features) ||
        !rows_make_sense(tree, index->built))
        return CLEAVE_ERROR_FORMAT;
    TRY(ALLOC_ZERO(index->context, depth, tree->nodes, "node depths", error));
    good = nodes_make_sense(tree, depth);
    clv_free(index->context, depth);
    return good ? OK : CLEAVE_ERROR_FORMAT;
}

/* Points without columns are in a tree with one column of zeros. */
static const float no_columns = 0;

/* ---- searching ------------------------------------------------------------------------------- */

/* The largest squared distance whose Lr key is within the bound. For subnormal numbers a key is off
 * by a unit per column, not by a factor; the root of the key of many columns is off by less than
 * `off`. */
double clv_boxtree_squares(const BoxSearch *search, double bound)
{
    const double r = search->index->metric.r, columns = (double)search->tree->columns, off = 1e-8;
    double root, spread = r > 2 ? pow(columns, 1 - 2 / r) : 1;

    if (!(bound >= 0))
        return bound;
    root = pow(bound + (columns + 8) * 2 * 4.9406564584124654e-324, 1 / r);
    return root * root * spread * (1 + off);
}

/* The key over columns that no point has, minus its rounding error. */
static double outside_of(const BoxSearch *search)
{
    const Query *query = search->query;
    double sum = 0;

    for (size_t i = query->known; i < query->count && search->form != BOX_LARGEST; i++) {
        double value = fabs((double)query->value[i]);

        sum += search->form == BOX_SUM ? value : value * value;
    }
    return sum * (1 - (double)(query->count + 4) * DBL_EPSILON);
}

static BoxSearch search_of(const Index *index, const Query *query, Nearest *nearest)
{
    const double unit = 0x1p-24, smallest = 0x1p-147;
    const BoxTree *tree = index->parts;
    double columns = (double)tree->columns, terms = columns + (double)(query->count - query->known);
    BoxSearch search = {.index = index,
                        .tree = tree,
                        .query = query,
                        .nearest = nearest,
                        .key_off = 1 + (terms + 8) * 2 * DBL_EPSILON,
                        .off = 1 + 2 * (columns + 6) * unit,
                        .lost = (columns + 2) * smallest};

    search.form = index->metric.distance == MANHATTAN ? BOX_SUM
                  : index->metric.distance == MAXIMUM ? BOX_LARGEST
                                                      : BOX_SQUARES;
    search.uses_metric_key = index->metric.distance == LR || query->count > query->known ||
                             index->vectors.features != tree->columns;
    if (index->metric.distance != LR)
        search.outside = outside_of(&search);
    return search;
}

Status clv_boxtree_search(const Index *index, const Query *queries, Nearest *nearest,
                          uint32_t count, SearchWorkspace *workspace, cleave_error *error)
{
    const BoxTree *tree = index->parts;

    (void)workspace;
    (void)error;
    for (uint32_t i = 0; i < count; i++) {
        Query query = queries[i];
        BoxSearch search = search_of(index, &query, &nearest[i]);

        if (index->vectors.features == 0)
            query.dense = &no_columns;

        tree->walk(&search);
    }
    return OK;
}

/* ---- rectangles ------------------------------------------------------------------------------ */

static bool box_meets(const BoxTree *tree, uint32_t node, uint32_t lane, const float *low,
                      const float *high)
{
    const float *box = tree->boxes + (size_t)node * tree->columns * 2 * BOX_LANES + lane;

    for (uint32_t i = 0; i < tree->columns; i++, box += 2 * BOX_LANES)
        if (!(box[0] <= high[i] && box[BOX_LANES] >= low[i]))
            return false;
    return true;
}

static void block_inside(const Index *index, uint32_t block, const float *low, const float *high,
                         Nearest *found)
{
    const BoxTree *tree = index->parts;
    const float *value = tree->value + (size_t)block * tree->columns * BOX_LANES;

    found->leaves++;
    for (uint32_t lane = 0; lane < BOX_LANES; lane++) {
        uint32_t i = 0;

        found->candidates += tree->row[(size_t)block * BOX_LANES + lane] != NO_ROW;
        while (i < tree->columns && value[(size_t)i * BOX_LANES + lane] >= low[i] &&
               value[(size_t)i * BOX_LANES + lane] <= high[i])
            i++;
        for (; i >= tree->columns && i < index->vectors.features && low[i] <= 0 && high[i] >= 0;)
            i++; /* columns in which every point is 0 */
        if (i >= tree->columns && i >= index->vectors.features)
            nearest_push(found, 0, tree->row[(size_t)block * BOX_LANES + lane]);
    }
}

Status clv_boxtree_inside(const Index *index, const float *low, const float *high, Nearest *found,
                          cleave_error *error)
{
    const BoxTree *tree = index->parts;
    struct {
        uint32_t node, lane;
    } stack[BOX_MOST_DEPTH] = {{0, 0}};
    uint32_t depth = 0;

    (void)error;
    if (index->vectors.features == 0)
        low = high = &no_columns;
    found->nodes++;
    for (;;) {
        uint32_t node = stack[depth].node, lane = stack[depth].lane++;
        BoxChild child;

        if (lane == BOX_LANES) {
            if (depth-- == 0)
                return OK;
            continue;
        }
        if (!box_meets(tree, node, lane, low, high))
            continue;
        child = tree->child[(size_t)node * BOX_LANES + lane];
        for (uint32_t i = 0; i < child.blocks; i++)
            block_inside(index, child.first + i, low, high, found);
        if (child.blocks == 0 && child.first != 0) {
            stack[++depth].node = child.first;
            stack[depth].lane = 0;
            found->nodes++;
        }
    }
}
