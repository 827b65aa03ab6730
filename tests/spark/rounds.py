#!/usr/bin/env python3
"""Rounds on a real Spark: tests/spark/rounds.py CLEAVE. Run by tests/spark/run, in an environment that has pyspark.

Three ways to train, in local-cluster mode with two worker processes of one slot each and six partitions. Each is done undisturbed and
with an executor, a Python worker and a cleave killed (-9) in mid-round: the model must have the same bytes. The perceptron's sums and the
exact gradient must also give what one process gives.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "examples", "spark"))
import train  # noqa: E402

CLEAVE = os.path.abspath(sys.argv[1])
KINDS = ("executor", "python", "cleave")
PARTITIONS, ROUNDS = 6, 4


def cleave(*words):
    return subprocess.run([CLEAVE, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def make_killer(folder):
    os.makedirs(folder)
    with open(os.path.join(HERE, "killer")) as file:
        text = file.read().replace("@CLEAVE@", CLEAVE).replace("@FOLDER@", folder)
    path = os.path.join(folder, "cleave")
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def train_on_spark(context, command, data, model, method, options):
    words = ["--cleave", command, "-o", model, "--partitions", str(PARTITIONS), "--rounds", str(ROUNDS), method, data]
    arguments, rest = train.read_arguments(words + options)
    folder = model + ".rounds"
    os.makedirs(folder)
    train.train(context, arguments, rest, folder)
    with open(model, "rb") as file:
        return file.read()


def weights(model):
    told = json.loads(cleave("explain", model, "--json"))
    return told["weights"], told["intercept"]


def scores(model, data):
    return [float(line.split("\t")[1]) for line in cleave("predict", model, data, "--scores").splitlines()]


def check(what, good):
    print(("ok      " if good else "NOT OK  ") + what, flush=True)
    return good


def run_case(context, work, name, data, method, options):
    plain, disturbed, alone = (os.path.join(work, f"{name}.{kind}.model") for kind in ("plain", "killed", "alone"))
    killed = os.path.join(work, name + ".killer")

    undisturbed = train_on_spark(context, CLEAVE, data, plain, method, options)
    retried = train_on_spark(context, make_killer(killed), data, disturbed, method, options)
    good = [check(f"{name}: {kind} killed (-9) in mid-round", os.path.exists(os.path.join(killed, f"killed-{kind}", "pid"))) for kind in KINDS]
    good.append(check(f"{name}: killed and undisturbed, the same bytes", undisturbed == retried))
    cleave("train", method, data, *options, "--epochs", str(ROUNDS), "-o", alone, "--quiet")
    if name == "sums":
        good.append(check(f"{name}: the weights of one process, to the bit", weights(plain) == weights(alone)))
    elif name == "gradients":
        apart = max(abs(a - b) for a, b in zip(scores(plain, data), scores(alone, data)))
        good.append(check(f"{name}: the scores of one process to 1e-6 (apart by {apart:.3g})", apart <= 1e-6))
    else:
        wrong = [json.loads(cleave("test", model, data, "--json"))["errors"] for model in (plain, alone)]
        good.append(check(f"{name}: {wrong[0]} rows wrong, {wrong[1]} in one process", wrong[0] <= 2 * wrong[1] + 60))
    return all(good)


def main():
    with tempfile.TemporaryDirectory(prefix="cleave-test-spark-") as work:
        data = os.path.join(work, "rows.libsvm")
        cleave("generate", "sparse", "--rows", "3000", "--features", "2000", "-o", data, "--quiet")
        arguments, _ = train.read_arguments(["-o", "unused", "perceptron", data])
        context = train.connect(arguments)
        context.addPyFile(train.__file__)  # its functions run on the workers
        try:
            slots = context.defaultParallelism
            good = [
                check(f"{arguments.master}, {PARTITIONS} partitions for {slots} slots", PARTITIONS > slots),
                run_case(context, work, "sums", data, "perceptron", ["--update", "sum"]),
                run_case(context, work, "gradients", data, "svm", ["--solver", "gd"]),
                run_case(context, work, "averages", data, "svm", ["--solver", "sgd"]),
            ]
        finally:
            context.stop()
    sys.exit(0 if all(good) else 1)


main()
