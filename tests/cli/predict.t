$ cleave train perceptron @spam6 --learning-rate 0.5 -o spam.model --quiet

# One label per line, as written in the training data.
$ cleave predict spam.model @spam6
+1
-1
+1
-1
+1
-1

# Label TAB score.
$ cleave predict spam.model @spam6 --scores
+1	1
-1	-0.5
+1	1
-1	-0.5
+1	0.5
-1	-0.5

# To a file, and as JSON.
$ cleave predict spam.model @spam6 -o labels.txt && wc -l < labels.txt
6
$ cleave predict spam.model @spam6 --json | sed -n 1,2p
{"row":1,"label":"+1","score":1}
{"row":2,"label":"-1","score":-0.5}

# Multiclass: one column per class, under a header.
$ cleave train perceptron @dogs --learn-threshold --epochs 200 -o dogs.model --quiet
$ cleave predict dogs.model @dogs --scores | sed -n 1,3p
#label	Chihuahua	Dachshund	Beagle
Chihuahua	1	-52	-19
Chihuahua	11	-27	-26
$ cleave predict dogs.model @dogs
Chihuahua
Chihuahua
Chihuahua
Beagle
Beagle
Dachshund
Beagle
Beagle
Beagle
Beagle
$ cleave predict dogs.model @dogs --json | sed -n 1,1p
{"row":1,"label":"Chihuahua","scores":{"Chihuahua":1,"Dachshund":-52,"Beagle":-19}}

# Labels that are words, in text.
$ printf 'spam\tcheap pills now\nham\tsee you at lunch\nspam\tpills pills cheap\nham\tlunch tomorrow\n' > mail.tsv
$ cleave train perceptron mail.tsv --format text -o mail.model --quiet
$ printf '\tcheap lunch pills\n\tyou tomorrow\n' | cleave predict mail.model - --format text
spam
ham

# A missing model, and a file that is not a model.
$ cleave predict no.model @spam6
no.model: * opened: No such file or directory (glob)
? 1
$ cleave predict mail.tsv @spam6
mail.tsv: * 'spam\\tche' (glob)
hint: * 'cleave train ... -o FILE' * (glob)
? 1
$ ls -A
dogs.model
labels.txt
mail.model
mail.tsv
spam.model

# Text before a TAB that is not a class of the model.
$ printf 'spam\tcheap pills\nham\tlunch at noon\nspam\tcheap watches\nham\tnoon again\n' > lines.tsv; cleave train perceptron lines.tsv -o lines.model --quiet
$ printf 'FREE pills\tnoon\nspam\tcheap\n\tcheap\n?\tnoon\ncheap, no tab\ncheap watches\tagain\n' > tabs.txt; cleave predict lines.model tabs.txt > out
warning: tabs.txt: in 2 lines the text before the TAB is not a class of the model and is ignored as a label; the first is 'FREE pills'
hint: start a line without a label with a TAB (sed 's/^/\t/'), or pass --format document to read the input as one document
$ sed 's/^/\t/' tabs.txt | cleave predict lines.model - | paste -sd ' '
spam spam spam ham spam spam
$ head -n 1 tabs.txt | cleave predict lines.model - --format document | wc -l
1
$ for i in 1 2 3 5; do cleave explain lines.model tabs.txt --row $i 2>&1 > out | grep -c warning; done | paste -sd ' '
1 0 0 0

# A hint about a cell suits a model, which determines the columns. A row with too many cells is reported as one.
$ printf 'a,b,y\n1,2,p\n3,4,q\n5,6,p\n2,1,q\n' > table.csv; cleave train tree table.csv -o table.model -q
$ printf 'a,b\n1,x\n' > cell.csv; cleave predict table.model cell.csv
cell.csv:2:3: * 'b': * 'x' (glob)
hint: the model reads this column as numbers: correct the cell, or pass --missing x if it means a missing value
? 1
$ cleave predict table.model cell.csv --missing x
p
$ printf 'a,b,y\n1,Smith, John,p\n' > cells.csv; for v in predict test; do cleave $v table.model cells.csv; done
cells.csv:2:3: * 3 * 4 (glob)
hint: *delimiter* (glob)
cells.csv:2:3: * 3 * 4 (glob)
hint: *delimiter* (glob)
? 1
$ (cat table.csv; seq 3000 | awk '{ print $1 "," $1 ",q" }'; echo '1,Smith, John,p') > long.csv; cleave train tree long.csv -o no.model -q
long.csv:3006:3: * 3 * 4 (glob)
...
? 1

# Data without a feature of the model is predicted with a warning.
$ printf '1 1:1 2:1\n-1 3:1\n1 1:2\n-1 2:1 3:2\n' > own.libsvm; cleave train svm own.libsvm -o own.model -q
$ printf '1 5:1 9:1\n-1 7:1\n' > other.libsvm; cleave convert other.libsvm -o other.cleave -q
$ for f in other.libsvm other.cleave; do cleave predict own.model $f 2>&1 >/dev/null; done
warning: no feature of the data is a feature of the model
hint: check that the data has the features of the training data
warning: *feature* (glob)
hint: *features* (glob)
$ cleave test own.model other.cleave --json | grep -o '"warnings":.*'
"warnings":[{"message":"no feature of the data is a feature of the model","hint":"check that the data has the features of the training data"}]}
$ printf '1 5:1 9:1\n-1 7:1 3:0\n1 2:1\n' | cleave predict own.model - --sort-indexes 2>&1 >/dev/null
$ printf 'red,blue,y\na,b,1\nc,d,0\n' > colors.csv; cleave convert colors.csv -o colors.cleave -q; cleave convert table.csv -o table.cleave -q; cleave train svm table.cleave -o cleave.model -q; cleave predict cleave.model colors.cleave 2>&1 >/dev/null | head -n 1
warning: *feature* (glob)

# Rows of a table are named by their number.
$ cleave predict table.model table.csv --names | head -n 2
1	p
2	q
$ cleave train logistic table.csv -o table.model -q; cleave predict table.model table.csv --names --probabilities | head -n 2 | cut -c 1-9
#name	lab
1	*	0.* (glob)
