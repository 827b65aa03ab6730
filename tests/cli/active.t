# Active learning. tests/unit/test_active.c checks every kind of selection, undo and resume; tests/kill/active kills it.
$ cleave generate spam --rows 400 -o mail.tsv -q; cut -f 2 mail.tsv | sed 's/^/\t/' > pool.tsv; printf 'echo $CLEAVE_ROW >> asked; sed -n "$((CLEAVE_ROW + 1))p" mail.tsv | cut -f 1\n' > oracle.sh

# Simulation: labels are revealed, and active selection is compared with random selection.
$ cleave active svm mail.tsv --oracle reveal --budget 20 --simulations 3 -o mail.model --labeled labeled.tsv 2> /dev/null > report; sed -n 1,5p report
Labels: 20 asked for; 320 rows in the pool.
Selection: mixture. Classes: *ham*. (glob)
Error on 80 test rows: *%. (glob)
Labeled rows written to labeled.tsv.
* mail.model. (glob)
$ sed -n 7,8p report; grep -c 'selection' report
Mean error rate over 3 simulations, on 80 test rows of each:
labels  mixture  random
2
$ wc -l < labeled.tsv; grep -vFxc -f mail.tsv labeled.tsv
20
0
? 1
$ cleave train svm labeled.tsv -o again.model -q && cleave predict mail.model mail.tsv -q > a && cleave predict again.model mail.tsv -q > b; paste a b | awk '$1 != $2' | wc -l | awk '{ print $1 < 60 }'
1
# The same seed gives the same files, for any number of threads; another seed asks for other rows.
$ for i in 1 2; do cleave active svm mail.tsv --oracle reveal --budget 20 --simulations 0 -o $i.model --labeled $i.tsv --threads $i -q; done; cmp 1.model 2.model; cmp 1.tsv 2.tsv; cmp 1.tsv labeled.tsv
$ cleave active svm mail.tsv --oracle reveal --budget 20 --simulations 0 --seed 2 --labeled 3.tsv -q; cmp -s 1.tsv 3.tsv || echo other
other
# Every kind of selection; a method without probabilities; trees and neighbors.
$ for selection in random margin entropy committee density mixture; do cleave active logistic mail.tsv --oracle reveal --budget 15 --simulations 0 --selection $selection 2> /dev/null | sed -n 1p; done | uniq -c | awk '{ print $1 }'
6
$ for method in perceptron knn tree forest boost winnow kernel-svm mlp; do cleave active $method mail.tsv --oracle reveal --budget 12 --simulations 0 -o $method.model -q && cleave test $method.model mail.tsv --json -q | grep -c error_rate; done | uniq -c | awk '{ print $1, $2 }'
8 1
$ cleave active svm mail.tsv --oracle reveal --budget 20 --selection margin --simulations 2 --json 2> /dev/null | grep -o '"\(selection\|labeled\|exhausted\|repeats\|conclusion\)":[^,]*'
"selection":"margin"
"labeled":20
"exhausted":false
"repeats":2
"conclusion":"*" (glob)

# A command: the row is its standard input, its first line the label, an empty line skips the row.
$ cleave active svm pool.tsv --oracle 'sh oracle.sh' --journal labels.journal --budget 10 -o pool.model --labeled answered.tsv 2> /dev/null
Labels: 10 *; 400 rows * (glob)
Selection: mixture. Classes: *. (glob)
*rows * answered.tsv. (glob)
* pool.model. (glob)
It is not known whether active selection paid off: labels of a random selection are missing.
# The same command with a larger budget continues; with another option it is refused.
$ cleave active svm pool.tsv --oracle 'sh oracle.sh' --journal labels.journal --budget 15 2> /dev/null | sed -n 1p; wc -l < asked
Labels: 15 *; 400 rows * (glob)
15
$ cleave active svm pool.tsv --oracle 'sh oracle.sh' --journal labels.journal --budget 15 --selection margin -q
cleave: labels.journal: * --selection is 'mixture', not 'margin' (glob)
hint: * (glob)
? 2
$ cleave active svm pool.tsv --oracle 'cat > /dev/null; [ $CLEAVE_ROW -lt 200 ] && echo || echo ham' --journal skip.journal --budget 3 2> /dev/null | sed -n 1p
Labels: 3 asked for, * skipped; 400 rows in the pool. (glob)
# A command that fails, hangs or answers with an unknown label: the labels so far are kept.
$ cleave active svm pool.tsv --oracle 'exit 3' --journal fail.journal -q
--oracle: row *: the command failed with exit status 3 (glob)
hint: the labels so far are kept; correct the command and run the same command again
? 1
$ cleave active svm pool.tsv --oracle 'sleep 60' --oracle-seconds 1 --journal fail.journal -q
--oracle: row *: no answer within 1 seconds (glob)
hint: * (glob)
? 1
$ cleave active svm pool.tsv --oracle 'kill -9 $$' --journal fail.journal -q 2>&1 | head -n 1
--oracle: row *: the command was ended by signal 9 (glob)
$ cleave active svm pool.tsv --oracle 'cat /dev/zero' --journal fail.journal -q 2>&1 | head -n 1
--oracle: row *: the command printed more than 65536 bytes (glob)
$ cleave active svm pool.tsv --oracle 'echo eggs' --known-classes spam,ham --journal eggs.journal -q
--oracle: row *: unknown label 'eggs': --known-classes is spam,ham (glob)
hint: add it to --known-classes, or correct the answer
? 1
$ cleave active svm pool.tsv --oracle 'sh oracle.sh' --budget 3
cleave: --oracle COMMAND needs --journal FILE: an interruption would lose the labels
? 2
$ (timeout --preserve-status -s INT 1 cleave active svm pool.tsv --oracle 'sleep 60' --journal int.journal; echo $?) 2>&1 | tail -n 2
warning: interrupted: the labels are in the journal, and the same command resumes
130

