/* Nearest-neighbor queries over the stored points of a model, and the removal of points. */
#include "search/search.h"
#include "base/number.h"
#include "input/input.h"
#include "input/matrix.h"
#include "input/row_set.h"
#include "learn/neighbor/query.h"
#include "model/predictor.h"
#include "search/box.h"
#include "search/filter.h"

#include <stdlib.h>

/* ---- options --------------------------------------------------------------------------------- */

typedef struct {
    int64_t k;
    double radius;
    const char *only_rows, *only_labels, *where, *show, *box;
    int match;
} SearchOptions;

static const Param search_params[] = {
    INTEGER(SearchOptions, k, 0, AT_LEAST(0), "Number of neighbors.",
            DEFAULT("k of the model, or all within --radius")),
    REAL(SearchOptions, radius, (double)NAN, WITHIN(-(double)INFINITY, (double)INFINITY),
         "Maximum distance (0 or more, except for inner-product)."),
    TEXT(SearchOptions, only_rows, NULL, "Search only these rows: a list, e.g. 3,7-9, or a file."),
    TEXT(SearchOptions, only_labels, NULL, "Search only rows with these labels."),
    TEXT(SearchOptions, where, NULL,
         "Search only points with these values, e.g. city=Bonn,label=cat|dog."),
    TEXT(SearchOptions, show, NULL, "Columns of the metadata to return with each neighbor."),
    TEXT(SearchOptions, box, NULL, "Find all points in this box, e.g. x=1..3,y=0..2."),
    NAME(SearchOptions, match, MATCH_INTERSECTS, clv_box_matches,
         "Find boxes that intersect --box, are within it, or contain it."),
    END_OF_PARAMS,
};

const cleave_param *cleave_search_params(void)
{
    return search_params;
}

/* ---- a searcher ------------------------------------------------------------------------------ */

struct cleave_searcher {
    Context *context;
    const Model *model;
    Points points;
    Metric metric;
    SearchLimits wanted;
    uint64_t *only;     /* one bit per point that the options select; NULL: all */
    uint64_t *filtered; /* one bit per point that cleave_searcher_filter selects from `only`; NULL:
                         * all */
    Searcher *search;
    Box box; /* box to search; low NULL: none */
    /* metadata columns that --show lists */
    uint32_t *shown;
    const char **shown_name, **shown_value;
    size_t shown_count, shown_capacity;
    /* State of cleave_search: the rows of the current batch, and the row passed to the caller. */
    Nearest *place;
    uint32_t places;
    cleave_found_point *found;
    size_t neighbor_capacity;
    char (*numbers)[NUMBER_SIZE]; /* regression: labels as text */
    size_t number_capacity;
    Buffer name;
    /* State of cleave_search_matrix: rows that need a copy. */
    MatrixRow row;
    float *values;
    size_t value_capacity;
};

static bool is_neighbor_model(const Model *model)
{
    return model->method->inference->check_model == clv_points_check;
}

static Status refuse_method(const Model *model, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_USAGE,
             "expected a model with stored training points, found a model of '%s'",
             model->method->name);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "use 'cleave index DATA -o MODEL' or 'cleave train knn' to create one");
}

static uint32_t points_left(const cleave_searcher *searcher)
{
    return searcher->points.vectors.count - searcher->points.index->gone_count;
}

static Status set_wanted(cleave_searcher *searcher, const SearchOptions *options,
                         cleave_error *error)
{
    uint32_t left = points_left(searcher);

    if (options->k > (int64_t)left) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--k %lld: the value must be at most the number of points, %u",
                 (long long)options->k, left);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "use --k %u to find all points", left);
    }
    searcher->wanted.limit = (double)INFINITY;
    searcher->wanted.most = options->k ? (uint32_t)options->k
                                       : clv_neighbor_count(&searcher->points.options, left);
    if (isnan(options->radius))
        return OK;
    if (options->radius < 0 && searcher->metric.distance != INNER_PRODUCT) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--radius: expected a number of at least 0, found '%g'",
                 options->radius);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "only an index with --distance inner-product has negative distances");
    }
    searcher->wanted.limit = clv_key_limit(&searcher->metric, options->radius);
    if (!options->k)
        searcher->wanted.most = EVERY_POINT;
    return OK;
}

