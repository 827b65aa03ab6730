"""MatrixFactorization: ratings of items by users."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cleave

RATINGS = 3000


@pytest.fixture(scope="module")
def ratings() -> tuple[Any, Any]:
    """Users, items, and ratings of rank 2 with little noise."""
    random = np.random.default_rng(3)
    pairs = np.column_stack([random.integers(0, 80, RATINGS), random.integers(100, 130, RATINGS)])
    users, items = random.normal(size=(80, 2)), random.normal(size=(130, 2))
    values = (users[pairs[:, 0]] * items[pairs[:, 1]]).sum(axis=1)
    return pairs, np.round(values + random.normal(size=RATINGS) / 50, 3)


def small() -> Any:
    return cleave.MatrixFactorization(n_factors=2, max_iter=20, regularization=0.01)


def test_prediction_of_ratings(ratings: Any) -> None:
    pairs, values = ratings
    model = small().fit(pairs[:2500], values[:2500])
    assert model.score(pairs[2500:], values[2500:]) > 0.9
    with pytest.warns(cleave.CleaveWarning, match="absent"):
        unknown = model.predict([[10**6, 10**7]])[0]
    assert unknown == pytest.approx(values[:2500].mean(), abs=1e-4)


def test_every_form_of_pairs_is_the_same_model(ratings: Any, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pairs, values = ratings
    expected = small().fit(pairs, values).model_.to_bytes()
    frame = pandas.DataFrame({"time": 0, "item": pairs[:, 1], "user": pairs[:, 0]})
    for X in (pairs.tolist(), pairs.astype(float), pairs.astype(str), pairs[:, ::-1][:, ::-1],
              frame, pandas.DataFrame(pairs)):  # fmt: skip
        assert small().fit(X, values).model_.to_bytes() == expected
    path = tmp_path / "ratings.csv"
    frame.assign(rating=values)[["user", "item", "rating"]].to_csv(path, index=False)
    model = small().fit(path)
    assert model.model_.to_bytes() == expected
    assert model.score(path) == pytest.approx(model.score(frame, values), abs=1e-9)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert (twin.predict(frame) == model.predict(pairs)).all()


def test_recommendations(ratings: Any) -> None:
    pairs, values = ratings
    model = small().fit(pairs[pairs[:, 1] != 100 + pairs[:, 0] % 30],
                        values[pairs[:, 1] != 100 + pairs[:, 0] % 30])  # fmt: skip
    user = int(pairs[0, 0])
    items, scores = model.recommend(user, 30, include_rated=True)
    assert len(items) == 30 and (np.diff(scores) <= 0).all()
    assert model.predict([(user, item) for item in items]) == pytest.approx(scores, abs=1e-6)
    rated = {str(item) for item in pairs[pairs[:, 0] == user, 1] if item != 100 + user % 30}
    assert set(model.recommend(user, 30)[0]) == set(items) - rated
    similar, cosines = model.similar_items(items[0], 5)
    assert items[0] not in similar and (np.abs(cosines) <= 1).all()
    with pytest.raises(ValueError, match="'stranger'.*\nhint: "):
        model.recommend("stranger")
    with pytest.raises(ValueError, match="n_items"):
        model.recommend(user, 0)


def test_the_method_by_name(ratings: Any) -> None:
    pairs, values = ratings
    model = cleave.train("uv", pairs, values, rank=2, epochs=20, **{"lambda": 0.01})
    assert model.model_.to_bytes() == small().fit(pairs, values).model_.to_bytes()
    assert len(model.recommend(int(pairs[0, 0]), 3, include_rated=True)[0]) == 3


def test_counts_without_ratings() -> None:
    seen = [("ann", "tea"), ("ann", "cup"), ("bob", "tea"), ("bob", "cup"), ("cy", "nut"),
            ("cy", "bolt"), ("dan", "nut"), ("dan", "bolt"), ("dan", "tea")]  # fmt: skip
    model = cleave.MatrixFactorization(n_factors=2, implicit=True, alpha=10.0).fit(seen)
    assert model.recommend("cy", 1)[0].tolist() == ["tea"]


def test_sample_weights(ratings: Any) -> None:
    pairs, values = ratings
    even = np.arange(RATINGS) % 2 == 0
    model = small().fit(pairs, np.where(even, values, -values), sample_weight=even * 1.0 + 1e-6)
    assert model.score(pairs[even], values[even]) > 0.7
    assert model.score(pairs[~even], values[~even]) > 0.6
    assert small().fit(pairs, np.where(even, values, -values)).score(pairs, values) < 0.3


@pytest.mark.parametrize(
    "X",
    [[], [[1]], [1, 2, 3], [[1.5, 2]], [["a", None]], np.zeros((3, 2, 2)), [["", "b"]],
     np.array([[1.0, np.nan]]), np.array([[1.5, 2.0]]), np.array([[1j, 2]])],
    ids=str,
)  # fmt: skip
def test_wrong_pairs(X: Any) -> None:
    with pytest.raises(ValueError, match="user|item"):
        cleave.MatrixFactorization().fit(X, np.ones(len(X)))
