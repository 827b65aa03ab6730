/*
 * Builds inverted lists: k-means (Lloyd 1982) over a sample of the points, then a code for each
 * point in the list of its nearest centroid. Each result is a sum in the order of the rows, so that
 * the number of threads does not change it. An index that is extended keeps its centroids, and the
 * lists and codes of its points.
 */
#include "base/pool.h"
#include "base/random.h"
#include "learn/neighbor/ivf.h"

enum {
    /* ratio of the number of lists to the square root of the number of points */
    LISTS_PER_ROOT = 2,
    POINTS_PER_LIST = 32, /* minimum mean number */
    SAMPLE_PER_LIST = 40, /* number of points in the sample */
    FRAME_ROWS = 20000,   /* number of points that determine center, unit and steps */
    ITERATIONS = 8,
    TOGETHER = 64,   /* number of points per task */
    MOST_GROWTH = 2, /* an index that needs this many times as many lists is rebuilt */
    STREAM = 0x6976, /* stream of random numbers */
};

typedef struct {
    Context *context;
    const Index *index;
    Ivf ivf;
    float *center, *step;
    float *centroid; /* lists * parts */
    uint8_t *list_code;
    float *list_scale, *list_start, *list_start2, *radius;
    uint32_t *first, *next, *row;
    uint8_t *code;
    float *scale, *start;
    /* Points being assigned: all, or an evenly spaced sample. */
    uint32_t rows;
    uint32_t *list;          /* per row */
    uint32_t *begin, *order; /* rows by list: order[begin[list]…] */
    Ivf before;              /* the index that is extended */
    uint32_t *place;         /* per row: its position there, or IVF_EMPTY; NULL: a new index */
    size_t space;            /* bytes of scratch space per worker */
    char *scratch;
} Build;

/* Scratch space of a worker. */
typedef struct {
    double *sum;          /* size: parts */
    float *raw, *x, *own; /* sizes: features, parts, parts */
    IvfQuery *query;      /* size: TOGETHER */
    float *best, *values; /* sizes: TOGETHER, IVF_ASSIGN_VALUES */
    int8_t *code;         /* size: TOGETHER * parts */
} ListScratch;

static size_t scratch_size(const Build *build)
{
    size_t parts = build->ivf.parts, features = build->index->vectors.features;

    return (parts * (sizeof(double) + 2 * sizeof(float) + TOGETHER) + features * sizeof(float) +
            TOGETHER * (sizeof(IvfQuery) + sizeof(float)) + IVF_ASSIGN_VALUES * sizeof(float) +
            63) /
           64 * 64;
}

static ListScratch scratch_of(const Build *build, unsigned worker)
{
    size_t parts = build->ivf.parts;
    ListScratch scratch;

    scratch.sum = (double *)(build->scratch + worker * build->space);
    scratch.query = (IvfQuery *)(scratch.sum + parts);
    scratch.x = (float *)(scratch.query + TOGETHER);
    scratch.own = scratch.x + parts;
    scratch.raw = scratch.own + parts;
    scratch.best = scratch.raw + build->index->vectors.features;
    scratch.values = scratch.best + TOGETHER;
    scratch.code = (int8_t *)(scratch.values + IVF_ASSIGN_VALUES);
    return scratch;
}

/* The row of the data that is row i of the sample. */
static uint32_t sample_row(const Build *build, uint32_t i)
{
    return (uint32_t)((uint64_t)i * build->index->vectors.count / build->rows);
}

/* ---- the frame ------------------------------------------------------------------------------- */

/* Computes the center. Requires the center 0 and the unit 1 before. */
static void find_center(Build *build, ListScratch *scratch)
{
    Ivf *ivf = &build->ivf;

    memset(scratch->sum, 0, ivf->parts * sizeof *scratch->sum);
    for (uint32_t i = 0; i < build->rows && !clv_tick(build->context); i++) {
        clv_ivf_point(ivf, build->index, sample_row(build, i), scratch->raw, scratch->x);
        for (uint32_t j = 0; j < ivf->features; j++)
            scratch->sum[j] += (double)scratch->x[j];
    }
    for (uint32_t j = 0; j < ivf->features; j++)
        build->center[j] = (float)(scratch->sum[j] / build->rows);
}

