"""Common code of the estimators: parameters, fitting, prediction, fitted attributes, pickles.

The classes of ``estimators.py`` are generated from the library's tables of methods. Each class
names its method and maps its parameters to options. This module contains everything else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _cleave, _inputs
from ._runtime import finish, new_context, options_of, parameter_names, warn

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = [
    "Base", "Classifier", "Forest", "Index", "Kernel", "Linear", "Neighbors",
    "NeighborsClassifier", "NeighborsRegressor", "Network", "NotFittedError", "OnlineClassifier",
    "OnlineRegressor", "Ratings", "Regressor", "SingleTree", "SklearnBase", "Streams", "Trees", "layers_of",
    "named_columns", "range_of", "seed_of",
]  # fmt: skip

try:
    from sklearn.base import BaseEstimator as SklearnBase
    from sklearn.exceptions import NotFittedError
except ImportError:

    class SklearnBase:  # type: ignore[no-redef]
        """Parameters as scikit-learn has them."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            import inspect

            return sorted(n for n in inspect.signature(cls.__init__).parameters if n != "self")

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            known = self._get_param_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(
                        f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are:"
                        f" {known!r}."
                    )
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            import inspect

            defaults = inspect.signature(type(self).__init__).parameters
            shown = [
                f"{name}={value!r}"
                for name, value in self.get_params().items()
                if repr(defaults[name].default) != repr(value)
            ]
            return f"{type(self).__name__}({', '.join(shown)})"

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The estimator is not fitted."""


class available_if:
    """Decorator for a method that exists only if a check of the estimator passes."""

    def __init__(self, check: Any) -> None:
        self._check = check

    def __call__(self, function: Any) -> available_if:
        self._function = function
        self.__doc__ = function.__doc__
        return self

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is not None:
            why = self._check(instance)
            if why is not None:
                raise AttributeError(
                    f"This {owner.__name__!r} has no attribute {self._name!r}: {why}"
                )
            return self._function.__get__(instance, owner)
        return self._function


def range_of(name: str, value: Any) -> tuple[int, int]:
    """A range of n-grams."""
    try:
        low, high = (int(bound) for bound in value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected two numbers such as (1, 2), found {value!r}") from None
    return low, high


def seed_of(random_state: Any) -> int:
    """A seed of the library: random_state, or 1."""
    if random_state is None:
        return 1
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31 - 1))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    if not isinstance(random_state, (int, np.integer)):
        raise ValueError(
            f"random_state: expected None, an integer or a NumPy generator, found {random_state!r}"
        )
    return int(random_state)


class Base(SklearnBase):  # type: ignore[misc]
    """An estimator over one method of the library."""

    _method: ClassVar[str]
    # Parameter, option, kind of conversion, and values that the library names differently.
    _mapped: ClassVar[tuple[tuple[str, str, str, dict[Any, str]], ...]] = ()
    _kind: ClassVar[str]  # "classifier" or "regressor"
    _nan: ClassVar[bool] = False  # missing values in arrays are features of the method
    _reading: ClassVar[frozenset[str]] = frozenset()  # options of reading text

    _model: _cleave.Model
    n_features_in_: int

    # ---- parameters

    def _option_values(self) -> dict[str, Any]:
        """Options of training, from the parameters."""
        options: dict[str, Any] = {}
        for name, option, kind, values in self._mapped:
            value = getattr(self, name)
            if value is None:
                continue
            if kind == "not":
                if not value:
                    options[option] = True
                continue
            if isinstance(value, str):
                if kind in ("real", "integer") and value not in values:
                    value = self._named_number(name, value)
                value = values.get(value, value)
            elif kind == "flag":
                if not value:
                    continue
                value = True
            elif kind == "integer" and not isinstance(value, bool):
                value = self._whole(name, value)
            elif kind == "list":
                value = ",".join(str(self._whole(name, item)) for item in np.atleast_1d(value))
            elif kind == "range":
                low, high = range_of(name, value)
                value = str(low) if low == high else f"{low}-{high}"
            options[option] = value
        self._add_common(options)
        return options

    @classmethod
    def _parameters_of(cls, options: Mapping[str, str]) -> dict[str, Any]:
        """Parameters that stand for options of the library as text, without the defaults."""
        import inspect

        defaults = inspect.signature(cls.__init__).parameters
        found: dict[str, Any] = {}
        for name, option, kind, values in cls._mapped:
            if option in options:
                found[name] = _parameter_of(
                    options[option], kind, values, defaults[name].default
                )
        limit = next((options[limit] for limit in cls._limits if limit in options), None)
        if limit is not None and "max_iter" in defaults:
            found["max_iter"] = int(limit)
        for name, option in (("random_state", "seed"), ("transforms", "transform")):
            if options.get(option, "auto") not in ("auto", "1") and name in defaults:
                found[name] = int(options[option]) if option == "seed" else options[option]
        for name, option in (("class_weight", "class_weight"), ("monotonic_cst", "monotone")):
            if options.get(option) and name in defaults:
                found[name] = _numbers_of(options[option])
        return {n: value for n, value in found.items() if value != defaults[n].default}

    def _names(self) -> dict[str, str]:
        """Parameters by their options."""
        return {
            "seed": "random_state", "transform": "transforms", "threads": "n_jobs",
            "patience": "n_iter_no_change", "monotone": "monotonic_cst",
            **{limit: "max_iter" for limit in self._limits},
            **{option: name for name, option, _, _ in self._mapped},
        }  # fmt: skip

    def _whole(self, name: str, value: Any) -> Any:
        if isinstance(value, (float, np.floating)):
            if name == "max_features" and value <= 1:
                return max(1, int(value * self.n_features_in_))
            if not float(value).is_integer():
                raise ValueError(f"{name}: expected an integer, found {value!r}")
        return int(value)

    def _named_number(self, name: str, value: str) -> Any:
        columns = getattr(self, "n_features_in_", 1)
        if name == "max_features" and value == "sqrt":
            return max(1, int(np.sqrt(columns)))
        if name == "max_features" and value == "log2":
            return max(1, int(np.log2(columns)))
        raise ValueError(f"{name}: unknown value {value!r}")

    def _add_common(self, options: dict[str, Any]) -> None:
        max_iter = getattr(self, "max_iter", None)
        if max_iter is not None and max_iter != -1:
            if max_iter < 1:
                raise ValueError(
                    "max_iter: expected at least 1, or None for the method's default, found"
                    f" {max_iter}"
                )
            stochastic_solvers = ("sgd", "asgd", "pegasos", "adaptive", "ftrl")
            stochastic = getattr(self, "solver", None) in stochastic_solvers
            for limit in self._limits:
                if limit == "max_iterations" and stochastic or limit == "epochs" and (
                    not stochastic and "max_iterations" in self._limits
                ):
                    continue
                options[limit] = int(max_iter)
        if getattr(self, "early_stopping", False):
            options["validation_fraction"] = self.validation_fraction
            options["patience"] = int(self.n_iter_no_change)
        class_weight = getattr(self, "class_weight", None)
        if isinstance(class_weight, dict):
            options["class_weight"] = {
                _inputs.label_text(label): weight for label, weight in class_weight.items()
            }
        elif class_weight is not None:
            options["class_weight"] = class_weight
        monotonic = getattr(self, "monotonic_cst", None)
        if monotonic is not None:
            options["monotone"] = self._monotone(monotonic)
        if hasattr(self, "random_state"):
            options["seed"] = seed_of(self.random_state)
        if getattr(self, "transforms", None) is not None:
            options["transform"] = self.transforms

    def _monotone(self, monotonic: Any) -> dict[str, float]:
        names = list(getattr(self, "feature_names_in_", ()))
        if isinstance(monotonic, dict):
            known = {} if self._is_table else {name: str(i) for i, name in enumerate(names)}
            return {known.get(name, str(name)): float(sign) for name, sign in monotonic.items()}
        signs = [float(sign) for sign in monotonic]
        columns = getattr(self, "n_features_in_", None)
        if columns is None:
            raise ValueError("monotonic_cst: give a dict of column names and signs for a file")
        if len(signs) != columns:
            raise ValueError(
                f"monotonic_cst has {len(signs)} values, but the data has {columns} features"
            )
        return {
            names[i] if self._is_table else str(i): sign for i, sign in enumerate(signs) if sign
        }

    _limits: ClassVar[tuple[str, ...]] = ()

    # ---- data

    _is_table = False  # fitted to a table, whose columns are matched by name

    def _read(self, X: Any, *, reset: bool) -> _inputs.Input:
        allow_nan = self._nan or getattr(self, "transforms", None) is not None
        data = _inputs.read(
            X, allow_nan=allow_nan, who=type(self).__name__, table=self._is_table and not reset
        )
        if reset:
            self._remember_columns(data)
        else:
            self._check_columns(data)
        return data

    def _remember_columns(self, data: _inputs.Input) -> None:
        for name in ("feature_names_in_", "n_features_in_"):
            self.__dict__.pop(name, None)
        self._is_table = data.table is not None
        if data.matrix is not None:
            self.n_features_in_ = data.columns or 0
        if data.names is not None:
            self.feature_names_in_ = np.asarray(data.names, dtype=object)
            self.n_features_in_ = len(data.names)

    def _check_columns(self, data: _inputs.Input) -> None:
        who = type(self).__name__
        known = getattr(self, "feature_names_in_", None)
        if data.table is not None:
            return  # columns of a table are matched by name
        if known is not None and data.names is not None and list(known) != data.names:
            raise ValueError(_name_mismatch(list(known), data.names))
        columns = data.columns
        expected = getattr(self, "n_features_in_", columns)
        if columns is not None and columns != expected:
            raise ValueError(
                f"X has {columns} features, but {who} is expecting {expected} features as input."
            )

    def _labels(self, y: Any, rows: int | None) -> tuple[Any, list[str] | None]:
        """y in the form of the extension: class numbers, and the class names."""
        raise NotImplementedError

    def _data(
        self, context: _cleave.Context, data: _inputs.Input, y: Any, sample_weight: Any
    ) -> _cleave.Data:
        if data.paths is not None:
            if sample_weight is not None or not (y is None or isinstance(y, str)):
                raise ValueError(
                    f"{data.paths[0]!r} is a file name, and files contain their labels and"
                    " weights\nhint: y is None or the name of the label column; pass texts as a list"
                )
            options = {**self._read_options(), **({} if y is None else {"label": y})}
            return _cleave.Data.open(context, data.paths, options, None, "new")
        labels, names = self._labels(y, data.rows)
        if data.texts is not None:
            if sample_weight is not None:
                raise ValueError("texts cannot have sample weights\nhint: use class_weight")
            if isinstance(labels, np.ndarray) and labels.dtype == np.float64:
                names = [repr(float(value)) for value in labels]
                labels = np.arange(len(names))
            elif names is None and labels is not None:
                kinds, labels = np.unique(labels, return_inverse=True)
                names = [str(kind) for kind in kinds]
            return _cleave.Data.from_texts(
                context, data.texts, labels, names, self._read_options(), None, False
            )
        weights = None
        if data.rows is not None:
            weights = _inputs.check_weights(sample_weight, data.rows)
        if data.table is not None:
            return _inputs.table_data(context, data.table,
                labels,
                names,
                weights,
                self._read_options(),
                None,
            )
        return _cleave.Data.from_matrix(context, data.matrix, labels, names, weights, None, True)

    def _read_options(self) -> dict[str, Any]:
        return options_of(
            {name: value for name, value in self._option_values().items() if name in self._reading}
        )

    # ---- fitting

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        warm = getattr(self, "warm_start", False) and hasattr(self, "_model")
        done = self._tree_rounds() if warm else 0
        if done and done == self.n_estimators:
            warn(
                f"warm_start without more trees: the model already has n_estimators={done}",
                "increase n_estimators",
            )
            return self
        data = self._read(X, reset=not warm)
        context = new_context(
            getattr(self, "n_jobs", None), bool(getattr(self, "verbose", False))
        )
        with parameter_names(self._names()):
            rows = self._data(context, data, y, sample_weight)
            options = {
                name: value
                for name, value in self._option_values().items()
                if name not in self._reading
            }
            if warm:
                model, report = self._train_from(context, rows, options)
            else:
                model, report = _cleave.Model.train(
                    context, self._method, rows, None, options_of(options), None
                )
        finish(context)
        self.__dict__.pop("_stream", None)
        self._set_model(model)
        self.report_ = report
        if not report["converged"] and report["stopped_by"] in ("epochs", "max_iterations"):
            self._warn_of_limit(report)
        if "max_iter" in self.__dict__ or "n_estimators" in self.__dict__:
            self.n_iter_ = done + int(report["epochs"])
        return self

    def _warn_of_limit(self, report: dict[str, Any]) -> None:
        stopped_by, count = report["stopped_by"], report["epochs"]
        limit = self._names().get(stopped_by, stopped_by)
        unit = "epoch" if stopped_by == "epochs" else "iteration"
        scale = ", or standardize the features (transforms='scale')" if unit == "iteration" else ""
        warn(
            f"{self._method}: not converged after {count} {unit}{'' if count == 1 else 's'}"
            f" ({limit})" + (f": {report['summary']}" if report["summary"] else ""),
            f"increase {limit}{scale}",
        )

    def update_model(self, X: Any, y: Any = None) -> Self:
        """Updates the model with new rows without the old rows, like ``cleave update``.

        New classes and words are learned. Methods that cannot be updated raise ValueError.
        """
        model = self._fitted()
        context = model.context
        data = self._read(X, reset=False)
        if data.paths is not None:
            rows = _cleave.Data.open(context, data.paths, {}, model, "update")
        else:
            labels: Any = _inputs.check_target(y, data.rows, type(self).__name__)
            names: list[str] | None = None
            if self._kind == "regressor":
                labels = np.ascontiguousarray(labels, dtype=np.float64)
            else:
                classes, labels = np.unique(labels, return_inverse=True)
                names = [_inputs.label_text(label) for label in classes.tolist()]
                labels = np.ascontiguousarray(labels, dtype=np.int64)
            if data.texts is not None:
                rows = _cleave.Data.from_texts(
                    context, data.texts, labels, names, {}, model, True
                )
            elif data.table is not None:
                rows = _inputs.table_data(context, data.table, labels, names, None, {}, model)
            else:
                rows = _cleave.Data.from_matrix(
                    context, data.matrix, labels, names, None, None, True
                )
        with parameter_names(self._names()):
            made, self.report_ = model.update(rows, {})
        finish(context)
        self.__dict__.pop("_stream", None)
        self._set_model(made)
        return self

    def _train_from(
        self, context: _cleave.Context, rows: _cleave.Data, options: dict[str, Any]
    ) -> tuple[_cleave.Model, dict[str, Any]]:
        """Continues training of the fitted model. The options of the model are kept."""
        stopping = (*self._limits, "validation_fraction", "patience", "seed")
        given = {name: value for name, value in options.items() if name in stopping}
        given["refit"] = True
        done = self._tree_rounds()
        if done:  # the library counts the trees to add, scikit-learn all of them
            if self.n_estimators < done:
                raise ValueError(
                    f"n_estimators={self.n_estimators} is less than the {done} of the fitted model"
                    "\nhint: increase n_estimators, or set warm_start=False"
                )
            given[self._limits[0]] = self.n_estimators - done
        model = _cleave.Model.from_bytes(context, self._fitted().to_bytes())
        return _cleave.Model.train(context, self._method, rows, None, options_of(given), model)

    def _tree_rounds(self) -> int:
        """Number of trees of a fitted forest, or of boosting rounds. 0 for other models."""
        model = self._fitted()
        if "n_estimators" not in self.__dict__:
            return 0
        return model.tree_count // (model.score_count if "rounds" in self._limits else 1)

    def _set_model(self, model: _cleave.Model) -> None:
        self._model = model
        self.__dict__.pop("_searcher", None)
        columns = [n for n, kind in model.columns if kind in ("number", "category", "text", "date")]
        self._is_table = bool(columns)
        if columns and not hasattr(self, "feature_names_in_"):
            self.feature_names_in_ = np.asarray(columns, dtype=object)
            self.n_features_in_ = len(columns)

    def _fitted(self) -> _cleave.Model:
        stream = self.__dict__.get("_stream")
        if stream is not None and "_model" not in self.__dict__:
            model = stream.model()
            if model is not None:
                self._set_model(model)
        try:
            return self._model
        except AttributeError:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with"
                " appropriate arguments before using this estimator."
            ) from None

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__ or "_stream" in self.__dict__

    @property
    def model_(self) -> _cleave.Model:
        """The fitted model. Its ``predict`` writes into arrays of the caller."""
        return self._fitted()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file for ``cleave predict`` and ``cleave.load``."""
        self._fitted().save(os.fspath(path))

    def export(
        self, path: str | os.PathLike[str], format: str | None = None, prefix: str | None = None
    ) -> None:
        """Writes the model as C code or for another program. The suffix of the path selects the
        format unless one is given: ``c``, ``onnx``, ``lightgbm``, ``liblinear`` or ``libsvm``.
        All identifiers of C code begin with the prefix."""
        given = {"format": format, "prefix": prefix}
        options = {name: value for name, value in given.items() if value is not None}
        with parameter_names():
            self._fitted().export(os.fspath(path), options)

    # ---- prediction

    def _predict(
        self, X: Any, labels: bool = False, scores: bool = False, probabilities: bool = False
    ) -> tuple[Any, Any, Any]:
        """Label numbers, scores and probabilities. Results that were not requested are None."""
        model = self._fitted()
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.char in "fd"
            and X.shape[1] == self.__dict__.get("n_features_in_")
            and "feature_names_in_" not in self.__dict__
            and X.shape[0]
        ):
            out = self._outputs(model, X.shape[0], labels, scores, probabilities)
            try:
                model.predict(X, *out)
            except (ValueError, TypeError):
                X = self._read(X, reset=False).matrix  # raises the error of an invalid X
                model.predict(X, *out)
            return out
        data = self._read(X, reset=False)
        if data.matrix is not None:
            out = self._outputs(model, data.rows or 0, labels, scores, probabilities)
            model.predict(data.matrix, *out)
            return out
        if data.texts is not None:
            out = self._outputs(model, len(data.texts), labels, scores, probabilities)
            model.predict_texts(data.texts, *out)
            return out
        return self._predict_data(model, data, probabilities)

    @staticmethod
    def _outputs(
        model: _cleave.Model, rows: int, labels: bool, scores: bool, probabilities: bool
    ) -> tuple[Any, Any, Any]:
        return (
            np.empty(rows, dtype=np.int64) if labels else None,
            np.empty((rows, model.score_count)) if scores else None,
            np.empty((rows, len(model.labels))) if probabilities else None,
        )

    def _predict_data(
        self, model: _cleave.Model, data: _inputs.Input, probabilities: bool
    ) -> tuple[Any, Any, Any]:
        context = model.context
        options = {"probabilities": "true"} if probabilities else {}
        with parameter_names(self._names()):
            if data.paths is not None:
                rows = _cleave.Data.open(context, data.paths, {}, model, "predict")
            else:
                rows = _inputs.table_data(context, data.table, None, None, None, {}, model)
            numbers, scores, shares = model.predict_data(rows, options)
        finish(context)
        return (
            np.frombuffer(numbers, dtype=np.int64),
            np.frombuffer(scores).reshape(-1, model.score_count),
            np.frombuffer(shares).reshape(-1, max(1, len(model.labels))) if shares else None,
        )

    def _evaluation(self, X: Any) -> dict[str, Any]:
        """Metrics on files with labels."""
        model = self._fitted()
        data = self._read(X, reset=False)
        if data.paths is None:
            raise ValueError(f"{type(self).__name__} requires y for data in memory")
        with parameter_names(self._names()):
            rows = _cleave.Data.open(model.context, data.paths, {}, model, "predict")
            facts = model.evaluate(rows, {})
        finish(model.context)
        return facts

    # ---- pickles

    def __getstate__(self) -> dict[str, Any]:
        if self.__sklearn_is_fitted__():
            self._fitted()
        state = dict(super().__getstate__())
        for name in ("_stream", "_searcher"):
            state.pop(name, None)
        model = state.pop("_model", None)
        if model is not None:
            state["_model_bytes"] = model.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        data = state.pop("_model_bytes", None)
        if hasattr(super(), "__setstate__"):
            super().__setstate__(state)
        else:
            self.__dict__.update(state)
        if data is not None:
            context = new_context(state.get("n_jobs"))
            self._model = _cleave.Model.from_bytes(context, data)

    # ---- scikit-learn

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags, TargetTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = self._kind
        tags.target_tags = TargetTags(required=True)
        if self._kind == "classifier":
            tags.classifier_tags = ClassifierTags()
        elif self._kind == "regressor":
            tags.regressor_tags = RegressorTags()
        tags.input_tags.sparse = True
        tags.input_tags.string = False
        tags.input_tags.allow_nan = self._nan
        self._set_tags(tags)
        return tags

    def _set_tags(self, tags: Any) -> None:
        pass


