"""The protocol of bench/update. Prints one line for each method: name=value fields, where a value is
"mean/worst" over the splits.

usage: update.py CLEAVE FOLDER SET ROWS TEST_ROWS SPLITS METHOD...
SET is a file of label<TAB>text lines, or a CSV file with a header: FILE.csv@COLUMN names its label column.

In each split a model is trained on ROWS rows and updated with 1, 8, 64 and 500 new rows; TEST_ROWS
other rows are the test set. Fields:
  +1 +8 +64 +500   rise of the test error by the update, in points (regression: of the RMSE, in percent)
  all              rise of the test error by training on the old and the 500 new rows together
  over             test error after the update with 500 rows minus that of training on all rows
  excess           test error after the update with 500 rows minus the larger of: before, training on all rows
  class            largest rise of the error of a class with at least 20 test rows, 500 new rows
  fix              rise of the test error by eleven corrections: the first eleven mistakes on other rows
  right            number of the eleven that are right afterwards (worst split)
  new              rise of the test error on the other classes by 100 rows of a new class
  new_error        error on that class afterwards
"""
import collections
import csv
import json
import os
import random
import subprocess
import sys

cleave, folder, name, rows, test_rows, splits = *sys.argv[1:4], *map(int, sys.argv[4:7])
FIRST_SEED = int(os.environ.get("BENCH_SEED", 101))  # the constants of the methods were chosen with the seeds 1 to 12
name, _, column = name.partition("@")
ending = "csv" if column else "tsv"
lines = [line for line in open(name, encoding="latin1").read().split("\n") if line and (column or "\t" in line)]
header = lines.pop(0) if column else None
place = next(csv.reader([header])).index(column) if column else 0


def run(*words):
    done = subprocess.run([cleave, *words], capture_output=True, text=True, encoding="latin1")
    if done.returncode:
        raise RuntimeError(f"cleave {' '.join(words)}: {done.stderr}")
    return done.stdout


def put(part, some):
    path = f"{folder}/update-{part}.{ending}"
    with open(path, "w", encoding="latin1") as file:
        file.write("\n".join(([header] if header else []) + some) + "\n")
    return path


def label(line):
    return next(csv.reader([line], skipinitialspace=True))[place] if column else line.split("\t", 1)[0]


def train(method, some, part):
    path = f"{folder}/update-{part}.model"
    run("train", method, put("train", some), *(["--label", column] if column else ["--format", "text"]), "-o", path, "-q")
    return path


def update(model, some):
    path = f"{folder}/update-after.model"
    return path, json.loads(run("update", model, put("new", some), "-o", path, "--json"))


def predictions(model, path):
    return run("predict", model, path).rstrip("\n").split("\n")


def error(model, some, numbers=False):
    """Percent of wrong rows, or the RMSE; and the same by class."""
    predicted = predictions(model, put("test", some))
    truth = [label(line) for line in some]
    if numbers:
        return (sum((float(a) - float(t)) ** 2 for a, t in zip(predicted, truth)) / len(some)) ** 0.5, {}
    wrong, count = collections.Counter(), collections.Counter(truth)
    for prediction, right in zip(predicted, truth):
        wrong[right] += prediction != right
    return 100 * sum(wrong.values()) / len(some), {each: 100 * wrong[each] / n for each, n in count.items() if n >= 20}


def correct(method, before, pool):
    predicted = predictions(before, put("test", pool))
    wrong = [i for i, (line, prediction) in enumerate(zip(pool, predicted)) if prediction != label(line)][:11]
    others = [line for i, line in enumerate(pool) if i not in wrong]
    was = 100 * (sum(prediction != label(line) for line, prediction in zip(pool, predicted)) - len(wrong)) / len(others)
    after, facts = update(before, [pool[i] for i in wrong])
    return error(after, others)[0] - was, round((1 - facts["error_rate_after"]) * len(wrong))


def learn_class(method, train_rows, test):
    """A model without one class, updated with 100 rows of it."""
    classes = collections.Counter(label(line) for line in train_rows)
    common = sorted(each for each, count in classes.items() if count >= 100)
    chosen = common[len(common) // 2]
    before = train(method, [line for line in train_rows if label(line) != chosen], "before")
    others = [line for line in test if label(line) != chosen]
    was = error(before, others)[0]
    try:
        after = update(before, [line for line in train_rows if label(line) == chosen][:100])[0]
    except RuntimeError:  # the method takes no new class
        return {}
    return {"new": error(after, others)[0] - was,
            "new_error": error(after, [line for line in test if label(line) == chosen])[0]}


def split(method, seed):
    order = lines[:]
    random.Random(seed).shuffle(order)
    old, new, test = order[:rows], order[rows:rows + 500], order[rows + 500:rows + 500 + test_rows]
    numbers = method.endswith("regression")
    before = train(method, old, "before")
    together = error(train(method, old + new, "all"), test, numbers)[0]
    was, by_class = error(before, test, numbers)
    scale = 100 / was if numbers else 1
    result = {}
    for count in (1, 8, 64, 500):
        now, classes = error(update(before, new[:count])[0], test, numbers)
        result[f"+{count}"] = scale * (now - was)
    result.update({"all": scale * (together - was), "over": scale * (now - together),
                   "excess": scale * (now - max(was, together))})
    if not numbers:
        result["class"] = max(classes[each] - by_class[each] for each in by_class)
        result["fix"], result["right"] = correct(method, before, new + test)
        if len(by_class) > 2:
            result.update(learn_class(method, old, test))
    return result


for method in sys.argv[7:]:
    results = [split(method, FIRST_SEED + i) for i in range(splits)]
    fields = [f"method={method}"]
    for key in results[0]:
        values = [result[key] for result in results if key in result]
        worst = min(values) if key == "right" else max(values)
        fields.append(f"{key}={sum(values) / len(values):.2f}/{worst:.2f}" if key != "right" else f"right={worst}")
    print(*fields, flush=True)
