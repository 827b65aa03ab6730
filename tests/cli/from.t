# Three epochs and a warm start of four equal seven epochs, for every model file.
$ cleave generate blobs --rows 2000 --features 5 --classes 3 -o blobs.libsvm --quiet
$ cleave train perceptron blobs.libsvm --learning-rate 1/3 --average --seed 7 --epochs 7 --quiet -o seven.model
$ cleave train perceptron blobs.libsvm --learning-rate 1/3 --average --seed 7 --epochs 3 --quiet -o three.model
$ cleave train perceptron blobs.libsvm --from three.model --epochs 4 -o four.model
train: * 4 * (--epochs) (glob)
hint: the classes may not be linearly separable: try the method svm, --transform scale; 341 to 359 mistakes in each of the last 4 epochs
Read 2,000 *, 5 *, 3 * (blobs.libsvm). (glob)
Trained *: 4 *, 1,400 * (347 *). (glob)
Training * 3.40% (68 * 2,000 *). (glob)
Model * four.model. (glob)
Next: * four.model * four.model. (glob)
$ for m in seven four; do cleave explain $m.model --json | sed 's/"epochs":[0-9]*,//' > $m.json; done; cmp seven.json four.json

# Options default to those of the model; stopping rules do not.
$ cleave train perceptron blobs.libsvm --from three.model --learning-rate 1/4 --form averaged --stable-epochs 3 --epochs 2 --quiet -o other.model
$ cleave explain other.model | grep options
options    learning-rate 0.25, form averaged, epochs 2, stable-epochs 3, seed 7; defaults otherwise

# A solver that was interrupted resumes bit-identically; the model contains its state until it converges.
$ cleave generate sparse --rows 800 --features 300 --nonzeros 20 -o sparse.libsvm --quiet
$ for s in "svm --solver dcd" "logistic --solver lbfgs" "logistic --solver newton" "kernel-svm --C 1e3" "kernel-svm --solver pegasos"; do set -- $s; m=$1; shift; cleave train $m sparse.libsvm "$@" --tolerance 1e-12 --max-iterations 4 --quiet -o whole.model; cleave train $m sparse.libsvm "$@" --tolerance 1e-12 --max-iterations 2 --quiet -o part.model; cleave train $m sparse.libsvm --from part.model --max-iterations 2 --quiet -o rest.model; for f in whole rest; do cleave predict $f.model sparse.libsvm --scores > $f.txt; done; cmp whole.txt rest.txt && echo "$s: 2 + 2 are 4"; done 2> /dev/null
svm --solver dcd: 2 + 2 are 4
logistic --solver lbfgs: 2 + 2 are 4
logistic --solver newton: 2 + 2 are 4
kernel-svm --C 1e3: 2 + 2 are 4
kernel-svm --solver pegasos: 2 + 2 are 4
$ cleave train svm sparse.libsvm --tolerance 1e-3 --quiet -o done.model; cleave train svm sparse.libsvm --epochs 2 --quiet -o not-done.model 2> /dev/null
$ for f in done not-done; do grep -q run.dual $f.model && echo $f; done
not-done

# A warm start from other rows or another C starts from the scores of the model. The model is kept if no better one is found.
$ cleave train svm sparse.libsvm --from done.model -o again.model | grep -v read
Read 800 *, 300 *, 2 * (sparse.libsvm). (glob)
Trained * 0 * 0.00074, * 254.7, 401 * (glob)
Training * 5.38% (43 * 800 *). (glob)
Model * again.model. (glob)
Next: * again.model * again.model. (glob)
$ cleave train svm sparse.libsvm --from done.model --max-iterations 1 --tolerance 1e-9 -o again.model 2>&1 | grep gap
train: not converged after 1 iteration (--max-iterations): stopped after 1 iteration without convergence, duality gap 0.00049; the warm-start model has a lower objective and is kept
Trained svm (dcd): 1 iteration, duality gap 0.00049, objective 254.7, 401 support vectors.
$ head -600 sparse.libsvm > fewer.libsvm; cleave train svm fewer.libsvm --refit --from not-done.model --C 2 --tolerance 1e-6 -o fewer.model | grep Trained
Trained * 110 * 4.1e-07, * 274.7, 297 * (glob)
$ cleave train kernel-svm fewer.libsvm --quiet -o kernel.model; cleave train kernel-svm sparse.libsvm --refit --from kernel.model -o kernel2.model | grep Trained
Trained kernel-svm (smo): converged, duality gap 0.00014, 681 support vectors.
$ tail -400 sparse.libsvm > others.libsvm; cleave train kernel-svm others.libsvm --refit --from kernel.model -o kernel3.model | grep 'left out\|Trained'
note: 365 of the 539 support vectors of the warm-start model are not in the training set and are dropped
Trained * 0.00014, 380 * (glob)

# With a stream, and with held-out data.
$ cleave train perceptron blobs.libsvm --from three.model --stream --quiet -o stream.model
$ cleave train perceptron blobs.libsvm --from three.model --epochs 1 --order file --quiet -o epoch.model
$ for m in stream epoch; do cleave explain $m.model --json | sed 's/"params":{[^}]*},//' > $m.json; done; cmp stream.json epoch.json
$ cleave train perceptron blobs.libsvm --from three.model --validation blobs.libsvm --patience 2 --epochs 5 -o valid.model 2> /dev/null | grep -o 'Validation error .* rows'
Validation error 3.40% (68 of 2,000 rows

# Words that the model does not have are ignored.
$ printf 'spam\tcheap pills now\nham\tsee you at lunch\n' > mail.tsv; printf 'ham\tpills at lunch with doctor\nspam\tcheap lunch\n' > more.tsv
$ cleave train perceptron mail.tsv --format text -o mail.model --quiet
$ cleave train perceptron more.tsv --format text --refit --from mail.model -o more.model
Read 2 *, 7 *, 2 * (more.tsv). (glob)
Trained perceptron: converged after 1 epoch, 0 mistakes (bound (R/margin)^2 668.554, margin 0.0386751).
Training * 0.00% (0 * 2 *). (glob)
Model * more.model. (glob)
Next: * more.model * more.model. (glob)
$ cleave explain more.model --json | grep -o '"weights":{[^}]*}'
"weights":{"cheap":-0.5773502588272095,"pills":-0.5773502588272095,"now":-0.5773502588272095,"see":0.5,"you":0.5,"at":0.5,"lunch":0.5}

# Unsupported warm starts.
$ cleave train winnow @spam6 --from three.model
cleave: --from: three.model is a model of 'perceptron' and cannot be trained further as 'winnow'
? 2
$ cleave train perceptron blobs.libsvm --from blobs.libsvm
blobs.libsvm: * '2 1:-6.7' (glob)
hint: * 'cleave train ... -o FILE' * (glob)
? 1
$ cleave train perceptron blobs.libsvm --from missing.model
missing.model: * opened: No such file or directory (glob)
? 1
$ cleave train perceptron blobs.libsvm --from three.model -o three.model
cleave: -o 'three.model' * (glob)
? 2
$ printf '1 1:2\n7 1:3\n' > new.libsvm; cleave train perceptron new.libsvm --from three.model --quiet
new.libsvm:2: * '7' * (glob)
hint: train a new model on the old and the new rows together
? 1
$ cleave train perceptron blobs.libsvm --from three.model --form voted
cleave: the warm-start model was not trained with --form voted and cannot continue with it
? 2
