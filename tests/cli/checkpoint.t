# A run with a checkpoint gives the same model as one without, and removes the checkpoint.
$ cleave generate blobs --rows 2000 --features 5 --classes 3 -o blobs.libsvm --quiet
$ cleave train perceptron blobs.libsvm --epochs 5 --order shuffle --quiet -o plain.model
$ cleave train perceptron blobs.libsvm --epochs 5 --order shuffle --checkpoint run.checkpoint --quiet -o with.model
$ cmp plain.model with.model; ls *.checkpoint* 2> /dev/null
? 2

# Without -o the checkpoint is kept, and the same command resumes from it.
$ cleave train perceptron blobs.libsvm --epochs 5 --order shuffle --checkpoint run.checkpoint --quiet
$ cleave train perceptron blobs.libsvm --epochs 5 --order shuffle --checkpoint run.checkpoint -o again.model
note: * 4 * run.checkpoint (glob)
train: not converged after 5 epochs (--epochs)
hint: try more --epochs; mistakes fell from 418 to 353 in the last 5 epochs
Read 2,000 *, 5 *, 3 * (blobs.libsvm). (glob)
Trained perceptron: 5 epochs, 1,867 mistakes (353 in the last epoch).
Training * 3.45% (69 * 2,000 *). (glob)
Model * again.model. (glob)
Next: * again.model * again.model. (glob)
$ cmp plain.model again.model; ls *.checkpoint* 2> /dev/null
? 2

# A checkpoint is a model.
$ cleave train perceptron blobs.libsvm --epochs 5 --checkpoint run.checkpoint --checkpoint-every 2 --quiet
$ cleave test run.checkpoint blobs.libsvm
Error 3.40% (68 * 2,000 *, 95% * 2.69% * 4.29%), * 96.60%. (glob)
Macro precision 0.9659, recall 0.9658, F1 0.9656.
ROC AUC 0.9886, average precision 0.9782 (one-vs-rest, mean over classes).

# A checkpoint of another run.
$ cleave train perceptron blobs.libsvm --epochs 6 --checkpoint run.checkpoint -o no.model
cleave: run.checkpoint: the checkpoint belongs to another run: its --epochs is '5', not '6'
hint: use the same options and data as that run, choose another file, or remove this file
? 2
$ cleave train perceptron blobs.libsvm --epochs 5 --average --checkpoint run.checkpoint -o no.model
cleave: run.checkpoint: * --form * 'auto', * 'averaged' (glob)
hint: * (glob)
? 2
$ cleave train svm blobs.libsvm --checkpoint run.checkpoint -o no.model
cleave: run.checkpoint: the checkpoint belongs to another run: its method is 'perceptron', not 'svm'
hint: * (glob)
? 2
$ head -n 1999 blobs.libsvm > fewer.libsvm
$ cleave train perceptron fewer.libsvm --epochs 5 --checkpoint run.checkpoint -o no.model
cleave: run.checkpoint: the checkpoint belongs to another run: its number of rows is '2000', not '1999'
hint: * (glob)
? 2
$ cleave train perceptron blobs.libsvm --epochs 5 --from plain.model --checkpoint run.checkpoint -o no.model
cleave: run.checkpoint: * --order * 'auto', * 'shuffle' (glob)
hint: * (glob)
? 2
$ cleave train perceptron blobs.libsvm --epochs 5 --checkpoint plain.model -o no.model
plain.model: the file is a model, not a checkpoint of this version
hint: use another file, or remove this file
? 1
$ echo hello > no.checkpoint; cleave train perceptron blobs.libsvm --epochs 5 --checkpoint no.checkpoint -o no.model
no.checkpoint: this is a different kind of cleave file
hint: the file must be a checkpoint: use another file, or remove this file to start a new run
? 1

# Unsupported combinations.
$ cleave train perceptron blobs.libsvm --checkpoint no.model -o no.model
cleave: --checkpoint and -o both name 'no.model': the checkpoint would replace the model
? 2
$ cleave train perceptron blobs.libsvm --checkpoint blobs.libsvm -o no.model
cleave: blobs.libsvm: * (glob)
hint: choose another name for the output
? 2
$ cleave train perceptron blobs.libsvm --checkpoint-every 2 -o no.model
cleave: --checkpoint-every requires --checkpoint FILE
? 2
$ cleave train perceptron blobs.libsvm --stream --checkpoint run.checkpoint -o no.model
cleave: --checkpoint and --stream cannot be combined: a checkpoint is written between epochs
? 2
$ cleave train perceptron blobs.libsvm --epochs 2 --checkpoint nowhere/run.checkpoint -o no.model
nowhere/run.checkpoint: cannot be written: No such file or directory
? 1
$ cleave trace perceptron @points5 --checkpoint run.checkpoint
cleave: --checkpoint cannot be used with a trace
? 2
