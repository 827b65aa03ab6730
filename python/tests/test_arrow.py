"""Arrow and Parquet files: read by the library as the CSV file with the same cells."""

from __future__ import annotations

import datetime
import decimal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cleave

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS = 3000


def table() -> Any:
    random = np.random.default_rng(0)
    number = random.normal(size=ROWS)
    start = datetime.datetime(1969, 1, 1, 3, 4, 5, 123456)

    def texts(*values: str) -> Any:
        return np.array(values)[random.integers(0, len(values), ROWS)]

    return pa.table(
        {
            "double": pa.array(number, mask=random.random(ROWS) < 0.1),
            "float": pa.array(random.normal(size=ROWS).astype(np.float32)),
            "half": pa.array(random.normal(size=ROWS).astype(np.float16)),
            "int8": pa.array(random.integers(-9, 9, ROWS).astype(np.int8)),
            "uint64": pa.array(random.integers(0, 9, ROWS).astype(np.uint64)),
            "bool": pa.array(random.random(ROWS) < 0.5),
            "dictionary": pa.array(texts("red", 'quoted "blue"', "a, b")).dictionary_encode(),
            "string": pa.array(texts("alpha", "beta", "more than twelve bytes")),
            "large": pa.array(texts("q", "", "zz"), type=pa.large_string()),
            "view": pa.array(texts("q", "a rather long view", "zz")).cast(pa.string_view()),
            "date": pa.array([start.date() + datetime.timedelta(days=i) for i in range(ROWS)]),
            "millis": pa.array(
                [start.date() - datetime.timedelta(days=i) for i in range(ROWS)], type=pa.date64()
            ),
            "timestamp": pa.array([start + datetime.timedelta(hours=i) for i in range(ROWS)]),
            "decimal": pa.array([decimal.Decimal(i - 1500) / 100 for i in range(ROWS)]),
            "null": pa.nulls(ROWS),
            "label": pa.array(np.where(number > 0, "yes", "no")),
        }
    )


def write_csv(of: Any, path: Path) -> None:
    plain = {
        "half": pa.float32(), "bool": pa.int8(), "dictionary": pa.string(), "view": pa.string(),
        "decimal": pa.float64(), "millis": pa.date32(),
    }  # fmt: skip
    fields = [pa.field(f.name, plain.get(f.name, f.type)) for f in of.schema]
    csv.write_csv(of.cast(pa.schema(fields)), path)


def bytes_of(path: Path, method: str = "tree") -> bytes:
    model: bytes = cleave.train(method, path, label="label").model_.to_bytes()
    return model


def write_stream(of: Any, path: Path, compression: str | None) -> None:
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, of.schema, options=options) as out:
        out.write_table(of, max_chunksize=999)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_arrow_files_equal_the_csv_file(compression: str, tmp_path: Path, command: str) -> None:
    made = table()
    write_csv(made, tmp_path / "t.csv")
    wanted = bytes_of(tmp_path / "t.csv")
    feather.write_feather(made, tmp_path / "t.feather", compression=compression, chunksize=700)
    write_stream(made, tmp_path / "t", None if compression == "uncompressed" else compression)
    for name in ("t.feather", "t"):
        assert bytes_of(tmp_path / name) == wanted
        subprocess.run(
            [command, "train", "tree", name, "-o", "t.model", "-q"], cwd=tmp_path, check=True
        )
        assert (tmp_path / "t.model").read_bytes() == wanted


def test_dates_in_memory_equal_those_of_a_file(tmp_path: Path) -> None:
    made = table()
    write_csv(made, tmp_path / "t.csv")
    estimator = cleave.DecisionTreeClassifier().fit(made.drop(["label"]), made["label"].to_numpy())
    assert estimator.score(tmp_path / "t.csv", made["label"].to_numpy()) > 0.9


def test_parquet_files(tmp_path: Path, command: str) -> None:
    made = table().drop(["half", "null"])
    write_csv(made, tmp_path / "t.csv")
    parquet.write_table(made, tmp_path / "t.parquet", row_group_size=1000)
    run = [command, "train", "tree", "t.parquet", "-o", "t.model", "-q"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    if "libparquet-glib" in done.stderr:
        assert done.returncode == 1 and "to_feather" in done.stderr
        with pytest.raises(ValueError, match="needs the library libparquet-glib"):
            cleave.DecisionTreeClassifier().fit(tmp_path / "t.parquet")
        pytest.skip("libparquet-glib (Arrow GLib) is not installed")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "t.model").read_bytes() == bytes_of(tmp_path / "t.csv")
    with open(tmp_path / "t.parquet", "rb") as file:
        run[3] = "-"
        subprocess.run(run, cwd=tmp_path, stdin=file, check=True)
    assert (tmp_path / "t.model").read_bytes() == bytes_of(tmp_path / "t.csv")
    (tmp_path / "bad.parquet").write_bytes((tmp_path / "t.parquet").read_bytes()[:-100])
    with pytest.raises(ValueError, match="Parquet file cannot be read"):
        cleave.DecisionTreeClassifier().fit(tmp_path / "bad.parquet")


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_damaged_files_are_refused_or_read(compression: str | None, tmp_path: Path) -> None:
    """Changed bytes never crash."""
    path = tmp_path / "t"
    write_stream(table().slice(0, 40), path, compression)
    good = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    random = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        bad = good.copy()
        places = random.integers(8, len(bad), size=random.integers(1, 5))
        bad[places] = random.choice([0, 1, 127, 128, 255, random.integers(256)], size=len(places))
        path.write_bytes(bad[: len(bad) if random.random() < 0.8 else random.integers(len(bad))].tobytes())
        try:
            cleave.describe(path)
        except (ValueError, OSError, MemoryError):
            refused += 1
    assert refused > 30


def test_types_that_are_not_supported(tmp_path: Path) -> None:
    for column in (pa.array([[1], [2]]), pa.array([{"a": 1}, {"a": 2}]), pa.array([b"x", b"y"]),
                   pa.array([datetime.time(1), datetime.time(2)])):  # fmt: skip
        path = tmp_path / "t.arrow"
        feather.write_feather(pa.table({"x": column, "label": ["a", "b"]}), path, compression="lz4")
        with pytest.raises(ValueError, match="column 'x' has the Arrow type"):
            cleave.LinearSVC().fit(path)
