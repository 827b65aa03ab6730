// trees POINTS.fvecs QUERIES.fvecs K REPETITIONS
// nanoflann, FLANN and Boost's R-tree (packed) over points in memory, asked one query at a time on one thread; a line each:
//     name, CPU seconds of building, queries a CPU second (the best of the repetitions), the sum of all distances
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <flann/flann.hpp>
#include <nanoflann.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

struct Cloud {
    std::vector<float> value;
    size_t count = 0, columns = 0;

    explicit Cloud(const char *path)
    {
        FILE *file = fopen(path, "rb");
        int32_t width;

        while (file && fread(&width, sizeof width, 1, file) == 1) {
            columns = width;
            value.resize((count + 1) * columns);
            if (fread(&value[count++ * columns], sizeof(float), columns, file) != columns)
                exit(1);
        }
        fclose(file);
    }
    const float *row(size_t i) const { return &value[i * columns]; }
    size_t kdtree_get_point_count() const { return count; }
    float kdtree_get_pt(size_t i, size_t j) const { return row(i)[j]; }
    template <class Box> bool kdtree_get_bbox(Box &) const { return false; }
};

static double seconds()
{
    timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

// ask(i): the sum of the distances found for query i.
template <class Ask> static void tell(const char *name, double build, size_t queries, int repetitions, Ask ask)
{
    double best = INFINITY, sum = 0;

    for (int i = 0; i < repetitions; i++) {
        double start = seconds();

        sum = 0;
        for (size_t q = 0; q < queries; q++)
            sum += ask(q);
        best = std::fmin(best, seconds() - start);
    }
    printf("%s %.4f %.1f %.12g\n", name, build, queries / best, sum);
}

static double roots(const std::vector<float> &squares)
{
    double sum = 0;

    for (float square : squares)
        sum += std::sqrt((double)square);
    return sum;
}

static void by_nanoflann(const Cloud &points, const Cloud &queries, size_t k, int repetitions)
{
    using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Cloud>, Cloud>;
    double start = seconds();
    Tree tree(points.columns, points, {10});
    std::vector<float> square(k);
    std::vector<size_t> row(k);

    tree.buildIndex();
    tell("nanoflann", seconds() - start, queries.count, repetitions, [&](size_t q) {
        nanoflann::KNNResultSet<float> found(k);

        found.init(row.data(), square.data());
        tree.findNeighbors(found, queries.row(q), nanoflann::SearchParams());
        return roots(square);
    });
}

static void by_flann(Cloud &points, Cloud &queries, size_t k, int repetitions)
{
    flann::Matrix<float> matrix(points.value.data(), points.count, points.columns);
    double start = seconds();
    flann::Index<flann::L2_Simple<float>> tree(matrix, flann::KDTreeSingleIndexParams(10));
    flann::SearchParams exact(-1, 0, true);
    std::vector<float> square(k);
    std::vector<int> row(k);

    tree.buildIndex();
    exact.cores = 1;
    tell("FLANN", seconds() - start, queries.count, repetitions, [&](size_t q) {
        flann::Matrix<float> query(&queries.value[q * queries.columns], 1, queries.columns);
        flann::Matrix<int> rows(row.data(), 1, k);
        flann::Matrix<float> squares(square.data(), 1, k);

        tree.knnSearch(query, rows, squares, k, exact);
        return roots(square);
    });
}

template <size_t COLUMNS> static void by_boost(const Cloud &points, const Cloud &queries, size_t k, int repetitions)
{
    namespace geometry = boost::geometry;
    using Point = geometry::model::point<float, COLUMNS, geometry::cs::cartesian>;
    using Value = std::pair<Point, unsigned>;

    double start = seconds();
    std::vector<Value> values(points.count), found;

    for (size_t i = 0; i < points.count; i++) {
        memcpy(&values[i].first, points.row(i), COLUMNS * sizeof(float));
        values[i].second = i;
    }
    geometry::index::rtree<Value, geometry::index::rstar<16>> tree(values);
    tell("Boost", seconds() - start, queries.count, repetitions, [&](size_t q) {
        Point point;
        double sum = 0;

        memcpy(&point, queries.row(q), COLUMNS * sizeof(float));
        found.clear();
        tree.query(geometry::index::nearest(point, k), std::back_inserter(found));
        for (const Value &value : found)
            sum += geometry::distance(point, value.first);
        return sum;
    });
}

int main(int, char **words)
{
    Cloud points(words[1]), queries(words[2]);
    size_t k = atol(words[3]);
    int repetitions = atoi(words[4]);

    by_nanoflann(points, queries, k, repetitions);
    by_flann(points, queries, k, repetitions);
    switch (points.columns) {
    case 2:
        by_boost<2>(points, queries, k, repetitions);
        break;
    case 3:
        by_boost<3>(points, queries, k, repetitions);
        break;
    case 4:
        by_boost<4>(points, queries, k, repetitions);
        break;
    case 8:
        by_boost<8>(points, queries, k, repetitions);
        break;
    }
    return 0;
}
