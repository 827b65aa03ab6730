"""The command's verbs as functions: train, load, evaluate, cross_validate, tune, compare, explain,
plot, describe, crowd."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _cleave, _inputs
from ._base import Base, Classifier, Linear, Regressor, Trees, layers_of
from ._results import (
    Comparison,
    CrossValidation,
    Crowd,
    Evaluation,
    Explanation,
    Plot,
    Result,
    Tuning,
)
from ._runtime import finish, new_context, options_of

_TABLES: dict[str, Any] = {}


def tables() -> dict[str, Any]:
    """Every method, transform and option, as the library describes them."""
    if not _TABLES:
        _TABLES.update(_cleave.tables())
    return _TABLES


def _method(name: str) -> dict[str, Any]:
    known: list[dict[str, Any]] = tables()["methods"]
    for info in known:
        if info["name"] == name:
            return info
    raise ValueError(
        f"unknown method {name!r}\nhint: the methods are " + ", ".join(m["name"] for m in known)
    )


class _Options(Base):
    """An estimator whose parameters are the options of the command, with '_' for '-'."""

    def __init__(self, method: str, n_jobs: int | None = None, verbose: int = 0, **options: Any):
        self._options = dict(options)
        self.method = method
        self.n_jobs = n_jobs
        self.verbose = verbose
        self._method = method  # type: ignore[misc]
        self._reading = frozenset(p["name"] for p in tables()["read"])  # type: ignore[misc]
        self._nan = True  # type: ignore[misc]

    def _option_values(self) -> dict[str, Any]:
        return self._options

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"method": self.method, "n_jobs": self.n_jobs, "verbose": self.verbose,
                **self._options}  # fmt: skip

    def set_params(self, **params: Any) -> Any:
        self.__init__(**{**self.get_params(), **params})  # type: ignore[misc]
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.method!r})"


class MethodClassifier(_Options, Linear, Trees, Classifier):
    """A classification method with the options of the command: see ``cleave.train``."""

    _has_probabilities = True


class MethodRegressor(_Options, Linear, Trees, Regressor):
    """A regression method with the options of the command: see ``cleave.train``."""


def train(
    method: str,
    data: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    **options: Any,
) -> Any:
    """Trains a method with the options of the command, as ``cleave train METHOD DATA``.

    data: an array, sparse matrix, data frame, list of texts, or file name. Options are the flags of
    the command with '_' for '-' (``cleave help METHOD``).
    """
    regression = not _method(method)["tasks"] & 3
    kind = MethodRegressor if regression else MethodClassifier
    estimator = kind(method, n_jobs, verbose, **options)
    return estimator.fit(data, y, sample_weight=sample_weight)


def load(path: str | os.PathLike[str], n_jobs: int | None = None) -> Any:
    """Loads a model file of the command or of ``save``."""
    context = new_context(n_jobs)
    return _estimator_of(_cleave.Model.load(context, os.fspath(path)), context, n_jobs)


def import_model(path: str | os.PathLike[str], n_jobs: int | None = None) -> Any:
    """Reads a model file of LIBSVM or LIBLINEAR."""
    context = new_context(n_jobs)
    return _estimator_of(_cleave.Model.import_model(context, os.fspath(path)), context, n_jobs)


def _estimator_of(model: _cleave.Model, context: _cleave.Context, n_jobs: int | None) -> Any:
    finish(context)
    kind = MethodRegressor if model.regression else MethodClassifier
    estimator = kind(model.method, n_jobs)
    estimator._set_model(model)
    return estimator


# ---- data with labels


def _labels(y: Any, rows: int | None, regression: bool) -> tuple[Any, list[str] | None]:
    if y is None:
        return None, None
    y = _inputs.check_target(y, rows, "cleave")
    if regression:
        return np.ascontiguousarray(y, dtype=np.float64), None
    if y.dtype.kind in "iu":
        return np.ascontiguousarray(y, dtype=np.int64), None
    classes, numbers = _inputs.classes_of(y)
    return numbers, [_inputs.label_text(label) for label in classes.tolist()]


def _data(
    context: _cleave.Context,
    X: Any,
    y: Any,
    regression: bool,
    model: _cleave.Model | None = None,
    read: dict[str, Any] | None = None,
) -> _cleave.Data:
    """Labeled data; model: read for that model."""
    given = options_of(read or {})
    data = _inputs.read(X, allow_nan=True)
    if data.paths is not None:
        return _cleave.Data.open(context, data.paths, given, model, "predict")
    if y is None:
        raise ValueError("y is needed for data in memory")
    labels, names = _labels(y, data.rows, regression)
    if data.texts is not None:
        if regression:
            raise ValueError("texts with targets are not supported")
        if names is None:
            kinds, labels = np.unique(labels, return_inverse=True)
            names = [str(kind) for kind in kinds]
        return _cleave.Data.from_texts(context, data.texts, labels, names, given, model, False)
    if data.table is not None:
        return _inputs.table_data(context, data.table, labels, names, None, given, model
        )
    return _cleave.Data.from_matrix(context, data.matrix, labels, names, None, None, True)


def _what(estimator: Any, X: Any, options: dict[str, Any]) -> tuple[str, bool, dict[str, Any]]:
    """Method, whether it is for regression, and its training options."""
    if isinstance(estimator, str):
        info = _method(estimator)
        return estimator, not info["tasks"] & 3, dict(options)
    if isinstance(estimator, type):
        estimator = estimator()
    if not hasattr(estimator, "n_features_in_") and getattr(X, "ndim", 0) == 2:
        estimator.n_features_in_ = X.shape[1]
    return (
        estimator._method,
        estimator._kind == "regressor",
        {**estimator._option_values(), **options},
    )


def _split(options: dict[str, Any], table: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of a table, and the others."""
    names = {param["name"] for param in tables()[table]}
    own = {name: value for name, value in options.items() if name in names}
    return own, {name: value for name, value in options.items() if name not in names}


