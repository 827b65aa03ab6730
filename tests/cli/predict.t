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
