# Three rounds and then four more are seven in one go, whichever file the weights waited in.
$ cleave generate blobs --rows 2000 --features 5 --classes 3 -o blobs.libsvm --quiet
$ cleave train perceptron blobs.libsvm --rate 1/3 --average --seed 7 --rounds 7 --quiet -o seven.model
$ cleave train perceptron blobs.libsvm --rate 1/3 --average --seed 7 --rounds 3 --quiet -o three.model
$ cleave train perceptron blobs.libsvm --from three.model --rounds 4 -o four.model
train: 68 of 2000 examples still wrong after 4 rounds; stopped by --rounds
  the classes may not be separable: try 'svm', scaling the features; the last 4 rounds swung between 341 and 359 mistakes
read 2000 rows, 5 features, 3 classes
trained perceptron: 4 rounds, rows as in the file, which looks shuffled; 1400 mistakes, 347 of them in the last
model written to four.model
try next: cleave explain four.model, or cleave test four.model FILE on data it has not seen
$ for m in seven four; do cleave explain $m.model --json | sed 's/"rounds":[0-9]*,//' > $m.json; done; cmp seven.json four.json

# Options that are not given are the model's own; what ends a run is said anew.
$ cleave train perceptron blobs.libsvm --from three.model --rate 1/4 --form averaged --stable 3 --rounds 2 --quiet -o other.model
$ cleave explain other.model | grep params
params     rate 0.25, form averaged, rounds 2, stable 3, seed 7; the others as usual

# In a stream, and with held-out data.
$ cleave train perceptron blobs.libsvm --from three.model --stream --quiet -o stream.model
$ cleave train perceptron blobs.libsvm --from three.model --rounds 1 --order file --quiet -o sweep.model
$ for m in stream sweep; do cleave explain $m.model --json | sed 's/"params":{[^}]*},//' > $m.json; done; cmp stream.json sweep.json
$ cleave train perceptron blobs.libsvm --from three.model --valid blobs.libsvm --patience 2 --rounds 5 -o valid.model 2> /dev/null | grep -o 'held out: .* of 2000'
held out: 68 of 2000

# Words of new mail that the model does not know are passed over.
$ printf 'spam\tcheap pills now\nham\tsee you at lunch\n' > mail.tsv; printf 'ham\tpills at lunch with doctor\nspam\tcheap lunch\n' > more.tsv
$ cleave train perceptron mail.tsv --format text -o mail.model --quiet
$ cleave train perceptron more.tsv --format text --from mail.model -o more.model
read 2 rows, 7 features, 2 classes
trained perceptron: 3 rounds, rows as in the file; 2 mistakes, 0 of them in the last
separated after 2 mistakes in 3 rounds; the bound (R/margin)^2 is 36, the margin 0.288675
model written to more.model
try next: cleave explain more.model, or cleave test more.model FILE on data it has not seen
$ cleave explain more.model --json | grep -o '"weights":{[^}]*}'
"weights":{"cheap":-2,"pills":0,"now":-1,"see":1,"you":1,"at":2,"lunch":1}

# What cannot go on.
$ cleave train winnow @spam6 --from three.model
cleave: --from: three.model is a model of 'perceptron', and cannot go on as 'winnow'
? 2
$ cleave train perceptron blobs.libsvm --from blobs.libsvm
blobs.libsvm: this is not a cleave model; it begins with '2 1:-6.7'
  a model is what 'cleave train … -o FILE' wrote
? 1
$ cleave train perceptron blobs.libsvm --from missing.model
missing.model: cannot be opened: No such file or directory
? 1
$ cleave train perceptron blobs.libsvm --from three.model -o three.model
cleave: -o 'three.model' is also an input, and an input is never written: name another file
? 2
$ printf '1 1:2\n7 1:3\n' > new.libsvm; cleave train perceptron new.libsvm --from three.model --quiet
new.libsvm:2: the label '7' is unknown to the model that training goes on from
  train a new model on all the data
? 1
$ cleave train perceptron blobs.libsvm --from three.model --form voted
cleave: the model was not trained with --form voted: it cannot go on with it
? 2
