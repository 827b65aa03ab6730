"""Calls that succeed and calls that fail keep no memory: the interpreter's blocks do not grow.

A lost reference to a list, a string, an array or a number keeps at least a block per call.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cleave
from cleave import _cleave

CALLS = 20

random = np.random.default_rng(0)
X = random.normal(size=(60, 4)).astype(np.float32)
y = np.arange(60) % 3
out = np.empty(60, dtype=np.int64)
texts, classes = ["claim your free prize", "lunch at noon tomorrow"] * 10, ["spam", "ham"] * 10
context = _cleave.Context()
linear = cleave.LogisticRegression().fit(X, y)
forest = cleave.RandomForestClassifier(n_estimators=3).fit(X, y)
kernel = cleave.KernelSVC().fit(X, y)
model = linear.model_
csr = (X.ravel(), np.tile(np.arange(4, dtype=np.int32), 60), np.arange(0, 241, 4, dtype=np.int32))

answers = "/proc/self/fd/%d" % os.memfd_create("answers")
with open(answers, "w") as file:
    file.write("task,worker,label\na,x,1\na,y,0\nb,x,0\nb,y,0\n")


def closed_file() -> Any:
    with open(__file__) as file:
        pass
    return file


def data() -> Any:
    return _cleave.Data.from_matrix(context, X, y, None, None, None, True)


def stream() -> None:
    online = cleave.LinearSVC().partial_fit(X, y, classes=[0, 1, 2])
    online.partial_fit(X[:1], y[:1])
    online.predict(X)


def contents() -> Any:
    return [
        [getattr(model, name) for name in ("method", "labels", "positive", "params", "context")],
        model.feature_names(), model.array_names(), model.weights(), model.array("weights"),
        model.array("nothing"), forest.model_.importances(), forest.model_.tree_node(0, 0),
        kernel.support_,
    ]  # fmt: skip


def texts_call() -> None:
    made = cleave.TextClassifier().fit(texts, classes)
    made.predict(texts[:3])
    made.update_model(texts, classes)


GOOD: dict[str, Callable[[], Any]] = {
    "linear": lambda: pickle.loads(pickle.dumps(cleave.LinearSVC().fit(X, y))).predict(X),
    "trees": lambda: cleave.GradientBoostingClassifier(n_estimators=2).fit(X, y).predict_proba(X),
    "neighbors": lambda: cleave.NearestNeighbors().fit(X).kneighbors(X[:3]),
    "regression": lambda: cleave.Ridge().fit(X, X[:, 0]).coef_,
    "texts": texts_call,
    "stream": stream,
    "contents": contents,
    "evaluate": lambda: cleave.evaluate(linear, X, y),
    "cross_validate": lambda: cleave.cross_validate("tree", X, y, folds=2),
    "explain": lambda: (cleave.explain(linear, X, 3), cleave.explain(forest)),
    "warm start": lambda: cleave.LogisticRegression(warm_start=True).fit(X, y).fit(X, y),
    "pipeline": lambda: pickle.loads(pickle.dumps(cleave.PCA(2).fit(X))).transform(X),
    "tables": _cleave.tables,
    "crowd": lambda: cleave.crowd(answers),
    "ratings": lambda: ratings.fit(pairs, y).recommend(1) and ratings.similar_items(1),
    "networks": lambda: cleave.MLPClassifier(max_iter=1).fit(X, y).coefs_,
}
pairs, ratings = np.arange(120).reshape(60, 2) % 7, cleave.MatrixFactorization(n_factors=2)
BAD: dict[str, Callable[[], Any]] = {
    "an unknown user": lambda: ratings.fit(pairs, y).recommend("stranger"),
    "columns": lambda: linear.predict(X[:, :2]),
    "missing values": lambda: linear.predict(np.full((2, 4), np.nan)),
    "complex": lambda: linear.predict(X.astype(complex)),
    "no rows": lambda: linear.predict(X[:0]),
    "objects": lambda: cleave.LinearSVC().fit(np.array([[object()] * 4] * 60), y),
    "a closed file": lambda: cleave.LinearSVC().fit(closed_file(), y),
    "an option": lambda: cleave.train("svm", X, y, nothing=3),
    "short output": lambda: model.predict(X, out[:3], None, None),
    "output type": lambda: model.predict(X, out.astype(float), None, None),
    "read-only output": lambda: model.predict(X, np.frombuffer(bytes(480), np.int64), None, None),
    "no matrix": lambda: model.predict(object(), None, None, None),
    "one row": lambda: model.predict(X[0], None, None, None),
    "arguments": lambda: model.predict(X),
    "objects in place": lambda: model.predict(X.astype(object), None, None, None),
    "method": lambda: _cleave.Model.train(context, "none", data(), None, {}, None),
    "start": lambda: _cleave.Model.train(context, "svm", data(), None, {}, 3),
    "validation": lambda: _cleave.Model.train(context, "svm", data(), 3, {}, None),
    "option name": lambda: _cleave.Model.train(context, "svm", data(), None, {3: "a"}, None),
    "option value": lambda: _cleave.Model.train(context, "svm", data(), None, {"C": 3}, None),
    "option numbers": lambda: _cleave.Model.train(
        context, "svm", data(), None, {"class_weight": {"a": "b"}}, None
    ),
    "stream from": lambda: _cleave.Stream(context, "svm", {}, 3),
    "stream method": lambda: _cleave.Stream(context, "nothing", {}, None),
    "bytes": lambda: _cleave.Model.from_bytes(context, b"nonsense" * 100),
    "load": lambda: _cleave.Model.load(context, "/nonexistent"),
    "save": lambda: model.save("/nonexistent/x"),
    "path": lambda: model.save(3),
    "labels": lambda: _cleave.Data.from_matrix(context, X, y[:3], None, None, None, True),
    "label names": lambda: _cleave.Data.from_matrix(context, X, y, ["a", 3], None, None, True),
    "column names": lambda: _cleave.Data.from_matrix(context, X, y, None, None, ["a"], True),
    "weights": lambda: _cleave.Data.from_matrix(
        context, X, y, None, X[0, :3].copy(), None, True
    ),
    "texts": lambda: _cleave.Data.from_texts(context, ["a", 3], None, None, {}, None, False),
    "text labels": lambda: _cleave.Data.from_texts(
        context, ["a", "b"], y[:1], ["x"], {}, None, False
    ),
    "surrogate": lambda: _cleave.Data.from_texts(context, ["\udc80"], None, None, {}, None, False),
    "capsule": lambda: _cleave.Data.from_arrow(context, 3, None, None, None, {}, None),
    "open": lambda: _cleave.Data.open(context, ["/nonexistent"], {}, None, "new"),
    "open for": lambda: _cleave.Data.open(context, [__file__], {}, 3, "new"),
    "no list": lambda: _cleave.Data.open(context, __file__, {}, None, "new"),
    "short CSR": lambda: model.predict((*csr[:2], csr[2][:-30], 2), out, None, None),
    "CSR parts": lambda: model.predict(csr[:2], out, None, None),
    "CSR types": lambda: model.predict((csr[0], csr[0], csr[2], 4), out, None, None),
    "CSR columns": lambda: model.predict((csr[0], csr[1] + 9, csr[2], 4), out, None, None),
    "searcher": lambda: _cleave.Searcher(model, {}),
    "transform": lambda: _cleave.Pipeline.fit(context, "nothing", data(), 1),
    "plot": lambda: _cleave.plot(context, "nothing", model, None, {}, {}, "svg"),
    "plot of": lambda: _cleave.plot(context, "curve", 3, None, {}, {}, "svg"),
    "folds": lambda: _cleave.cross_validate(context, "svm", data(), {"nothing": "1"}, {}),
    "tune": lambda: _cleave.tune(context, "svm", data(), {"nothing": "1"}, {}),
    "compare": lambda: _cleave.compare(context, data(), {"nothing": "1"}),
    "describe": lambda: _cleave.describe(context, ["/nonexistent"], {}),
    "explain": lambda: model.explain(data(), 1000),
    "crowd": lambda: cleave.crowd("/nonexistent"),
    "crowd output": lambda: cleave.crowd(answers, output="/nonexistent/x"),
    "update": lambda: kernel.update_model(X, y),
}


def keeps_memory(call: Callable[[], Any], rounds: int = 60) -> bool:
    """Whether every one of some rounds of calls keeps a block per call or more. Caches grow in the
    first rounds only; the cache of small arrays of NumPy 2.4 fills for hundreds of calls."""
    for _ in range(rounds):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(CALLS):
            call()
        gc.collect()
        if sys.getallocatedblocks() - before < CALLS:
            return False
    return True


@pytest.mark.parametrize("name", GOOD)
def test_a_call_keeps_nothing(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        GOOD[name]()
        assert not keeps_memory(GOOD[name])


@pytest.mark.parametrize("name", BAD)
def test_a_refused_call_keeps_nothing(name: str) -> None:
    def refused() -> None:
        try:
            BAD[name]()
        except (ValueError, TypeError, OSError):
            return
        pytest.fail("not refused")

    refused()
    assert not keeps_memory(refused)


def test_the_test_finds_a_lost_block() -> None:
    kept: list[Any] = []
    assert keeps_memory(lambda: kept.append([object()]), rounds=4)