/* Computes the sums of squares per column, of x' or of its residual. */
static double sum_squares(Build *build, ListScratch *scratch, bool residuals)
{
    Ivf *ivf = &build->ivf;
    double all = 0;

    memset(scratch->sum, 0, ivf->parts * sizeof *scratch->sum);
    for (uint32_t i = 0; i < build->rows && !clv_tick(build->context); i++) {
        const float *centroid = residuals ? build->centroid + build->list[i] * ivf->parts : NULL;

        clv_ivf_point(ivf, build->index, sample_row(build, i), scratch->raw, scratch->x);
        for (uint32_t j = 0; j < ivf->features; j++) {
            double x = (double)scratch->x[j] - (centroid ? (double)centroid[j] : 0);

            scratch->sum[j] += x * x;
        }
    }
    for (uint32_t j = 0; j < ivf->features; j++)
        all += scratch->sum[j];
    return all;
}

/* The step of a column is its standard deviation, or a fraction of the typical one. */
static void find_steps(Build *build, ListScratch *scratch, bool residuals)
{
    Ivf *ivf = &build->ivf;
    double typical = sqrt(sum_squares(build, scratch, residuals) / build->rows / ivf->features);

    typical = typical > 0 ? typical : 1;
    for (uint32_t j = 0; j < ivf->features; j++)
        build->step[j] = (float)fmax(sqrt(scratch->sum[j] / build->rows), typical / 64);
}

static void find_frame(Build *build)
{
    uint32_t count = build->index->vectors.count, all = build->rows;
    ListScratch scratch = scratch_of(build, 0);
    double unit;

    build->rows = count < FRAME_ROWS ? count : FRAME_ROWS;
    find_center(build, &scratch);
    unit = sqrt(sum_squares(build, &scratch, false) / build->rows / build->ivf.features);
    build->ivf.unit = unit > 0x1p-140 ? unit : 1;
    find_steps(build, &scratch, false);
    build->rows = all;
}

/* ---- k-means --------------------------------------------------------------------------------- */

/* Codes a centroid, which is replaced by its decoded code. */
static void code_centroids(void *user, uint32_t list, unsigned worker)
{
    Build *build = user;
    Ivf *ivf = &build->ivf;
    float *centroid = build->centroid + list * ivf->parts;
    ListScratch scratch = scratch_of(build, worker);
    double length2 = 0;

    build->list_scale[list] = clv_ivf_put_code(ivf, IVF_LIST_BITS, centroid, build->list_code, list,
                                               scratch.x);
    for (uint32_t j = 0; j < ivf->features; j++)
        length2 += (double)scratch.x[j] * (double)scratch.x[j];
    build->list_start2[list] = (float)(-length2 / 2);
}

static bool is_known(const Build *build, uint32_t row)
{
    return build->place && build->place[row] != IVF_EMPTY;
}

static void assign_rows(void *user, uint32_t task, unsigned worker)
{
    Build *build = user;
    Ivf *ivf = &build->ivf;
    uint32_t first = task * TOGETHER, left = build->rows - first,
             count = left < TOGETHER ? left : TOGETHER, known = 0, list[TOGETHER];
    ListScratch scratch = scratch_of(build, worker);

    for (uint32_t i = 0; i < count; i++)
        known += is_known(build, first + i);
    if (known == count || clv_tick(build->context))
        return;
    for (uint32_t i = 0; i < count; i++) {
        clv_ivf_point(ivf, build->index, sample_row(build, first + i), scratch.raw, scratch.x);
        scratch.query[i] = clv_ivf_code_query(ivf, scratch.x, scratch.code + i * ivf->parts);
    }
    clv_ivf_assign(ivf, scratch.query, count, list, scratch.best, scratch.values);
    for (uint32_t i = 0; i < count; i++)
        if (!is_known(build, first + i))
            build->list[first + i] = list[i];
}

/* Sorts the rows by their lists. */
static void sort_rows(Build *build)
{
    uint32_t lists = build->ivf.lists;

    memset(build->begin, 0, ((size_t)lists + 1) * sizeof *build->begin);
    for (uint32_t i = 0; i < build->rows; i++)
        build->begin[build->list[i] + 1]++;
    for (uint32_t l = 0; l < lists; l++)
        build->begin[l + 1] += build->begin[l];
    for (uint32_t i = 0; i < build->rows; i++)
        build->order[build->begin[build->list[i]]++] = i;
    for (uint32_t l = lists; l > 0; l--)
        build->begin[l] = build->begin[l - 1];
    build->begin[0] = 0;
}