def _parameter_of(text: str, kind: str, values: Mapping[Any, str], default: Any) -> Any:
    """The parameter value that corresponds to the text of an option."""
    if values.get(default, default) == text:
        return default
    if kind == "not":
        return text != "true"
    if kind == "flag":
        return text == "true"
    if kind in ("real", "integer"):
        number = int(text) if kind == "integer" else float(text)
        return None if default is None and number == 0 else default if number == 0 and isinstance(
            default, str) else number  # fmt: skip
    if kind in ("list", "range"):
        numbers = tuple(int(part) for part in text.replace("-", ",").split(",") if part)
        return (numbers * 2)[:2] if kind == "range" and numbers else numbers
    return next((theirs for theirs, ours in values.items() if ours == text), text or default)


def _numbers_of(text: str) -> Any:
    """Converts ``name=number,...`` to a dict. Other text is returned unchanged."""
    if "=" not in text:
        return text
    pairs = [pair.rpartition("=") for pair in text.split(",")]
    names = _inputs.labels_as_numbers([name for name, _, _ in pairs]).tolist()
    signs = {"+": 1.0, "-": -1.0}
    return {
        name: signs[number] if number in signs else float(number)
        for name, (_, _, number) in zip(names, pairs)
    }


def named_columns(estimator: Any) -> dict[str, str]:
    """Names of the columns of the data frame of numbers to which the estimator was fitted.

    Its model has their numbers.
    """
    if estimator._is_table:
        return {}
    return {str(i): name for i, name in enumerate(getattr(estimator, "feature_names_in_", ()))}


