# A folder of documents as a stream: classes alternate, and every document is one example.
$ mkdir -p box/ham box/spam; for i in $(seq 20); do echo "lunch at noon $i" > box/ham/$i; done; for i in $(seq 10); do echo "cheap pills $i" > box/spam/$i; done
$ cleave stream perceptron box -m s.model --json --quiet | tail -n 1 | grep -o '"examples":30\|"classes":2'
"examples":30
"classes":2
$ cleave stream perceptron box --predictions - --quiet | sed -n 2,6p
ham
ham
ham
spam
ham
$ cp s.model t.model; cleave stream perceptron box/ -m t.model
note: resuming after 30 examples
Model * t.model. (glob)
note: no new examples
$ cmp s.model t.model
$ echo "cheap watches" > box/spam/new; echo "pills" > box/plain; cleave stream perceptron box -m t.model --json --quiet | tail -n 1 | grep -o '"examples":31,"unlabeled":1'
"examples":31,"unlabeled":1
$ rm box/plain box/spam/new

# The model stores the documents: it reads one from standard input, and only a stream predicts before learning.
$ printf 'cheap\nlunch\npills\n' | cleave predict s.model -
spam
$ echo "lunch noon" > one.eml; cleave stream perceptron one.eml -m s.model --predictions -
note: * 30 * (glob)
ham
Unlabeled: 1 row, predicted only.
Model * s.model. (glob)
$ printf 'ham\tnoon\nspam\tpills\n' | cleave stream perceptron - --documents lines --input-continues -m s.model --json --quiet | tail -n 1 | grep -o '"examples":32,"unlabeled":1'
"examples":32,"unlabeled":1

# Another folder is another input. Documents of the first folder are still known afterwards.
$ mv box bin; cleave stream perceptron bin -m t.model --quiet; mv bin box
$ mkdir -p other/ham; echo noon > other/ham/1; cleave stream perceptron other -m t.model
note: * 31 * (glob)
Unlabeled: 1 *. (glob)
other: this is a different input; the model has learned from 32 examples of the previous one
hint: pass the same folder, or pass --input-continues to continue with another
? 1
$ cleave stream perceptron other -m t.model --input-continues --json --quiet | tail -n 1 | grep -o '"examples":32'
"examples":32
$ cleave stream perceptron box -m t.model --input-continues --json --quiet | tail -n 1 | grep -o '"examples":32'
"examples":32
$ printf 'ham\tnoon\n' > lines.tsv; cleave stream perceptron lines.tsv -m t.model
note: * 32 * (glob)
Unlabeled: 1 *. (glob)
lines.tsv: * 33 * (glob)
hint: pass the same input, or pass --input-continues to continue with another
? 1
$ cleave stream perceptron box -m box/s.model
cleave: box/s.model: the model file is inside the input folder 'box'
hint: choose a model file outside the folder
? 2

# A model of train continues with new words and classes.
$ cleave train svm box -o svm.model --transform none --quiet; mkdir box/eggs; echo "eggs and bacon" > box/eggs/1; cleave stream svm box -m svm.model --json --quiet 2>&1 | tail -n 1 | grep -o '"examples":31\|"classes":3'
"examples":31
"classes":3
$ rm -r box/eggs

# Malformed documents stop the stream, or are counted.
$ printf 'PK\003\004' > box/ham/zip; cleave stream perceptron box --json --quiet | tail -n 0
box/ham/zip: expected plain text, found an archive (ZIP or an office document)
hint: * (glob)
$ cleave stream perceptron box --skip-bad --json --quiet | tail -n 1 | grep -o '"examples":30\|"skipped":1'
"examples":30
"skipped":1
$ rm box/ham/zip

# A .cleave dataset is read row by row; a later run continues after its last row.
$ cleave convert box -o box.cleave --quiet; cleave stream perceptron box.cleave -m c.model --json --quiet | tail -n 1 | grep -o '"examples":30'
"examples":30
$ cleave stream perceptron box.cleave -m c.model
note: * 30 * (glob)
Model * c.model. (glob)
note: * (glob)
$ cleave convert other -o other.cleave --quiet; cleave stream perceptron other.cleave -m c.model
note: * 30 * (glob)
other.cleave: the input is not the one that the model was trained on
hint: pass the same file, or use --input-continues to continue with another
? 1
$ cleave stream perceptron other.cleave -m c.model --input-continues --json --quiet | tail -n 1 | grep -o '"examples":31'
"examples":31
$ cat other/ham/1 | cleave predict c.model -
ham
$ printf '1 1:1\n-1 2:1\n1 1:1 3:2\n' > n.svm; cleave convert n.svm -o n.cleave --quiet; cleave stream perceptron n.svm -m n1.model --quiet; cleave stream perceptron n.cleave -m n2.model --quiet; cmp <(cleave predict n1.model n.svm --scores) <(cleave predict n2.model n.svm --scores)
$ cleave stream perceptron n.cleave -m c.model --input-continues
note: * 31 * (glob)
n.cleave: * LIBSVM * (glob)
hint: * --format (glob)
? 1

# A maildir: new and cur are one folder, tmp is skipped, flags are ignored.
$ mkdir -p mail/spam/new mail/spam/cur mail/spam/tmp mail/ham Maildir/new Maildir/cur Maildir/tmp; echo pills > mail/spam/new/1.a; echo cheap > mail/spam/cur/2.a:2,S; echo half > mail/spam/tmp/3.a; echo x > mail/spam/maildirsize; echo noon > mail/ham/1
$ cleave stream perceptron mail -m mail.model --json --quiet | tail -n 1 | grep -o '"examples":3\|"classes":2'
"examples":3
"classes":2
$ mv mail/spam/new/1.a mail/spam/cur/1.a:2,RS; mv mail/spam/cur/2.a:2,S mail/spam/cur/2.a:2,ST; cleave stream perceptron mail -m mail.model
note: * 3 * (glob)
Model * mail.model. (glob)
note: * (glob)
$ cp mail/spam/cur/1.a:2,RS Maildir/new/x; cp mail/ham/1 Maildir/cur/y:2,; echo part > Maildir/tmp/z; cleave predict mail.model Maildir --names
cur/y:2,	ham
new/x	spam
$ cleave train perceptron mail -o m.model --json --quiet | grep -o '"rows":3,\|"classes":2'
"rows":3,
"classes":2

# Files beside the class folders are not classes.
$ mkdir -p few/a few/b few/c; for i in 1 2; do echo "x $i" > few/a/$i; echo "y $i" > few/b/$i; echo "z $i" > few/c/$i; done; for i in $(seq 25); do echo z > few/d$i; done
$ cleave stream perceptron few --json 2>&1 | grep -c 'read as a class'
0
? 1
# --weights is refused for streams.
$ seq 31 > weights; cleave stream perceptron few --weights weights
cleave: --weights cannot be used with a stream
hint: use a weight column of the table: --columns NAME=weight
? 2
