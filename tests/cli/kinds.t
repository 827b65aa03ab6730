# Data is held against data of its own kind: held-out files are read with the columns of the training file.
$ printf 'a,b,label\n1,0,x\n0,1,y\n2,0,x\n0,2,y\n' > train.csv; printf 'b,label,a\n1,y,0\n0,x,3\n' > valid.csv
$ cleave train perceptron train.csv --validation valid.csv -o m.model
note: train.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 2 classes; columns: 2 number (--columns)
note: pipeline: --transform impute,scale (default for this data): 2 columns of numbers centered and scaled
Read 4 rows, 2 features, 2 classes (train.csv).
Trained perceptron: converged after 2 epochs, 1 mistake (bound (R/margin)^2 9.44444, margin 0.572078).
Training error 0.00% (0 of 4 rows).
Validation error 0.00% (0 of 2 rows, 95% confidence interval 0.0% to 65.8%).
Model written to m.model.
Next: cleave test m.model DATA, or cleave explain m.model.
$ cleave test m.model valid.csv | head -n 1
Error 0.00% (0 of 2 rows, 95% confidence interval 0.00% to 77.64%), accuracy 100.00%.
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

# Data of another kind is refused, in every direction.
$ printf 'x 1:1\ny 2:1\n' > numbers.libsvm; printf 'x\tsome words\ny\tother words\n' > words.tsv
$ cleave predict m.model numbers.libsvm
numbers.libsvm: this is LIBSVM text, but the features of the model come from a table
hint: give data of the same kind as the training data, or name the format with --format
? 1
$ cleave train perceptron words.tsv -o words.model --quiet
$ cleave predict words.model numbers.libsvm
numbers.libsvm: this is LIBSVM text, but the features of the model come from text
hint: give data of the same kind as the training data, or name the format with --format
? 1
$ cleave convert numbers.libsvm -o numbers.cleave --quiet; cleave predict words.model numbers.cleave
numbers.cleave: this is LIBSVM text, but the features of the model come from text
hint: give data of the same kind as the training data, or name the format with --format
? 1

# A model of text takes plain lines of text, wherever they come from.
$ printf 'some words\nother\n' | cleave predict words.model -
x
y

# An option that means nothing to the data is an error, not a surprise.
$ cleave train perceptron numbers.libsvm --label 1 -o n.model
cleave: --label has no effect here: numbers.libsvm is read as libsvm
hint: it applies to: csv tsv 
? 2
$ cleave train perceptron @dogs --positive Beagle -o n.model
cleave: --positive requires two classes, and the data has 3
hint: omit --positive; multiclass models treat all classes alike
? 2
$ cleave train perceptron @spam6 --validation-metric loss -o n.model
cleave: --validation-metric requires held-out data
hint: give a validation set with --validation FILE, or hold out rows with --validation-fraction 0.1
? 2
$ cleave generate spam --classes 3 -o n.tsv
cleave: --classes has no effect on 'spam'
? 2
$ ls n.model n.tsv 2>&1 | grep -c 'No such file'
2
