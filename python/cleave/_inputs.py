"""The caller's data as the library takes it, without copies where the memory allows it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _cleave

Sparse = tuple[Any, Any, Any, int]


class Input(NamedTuple):
    """What X is: exactly one of the members is set."""

    matrix: Any = None  # a NumPy array with two dimensions, or CSR as a tuple
    texts: list[str] | None = None
    table: Any = None  # an object with __arrow_c_stream__
    paths: list[str] | None = None
    names: list[str] | None = None  # of the columns, if all are strings
    rows: int | None = None

    @property
    def columns(self) -> int | None:
        if isinstance(self.matrix, tuple):
            return int(self.matrix[3])
        return None if self.matrix is None else int(self.matrix.shape[1])


def is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and (hasattr(X, "dtypes") or hasattr(X, "schema")) or (
        hasattr(X, "__arrow_c_stream__") and hasattr(X, "column_names")
    )


def read(X: Any, *, allow_nan: bool = False, who: str = "cleave", table: bool = False) -> Input:
    """Classifies X and converts it to what the library reads. table: data frames of numbers are
    tables, too."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind != "O":
        return Input(matrix=_dense(X, allow_nan, who), rows=X.shape[0])
    if isinstance(X, (str, os.PathLike)):
        return Input(paths=[os.fspath(X)])
    if isinstance(X, (list, tuple)) and X and all(isinstance(x, os.PathLike) for x in X):
        return Input(paths=[os.fspath(x) for x in X])
    if hasattr(X, "tocsr") and hasattr(X, "shape"):
        return Input(matrix=_sparse(X, allow_nan, who), rows=X.shape[0])
    if hasattr(X, "collect_schema") and not hasattr(X, "shape"):
        X = X.collect()  # a lazy frame of Polars
    if is_frame(X):
        return _frame(X, allow_nan, who, table)
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__array__"):
        return Input(table=X)
    if hasattr(X, "readline"):
        raise TypeError(
            f"{who} does not read open or closed files\nhint: pass the name of the file instead"
        )
    if isinstance(X, Mapping) or (isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping)):
        raise TypeError(f"{who} does not read dicts\nhint: pass a data frame, pandas.DataFrame(X)")
    if isinstance(X, Iterator):
        X = list(X)
    texts = _texts(X, who)
    if texts is not None:
        return Input(texts=texts, rows=len(texts))
    matrix = _dense(X, allow_nan, who)
    return Input(matrix=matrix, rows=matrix.shape[0])


def _texts(X: Any, who: str) -> list[str] | None:
    """The strings of a list, an array or a series; None if X contains no string."""
    items: Any = X
    if not isinstance(X, (list, tuple)):
        if len(getattr(X, "shape", (0,))) != 1:
            return None
        convert = next(
            (getattr(X, n) for n in ("tolist", "to_pylist", "to_list") if hasattr(X, n)), None
        )
        items = [] if convert is None else convert()
    if not any(isinstance(x, (str, bytes)) for x in items):
        return None
    others = [i for i, x in enumerate(items) if not isinstance(x, str)]
    if all(type(items[i]).__name__ in ("bytes", "NoneType", "NAType", "float") for i in others):
        for i in others:
            fix = "decode it" if isinstance(items[i], bytes) else "use '' for a missing text"
            raise ValueError(
                f"{who} expected strings, found {items[i]!r} at position {i}\nhint: {fix}"
            )
        return list(items)
    return None


def _dense(X: Any, allow_nan: bool, who: str) -> Any:
    if type(X) is not np.ndarray:
        if hasattr(X, "toarray"):
            raise TypeError("expected a SciPy sparse matrix with the method tocsr")
        if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "biuf":
            X = np.ma.filled(X.astype(np.float64), np.nan)
        X = np.asarray(X)
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if X.ndim != 2:
        if X.ndim > 2:
            raise ValueError(
                f"Found array with dim {X.ndim}, while dim <= 2 is required by {who}."
            )
        kind = "scalar" if X.ndim == 0 else "1D"
        raise ValueError(
            f"Expected 2D array, got {kind} array instead:\narray={X}.\nReshape your data either"
            " using array.reshape(-1, 1) if your data has a single feature or"
            " array.reshape(1, -1) if it contains a single sample."
        )
    if X.dtype.char not in "fd" or not X.dtype.isnative:
        small = X.dtype.kind in "biuf" and X.dtype.itemsize <= 2
        X = X.astype(np.float32 if small else np.float64)
    if X.shape[0] == 0 or X.shape[1] == 0:
        _refuse_empty(X.shape, who)
    if 0 in X.strides and X.size > 1 and (X.strides == (0, 0)):
        X = np.ascontiguousarray(X)
    _check_finite(X, allow_nan, who)
    return X


