"""Data, and models of cleave trained on them, for comparisons with other programs."""
import json
import random
import subprocess

import numpy

ROWS, COLUMNS = 400, 8


def run(cleave, *arguments):
    return subprocess.run([cleave, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def write_table(path, classes, missing=False, categories=False):
    """A CSV file; the matrix of its numbers, with NaN for missing ones."""
    random.seed(classes * 2 + missing)
    rows = numpy.full((ROWS, COLUMNS), numpy.nan, dtype=numpy.float32)
    with open(path, "w") as file:
        names = [f"n{i}" for i in range(COLUMNS)] + (["kind"] if categories else [])
        file.write(",".join(names) + ",label\n")
        for row in rows:
            for i in range(COLUMNS):
                if not missing or random.random() < 0.9:
                    row[i] = random.randrange(-1000, 1000) / 64 if random.random() < 0.8 else 0
            kind = random.randrange(4)
            total = float(numpy.nansum(row[:4]) - numpy.nansum(row[4:])) + 10 * kind * categories
            label = f"c{int(total // 15) % classes}" if classes else repr(total / 7)
            cells = ["" if numpy.isnan(x) else repr(float(x)) for x in row] + ([f"k{kind}"] if categories else [])
            file.write(",".join(cells) + f",{label}\n")
    return rows


def scores(cleave, model, data):
    """The labels, and the scores as a matrix."""
    text = run(cleave, "predict", model, data, "--scores").splitlines()
    lines = [line.split("\t") for line in text if not line.startswith("#label")]
    values = [[float(x) for x in line[1:] or line] for line in lines]
    return [line[0] for line in lines], numpy.array(values)


def probabilities(cleave, model, data):
    """A row of probabilities for each prediction, in the order of the labels of the model."""
    lines = run(cleave, "predict", model, data, "--probabilities", "--json").splitlines()
    return numpy.array([list(json.loads(line)["probabilities"].values()) for line in lines])


def input_names(source):
    """The names of the inputs of a model exported as C."""
    text = open(source).read().split("const char *const model_input_names[", 2)[2].split("{", 1)[1].split("};")[0]
    return [name.strip().strip('"').replace("\\077", "?") for name in text.split(",\n")]