def _name_mismatch(known: list[str], found: list[str]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unseen = sorted(set(found) - set(known))
    missing = sorted(set(known) - set(found))

    def listed(names: list[str]) -> str:
        more = ["- ...\n"] if len(names) > 5 else []
        return "".join([f"- {name}\n" for name in names[:5]] + more)

    if unseen:
        message += "Feature names unseen at fit time:\n" + listed(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + listed(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


# ---- classification


def _no_probabilities(self: Any) -> str | None:
    model = self.__dict__.get("_model")
    if model is not None:
        return None if model.has_probabilities else "the model has none\nhint: set probability=True"
    if self._has_probabilities or getattr(self, "probability", False):
        return None
    return "the method has no probabilities\nhint: set probability=True"


class Classifier(Base):
    """A classification method."""

    _kind = "classifier"
    _has_probabilities: ClassVar[bool] = False
    classes_: Any

    def _labels(self, y: Any, rows: int | None) -> tuple[Any, list[str] | None]:
        y = _inputs.check_target(y, rows, type(self).__name__)
        classes, numbers, names = _inputs.classes_of(y)
        self.classes_ = classes
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes; the data has 1 class:"
                f" {classes[0]!r}"
            )
        return numbers, names

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Trains on rows X with labels y. Returns the estimator.

        X: array, sparse matrix, data frame, list of texts, or file name. Files contain their
        labels. In this case, y is None or the name of the label column.
        sample_weight: non-negative weight of each row.
        """
        return self._fit(X, y, sample_weight)

    def _set_model(self, model: _cleave.Model) -> None:
        super()._set_model(model)
        texts = model.labels
        known = {_inputs.label_text(label): i for i, label in enumerate(self._class_list())}
        if set(texts) != set(known):
            self.classes_ = np.unique(_inputs.labels_as_numbers(texts))
            known = {_inputs.label_text(label): i for i, label in enumerate(self.classes_.tolist())}
        # The place of each label of the model among the sorted classes, and the reverse.
        self._place = np.array([known.get(text, 0) for text in texts], dtype=np.int64)
        self._order = np.argsort(self._place)
        self._by_label = self.classes_[self._place]
        self._sign = 1.0
        if len(texts) == 2 and model.positive is not None:
            self._sign = 1.0 if known.get(model.positive, 1) == 1 else -1.0

    def _class_list(self) -> list[Any]:
        found: list[Any] = self.classes_.tolist() if hasattr(self, "classes_") else []
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each row."""
        labels = self._predict(X, labels=True)[0]
        predicted: NDArray[Any] = self._by_label.take(labels)
        return predicted

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: one per row for two classes, otherwise one per row and class."""
        scores: NDArray[np.float64] = self._predict(X, scores=True)[1]
        if scores.shape[1] == 1:
            return scores[:, 0] if self._sign > 0 else -scores[:, 0]
        return scores[:, self._order]

    @available_if(_no_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class, in the order of ``classes_``."""
        return self._predict(X, probabilities=True)[2][:, self._order]

    @available_if(_no_probabilities)
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self._predict(X, probabilities=True)[2][:, self._order])

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy. For files with labels, y is None."""
        if y is None:
            return float(self._evaluation(X)["accuracy"][0])
        return float(np.average(self.predict(X) == np.asarray(y).ravel(), weights=sample_weight))


class Regressor(Base):
    """A regression method."""

    _kind = "regressor"

    def _labels(self, y: Any, rows: int | None) -> tuple[Any, list[str] | None]:
        y = _inputs.check_target(y, rows, type(self).__name__)
        try:
            return np.ascontiguousarray(y, dtype=np.float64), None
        except ValueError:
            raise ValueError(
                f"{type(self).__name__} needs numbers as targets, found {y.dtype}"
            ) from None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Trains on rows X with targets y. Returns the estimator.

        X: array, sparse matrix, data frame, list of texts, or file name. Files contain their
        labels. In this case, y is None or the name of the label column.
        sample_weight: non-negative weight of each row.
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicted value of each row."""
        values: NDArray[np.float64] = self._predict(X, scores=True)[1][:, 0]
        return values

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R², the coefficient of determination. For files with targets, y is None."""
        if y is None:
            return float(self._evaluation(X)["r2"][0])
        y = np.asarray(y, dtype=np.float64).ravel()
        weights = np.ones_like(y) if sample_weight is None else np.asarray(sample_weight)
        residual = float(np.sum(weights * (y - self.predict(X)) ** 2))
        total = float(np.sum(weights * (y - np.average(y, weights=weights)) ** 2))
        return 1.0 - residual / total if total > 0 else 1.0 if residual == 0 else 0.0


# ---- what families of methods have


class Linear(Base):
    """Weights and intercepts."""

    def _weights(self) -> tuple[Any, Any]:
        found = self._fitted().weights()
        if found is None:
            raise AttributeError(f"this {type(self).__name__} has no weights")
        outputs, weights, intercepts = found
        coefficients = np.frombuffer(weights).reshape(outputs, -1)
        return coefficients, np.frombuffer(intercepts)

    def _arranged(self, values: Any) -> Any:
        if self._kind == "regressor":
            return values[0]
        return values * self._sign if len(values) == 1 else values[self._order]

    @property
    def coef_(self) -> Any:
        """Weights of the features: one row per class, or one for two classes."""
        return self._arranged(self._weights()[0])

    @property
    def intercept_(self) -> Any:
        """Intercept of each score."""
        return self._arranged(self._weights()[1])


class Trees(Base):
    """Feature importances."""

    _nan = True

    @property
    def feature_importances_(self) -> Any:
        """Share of each feature in the total gain of the splits."""
        found = self._fitted().importances()
        if found is None:
            return np.zeros(self._fitted().feature_count)
        gain = np.frombuffer(found[0]).copy()
        total = gain.sum()
        return gain / total if total > 0 else gain


class SingleTree(Trees):
    """A single decision tree."""

    def _leaf_depths(self) -> list[int]:
        model = self._fitted()
        depths: list[int] = []
        waiting = [(0, 0)]
        while waiting:
            number, depth = waiting.pop()
            node = model.tree_node(0, number)
            if node is None:
                raise AttributeError(f"this {type(self).__name__} has no tree")
            if node["leaf"]:
                depths.append(depth)
            else:
                waiting += [(node["left"], depth + 1), (node["right"], depth + 1)]
        return depths

    def get_depth(self) -> int:
        """Maximum number of splits from the root to a leaf."""
        return max(self._leaf_depths())

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        return len(self._leaf_depths())


class Forest(Trees):
    """The out-of-bag estimate."""

    @property
    def oob_score_(self) -> float:
        """Accuracy, or R² for regression, on the rows that each tree was not trained on."""
        self._fitted()
        statistics = self.__dict__.get("report_", {}).get("statistics", ())
        found = {one["name"]: one["value"] for one in statistics}
        name = "oob_r2" if self._kind == "regressor" else "oob_error"
        if name not in found:
            raise AttributeError(f"this {type(self).__name__} has no out-of-bag estimate")
        return float(found[name] if name == "oob_r2" else 1 - found[name])


def layers_of(model: _cleave.Model) -> list[tuple[Any, Any]] | None:
    """Weights and biases of each layer of a network, with the scaling of features and targets."""
    shape, stored = model.array("layers"), model.array("layer_weights")
    scaling = model.array("layer_scaling")
    if shape is None or stored is None or scaling is None:
        return None
    scale, mean, spread = np.frombuffer(scaling[1])
    values = np.frombuffer(stored[1], dtype=np.float32).astype(np.float64)
    widths = np.frombuffer(shape[1], dtype=np.uint32)[3:].tolist()
    made, at = [], 0
    for inputs, units in zip(widths, widths[1:]):
        end = at + inputs * units
        made.append((values[at:end].reshape(inputs, units), values[end : end + units]))
        at = end + units
    made[0] = (made[0][0] * scale, made[0][1])
    made[-1] = (made[-1][0] * spread, made[-1][1] * spread + mean)
    return made


class Network(Base):
    """Weights of the layers."""

    def _layers(self) -> list[tuple[Any, Any]]:
        found = layers_of(self._fitted())
        if found is None:
            raise AttributeError(f"this {type(self).__name__} has no layers")
        return found

    @property
    def coefs_(self) -> list[Any]:
        """Weights of each layer, with one row per input and one column per unit. Outputs are in the
        order of ``model_.labels``."""
        return [weights for weights, _ in self._layers()]

    @property
    def intercepts_(self) -> list[Any]:
        """Intercepts of the units of each layer."""
        return [biases for _, biases in self._layers()]

    @property
    def n_layers_(self) -> int:
        """Number of layers, including inputs and outputs."""
        return len(self._layers()) + 1


class Kernel(Base):
    """Support vectors."""

    @property
    def support_(self) -> Any:
        """Rows of the training data that are support vectors."""
        return np.array(sorted({row for row, _ in self._supports()}), dtype=np.int64) - 1

    @property
    def support_vectors_(self) -> Any:
        """Features of the support vectors."""
        model = self._fitted()
        ends, columns, values, rows = (
            np.frombuffer(found[1], dtype=found[0])
            for found in map(model.array, ("sv_ends", "sv_columns", "sv_values", "sv_rows"))
            if found is not None
        )
        vectors = np.zeros((len(ends), model.feature_count), dtype=np.float32)
        at = np.searchsorted(ends, np.arange(len(values)), side="right")
        vectors[at, columns] = values
        return vectors[np.unique(rows, return_index=True)[1]]

    @property
    def n_support_(self) -> Any:
        """Number of support vectors of each class."""
        labels = [label for _, label in self._supports()]
        return np.array([labels.count(_inputs.label_text(c)) for c in self.classes_.tolist()])

    def _supports(self) -> set[tuple[int, str]]:
        found = self._fitted().support_vectors()
        if not found:
            raise AttributeError(f"this {type(self).__name__} has no support vectors")
        return {(row, label) for row, label, _ in found if row}


class Neighbors(Base):
    """Nearest training rows."""

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Distances and row numbers of the nearest training rows of each row of X.

        Without X, returns the neighbors of each training row, excluding the row itself.
        """
        model = self._fitted()
        own = X is None
        if own:
            X = self._training_rows()
        k = self._neighbor_count() if n_neighbors is None else int(n_neighbors)
        if k <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {k}")
        rows = model.row_count
        if k + own > rows:
            raise ValueError(
                f"Expected n_neighbors {'<' if own else '<='} n_samples_fit, but"
                f" n_neighbors = {k}, n_samples_fit = {rows}"
            )
        searcher = self.__dict__.get("_searcher")
        if searcher is None or searcher.k != k + own:
            searcher = _cleave.Searcher(model, {"k": str(k + own)})
            self._searcher = searcher
        if not (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.char in "fd"
            and X.shape[1] == self.n_features_in_
            and X.shape[0]
        ):
            X = self._read(X, reset=False).matrix
            if X is None:
                raise ValueError("kneighbors needs an array or a sparse matrix")
        count = len(X[2]) - 1 if isinstance(X, tuple) else X.shape[0]
        found = np.empty((count, k + own), dtype=np.int64)
        distances = np.empty((count, k + own))
        searcher.search(X, found, distances)
        if own:
            found, distances = _without_self(found, distances)
        return (distances, found) if return_distance else found

    def _neighbor_count(self) -> int:
        given = getattr(self, "n_neighbors", None) or self._fitted().params.get("k")
        return int(given or 0) or 5

    @property
    def n_samples_fit_(self) -> int:
        """Number of training rows."""
        return self._fitted().row_count

    def _training_rows(self) -> Any:
        model = self._fitted()
        for name, kind in (("", "float32"), ("_uint8", "uint8"), ("_int8", "int8"),
                           ("_float16", "float16"), ("_bfloat16", "uint16")):  # fmt: skip
            found = model.array("vectors" + name)
            if found is not None:
                values = np.frombuffer(found[1], dtype=kind).reshape(-1, self.n_features_in_)
                if name == "_bfloat16":
                    return (values.astype(np.uint32) << 16).view(np.float32)
                return values.astype(np.float32, copy=False)
        raise ValueError("kneighbors without X needs a model of dense rows")


class Ratings(Regressor):
    """A factorization of the ratings of items by users."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Trains on pairs of a user and an item with ratings y. Returns the estimator.

        X: data frame with the columns ``user`` and ``item`` (otherwise its first two columns),
        array or list of pairs, or file name. Ids are strings or integers. A file contains the
        ratings. In this case, y is None or the name of their column. Without y, each row is a count of 1
        (``implicit=True``).
        sample_weight: non-negative weight of each rating.
        """
        return self._fit(X, y, sample_weight)

    def _read(self, X: Any, *, reset: bool) -> _inputs.Input:
        if isinstance(X, (str, os.PathLike)):
            return _inputs.read(X)
        users, items = _inputs.pairs_of(X, type(self).__name__)
        return _inputs.Input(table=(users, items), rows=len(users))

    def _data(
        self, context: _cleave.Context, data: _inputs.Input, y: Any, sample_weight: Any
    ) -> _cleave.Data:
        if data.table is None:
            return super()._data(context, data, y, sample_weight)
        ratings, weights = None, None
        options = {"format": "csv"}
        if y is not None:
            ratings = self._labels(y, data.rows)[0].tolist()
        if sample_weight is not None:
            weights = _inputs.check_weights(sample_weight, data.rows or 0).tolist()
            options["columns"] = "weight=weight"
        users, items = data.table
        path, file = _inputs.ratings_csv(users, items, ratings, weights)
        options.update(self._read_options())
        return _cleave.Data.open(context, [path], options, None, "new", file)

    def _read_options(self) -> dict[str, Any]:
        return {"task": "ratings"}

    def _predict_data(
        self, model: _cleave.Model, data: _inputs.Input, probabilities: bool
    ) -> tuple[Any, Any, Any]:
        if data.table is None:
            return super()._predict_data(model, data, probabilities)
        path, file = _inputs.ratings_csv(*data.table)
        rows = _cleave.Data.open(
            model.context, [path], {"format": "csv"}, model, "predict", file
        )
        scores = model.predict_data(rows, {})[1]
        finish(model.context)
        return None, np.frombuffer(scores).reshape(-1, 1), None

    def recommend(
        self, user: Any, n_items: int = 10, include_rated: bool = False
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Items with the highest predictions for a user, and the predictions.

        Items that the user rated in the training data are omitted unless include_rated is set.
        Raises ValueError for a user that does not occur in the training data.
        """
        found = self._fitted().recommend(str(user), self._count(n_items), include_rated)
        return self._items(found)

    def similar_items(
        self, item: Any, n_items: int = 10
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Items whose factors have the highest cosine with those of an item, and the cosines."""
        return self._items(self._fitted().similar_items(str(item), self._count(n_items)))

    @staticmethod
    def _count(n_items: int) -> int:
        if n_items < 1:
            raise ValueError(f"n_items: expected at least 1, found {n_items}")
        return int(n_items)

    @staticmethod
    def _items(found: list[tuple[str, float]]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        names = np.array([name for name, _ in found], dtype=object)
        return names, np.array([score for _, score in found], dtype=np.float64)


def _without_self(found: Any, distances: Any) -> tuple[Any, Any]:
    """Drops each row from its own neighbors."""
    count, wide = found.shape
    own = found == np.arange(count)[:, None]
    own[~own.any(axis=1), -1] = True
    keep = ~own
    return found[keep].reshape(count, wide - 1), distances[keep].reshape(count, wide - 1)


class Streams(Base):
    """Online learning."""

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learns from each row of X once, in order, and continues from the current model."""
        stream = self.__dict__.get("_stream")
        if not (
            stream is not None
            and type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.char in "fd"
            and X.shape[1] == self.n_features_in_
            and X.shape[0] <= 4
            and np.isfinite(X.sum())
        ):
            first = stream is None and "_model" not in self.__dict__
            X = self._read(X, reset=first)
            if X.matrix is None:
                raise ValueError("partial_fit needs an array or a sparse matrix")
            X = X.matrix
        if sample_weight is not None:
            raise ValueError("partial_fit does not support sample weights")
        rows = len(X[2]) - 1 if isinstance(X, tuple) else X.shape[0]
        numbers, names = self._online_labels(y, rows, classes)
        if stream is None:
            stream = self._open_stream(names)
        stream.learn(X, numbers, names)
        self.__dict__.pop("_model", None)
        self.t_ = self.__dict__.get("t_", 0) + rows
        return self

    def _online_labels(
        self, y: Any, rows: int, classes: Any
    ) -> tuple[Any, list[str] | None]:
        return self._labels(y, rows)

    def _open_stream(self, names: list[str] | None) -> _cleave.Stream:
        model = self.__dict__.get("_model")
        unknown = (*self._limits, "validation_fraction", "patience", "tolerance", "calibrate")
        options = {
            name: value for name, value in self._option_values().items() if name not in unknown
        }
        if model is not None:
            self._stream = _cleave.Stream(model.context, self._method, {}, model)
            return self._stream
        if options.get("threshold") == "d":  # the number of features, which a stream does not know
            options["threshold"] = self.n_features_in_
        if names is not None:
            if any("," in name for name in names):
                raise ValueError("names of classes with a comma are not supported by partial_fit")
            options["known_classes"] = ",".join(names)
        context = new_context(1)
        if options.get("class_weight") == "balanced":
            raise ValueError(
                "class_weight='balanced' is not supported for partial_fit\nhint: set a weight for"
                " each class"
            )
        with parameter_names(self._names()):
            self._stream = _cleave.Stream(context, self._method, options_of(options), None)
        return self._stream


class OnlineClassifier(Streams, Classifier):
    """A classification method that learns online."""

    def _online_labels(
        self, y: Any, rows: int, classes: Any
    ) -> tuple[Any, list[str] | None]:
        y = _inputs.check_target(y, rows, type(self).__name__)
        if not self.__sklearn_is_fitted__():
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(np.asarray(classes))
            self._class_names = [_inputs.label_text(c) for c in self.classes_.tolist()]
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was:"
                f" {self.classes_!r}"
            )
        if "_class_names" not in self.__dict__:
            self._class_names = [_inputs.label_text(c) for c in self.classes_.tolist()]
        numbers = np.searchsorted(self.classes_, y).astype(np.int64)
        if numbers.max() >= len(self.classes_) or not (self.classes_.take(numbers) == y).all():
            unknown = np.setdiff1d(y, self.classes_)
            raise ValueError(f"y has the class {unknown[0]!r}, which is not in classes")
        return numbers, self._class_names


class OnlineRegressor(Streams, Regressor):
    """A regression method that learns online."""

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Learns from each row of X once, in order, and continues from the current model."""
        return super().partial_fit(X, y, None, sample_weight)


class NeighborsClassifier(Neighbors, Classifier):
    """A vote of the nearest training rows."""

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Stores the rows X with labels y.

        X: array, sparse matrix, data frame, list of texts, or file name. Files contain their
        labels. In this case, y is None or the name of the label column.
        """
        return self._fit(X, y)


class NeighborsRegressor(Neighbors, Regressor):
    """The mean of the nearest training rows."""

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Stores the rows X with targets y.

        X: array, sparse matrix, data frame, list of texts, or file name. Files contain their
        labels. In this case, y is None or the name of the label column.
        """
        return self._fit(X, y)


class Index(Neighbors):
    """Nearest-neighbor search without labels."""

    _kind = "index"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Stores the rows of X; y is ignored."""
        return self._fit(X, None)

    def _labels(self, y: Any, rows: int | None) -> tuple[Any, list[str] | None]:
        return None, None

    def _option_values(self) -> dict[str, Any]:
        return {**super()._option_values(), "keep_unlabeled": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = None
        tags.target_tags.required = False
        return tags