static void find_mean(void *user, uint32_t list, unsigned worker)
{
    Build *build = user;
    Ivf *ivf = &build->ivf;
    float *centroid = build->centroid + list * ivf->parts;
    ListScratch scratch = scratch_of(build, worker);
    uint32_t first = build->begin[list], count = build->begin[list + 1] - first;

    if (count == 0 || clv_tick(build->context))
        return;
    memset(scratch.sum, 0, ivf->parts * sizeof *scratch.sum);
    for (uint32_t i = 0; i < count; i++) {
        clv_ivf_point(ivf, build->index, sample_row(build, build->order[first + i]), scratch.raw,
                      scratch.x);
        for (size_t j = 0; j < ivf->parts; j++)
            scratch.sum[j] += (double)scratch.x[j];
    }
    for (size_t j = 0; j < ivf->parts; j++)
        centroid[j] = (float)(scratch.sum[j] / count);
}

/* Moves the centroid of a list that is far smaller than the mean to a point of the largest list,
 * which then counts as half as large. */
static void refill_lists(Build *build, uint32_t iteration)
{
    Ivf *ivf = &build->ivf;
    Random random = clv_random(build->index->options.seed, STREAM + 1 + iteration);
    ListScratch scratch = scratch_of(build, 0);
    uint32_t *count = build->first; /* `first` is not in use yet */
    enum { FRACTION = 8 };

    for (uint32_t l = 0; l < ivf->lists; l++)
        count[l] = build->begin[l + 1] - build->begin[l];
    for (uint32_t l = 0, largest = 0; l < ivf->lists; l++) {
        if (count[l] > build->rows / ivf->lists / FRACTION)
            continue;
        for (uint32_t other = 0; other < ivf->lists; other++)
            largest = count[other] > count[largest] ? other : largest;
        if (count[largest] < 2)
            return;
        clv_ivf_point(
            ivf, build->index,
            sample_row(
                build,
                build->order[build->begin[largest] + clv_random_below(&random, count[largest])]),
            scratch.raw, scratch.x);
        memcpy(build->centroid + l * ivf->parts, scratch.x, ivf->parts * sizeof(float));
        count[l] = 0;
        count[largest] -= count[largest] / 2;
    }
}

/* Chooses the first centroids: a random row from each of `lists` equal pieces of the sample. */
static void start_centroids(Build *build)
{
    Ivf *ivf = &build->ivf;
    Random random = clv_random(build->index->options.seed, STREAM);
    ListScratch scratch = scratch_of(build, 0);

    for (uint32_t l = 0; l < ivf->lists; l++) {
        uint64_t low = (uint64_t)l * build->rows / ivf->lists,
                 high = (uint64_t)(l + 1) * build->rows / ivf->lists;
        uint32_t i = (uint32_t)low + clv_random_below(&random, (uint32_t)(high - low));

        clv_ivf_point(ivf, build->index, sample_row(build, i), scratch.raw, scratch.x);
        memcpy(build->centroid + l * ivf->parts, scratch.x, ivf->parts * sizeof(float));
    }
}

static Status assign_all(Build *build, cleave_error *error)
{
    if (!build->place)
        clv_pool_run(build->context, build->ivf.lists, code_centroids, build);
    clv_pool_run(build->context, build->rows / TOGETHER + (build->rows % TOGETHER != 0),
                 assign_rows, build);
    TRY(clv_poll(build->context, error));
    sort_rows(build);
    return OK;
}