/* Finds the columns of --show. */
static Status set_shown(cleave_searcher *searcher, const char *said, cleave_error *error)
{
    const Metadata *metadata = &searcher->points.metadata;
    char quoted[QUOTE_SIZE];

    if (!said)
        return OK;
    TRY(ALLOC(searcher->context, searcher->shown, strlen(said) + 1, "columns", error));
    TRY(ALLOC(searcher->context, searcher->shown_name, strlen(said) + 1, "columns", error));
    for (const char *at = said;; at++) {
        size_t length = strcspn(at, ",");
        uint64_t column = clv_metadata_find(metadata, at, length);

        if (column == metadata->names.count)
            return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                                 "use columns of the file given to 'cleave index --metadata'",
                                 "--show: the model has no metadata with the name '%s'",
                                 clv_quote(quoted, at, length));
        searcher->shown_name[searcher->shown_count] = texts_get(&metadata->names, column);
        searcher->shown[searcher->shown_count++] = (uint32_t)column;
        at += length;
        if (!*at)
            return OK;
    }
}

static Status open_searcher(cleave_searcher *searcher, const SearchOptions *options,
                            cleave_error *error)
{
    TRY(clv_points_open(searcher->model, &searcher->points, error));
    searcher->metric = clv_neighbor_metric(&searcher->points.options);
    TRY(set_wanted(searcher, options, error));
    TRY(set_shown(searcher, options->show, error));
    TRY(clv_filter_points(searcher->model, &searcher->points,
                          &(Filter){.rows = options->only_rows,
                                    .labels = options->only_labels,
                                    .where = options->where},
                          &searcher->only, error));
    searcher->wanted.only = searcher->only;
    if (options->box)
        TRY(clv_box_parse(searcher->model, &searcher->points, options->box, options->match,
                          &searcher->box, error));
    return clv_searcher_new(searcher->context, searcher->points.index, &searcher->wanted,
                            UINT32_MAX, &searcher->search, error);
}

cleave_code cleave_searcher_open(const cleave_model *model, const cleave_options *options,
                                 cleave_searcher **result, cleave_error *error)
{
    REQUIRE(model && result);
    SearchOptions given;
    cleave_searcher *searcher;
    Status status;

    *result = NULL;
    TRY(clv_params_apply(options, search_params, &given, NULL, NULL, error));
    if (!is_neighbor_model(model))
        return refuse_method(model, error);
    TRY(ALLOC_ZERO(model->context, searcher, 1, "a searcher", error));
    searcher->context = searcher->row.context = model->context;
    searcher->model = clv_model_keep(model);
    status = open_searcher(searcher, &given, error);
    if (status != OK) {
        cleave_searcher_free(searcher);
        return status;
    }
    *result = searcher;
    return OK;
}

/* The search and its results. */
static void free_search(cleave_searcher *searcher)
{
    for (uint32_t i = 0; i < searcher->places; i++)
        clv_nearest_free(&searcher->place[i]);
    clv_free(searcher->context, searcher->place);
    clv_searcher_free(searcher->search);
    searcher->place = NULL;
    searcher->places = 0;
    searcher->search = NULL;
}

void cleave_searcher_free(cleave_searcher *searcher)
{
    Context *context;

    if (!searcher)
        return;
    context = searcher->context;
    free_search(searcher);
    FREE(context, searcher->found, searcher->numbers, searcher->name.data, searcher->values,
         searcher->only, searcher->filtered, searcher->box.low, searcher->shown,
         searcher->shown_name, searcher->shown_value);
    clv_matrix_row_free(&searcher->row);
    clv_points_close(&searcher->points);
    clv_model_drop(searcher->model);
    clv_free(context, searcher);
}

