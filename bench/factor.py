"""Precision at 10 of implicit feedback: cleave's uv --implicit and the ALS of PyPI implicit, on the same held-out ratings of 4 and 5.

usage: factor.py CLEAVE FOLDER RATINGS RANK; prints both means over five seeds. cleave has its defaults. The penalty of implicit is the best of a
list, its alpha is that of cleave, and its other options are its defaults.
"""
import json
import random
import subprocess
import sys

import implicit.als
import numpy
import scipy.sparse

cleave, folder, path, rank = sys.argv[1:3] + [sys.argv[3], int(sys.argv[4])]
ALPHA, PENALTIES, TOP, SEEDS = 1.0, (1.0, 10.0, 30.0), 10, 5

pairs = [line.split("\t")[:2] for line in open(path).read().splitlines()[1:] if float(line.split("\t")[2]) >= 4]


def precision(lists, held_out):
    hits = [len(set(lists[user][:TOP]) & items) / TOP for user, items in held_out.items()]
    return sum(hits) / len(hits)


def ours(train, users, seed, _):
    with open(f"{folder}/implicit.csv", "w") as file:
        file.write("user,item\n" + "".join(f"{user},{item}\n" for user, item in train))
    subprocess.run([cleave, "train", "uv", f"{folder}/implicit.csv", "--implicit", "--rank", str(rank), "--alpha", str(ALPHA),
                    "--threads", "1", "--seed", str(seed), "-o", f"{folder}/implicit.model", "--quiet"], check=True)
    found = subprocess.run([cleave, "recommend", f"{folder}/implicit.model", "--users", "-", "--top", str(TOP), "--json"], check=True, text=True,
                           input="".join(user + "\n" for user in users), stdout=subprocess.PIPE).stdout
    return {line["user"]: [item["item"] for item in line["items"]] for line in map(json.loads, found.splitlines())}


def theirs(train, users, seed, penalty):
    user_number = {user: i for i, user in enumerate(sorted({user for user, _ in train}))}
    items = sorted({item for _, item in train})
    item_number = {item: i for i, item in enumerate(items)}
    matrix = scipy.sparse.csr_matrix((numpy.ones(len(train), numpy.float32), ([user_number[u] for u, _ in train], [item_number[i] for _, i in train])),
                                     (len(user_number), len(items)))
    # its confidence is alpha times the value: 1 + ALPHA here
    model = implicit.als.AlternatingLeastSquares(factors=rank, alpha=1 + ALPHA, regularization=penalty, num_threads=1, random_state=seed)
    model.fit(matrix, show_progress=False)
    rows = [user_number[user] for user in users]
    found, _ = model.recommend(rows, matrix[rows], N=TOP)
    return {user: [items[i] for i in row] for user, row in zip(users, found)}


sums = [0.0] * (1 + len(PENALTIES))
for seed in range(1, SEEDS + 1):
    random.Random(seed).shuffle(pairs)
    cut = len(pairs) * 4 // 5
    train, held_out = pairs[:cut], {}
    known = {user for user, _ in train}
    for user, item in pairs[cut:]:
        if user in known:
            held_out.setdefault(user, set()).add(item)
    for i, penalty in enumerate((None, *PENALTIES)):
        sums[i] += precision((theirs if penalty else ours)(train, list(held_out), seed, penalty), held_out) / SEEDS
print(f"{sums[0]:.5f} {max(sums[1:]):.5f}")