# A person without a terminal: one line per answer, which is a label, its key, or s, u or q.
$ printf 'spam\nham\n1\nu\ns\n2\nq\n' | cleave active svm pool.tsv --oracle ask --journal ask.journal --labeled ask.tsv 2> asked.err; cut -f 1 ask.tsv | xargs; grep -c 'save and quit' asked.err
Labels: 3 asked for, 1 row skipped; 400 rows in the pool.
Selection: mixture. Classes: spam, ham.
*rows * ask.tsv. (glob)
It is not known * (glob)
spam ham ham
7
$ printf 'eggs\n1\n' | cleave active svm pool.tsv --oracle ask --known-classes spam,ham --journal classes.journal 2>&1 | grep -c "unknown label 'eggs'"
1
$ cleave active svm pool.tsv --oracle ask
cleave: --oracle ask needs --journal FILE: an interruption would lose the labels
? 2
$ cat pool.tsv | cleave active svm - --oracle ask --journal x.journal
cleave: --oracle ask reads answers from standard input: name the file of the pool
? 2

# A table keeps its columns, and gets the labels; labels in the pool are training rows. A class may appear late.
$ (echo x,y,kind; for i in 1 2 3 4 5 6 7 8 9; do echo $i,$((i * i)),; done; echo 10,2,low) > table.csv
$ cleave active tree table.csv --label kind --oracle 'IFS=, read x y; [ $x -gt 6 ] && echo high || { [ $x = 5 ] && echo mid || echo low; }' --journal table.journal --labeled table.out.csv --budget 100 -o table.model 2> /dev/null
Labels: 9 asked for, 1 in the pool from the start; 10 rows in the pool, none is left to ask about.
Selection: mixture. Classes: *. (glob)
*rows * table.out.csv. (glob)
* table.model. (glob)
It is not known * (glob)
$ head -n 1 table.out.csv; sort -t, -n table.out.csv | tail -n 10
x,y,kind
1,1,low
2,4,low
3,9,low
4,16,low
5,25,mid
6,36,low
7,49,high
8,64,high
9,81,high
10,2,low
$ printf '? 1:1 3:2\n? 2:1\n? 1:2\n' > pool.libsvm; cleave active svm pool.libsvm --oracle 'grep -q "2:1" && echo +1 || echo -1' --journal libsvm.journal --labeled labeled.libsvm -o libsvm.model -q; sort labeled.libsvm
+1 2:1
-1 1:1 3:2
-1 1:2
# One class: no model. Rows with the same features are asked about once. A budget above the pool.
$ for i in 1 2 3 4; do printf '\tsame words\n\tother words\n'; done > same.tsv; cleave active svm same.tsv --oracle 'echo ham' --journal same.journal -o same.model 2>&1 | grep -v note
warning: no model is written: fewer than two classes have labels
hint: label more rows
Labels: 2 asked for; 8 rows in the pool, none is left to ask about.
Selection: mixture. Classes: ham.
It is not known * (glob)
$ test -e same.model
? 1
$ printf 'ham\tsome words\nham\tother words\nham\tthird one\n' > ham.tsv; cleave active svm ham.tsv --oracle reveal -q
ham.tsv: the data has 1 class
hint: a comparison requires labeled rows of at least two classes
? 1

# Refused.
$ cleave active svm mail.tsv
cleave: active needs --oracle: reveal, ask, or a command  (see 'cleave active --help')
? 2
$ cleave active least-squares mail.tsv --oracle reveal -q
cleave: active learning asks for classes, and 'least-squares' predicts numbers
hint: use a classification method, such as svm or logistic
? 2
$ cleave active svm mail.tsv --oracle reveal --calibrate -q
cleave: --calibrate cannot be used here: every label is needed for training
hint: train on the labeled rows afterwards with this option
? 2
$ cleave active svm mail.tsv --oracle reveal --labeled mail.tsv -q
cleave: --labeled 'mail.tsv' * input; * (glob)
? 2
$ cleave active svm mail.tsv --oracle reveal --journal mail.tsv -q
cleave: --journal 'mail.tsv' * input; * (glob)
? 2

# The plot of the error beside random selection.
$ cleave plot active svm mail.tsv --budget 20 --simulations 2 -o active.svg 2> /dev/null; head -c 5 active.svg; echo
Error of svm against the number of labels: 80 test rows; mean of 2 simulations.
Plot written to active.svg (*). (glob)
<?xml
$ cleave plot active svm mail.tsv --budget 20 --simulations 2 --json 2> /dev/null | grep -o '"\(kind\|name\)":"[^"]*"'
"kind":"active"
"name":"mixture, 95% interval"
"name":"random, 95% interval"
$ cleave plot curve svm mail.tsv --selection margin -o x.svg
cleave: --selection is an option of the plot 'active'
? 2