size_t cleave_searcher_k(const cleave_searcher *searcher)
{
    return searcher->wanted.most == EVERY_POINT ? 0 : searcher->wanted.most;
}

size_t cleave_searcher_features(const cleave_searcher *searcher)
{
    return searcher->points.vectors.features;
}

uint64_t cleave_searcher_points(const cleave_searcher *searcher)
{
    return points_left(searcher);
}

const char *const *cleave_searcher_shown(const cleave_searcher *searcher, size_t *count)
{
    *count = searcher->shown_count;
    return searcher->shown_name;
}

bool cleave_searcher_has_ids(const cleave_searcher *searcher)
{
    return searcher->points.metadata.ids.count > 0;
}

static void set_filter(const cleave_searcher *searcher, const uint64_t *bits, uint64_t rows)
{
    uint32_t count = searcher->points.vectors.count;

    memset(searcher->filtered, 0, ((size_t)count / 64 + 1) * sizeof *searcher->filtered);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t row = point_row(&searcher->points, i);
        bool in = row < rows && (bits[row / 64] >> (row % 64) & 1) &&
                  (!searcher->only || row_bit(searcher->only, i));

        searcher->filtered[i / 64] |= (uint64_t)in << (i % 64);
    }
}

cleave_code cleave_searcher_filter(cleave_searcher *searcher, const uint64_t *bits, uint64_t rows,
                                   cleave_error *error)
{
    REQUIRE(searcher);
    const uint64_t *before = searcher->wanted.only;
    size_t words = (size_t)searcher->points.vectors.count / 64 + 1;

    if (bits && !searcher->filtered)
        TRY(ALLOC(searcher->context, searcher->filtered, words, "a filter", error));
    if (bits)
        set_filter(searcher, bits, rows);
    searcher->wanted.only = bits ? searcher->filtered : searcher->only;
    if (searcher->wanted.only == before && searcher->search)
        return OK;
    free_search(searcher);
    return clv_searcher_new(searcher->context, searcher->points.index, &searcher->wanted,
                            UINT32_MAX, &searcher->search, error);
}

/* ---- over data ------------------------------------------------------------------------------- */

/* Allocates memory for the results of all rows of a batch. */
static Status make_places(cleave_searcher *searcher, cleave_error *error)
{
    uint32_t rows = clv_searcher_rows(searcher->search);

    if (!searcher->place)
        TRY(ALLOC_ZERO(searcher->context, searcher->place, rows, "a search", error));
    while (searcher->places < rows) { /* a previous call may have failed for lack of memory */
        TRY(clv_searcher_result(searcher->search, &searcher->place[searcher->places], error));
        searcher->places++;
    }
    return OK;
}

/* Keeps the results of a row until they are returned. The worker continues with the other
 * buffer. */
static Status keep_found(void *user, uint32_t row, Nearest *nearest, unsigned worker,
                         cleave_error *error)
{
    cleave_searcher *searcher = user;
    Nearest found = *nearest;

    (void)worker;
    (void)error;
    *nearest = searcher->place[row];
    searcher->place[row] = found;
    return OK;
}

static const char *label_of(cleave_searcher *searcher, uint32_t i, uint32_t point)
{
    const Points *points = &searcher->points;

    if (points->number) {
        clv_format_double(searcher->numbers[i], points->number[point]);
        return searcher->numbers[i];
    }
    return points->label[point] == UNLABELED
               ? NULL
               : searcher->model->labels.list[points->label[point]].text;
}

