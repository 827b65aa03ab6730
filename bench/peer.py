"""The scikit-learn and pandas halves of the benchmarks; each prints numbers on one line.

peer.py read FILE                     CPU and wall seconds of load_svmlight_file, rows, entries
peer.py perceptron TRAIN TEST ROUNDS  CPU seconds of one sweep, errors on the test rows, number of them
peer.py csv FILE                      CPU and wall seconds of pandas.read_csv, rows
"""
import sys
import time


def timed(work):
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return time.process_time() - cpu, time.perf_counter() - wall, result


def read(path):
    import numpy
    from sklearn.datasets import load_svmlight_file

    cpu, wall, (x, _) = timed(lambda: load_svmlight_file(path, dtype=numpy.float32))
    print(f"{cpu:.3f} {wall:.3f} {x.shape[0]} {x.nnz}")


def perceptron(train, test, rounds):
    import numpy
    from sklearn.datasets import load_svmlight_files
    from sklearn.linear_model import Perceptron

    x, y, xt, yt = load_svmlight_files([train, test], dtype=numpy.float32)
    for matrix in x, xt:  # the loader makes 64-bit indexes, which the learner refuses
        matrix.indices, matrix.indptr = matrix.indices.astype(numpy.int32), matrix.indptr.astype(numpy.int32)
    model = Perceptron(max_iter=rounds, tol=None, shuffle=False, fit_intercept=False)
    cpu, _, _ = timed(lambda: model.fit(x, y))
    print(f"{cpu / rounds:.4f} {(model.predict(xt) != yt).sum()} {len(yt)}")


def csv(path):
    import pandas

    cpu, wall, table = timed(lambda: pandas.read_csv(path))
    print(f"{cpu:.3f} {wall:.3f} {len(table)}")


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "read":
        read(rest[0])
    elif what == "perceptron":
        perceptron(rest[0], rest[1], int(rest[2]))
    elif what == "csv":
        csv(rest[0])
    else:
        sys.exit(__doc__)
