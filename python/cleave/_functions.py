"""Functions for the commands of cleave: train, load, evaluate, cross_validate, tune, compare,
explain, plot, describe, crowd."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from . import _cleave, _inputs
from ._base import (
    Base,
    Forest,
    Kernel,
    Linear,
    Neighbors,
    Network,
    NotFittedError,
    OnlineClassifier,
    OnlineRegressor,
    Ratings,
    SingleTree,
    layers_of,
    named_columns,
)
from ._results import (
    Comparison,
    CrossValidation,
    Crowd,
    Evaluation,
    Description,
    Explanation,
    Plot,
    Tuning,
)
from ._runtime import finish, new_context, options_of, parameter_names

RATINGS = 256  # CLEAVE_TRAIT_RATINGS

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

    def _names(self) -> dict[str, str]:
        return {}

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"{type(self).__name__}({self.method!r}{options})"


class _Fitted(_Options, Linear, SingleTree, Forest, Kernel, Network, Neighbors):
    """Attributes of all methods. An attribute that the method lacks raises AttributeError."""


class MethodClassifier(_Fitted, OnlineClassifier):
    """A classification method with the options of the command: see ``cleave.train``."""

    _has_probabilities = True


class MethodRegressor(_Fitted, OnlineRegressor):
    """A regression method with the options of the command: see ``cleave.train``."""


class MethodRatings(_Options, Ratings):
    """A method for ratings with the options of the command: see ``cleave.train``."""


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
    """Trains a method with the options of the command, like ``cleave train METHOD DATA``.

    data: an array, sparse matrix, data frame, list of texts, or file name. Options are the flags of
    the command with '_' for '-' (``cleave help METHOD``).
    """
    info = _method(method)
    kind: type[_Options] = MethodClassifier if info["tasks"] & 3 else MethodRegressor
    if info["traits"] & RATINGS:
        kind = MethodRatings
    estimator = kind(method, n_jobs, verbose, **options)
    return estimator.fit(data, y, sample_weight=sample_weight)


def load(path: str | os.PathLike[str], n_jobs: int | None = None) -> Any:
    """Loads a model file and returns it as an estimator of its method."""
    return _loaded(_cleave.Model.load, path, n_jobs)


def import_model(path: str | os.PathLike[str], n_jobs: int | None = None) -> Any:
    """Reads a model file of LIBSVM or LIBLINEAR and returns it as an estimator."""
    return _loaded(_cleave.Model.import_model, path, n_jobs)


def _loaded(read: Any, path: str | os.PathLike[str], n_jobs: int | None) -> Any:
    context = new_context(n_jobs)
    with parameter_names():
        model = read(context, os.fspath(path))
    finish(context)
    kind = _estimator_class(model)
    estimator = kind(**{**kind._parameters_of(model.params), "n_jobs": n_jobs})
    estimator._set_model(model)
    if not model.columns and model.feature_names()[:1] in (["0"], ["1"]):  # numbered columns
        estimator.n_features_in_ = model.feature_count
    return estimator


def _estimator_class(model: _cleave.Model) -> Any:
    from . import estimators

    if model.method == "least-squares":
        return estimators.LinearRegression if float(model.params["ridge"]) == 0 else estimators.Ridge
    if model.method == "knn" and not model.labels:
        return estimators.NearestNeighbors
    return next(kind for kind in vars(estimators).values()
                if getattr(kind, "_method", None) == model.method)  # fmt: skip


# ---- data with labels


def _labels(y: Any, rows: int | None, regression: bool) -> tuple[Any, list[str] | None]:
    if y is None:
        return None, None
    y = _inputs.check_target(y, rows, "cleave")
    if regression:
        return np.ascontiguousarray(y, dtype=np.float64), None
    return _inputs.classes_of(y)[1:]


def _data(
    context: _cleave.Context,
    X: Any,
    y: Any,
    regression: bool,
    model: _cleave.Model | None = None,
    read: dict[str, Any] | None = None,
    groups: Any = None,
) -> _cleave.Data:
    """Labeled data; model: read for that model."""
    given = options_of(read or {})
    data = _inputs.read(X, allow_nan=True, table=model is not None and bool(model.columns))
    if groups is not None:
        if data.matrix is None:
            raise ValueError(
                "groups are supported for arrays and sparse matrices\nhint: name the column of a"
                " table with by_group"
            )
        groups = np.unique(_inputs.check_target(groups, data.rows, "cleave"), return_inverse=True)[1]
        groups = np.ascontiguousarray(groups, dtype=np.int64)
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
        return _inputs.table_data(context, data.table, labels, names, None, given, model)
    return _cleave.Data.from_matrix(context, data.matrix, labels, names, None, None, True, groups)


def _ours(estimator: Any) -> Base:
    """The estimator of this package; a class stands for its defaults."""
    if isinstance(estimator, type) and issubclass(estimator, Base):
        estimator = estimator()
    if not isinstance(estimator, Base):
        raise TypeError(
            f"expected an estimator of cleave, found {type(estimator).__name__}\nhint: for pipelines"
            " and estimators of scikit-learn use its functions, such as cross_val_score"
        )
    return estimator


def _what(
    estimator: Any, X: Any, options: dict[str, Any], defaults: bool = True
) -> tuple[str, bool, dict[str, Any]]:
    """Method, whether it is for regression, and its options; defaults: also parameters that have
    their default."""
    if isinstance(estimator, str):
        info = _method(estimator)
        return estimator, not info["tasks"] & 3, dict(options)
    ours = _ours(estimator)
    estimator = type(ours)(**ours.get_params())
    if getattr(X, "ndim", 0) == 2:
        estimator._remember_columns(_inputs.read(X, allow_nan=True))
    own = estimator._option_values()
    if not defaults and not isinstance(estimator, _Options):
        usual = type(estimator)()._option_values()
        own = {name: value for name, value in own.items() if usual.get(name) != value}
    return estimator._method, estimator._kind == "regressor", {**own, **options}


def _split(options: dict[str, Any], table: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of a table, and the others."""
    names = {param["name"] for param in tables()[table]}
    own = {name: value for name, value in options.items() if name in names}
    return own, {name: value for name, value in options.items() if name not in names}