def _refuse_empty(shape: tuple[int, ...], who: str) -> None:
    count, what = (shape[0], "sample(s)") if shape[0] == 0 else (shape[1], "feature(s)")
    raise ValueError(
        f"Found array with {count} {what} (shape={shape}) while a minimum of 1 is required"
        f" by {who}."
    )


def _check_finite(values: Any, allow_nan: bool, who: str, name: str = "X") -> None:
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum()):
            return
        infinite = bool(np.isinf(values.min()) or np.isinf(values.max()))
        if not infinite and np.isnan(values).any():
            if allow_nan:
                infinite = bool(np.isinf(values).any())
            else:
                hint = (
                    "impute them (transforms='impute'), or use an estimator of trees"
                    if name == "X" else "leave out rows without a label or target"
                )
                raise ValueError(
                    f"Input {name} contains NaN.\n{who} does not accept missing values encoded as"
                    f" NaN here.\nhint: {hint}"
                )
    if infinite:
        raise ValueError(
            f"Input {name} contains infinity or a value too large for dtype('{values.dtype}')."
        )


def _sparse(X: Any, allow_nan: bool, who: str) -> Sparse:
    X = X.tocsr()
    if X.ndim != 2:
        raise ValueError(f"Expected a sparse array with two dimensions, found {X.ndim}.")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if X.shape[0] == 0 or X.shape[1] == 0:
        _refuse_empty(X.shape, who)
    values = X.data
    if values.dtype.char not in "fd" or not values.dtype.isnative:
        values = values.astype(np.float64)
    indices, starts = X.indices, X.indptr
    if indices.dtype != starts.dtype or indices.dtype.itemsize not in (4, 8):
        indices, starts = indices.astype(np.int64), starts.astype(np.int64)
    if values.size:
        _check_finite(values, False, who)
    return (
        np.ascontiguousarray(values),
        np.ascontiguousarray(indices),
        np.ascontiguousarray(starts),
        X.shape[1],
    )


# ---- tables


def column_names(X: Any) -> list[str] | None:
    """Names of the columns of a data frame, or None if they are not all strings."""
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(columns, "__iter__") or hasattr(X, "column_names"):
        columns = getattr(X, "column_names", columns)
    if columns is None:
        return None
    names = list(columns)
    strings = [isinstance(name, str) for name in names]
    if all(strings):
        return [str(name) for name in names]
    if any(strings):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your"
            " input has mixed types of column names. Convert them with"
            " X.columns = X.columns.astype(str)."
        )
    return None