static Status fill_found(cleave_searcher *searcher, const Nearest *nearest, cleave_found *found,
                         cleave_error *error)
{
    const Points *points = &searcher->points;

    TRY(GROW(searcher->context, searcher->found, searcher->neighbor_capacity, nearest->count,
             error));
    if (points->number)
        TRY(GROW(searcher->context, searcher->numbers, searcher->number_capacity, nearest->count,
                 error));
    TRY(GROW(searcher->context, searcher->shown_value, searcher->shown_capacity,
             nearest->count * searcher->shown_count, error));
    for (uint32_t i = 0; i < nearest->count; i++) {
        uint32_t point = nearest->item[i].row;
        uint64_t row = point_row(points, point);
        const char **shown = searcher->shown_value + i * searcher->shown_count;

        for (size_t j = 0; j < searcher->shown_count; j++)
            shown[j] = metadata_cell(&points->metadata, row, searcher->shown[j]);
        searcher->found[i] = (cleave_found_point){
            .row = row,
            .distance = clv_metric_distance(&searcher->metric, nearest->item[i].key),
            .label = label_of(searcher, i, point),
            .id = metadata_id(&points->metadata, row),
            .shown = searcher->shown_count ? shown : NULL};
    }
    found->nodes = nearest->nodes;
    found->leaves = nearest->leaves;
    found->candidates = nearest->candidates;
    found->count = nearest->count;
    found->points = searcher->found;
    return OK;
}

/* Sets the name of the row in the data, if it has one. */
static Status fill_name(cleave_searcher *searcher, const Block *block, uint32_t row,
                        cleave_found *found, cleave_error *error)
{
    uint32_t start;

    if (!block->name_end)
        return OK;
    start = row ? block->name_end[row - 1] : 0;
    searcher->name.size = 0;
    TRY(clv_buffer_add(searcher->context, &searcher->name, block->name + start,
                       block->name_end[row] - start, error));
    TRY(clv_buffer_add(searcher->context, &searcher->name, "", 1, error));
    found->name = searcher->name.data;
    return OK;
}

static Status search_block(cleave_searcher *searcher, const Block *block,
                           cleave_search_callback callback, void *user, cleave_error *error)
{
    for (uint32_t first = 0; first < block->rows;) {
        uint32_t left = block->rows - first,
                 count = left < searcher->places ? left : searcher->places;

        TRY(clv_search_rows(searcher->search,
                            &(QueryRows){.block = block, .first = first, .count = count},
                            keep_found, searcher, error));
        for (uint32_t i = 0; i < count; i++) {
            cleave_found found = {.row = block_row_number(block, first + i)};

            TRY(fill_name(searcher, block, first + i, &found, error));
            TRY(fill_found(searcher, &searcher->place[i], &found, error));
            TRY(callback(user, &found, error));
        }
        first += count;
    }
    return OK;
}

