"""The Python half of bench/trees: LightGBM and XGBoost on the tables that cleave reads, with equal trees, leaves, bins, shrinkage and threads.

peer_trees.py table TRAIN.csv[.gz] TEST.csv[.gz] LABEL CATEGORIES OUT.npz   reads the tables once: numbers as they are, CATEGORIES (names by commas, or numbers of columns from 1 where there
                                                                            is no header) as codes, missing as NaN. LABEL: a name or a number; a leading + says that it is a number to be predicted
peer_trees.py lightgbm|xgboost DATA.npz THREADS REPETITIONS ROUNDS LIMIT [KEY=VALUE]...
                                                                            with 31 leaves; LIMIT: of a leaf's value, 0 for none; further parameters of the library, and order=N: the training
                                                                            rows in another order, which N says. CPU and wall seconds
                                                                            of training from rows in memory, binning included, and of answering, each the least of the repetitions; MB of anonymous memory the first training
                                                                            took at most, in addition to its memory before; figure on the test rows (share of errors, or root of the mean squared error);
                                                                            version
"""
import csv
import gzip
import sys
import threading
import time

import numpy

LEAVES = 31
MISSING = {"?", "NA", "N/A", "NaN", "nan", "null", "NULL", ""}


def cells(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        return [[cell.strip() for cell in row] for row in csv.reader(file) if row]


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def table(train, test, label, categories, out):
    regression, label = label.startswith("+"), label.lstrip("+")
    parts = [cells(train), cells(test)]
    names = [str(i + 1) for i in range(len(parts[0][0]))]
    if not any(is_number(cell) for cell in parts[0][0]):
        names = parts[0][0]
        parts = [part[1:] for part in parts]
    ignored = [name[1:] for name in categories.split(",") if name.startswith("-")]
    categories = [name for name in categories.split(",") if name and not name.startswith("-")]
    kept = [i for i, name in enumerate(names) if name != label and name not in ignored]
    where = names.index(label)
    data = {"categories": numpy.array([kept.index(names.index(name)) for name in categories], int)}
    codes = {i: {} for i in kept if names[i] in categories}
    classes = {}
    for part, rows in zip(("train", "test"), parts):
        x = numpy.full((len(rows), len(kept)), numpy.nan, numpy.float32)
        for j, i in enumerate(kept):
            if i in codes:
                known = codes[i]
                x[:, j] = [
                    numpy.nan if row[i] in MISSING else known.setdefault(row[i], len(known)) if part == "train" else known.get(row[i], numpy.nan)
                    for row in rows
                ]
            else:
                x[:, j] = [numpy.nan if row[i] in MISSING else float(row[i]) for row in rows]
        if regression:
            y = numpy.array([float(row[where]) for row in rows])
        else:
            named = [row[where].strip(".") for row in rows]
            y = numpy.array([classes.setdefault(name, len(classes)) if part == "train" else classes.get(name, -1) for name in named])
        data["x_" + part], data["y_" + part] = x, y
    data["classes"] = 0 if regression else len(classes)
    numpy.savez(out, **data)


class Watch:
    """The most anonymous memory of this process beyond what it had: the rows are not counted."""

    def __enter__(self):
        self.start, self.most, self.over = self.now(), 0, False
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()

    def look(self):
        while not self.over:
            self.most = max(self.most, self.now())
            time.sleep(0.002)

    @staticmethod
    def now():
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) * 1024 / 1e6


def least(repetitions, work):
    """CPU and wall seconds, the least of each, and the last result."""
    cpu, wall, result = [], [], None
    for _ in range(repetitions):
        result = None
        start_cpu, start = time.process_time(), time.perf_counter()
        result = work()
        cpu.append(time.process_time() - start_cpu)
        wall.append(time.perf_counter() - start)
    return min(cpu), min(wall), result


def by_lightgbm(data, threads, rounds, limit, more):
    import lightgbm

    classes = int(data["classes"])
    objective = {0: "regression", 2: "binary"}.get(classes, "multiclass")
    params = {"objective": objective, "num_threads": threads, "num_leaves": LEAVES, "learning_rate": 0.1, "max_bin": 255, "min_data_in_leaf": 20,
              "max_delta_step": limit, "verbose": -1, "seed": 1, **more}
    if objective == "multiclass":
        params["num_class"] = classes
    x, y = data["x_train"], data["y_train"]
    categories = data["categories"].tolist() or "auto"

    def train():
        return lightgbm.train(params, lightgbm.Dataset(x, y, categorical_feature=categories, params=params), rounds)

    def predict(model):
        return model.predict(data["x_test"], num_threads=threads)

    return train, predict, lightgbm.__version__


def by_xgboost(data, threads, rounds, limit, more):
    """There is no least number of rows in a leaf here."""
    import xgboost

    classes = int(data["classes"])
    objective = {0: "reg:squarederror", 2: "binary:logistic"}.get(classes, "multi:softprob")
    params = {"objective": objective, "nthread": threads, "max_leaves": LEAVES, "max_depth": 0, "grow_policy": "lossguide", "eta": 0.1, "max_bin": 255,
              "tree_method": "hist", "min_child_weight": 1e-3, "lambda": 0, "max_delta_step": limit, "verbosity": 0, **more}
    if classes > 2:
        params["num_class"] = classes
    kinds = ["c" if i in set(data["categories"].tolist()) else "q" for i in range(data["x_train"].shape[1])]

    def train():
        matrix = xgboost.QuantileDMatrix(data["x_train"], data["y_train"], max_bin=255, nthread=threads, feature_types=kinds, enable_categorical=True)
        return xgboost.train(params, matrix, rounds)

    def predict(model):
        if kinds.count("c"):
            return model.predict(xgboost.DMatrix(data["x_test"], nthread=threads, feature_types=kinds, enable_categorical=True))
        return model.inplace_predict(data["x_test"])

    return train, predict, xgboost.__version__


def figure_of(data, answer):
    y = data["y_test"]
    if int(data["classes"]) == 0:
        return float(numpy.sqrt(((answer - y) ** 2).mean()))
    if answer.ndim == 1:
        return float(((answer > 0.5) != (y == 1)).mean())
    return float((answer.argmax(1) != y).mean())


def main():
    if sys.argv[1] == "table":
        table(*sys.argv[2:])
        return
    data = dict(numpy.load(sys.argv[2]))
    threads, repetitions, rounds = map(int, sys.argv[3:6])
    limit, more = float(sys.argv[6]), dict(word.split("=") for word in sys.argv[7:])
    order = more.pop("order", None)
    if order:
        shuffled = numpy.random.RandomState(int(order)).permutation(len(data["y_train"]))
        data["x_train"], data["y_train"] = data["x_train"][shuffled], data["y_train"][shuffled]
    train, predict, version = {"lightgbm": by_lightgbm, "xgboost": by_xgboost}[sys.argv[1]](data, threads, rounds, limit, more)
    with Watch() as watch:
        once = least(1, train)
    train_cpu, train_wall, model = least(repetitions - 1, train) if repetitions > 1 else once
    train_cpu, train_wall = min(train_cpu, once[0]), min(train_wall, once[1])
    answer_cpu, answer_wall, answer = least(repetitions, lambda: predict(model))
    print(f"{train_cpu:.4f} {train_wall:.4f} {answer_cpu:.4f} {answer_wall:.4f} {watch.most - watch.start:.1f} {figure_of(data, answer):.6f} {version}")


main()
