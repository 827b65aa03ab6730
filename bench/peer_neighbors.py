"""The Python halves of bench/neighbors, on one thread; each prints numbers on one line.

peer_neighbors.py faiss POINTS.fvecs QUERIES.fvecs K REPETITIONS SINGLES [DISTANCE]   queries a CPU second at once, CPU seconds of one alone, CPU seconds of adding, sum of distances
    DISTANCE: euclidean, or cosine or inner-product by IndexFlatIP
peer_neighbors.py brute POINTS.fvecs QUERIES.fvecs K QUERIES SINGLES        the same by scikit-learn's brute force, of QUERIES queries
peer_neighbors.py hnsw POINTS.fvecs QUERIES.fvecs K EXACT [DISTANCE]        CPU seconds of building, MB; then of each ef: ef, recall, queries a CPU second, at once where DISTANCE is given
peer_neighbors.py lsh POINTS.fvecs QUERIES.fvecs K EXACT                    recall of faiss's IndexLSH of 1,024 bits, queries a CPU second at once
EXACT is the file of rows that bench/search.c writes.
"""
import os
import sys
import time

import numpy


def vectors(path):
    columns = int(numpy.fromfile(path, numpy.int32, 1)[0])
    return numpy.ascontiguousarray(numpy.fromfile(path, numpy.float32).reshape(-1, columns + 1)[:, 1:])


def timed(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def best(work, repetitions):
    return min((timed(work) for _ in range(repetitions)), key=lambda run: run[0])


def recall(found, exact):
    return sum(len(set(a) & set(b)) for a, b in zip(found.tolist(), exact.tolist())) / exact.size


def by_faiss(points, queries, k, repetitions, singles, distance="euclidean"):
    import faiss

    faiss.omp_set_num_threads(1)
    points, queries = vectors(points), vectors(queries)
    if distance == "cosine":
        points /= numpy.linalg.norm(points, axis=1, keepdims=True)
        queries /= numpy.linalg.norm(queries, axis=1, keepdims=True)
    index = (faiss.IndexFlatL2 if distance == "euclidean" else faiss.IndexFlatIP)(points.shape[1])
    adding, _ = timed(lambda: index.add(points))
    cpu, (squares, _) = best(lambda: index.search(queries, k), repetitions)

    def alone():
        for i in range(singles):
            index.search(queries[i : i + 1], k)

    one, _ = best(alone, repetitions)
    squares = squares.astype(float)
    distances = {"euclidean": numpy.sqrt(squares), "cosine": 1 - squares, "inner-product": -squares}[distance]
    print(f"{len(queries) / cpu:.1f} {one / singles:.7f} {adding:.3f} {distances.sum():.12g} {faiss.__version__}")


def by_brute(points, queries, k, count, singles):
    import sklearn
    from sklearn.neighbors import NearestNeighbors

    points, queries = vectors(points), vectors(queries)[:count]
    index = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=1).fit(points)
    cpu, _ = timed(lambda: index.kneighbors(queries))

    def alone():
        for i in range(singles):
            index.kneighbors(queries[i : i + 1])

    one, _ = timed(alone)
    print(f"{len(queries) / cpu:.1f} {one / singles:.7f} {sklearn.__version__}")


def by_hnsw(path, queries, k, exact, distance=None):
    import hnswlib

    points, queries = vectors(path), vectors(queries)
    exact = numpy.fromfile(exact, numpy.uint32).reshape(-1, k)
    index = hnswlib.Index(space={"cosine": "cosine", "inner-product": "ip"}.get(distance, "l2"), dim=points.shape[1])
    kept = f"{path}.{distance}.hnsw"  # a graph of 10^6 points takes minutes: a later run measures the queries again, not the building
    if os.path.exists(kept + ".seconds"):
        index.load_index(kept, max_elements=len(points))
        with open(kept + ".seconds") as file:
            build = float(file.read())
    else:
        index.init_index(max_elements=len(points), ef_construction=200, M=16, random_seed=1)
        build, _ = timed(lambda: index.add_items(points, num_threads=1))
        index.save_index(kept)
        with open(kept + ".seconds", "w") as file:
            file.write(f"{build:.2f}")
    index.set_num_threads(1)
    line = [f"{build:.2f}", f"{index.index_file_size() / 1e6:.0f}"]
    for ef in (10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512) if distance else (20, 80, 320):
        index.set_ef(ef)
        if distance:
            cpu, (found, _) = best(lambda: index.knn_query(queries, k, num_threads=1), 3)
            line.append(f"{ef} {recall(found, exact):.4f} {len(queries) / cpu:.0f}")
            continue
        cpu, found = timed(lambda: numpy.concatenate([index.knn_query(q, k, num_threads=1)[0] for q in queries[:1000]]))
        line.append(f"{ef} {recall(found, exact[:1000]):.4f} {1000 / cpu:.0f}")
    print(*line)


def by_lsh(points, queries, k, exact):
    import faiss

    faiss.omp_set_num_threads(1)
    points, queries = vectors(points), vectors(queries)
    exact = numpy.fromfile(exact, numpy.uint32).reshape(-1, k)
    index = faiss.IndexLSH(points.shape[1], 1024)
    index.train(points)
    index.add(points)
    cpu, (_, found) = timed(lambda: index.search(queries[:1000], k))
    print(f"{recall(found, exact[:1000]):.4f} {1000 / cpu:.0f}")


if __name__ == "__main__":
    what, points, queries, k, *rest = sys.argv[1:]
    if what == "faiss":
        by_faiss(points, queries, int(k), int(rest[0]), int(rest[1]), *rest[2:])
    elif what == "brute":
        by_brute(points, queries, int(k), int(rest[0]), int(rest[1]))
    elif what == "hnsw":
        by_hnsw(points, queries, int(k), *rest)
    elif what == "lsh":
        by_lsh(points, queries, int(k), rest[0])
    else:
        sys.exit(__doc__)
