# Three rounds and then four more are seven in one go, whichever file the weights waited in.
$ cleave generate blobs --rows 2000 --features 5 --classes 3 -o blobs.libsvm --quiet
$ cleave train perceptron blobs.libsvm --learning-rate 1/3 --average --seed 7 --epochs 7 --quiet -o seven.model
$ cleave train perceptron blobs.libsvm --learning-rate 1/3 --average --seed 7 --epochs 3 --quiet -o three.model
$ cleave train perceptron blobs.libsvm --from three.model --epochs 4 -o four.model
train: not converged after 4 epochs (--epochs)
hint: the classes may not be linearly separable: try the method svm, --transform scale; the last 4 epochs made 341 to 359 mistakes
Read 2,000 rows, 5 features, 3 classes (blobs.libsvm).
Trained perceptron: 4 epochs, 1,400 mistakes (347 in the last epoch).
Training error 3.40% (68 of 2,000 rows).
Model written to four.model.
Next: cleave test four.model DATA, or cleave explain four.model.
$ for m in seven four; do cleave explain $m.model --json | sed 's/"epochs":[0-9]*,//' > $m.json; done; cmp seven.json four.json

# Options that are not given are the model's own; what ends a run is said anew.
$ cleave train perceptron blobs.libsvm --from three.model --learning-rate 1/4 --form averaged --stable-epochs 3 --epochs 2 --quiet -o other.model
$ cleave explain other.model | grep options
options    learning-rate 0.25, form averaged, epochs 2, stable-epochs 3, seed 7; defaults otherwise

# A solver that was ended before its end goes on exactly; what it needs for that is in the model as long as it was not.
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

# A model that was ended, or is of other rows or another C, tells by its scores where to start, and is kept where nothing better is found.
$ cleave train svm sparse.libsvm --from done.model -o again.model | grep -v read
Read 800 rows, 300 features, 2 classes (sparse.libsvm).
Trained svm (dcd): converged after 0 iterations, duality gap 0.00074, objective 254.7, 401 support vectors.
Training error 5.38% (43 of 800 rows).
Model written to again.model.
Next: cleave test again.model DATA, or cleave explain again.model.
$ cleave train svm sparse.libsvm --from done.model --max-iterations 1 --tolerance 1e-9 -o again.model 2>&1 | grep gap
train: not converged after 1 iteration (--max-iterations): stopped after 1 iteration without convergence, duality gap 0.00049; the warm-start model has a lower objective and is kept
Trained svm (dcd): 1 iteration, duality gap 0.00049, objective 254.7, 401 support vectors.
$ head -600 sparse.libsvm > fewer.libsvm; cleave train svm fewer.libsvm --refit --from not-done.model --C 2 --tolerance 1e-6 -o fewer.model | grep Trained
Trained svm (dcd): converged after 110 iterations, duality gap 4.1e-07, objective 274.7, 297 support vectors.
$ cleave train kernel-svm fewer.libsvm --quiet -o kernel.model; cleave train kernel-svm sparse.libsvm --refit --from kernel.model -o kernel2.model | grep Trained
Trained kernel-svm (smo): converged after 1 iteration, duality gap 0.00014, 681 support vectors.
$ tail -400 sparse.libsvm > others.libsvm; cleave train kernel-svm others.libsvm --refit --from kernel.model -o kernel3.model | grep 'left out\|Trained'
note: 365 of the 539 support vectors of the warm-start model are not in the training set and are dropped
Trained kernel-svm (smo): converged after 1 iteration, duality gap 0.00014, 380 support vectors.

# In a stream, and with held-out data.
$ cleave train perceptron blobs.libsvm --from three.model --stream --quiet -o stream.model
$ cleave train perceptron blobs.libsvm --from three.model --epochs 1 --order file --quiet -o sweep.model
$ for m in stream sweep; do cleave explain $m.model --json | sed 's/"params":{[^}]*},//' > $m.json; done; cmp stream.json sweep.json
$ cleave train perceptron blobs.libsvm --from three.model --validation blobs.libsvm --patience 2 --epochs 5 -o valid.model 2> /dev/null | grep -o 'Validation error .* rows'
Validation error 3.40% (68 of 2,000 rows

# Words of new mail that the model does not know are passed over.
$ printf 'spam\tcheap pills now\nham\tsee you at lunch\n' > mail.tsv; printf 'ham\tpills at lunch with doctor\nspam\tcheap lunch\n' > more.tsv
$ cleave train perceptron mail.tsv --format text -o mail.model --quiet
$ cleave train perceptron more.tsv --format text --refit --from mail.model -o more.model
Read 2 rows, 7 features, 2 classes (more.tsv).
Trained perceptron: converged after 1 epoch, 0 mistakes (bound (R/margin)^2 668.554, margin 0.0386751).
Training error 0.00% (0 of 2 rows).
Model written to more.model.
Next: cleave test more.model DATA, or cleave explain more.model.
$ cleave explain more.model --json | grep -o '"weights":{[^}]*}'
"weights":{"cheap":-0.5773502588272095,"pills":-0.5773502588272095,"now":-0.5773502588272095,"see":0.5,"you":0.5,"at":0.5,"lunch":0.5}

# What cannot go on.
$ cleave train winnow @spam6 --from three.model
cleave: --from: three.model is a model of 'perceptron' and cannot be continued as 'winnow'
? 2
$ cleave train perceptron blobs.libsvm --from blobs.libsvm
blobs.libsvm: the file is not a cleave model; it starts with '2 1:-6.7'
hint: give a model that 'cleave train ... -o FILE' has written
? 1
$ cleave train perceptron blobs.libsvm --from missing.model
missing.model: cannot be opened: No such file or directory
? 1
$ cleave train perceptron blobs.libsvm --from three.model -o three.model
cleave: -o 'three.model' is also an input, and an input is never written: name another file
? 2
$ printf '1 1:2\n7 1:3\n' > new.libsvm; cleave train perceptron new.libsvm --from three.model --quiet
new.libsvm:2: the label '7' is not a class of the warm-start model
hint: train a new model on the old and the new rows together
? 1
$ cleave train perceptron blobs.libsvm --from three.model --form voted
cleave: the warm-start model was not trained with --form voted and cannot continue with it
? 2
