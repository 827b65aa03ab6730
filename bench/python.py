"""Speed and memory of the Python package beside its peers; called by bench/python.

Each line: what, asked, measured, peer. Times are CPU seconds of the process, the least of several
runs; those of single calls are the least mean of five rounds. Parts: calls, memory, text, table, size.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tarfile
import time
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
DATA = Path(os.environ.get("CLEAVE_DATA", Path(__file__).resolve().parents[1] / "../shared/data"))


def line(what: str, asked: str, measured: str, peer: str = "") -> None:
    print(f"{what:52} {asked:22} {measured:16} {peer}", flush=True)


def microseconds(call, count: int = 1000) -> float:
    call()
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - start) / count)
    return best * 1e6


def cpu(call, runs: int = 3) -> float:
    best = np.inf
    for _ in range(runs):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def calls() -> None:
    import cleave
    from sklearn.linear_model import SGDClassifier
    from sklearn.svm import LinearSVC

    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 20))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    row, label = X[:1].copy(), y[:1].copy()
    out = np.empty(1, dtype=np.int64)

    model, peer = cleave.LinearSVC().fit(X, y), LinearSVC().fit(X, y)
    handle = model.model_
    line("predict one row, linear: estimator", "<= 20 us", f"{microseconds(lambda: model.predict(row)):.1f} us",
         f"LinearSVC {microseconds(lambda: peer.predict(row), 200):.0f} us")
    line("predict one row, linear: handle", "<= 2 us",
         f"{microseconds(lambda: handle.predict(row, out, None, None)):.2f} us")
    trees = cleave.GradientBoostingClassifier(n_estimators=100).fit(X, y)
    handle = trees.model_
    peers = ""
    try:
        import lightgbm

        light = lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1).fit(X, y)
        booster = light.booster_
        peers = (f"LGBMClassifier {microseconds(lambda: light.predict(row), 100):.0f} us, "
                 f"Booster {microseconds(lambda: booster.predict(row, num_threads=1), 100):.0f} us")
    except ImportError:
        pass
    line("predict one row, 100 trees: estimator", "<= 30 us", f"{microseconds(lambda: trees.predict(row)):.1f} us", peers)
    line("predict one row, 100 trees: handle", "<= 15 us",
         f"{microseconds(lambda: handle.predict(row, out, None, None)):.2f} us")
    points = random.normal(size=(10_000, 128)).astype(np.float32)
    query = random.normal(size=(1, 128)).astype(np.float32)
    index = cleave.NearestNeighbors(n_jobs=1).fit(points)
    peers = ""
    try:
        import faiss

        faiss.omp_set_num_threads(1)
        flat = faiss.IndexFlatL2(128)
        flat.add(points)
        peers = f"faiss {microseconds(lambda: flat.search(query, 10), 200):.0f} us"
    except ImportError:
        pass
    line("kneighbors, 10,000 x 128", "<= 70 us", f"{microseconds(lambda: index.kneighbors(query, 10), 300):.0f} us", peers)
    online = cleave.LogisticRegression().partial_fit(X, y, classes=[0, 1])
    other = SGDClassifier().partial_fit(X, y, classes=[0, 1])
    line("partial_fit of one row", "<= 20 us", f"{microseconds(lambda: online.partial_fit(row, label)):.1f} us",
         f"SGDClassifier {microseconds(lambda: other.partial_fit(row, label), 100):.0f} us")


MEMORY = """
import resource, sys, numpy as np
random = np.random.default_rng(0)
X = np.empty((1_000_000, 100), dtype=np.float32)
for i in range(100):
    X[:, i] = random.normal(size=len(X))
y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
if sys.argv[1].startswith("cleave"):
    import cleave
else:
    import lightgbm
