"""The scikit-learn, pandas and Vowpal Wabbit halves of the benchmarks; each prints numbers on one line.

peer.py read FILE                     CPU and wall seconds of load_svmlight_file, rows, entries
peer.py perceptron TRAIN TEST ROUNDS  CPU seconds of one epoch, errors on the test rows, number of them
peer.py csv FILE                      CPU and wall seconds of pandas.read_csv, rows
peer.py table FILE REPETITIONS         rows, columns; CPU and wall seconds of pandas with one-hot and standardized columns, a sum over the first rows; one-hot alone
peer.py words FOLDER                  CPU and wall seconds of TfidfVectorizer over the files, rows, columns; the least of three
peer.py sgd TRAIN LAMBDA EPOCHS OUT   CPU seconds of reading and of training, wall seconds of both; OUT: weights for bench/primal.c
peer.py svc TRAIN LAMBDA OUT          the same by LinearSVC, hinge loss
peer.py pca IMAGES.gz                 CPU and wall seconds of PCA(50, randomized).fit and of transform, components, their variances
peer.py pca-exact IMAGES.gz           the variances by LAPACK, in double precision
peer.py vw ARGUMENT...                CPU and wall seconds of Vowpal Wabbit with these arguments of its command line
peer.py vw-errors PREDICTIONS DATA.vw errors and rows
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


def images(path):
    import gzip

    import numpy

    with gzip.open(path) as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=16).reshape(-1, 784)


def pca(path):
    import numpy
    from sklearn.decomposition import PCA

    x = images(path).astype(numpy.float32)
    model = PCA(50, svd_solver="randomized", random_state=1)
    cpu, wall, _ = timed(lambda: model.fit(x))
    rows_cpu, rows_wall, _ = timed(lambda: model.transform(x))
    variances = " ".join(f"{v:.10g}" for v in model.explained_variance_)
    print(f"{cpu:.3f} {wall:.3f} {rows_cpu:.3f} {rows_wall:.3f} 50 {variances}")


def pca_exact(path):
    import numpy

    values = numpy.linalg.eigvalsh(numpy.cov(images(path).astype(numpy.float64), rowvar=False))
    print(" ".join(f"{v:.10g}" for v in values[::-1][:50]))


def words(folder):
    """Rows of TF-IDF of the documents under a folder; loading of modules is not measured."""
    import os

    from sklearn.feature_extraction.text import TfidfVectorizer

    def rows():
        paths = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
        vectorizer = TfidfVectorizer(input="filename", encoding="latin-1", sublinear_tf=True)
        return vectorizer.fit_transform(paths)

    TfidfVectorizer().fit_transform(["a first document", "and another one"])
    best = min((timed(rows) for _ in range(3)), key=lambda taken: taken[0])
    cpu, wall, made = best
    print(f"{cpu:.3f} {wall:.3f} {made.shape[0]} {made.shape[1]}")


def table(path, repetitions):
    """One-hot and standardized rows of a CSV without a header whose last column is the label; and one-hot alone, with the numbers as they are."""
    import numpy
    import pandas
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    encoder = OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist", dtype=numpy.float32)

    def parts():
        rows = pandas.read_csv(path, header=None).iloc[:, :-1]
        numbers = [c for c in rows if pandas.api.types.is_numeric_dtype(rows[c])]
        return rows, numbers, [c for c in rows if c not in numbers]

    def both():
        rows, numbers, categories = parts()
        return ColumnTransformer([("n", StandardScaler(), numbers), ("c", encoder, categories)]).fit_transform(rows)

    def one_hot():
        rows, _, categories = parts()
        return encoder.fit_transform(rows[categories])

    def best(work):
        return min((timed(work) for _ in range(repetitions)), key=lambda run: run[0])

    parts()  # what is loaded and set up once is not measured
    light, light_wall, encoded = best(one_hot)
    rows, numbers, _ = parts()
    plain = numpy.abs(rows[numbers].to_numpy()[:20000]).sum(dtype=float) + encoded[:20000].sum(dtype=float)
    cpu, wall, made = best(both)
    first = made[:20000] if isinstance(made, numpy.ndarray) else made[:20000].toarray()
    print(f"{made.shape[0]} {made.shape[1]} {cpu:.3f} {wall:.3f} {numpy.abs(first).sum(dtype=float):.6g} {light:.3f} {light_wall:.3f} {plain:.6g}")


def write_weights(path, model):
    """Lines `output LABEL`, `INDEX WEIGHT`, `bias LABEL VALUE`; of two classes the second is the positive one."""
    labels = model.classes_[1:] if len(model.coef_) == 1 else model.classes_
    with open(path, "w") as out:
        for label, weights, bias in zip(labels, model.coef_, model.intercept_):
            out.write(f"output {label:g}\nbias {label:g} {bias:.17g}\n")
            out.writelines(f"{i + 1} {w:.9g}\n" for i, w in enumerate(weights) if w)


def learn(train, make, path, dtype):
    import numpy
    from sklearn.datasets import load_svmlight_file

    read_cpu, read_wall, (x, y) = timed(lambda: load_svmlight_file(train, dtype=dtype))
    model = make(x.shape[0])
    x.indices, x.indptr = x.indices.astype(numpy.int32), x.indptr.astype(numpy.int32)
    cpu, wall, _ = timed(lambda: model.fit(x, y))
    write_weights(path, model)
    print(f"{read_cpu:.3f} {cpu:.3f} {read_wall + wall:.3f}")


def sgd(train, lamda, epochs, path):
    from sklearn.linear_model import SGDClassifier

    learn(train, lambda rows: SGDClassifier(loss="hinge", alpha=lamda, max_iter=epochs, tol=None, random_state=1), path, "float32")


def svc(train, lamda, path):
    from sklearn.svm import LinearSVC

    learn(train, lambda rows: LinearSVC(loss="hinge", C=1 / (rows * lamda), random_state=1), path, "float64")  # it takes no other


def vw(arguments):
    from vowpalwabbit import Workspace

    cpu, wall, _ = timed(lambda: Workspace(arg_list=["--quiet", *arguments]).finish())
    print(f"{cpu:.3f} {wall:.3f}")


def vw_errors(predictions, data):
    with open(predictions) as said, open(data) as rows:
        wrong = [float(a.split()[0]) != float(b.split()[0]) for a, b in zip(said, rows)]
    print(sum(wrong), len(wrong))


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "read":
        read(rest[0])
    elif what == "perceptron":
        perceptron(rest[0], rest[1], int(rest[2]))
    elif what == "csv":
        csv(rest[0])
    elif what == "table":
        table(rest[0], int(rest[1]))
    elif what == "words":
        words(rest[0])
    elif what == "sgd":
        sgd(rest[0], float(rest[1]), int(rest[2]), rest[3])
    elif what == "svc":
        svc(rest[0], float(rest[1]), rest[2])
    elif what == "pca":
        pca(rest[0])
    elif what == "pca-exact":
        pca_exact(rest[0])
    elif what == "vw":
        vw(rest)
    elif what == "vw-errors":
        vw_errors(rest[0], rest[1])
    else:
        sys.exit(__doc__)