static Status find_centroids(Build *build, cleave_error *error)
{
    ListScratch scratch = scratch_of(build, 0);

    start_centroids(build);
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        TRY(assign_all(build, error));
        clv_pool_run(build->context, build->ivf.lists, find_mean, build);
        if (i + 1 < ITERATIONS)
            refill_lists(build, i);
    }
    find_steps(build, &scratch, true);
    return clv_poll(build->context, error);
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Copies the code of a point from the index that is extended. */
static void copy_point(Build *build, uint32_t from, uint32_t to)
{
    size_t parts = build->ivf.parts, block = ivf_block_size(parts, IVF_POINT_BITS);
    const uint8_t *source = build->before.point.code + from / VA_BLOCK * block +
                            from % VA_BLOCK * 4;
    uint8_t *target = build->code + to / VA_BLOCK * block + to % VA_BLOCK * 4;

    for (size_t at = 0; at < block; at += 4 * VA_BLOCK)
        memcpy(target + at, source + at, 4);
    build->scale[to] = build->before.point.scale[from];
    build->start[to] = build->before.point.start[from];
}

static void code_list(void *user, uint32_t list, unsigned worker)
{
    Build *build = user;
    Ivf *ivf = &build->ivf;
    float *centroid = build->centroid + list * ivf->parts;
    uint32_t first = build->begin[list], count = build->begin[list + 1] - first,
             place = build->first[list] * VA_BLOCK;
    ListScratch scratch = scratch_of(build, worker);
    double sum = 0;

    clv_ivf_centroid(ivf, list, centroid);
    for (uint32_t i = 0; i < count && !clv_tick(build->context); i++, place++) {
        uint32_t row = build->order[first + i];

        build->row[place] = row;
        if (is_known(build, row)) {
            copy_point(build, build->place[row], place);
            sum += (double)build->before.radius[list] * (double)build->before.radius[list];
            continue;
        }
        clv_ivf_point(ivf, build->index, row, scratch.raw, scratch.x);
        sum += clv_ivf_put_point(ivf, build->index->metric.distance, scratch.x, centroid,
                                 scratch.own, build->code, build->scale, build->start, place);
    }
    build->radius[list] = count ? (float)sqrt(sum / count) : 0;
}

/* Assigns positions to the points of every list, in the list's own blocks. */
static Status make_places(Build *build, cleave_error *error)
{
    Ivf *ivf = &build->ivf;
    size_t places;

    for (uint32_t l = 0; l < ivf->lists; l++)
        ivf->blocks += ivf_blocks(build->begin[l + 1] - build->begin[l]);
    places = (size_t)ivf->blocks * VA_BLOCK;
    TRY(ALLOC(build->context, build->next, ivf->blocks, "an index", error));
    TRY(ALLOC(build->context, build->row, places, "an index", error));
    TRY(ALLOC(build->context, build->scale, places, "an index", error));
    TRY(ALLOC(build->context, build->start, places, "an index", error));
    TRY(ALLOC_ZERO(build->context, build->code,
                   ivf->blocks * ivf_block_size(ivf->parts, IVF_POINT_BITS), "an index", error));
    for (size_t i = 0; i < places; i++) {
        build->row[i] = IVF_EMPTY;
        build->scale[i] = 0;
        build->start[i] = IVF_NOWHERE;
    }
    for (uint32_t l = 0, block = 0; l < ivf->lists; l++) {
        uint32_t count = ivf_blocks(build->begin[l + 1] - build->begin[l]);

        build->first[l] = count ? block : IVF_LAST;
        for (uint32_t i = 1; i <= count; i++, block++)
            build->next[block] = i < count ? block + 1 : IVF_LAST;
    }
    return OK;
}

static Status code_points(Build *build, cleave_error *error)
{
    TRY(make_places(build, error));
    clv_pool_run(build->context, build->ivf.lists, code_list, build);
    if (build->index->metric.distance == INNER_PRODUCT)
        memset(build->list_start, 0,
               (size_t)ivf_blocks(build->ivf.lists) * VA_BLOCK * sizeof *build->list_start);
    return clv_poll(build->context, error);
}

/* ---- building -------------------------------------------------------------------------------- */

static uint32_t lists_for(uint32_t points)
{
    double lists = floor(LISTS_PER_ROOT * sqrt(points));
    uint32_t most = points / POINTS_PER_LIST + 1;

    return lists < most ? (uint32_t)lists : most;
}

