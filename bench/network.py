"""network.py DATA HIDDEN EPOCHS ACCURACY: MLPClassifier of scikit-learn on MNIST; a line for each epoch with the CPU seconds so far and the
test accuracy, until that accuracy."""

import gzip
import sys
import time

import numpy as np
from sklearn.neural_network import MLPClassifier


def images(path):
    return np.frombuffer(gzip.open(path).read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32) / 255


def labels(path):
    return np.frombuffer(gzip.open(path).read(), np.uint8, offset=8)


data, hidden, epochs = sys.argv[1], tuple(int(n) for n in sys.argv[2].split(",")), int(sys.argv[3])
x, y = images(f"{data}/mnist-train-images-idx3-ubyte.gz"), labels(f"{data}/mnist-train-labels-idx1-ubyte.gz")
test, given = images(f"{data}/mnist-t10k-images-idx3-ubyte.gz"), labels(f"{data}/mnist-t10k-labels-idx1-ubyte.gz")
classifier = MLPClassifier(hidden, batch_size=128, random_state=1)
seconds = 0
for epoch in range(1, epochs + 1):
    start = time.process_time()
    classifier.partial_fit(x, y, classes=np.arange(10))
    seconds += time.process_time() - start
    accuracy = classifier.score(test, given)
    print(f"{epoch} {seconds:.3f} {accuracy:.4f}", flush=True)
    if accuracy >= float(sys.argv[4]):
        break