@contextlib.contextmanager
def _call(context: _cleave.Context, estimator: Any = None) -> Iterator[None]:
    """A call of the library: its errors name parameters, and its messages are passed on."""
    with parameter_names(estimator._names() if isinstance(estimator, Base) else {}):
        yield
    finish(context)


def evaluate(estimator: Any, X: Any, y: Any = None, **options: Any) -> Evaluation:
    """Metrics of a fitted estimator on labeled data, with 95% confidence intervals.

    X: data, or a file with labels (then y is None). Options: ``abstain``, ``weighted``, ``clip``.
    """
    model = _ours(estimator).model_
    context = model.context
    with _call(context, estimator):
        data = _data(context, X, y, model.regression, model)
        facts = model.evaluate(data, options_of(options))
    if "confusion" in facts:
        side = len(model.labels) + 1
        facts["confusion"] = np.frombuffer(facts["confusion"]).reshape(side, side)
        facts["labels"] = model.labels
    return Evaluation(facts)


def cross_validate(
    estimator: Any, X: Any, y: Any = None, *, groups: Any = None, n_jobs: int | None = None,
    progress: bool = False, **options: Any,
) -> CrossValidation:  # fmt: skip
    """Cross-validates an estimator or a method, like ``cleave cv``.

    groups: group of each row; rows of a group are in the same fold. Options: ``folds``,
    ``repeats``, ``metric``, ... and those of the method.
    """
    method, regression, options = _what(estimator, X, options)
    read, rest = _split(options, "read")
    own, training = _split(rest, "cross_validate")
    context = new_context(n_jobs, progress)
    with _call(context, estimator):
        data = _data(context, X, y, regression, None, read, groups)
        own = _grouped(own, groups)
        facts = _cleave.cross_validate(context, method, data, options_of(own), options_of(training))
    return CrossValidation(facts)


def _grouped(options: dict[str, Any], groups: Any) -> dict[str, Any]:
    return options if groups is None else {**options, "by_group": "qid"}


def tune(
    estimator: Any, X: Any, y: Any = None, *, groups: Any = None, n_jobs: int | None = None,
    progress: bool = False, **options: Any,
) -> Tuning:  # fmt: skip
    """Searches for hyperparameters of an estimator or a method, like ``cleave tune``.

    Parameters of the estimator other than their defaults are kept. groups: group of each row; rows
    of a group are in the same fold. Options: ``candidates``, ``budget``, ``folds``, ``metric``, ...
    and those of the method, which are then not tuned.
    """
    method, regression, given = _what(estimator, X, options, defaults=False)
    read, rest = _split(given, "read")
    own, training = _split(rest, "tune")
    context = new_context(n_jobs, progress)
    with _call(context, estimator):
        data = _data(context, X, y, regression, None, read, groups)
        own = _grouped(own, groups)
        facts = _cleave.tune(context, method, data, options_of(own), options_of(training))
    found = {one["name"]: one["value"] for one in facts["candidates"][0]["settings"]}
    if isinstance(estimator, str):
        kind: Any = MethodRegressor if regression else MethodClassifier
        facts["best_params"] = _typed(method, found)
        facts["best_estimator"] = kind(method, **{**training, **facts["best_params"]})
    else:
        ours = _ours(estimator)
        facts["best_params"] = ours._parameters_of(found)
        facts["best_estimator"] = type(ours)(**{**ours.get_params(), **facts["best_params"]})
    return Tuning(facts)