static Status search_source(cleave_searcher *searcher, Source *source,
                            cleave_search_callback callback, void *user, cleave_error *error)
{
    TRY(make_places(searcher, error));
    for (;;) {
        const Block *block;

        TRY(source_next(source, &block, error));
        if (!block)
            return OK;
        clv_progress(searcher->context, &(cleave_progress){.phase = "search",
                                                           .rows = source->rows,
                                                           .rows_total = source->rows_total,
                                                           .bytes = source->bytes,
                                                           .bytes_total = source->bytes_total});
        if (clv_cancelled(searcher->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
        TRY(search_block(searcher, block, callback, user, error));
    }
}

Status clv_search_block(cleave_searcher *searcher, const Block *block,
                        cleave_search_callback callback, void *user, cleave_error *error)
{
    TRY(make_places(searcher, error));
    return search_block(searcher, block, callback, user, error);
}

cleave_code cleave_search(cleave_searcher *searcher, cleave_data *queries,
                          cleave_search_callback callback, void *user, cleave_error *error)
{
    REQUIRE(searcher && queries && callback);
    Source *source, *view = NULL;
    Status status;

    clv_data_ignore_labels(queries);
    TRY(clv_data_source(queries, &source, error));
    if (queries->opened_for != searcher->model)
        TRY(clv_view_for(searcher->model, source, &view, error));
    status = search_source(searcher, view ? view : source, callback, user, error);
    clv_source_close(view);
    return status;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

cleave_code cleave_search_box(cleave_searcher *searcher, cleave_search_callback callback,
                              void *user, cleave_error *error)
{
    REQUIRE(searcher && callback);
    cleave_found found = {.row = 0};
    Nearest inside;
    Status status;

    if (!searcher->box.low)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "the option 'box' is required");
    TRY(clv_nearest_init(&inside, searcher->context, EVERY_POINT, error));
    inside.limit = (double)INFINITY;
    inside.only = searcher->wanted.only;
    status = clv_index_inside(searcher->points.index, searcher->box.low, searcher->box.high,
                              &inside, error);
    THEN(status, fill_found(searcher, &inside, &found, error));
    for (size_t i = 0; status == OK && i < found.count; i++)
        searcher->found[i].distance = 0;
    THEN(status, callback(user, &found, error));
    clv_nearest_free(&inside);
    return status;
}

/* ---- over values ----------------------------------------------------------------------------- */

typedef struct {
    const cleave_searcher *searcher;
    size_t first;
    int64_t *rows; /* number of the row of each query; -1: none */
    double *distances;
} Results;

static Status write_result(void *user, uint32_t row, Nearest *nearest, unsigned worker,
                           cleave_error *error)
{
    const Results *results = user;
    const cleave_searcher *searcher = results->searcher;
    size_t k = searcher->wanted.most, start = (results->first + row) * k;

    (void)worker;
    (void)error;
    for (size_t i = 0; i < k; i++) {
        bool found = i < nearest->count;

        if (results->rows)
            results->rows[start + i] = found ? (int64_t)point_row(&searcher->points,
                                                                  nearest->item[i].row)
                                             : -1;
        if (results->distances)
            results->distances[start + i] = found ? clv_metric_distance(&searcher->metric,
                                                                        nearest->item[i].key)
                                                  : (double)INFINITY;
    }
    return OK;
}

static Status refuse_value(const float *values, size_t features, cleave_error *error)
{
    size_t i = 0;
    char number[NUMBER_SIZE];

    while (isfinite(values[i]))
        i++;
    clv_format_double(number, (double)values[i]);
    clv_fail(error, CLEAVE_ERROR_DATA, "query %zu, column %zu: expected a finite number, found %s",
             i / features, i % features, number);
    return clv_hint(error, CLEAVE_ERROR_DATA, "queries and columns are counted from 0");
}

static Status check_vectors(const cleave_searcher *searcher, cleave_error *error)
{
    if (searcher->model->pipeline) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "the model has a feature pipeline and cannot search by feature values");
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "use cleave_search, or create the index with the option transform 'none'");
    }
    if (searcher->wanted.most == EVERY_POINT) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "the option 'radius' requires the option 'k' here");
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "use cleave_search to find all points within a radius");
    }
    return OK;
}

static Status search_values(cleave_searcher *searcher, const float *queries, size_t count,
                            Results *results, cleave_error *error)
{
    size_t features = searcher->points.vectors.features, end = results->first + count;

    if (!all_finite(queries, count * features))
        return refuse_value(queries, features, error);
    while (results->first < end) {
        enum { MOST = 1 << 24 };
        size_t left = end - results->first;
        QueryRows batch = {.values = queries, .count = left < MOST ? (uint32_t)left : MOST};

        TRY(clv_search_rows(searcher->search, &batch, write_result, results, error));
        results->first += batch.count;
        queries += batch.count * features;
    }
    return OK;
}

cleave_code cleave_search_vectors(cleave_searcher *searcher, const float *queries, size_t count,
                                  int64_t *rows, double *distances, cleave_error *error)
{
    REQUIRE(searcher && (queries || count == 0));
    Results results = {.searcher = searcher, .rows = rows, .distances = distances};

    TRY(check_vectors(searcher, error));
    return search_values(searcher, queries, count, &results, error);
}

