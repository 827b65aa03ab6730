"""Models exported as ONNX have equal labels, and scores within 1e-6, in onnxruntime."""
import sys

sys.path.pop(0)  # this file is not the package
import numpy
import onnxruntime

try:
    import onnx
except ImportError:
    onnx = None
sys.path.insert(0, __file__.rsplit("/", 1)[0])
import common

cleave = sys.argv[1]
largest, checked, with_probabilities = 0, 0, 0
for method, classes, options in [
    ("svm", 2, ["--transform", "none", "--calibrate"]), ("svm", 3, ["--calibrate"]), ("logistic", 2, []),
    ("logistic", 3, ["--multiclass", "joint"]), ("boost", 2, ["--loss", "exponential"]), ("tree", 2, []),
    ("logistic", 3, []), ("least-squares", 0, []),
    ("svm", 2, ["--transform", "scale:by=range:clip=0.5,select:top=4"]), ("perceptron", 3, []),
    ("boost", 2, ["--rounds", 100]), ("boost", 4, ["--rounds", 30]), ("boost-regression", 0, ["--rounds", 100]),
    ("forest", 2, ["--trees", 50]), ("forest", 3, ["--trees", 50]), ("forest-regression", 0, ["--trees", 50]),
    ("tree", 3, []), ("tree-regression", 0, [])]:
    for missing in False, True:
        trees = "tree" in method or "forest" in method or "boost" in method
        if missing and "--transform" in options:
            continue
        categories = missing and not trees
        rows = common.write_table("data.csv", classes, missing, categories)
        common.run(cleave, "train", method, "data.csv", "--label", "label", "-o", "ours.model", "--quiet", *options)
        common.run(cleave, "export", "ours.model", "ours.onnx")
        if onnx:
            onnx.checker.check_model("ours.onnx", full_check=True)
        session = onnxruntime.InferenceSession("ours.onnx")
        if session.get_inputs()[0].shape[1] != common.COLUMNS:  # a missing number is 0, and its mark is 1; a category is 1 in its column
            common.run(cleave, "export", "ours.model", "ours.c")
            names = common.input_names("ours.c")
            full = numpy.zeros((len(rows), len(names)), dtype=numpy.float32)
            kinds = [line.split(",")[common.COLUMNS] for line in open("data.csv").read().splitlines()[1:]]
            for j, name in enumerate(names):
                column = name.rstrip("?").rstrip("=").split("=")[0]
                if name.startswith("kind="):
                    full[:, j] = [name == "kind=" + kind for kind in kinds]
                elif name.endswith("=?"):
                    full[:, j] = numpy.isnan(rows[:, int(column[1:])])
                else:
                    full[:, j] = numpy.nan_to_num(rows[:, int(column[1:])])
            rows = full
        results = dict(zip([o.name for o in session.get_outputs()], session.run(None, {"X": rows})))
        labels, ours = common.scores(cleave, "ours.model", "data.csv")
        difference = abs(results["scores"] - ours).max() / max(1, abs(ours).max())
        if classes and list(results["label"]) != labels or not difference <= 1e-6:
            sys.exit(f"{method}, {classes} classes, missing {missing}: largest difference {difference}")
        if "probabilities" in results:
            theirs = common.probabilities(cleave, "ours.model", "data.csv")
            difference = max(difference, abs(results["probabilities"] - theirs).max())
            with_probabilities += 1
            if not difference <= 1e-6:
                sys.exit(f"{method}, {classes} classes: largest difference of a probability {difference}")
        largest = max(largest, difference)
        checked += 1
print(f"{checked} models in onnxruntime {onnxruntime.__version__}, {with_probabilities} with probabilities: "
      f"largest difference {largest:.1e}")
