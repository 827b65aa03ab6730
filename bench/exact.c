/* exact QUERIES SEED
 * Compares searches with a double-precision scan: random points, distances, widths, types of values, indexes and numbers of neighbors, 200 queries each, until there
 * were QUERIES. Prints the number of queries, and of those with a difference: a neighbor whose distance, computed here, is not that of the scan at the same rank (up to
 * the rounding of doubles), or a distance that is not the neighbor's. Exit status 1: some differ. */
#include <cleave/expert.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 200, MOST_K = 20, CELLS = 1 << 18 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static int below(int count) { return (int)(uniform() * count); }

static double normal(void)
{
    double u = uniform() + 0x1p-60;

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform());
}

static void need(cleave_code code, const cleave_error *error)
{
    if (code == CLEAVE_OK)
        return;
    fprintf(stderr, "exact: %s\n%s\n", error->message, error->hint);
    exit(2);
}

static const char *const distances[] = {"euclidean", "manhattan", "maximum", "cosine", "angle", "inner-product"};
static const char *const indexes[] = {"scan", "vafile", "kdtree", "rtree", "auto"};
static const char *const types[] = {"float32", "float16", "bfloat16", "int8", "uint8", "few values"};

static float cut(double x, uint32_t kept)
{
    float value = (float)x;
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits &= kept;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float value_of(int type, double x)
{
    switch (type) {
    case 1:
        return fabs(x) < 0x1p-14 ? 0 : cut(x, 0xffffe000);
    case 2:
        return cut(x, 0xffff0000);
    case 3:
        return (float)fmax(-128, fmin(127, floor(40 * x)));
    case 4:
        return (float)fmax(0, fmin(255, floor(128 + 50 * x)));
    case 5:
        return (float)floor(1.5 * x);
    default:
        return (float)x;
    }
}

static void fill(float *to, int rows, int columns, int type, const float *like, int like_rows)
{
    double spread = uniform() < 0.5 ? 0.1 : 1, shift = uniform() < 0.3 ? 3 : 0;

    for (int i = 0; i < rows; i++) {
        bool zero = uniform() < 0.01, same = like && uniform() < 0.1;
        const float *other = like ? like + (size_t)below(like_rows) * (size_t)columns : NULL;

        for (int j = 0; j < columns; j++)
            to[(size_t)i * (size_t)columns + (size_t)j] =
                zero ? 0 : same ? other[j] : value_of(type, shift + spread * normal());
    }
}

static double distance_of(int kind, const float *x, const float *q, int columns)
{
    double sum = 0, xx = 0, qq = 0, cosine;

    for (int j = 0; j < columns; j++) {
        double a = (double)x[j], b = (double)q[j];

        if (kind == 0)
            sum += (a - b) * (a - b);
        else if (kind == 1)
            sum += fabs(a - b);
        else if (kind == 2)
            sum = fmax(sum, fabs(a - b));
        else
            sum += a * b;
        xx += a * a;
        qq += b * b;
    }
    if (kind == 0)
        return sqrt(sum);
    if (kind == 5)
        return -sum;
    if (kind < 3)
        return sum;
    cosine = xx == 0 || qq == 0 ? xx == qq : fmax(-1, fmin(1, sum / sqrt(xx * qq)));
    return kind == 3 ? 1 - cosine : acos(cosine) / acos(-1.0);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The rounding of sums of this size. acos is steep at 1. */
static bool near(int kind, double a, double b, double size)
{
    return fabs(a - b) <= (kind == 4 ? 1e-7 : 1e-11) * (size + fabs(a));
}

typedef struct {
    int kind, columns, rows, k;
    const float *point;
    double *all;
} Truth;

static bool is_right(const Truth *truth, const float *query, const int64_t *row, const double *distance)
{
    double size = 0;

    for (int i = 0; i < truth->rows; i++) {
        truth->all[i] = distance_of(truth->kind, truth->point + (size_t)i * (size_t)truth->columns, query, truth->columns);
        size = fmax(size, truth->kind == 3 || truth->kind == 4 ? 1 : fabs(truth->all[i]));
    }
    for (int i = 0; i < truth->k; i++) {
        if (row[i] < 0 || row[i] >= truth->rows || !near(truth->kind, truth->all[row[i]], distance[i], size))
            return false;
        for (int j = 0; j < i; j++)
            if (row[i] == row[j])
                return false;
    }
    qsort(truth->all, (size_t)truth->rows, sizeof *truth->all, ascending);
    for (int i = 0; i < truth->k; i++)
        if (!near(truth->kind, truth->all[i], distance[i], size))
            return false;
    return true;
}

static cleave_model *build(cleave_context *context, const float *point, int rows, int columns, const char *distance,
                           const char *index)
{
    cleave_matrix matrix = {.size = sizeof matrix,
                            .rows = (size_t)rows,
                            .columns = (size_t)columns,
                            .type = CLEAVE_FLOAT32,
                            .values = point,
                            .row_stride = columns * (ptrdiff_t)sizeof *point,
                            .column_stride = sizeof *point};
    cleave_options *options = cleave_options_new(context);
    cleave_model *model = NULL;
    cleave_error error;
    cleave_data *data;

    need(cleave_data_from_matrix(context, &matrix, NULL, &data, &error), &error);
    need(cleave_options_set(options, "keep_unlabeled", "true", &error), &error);
    need(cleave_options_set(options, "distance", distance, &error), &error);
    need(cleave_options_set(options, "index", index, &error), &error);
    if (cleave_train(context, "knn", data, NULL, options, &model, NULL, &error) != CLEAVE_OK && error.code != CLEAVE_ERROR_USAGE)
        need(error.code, &error); /* the index may not support the distance */
    cleave_options_free(options);
    cleave_data_free(data);
    return model;
}

int main(int count, char **words)
{
    static const int widths[] = {1, 2, 3, 5, 8, 16, 33, 100, 257, 768};
    cleave_context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config), .threads = 1});
    long queries = 0, wanted = count > 1 ? atol(words[1]) : 10000, wrong = 0, made = 0;

    state = (count > 2 ? strtoull(words[2], NULL, 10) : 1) * 0x9E3779B97F4A7C15u + 1;
    while (queries < wanted) {
        int columns = widths[below(sizeof widths / sizeof *widths)], type = below(sizeof types / sizeof *types),
            kind = below(sizeof distances / sizeof *distances), most = CELLS / columns < 3000 ? CELLS / columns : 3000,
            rows = 1 + (uniform() < 0.5 ? most - 1 : below(most)), k = 1 + below(rows < MOST_K ? rows : MOST_K);
        const char *index = indexes[below(sizeof indexes / sizeof *indexes)];
        float *point = malloc((size_t)rows * (size_t)columns * sizeof *point),
              *query = malloc(BATCH * (size_t)columns * sizeof *query);
        Truth truth = {kind, columns, rows, k, point, malloc((size_t)rows * sizeof(double))};
        static int64_t row[BATCH * MOST_K];
        static double distance[BATCH * MOST_K];
        cleave_options *options = cleave_options_new(context);
        cleave_searcher *searcher;
        cleave_model *model;
        cleave_error error;
        char number[16];

        fill(point, rows, columns, type, NULL, 0);
        fill(query, BATCH, columns, uniform() < 0.5 ? type : 0, point, rows);
        model = build(context, point, rows, columns, distances[kind], index);
        if (model) {
            snprintf(number, sizeof number, "%d", k);
            need(cleave_options_set(options, "k", number, &error), &error);
            need(cleave_searcher_open(model, options, &searcher, &error), &error);
            need(cleave_search_vectors(searcher, query, BATCH, row, distance, &error), &error);
            for (int i = 0; i < BATCH; i++)
                if (!is_right(&truth, query + (size_t)i * (size_t)columns, row + i * k, distance + i * k)) {
                    if (wrong++ < 5)
                        printf("differs: %s, %s, %s, %d x %d, k %d, query %d\n", distances[kind], index, types[type], rows, columns, k, i);
                }
            queries += BATCH;
            made++;
            cleave_searcher_free(searcher);
        }
        cleave_model_free(model);
        cleave_options_free(options);
        free(point);
        free(query);
        free(truth.all);
    }
    printf("%ld queries of %ld indexes: %ld differ\n", queries, made, wrong);
    cleave_context_free(context);
    return wrong > 0;
}
