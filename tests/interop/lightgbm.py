"""Models exported as LightGBM text predict the same bits in LightGBM."""
import sys

sys.path.pop(0)  # this file is not the package
import lightgbm
import numpy

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import common

cleave = sys.argv[1]
checked = 0
for method, classes, options in [
    ("boost", 2, []), ("boost", 4, []), ("boost-regression", 0, []), ("boost", 2, ["--loss", "exponential"]),
    ("boost", 3, ["--loss", "exponential"]), ("forest", 2, []), ("forest", 3, []), ("forest-regression", 0, []),
    ("tree", 2, []), ("tree", 3, []), ("tree-regression", 0, [])]:
    for missing in False, True:
        rows = common.write_table("data.csv", classes, missing)
        limit = ["--rounds", 30] if "boost" in method else ["--trees", 20] if "forest" in method else []
        common.run(cleave, "train", method, "data.csv", "--label", "label", "-o", "ours.model", "--quiet", *limit,
                   *options)
        common.run(cleave, "export", "ours.model", "ours.txt", "--format", "lightgbm")
        booster = lightgbm.Booster(model_file="ours.txt")
        raw = booster.predict(rows, raw_score="boost" in method)
        _, ours = common.scores(cleave, "ours.model", "data.csv")
        if not numpy.array_equal(raw.reshape(ours.shape), ours):
            sys.exit(f"{method}, {classes} classes, missing {missing}: largest difference "
                     f"{abs(raw.reshape(ours.shape) - ours).max()}")
        checked += 1
print(f"{checked} models predict the same bits in LightGBM {lightgbm.__version__}")
