# A command that writes a model replaces a model or an empty file. Any other file is the user's data and is not overwritten.
$ printf 'f,y\n1,a\n2,b\n1.1,a\n2.1,b\n' > rows.csv; cp rows.csv other.csv; cleave train knn rows.csv -o m.model -q
$ cleave train svm rows.csv -o other.csv
cleave: -o 'other.csv': the existing file is not a model and is not overwritten
hint: choose another name, or remove the file first
? 2
$ refused() { cleave "$@" > out 2> err; echo "$1: $?"; grep -c 'is not overwritten' err; cmp rows.csv other.csv; }; refused update m.model rows.csv -o other.csv; refused index rows.csv -o other.csv; refused remove m.model --rows 1 -o other.csv; refused begin perceptron rows.csv -o other.csv; cleave begin perceptron rows.csv -o w.model -q; cleave map rows.csv --model w.model -o part; refused apply part --model w.model -o other.csv
update: 2
1
index: 2
1
remove: 2
1
begin: 2
1
apply: 2
1
$ : > empty; cleave train svm rows.csv -o empty -q && cleave train svm rows.csv -o empty -q && cleave train svm rows.csv -o /dev/null -q
# A file that is read as a model first: the message describes the file.
$ cleave update other.csv rows.csv 2> err; echo $?; grep -c 'overwritten' err; cleave stream perceptron rows.csv -m other.csv 2> err; echo $?; cmp rows.csv other.csv
1
0
1
$ cleave train perceptron rows.csv --checkpoint other.csv -o c.model > out 2> err; echo $?; cmp rows.csv other.csv
1

# A model where data is expected.
$ cleave train tree @dogs -o dogs.model -q; cleave train tree dogs.model
dogs.model: this is a model of cleave, not data
hint: a command that takes both expects the model before the data
? 1
