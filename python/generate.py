"""generate.py EXTENSION OUTPUT: writes the estimators' classes from the library's tables.

One truth: names, defaults and documentation of parameters come from the tables of methods. Below is
what the tables do not say: which estimator has which method, and where scikit-learn has another
name for a parameter or a value.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import textwrap
from typing import Any, NamedTuple

# scikit-learn's names of options.
NAMES = {
    "max_leaves": "max_leaf_nodes",
    "min_leaf_rows": "min_samples_leaf",
    "min_gain": "min_impurity_decrease",
    "l2": "l2_regularization",
    "monotone": "monotonic_cst",
    "no_intercept": "fit_intercept",
    "tolerance": "tol",
    "cache_mb": "cache_size",
    "k": "n_neighbors",
    "distance": "metric",
    "r": "p",
    "weight": "weights",
    "index": "algorithm",
    "leaf": "leaf_size",
    "ridge": "alpha",
    "lambda": "alpha",
    "ngrams": "ngram_range",
    "chars": "char_ngram_range",
    "keep_case": "lowercase",
    "hidden": "hidden_layer_sizes",
}
# scikit-learn's names of values.
VALUES = {
    "metric": {
        "minkowski": "lr",
        "l1": "manhattan",
        "l2": "euclidean",
        "cityblock": "manhattan",
        "chebyshev": "maximum",
    },
    "weights": {"uniform": "none", "distance": "1/d"},
    "algorithm": {"brute": "scan", "kd_tree": "kdtree"},
    "kernel": {"rbf": "gaussian", "poly": "polynomial"},
    "criterion": {"log_loss": "entropy"},
    "loss": {
        "squared_hinge": "squared-hinge",
        "epsilon_insensitive": "epsilon",
        "squared_epsilon_insensitive": "squared-epsilon",
        "squared_error": "squared",
        "log_loss": "log",
    },
    "gamma": {"scale": "0"},
    "activation": {"logistic": "sigmoid"},
    "learning_rate": {"constant": "fixed", "invscaling": "inverse"},
}
SKIPPED = {"average", "all", "shard", "keep_unlabeled"}
# Parameters whose 0 means a choice by the library: None here.
CHOSEN = {
    "max_depth", "max_leaves", "max_features", "lambda", "learning_rate", "t0", "sigma",
    "promotion", "demotion", "k", "leaf", "fanout", "parts", "bits", "recall", "radii",
    "max_points", "max_leaf_value", "ccp_alpha", "hash_bits", "batch_size",
}  # fmt: skip


class Estimator(NamedTuple):
    name: str
    method: str
    bases: tuple[str, ...]
    names: dict[str, str] = {}  # of options of this estimator alone
    only: tuple[str, ...] = ()  # options; none: all
    without: tuple[str, ...] = ()
    defaults: dict[str, Any] = {}
    reading: tuple[str, ...] = ()  # options of reading text
    native_probabilities: bool = False
    brief: str = ""


BOOST = {"row_fraction": "subsample", "column_fraction": "max_features"}
FOREST = {"row_fraction": "max_samples"}
NETWORK = {"learning_rate": "learning_rate_init", "schedule": "learning_rate", "l2": "alpha"}
TEXT = ("ngrams", "chars", "stop_words", "stem", "keep_case", "hash_bits")
ESTIMATORS = [
    Estimator("LinearSVC", "svm", ("Linear", "OnlineClassifier")),
    Estimator("LogisticRegression", "logistic", ("Linear", "OnlineClassifier"), without=("loss",),
              native_probabilities=True),
    Estimator("Perceptron", "perceptron", ("Linear", "OnlineClassifier"),
              names={"learning_rate": "eta0", "learn_threshold": "fit_intercept"}),
    Estimator("Winnow", "winnow", ("Linear", "OnlineClassifier")),
    Estimator("LMS", "lms", ("Linear", "OnlineRegressor"), names={"learning_rate": "eta0"}),
    Estimator("LinearRegression", "least-squares", ("Linear", "Regressor"), without=("ridge",)),
    Estimator("Ridge", "least-squares", ("Linear", "Regressor"), defaults={"ridge": 1.0}),
    Estimator("LinearSVR", "svr", ("Linear", "OnlineRegressor"), without=("multiclass",)),
    Estimator("KernelSVC", "kernel-svm", ("Kernel", "Classifier")),
    Estimator("KernelPerceptron", "kernel-perceptron", ("Kernel", "Classifier"),
              names={"learn_threshold": "fit_intercept"}),
    Estimator("KNeighborsClassifier", "knn", ("NeighborsClassifier",), native_probabilities=True),
    Estimator("KNeighborsRegressor", "knn-regression", ("NeighborsRegressor",)),
    Estimator("NearestNeighbors", "knn", ("Index",), without=("weight", "sigma", "vote")),
    Estimator("DecisionTreeClassifier", "tree", ("SingleTree", "Classifier"), native_probabilities=True),
    Estimator("DecisionTreeRegressor", "tree-regression", ("SingleTree", "Regressor")),
    Estimator("RandomForestClassifier", "forest", ("Forest", "Classifier"), names=FOREST,
              native_probabilities=True),
    Estimator("RandomForestRegressor", "forest-regression", ("Forest", "Regressor"), names=FOREST),
    Estimator("GradientBoostingClassifier", "boost", ("Trees", "Classifier"), names=BOOST,
              native_probabilities=True),
    Estimator("GradientBoostingRegressor", "boost-regression", ("Trees", "Regressor"), names=BOOST),
    Estimator("MLPClassifier", "mlp", ("Network", "Classifier"), names=NETWORK,
              native_probabilities=True),
    Estimator("MLPRegressor", "mlp-regression", ("Network", "Regressor"), names=NETWORK),
    Estimator("MatrixFactorization", "uv", ("Ratings",), names={"rank": "n_factors", "lambda": "regularization"}),
    Estimator("TextClassifier", "svm", ("Linear", "Classifier"), reading=TEXT,
              only=("C", "loss", "tolerance"),
              brief="Linear support vector machine on the TF-IDF weights of words."),
]  # fmt: skip


class Parameter(NamedTuple):
    name: str
    default: Any
    annotation: str
    help: str
    option: str = ""  # empty: not an option of its own
    kind: str = ""
    values: dict[str, str] = {}


def sentence(text: str, chosen: bool, names: dict[str, str] = NAMES) -> str:
    """Help of the command with names of parameters for flags."""

    def named(flag: re.Match[str]) -> str:
        option = flag[1].replace("-", "_")
        return names.get(option, option)

    text = re.sub(r"--([a-zA-Z0-9-]+)", named, " ".join(text.split()))
    if chosen:
        text = re.sub(r"\(0: ", "(None: ", text)
        text = re.sub(r"; 0 (chooses|uses)", r"; None \1", text)
        text = re.sub(r" 0: ", " None: ", text)
    return text


def parameter(param: dict[str, Any], estimator: Estimator) -> Parameter:
    option, kind = param["name"], param["type"]
    name = estimator.names.get(option, NAMES.get(option, option))
    default = estimator.defaults.get(option, param["default"])
    known = set(param["values"])
    values = {ours: theirs for ours, theirs in VALUES.get(name, {}).items()
              if kind != "name" or theirs in known}  # fmt: skip
    chosen = (option in CHOSEN or option == "tolerance") and default == 0
    annotation = {"real": "float", "integer": "int", "flag": "bool"}.get(kind, "str")
    help_text = sentence(param["help"], chosen, {**NAMES, **estimator.names})
    if option in ("no_intercept", "keep_case"):
        kind, default, annotation = "not", True, "bool"
        help_text = {"no_intercept": "Fit an intercept.", "keep_case": "Fold case."}[option]
    if option == "learn_threshold" and estimator.names.get(option):
        default, help_text = True, "Fit an intercept. False: the intercept is 0."
    if option in ("ngrams", "chars"):
        kind, annotation = "range", "tuple[int, int] | None"
        help_text = re.sub(r",? e\.g\. [^.()]*", "", help_text).replace("  ", " ")
    if option == "hidden":
        kind, annotation = "list", "Any"
        default = tuple(int(units) for units in default.split(","))
        help_text = "Units of each hidden layer: a number or a sequence of numbers."
    if option == "monotone":
        annotation = "Any"
        default = None
        help_text = (
            "Monotone constraints: one sign per feature (1: increasing, -1: decreasing, 0:"
            " neither), or a dict of names and signs."
        )
    if option == "gamma" and default == 0:
        default, annotation = "scale", "float | str"
    elif option == "max_features" and kind == "integer":
        annotation = "int | float | str"
    if chosen:
        default = None
    if default is None and "None" not in annotation and annotation != "Any":
        annotation += " | None"
    for theirs, ours in values.items():
        if ours == default and name in ("kernel", "loss"):
            default = theirs
            break
    if kind == "name":
        shown = sorted(known | set(values))
        help_text += " One of " + ", ".join(repr(value) for value in shown) + "."
    return Parameter(name, default, annotation, help_text, option, kind, values)


def common(estimator: Estimator, info: dict[str, Any], train: dict[str, Any]) -> list[Parameter]:
    limits = info["limits"]
    classifier = any("Classifier" in base for base in estimator.bases)
    made = []
    for limit in ("trees", "rounds"):
        if limit in limits:
            made.append(Parameter("n_estimators", 100, "int", train[limit]["help"].split("\n")[0],
                                  limit, "integer"))  # fmt: skip
    if {"epochs", "max_iterations"} & set(limits):
        made.append(Parameter("max_iter", None, "int | None",
                              "Maximum number of epochs or iterations."
                              " None: the method's default."))  # fmt: skip
    if classifier:
        made.append(Parameter("class_weight", None, "Any",
                              "Class weights: a dict, or 'balanced'."))  # fmt: skip
        if not estimator.native_probabilities and estimator.method != "winnow":
            made.append(Parameter("probability", False, "bool",
                                  sentence(train["calibrate"]["help"], False)
                                  + " Enables predict_proba.", "calibrate", "flag"))  # fmt: skip
    if {"epochs", "rounds"} & set(limits) and estimator.method != "kernel-perceptron":
        made += [
            Parameter("early_stopping", False, "bool",
                      "Stop when the error on held-out rows no longer improves."),
            Parameter("validation_fraction", 0.1, "float",
                      sentence(train["validation_fraction"]["help"].split("\n")[0], False)),
            Parameter("n_iter_no_change", 10, "int",
                      "Epochs or boosting rounds without improvement before early stopping."),
        ]  # fmt: skip
    if limits:
        made.append(Parameter("warm_start", False, "bool",
                              "Continue from the fitted model in the next call of fit."
                              + (" n_estimators counts all trees or rounds."
                                 if {"trees", "rounds"} & set(limits) else "")))
    made += [
        Parameter("transforms", None, "str | None", sentence(train["transform"]["help"], False)),
        Parameter("random_state", None, "Any", "Seed of all random choices. None: 1."),
        Parameter("n_jobs", None, "int | None",
                  "Number of threads. None or -1: one per core. The model does not depend on it."),
        Parameter("verbose", 0, "int", "If not 0, show progress with tqdm."),
    ]  # fmt: skip
    return made


def write_class(estimator: Estimator, tables: dict[str, Any]) -> str:
    info = next(m for m in tables["methods"] if m["name"] == estimator.method)
    train = {param["name"]: param for param in tables["train"]}
    chosen = [
        parameter(param, estimator)
        for param in info["params"]
        if param["name"] not in SKIPPED
        and param["name"] not in estimator.without
        and (not estimator.only or param["name"] in estimator.only)
    ]
    chosen += [parameter(p, estimator) for p in tables["read"] if p["name"] in estimator.reading]
    everything = chosen + common(estimator, info, train)
    lines = [f"class {estimator.name}({', '.join(estimator.bases)}):"]
    about = [estimator.brief or info["brief"], "", f"Objective: {info['objective']}.",
             f"Reference: {info['reference']}.", "", "Parameters", "----------"]  # fmt: skip
    for p in everything:
        about.append(f"{p.name} : {p.annotation}, default {p.default!r}")
        about.append("    " + p.help)
    text: list[str] = []
    for line in about:
        indent = "    " if line.startswith("    ") else ""
        text += textwrap.wrap(line.strip(), 92 - len(indent), initial_indent=indent,
                              subsequent_indent=indent) or [""]  # fmt: skip
    lines.append(textwrap.indent('"""' + "\n".join(text) + '\n"""', "    "))
    mapped = [(p.name, p.option, p.kind, p.values) for p in everything if p.option]
    lines.append(f"    _method = {estimator.method!r}")
    lines.append(f"    _limits = {tuple(info['limits'])!r}")
    if estimator.native_probabilities:
        lines.append("    _has_probabilities = True")
    if estimator.reading:
        lines.append(f"    _reading = frozenset({estimator.reading!r})")
    lines.append("    _mapped = (")
    lines += [f"        {entry!r}," for entry in mapped]
    lines += ["    )", "", "    def __init__(", "        self,", "        *,"]
    lines += [f"        {p.name}: {p.annotation} = {p.default!r}," for p in everything]
    lines.append("    ) -> None:")
    lines += [f"        self.{p.name} = {p.name}" for p in everything]
    return "\n".join(lines) + "\n"


def main(extension: str, output: str) -> None:
    spec = importlib.util.spec_from_file_location("_cleave", extension)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tables = module.tables()
    names = sorted(e.name for e in ESTIMATORS)
    bases = sorted({base for e in ESTIMATORS for base in e.bases})
    text = '"""Estimators, generated from the library\'s tables of methods by generate.py."""\n\n'
    text += "from __future__ import annotations\n\nfrom typing import Any\n\n"
    text += f"from ._base import {', '.join(bases)}\n\n"
    text += f"__all__ = {names!r}\n\n\n"
    text += "\n\n".join(write_class(estimator, tables) for estimator in ESTIMATORS)
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