def _is_pandas(X: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _frame(X: Any, allow_nan: bool, who: str, table: bool) -> Input:
    """A data frame: a matrix if every column is a number and table is False, otherwise a table."""
    names = column_names(X)
    rows = int(X.shape[0])
    if rows == 0 or X.shape[1] == 0:
        _refuse_empty(tuple(X.shape), who)
    if _is_pandas(X):
        kinds = [getattr(dtype, "kind", "O") for dtype in X.dtypes]
        if not table and all(kind in "biufc" for kind in kinds):
            matrix = X.to_numpy()
            if matrix.dtype.kind == "O":  # nullable numbers
                matrix = X.to_numpy(dtype=np.float64, na_value=np.nan)
            return Input(matrix=_dense(matrix, allow_nan, who), names=names, rows=rows)
        if names is None:
            if all(kind == "O" for kind in kinds) and not any(
                str(dtype) in ("category", "str", "string") for dtype in X.dtypes
            ):
                return Input(matrix=_dense(X.to_numpy(), allow_nan, who), rows=rows)
            X = X.rename(columns=str)
            names = [str(name) for name in X.columns]
        return Input(table=_plain_pandas(X), names=names, rows=rows)
    matrix = None if table else _numeric_columns(X, names)
    if matrix is not None:
        return Input(matrix=_dense(matrix, allow_nan, who), names=names, rows=rows)
    return Input(table=X, names=names, rows=rows)


def _plain_pandas(X: Any) -> Any:
    """Dates, and objects that are not strings, become text."""
    changed = {}
    for name, dtype in X.dtypes.items():
        kind = getattr(dtype, "kind", "O")
        if kind in "Mm" or (kind == "O" and str(dtype) == "object"):
            column = X[name]
            changed[name] = column.map(str, na_action="ignore").astype("str")
    return X.assign(**changed) if changed else X


def _numeric_columns(X: Any, names: list[str] | None) -> Any:
    """The columns of a Polars or pyarrow table as an array, or None if one is not a number."""
    columns = []
    for name in names or []:
        column = X[name]
        dtype: Any = getattr(column, "dtype", None)
        numeric = dtype.is_numeric() if hasattr(dtype, "is_numeric") else None
        if numeric is None:
            kind = str(getattr(column, "type", ""))
            numeric = kind.startswith(("int", "uint", "float", "double", "halffloat"))
        if not numeric:
            return None
        columns.append(np.asarray(column.to_numpy(), dtype=np.float64))
    return np.column_stack(columns) if columns else None


def table_data(
    context: _cleave.Context,
    table: Any,
    labels: Any,
    label_names: list[str] | None,
    weights: Any,
    options: dict[str, Any],
    model: _cleave.Model | None,
) -> _cleave.Data:
    """Data from a table, by its Arrow C stream, or as CSV where pandas has no pyarrow."""
    try:
        stream = table.__arrow_c_stream__()
    except ImportError:
        if not _is_pandas(table):
            raise
        return _table_as_csv(context, table, labels, label_names, weights, options, model)
    return _cleave.Data.from_arrow(context, stream, labels, label_names, weights, options, model)


def csv_of(table: Any) -> tuple[str, Any]:
    """The path of a file in memory with the table as CSV, and the file, which the caller closes."""
    import csv

    if not is_frame(table):
        raise TypeError(
            f"expected a file name or a data frame, found {type(table).__name__}"
        )
    file = os.fdopen(os.memfd_create("table"), "wb", buffering=0)
    path = f"/proc/self/fd/{file.fileno()}"
    if hasattr(table, "to_csv"):
        table.to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC)
    elif hasattr(table, "write_csv"):
        table.write_csv(path)
    else:
        import pyarrow.csv

        pyarrow.csv.write_csv(table, path)
    return path, file


def ratings_csv(
    users: Any, items: Any, ratings: Any = None, weights: Any = None
) -> tuple[str, Any]:
    """The path of a file in memory with the columns user, item, and rating and weight where they
    are given, and the file, which the caller closes."""
    import csv

    columns = {"user": users, "item": items, "rating": ratings, "weight": weights}
    given = {name: values for name, values in columns.items() if values is not None}
    file = os.fdopen(os.memfd_create("ratings"), "w+", encoding="utf-8", newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(given)
    writer.writerows(zip(*given.values()))
    file.flush()
    return f"/proc/self/fd/{file.fileno()}", file


def pairs_of(X: Any, who: str) -> tuple[list[Any], list[Any]]:
    """Users and items: the columns ``user`` and ``item`` of a data frame, otherwise the first two
    columns of X."""
    if is_frame(X):
        names = [str(name) for name in getattr(X, "column_names", X.columns)]
        chosen = [0, 1] if not {"user", "item"} <= set(names) else map(names.index, ("user", "item"))
        if len(names) < 2:
            raise ValueError(f"{who} needs the columns user and item, found {len(names)} column(s)")
        columns = [X[X.columns[i] if hasattr(X, "dtypes") else names[i]] for i in chosen]
        pairs = [np.asarray(column.to_numpy(), dtype=object) for column in columns]
    else:
        array = np.asarray(X) if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
        if array.ndim != 2 or array.shape[1] < 2:
            raise ValueError(
                f"{who} needs an array with the columns user and item, found the shape"
                f" {array.shape}"
            )
        pairs = [array[:, 0], array[:, 1]]
    if len(pairs[0]) == 0:
        _refuse_empty((0, 2), who)
    return _ids_of(pairs[0], "user"), _ids_of(pairs[1], "item")


def _ids_of(column: Any, name: str) -> list[Any]:
    """Ids as text or integers. Whole floats are integers."""
    if column.dtype.kind == "f":
        if not np.isfinite(column).all() or (column != np.floor(column)).any():
            raise ValueError(f"{name}: ids are integers or strings, found other numbers")
        column = column.astype(np.int64)
    ids: list[Any] = column.tolist()
    if column.dtype.kind == "O":
        for row, value in enumerate(ids):
            if not isinstance(value, (str, int)) or value == "":
                raise ValueError(f"{name}: row {row} has no id: {value!r}")
    elif column.dtype.kind not in "iufUS":
        raise ValueError(f"{name}: ids are integers or strings, found {column.dtype}")
    return ids


def _table_as_csv(
    context: _cleave.Context,
    table: Any,
    labels: Any,
    label_names: list[str] | None,
    weights: Any,
    options: dict[str, Any],
    model: _cleave.Model | None,
) -> _cleave.Data:
    """The same table as the Arrow stream, through a file in memory."""
    added, kinds = {}, []
    for name, dtype in table.dtypes.items():
        if getattr(dtype, "kind", "O") == "b":
            added[name] = table[name].astype(int)
        kind = "number" if getattr(dtype, "kind", "O") in "biuf" else None
        kind = "category" if str(dtype) == "category" else kind
        if kind and not set(",=") & set(name):
            kinds.append(f"{name}={kind}")
    given = dict(options)
    if labels is not None:
        names = None if label_names is None else np.asarray([*label_names, None], dtype=object)
        added["label"] = labels if names is None else names[labels]
        given["label"] = "label"
    if weights is not None:
        added["sample weight"] = weights
        kinds.append("sample weight=weight")
    if model is None and kinds:
        given["columns"] = ",".join(kinds)
    path, file = csv_of(table.assign(**added))
    return _cleave.Data.open(context, [path], {**given, "format": "csv"}, model, "predict", file)


# ---- labels and weights


def check_target(y: Any, rows: int | None, who: str) -> Any:
    """y as an array with one dimension."""
    if y is None:
        raise ValueError(f"{who} requires y to be passed, but the target y is None.")
    if hasattr(y, "to_numpy") and not hasattr(y, "to_pylist"):
        y = y.to_numpy()
    if hasattr(y, "tocsr"):
        raise TypeError("Sparse data was passed for y, but dense data is required.")
    y = np.asarray(y)
    if y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{y}\n")
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of"
            " y to (n_samples,), for example using ravel().",
            _conversion_warning(),
            stacklevel=4,
        )
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if rows is not None and y.shape[0] != rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{rows}, {y.shape[0]}]"
        )
    if y.dtype.kind == "f" and y.size:
        _check_finite(y, False, who, "y")
    return y


