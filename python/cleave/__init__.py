"""Large-scale supervised learning: linear models, kernels, neighbors, trees, boosting and text.

Estimators have the interface of scikit-learn and are loaded on first use::

    from cleave import LinearSVC

    model = LinearSVC(C=0.5).fit(X, y)
    model.predict(X)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._cleave import version as __version__
from ._runtime import CleaveWarning

if TYPE_CHECKING:
    # "as": exported, for type checkers
    from ._functions import (
        compare as compare,
        cross_validate as cross_validate,
        crowd as crowd,
        describe as describe,
        evaluate as evaluate,
        explain as explain,
        import_model as import_model,
        load as load,
        plot as plot,
        tables as tables,
        train as train,
        tune as tune,
    )
    from ._transformers import (
        PCA as PCA,
        TableEncoder as TableEncoder,
        TfidfVectorizer as TfidfVectorizer,
        Transformer as Transformer,
    )
    from .estimators import *  # noqa: F403

_ESTIMATORS = (
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelPerceptron",
    "KernelSVC",
    "LMS",
    "LinearRegression",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "MLPClassifier",
    "MLPRegressor",
    "NearestNeighbors",
    "Perceptron",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Ridge",
    "TextClassifier",
    "Winnow",
)

_RECOMMENDERS = ("MatrixFactorization",)  # X has users and items, not features

_FUNCTIONS = (
    "compare",
    "cross_validate",
    "crowd",
    "describe",
    "evaluate",
    "explain",
    "import_model",
    "load",
    "plot",
    "tables",
    "train",
    "tune",
)
_TRANSFORMERS = ("Transformer", "PCA", "TableEncoder", "TfidfVectorizer")

__all__ = [
    "CleaveWarning", "__version__", *_ESTIMATORS, *_RECOMMENDERS, *_FUNCTIONS, *_TRANSFORMERS
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS or name in _RECOMMENDERS:
        from . import estimators

        value = getattr(estimators, name)
    elif name in _FUNCTIONS:
        from . import _functions

        value = getattr(_functions, name)
    elif name in _TRANSFORMERS:
        from . import _transformers

        value = getattr(_transformers, name)
    else:
        raise AttributeError(f"module 'cleave' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