def evaluate(estimator: Any, X: Any, y: Any = None, **options: Any) -> Evaluation:
    """Metrics of a fitted estimator on labeled data, with 95% confidence intervals."""
    model = estimator.model_
    context = model.context
    data = _data(context, X, y, model.regression, model)
    facts = model.evaluate(data, options_of(options))
    finish(context)
    if "confusion" in facts:
        side = len(model.labels) + 1
        facts["confusion"] = np.frombuffer(facts["confusion"]).reshape(side, side)
        facts["labels"] = model.labels
    return Evaluation(facts)


def cross_validate(
    estimator: Any, X: Any, y: Any = None, *, n_jobs: int | None = None, progress: bool = False,
    **options: Any,
) -> CrossValidation:  # fmt: skip
    """Cross-validation of an estimator or a method, as ``cleave cv``.

    Options: ``folds``, ``repeats``, ``metric``, ... and those of the method.
    """
    read, rest = _split(options, "read")
    own, training = _split(rest, "cross_validate")
    method, regression, training = _what(estimator, X, training)
    context = new_context(n_jobs, progress)
    data = _data(context, X, y, regression, None, read)
    facts = _cleave.cross_validate(context, method, data, options_of(own), options_of(training))
    finish(context)
    return CrossValidation(facts)


def tune(
    estimator: Any, X: Any, y: Any = None, *, n_jobs: int | None = None, progress: bool = False,
    **options: Any,
) -> Tuning:  # fmt: skip
    """Searches hyperparameters of an estimator or a method, as ``cleave tune``.

    Options: ``candidates``, ``budget``, ``folds``, ``metric``, ... and those of the method, which are
    then not tuned.
    """
    read, rest = _split(options, "read")
    own, training = _split(rest, "tune")
    method, regression, _ = _what(estimator, X, {})
    context = new_context(n_jobs, progress)
    data = _data(context, X, y, regression, None, read)
    facts = _cleave.tune(context, method, data, options_of(own), options_of(training))
    finish(context)
    return Tuning(facts)


def compare(
    X: Any, y: Any = None, *, n_jobs: int | None = None, progress: bool = False, **options: Any
) -> Comparison:
    """Compares every suitable method on the same folds, as ``cleave compare``.

    Options: ``budget``, ``folds``, ``methods``, ``metric``, ...
    """
    read, own = _split(options, "read")
    context = new_context(n_jobs, progress)
    if "task" in read:
        own["task"] = read["task"]
    regression = own.get("task") == "regression"
    if y is not None and "task" not in own:
        y = np.asarray(y)
        regression = y.dtype.kind == "f" and bool((y != np.floor(y)).any())
    data = _data(context, X, y, regression, None, read)
    facts = _cleave.compare(context, data, options_of(own))
    finish(context)
    return Comparison(facts)


def describe(path: str | os.PathLike[str], **options: Any) -> Result:
    """Columns and labels of a file."""
    context = new_context()
    facts = _cleave.describe(context, [os.fspath(path)], options_of(options))
    finish(context)
    return Result(facts)


