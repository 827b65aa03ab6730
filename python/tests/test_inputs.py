"""Every kind of input, and equality with the command."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cleave


def command_model(command: str, tmp_path: Path, method: str, data: Path, *flags: str) -> bytes:
    out = tmp_path / "command.model"
    subprocess.run(
        [command, "train", method, str(data), "-o", str(out), "-q", *flags], check=True
    )
    return out.read_bytes()


def variants(X: Any, tmp_path: Path) -> dict[str, Any]:
    """The same float32 values in other forms."""
    np.save(tmp_path / "rows.npy", X)
    wide = np.zeros((len(X), 2 * X.shape[1]), dtype=np.float32)
    wide[:, ::2] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    return {
        "float64": X.astype(np.float64),
        "Fortran order": np.asfortranarray(X),
        "strided": wide[:, ::2],
        "reversed twice": X[::-1].copy()[::-1],
        "read-only": frozen,
        "memmap": np.load(tmp_path / "rows.npy", mmap_mode="r"),
        "big-endian": X.astype(">f4"),
        "list": X.tolist(),
    }


@pytest.mark.parametrize("method", ["LinearSVC", "GradientBoostingClassifier"])
def test_layouts_give_the_same_model(method: str, blobs: Any, tmp_path: Path) -> None:
    X, y = blobs
    expected = getattr(cleave, method)().fit(X, y)
    for name, same in variants(X, tmp_path).items():
        model = getattr(cleave, method)().fit(same, y)
        assert model.model_.to_bytes() == expected.model_.to_bytes(), name
        assert (model.predict(same) == expected.predict(X)).all(), name


def test_numbers_of_every_type(blobs: Any) -> None:
    X, y = blobs
    X = (X * 3).astype(np.int8)
    expected = cleave.LinearSVC().fit(X.astype(np.float32), y).model_.to_bytes()
    for kind in (np.int8, np.int16, np.int32, np.int64, np.float16, np.float64, np.longdouble):
        assert cleave.LinearSVC().fit(X.astype(kind), y).model_.to_bytes() == expected
    cleave.LinearSVC().fit(X > 0, y)


def test_sparse_of_every_kind(blobs: Any) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    X, y = blobs
    X = np.where(np.abs(X) > 1, X, 0)
    expected = cleave.LinearSVC().fit(sparse.csr_matrix(X), y)
    for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia"):
        for kind in (f"{form}_matrix", f"{form}_array"):
            S = getattr(sparse, kind)(X)
            model = cleave.LinearSVC().fit(S, y)
            assert model.model_.to_bytes() == expected.model_.to_bytes(), kind
            assert (model.predict(S) == expected.predict(X)).all()
    S = sparse.csr_array(X)
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    assert cleave.LinearSVC().fit(S, y).model_.to_bytes() == expected.model_.to_bytes()


def test_dense_equals_the_numpy_file(blobs: Any, tmp_path: Path, command: str) -> None:
    X, y = blobs
    path = tmp_path / "data.npz"
    np.savez(path, X=X, y=y)
    for name, method, params, flags in (
        ("LinearSVC", "svm", {}, ()),
        ("LogisticRegression", "logistic", {"C": 0.5}, ("--C", "0.5")),
        ("RandomForestClassifier", "forest", {"n_estimators": 9}, ("--trees", "9")),
        ("GradientBoostingClassifier", "boost", {"max_depth": 3}, ("--max-depth", "3")),
        ("KNeighborsClassifier", "knn", {"n_neighbors": 4}, ("--k", "4")),
        ("DecisionTreeClassifier", "tree", {"random_state": 5}, ("--seed", "5")),
        ("KernelSVC", "kernel-svm", {"gamma": 0.3}, ("--gamma", "0.3")),
    ):
        made = getattr(cleave, name)(**params).fit(X, y).model_.to_bytes()
        assert made == command_model(command, tmp_path, method, path, *flags), name
        trained = cleave.train(method, X, y, **{flags[i][2:]: flags[i + 1]
                               for i in range(0, len(flags), 2)}).model_.to_bytes()  # fmt: skip
        assert "-" in "".join(flags[::2])[2:] or trained == made


def test_sparse_equals_the_libsvm_file(blobs: Any, tmp_path: Path, command: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    X, y = blobs
    X = np.where(np.abs(X) > 1, X, 0).astype(np.float32)
    path = tmp_path / "data.libsvm"
    path.write_text(
        "".join(
            f"{label} "
            + " ".join(f"{j + 1}:{np.format_float_positional(v, unique=True)}"
                       for j, v in enumerate(row) if v)
            + "\n"
            for row, label in zip(X, y)
        )  # fmt: skip
    )
    made = cleave.LinearSVC().fit(sparse.csr_matrix(X), y)
    assert made.model_.to_bytes() == command_model(command, tmp_path, "svm", path)
    from_file = cleave.LinearSVC().fit(path)
    assert from_file.model_.to_bytes() == made.model_.to_bytes()
    assert (from_file.predict(path) == made.predict(X)).all()
    assert (from_file.classes_ == [0, 1, 2]).all()


def test_texts_equal_the_text_file(texts: Any, tmp_path: Path, command: str) -> None:
    rows, labels = texts
    path = tmp_path / "mail.txt"
    path.write_text("".join(f"{label}\t{text}\n" for text, label in zip(rows, labels)))
    model = cleave.TextClassifier().fit(rows, labels)
    assert model.model_.to_bytes() == command_model(command, tmp_path, "svm", path)
    assert list(model.predict(["free prize", "the meeting"])) == ["spam", "ham"]
    assert list(model.predict(np.array(["free prize"]))) == ["spam"]
    pairs = cleave.TextClassifier(ngram_range=(1, 2)).fit(rows, labels)
    assert pairs.coef_.shape[1] > model.coef_.shape[1]
    assert pairs.model_.to_bytes() == command_model(
        command, tmp_path, "svm", path, "--ngrams", "1-2"
    )


def table() -> tuple[Any, Any]:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(3)
    frame = pandas.DataFrame(
        {
            "age": random.integers(20, 70, 300).astype(float),
            "color": pandas.Categorical(random.choice(["red", "green", "blue"], 300)),
        }
    )
    frame.loc[::17, "age"] = np.nan
    frame.loc[::29, "color"] = None
    return frame, np.where((frame.age > 40) & (frame.color == "red"), "yes", "no")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables(kind: str, tmp_path: Path, command: str) -> None:
    pytest.importorskip("pyarrow")
    library = pytest.importorskip(kind)
    frame, y = table()
    if kind == "polars":
        data = library.from_pandas(frame)
    else:
        data = frame if kind == "pandas" else library.table(frame)
    path = tmp_path / "table.csv"
    frame.assign(label=y).to_csv(path, index=False)
    for name, method in (("GradientBoostingClassifier", "boost"), ("LogisticRegression", "logistic")):
        model = getattr(cleave, name)().fit(data, y)
        assert list(model.feature_names_in_) == ["age", "color"]
        assert model.score(data, y) > 0.9
        expected = command_model(
            command, tmp_path, method, path, "--columns", "age=number,color=category",
            "--label", "label",
        )  # fmt: skip
        assert model.model_.to_bytes() == expected
        from_file = getattr(cleave, name)().fit(path)
        assert (from_file.predict(path) == model.predict(data)).all()
    other = data[["color", "age"]] if kind != "pyarrow" else data.select(["color", "age"])
    assert (model.predict(other) == model.predict(data)).all()  # by name


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_columns_of_a_file_are_matched_by_name(kind: str, tmp_path: Path, blobs: Any) -> None:
    """A model of a file with numbers, and data frames with its columns in another order."""
    pandas = pytest.importorskip("pandas")
    library = pytest.importorskip(kind)
    X, y = blobs
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    frame.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    model = cleave.LinearSVC().fit(tmp_path / "rows.csv")
    assert list(model.feature_names_in_) == list("abcdef") and model.n_features_in_ == 6
    model.save(tmp_path / "some.model")
    mixed = frame[list("fbdeca")]
    data = {"pandas": lambda: mixed, "polars": lambda: library.from_pandas(mixed),
            "pyarrow": lambda: library.table(mixed)}[kind]()  # fmt: skip
    for fitted in (model, cleave.load(tmp_path / "some.model")):
        assert (fitted.predict(data) == model.predict(tmp_path / "rows.csv")).all()
        assert cleave.evaluate(fitted, data, y).accuracy[0] == model.score(tmp_path / "rows.csv")
    assert cleave.explain(model, data, 7).score == cleave.explain(model, frame, 7).score


def test_frames_of_numbers_for_a_column_with_text() -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    model = cleave.LogisticRegression().fit(pandas.DataFrame({"a": [1, "x"] * 50}), [0, 1] * 50)
    assert model.predict(pandas.DataFrame({"a": [1]})) == [0]


def test_the_label_column_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("size,color,kind\n" + "1,red,a\n9,blue,b\n" * 20)
    model = cleave.DecisionTreeClassifier().fit(path, "color")
    assert list(model.classes_) == ["blue", "red"] and model.score(path) == 1
    assert cleave.DecisionTreeRegressor().fit(path, y="size").score(path) == 1
    with pytest.raises(ValueError, match="is a file name"):
        cleave.LinearSVC().fit("some text", [1])
    with pytest.raises(ValueError, match="requires y"):
        model.score(np.zeros((2, 2)))


def test_texts_of_every_kind(texts: Any) -> None:
    rows, labels = texts
    expected = cleave.TextClassifier().fit(rows, labels).model_.to_bytes()
    kinds: list[Any] = [tuple(rows), iter(rows), np.array(rows), np.array(rows, dtype=object)]
    if pandas := _imported("pandas"):
        kinds += [pandas.Series(rows), pandas.Series(rows, dtype="string")]
    if polars := _imported("polars"):
        kinds.append(polars.Series(rows))
    if pyarrow := _imported("pyarrow"):
        kinds += [pyarrow.array(rows), pyarrow.chunked_array([rows[:9], rows[9:]])]
    for kind in kinds:
        assert cleave.TextClassifier().fit(kind, labels).model_.to_bytes() == expected
    for bad, message in ((None, "found None at position 3"), (float("nan"), "found nan"), (b"a", "decode")):
        with pytest.raises(ValueError, match=message):
            cleave.TextClassifier().fit([*rows[:3], bad, *rows[4:]], labels)


def test_lazy_masked_and_other_containers(blobs: Any) -> None:
    X, y = blobs
    if polars := _imported("polars"):
        frame = polars.DataFrame(X, schema=list("abcdef"))
        model = cleave.LinearSVC().fit(frame.lazy(), y)
        assert (model.predict(frame.lazy()) == model.predict(frame)).all()
    masked = np.ma.masked_array(X, X > 2)
    assert (X > 2).any()
    expected = cleave.DecisionTreeClassifier().fit(np.where(X > 2, np.nan, X), y)
    assert cleave.DecisionTreeClassifier().fit(masked, y).model_.to_bytes() == expected.model_.to_bytes()
    for dicts in ({"a": [1.0]}, [{"a": 1.0}]):
        with pytest.raises(TypeError, match="data frame"):
            cleave.LinearSVC().fit(dicts, y)


def test_labels_of_other_libraries(blobs: Any) -> None:
    X, y = blobs
    expected = cleave.LinearSVC().fit(X, y).model_.to_bytes()
    kinds: list[Any] = [tuple(y)]
    if pandas := _imported("pandas"):
        kinds += [pandas.Series(y), pandas.Series(y, dtype="Int64")]
    if polars := _imported("polars"):
        kinds.append(polars.Series(y))
    if pyarrow := _imported("pyarrow"):
        kinds += [pyarrow.array(y), pyarrow.chunked_array([y])]
    for kind in kinds:
        assert cleave.LinearSVC().fit(X, kind).model_.to_bytes() == expected
    large = cleave.LinearSVC().fit(X, y.astype(np.uint64) + np.uint64(2**64 - 3))
    assert large.classes_.tolist() == [2**64 - 3, 2**64 - 2, 2**64 - 1]
    assert set(large.predict(X).tolist()) == set(large.classes_.tolist())
    for missing in (np.where(y > 1, None, "a"), np.where(y > 1, np.nan, y)):
        with pytest.raises(ValueError, match="(?s)Input y.*leave out"):
            cleave.LinearSVC().fit(X, missing)


def test_numeric_frames_are_arrays(blobs: Any) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = blobs
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = cleave.LinearSVC().fit(frame, y)
    assert model.model_.to_bytes() == cleave.LinearSVC().fit(X, y).model_.to_bytes()
    assert list(model.feature_names_in_) == list("abcdef")
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[list("fedcba")])
    with pytest.raises(ValueError, match="unseen at fit time"):
        model.predict(frame.rename(columns={"a": "z"}))
    nullable = frame.astype("Float64")
    assert (model.predict(nullable) == model.predict(frame)).all()
    assert {name for name, _, _ in cleave.explain(model).features} == set("abcdef")
    assert {one["name"] for one in cleave.explain(model, frame, 0).contributions} == set("abcdef")


def test_pandas_without_pyarrow(monkeypatch: Any) -> None:
    pytest.importorskip("pyarrow")
    frame, y = table()
    frame["note"] = np.where(frame.age > 50, "some words", "other words, quoted")
    frame["flag"] = frame.age > 30
    weights = np.linspace(1, 2, len(y))
    by_arrow = cleave.LogisticRegression().fit(frame, y, sample_weight=weights)
    expected = by_arrow.predict(frame)

    def missing(self: Any, requested_schema: Any = None) -> None:
        raise ImportError("pyarrow")

    monkeypatch.setattr(type(frame), "__arrow_c_stream__", missing)
    by_text = cleave.LogisticRegression().fit(frame, y, sample_weight=weights)
    assert by_text.model_.to_bytes() == by_arrow.model_.to_bytes()
    assert (by_text.predict(frame) == expected).all()


def test_weighted_tables() -> None:
    pytest.importorskip("pyarrow")
    frame, y = table()
    twice = cleave.DecisionTreeClassifier(prune="none").fit(
        frame, y, sample_weight=np.full(len(y), 2.0)
    )
    assert twice.score(frame, y) > 0.9


def test_models_of_other_programs(tmp_path: Path, blobs: Any) -> None:
    X, y = blobs
    model = cleave.LinearSVC().fit(X, y)
    model.export(tmp_path / "model.c", prefix="blobs")
    assert "blobs_scores" in (tmp_path / "model.c").read_text()
    model.export(tmp_path / "model.txt", format="liblinear")
    imported = cleave.import_model(tmp_path / "model.txt")
    assert imported.decision_function(X) == pytest.approx(model.decision_function(X))
    assert [int(label) for label in imported.predict(X)] == model.predict(X).tolist()
    with pytest.raises(ValueError, match="has no support vectors"):
        model.export(tmp_path / "model.txt", format="libsvm")
    with pytest.raises(ValueError, match="does not name a model format"):
        model.export(tmp_path / "model.txt")


def test_functions(tmp_path: Path, texts: Any, blobs: Any) -> None:
    X, y = blobs
    model = cleave.LogisticRegression().fit(X, y)
    model.save(tmp_path / "some.model")
    loaded = cleave.load(tmp_path / "some.model")
    assert (loaded.predict(X) == model.predict(X)).all()
    assert loaded.predict_proba(X) == pytest.approx(model.predict_proba(X))
    assert type(loaded) is cleave.LogisticRegression
    evaluation = cleave.evaluate(model, X, y)
    assert evaluation.accuracy[0] == pytest.approx(model.score(X, y))
    assert evaluation.confusion.sum() == len(y)
    folds = cleave.cross_validate(model, X, y, folds=3)
    assert len(folds.fold_results) == 3
    tuned = cleave.tune("tree", X, y, candidates=3, folds=2)
    assert isinstance(tuned.best_params, dict)
    compared = cleave.compare(X, y, methods="tree,svm", folds=2)
    assert {row["method"] for row in compared.methods} >= {"tree", "svm"}
    explained = cleave.explain(model, X, 3)
    assert len(explained.contributions) == 6
    for result in (evaluation, folds, tuned, compared, explained, cleave.explain(model)):
        assert "<table>" in result._repr_html_() and repr(result)
    mail = cleave.TextClassifier().fit(*texts)
    assert cleave.explain(mail, "free prize").label == "spam"
    assert cleave.cross_validate(cleave.TextClassifier(ngram_range=(1, 2)), *texts, folds=2).error < 0.5
    groups = np.arange(len(y)) // 24
    assert cleave.cross_validate("svm", X, y, groups=groups).groups == 10
    with pytest.raises(ValueError, match="^metric: expected"):
        cleave.cross_validate(model, X, y, metric="f11")
    for call in (cleave.evaluate, cleave.cross_validate, cleave.tune):
        with pytest.raises(TypeError, match="(?s)found dict.*cross_val_score"):
            call({}, X, y)


def test_tuned_parameters(blobs: Any) -> None:
    X, y = blobs
    start = cleave.LinearSVC(loss="squared_hinge", max_iter=777)
    found = cleave.tune(start, X, (y > 0) ^ (X[:, 2] > 1), candidates=8, folds=2)
    assert "loss" not in found.best_params and "max_iter" not in found.best_params
    assert set(found.best_params) <= set(start.get_params())
    assert all(isinstance(value, (bool, int, float, str)) for value in found.best_params.values())
    assert found.best_estimator.get_params() == {**start.get_params(), **found.best_params}
    found.best_estimator.fit(X, y)
    by_name = cleave.tune("svm", X, y, candidates=4, folds=2, C=3)
    assert "C" not in by_name.best_params and by_name.best_estimator.fit(X, y).model_.params["C"] == "3"
    assert not hasattr(start, "n_features_in_")


def test_plots(tmp_path: Path, blobs: Any) -> None:
    model = cleave.LinearSVC().fit(*blobs)
    try:
        drawn = cleave.plot("roc", model, *blobs, format="png")
    except ValueError as error:
        pytest.skip(str(error))
    assert drawn.data.startswith(b"\x89PNG") and "Plot('roc'" in repr(drawn)
    assert drawn._repr_html_().startswith('<img alt="roc" src="data:image/png;base64,')
    drawn.save(tmp_path / "roc.png")
    with pytest.raises(ValueError, match="format='svg'"):
        drawn.save(tmp_path / "roc.svg")
    with pytest.raises(ValueError, match="not fitted"):
        cleave.plot("roc", cleave.LinearSVC(), *blobs)


def test_descriptions(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,label\n" + "1.5,x\n,y\n3,x\n" * 4)
    found = cleave.describe(tmp_path / "rows.csv")
    assert found.columns[0]["name"] == "a" and "<td>a</td><td>number</td><td>4</td>" in found._repr_html_()
    assert "labels x (8), y (4)" in repr(found)


def test_transformers(texts: Any, blobs: Any) -> None:
    import pickle

    pytest.importorskip("scipy")
    rows, labels = texts
    words = cleave.TfidfVectorizer().fit(rows)
    S = words.transform(rows)
    assert S.shape == (len(rows), len(words.get_feature_names_out()))
    assert np.sqrt(S.multiply(S).sum(axis=1)) == pytest.approx(1)
    twin = pickle.loads(pickle.dumps(words))
    assert (twin.transform(rows[:3]) != S[:3]).nnz == 0
    X = blobs[0]
    Z = cleave.PCA(n_components=6).fit_transform(X)
    assert np.linalg.norm(Z, axis=1) == pytest.approx(
        np.linalg.norm(X - X.mean(axis=0), axis=1), rel=1e-3
    )
    by_hand = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    for whiten in (False, True):
        model = cleave.PCA(n_components=None, whiten=whiten).fit(X)
        assert np.abs(model.components_) == pytest.approx(np.abs(by_hand.Vh), abs=1e-3)
        assert model.explained_variance_ == pytest.approx(by_hand.S**2 / (len(X) - 1), rel=1e-3)
        assert model.explained_variance_ratio_.sum() == pytest.approx(1, rel=1e-5)
        assert model.inverse_transform(model.transform(X)) == pytest.approx(X, abs=1e-3)
        assert pickle.loads(pickle.dumps(model)).n_components_ == 6
    assert words.idf_[words.vocabulary_["free"]] == pytest.approx(1 + np.log(41 / 11))
    for least, most in ((0.25, 1.0), (10, 1.0), (1, 5)):
        chosen = cleave.TfidfVectorizer(min_df=least, max_df=most).fit(rows).vocabulary_
        assert ("free" in chosen, "lunch" in chosen) == ((True, False) if least != 1 else (False, True))
    with pytest.raises(ValueError, match="^n_components: expected"):
        cleave.PCA(n_components=0.5).fit(X)
    scaled = cleave.Transformer("scale").fit_transform(X)
    assert scaled.std(axis=0) == pytest.approx(1, rel=0.01)
    pytest.importorskip("pyarrow")
    frame, _ = table()
    encoder = cleave.TableEncoder().fit(frame)
    made = encoder.transform(frame)
    assert made.shape == (len(frame), len(encoder.get_feature_names_out()))
    assert np.isfinite(made).all() and "color=red" in encoder.get_feature_names_out()


def test_files_with_many_rows_and_without_probabilities(tmp_path: Path) -> None:
    """More rows than the first allocation, with nothing to store per row but the label."""
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{i},{2 * i}\n" for i in range(3000)))
    assert len(cleave.LinearRegression().fit(path).predict(path)) == 3000


@pytest.mark.parametrize(
    "starts", [[0, 1, 1000], [0, 1000, 2], [-5, 1, 2], [0, 2, 1], [0], []], ids=str
)
def test_invalid_row_starts_are_refused(starts: list[int]) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_matrix(np.eye(2, dtype=np.float32))
    model = cleave.LinearSVC().fit(X, [0, 1])
    X.indptr = np.array(starts, dtype=X.indptr.dtype)
    for use in (
        lambda: cleave.LinearSVC().fit(X, [0, 1]),
        lambda: cleave.Perceptron().partial_fit(X, [0, 1], classes=[0, 1]),
        lambda: model.predict(X),
    ):
        with pytest.raises(ValueError):
            use()


def test_a_row_with_more_entries_than_columns_is_refused() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    entries = np.zeros(100000, dtype=np.int32)
    starts = np.array([0, len(entries) - 1, len(entries)])
    X = sparse.csr_matrix((entries.astype(np.float32), entries, starts), shape=(2, 2))
    with pytest.raises(ValueError, match="must increase"):
        cleave.Perceptron().partial_fit(X, [0, 1], classes=[0, 1])


@pytest.mark.parametrize("labels", [3, 199, 201, 100000])
def test_a_stream_needs_as_many_rows_as_labels(labels: int) -> None:
    arrow = pytest.importorskip("pyarrow")

    class Stream:  # without a number of rows
        def __arrow_c_stream__(self, schema: Any = None) -> Any:
            table = arrow.table({"a": [1.0, 2.0, 3.0, 4.0] * 50, "c": ["x", "y", "z", "x"] * 50})
            return table.__arrow_c_stream__(schema)

    cleave.DecisionTreeClassifier().fit(Stream(), np.arange(200) % 2)
    with pytest.raises(OSError, match="rows than labels"):
        cleave.DecisionTreeClassifier().fit(Stream(), np.arange(labels) % 2)


def test_a_method_that_is_not_text_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        cleave._cleave.plot(cleave._cleave.Context(), "curve", "\udc80", None, {}, {}, "svg")


def test_a_file_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,label\n1,x\n2,y\n")
    with open(path) as file:
        with pytest.raises(TypeError, match="(?s)closed files.*pass the name"):
            cleave.LinearSVC().fit(file)
    with pytest.raises(TypeError, match="closed files"):
        cleave.LinearSVC().fit(file)


def test_labels_from_many_workers(tmp_path: Path) -> None:
    answers = [("m1", "ann", "spam"), ("m1", "bob", "spam"), ("m1", "cy", "ham"),
               ("m2", "ann", "ham"), ("m2", "bob", "ham"), ("m2", "cy", "ham")]  # fmt: skip
    path, output = tmp_path / "answers.csv", tmp_path / "labels.csv"
    path.write_text("task,worker,label\n" + "".join(",".join(row) + "\n" for row in answers))
    crowd = cleave.crowd(path, output=output)
    assert [(task["name"], task["label"]) for task in crowd.tasks] == [("m1", "spam"), ("m2", "ham")]
    assert [worker["name"] for worker in crowd.workers] == ["ann", "bob", "cy"]
    assert output.read_text().startswith("task,label,weight\nm1,spam,0.")
    assert "m1" in crowd._repr_html_() and "6 answers to 2 tasks by 3 workers" in repr(crowd)
    majority = cleave.crowd(path, method="majority")
    assert majority.method == "majority" and majority.tasks[0]["probability"] < 1
    for bad in (3, [("m1", "ann", "spam")]):
        with pytest.raises(TypeError, match="data frame"):
            cleave.crowd(bad)
    with pytest.raises(OSError):
        cleave.crowd(tmp_path / "missing.csv")
    frames = []
    if pandas := _imported("pandas"):
        frames.append(pandas.read_csv(path))
    if polars := _imported("polars"):
        frames.append(polars.read_csv(path))
    if pyarrow := _imported("pyarrow.csv"):
        frames.append(pyarrow.read_csv(path))
    for frame in frames:
        assert repr(cleave.crowd(frame)) == repr(crowd)


def _imported(name: str) -> Any:
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        return None


def test_integers_are_targets_if_the_task_is_regression(blobs: Any) -> None:
    X, y = blobs
    found = cleave.compare(X, y, task="regression", folds=2, methods="least-squares")
    assert found.regression
