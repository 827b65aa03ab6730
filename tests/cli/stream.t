# One pass without storing rows: the model equals one epoch in file order, except for the recorded options.
$ cleave generate blobs --rows 5000 --features 5 --classes 3 -o blobs.libsvm --quiet
$ cleave train perceptron blobs.libsvm --stream -o stream.model
Read 5,000 *, 5 *, 3 * (blobs.libsvm). (glob)
Trained perceptron: one pass over the stream, 1,015 mistakes.
Model * stream.model. (glob)
Next: * stream.model * stream.model. (glob)
$ cleave train perceptron blobs.libsvm --epochs 1 --order file --quiet -o epoch.model
$ for m in stream epoch; do cleave explain $m.model --json | sed 's/"params":{[^}]*},//' > $m.json; done; cmp stream.json epoch.json

# From standard input, compressed, on two threads: bit-identical.
$ gzip -c blobs.libsvm | cleave train perceptron - --stream --threads 2 --quiet -o pipe.model && cmp stream.model pipe.model

# As JSON.
$ cleave train perceptron blobs.libsvm --stream --json -o stream.model | grep -oE '"(epochs|stopped_by|order|rows)":[^,]*|"warnings".*'
"rows":5000
"epochs":1
"stopped_by":"stream"
"order":"input order"
"warnings":[]}

# New words become features.
$ printf 'spam\tcheap pills\nham\tlunch at noon\nspam\tcheap watches\nham\tnoon again\n' > mail.tsv
$ cleave train perceptron mail.tsv --format text --stream -o mail.model
note: pipeline: --transform *=*) (glob)
Read 4 *, 7 *, 2 * (mail.tsv). (glob)
Trained *, 2 * (glob)
Model * mail.model. (glob)
Next: * mail.model * mail.model. (glob)
$ printf '\tcheap again\n\tlunch\n' | cleave predict mail.model - --format text --scores
spam	-0.4999999828857291
ham	0.5773502588272095

# Unsupported combinations.
$ cleave train perceptron blobs.libsvm --stream --epochs 2
cleave: --stream reads the rows once: it cannot be combined with --validation, --validation-fraction, --epochs-from-sample or more than one epoch
? 2
$ cleave train perceptron blobs.libsvm --stream --validation blobs.libsvm
cleave: --stream and --validation cannot be combined: the rows are read once
? 2
$ cleave train perceptron blobs.libsvm --stream --calibrate
cleave: --calibrate and --stream cannot be combined: --stream holds out no rows
? 2
$ cleave train perceptron blobs.libsvm --stream --class-weight balanced
cleave: --class-weight balanced and --stream cannot be combined: class counts are not known in advance
hint: *, e.g. *=2,*=1 (glob)
? 2
$ cleave trace perceptron @spam6 --stream
cleave: --stream * (glob)
? 2

# Too few rows.
$ : > empty.libsvm; cleave train perceptron empty.libsvm --stream -o no.model
empty.libsvm: * empty (glob)
hint: * (glob)
? 1
$ grep '^1' blobs.libsvm | cleave train perceptron - --format libsvm --stream -o no.model
standard input: all 1628 examples have the label '1'; training needs two classes
hint: * (glob)
? 1
$ (head -n 3 blobs.libsvm; echo '? 1:2') | cleave train perceptron - --format libsvm --stream -o no.model --quiet
standard input:4: the row has no label
hint: * --skip-unlabeled * (glob)
? 1

# Rows sorted by class give a warning.
$ cleave generate blobs --rows 40000 --features 2 --classes 2 -o two.libsvm --quiet; sort -s -k1,1 two.libsvm > sorted.libsvm
$ cleave train perceptron sorted.libsvm --stream -o sorted.model 2>&1 > out
warning: 20083 consecutive rows have the same label
hint: shuffle the rows, or omit --stream: one pass in label order biases the model toward the last rows

# An interrupt while waiting for input saves the model.
$ (cat two.libsvm two.libsvm; sleep 5) | cleave train perceptron - --format libsvm --stream -o part.model > out 2> err & sleep 1; kill -INT $!; wait $!; echo $?; tail -n 1 err
130
warning: interrupted after 80,000 rows: the best model so far is saved
$ cleave explain part.model | sed -n 's/trained on [0-9,]* rows/trained on some rows/p'
perceptron, trained on some rows by cleave 0.1.0, seed 1
$ (head -n 5000 two.libsvm; printf '1 1:'; sleep 5) | cleave train perceptron - --format libsvm --stream -o few.model > out 2> err & sleep 1; kill -INT $!; wait $!; cleave explain few.model | head -n 1
perceptron, trained on 5,000 rows by cleave 0.1.0, seed 1
$ ls no.model
ls: * 'no.model': * (glob)
? 2