def _conversion_warning() -> type[Warning]:
    exceptions = sys.modules.get("sklearn.exceptions")
    found: type[Warning] = getattr(exceptions, "DataConversionWarning", UserWarning)
    return found


def classes_of(y: Any) -> tuple[Any, Any, list[str] | None]:
    """Sorted classes, the number of the class of each row, and the names of the classes. Integers
    stand for themselves and have no names."""
    if y.dtype.kind in "iu" and (y.dtype.itemsize < 8 or not y.size or y.max() < 2**63):
        if y.size and 0 <= y.min() and y.max() < 65536:
            classes = np.flatnonzero(np.bincount(y)).astype(y.dtype)
        else:
            classes = np.unique(y)
        return classes, np.ascontiguousarray(y, dtype=np.int64), None
    if y.dtype.kind == "f" and (y != y.astype(np.int64)).any():
        raise ValueError(
            "Unknown label type: continuous. Maybe you are trying to fit a classifier, which"
            " expects discrete classes on a regression target with continuous values."
        )
    if y.dtype.kind == "O":
        kinds = {type(label) for label in y.tolist()}
        if type(None) in kinds:
            raise ValueError("Input y contains None.\nhint: leave out rows without a label")
        if not kinds <= {str, np.str_} and not kinds <= {int, bool, float, np.int64}:
            raise ValueError(
                "Unknown label type: expected labels of one type, strings or numbers, found "
                + ", ".join(sorted(kind.__name__ for kind in kinds))
            )
    classes, numbers = np.unique(y, return_inverse=True)
    names = [label_text(label) for label in classes.tolist()]
    return classes, np.ascontiguousarray(numbers, dtype=np.int64), names


def label_text(label: Any) -> str:
    """A class as text, as a file would have it."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def check_weights(sample_weight: Any, rows: int) -> Any:
    if sample_weight is None:
        return None
    if np.isscalar(sample_weight):
        return np.full(rows, sample_weight, dtype=np.float32)
    weights = np.asarray(sample_weight)
    if weights.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    weights = np.ascontiguousarray(weights, dtype=np.float32)
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weights.shape[0] != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if not np.isfinite(weights).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def labels_as_numbers(labels: list[str]) -> Any:
    """Labels read from a file: booleans, integers, floats or text, the first that all are."""
    if labels and set(labels) <= {"False", "True"}:
        return np.array([label == "True" for label in labels])
    for kind in (int, float):
        try:
            return np.array([kind(label) for label in labels])
        except ValueError:
            pass
    return np.array(labels)
