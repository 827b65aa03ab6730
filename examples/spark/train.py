#!/usr/bin/env python3
"""Trains a cleave model on Apache Spark, in rounds of map, shuffle, reduce and apply.

    train.py --cleave build/cleave -o MODEL METHOD DATA [OPTION OF cleave begin]...

    train.py -o spam.model perceptron mail.libsvm --update sum       increments summed: as in one process, to the bit
    train.py -o street.model svm mail.libsvm --solver gd             exact gradients summed
    train.py -o street.model svm mail.libsvm --solver sgd            local iterations, then averaged

Each round: every partition of the data goes through `cleave map` with the model of the round; the lines it writes are partitioned and
sorted by key, and go through `cleave reduce`; the driver adds the sums to the model with `cleave apply`, which says when to stop.
reduceByKey is not used: it would add floats in the order in which they happen to come. `cleave reduce` sums exactly, so the
model has the same bytes whatever Spark does, including tasks that are lost and run again.

There may be more partitions than slots: no task waits for another (no barrier, no gang scheduling).
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib


def find_spark():
    """Looked for late, so that --help works without it."""
    try:
        import pyspark
    except ImportError:
        sys.exit("train.py: there is no pyspark for this Python: pip install pyspark (it needs Java), or use the python3 that has it")
    # Needed by local-cluster mode, whose workers start executors from there, and harmless elsewhere.
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def split_line(line):
    key, value = line.split("\t", 1)
    return key, value


def join_line(pair):
    return pair[0] + "\t" + pair[1]


def part_of(key):  # Python's own hash differs from process to process
    return zlib.crc32(key.encode())


def read_arguments(words=None):
    parser = argparse.ArgumentParser(
        description="Trains a cleave model on Apache Spark; options that are not listed here go to `cleave begin`."
    )
    parser.add_argument("method")
    parser.add_argument("data", help="LIBSVM lines: a path or URL that every worker can read")
    parser.add_argument("-o", "--output", required=True, help="the model")
    parser.add_argument("--sample", help="a local file for `cleave begin`; otherwise the data, where it is one")
    parser.add_argument("--cleave", default=shutil.which("cleave") or "build/cleave", help="the command; it is sent to the workers")
    parser.add_argument("--master", default="local-cluster[2,1,1024]", help="two worker processes of one core, where nothing else is said")
    parser.add_argument("--partitions", type=int, default=6, help="minimum number of map tasks")
    parser.add_argument("--reducers", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=100, help="maximum number of rounds")
    return parser.parse_known_args(words)


def connect(arguments):
    find_spark()
    from pyspark import SparkConf, SparkContext

    conf = SparkConf().setMaster(arguments.master).setAppName("cleave " + arguments.method)
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "768m",
        "spark.log.level": "ERROR",
    }.items():
        conf.setIfMissing(name, value)
    return SparkContext(conf=conf)


def send(context, path):
    """Sends a file to every worker, also to those that come later, so it must stay; returns what it is called there."""
    from pyspark import SparkFiles

    context.addFile(path)
    # Executors run in the folder that files arrive in; a driver that works itself (local[N]) keeps them in one of its own.
    works_itself = context.master == "local" or context.master.startswith("local[")
    return os.path.join(SparkFiles.getRootDirectory() if works_itself else ".", os.path.basename(path))


def model_of(folder, number):
    """The model before a round; names differ between runs, since a worker keeps what it was sent."""
    return os.path.join(folder, f"{os.path.basename(folder)}.round{number}.model")


def train_round(context, rows, command, arguments, folder, number):
    """One round; returns the facts that `cleave apply` told."""
    model, following = model_of(folder, number), model_of(folder, number + 1)
    sums = (
        rows.pipe(f"{command} map --model {send(context, model)} --format libsvm --threads 1 --quiet", checkCode=True)
        .map(split_line)
        .repartitionAndSortWithinPartitions(arguments.reducers, part_of)
        .map(join_line)
        .pipe(f"{command} reduce", checkCode=True)
        .collect()
    )
    told = subprocess.run(
        [arguments.cleave, "apply", "--model", model, "-o", following, "--json"],
        input="".join(line + "\n" for line in sums),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(told.stdout)


def train(context, arguments, begin_options, folder):
    begin = [arguments.cleave, "begin", arguments.method, arguments.sample or arguments.data, "--format", "libsvm"]
    subprocess.run(begin + begin_options + ["-o", model_of(folder, 0), "--quiet"], check=True)
    copy = os.path.join(folder, os.path.basename(folder) + ".cleave")
    shutil.copy(arguments.cleave, copy)
    command = send(context, copy)
    rows = context.textFile(arguments.data, arguments.partitions)
    print(f"{rows.getNumPartitions()} partitions on {arguments.master}", flush=True)
    facts = {}
    for number in range(arguments.rounds):
        facts = train_round(context, rows, command, arguments, folder, number)
        mistakes = "" if facts["mistakes"] is None else f", {facts['mistakes']} mistakes"
        print(f"round {facts['round']}: {facts['tasks']} map tasks over {facts['rows']} rows{mistakes}, mean loss {facts['mean_loss']:.6g}", flush=True)
        if facts["finished"]:
            print("converged" if facts["converged"] else "finished")
            break
    shutil.copy(model_of(folder, facts["round"]), arguments.output)


def main():
    arguments, begin_options = read_arguments()
    find_spark()
    if not arguments.sample and not os.path.isfile(arguments.data):
        sys.exit("train.py: the data is not one local file: give `cleave begin` a part of it with --sample FILE, and --rows N")
    with tempfile.TemporaryDirectory(prefix="cleave-spark-") as folder:
        context = connect(arguments)
        try:
            train(context, arguments, begin_options, folder)
        except subprocess.CalledProcessError:
            sys.exit(1)  # the command has said why
        finally:
            context.stop()


if __name__ == "__main__":
    main()