def _typed(method: str, options: Mapping[str, str]) -> dict[str, Any]:
    """Options of a method as values of their types."""
    kinds: dict[str, Any] = {"real": float, "integer": int, "flag": lambda text: text == "true"}
    types = {param["name"]: param["type"] for param in _method(method)["params"]}
    return {n: kinds.get(types.get(n, ""), str)(text) for n, text in options.items()}


def compare(
    X: Any, y: Any = None, *, groups: Any = None, n_jobs: int | None = None, progress: bool = False,
    **options: Any,
) -> Comparison:  # fmt: skip
    """Compares every suitable method on the same folds, like ``cleave compare``.

    groups: group of each row; rows of a group are in the same fold. Options: ``budget``, ``folds``,
    ``methods``, ``metric``, ...
    """
    read, own = _split(options, "read")
    context = new_context(n_jobs, progress)
    if "task" in read:
        own["task"] = read["task"]
    regression = own.get("task") == "regression"
    if y is not None and "task" not in own:
        y = np.asarray(y)
        regression = y.dtype.kind == "f" and bool((y != np.floor(y)).any())
    with _call(context):
        data = _data(context, X, y, regression, None, read, groups)
        facts = _cleave.compare(context, data, options_of(_grouped(own, groups)))
    return Comparison(facts)


def describe(path: str | os.PathLike[str], **options: Any) -> Description:
    """Columns and labels of a file."""
    context = new_context()
    with _call(context):
        facts = _cleave.describe(context, [os.fspath(path)], options_of(options))
    return Description(facts)


def crowd(
    answers: Any, *, output: str | os.PathLike[str] | None = None, n_jobs: int | None = None,
    **options: Any,
) -> Crowd:  # fmt: skip
    """Estimates labels from the answers of many workers, like ``cleave crowd``.

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
        with _call(context):
            facts = _cleave.crowd(context, [path], options_of(read), options_of(own), target)
    finally:
        if file is not None:
            file.close()
    return Crowd(facts)


def explain(estimator: Any, X: Any = None, row: int = 0, top: int = 10) -> Explanation:
    """Explains a fitted estimator, or its prediction for one row of X (counted from 0).

    X: data, or one example as text (``"age=39,color=red"``, a document).
    """
    model = _ours(estimator).model_
    names = named_columns(estimator)
    if X is None:
        return Explanation(_explain_model(model, names, top))
    context = model.context
    with _call(context, estimator):
        if isinstance(X, str) and not os.path.exists(X):
            facts = model.explain(X)
        else:
            facts = model.explain(_rows(model, X), row + 1)
    for one in facts["contributions"]:
        one["name"] = names.get(one["name"], one["name"])
    return Explanation(facts)


def _rows(model: _cleave.Model, X: Any) -> _cleave.Data:
    """Rows for a model, without labels."""
    context = model.context
    data = _inputs.read(X, allow_nan=True, table=bool(model.columns))
    if data.paths is not None:
        return _cleave.Data.open(context, data.paths, {}, model, "predict")
    if data.texts is not None:
        return _cleave.Data.from_texts(context, data.texts, None, None, {}, model, False)
    if data.table is not None:
        return _inputs.table_data(context, data.table, None, None, None, {}, model)
    return _cleave.Data.from_matrix(context, data.matrix, None, None, None, None, True)


def _explain_model(model: _cleave.Model, known: dict[str, str], top: int) -> dict[str, Any]:
    names = [known.get(name, name) for name in model.feature_names()]
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
    """Draws a plot, like ``cleave plot KIND``: curve, size, roc, pr, confusion, regions, tree,
    importance, voronoi or rules. Requires cairo.

    estimator: a fitted estimator; the name of a method for ``curve`` and ``size``; None for
    ``voronoi`` and ``rules`` of data. format: ``svg``, ``png`` or ``pdf``.
    """
    own, training = _split(options, "plot")
    fitted = isinstance(estimator, Base) and estimator.__sklearn_is_fitted__()
    if not fitted and isinstance(estimator, Base) and kind not in ("curve", "size"):
        raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet.")
    if fitted:
        model = estimator.model_
        context = model.context
    else:
        context = new_context(n_jobs)
    with _call(context, estimator):
        if fitted:
            of = None if kind == "regions" else model
            data = None if X is None else _data(context, X, y, model.regression, of)
            drawn = _cleave.plot(context, kind, model, data, options_of(own), {}, format)
        else:
            method, regression = None, False
            if estimator is not None:
                method, regression, training = _what(estimator, X, training)
            data = _data(context, X, y, regression)
            drawn = _cleave.plot(
                context, kind, method, data, options_of(own), options_of(training), format
            )
    return Plot(kind, drawn, format)
