"""A user's program, checked by mypy --strict and run by the tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import cleave
from cleave import LinearSVC, Ridge


def main(folder: str) -> float:
    X: NDArray[np.float64] = np.random.default_rng(0).normal(size=(90, 3))
    model: LinearSVC = LinearSVC(C=2.0, probability=True).fit(X, X[:, 0] > 0)
    predicted: NDArray[Any] = model.predict(X)
    scores: NDArray[np.float64] = model.decision_function(X)
    accuracy: float = model.score(X, X[:, 0] > 0)
    targets: NDArray[np.float64] = Ridge(alpha=0.1).fit(X, scores).predict(X)
    model.save(folder + "/some.model")
    cleave.load(folder + "/some.model").predict(X)
    evaluation = cleave.evaluate(model, X, predicted)
    low: float = evaluation["accuracy"][1]
    cleave.TextClassifier(ngram_range=(1, 2)).fit(["a b", "c d"] * 9, ["x", "y"] * 9)
    cleave.PCA(n_components=2).fit(X).explained_variance_ratio_
    return accuracy + low + float(targets[0])