model = eval(sys.argv[1])
model.fit(X[:1000].copy(), y[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / X.nbytes)
"""


def memory() -> None:
    def extra(model: str) -> str:
        run = subprocess.run([sys.executable, "-W", "ignore", "-c", MEMORY, model],
                             capture_output=True, text=True)
        return f"{float(run.stdout):.2f}" if run.returncode == 0 else "failed"

    line("fit 10^6 x 100 float32, extra memory / input: sgd", "<= 0.05 (borrowed)",
         extra("cleave.LinearSVC(solver='sgd', max_iter=2)"))
    line("the same, LinearSVC (dual variables of the rows)", "<= 0.05 (borrowed)",
         extra("cleave.LinearSVC(max_iter=2)"))
    line("the same, boosting (bins)", "<= 0.8 (packed)",
         extra("cleave.GradientBoostingClassifier(n_estimators=2)"),
         f"LightGBM {extra('lightgbm.LGBMClassifier(n_estimators=2, verbose=-1, n_jobs=2)')}")


def text() -> None:
    import io

    import cleave
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    archive = DATA / "20news-bydate.tar.zst"
    if not archive.exists():
        return line("20 Newsgroups, TF-IDF + SVM", ">= 8 x", "no data")
    plain = subprocess.run(["zstd", "-dcq", str(archive)], capture_output=True, check=True).stdout
    rows, labels = [], []
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        for member in tar:
            parts = member.name.split("/")
            if member.isfile() and any("train" in part for part in parts):
                rows.append(tar.extractfile(member).read().decode("latin-1").replace("\0", " "))
                labels.append(parts[-2])
    estimator = cleave.TextClassifier  # loads scikit-learn
    theirs = cpu(lambda: LinearSVC().fit(TfidfVectorizer(sublinear_tf=True).fit_transform(rows), labels), 1)
    for gap in (1e-4, 1e-2):
        ours = cpu(lambda: estimator(loss="squared_hinge", tol=gap, n_jobs=1).fit(rows, labels), 2)
        line(f"20 Newsgroups, TF-IDF + SVM, CPU, duality gap {gap:g}", ">= 8 x scikit-learn",
             f"{ours:.2f} s, {theirs / ours:.1f} x", f"scikit-learn {theirs:.2f} s")


def table() -> None:
    import cleave
    import pandas

    frame = pandas.read_csv(DATA / "adult-train.csv.gz", skipinitialspace=True)
    if not len(frame):
        return
    y = frame.iloc[:, -1].to_numpy().astype(str)
    frame = frame.iloc[:, :-1]
    for name in frame.columns:
        if frame[name].dtype.kind not in "if":
            frame[name] = frame[name].astype("category")
    ours = cpu(lambda: cleave.GradientBoostingClassifier(n_estimators=100, n_jobs=1).fit(frame, y))
    try:
        import lightgbm

        theirs = cpu(lambda: lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1).fit(frame, y))
        peer = f"LightGBM {theirs:.2f} s"
    except ImportError:
        peer = ""
    line(f"adult, {len(frame)} rows with categories, boosting, CPU", "<= LightGBM's", f"{ours:.2f} s", peer)


def size() -> None:
    wheels = sorted(Path("build/python/dist").glob("*.whl"))
    if wheels:
        line("wheel", "<= 2.5 MB", f"{wheels[-1].stat().st_size / 1e6:.2f} MB", wheels[-1].name)

    def seconds(code: str) -> float:
        best = np.inf
        for _ in range(9):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True,
                           env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return best

    numpy = seconds("import numpy")
    ours, theirs = seconds("import numpy, cleave") - numpy, seconds("import numpy, lightgbm") - numpy
    line("import above NumPy's, CPU", "<= 20 ms", f"{ours * 1e3:.0f} ms", f"lightgbm {theirs * 1e3:.0f} ms")


def main() -> None:
    parts = {"size": size, "calls": calls, "memory": memory, "text": text, "table": table}
    line("what", "asked", "measured", "peer")
    for name in sys.argv[1:] or parts:
        parts[name]()


main()