static Status allocate(Build *build, cleave_error *error)
{
    Context *context = build->context;
    Ivf *ivf = &build->ivf;
    size_t features = ivf->features, lists = ivf->lists, blocks = ivf_blocks(ivf->lists),
           places = blocks * VA_BLOCK, rows = build->index->vectors.count;

    build->space = scratch_size(build);
    TRY(ALLOC_ZERO(context, build->center, features, "an index", error));
    TRY(ALLOC_ZERO(context, build->step, features, "an index", error));
    TRY(ALLOC(context, build->centroid, lists * ivf->parts, "an index", error));
    TRY(ALLOC_ZERO(context, build->list_code, blocks * ivf_block_size(ivf->parts, IVF_LIST_BITS),
                   "an index", error));
    TRY(ALLOC_ZERO(context, build->list_scale, places, "an index", error));
    TRY(ALLOC(context, build->list_start, places, "an index", error));
    TRY(ALLOC(context, build->radius, lists, "an index", error));
    TRY(ALLOC(context, build->first, lists, "an index", error));
    TRY(ALLOC(context, build->list, rows, "an index", error));
    TRY(ALLOC(context, build->order, rows, "an index", error));
    TRY(ALLOC(context, build->begin, lists + 1, "an index", error));
    TRY(ALLOC(context, build->scratch, clv_pool_workers(context, UINT32_MAX) * build->space,
              "an index", error));
    if (build->index->metric.distance == INNER_PRODUCT)
        TRY(ALLOC(context, build->list_start2, places, "an index", error));
    else
        build->list_start2 = build->list_start;
    for (size_t i = 0; i < places; i++)
        build->list_start[i] = build->list_start2[i] = IVF_NOWHERE;
    ivf->unit = 1;
    ivf->center = build->center;
    ivf->step = build->step;
    ivf->list = (VaScaled){.code = build->list_code,
                           .scale = build->list_scale,
                           .start = build->list_start2,
                           .fours = ivf->parts / 4,
                           .bits = IVF_LIST_BITS};
    return OK;
}

/* Reads the index to extend. Returns false if it has other columns, or far too few lists. */
static bool read_before(Build *build)
{
    const IndexBefore *before = build->index->options.before;
    Index former = *build->index;

    return before && clv_ivf_read(&former, before->arrays, &build->before) &&
           build->before.features == former.vectors.features &&
           lists_for(former.vectors.count) / MOST_GROWTH <= build->before.lists;
}

/* Copies the lists, and finds the positions of the former rows. */
static Status keep_lists(Build *build, cleave_error *error)
{
    const IndexBefore *rows = build->index->options.before;
    const Ivf *before = &build->before;
    size_t blocks = ivf_blocks(before->lists), places = blocks * VA_BLOCK;
    uint32_t count = build->index->vectors.count;

    TRY(ALLOC(build->context, build->place, count, "an index", error));
    memset(build->place, 255, count * sizeof *build->place);
    memcpy(build->center, before->center, before->features * sizeof(float));
    memcpy(build->step, before->step, before->features * sizeof(float));
    memcpy(build->list_code, before->list.code,
           blocks * ivf_block_size(before->parts, IVF_LIST_BITS));
    memcpy(build->list_scale, before->list.scale, places * sizeof(float));
    memcpy(build->list_start, before->list.start, places * sizeof(float));
    if (before->list_start2)
        memcpy(build->list_start2, before->list_start2, places * sizeof(float));
    build->ivf.unit = before->unit;
    build->ivf.effort = before->effort;
    for (uint32_t l = 0; l < before->lists; l++)
        for (uint32_t block = before->first[l]; block != IVF_LAST; block = before->next[block])
            for (uint32_t place = block * VA_BLOCK; place < (block + 1) * VA_BLOCK; place++) {
                uint32_t row = before->row[place] < rows->count ? rows->position[before->row[place]]
                                                                : IVF_EMPTY;

                if (row == IVF_EMPTY)
                    continue;
                build->place[row] = place;
                build->list[row] = l;
            }
    return OK;
}

static Status build_lists(Build *build, cleave_error *error)
{
    uint32_t count = build->index->vectors.count;
    uint64_t sample = (uint64_t)build->ivf.lists * SAMPLE_PER_LIST;

    build->rows = sample < count ? (uint32_t)sample : count;
    if (build->before.features) {
        TRY(keep_lists(build, error));
    } else {
        find_frame(build);
        TRY(find_centroids(build, error));
    }
    build->rows = count;
    TRY(assign_all(build, error));
    return code_points(build, error);
}

