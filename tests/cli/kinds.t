# Held-out files are read with the columns of the training file and must be of the same kind.
$ printf 'a,b,label\n1,0,x\n0,1,y\n2,0,x\n0,2,y\n' > train.csv; printf 'b,label,a\n1,y,0\n0,x,3\n' > valid.csv
$ cleave train perceptron train.csv --validation valid.csv -o m.model
note: train.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 2 * (--columns) (glob)
note: pipeline: --transform impute,scale (default for this data): 2 numeric columns centered and scaled
Read 4 *, 2 *, 2 * (train.csv). (glob)
Trained perceptron: converged after 2 epochs, 1 mistake (bound (R/margin)^2 9.44444, margin 0.572078).
Training * 0.00% (0 * 4 *). (glob)
Validation * 0.00% (0 * 2 *, 95% * 0.0% * 65.8%). (glob)
Model * m.model. (glob)
Next: * m.model * m.model. (glob)
$ cleave test m.model valid.csv | head -n 1
Error 0.00% (0 * 2 *, 95% * 0.00% * 77.64%), * 100.00%. (glob)
$ printf 'b,label\n1,y\n' > less.csv; cleave train perceptron train.csv --validation less.csv -o n.model --quiet
less.csv:1: column 'a' of the model is missing in this file
hint: add the column to the file; empty cells are missing values
? 1
# For missing columns, the message names the nearest column to the first of them.
$ printf 'length,width,label\n1,2,x\n2,1,y\n' > lengths.csv; cleave train perceptron lengths.csv -o lengths.model --quiet; printf 'lenght,label\n1,x\n' > both.csv; printf 'lenght,width,label\n1,2,x\n' > one.csv
$ cleave test lengths.model both.csv
both.csv:1: columns 'length', 'width' of the model are missing in this file; the nearest to the first is 'lenght'
hint: if the column is called 'lenght' here, pass --rename 'lenght=length'
? 1
$ cleave test lengths.model one.csv
one.csv:1: column 'length' of the model is missing in this file; the nearest is 'lenght'
hint: if the column is called 'lenght' here, pass --rename 'lenght=length'; --by-position matches all columns by position
? 1

# Data of another kind is refused.
$ printf 'x 1:1\ny 2:1\n' > numbers.libsvm; printf 'x\tsome words\ny\tother words\n' > words.tsv
$ cleave predict m.model numbers.libsvm
numbers.libsvm: this is LIBSVM text, but the features of the model come from a table
hint: * --format (glob)
? 1
$ cleave train perceptron words.tsv -o words.model --quiet
$ cleave predict words.model numbers.libsvm
numbers.libsvm: * LIBSVM * (glob)
hint: * --format (glob)
? 1
$ cleave convert numbers.libsvm -o numbers.cleave --quiet; cleave predict words.model numbers.cleave
numbers.cleave: * LIBSVM * (glob)
hint: * --format (glob)
? 1

# A model of text reads plain lines of text from any source.
$ printf 'some words\nother\n' | cleave predict words.model -
x
y

# An option without effect on the data is an error.
$ cleave train perceptron numbers.libsvm --label 1 -o n.model
cleave: --label *: numbers.libsvm * (glob)
hint: *  (glob)
? 2
$ cleave train perceptron @dogs --positive Beagle -o n.model
cleave: --positive requires two classes, and the data has 3
hint: omit --positive; multiclass models treat all classes alike
? 2
$ cleave train perceptron @spam6 --validation-metric loss -o n.model
cleave: --validation-metric requires held-out data
hint: provide a validation set with --validation FILE, or hold out rows with --validation-fraction 0.1
? 2
$ cleave generate spam --classes 3 -o n.tsv
cleave: --classes has no effect on 'spam'
? 2
$ ls n.model n.tsv 2>&1 | grep -c 'No such file'
2
