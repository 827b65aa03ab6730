"""Transformers: the library's transforms without a method."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _cleave, _inputs
from ._base import NotFittedError, SklearnBase, _name_mismatch, range_of, seed_of
from ._runtime import finish, new_context, options_of, parameter_names

if TYPE_CHECKING:
    from typing import Self

try:
    from sklearn.base import TransformerMixin as _Mixin
except ImportError:

    class _Mixin:  # type: ignore[no-redef]
        """fit_transform and set_output."""

        def fit_transform(self, X: Any, y: Any = None) -> Any:
            """Fits to X and transforms it."""
            return self.fit(X, y).transform(X)  # type: ignore[attr-defined]

        def set_output(self, *, transform: str | None = None) -> Any:
            """Only arrays: data frames need scikit-learn."""
            if transform not in (None, "default"):
                raise ValueError("set_output needs scikit-learn")
            return self


class Transformer(_Mixin, SklearnBase):  # type: ignore[misc]
    """A pipeline of transforms, such as ``"impute,scale"`` (``cleave transforms``).

    Parameters
    ----------
    transforms : str, default 'impute,scale'
        Names of transforms with their parameters, as for ``cleave train --transform``.
    sparse_output : bool, default False
        Return a SciPy sparse array instead of a NumPy array of float32.
    random_state : Any, default None
        Seed of all random choices. None: 1.
    n_jobs : int | None, default None
        Number of threads. None or -1: one per core.
    """

    def __init__(
        self,
        transforms: str = "impute,scale",
        *,
        sparse_output: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.transforms = transforms
        self.sparse_output = sparse_output
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _transforms(self) -> str:
        return self.transforms

    def _reading(self) -> dict[str, Any]:
        """Options of reading."""
        return {}

    _sparse = False
    _named: ClassVar[dict[str, str]] = {}  # parameters by the parameters of transforms

    def _allows_nan(self) -> bool:
        return "impute" in self._transforms()

    def _read(self, context: _cleave.Context, X: Any, y: Any) -> tuple[_cleave.Data, Any]:
        data = _inputs.read(X, allow_nan=self._allows_nan(), who=type(self).__name__)
        labels: Any = None
        names: list[str] | None = None
        if y is not None and data.rows is not None:
            y = _inputs.check_target(y, data.rows, type(self).__name__)
            if y.dtype.kind == "f" and (y != np.floor(y)).any():
                labels = np.ascontiguousarray(y, dtype=np.float64)
            else:
                labels, names = _inputs.classes_of(y)[1:]
        options = options_of(self._reading())
        if data.paths is not None:
            return _cleave.Data.open(context, data.paths, options, None, "new"), data
        if data.texts is not None:
            return (
                _cleave.Data.from_texts(context, data.texts, labels, names, options, None, False),
                data,
            )
        if data.table is not None:
            if labels is None:  # the reader needs a label column
                labels, names = np.full(data.rows or 0, -1), ["?"]
            return (
                _inputs.table_data(context, data.table, labels, names, None, options, None),
                data,
            )
        return (
            _cleave.Data.from_matrix(context, data.matrix, labels, names, None, None, True),
            data,
        )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the transforms to the rows of X. y: labels, for transforms that require them."""
        self._fit(X, y)
        return self

    def _fit(self, X: Any, y: Any) -> _cleave.Data:
        context = new_context(self.n_jobs)
        with parameter_names(self._named):
            rows, data = self._read(context, X, y)
        for name in ("feature_names_in_", "n_features_in_"):
            self.__dict__.pop(name, None)
        if data.names is not None:
            self.feature_names_in_ = np.asarray(data.names, dtype=object)
            self.n_features_in_ = len(data.names)
        elif data.columns is not None:
            self.n_features_in_ = data.columns
        self._learn(data)
        with parameter_names(self._named):
            self._pipeline = _cleave.Pipeline.fit(
                context, self._transforms(), rows, seed_of(self.random_state)
            )
        made = self._pipeline.apply(rows)
        self._names = made.feature_names()
        finish(context)
        return made

    def _learn(self, data: _inputs.Input) -> None:
        """What a subclass learns before its transforms."""

    def transform(self, X: Any) -> Any:
        """The features of the rows of X."""
        if "_pipeline" not in self.__dict__:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first."
            )
        context = self._pipeline.context
        with parameter_names(self._named):
            rows, data = self._read(context, X, None)
        known = getattr(self, "feature_names_in_", None)
        if data.table is None and known is not None and data.names is not None:
            if list(known) != data.names:
                raise ValueError(_name_mismatch(list(known), data.names))
        expected = getattr(self, "n_features_in_", data.columns)
        if data.columns is not None and data.columns != expected:
            raise ValueError(
                f"X has {data.columns} features, but {type(self).__name__} is expecting"
                f" {expected} features as input."
            )
        made = self._pipeline.apply(rows)
        finish(context)
        return self._output(made)

    def _output(self, made: _cleave.Data) -> Any:
        width = len(self._names)
        if self._sparse or getattr(self, "sparse_output", False):
            starts, indexes, values = made.entries()
            from scipy.sparse import csr_array

            return csr_array(
                (
                    np.frombuffer(values, dtype=np.float32),
                    np.frombuffer(indexes, dtype=np.int32),
                    np.frombuffer(starts, dtype=np.int64),
                ),
                shape=(len(starts) // 8 - 1, width),
            )
        rows, features = made.size()
        array = np.empty((rows, features), dtype=np.float32)
        made.copy_to(array)
        if features < width:
            array = np.hstack([array, np.zeros((rows, width - features), dtype=np.float32)])
        return array

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features of ``transform``."""
        if "_names" not in self.__dict__:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet.")
        return np.asarray(self._names, dtype=object)

    def _array(self, name: str) -> Any:
        """A fitted array of the only step."""
        if "_pipeline" not in self.__dict__:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet.")
        form, values = self._pipeline.arrays(0)[name]
        return np.frombuffer(values, dtype=form)

    def __sklearn_is_fitted__(self) -> bool:
        return "_pipeline" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        pipeline = state.pop("_pipeline", None)
        if pipeline is not None:
            state["_pipeline_bytes"] = pipeline.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        data = state.pop("_pipeline_bytes", None)
        if hasattr(super(), "__setstate__"):
            super().__setstate__(state)
        else:
            self.__dict__.update(state)
        if data is not None:
            self._pipeline = _cleave.Pipeline.from_bytes(new_context(self.n_jobs), data)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_nan()
        tags.transformer_tags.preserves_dtype = []
        return tags


class PCA(Transformer):
    """Principal component analysis.

    Parameters
    ----------
    n_components : int | None, default 50
        Maximum number of components. None: as many as features.
    whiten : bool, default False
        Scale each component to unit variance.
    svd_solver : str, default 'auto'
        'exact' (covariance matrix), 'randomized', or 'auto'.
    random_state : Any, default None
        Seed. None: 1.
    n_jobs : int | None, default None
        Number of threads. None or -1: one per core.
    """

    def __init__(
        self,
        n_components: int | None = 50,
        *,
        whiten: bool = False,
        svd_solver: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.random_state = random_state
        self.n_jobs = n_jobs

    _named = {"components": "n_components", "solver": "svd_solver"}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Computes the components of the rows of X. y is ignored."""
        if getattr(X, "shape", (2,))[0] == 1:
            raise ValueError("PCA needs at least two rows, found n_samples = 1")
        return super().fit(X)

    def _transforms(self) -> str:
        whiten = ":whiten" if self.whiten else ""
        count = getattr(self, "n_features_in_", 50) if self.n_components is None else self.n_components
        return f"pca:components={count}:solver={self.svd_solver}{whiten}"

    def _learn(self, data: _inputs.Input) -> None:
        if isinstance(data.matrix, tuple):
            values, indexes, starts, columns = data.matrix
            self.mean_ = np.bincount(indexes, values, columns) / (len(starts) - 1)
        elif data.matrix is not None:
            self.mean_ = data.matrix.mean(axis=0, dtype=np.float64)

    @property
    def components_(self) -> Any:
        """Axes of the components, with one row per component and one column per feature."""
        axes = self._array("axes").reshape(-1, len(self.explained_variance_)).T
        return axes * np.sqrt(self.explained_variance_)[:, None] if self.whiten else axes

    @property
    def explained_variance_(self) -> Any:
        """Variance along each component."""
        return self._array("variance")

    @property
    def explained_variance_ratio_(self) -> Any:
        """Share of the total variance of each component."""
        return self.explained_variance_ / self._array("total_variance")

    @property
    def n_components_(self) -> int:
        """Number of components."""
        return len(self.explained_variance_)

    def inverse_transform(self, X: Any) -> Any:
        """Transforms rows of components back to features."""
        scale = np.sqrt(self.explained_variance_) if self.whiten else 1.0
        return np.asarray(X) * scale @ self.components_ + self.mean_


class TableEncoder(Transformer):
    """Numeric features of tables: standardized numbers, one-hot categories, TF-IDF of texts.

    Parameters
    ----------
    transforms : str, default 'rare,impute,scale'
        Names of transforms with their parameters.
    sparse_output : bool, default False
        Return a SciPy sparse array instead of a NumPy array of float32.
    random_state : Any, default None
        Seed. None: 1.
    n_jobs : int | None, default None
        Number of threads. None or -1: one per core.
    """

    def __init__(
        self,
        transforms: str = "rare,impute,scale",
        *,
        sparse_output: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            transforms, sparse_output=sparse_output, random_state=random_state, n_jobs=n_jobs
        )


class TfidfVectorizer(Transformer):
    """TF-IDF features of texts, as a SciPy sparse array.

    Parameters
    ----------
    ngram_range : tuple[int, int], default (1, 1)
        Word n-gram range.
    stop_words : str | None, default None
        Remove stop words: 'english', or a file with one word per line.
    lowercase : bool, default True
        Convert words to lower case.
    min_df : int | float, default 1
        Minimum document frequency of a word: a number, or a fraction of the documents.
    max_df : int | float, default 1.0
        Maximum document frequency of a word: a number, or a fraction of the documents.
    norm : str | None, default 'l2'
        Row normalization: 'l2', 'l1' or None.
    use_idf : bool, default True
        Weight by inverse document frequency.
    sublinear_tf : bool, default True
        Term frequency 1 + ln(count) instead of the count.
    n_jobs : int | None, default None
        Number of threads. None or -1: one per core.
    """

    _sparse = True
    random_state: Any = None

    def _allows_nan(self) -> bool:
        return False

    def __init__(
        self,
        *,
        ngram_range: tuple[int, int] = (1, 1),
        stop_words: str | None = None,
        lowercase: bool = True,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        norm: str | None = "l2",
        use_idf: bool = True,
        sublinear_tf: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.ngram_range = ngram_range
        self.stop_words = stop_words
        self.lowercase = lowercase
        self.min_df = min_df
        self.max_df = max_df
        self.norm = norm
        self.use_idf = use_idf
        self.sublinear_tf = sublinear_tf
        self.n_jobs = n_jobs

    def _learn(self, data: _inputs.Input) -> None:
        self._document_count = data.rows

    def _transforms(self) -> str:
        least, most = self.min_df, self.max_df
        if isinstance(least, float):
            least = max(1, math.ceil(self._documents("min_df") * least))
        if isinstance(most, int):
            most = min(1.0, most / self._documents("max_df"))
        return (
            f"tfidf:tf={'log' if self.sublinear_tf else 'count'}"
            f":idf={'smooth' if self.use_idf else 'none'}:norm={self.norm or 'none'}"
            f":min-df={least}:max-df={most!r}"
        )

    def _documents(self, parameter: str) -> int:
        count: int | None = self.__dict__.get("_document_count")
        if count is None:
            form = "a number" if parameter == "min_df" else "a fraction"
            raise ValueError(f"{parameter}: expected {form} for files")
        return count

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Column of each word."""
        return {word: column for column, word in enumerate(self.get_feature_names_out())}

    @property
    def idf_(self) -> Any:
        """Inverse document frequency of each word."""
        if not self.use_idf:
            raise AttributeError("this TfidfVectorizer has use_idf=False")
        return self._array("weight").astype(np.float64)

    def _reading(self) -> dict[str, Any]:
        low, high = range_of("ngram_range", self.ngram_range)
        return {
            "ngrams": f"{low}-{high}" if low != high else (None if low == 1 else str(low)),
            "stop_words": self.stop_words,
            "keep_case": None if self.lowercase else True,
        }

    def _read(self, context: _cleave.Context, X: Any, y: Any) -> tuple[_cleave.Data, Any]:
        if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
            X = list(X) if getattr(X, "ndim", 0) == 1 else X
        return super()._read(context, X, y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = False
        return tags