/* Copies some rows of a matrix as float32 in C order to searcher->values. */
static Status copy_queries(cleave_searcher *searcher, const cleave_matrix *queries, size_t first,
                           size_t rows, cleave_error *error)
{
    size_t features = searcher->points.vectors.features;

    TRY(GROW(searcher->context, searcher->values, searcher->value_capacity, rows * features,
             error));
    for (size_t i = 0; i < rows; i++) {
        float *values = searcher->values + i * features;

        if (matrix_is_dense(queries)) {
            TRY(clv_matrix_dense_row(queries, first + i, values, error));
            continue;
        }
        TRY(clv_matrix_sparse_row(queries, first + i, &searcher->row, error));
        memset(values, 0, features * sizeof *values);
        for (size_t j = 0; j < searcher->row.count; j++)
            values[searcher->row.column[j]] = searcher->row.value[j];
    }
    return OK;
}

cleave_code cleave_search_matrix(cleave_searcher *searcher, const cleave_matrix *queries,
                                 int64_t *rows, double *distances, cleave_error *error)
{
    enum { VALUES_AT_ONCE = 1 << 20 };
    REQUIRE(searcher && queries);
    Results results = {.searcher = searcher, .rows = rows, .distances = distances};
    size_t features = searcher->points.vectors.features, most = VALUES_AT_ONCE / (features + 1) + 1;
    cleave_matrix own;

    TRY(check_vectors(searcher, error));
    TRY(clv_matrix_take(queries, &own, error));
    if (own.columns != features)
        return clv_fail(error, CLEAVE_ERROR_DATA, "expected queries of %zu columns, found %zu",
                        features, own.columns);
    if (clv_matrix_in_place(&own))
        return search_values(searcher, own.values, own.rows, &results, error);
    for (size_t first = 0; first < own.rows; first += most) {
        size_t count = own.rows - first < most ? own.rows - first : most;

        TRY(copy_queries(searcher, &own, first, count, error));
        TRY(search_values(searcher, searcher->values, count, &results, error));
    }
    return OK;
}

/* ---- removing -------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The first row of the set that has no point. there: the sorted row numbers of the points found. */
static uint64_t first_missing(const RowSet *rows, const uint64_t *there, uint32_t count)
{
    uint32_t at = 0;

    for (size_t i = 0; i < rows->count; i++)
        for (uint64_t row = rows->range[i].first; row <= rows->range[i].last; row++) {
            while (at < count && there[at] < row)
                at++;
            if (at == count || there[at] != row)
                return row;
        }
    return 0;
}

/* Fails because points are missing. found: the existing points of the set. */
static Status fail_missing(Context *context, const Points *points, const RowSet *rows,
                           const uint32_t *found, uint32_t count, cleave_error *error)
{
    uint64_t *there, missing;

    TRY(ALLOC(context, there, (size_t)count + 1, "rows", error));
    for (uint32_t i = 0; i < count; i++)
        there[i] = point_row(points, found[i]);
    qsort(there, count, sizeof *there, by_number);
    missing = first_missing(rows, there, count);
    clv_free(context, there);
    clv_fail(error, CLEAVE_ERROR_USAGE, "row %llu: the model does not contain this row",
             (unsigned long long)missing);
    return clv_hint(
        error, CLEAVE_ERROR_USAGE,
        "use row numbers of the training data, counted from 0, that have not been removed");
}

static uint32_t find_points(const Points *points, const RowSet *rows, uint32_t *found)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < points->vectors.count; i++)
        if (clv_row_set_has(rows, point_row(points, i)) &&
            !(points->index->gone_count && row_bit(points->index->gone, i)))
            found[count++] = i;
    return count;
}

static Status remove_points(Points *points, const RowSet *rows, uint32_t *found, uint64_t *removed,
                            cleave_error *error)
{
    uint32_t count = find_points(points, rows, found),
             left = points->vectors.count - points->index->gone_count;

    if (count < clv_row_set_size(rows))
        return fail_missing(points->index->context, points, rows, found, count, error);
    if (count == left) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "the removal of all %u points would leave an empty model", left);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "keep at least one point");
    }
    for (uint32_t i = 0; i < count; i++)
        TRY(clv_index_remove(points->index, found[i], error));
    *removed = count;
    return OK;
}

