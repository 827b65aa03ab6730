"""The protocol of bench/update: prints a line of numbers for each method, the worst over several splits.

usage: update.py CLEAVE FOLDER SET ROWS SPLITS METHOD...
SET is a file of label<TAB>text lines. The columns: the largest rise of the test error after updates with 1, 8, 64 and 500 rows, the distance of the
last from training on all rows, the fewest of 11 corrections that are right, the rise of the test error by them, the largest rise of the error of one class
(500 rows), and the rise after 100 rows of a class that the model does not have (with more than two classes), and their error.
"""
import collections
import json
import random
import subprocess
import sys

cleave, folder, name, rows, splits = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
lines = [line for line in open(name, encoding="latin1").read().split("\n") if "\t" in line]


def run(*words):
    return subprocess.run([cleave, *words], capture_output=True, text=True, check=True).stdout


def put(part, some):
    path = f"{folder}/update-{part}.tsv"
    with open(path, "w", encoding="latin1") as file:
        file.write("\n".join(some) + "\n")
    return path


def label(line):
    return line.split("\t", 1)[0]


def update(model, new, test):
    out = run("update", model, put("new", new), "-o", f"{folder}/update-after.model", "--validation", test, "--json")
    facts = json.loads(out)
    return facts, 100 * (facts["validation_error_rate_after"] - facts["validation_error_rate_before"])


def predictions(model, path):
    return run("predict", model, path).rstrip("\n").split("\n")


def class_errors(model, test):
    wrong, all_ = collections.Counter(), collections.Counter()
    for line, answer in zip(test, predictions(model, put("classes", test))):
        all_[label(line)] += 1
        wrong[label(line)] += answer != label(line)
    return {each: 100 * wrong[each] / all_[each] for each in all_}


def new_class(method, train, new, test):
    """A model without one class, updated with 100 rows of it: the rise on the other classes, the error on the class."""
    classes = sorted({label(line) for line in train})
    if len(classes) < 3:
        return 0, 0
    chosen = classes[len(classes) // 2]
    run("train", method, put("train", [line for line in train if label(line) != chosen]), "-o", f"{folder}/update-before.model", "-q")
    rise = update(f"{folder}/update-before.model", [line for line in train if label(line) == chosen][:100],
                  put("test", [line for line in test if label(line) != chosen]))[1]
    return rise, class_errors(f"{folder}/update-after.model", test)[chosen]


def split(method, seed):
    order = lines[:]
    random.Random(seed).shuffle(order)
    train, new, test = order[:rows], order[rows:rows + 500], order[rows + 500:]
    before, after = f"{folder}/update-before.model", f"{folder}/update-after.model"
    run("train", method, put("train", train), "-o", before, "-q")
    run("train", method, put("train", train + new), "-o", f"{folder}/update-all.model", "-q")
    path = put("test", test)
    together = 100 * json.loads(run("test", f"{folder}/update-all.model", path, "--json"))["error_rate"]
    result = {f"+{count}": update(before, new[:count], path)[1] for count in (1, 8, 64)}
    facts, result["+500"] = update(before, new, path)
    result["all"] = 100 * facts["validation_error_rate_after"] - together
    was, now = class_errors(before, test), class_errors(after, test)
    result["class"] = max(now[each] - was[each] for each in was)
    answers = predictions(before, put("pool", new + test))
    wrong = [i for i, (line, answer) in enumerate(zip(new + test, answers)) if answer != label(line)][:11]
    pool = new + test
    others = put("test", [line for i, line in enumerate(pool) if i not in wrong])
    facts, result["corrections"] = update(before, [pool[i] for i in wrong], others)
    result["right"] = round((1 - facts["error_rate_after"]) * len(wrong))
    result["asked"] = len(wrong)
    result["new_class"], result["new_class_error"] = new_class(method, train, new, test)
    return result


for method in sys.argv[6:]:
    results = [split(method, seed) for seed in range(1, splits + 1)]
    worst = {key: (min if key in ("right", "asked") else max)(result[key] for result in results) for key in results[0]}
    print(method, *[f"{worst[key]:.2f}" for key in ("+1", "+8", "+64", "+500", "all", "corrections", "class", "new_class", "new_class_error")],
          worst["right"], worst["asked"], flush=True)
