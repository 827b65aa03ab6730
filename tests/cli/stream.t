# One pass over rows that are not kept: the model of one sweep in the order of the file, but for the record of its options.
$ cleave generate blobs --rows 5000 --features 5 --classes 3 -o blobs.libsvm --quiet
$ cleave train perceptron blobs.libsvm --stream -o stream.model
Read 5,000 rows, 5 features, 3 classes (blobs.libsvm).
Trained perceptron: one pass over the stream, 1,015 mistakes.
Model written to stream.model.
Next: cleave test stream.model DATA, or cleave explain stream.model.
$ cleave train perceptron blobs.libsvm --epochs 1 --order file --quiet -o sweep.model
$ for m in stream sweep; do cleave explain $m.model --json | sed 's/"params":{[^}]*},//' > $m.json; done; cmp stream.json sweep.json

# From standard input, compressed, on two threads: the same bytes.
$ gzip -c blobs.libsvm | cleave train perceptron - --stream --threads 2 --quiet -o pipe.model && cmp stream.model pipe.model

# As JSON.
$ cleave train perceptron blobs.libsvm --stream --json -o stream.model | grep -oE '"(epochs|stopped_by|order|rows)":[^,]*|"warnings".*'
"rows":5000
"epochs":1
"stopped_by":"stream"
"order":"input order"
"warnings":[]}

# Words that were never seen before are features from then on.
$ printf 'spam\tcheap pills\nham\tlunch at noon\nspam\tcheap watches\nham\tnoon again\n' > mail.tsv
$ cleave train perceptron mail.tsv --format text --stream -o mail.model
note: pipeline: --transform tfidf:idf=none (default for this data)
Read 4 rows, 7 features, 2 classes (mail.tsv).
Trained perceptron: one pass over the stream, 2 mistakes.
Model written to mail.model.
Next: cleave test mail.model DATA, or cleave explain mail.model.
$ printf '\tcheap again\n\tlunch\n' | cleave predict mail.model - --format text --scores
spam	-0.4999999828857291
ham	0.5773502588272095

# What does not go with it.
$ cleave train perceptron blobs.libsvm --stream --epochs 2
cleave: --stream reads the rows once: it cannot be combined with --validation, --validation-fraction, --epochs-from-sample or more than one epoch
? 2
$ cleave train perceptron blobs.libsvm --stream --validation blobs.libsvm
cleave: --stream is one pass that keeps no rows: it does not go with --validation
? 2
$ cleave train perceptron blobs.libsvm --stream --calibrate
cleave: --calibrate and --stream cannot be combined: --stream holds out no rows
? 2
$ cleave train perceptron blobs.libsvm --stream --class-weight balanced
cleave: --class-weight balanced and --stream cannot be combined: class counts are not known in advance
hint: give a weight for each class, e.g. spam=2,ham=1
? 2
$ cleave trace perceptron @spam6 --stream
cleave: --stream cannot be used with a trace
? 2

# Too little to learn from.
$ : > empty.libsvm; cleave train perceptron empty.libsvm --stream -o no.model
empty.libsvm: the file is empty
hint: give at least one example
? 1
$ grep '^1' blobs.libsvm | cleave train perceptron - --format libsvm --stream -o no.model
standard input: all 1628 examples have the label '1'; training needs two classes
hint: add examples of another class
? 1
$ (head -n 3 blobs.libsvm; echo '? 1:2') | cleave train perceptron - --format libsvm --stream -o no.model --quiet
standard input:4: the row has no label
hint: use --skip-unlabeled to ignore rows without a label
? 1

# Rows sorted by class: said aloud.
$ cleave generate blobs --rows 40000 --features 2 --classes 2 -o two.libsvm --quiet; sort -s -k1,1 two.libsvm > sorted.libsvm
$ cleave train perceptron sorted.libsvm --stream -o sorted.model 2>&1 > out
warning: 20083 consecutive rows have the same label
hint: shuffle the rows, or omit --stream: one pass in label order biases the model to the last rows

# An interrupt while waiting for more keeps what has been learned.
$ (cat two.libsvm two.libsvm; sleep 5) | cleave train perceptron - --format libsvm --stream -o part.model > out 2> err & sleep 1; kill -INT $!; wait $!; echo $?; tail -n 1 err
130
warning: interrupted after 80,000 rows: the best model so far is saved
$ cleave explain part.model | sed -n 's/trained on [0-9,]* rows/trained on some rows/p'
perceptron, trained on some rows by cleave 0.1.0, seed 1
$ (head -n 5000 two.libsvm; printf '1 1:'; sleep 5) | cleave train perceptron - --format libsvm --stream -o few.model > out 2> err & sleep 1; kill -INT $!; wait $!; cleave explain few.model | head -n 1
perceptron, trained on 5,000 rows by cleave 0.1.0, seed 1
$ ls no.model
ls: cannot access 'no.model': No such file or directory
? 2
