"""Every estimator: parameters, attributes, pickles, threads, fork, interrupts, bad input."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import cleave

NAMES = [name for name in cleave._ESTIMATORS if name != "TextClassifier"]


def fitted(name: str, X: Any, y: Any, **params: Any) -> Any:
    estimator = getattr(cleave, name)(**params)
    if name == "Winnow":
        X = (np.asarray(X) > 0).astype(np.float32)
    if name == "LMS":
        estimator.set_params(normalize=True)
    return estimator.fit(X, y)


@pytest.mark.parametrize("name", cleave._ESTIMATORS + cleave._RECOMMENDERS)
def test_parameters_follow_the_tables(name: str) -> None:
    kind = getattr(cleave, name)
    info = next(m for m in cleave.tables()["methods"] if m["name"] == kind._method)
    options = {param["name"] for param in info["params"]}
    common = {param["name"] for table in ("train", "read") for param in cleave.tables()[table]}
    assert {option for _, option, _, _ in kind._mapped} <= options | common
    parameters = inspect.signature(kind).parameters
    assert {parameter for parameter, _, _, _ in kind._mapped} <= set(parameters)
    for parameter in parameters:
        assert f"\n    {parameter} : " in kind.__doc__
    assert repr(kind()) == f"{name}()"


@pytest.mark.parametrize("name", NAMES)
def test_pickle_copy_and_bytes(name: str, blobs: Any) -> None:
    X, y = blobs
    estimator = fitted(name, X, y)
    rows = (X > 0).astype(np.float32) if name == "Winnow" else X
    for twin in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
        assert twin.model_.to_bytes() == estimator.model_.to_bytes()
        if name == "NearestNeighbors":
            assert (twin.kneighbors(rows)[1] == estimator.kneighbors(rows)[1]).all()
        else:
            assert (twin.predict(rows) == estimator.predict(rows)).all()
    assert estimator.model_.to_bytes() in pickle.dumps(estimator)


def test_labels_of_every_kind(blobs: Any) -> None:
    X, y = blobs
    for labels in (y, y.astype(np.int8), y.astype(float), np.array(["b", "a", "c"])[y], y > 0,
                   np.array(["b", "a", "c"], dtype=object)[y], [int(v) for v in y]):  # fmt: skip
        estimator = cleave.LogisticRegression().fit(X, labels)
        assert (estimator.classes_ == np.unique(labels)).all()
        assert set(estimator.predict(X)) <= set(np.unique(labels))
        assert estimator.predict_proba(X).shape == (len(y), len(np.unique(labels)))
        assert estimator.predict_proba(X).sum(axis=1) == pytest.approx(1)
        assert estimator.score(X, labels) > 0.7


def test_scores_and_weights_agree(blobs: Any) -> None:
    X, y = blobs
    for labels in (y, np.where(y > 0, "high", "low"), np.where(y > 0, -1, 1)):
        estimator = cleave.LinearSVC().fit(X, labels)
        scores = estimator.decision_function(X)
        made = X @ estimator.coef_.T + estimator.intercept_
        assert np.atleast_2d(scores.T).T.reshape(made.shape) == pytest.approx(made, abs=1e-5)
        best = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        assert (estimator.classes_[best] == estimator.predict(X)).all()
    regression = cleave.LinearRegression().fit(X, X @ np.arange(6) + 3)
    assert regression.coef_ == pytest.approx(np.arange(6), abs=1e-4)
    assert regression.intercept_ == pytest.approx(3, abs=1e-4)


def test_fitted_attributes(blobs: Any) -> None:
    X, y = blobs
    forest = cleave.RandomForestClassifier(n_estimators=7).fit(X, y)
    assert forest.model_.tree_count == 7
    assert forest.feature_importances_.sum() == pytest.approx(1)
    assert forest.feature_importances_.argmax() == 0
    assert forest.n_features_in_ == 6
    kernel = cleave.KernelSVC().fit(X, y)
    assert 0 < len(kernel.support_) <= len(X) and kernel.support_.max() < len(X)
    assert (kernel.support_vectors_ == X[kernel.support_]).all()
    assert kernel.n_support_.sum() == len(kernel.support_) and len(kernel.n_support_) == 3
    assert 0.5 < forest.oob_score_ < 1
    assert 0.5 < cleave.RandomForestRegressor(n_estimators=20).fit(X, X[:, 0]).oob_score_ < 1
    tree = cleave.DecisionTreeClassifier(max_depth=2, prune="none").fit(X, y)
    assert (tree.get_depth(), tree.get_n_leaves()) == (2, 4)
    assert cleave.GradientBoostingClassifier(n_estimators=5).fit(X, y).n_iter_ == 5
    svc = cleave.LinearSVC(probability=True).fit(X, y)
    assert svc.predict_proba(X).shape == (len(X), 3)
    assert not hasattr(cleave.LinearSVC().fit(X, y), "predict_proba")


def test_class_and_sample_weights(blobs: Any) -> None:
    X, y = blobs
    plain = cleave.LogisticRegression().fit(X, y)
    heavy = cleave.LogisticRegression(class_weight={0: 20}).fit(X, y)
    assert (heavy.predict(X) == 0).sum() > (plain.predict(X) == 0).sum()
    weighted = cleave.LogisticRegression().fit(X, y, sample_weight=np.where(y == 0, 20.0, 1.0))
    assert weighted.coef_ == pytest.approx(heavy.coef_, rel=1e-3, abs=1e-3)


def test_monotone_constraints(blobs: Any) -> None:
    X = blobs[0]
    y = np.sin(2 * X[:, 0]) + X[:, 0]
    for constraint in ([1, 0, 0, 0, 0, 0], {"0": 1}):
        model = cleave.GradientBoostingRegressor(monotonic_cst=constraint).fit(X, y)
        grid = np.zeros((50, 6), dtype=np.float32)
        grid[:, 0] = np.linspace(-3, 6, 50)
        assert (np.diff(model.predict(grid)) >= -1e-9).all()


def test_monotone_constraints_by_name(blobs: Any) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X = blobs[0]
    numbers = pandas.DataFrame(X[:, :2], columns=["a", "b"])
    table = numbers.assign(c=np.where(X[:, 2] > 0, "x", "y"))
    y = np.sin(2 * X[:, 0]) + X[:, 0]
    for frame in (numbers, table):
        signs = [1, 0, 0][: frame.shape[1]]
        models = [cleave.GradientBoostingRegressor(monotonic_cst=constraint).fit(frame, y)
                  for constraint in ({"a": 1}, signs)]  # fmt: skip
        assert models[0].model_.to_bytes() == models[1].model_.to_bytes()
        grid = frame.iloc[[0] * 50].assign(a=np.linspace(-3, 6, 50))
        assert (np.diff(models[0].predict(grid)) >= -1e-9).all()
        with pytest.raises(ValueError, match="monotonic_cst: expected a column"):
            cleave.GradientBoostingRegressor(monotonic_cst={"nothing": 1}).fit(frame, y)


def test_a_limit_is_a_warning(blobs: Any) -> None:
    with pytest.warns(cleave.CleaveWarning, match="not converged after 1 iteration") as found:
        cleave.LogisticRegression(max_iter=1).fit(*blobs)
    assert found[0].filename == __file__ and "increase max_iter" in str(found[0].message)
    with pytest.raises(ValueError, match="max_iter: expected at least 1"):
        cleave.LogisticRegression(max_iter=0).fit(*blobs)


@pytest.mark.parametrize("name", NAMES)
def test_load_returns_the_estimator(name: str, blobs: Any, tmp_path: Any) -> None:
    X, y = blobs
    made = fitted(name, X, y)
    made.save(tmp_path / "some.model")
    loaded = cleave.load(tmp_path / "some.model")
    assert type(loaded) is type(made) and loaded.n_features_in_ == 6
    rows = (X > 0).astype(np.float32) if name == "Winnow" else X
    for method in ("predict", "decision_function", "kneighbors"):
        assert hasattr(loaded, method) == hasattr(made, method)
        if hasattr(made, method):
            assert np.array_equal(getattr(loaded, method)(rows), getattr(made, method)(rows))
    again = loaded.fit(rows, y)
    assert again.get_params() == loaded.get_params()


def test_parameters_of_a_loaded_model(blobs: Any, tmp_path: Any) -> None:
    X, y = blobs
    params = {"monotonic_cst": {0: 1.0, 2: -1.0}, "max_depth": 3, "class_weight": {False: 2.0, True: 1.5},
              "n_estimators": 7, "random_state": 5}  # fmt: skip
    cleave.GradientBoostingClassifier(**params).fit(X, y > 0).save(tmp_path / "some.model")
    loaded = cleave.load(tmp_path / "some.model")
    assert {name: loaded.get_params()[name] for name in params} == params
    network = cleave.MLPClassifier(hidden_layer_sizes=(5, 4), activation="logistic", max_iter=2)
    network.fit(X, y).save(tmp_path / "some.model")
    loaded = cleave.load(tmp_path / "some.model")
    assert (loaded.hidden_layer_sizes, loaded.activation, loaded.max_iter) == ((5, 4), "logistic", 2)


def test_train_has_the_attributes_of_the_method(blobs: Any) -> None:
    X, y = blobs
    near = cleave.train("knn", X, y, k=3)
    assert near.kneighbors(X[:4])[1].shape == (4, 3) and near.n_samples_fit_ == len(X)
    assert cleave.train("mlp", X, y, epochs=1).coefs_[0].shape == (6, 128)
    assert cleave.train("tree", X, y).get_n_leaves() > 1
    online = cleave.train("svm", X, y).partial_fit(X[:3], y[:3])
    assert online.score(X, y) > 0.5
    for name in ("support_", "coefs_", "oob_score_"):
        with pytest.raises(AttributeError):
            getattr(online, name)


def test_warm_start_continues(blobs: Any) -> None:
    X, y = blobs
    short = cleave.LogisticRegression(max_iter=2, warm_start=True).fit(X, y)
    before = short.report_["loss"]
    short.set_params(max_iter=500)
    short.fit(X, y)
    whole = cleave.LogisticRegression().fit(X, y)
    assert short.report_["loss"] <= before
    assert short.coef_ == pytest.approx(whole.coef_, abs=0.02)


@pytest.mark.parametrize("name", ["GradientBoostingClassifier", "RandomForestClassifier"])
def test_warm_start_adds_trees(name: str, blobs: Any) -> None:
    """n_estimators counts all trees, as in scikit-learn."""
    X, y = blobs
    model = fitted(name, X, y, n_estimators=5, warm_start=True)
    each = model.model_.tree_count // 5
    model.set_params(n_estimators=8).fit(X, y)
    assert (model.model_.tree_count, model.n_iter_) == (8 * each, 8)
    with pytest.warns(cleave.CleaveWarning, match="already has n_estimators=8"):
        model.fit(X, y)
    assert model.model_.tree_count == 8 * each
    with pytest.raises(ValueError, match="less than the 8"):
        model.set_params(n_estimators=3).fit(X, y)


def test_partial_fit(blobs: Any) -> None:
    X, y = blobs
    for name in ("LinearSVC", "LogisticRegression", "Perceptron"):
        online = getattr(cleave, name)()
        with pytest.raises(ValueError, match="classes must be passed"):
            online.partial_fit(X, y)
        for start in range(0, len(X), 40):
            online.partial_fit(X[start : start + 40], y[start : start + 40], classes=[0, 1, 2])
        for row in range(20):
            online.partial_fit(X[row : row + 1], y[row : row + 1])
        assert online.score(X, y) > 0.55
        twin = pickle.loads(pickle.dumps(online))
        assert (twin.predict(X) == online.predict(X)).all()
        twin.partial_fit(X[:5], y[:5])
        with pytest.raises(ValueError, match="not in classes"):
            online.partial_fit(X[:1], [9])
    values = X @ np.arange(6)
    online = cleave.LinearSVR()
    for _ in range(5):
        online.partial_fit(X, values)
    assert online.score(X, values) > 0.9


def test_update(blobs: Any, texts: Any) -> None:
    X, y = blobs
    for name in ("LinearSVC", "RandomForestClassifier", "KNeighborsClassifier"):
        model = fitted(name, X[:120], y[:120])
        before = model.score(X, y)
        assert model.update_model(X[120:], y[120:]) is model
        assert model.score(X, y) > before - 0.05 and model.report_["rows"] == 120
    line = cleave.LinearRegression().fit(X[:120], X[:120, 0]).update_model(X[120:], X[120:, 0])
    assert line.score(X, X[:, 0]) > 0.99
    mail = cleave.TextClassifier().fit(*texts)
    mail.update_model(["election results tonight", "election debate tonight"], ["news", "news"])
    assert list(mail.classes_) == ["ham", "news", "spam"]
    assert list(mail.predict(["election debate tonight", "free prize"])) == ["news", "spam"]
    with pytest.raises(ValueError, match="kernel-svm"):
        cleave.KernelSVC().fit(X, y).update_model(X, y)


def test_neighbors(blobs: Any) -> None:
    X, y = blobs
    model = cleave.NearestNeighbors(n_neighbors=3).fit(X)
    distances, rows = model.kneighbors(X[:10])
    exact = np.sqrt(((X[:10, None] - X[None]) ** 2).sum(axis=2))
    assert (rows == exact.argsort(axis=1, kind="stable")[:, :3]).all()
    assert distances == pytest.approx(np.sort(exact, axis=1)[:, :3], abs=1e-4)
    assert (model.kneighbors(return_distance=False) != np.arange(len(X))[:, None]).all()
    for rows in (np.arange(90000).reshape(900, 100) % 251, np.arange(90000.0).reshape(900, 100) % 7 / 8,
                 np.arange(90000.0).reshape(900, 100) % 11 * 2.0**20):  # fmt: skip
        narrow = cleave.NearestNeighbors(n_neighbors=2, algorithm="brute").fit(rows.astype(np.float32))
        assert len(narrow.model_.to_bytes()) < 250000  # of 360,000 as float32
        assert (narrow._training_rows() == rows).all()
        assert narrow.kneighbors()[1].shape == (900, 2)
    with pytest.raises(ValueError, match="n_neighbors"):
        model.kneighbors(X, n_neighbors=1000)
    classifier = cleave.KNeighborsClassifier(n_neighbors=3, weights="distance").fit(X, y)
    assert classifier.kneighbors(X[:4], 2)[1].shape == (4, 2)
    assert classifier.score(X, y) == 1.0


def test_layers_of_networks(blobs: Any) -> None:
    X, y = blobs
    target = X[:, 0] * X[:, 1]
    for estimator, scores in (
        (cleave.MLPClassifier(hidden_layer_sizes=(16, 8), max_iter=5).fit(X, y), "decision_function"),
        (cleave.MLPRegressor(hidden_layer_sizes=16, max_iter=5).fit(X, target), "predict"),
    ):
        outputs = X.astype(np.float64)
        for i, (weights, constants) in enumerate(zip(estimator.coefs_, estimator.intercepts_)):
            outputs = outputs @ weights + constants
            if i + 2 < estimator.n_layers_:
                outputs = np.maximum(outputs, 0)
        found = getattr(estimator, scores)(X)
        assert outputs.reshape(found.shape) == pytest.approx(found, abs=1e-4)
        assert estimator.n_layers_ == np.size(estimator.hidden_layer_sizes) + 2
    largest = cleave.explain(estimator).features[0]
    assert largest[1].startswith("unit ")
    assert abs(largest[2]) == pytest.approx(np.abs(estimator.coefs_[0]).max())
    named = cleave.MLPClassifier(
        learning_rate="constant", learning_rate_init=0.01, activation="logistic", alpha=1e-4
    )
    params = named.fit(X, y).model_.params
    assert [params[name] for name in ("schedule", "learning_rate", "activation", "l2")] == [
        "fixed", "0.01", "sigmoid", "0.0001",
    ]  # fmt: skip


def test_winnow_takes_binary_features(blobs: Any) -> None:
    X, y = blobs
    binary = (X > 0).astype(np.float32)
    online = cleave.Winnow().partial_fit(binary[:9], y[:9] > 0, classes=[False, True])
    assert online.partial_fit(binary, y > 0).score(binary, y > 0) > 0.5
    with pytest.raises(ValueError, match="binary features"):
        cleave.Winnow().fit(X, y)
    assert fitted("Winnow", X, y > 0).score((X > 0).astype(float), y > 0) > 0.5


def test_threads_share_an_estimator(blobs: Any) -> None:
    X, y = blobs
    for name in ("LinearSVC", "GradientBoostingClassifier", "KNeighborsClassifier", "KernelSVC"):
        model = fitted(name, X, y)  # a quarter of a million predictions of each
        expected = model.predict(X)

        def check(seed: int) -> int:
            random = np.random.default_rng(seed)
            wrong = 0
            for _ in range(500):
                rows = random.integers(0, len(X), size=random.integers(1, 130))
                wrong += int((model.predict(X[rows]) != expected[rows]).sum())
            return wrong

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(check, range(8))) == 0


def test_fork_after_fit(blobs: Any) -> None:
    X, y = blobs
    models = [fitted(name, X, y) for name in ("LinearSVC", "RandomForestClassifier")]
    expected = [model.predict(X) for model in models]
    for _ in range(100):
        child = os.fork()
        if child == 0:
            same = all((m.predict(X) == e).all() for m, e in zip(models, expected))
            same = same and fitted("LogisticRegression", X, y).score(X, y) > 0.5
            os._exit(0 if same else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


ENDLESS = 10**8
MOST_SECONDS = 2.0 if "SANITIZE" in os.environ else 0.2  # until KeyboardInterrupt
SLOW: dict[str, dict[str, Any]] = {
    "DecisionTreeClassifier": {},
    "DecisionTreeRegressor": {},
    "GradientBoostingClassifier": {"n_estimators": 10**6},
    "GradientBoostingRegressor": {"n_estimators": 10**6},
    "KNeighborsClassifier": {"algorithm": "rtree"},
    "KNeighborsRegressor": {"algorithm": "kdtree"},
    "KernelPerceptron": {"max_iter": ENDLESS},
    "KernelSVC": {"tol": 1e-12, "C": 1e6},
    "LMS": {"max_iter": ENDLESS, "normalize": True, "tol": 0.0},
    "LinearRegression": {},
    "LinearSVC": {"tol": 1e-14, "max_iter": ENDLESS, "solver": "sgd"},
    "LinearSVR": {"tol": 1e-14, "max_iter": ENDLESS},
    "LogisticRegression": {"tol": 1e-15, "max_iter": ENDLESS, "solver": "sgd"},
    "MLPClassifier": {},
    "MLPRegressor": {},
    "NearestNeighbors": {"algorithm": "rtree"},
    "Perceptron": {"max_iter": ENDLESS},
    "RandomForestClassifier": {"n_estimators": 10**5},
    "RandomForestRegressor": {"n_estimators": 10**5},
    "Ridge": {},
    "TextClassifier": {},
    "Winnow": {"max_iter": ENDLESS},
}


@pytest.fixture(scope="module")
def noise() -> Any:
    """Rows without a pattern: labels, targets, and texts of the same."""
    random = np.random.default_rng(0)
    X = random.normal(size=(100_000, 40)).astype(np.float32)
    return X, random.integers(0, 3, size=len(X)), random.normal(size=len(X))


def interrupted(call: Any, delay: float = 0.1) -> float:
    """Sends SIGINT to this process during the call: processor seconds until KeyboardInterrupt."""
    sent: list[float] = []

    def send() -> None:
        time.sleep(delay)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        call()
    except KeyboardInterrupt:
        seconds = time.process_time() - sent[0]
        thread.join()
        return seconds
    try:
        thread.join()
        time.sleep(10)
    except KeyboardInterrupt:
        pytest.fail("the call ended before the interrupt")
    pytest.fail("no interrupt")


def slow_data(name: str, noise: Any) -> tuple[Any, Any]:
    X, y, values = noise
    if name == "TextClassifier":
        words = [" ".join(map(str, row)) for row in (X * 1000).astype(int)]
        return words, [str(label) for label in y]
    if name in ("LinearRegression", "Ridge"):
        return X.reshape(-1, 2000), values[: X.size // 2000]
    if name == "Winnow":
        return (X > 0).astype(np.float32), y
    if "Neighbors" in name:  # an index of fewer points is ready before the signal
        X, y, values = np.tile(X, (4, 1)), np.tile(y, 4), np.tile(values, 4)
    return X, values if getattr(cleave, name)._kind == "regressor" else y


@pytest.mark.parametrize("name", cleave._ESTIMATORS)
def test_interrupt(name: str, noise: Any) -> None:
    estimator = getattr(cleave, name)(**SLOW[name])
    X, y = slow_data(name, noise)
    assert interrupted(lambda: estimator.fit(X, y)) <= MOST_SECONDS
    assert not estimator.__sklearn_is_fitted__()
    X, y = X[:200], y[:200]
    small = {key: value for key, value in SLOW[name].items() if key in ("algorithm", "normalize")}
    again = getattr(cleave, name)(**small).fit(X, y)
    if name != "NearestNeighbors":
        assert len(again.predict(X)) == 200


def test_interrupt_of_other_calls(noise: Any) -> None:
    X, y, _ = noise
    neighbors = cleave.KNeighborsClassifier(algorithm="brute").fit(X, y)
    kernel = cleave.KernelSVC().fit(X[:1000], y[:1000])
    rows = np.concatenate([X] * 5)
    for call in (
        lambda: neighbors.predict(X),
        lambda: neighbors.kneighbors(X),
        lambda: kernel.predict(rows),
        lambda: cleave.evaluate(neighbors, X, y),
        lambda: cleave.cross_validate("boost", X, y),
        lambda: cleave.tune("boost", X, y),
        lambda: cleave.compare(X, y),
        lambda: cleave.PCA(20).fit(X.reshape(-1, 2000)),
        lambda: cleave.LinearSVC().partial_fit(rows, np.concatenate([y] * 5), classes=[0, 1, 2]),
    ):
        assert interrupted(call) <= MOST_SECONDS
    assert neighbors.predict(X[:10]).shape == (10,)


BAD = [
    (lambda X, y: (X[0], y), "Expected 2D array"),
    (lambda X, y: (X[:, :, None], y), "dim 3"),
    (lambda X, y: (X.astype(complex), y), "Complex data not supported"),
    (lambda X, y: (X[:0], y[:0]), "0 sample"),
    (lambda X, y: (X[:, :0], y), "0 feature"),
    (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
    (lambda X, y: (X, None), "y to be passed"),
    (lambda X, y: (np.where(X > 2, np.inf, X), y), "infinity"),
    (lambda X, y: (np.where(X > 2, np.nan, X), y), "NaN"),
    (lambda X, y: ([["a", "b"], ["c", "d"]], [0, 1]), "could not convert string"),
    (lambda X, y: (X, np.zeros(len(y))), "class"),
    (lambda X, y: (X, np.linspace(0, 1, len(y))), "Unknown label type"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_input(number: int, blobs: Any) -> None:
    change, message = BAD[number]
    estimator = cleave.LinearSVC()
    with pytest.raises(ValueError, match=message):
        estimator.fit(*change(*blobs))
    assert not estimator.__sklearn_is_fitted__()


def test_bad_parameters(blobs: Any) -> None:
    with pytest.raises(ValueError, match="hint:") as caught:
        cleave.DecisionTreeClassifier(min_samples_leaf=0).fit(*blobs)
    assert "min_samples_leaf" in str(caught.value) and "--" not in str(caught.value)
    with pytest.raises(ValueError, match="(?s)loss.*hinge"):
        cleave.LinearSVC(loss="hinges").fit(*blobs)
    with pytest.raises(ValueError, match="Invalid parameter"):
        cleave.LinearSVC().set_params(nothing=1)
    with pytest.raises(OSError, match="cannot be"):
        cleave.LinearSVC().fit("/nonexistent/file.libsvm")
    with pytest.raises(ValueError, match="unknown method"):
        cleave.train("svmm", *blobs)


def test_nothing_leaks(blobs: Any) -> None:
    X, y = blobs
    model = fitted("LinearSVC", X, y)
    out = np.empty(len(X), dtype=np.int64)

    def calls() -> None:
        model.predict(X)
        model.model_.predict(X, out, None, None)
        fitted("LogisticRegression", X, y)
        for wrong in (X[:, :3], np.where(X > 2, np.nan, X)):
            with pytest.raises(ValueError):
                model.predict(wrong)
        with pytest.raises(ValueError):
            model.model_.predict(X, out[:3], None, None)

    for attempt in range(4):  # caches grow in the first
        before = sys.getrefcount(X), sys.getrefcount(out), sys.getrefcount(None)
        for _ in range(50):
            calls()
        after = sys.getrefcount(X), sys.getrefcount(out), sys.getrefcount(None)
        assert after[:2] == before[:2]
        if abs(after[2] - before[2]) < 25:
            return
    pytest.fail("references to None are lost")


def test_nothing_is_printed(blobs: Any, capfd: Any) -> None:
    X, y = blobs
    cleave.LinearSVC(max_iter=1).fit(X, y).predict(X)
    cleave.cross_validate("tree", X, y, folds=2)
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_models_do_not_depend_on_threads(blobs: Any) -> None:
    X, y = blobs
    for name in ("LinearSVC", "RandomForestClassifier", "GradientBoostingClassifier"):
        models = [fitted(name, X, y, n_jobs=jobs).model_.to_bytes() for jobs in (1, 2, None)]
        assert models[0] == models[1] == models[2]


WITHOUT_SKLEARN = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "scipy", "pandas", "pyarrow"):
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
import copy, pickle
import numpy as np
import cleave

X = np.random.default_rng(0).normal(size=(100, 3))
y = X[:, 0] > 0
model = cleave.LinearSVC(C=2.0).fit(X, y)
assert repr(model) == "LinearSVC(C=2.0)" and model.score(X, y) > 0.9
for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
    assert twin.get_params() == model.get_params()
    assert (twin.predict(X) == model.predict(X)).all()
assert cleave.PCA(n_components=2).fit_transform(X).shape == (100, 2)
try:
    cleave.LinearSVC().predict(X)
except ValueError as error:
    assert "not fitted" in str(error)
"""


def test_needs_numpy_only() -> None:
    run = subprocess.run([sys.executable, "-c", WITHOUT_SKLEARN], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_import_loads_numpy_only() -> None:
    code = "import sys, cleave; print([m for m in ('sklearn', 'scipy', 'pandas') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "[]\n"
