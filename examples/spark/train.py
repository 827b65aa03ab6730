#!/usr/bin/env python3
"""Trains a cleave model on Apache Spark, in rounds of map, shuffle, reduce and apply.

    train.py --cleave build/cleave -o MODEL METHOD DATA [OPTION OF cleave begin]...

    train.py -o spam.model perceptron mail.libsvm --update sum       sums updates; bit-identical to one process
    train.py -o spam.model svm mail.libsvm --solver gd               sums gradients
    train.py -o spam.model svm mail.libsvm --solver sgd              averages separately trained weights

In each round, `cleave map` processes every partition of the data with the model of the round. Spark
partitions and sorts the output lines by key, and `cleave reduce` sums them. The driver adds the sums
to the model with `cleave apply`, whose output states whether another round is needed. reduceByKey is
not used, because it would add floats in an arbitrary order. `cleave reduce` sums exactly, so the model
is bit-identical even if Spark loses tasks and runs them again.

There may be more partitions than slots, because tasks do not depend on each other.
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
    """Imports pyspark after the arguments are parsed, so that --help works without it."""
    try:
        import pyspark
    except ImportError:
        sys.exit("train.py: pyspark is not installed for this Python; run pip install pyspark (requires Java), or use another python3")
    # In local-cluster mode, workers start executors from SPARK_HOME.
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def split_line(line):
    key, value = line.split("\t", 1)
    return key, value


def join_line(pair):
    return pair[0] + "\t" + pair[1]


def part_of(key):  # the hash of Python differs between processes
    return zlib.crc32(key.encode())


def read_arguments(words=None):
    parser = argparse.ArgumentParser(
        description="Trains a cleave model on Apache Spark; options that are not listed here are passed to `cleave begin`."
    )
    parser.add_argument("method")
    parser.add_argument("data", help="LIBSVM text: a path or URL that every worker can read")
    parser.add_argument("-o", "--output", required=True, help="write the model to this file")
    parser.add_argument("--sample", help="local sample of the data for `cleave begin` (default: DATA)")
    parser.add_argument("--cleave", default=shutil.which("cleave") or "build/cleave", help="path of the command, which is sent to the workers")
    parser.add_argument("--master", default="local-cluster[2,1,1024]", help="master URL (default: two local worker processes with one core each)")
    parser.add_argument("--partitions", type=int, default=6, help="minimum number of map tasks")
    parser.add_argument("--reducers", type=int, default=3, help="number of reduce tasks")
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
    """Sends a file to every worker and returns its path there. Later workers also get it, so it must not be removed."""
    from pyspark import SparkFiles

    context.addFile(path)
    # Executors run in the folder of received files. With local[N], the driver keeps the files in a separate folder.
    is_local = context.master == "local" or context.master.startswith("local[")
    return os.path.join(SparkFiles.getRootDirectory() if is_local else ".", os.path.basename(path))


def model_of(folder, number):
    """The model before a round. Names differ between runs, because workers keep received files."""
    return os.path.join(folder, f"{os.path.basename(folder)}.round{number}.model")


def train_round(context, rows, command, arguments, folder, number):
    """Runs one round and returns the JSON output of `cleave apply`."""
    model, following = model_of(folder, number), model_of(folder, number + 1)
    sums = (
        rows.pipe(f"{command} map --model {send(context, model)} --format libsvm --threads 1 --quiet", checkCode=True)
        .map(split_line)
        .repartitionAndSortWithinPartitions(arguments.reducers, part_of)
        .map(join_line)
        .pipe(f"{command} reduce", checkCode=True)
        .collect()
    )
    applied = subprocess.run(
        [arguments.cleave, "apply", "--model", model, "-o", following, "--json"],
        input="".join(line + "\n" for line in sums),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(applied.stdout)


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
        sys.exit("train.py: the data is not a local file; pass a local part of it with --sample FILE, and --rows N")
    with tempfile.TemporaryDirectory(prefix="cleave-spark-") as folder:
        context = connect(arguments)
        try:
            train(context, arguments, begin_options, folder)
        except subprocess.CalledProcessError:
            sys.exit(1)  # the command has printed the error
        finally:
            context.stop()


if __name__ == "__main__":
    main()