/* Replaces the structure of the model. Open searchers keep the old one. */
static Status put_changes(Model *model, Points *points, cleave_error *error)
{
    Bundle *changes = NULL;
    Status status = clv_bundle_new(model->context, &changes, error);

    if (status == OK)
        status = clv_index_save(points->index, false, changes, error);
    if (status == OK && points->index->built == points->vectors.count)
        status = clv_bundle_put_number(changes, "index_built", points->index->built, error);
    clv_points_close(points);
    for (size_t i = 0; status == OK && i < changes->count; i++) {
        const BundleItem *item = &changes->item[i];

        status = clv_model_retire(model, item->name, error);
        THEN(status,
             clv_bundle_put(model->bundle, item->name, item->type, item->data, item->count, error));
    }
    clv_predictors_clear(model->context, model->predictors);
    clv_bundle_free(changes);
    return status;
}

static Status remove_rows(Model *model, const RowSet *rows, uint64_t *removed, cleave_error *error)
{
    Points points;
    uint32_t *found;
    Status status;

    TRY(clv_points_open(model, &points, error));
    found = clv_alloc(model->context, points.vectors.count, sizeof *found);
    status = found ? remove_points(&points, rows, found, removed, error)
                   : clv_fail_memory(error, "points", points.vectors.count * sizeof *found);
    clv_free(model->context, found);
    if (status == OK)
        status = put_changes(model, &points, error);
    else
        clv_points_close(&points);
    return status;
}

cleave_code cleave_model_remove(cleave_model *model, const uint64_t *rows, size_t count,
                                cleave_error *error)
{
    REQUIRE(model && (rows || count == 0));
    uint64_t removed;
    RowSet set;
    Status status;

    if (!is_neighbor_model(model))
        return refuse_method(model, error);
    TRY(clv_row_set_from(model->context, rows, count, &set, error));
    status = remove_rows(model, &set, &removed, error);
    clv_row_set_free(&set);
    return status;
}

cleave_code cleave_model_remove_list(cleave_model *model, const char *rows, uint64_t *removed,
                                     cleave_error *error)
{
    REQUIRE(model && rows);
    uint64_t count = 0;
    RowSet set;
    Status status;

    if (!is_neighbor_model(model))
        return refuse_method(model, error);
    TRY(clv_row_set_parse(model->context, "rows", rows, &set, error));
    status = remove_rows(model, &set, &count, error);
    if (removed)
        *removed = count;
    clv_row_set_free(&set);
    return status;
}

/* Adds the row of the point with this id. */
static Status find_id(const Points *points, const char *id, size_t length, RowSet *rows,
                      cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    for (uint32_t i = 0; i < points->vectors.count; i++) {
        const char *own = metadata_id(&points->metadata, point_row(points, i));

        if (own && strlen(own) == length && memcmp(own, id, length) == 0 &&
            !(points->index->gone_count && row_bit(points->index->gone, i)))
            return clv_row_set_add(rows, point_row(points, i), error);
    }
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "use ids given to 'cleave index --ids'",
                         "--ids: no point has the id '%s'", clv_quote(quoted, id, length));
}

static Status find_ids(const Model *model, const char *ids, RowSet *rows, cleave_error *error)
{
    Points points;
    Status status = OK;

    TRY(clv_points_open(model, &points, error));
    for (const char *at = ids; status == OK; at++) {
        size_t length = strcspn(at, ",");

        status = find_id(&points, at, length, rows, error);
        at += length;
        if (!*at)
            break;
    }
    clv_points_close(&points);
    return status;
}

cleave_code cleave_model_remove_ids(cleave_model *model, const char *ids, uint64_t *removed,
                                    cleave_error *error)
{
    REQUIRE(model && ids);
    RowSet set;
    uint64_t count = 0;
    Status status;

    if (!is_neighbor_model(model))
        return refuse_method(model, error);
    TRY(clv_row_set_from(model->context, NULL, 0, &set, error));
    status = find_ids(model, ids, &set, error);
    clv_row_set_settle(&set);
    THEN(status, remove_rows(model, &set, &count, error));
    if (removed)
        *removed = count;
    clv_row_set_free(&set);
    return status;
}