def crowd(
    answers: Any, *, output: str | os.PathLike[str] | None = None, n_jobs: int | None = None,
    **options: Any,
) -> Crowd:  # fmt: skip
    """Estimates labels from the answers of many workers, as ``cleave crowd``.

    answers: a file, or a data frame of pandas, Polars or pyarrow, with a row per answer: task,
    worker, label. output: file for the labels as weighted training data. Options: ``method``,
    ``truth``, ``join``, ``task_column``, ``label``, ...
    """
    read, own = _split(options, "read")
    context = new_context(n_jobs)
    file = None
    if isinstance(answers, (str, os.PathLike)):
        path = os.fspath(answers)
    else:
        path, file = _inputs.csv_of(answers)
        read = {"format": "csv", "header": "yes", **read}
    target = None if output is None else os.fspath(output)
    try:
        facts = _cleave.crowd(context, [path], options_of(read), options_of(own), target)
    finally:
        if file is not None:
            file.close()
    finish(context)
    return Crowd(facts)


def explain(estimator: Any, X: Any = None, row: int = 0, top: int = 10) -> Explanation:
    """Explains a fitted estimator, or its prediction for one row of X (counted from 0).

    X: data, or one example as text (``"age=39,color=red"``, a document).
    """
    model = estimator.model_
    if X is None:
        return Explanation(_explain_model(model, top))
    if isinstance(X, str) and not os.path.exists(X):
        return Explanation(model.explain(X))
    context = model.context
    data = _inputs.read(X, allow_nan=True)
    if data.paths is not None:
        rows = _cleave.Data.open(context, data.paths, {}, model, "predict")
    elif data.texts is not None:
        rows = _cleave.Data.from_texts(context, data.texts, None, None, {}, model, False)
    elif data.table is not None:
        rows = _inputs.table_data(context, data.table, None, None, None, {}, model
        )
    else:
        rows = _cleave.Data.from_matrix(context, data.matrix, None, None, None, None, True)
    return Explanation(model.explain(rows, row + 1))


def _explain_model(model: _cleave.Model, top: int) -> dict[str, Any]:
    names = model.feature_names()
    facts: dict[str, Any] = {"method": model.method, "labels": model.labels}
    weights = model.weights()
    if weights is not None:
        outputs, values, _ = weights
        table = np.frombuffer(values).reshape(outputs, -1)
        labels = [model.positive or ""] if outputs == 1 else model.labels
        facts["of"] = "weight"
        facts["features"] = [
            (names[column], labels[output], float(table[output, column]))
            for output in range(outputs)
            for column in np.argsort(-np.abs(table[output]))[:top]
        ]
        return facts
    layers = layers_of(model)
    if layers is not None:
        first = layers[0][0]
        order = np.argsort(-np.abs(first), axis=None)
        facts["of"] = "weight"
        facts["features"] = [
            (names[column], f"unit {unit + 1}", float(first[column, unit]))
            for column, unit in zip(*np.unravel_index(order[:top], first.shape))
        ]
        return facts
    found = model.importances()
    if found is not None:
        gain = np.nan_to_num(np.frombuffer(found[0]))
        facts["of"] = "importance"
        facts["features"] = [
            (names[column], "", float(gain[column])) for column in np.argsort(-gain)[:top]
        ]
    return facts


def plot(
    kind: str, estimator: Any = None, X: Any = None, y: Any = None, *, format: str = "svg",
    n_jobs: int | None = None, **options: Any,
) -> Plot:  # fmt: skip
    """Draws a plot, as ``cleave plot KIND``: curve, size, roc, pr, confusion, regions, tree,
    importance, voronoi or rules. Needs cairo on the machine.

    estimator: a fitted estimator; the name of a method for ``curve`` and ``size``.
    """
    own, training = _split(options, "plot")
    if hasattr(estimator, "_fitted") and estimator.__sklearn_is_fitted__():
        model = estimator.model_
        context = model.context
        raw = kind == "regions"
        data = None if X is None else _data(context, X, y, model.regression, None if raw else model)
        drawn = _cleave.plot(context, kind, model, data, options_of(own), {}, format)
    else:
        context = new_context(n_jobs)
        method, regression = None, False
        if estimator is not None:
            method, regression, training = _what(estimator, X, training)
        data = _data(context, X, y, regression)
        drawn = _cleave.plot(
            context, kind, method, data, options_of(own), options_of(training), format
        )
    finish(context)
    return Plot(drawn, format)

