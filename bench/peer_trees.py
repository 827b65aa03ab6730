"""The Python half of bench/trees: LightGBM and XGBoost on the tables that cleave reads, with equal trees, leaves, bins, shrinkage and threads.

peer_trees.py table TRAIN.csv[.gz] TEST.csv[.gz] LABEL CATEGORIES OUT.npz   reads the tables once: numbers as they are, CATEGORIES (names by commas, or numbers of columns from 1 where there
                                                                            is no header) as codes, missing as NaN. LABEL: a name or a number; a leading + says that it is a number to be predicted
peer_trees.py lightgbm|xgboost DATA.npz THREADS ROUNDS LEAVES               CPU seconds of training, wall seconds, of predicting, wall seconds, MB of anonymous memory at the
                                                                            most while training, figure on the test rows (share of errors, or root of the mean squared error), version
"""
import csv
import gzip
import sys
import threading
import time

import numpy

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
    """The most anonymous memory of this process above what it had."""

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
            time.sleep(0.02)

    @staticmethod
    def now():
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) * 1024 / 1e6


def timed(work):
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return time.process_time() - cpu, time.perf_counter() - wall, result


def by_lightgbm(data, threads, rounds, leaves):
    import lightgbm

    classes = int(data["classes"])
    objective = {0: "regression", 2: "binary"}.get(classes, "multiclass")
    params = {"objective": objective, "num_threads": threads, "num_leaves": leaves, "learning_rate": 0.1, "max_bin": 255, "min_data_in_leaf": 20,
              "verbose": -1, "deterministic": True, "seed": 1, "force_row_wise": False}
    if objective == "multiclass":
        params["num_class"] = classes
    x, y = data["x_train"], data["y_train"]
    categories = data["categories"].tolist() or "auto"

    def train():
        return lightgbm.train(params, lightgbm.Dataset(x, y, categorical_feature=categories, params=params), rounds)

    def predict(model):
        return model.predict(data["x_test"], num_threads=threads)

    return train, predict, lightgbm.__version__


def by_xgboost(data, threads, rounds, leaves):
    import xgboost

    classes = int(data["classes"])
    objective = {0: "reg:squarederror", 2: "binary:logistic"}.get(classes, "multi:softprob")
    params = {"objective": objective, "nthread": threads, "max_leaves": leaves, "max_depth": 0, "grow_policy": "lossguide", "eta": 0.1, "max_bin": 255,
              "tree_method": "hist", "min_child_weight": 1e-3, "lambda": 0, "verbosity": 0}
    if classes > 2:
        params["num_class"] = classes
    kinds = ["c" if i in set(data["categories"].tolist()) else "q" for i in range(data["x_train"].shape[1])]

    def train():
        matrix = xgboost.QuantileDMatrix(data["x_train"], data["y_train"], max_bin=255, nthread=threads, feature_types=kinds, enable_categorical=True)
        return xgboost.train(params, matrix, rounds)

    def predict(model):
        return model.predict(xgboost.DMatrix(data["x_test"], nthread=threads, feature_types=kinds, enable_categorical=True))

    return train, predict, xgboost.__version__


def main():
    if sys.argv[1] == "table":
        table(*sys.argv[2:])
        return
    data = dict(numpy.load(sys.argv[2]))
    threads, rounds, leaves = map(int, sys.argv[3:6])
    train, predict, version = {"lightgbm": by_lightgbm, "xgboost": by_xgboost}[sys.argv[1]](data, threads, rounds, leaves)
    with Watch() as watch:
        cpu, wall, model = timed(train)
    asked, asked_wall, answer = timed(lambda: predict(model))
    y = data["y_test"]
    if int(data["classes"]) == 0:
        figure = float(numpy.sqrt(((answer - y) ** 2).mean()))
    elif answer.ndim == 1:
        figure = float(((answer > 0.5) != (y == 1)).mean())
    else:
        figure = float((answer.argmax(1) != y).mean())
    print(f"{cpu:.3f} {wall:.3f} {asked:.3f} {asked_wall:.3f} {watch.most:.1f} {figure:.6f} {version}")


main()