/* Moves the arrays into the bundle. Each is moved or freed, also after an error. */
static Status put_arrays(Build *build, Bundle *into, cleave_error *error)
{
    const Ivf *ivf = &build->ivf;
    size_t places = (size_t)ivf->blocks * VA_BLOCK,
           lists = (size_t)ivf_blocks(ivf->lists) * VA_BLOCK;
    float *lengths = build->list_start2 == build->list_start ? NULL : build->list_start2;
    Build all = *build;

    build->center = build->step = build->list_scale = build->list_start = build->list_start2 =
        build->radius = build->scale = build->start = NULL;
    build->list_code = build->code = NULL;
    build->first = build->next = build->row = NULL;
    TRY(TAKE_ARRAYS(into, error, {"index_center", BUNDLE_F32, all.center, ivf->features},
                    {"index_steps", BUNDLE_F32, all.step, ivf->features},
                    {"index_list_codes", BUNDLE_BYTES, all.list_code,
                     ivf_blocks(ivf->lists) * ivf_block_size(ivf->parts, IVF_LIST_BITS)},
                    {"index_list_scales", BUNDLE_F32, all.list_scale, lists},
                    {"index_list_starts", BUNDLE_F32, all.list_start, lists},
                    {"index_radii", BUNDLE_F32, all.radius, ivf->lists},
                    {"index_first", BUNDLE_U32, all.first, ivf->lists},
                    {"index_next", BUNDLE_U32, all.next, ivf->blocks},
                    {"index_places", BUNDLE_U32, all.row, places},
                    {"index_codes", BUNDLE_BYTES, all.code,
                     ivf->blocks * ivf_block_size(ivf->parts, IVF_POINT_BITS)},
                    {"index_scales", BUNDLE_F32, all.scale, places},
                    {"index_starts", BUNDLE_F32, all.start, places}));
    TRY(clv_bundle_put(into, "index_unit", BUNDLE_F64, &ivf->unit, 1, error));
    return lengths ? clv_bundle_take(into, "index_list_lengths", BUNDLE_F32, lengths, lists, error)
                   : OK;
}

/* Chooses the effort, unless it is given. The search requires that the bundle contains all other
 * arrays. */
static Status put_effort(const Index *index, IvfEffort effort, Bundle *into, cleave_error *error)
{
    Index own = *index;
    Ivf ivf = {0};

    TRY(clv_bundle_put(into, "index_effort", BUNDLE_F64, (const double[]){1, 1}, 2, error));
    own.parts = &ivf;
    if (!clv_ivf_read(index, into, &ivf))
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "inverted lists are incomplete");
    if (effort.share == 0)
        TRY(clv_ivf_choose(&own, &effort, error));
    if (ivf_compares_all(effort.share, IVF_NEIGHBORS, index->vectors.count))
        clv_warn(index->context, "omit --index: auto chooses the fastest exact index",
                 "--index ivf compares each query with all points, because the recall needs more "
                 "than an eighth of them");
    return clv_bundle_put(into, "index_effort", BUNDLE_F64,
                          (const double[]){(double)effort.reach, (double)effort.share}, 2, error);
}

Status clv_ivf_build(const Index *index, Bundle *into, cleave_error *error)
{
    Build build = {.context = index->context, .index = index};
    uint32_t features = index->vectors.features;
    Status status;

    if (features == 0)
        return OK;
    build.ivf.features = features;
    build.ivf.parts = ivf_parts(features);
    if (!read_before(&build))
        build.before = (Ivf){0};
    build.ivf.lists = build.before.features ? build.before.lists : lists_for(index->vectors.count);
    build.ivf.kernels = index->options.plain ? &clv_va_plain : clv_va_kernels();
    status = allocate(&build, error);
    if (status == OK)
        status = build_lists(&build, error);
    if (status == OK)
        status = put_arrays(&build, into, error);
    if (build.list_start2 == build.list_start)
        build.list_start2 = NULL;
    FREE(build.context, build.center, build.step, build.centroid, build.list_code, build.list_scale,
         build.list_start, build.list_start2, build.radius, build.first, build.next, build.row,
         build.code, build.scale, build.start, build.list, build.begin, build.order, build.place,
         build.scratch);
    return status == OK ? put_effort(index, build.ivf.effort, into, error) : status;
}
