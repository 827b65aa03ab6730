#include "learn/neighbor/index_boxes.h"

#include "learn/neighbor/boxtree.h"
#include "learn/neighbor/lsh.h"
#include "learn/neighbor/rtree.h"

typedef struct {
    Context *context;
    IndexBox *box;
    size_t count, capacity;
    cleave_error *error;
} Boxes;

static Status add_box(Boxes *boxes, const double side[4], uint32_t depth, bool leaf)
{
    IndexBox box = {.depth = depth, .leaf = leaf};

    memcpy(box.side, side, sizeof box.side);
    TRY(GROW(boxes->context, boxes->box, boxes->capacity, boxes->count + 1, boxes->error));
    boxes->box[boxes->count++] = box;
    return OK;
}

/* ---- kd-tree, quadtree ----------------------------------------------------------------------- */

static Status add_children(Boxes *boxes, const BoxTree *tree, uint32_t node, uint32_t depth)
{
    for (uint32_t lane = 0; lane < BOX_LANES; lane++) {
        BoxChild child = tree->child[(size_t)node * BOX_LANES + lane];
        const float *low = tree->boxes + (size_t)node * tree->columns * 2 * BOX_LANES + lane;
        double side[4] = {0};

        if (child.blocks == 0 && child.first == 0)
            continue;
        for (uint32_t i = 0; i < 2 && i < tree->columns; i++) {
            side[i] = (double)low[(size_t)i * 2 * BOX_LANES];
            side[i + 2] = (double)low[(size_t)i * 2 * BOX_LANES + BOX_LANES];
        }
        TRY(add_box(boxes, side, depth, child.blocks > 0));
        if (child.blocks == 0 && depth < BOX_MOST_DEPTH)
            TRY(add_children(boxes, tree, child.first, depth + 1));
    }
    return OK;
}

/* ---- R-tree ---------------------------------------------------------------------------------- */

static Status add_page(Boxes *boxes, const Rtree *tree, uint32_t number, uint32_t depth)
{
    const uint32_t *page = rtree_page(tree, number);
    const RtreePlan *plan = rtree_plan(tree, page);

    for (uint32_t slot = 0; rtree_level(page) > 0 && slot < rtree_count(page); slot++) {
        const float *low = rtree_low(plan, page, slot), *high = rtree_high(tree, plan, page, slot);
        double side[4] = {0};

        for (uint32_t i = 0; i < 2 && i < tree->shape.width; i++) {
            side[i] = (double)low[(size_t)i * plan->group];
            side[i + 2] = (double)high[(size_t)i * plan->group];
        }
        TRY(add_box(boxes, side, depth, rtree_level(page) == 1));
        if (depth < RTREE_DEPTH)
            TRY(add_page(boxes, tree, rtree_ids(page)[slot], depth + 1));
    }
    return OK;
}

/* ---- all trees ------------------------------------------------------------------------------- */

/* Adds the box of all children before them. A tree without children has no box. */
static Status add_root(Boxes *boxes)
{
    double side[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};

    for (size_t i = 0; i < boxes->count; i++)
        for (int k = 0; k < 2; k++) {
            side[k] = fmin(side[k], boxes->box[i].side[k]);
            side[k + 2] = fmax(side[k + 2], boxes->box[i].side[k + 2]);
        }
    if (boxes->count == 0)
        return OK;
    TRY(add_box(boxes, side, 0, false));
    /* the root first */
    memmove(boxes->box + 1, boxes->box, (boxes->count - 1) * sizeof *boxes->box);
    boxes->box[0] = (IndexBox){.depth = 0};
    memcpy(boxes->box[0].side, side, sizeof side);
    return OK;
}

Status clv_index_boxes(const Index *index, IndexBox **result, size_t *count, cleave_error *error)
{
    Boxes boxes = {.context = index->context, .error = error};
    const char *name = index->kind->name;
    Status status = OK;

    if (strcmp(name, "kdtree") == 0 || strcmp(name, "quadtree") == 0) {
        status = add_children(&boxes, index->parts, 0, 1);
    } else if (strcmp(name, "rtree") == 0) {
        const Rtree *tree = index->parts; /* the first member of its parts */

        if (tree->page_count > 0)
            status = add_page(&boxes, tree, tree->root, 1);
    }
    THEN(status, add_root(&boxes));
    if (status != OK) {
        clv_free(index->context, boxes.box);
        boxes = (Boxes){0};
    }
    *result = boxes.box;
    *count = boxes.count;
    return status;
}

/* ---- hashing --------------------------------------------------------------------------------- */

bool clv_index_level(const Index *index, uint32_t number, IndexLevel *level)
{
    /* the first member of its parts */
    const Lsh *lsh = strcmp(index->kind->name, "lsh") == 0 ? index->parts : NULL;

    if (!lsh || number >= lsh->level_count)
        return false;
    *level = (IndexLevel){.radius = lsh->level[number].radius,
                          .signatures = lsh->level[number].signatures,
                          .hashes = lsh->level[number].hashes,
                          .pairs = lsh->level[number].pairs};
    return true;
}
