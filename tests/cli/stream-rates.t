# Missed positives and false alarms of a stream: two of the three positive examples are missed, and two of the others are false alarms.
$ cleave stream perceptron @spam6 --rates -q --json | tail -n 1 | grep -oE '"(missed|window_missed|false_alarms)":[^,}]*'
"missed":0.6666666666666666
"window_missed":0.6664355909331505
"false_alarms":0.6666666666666666
$ cleave stream perceptron @spam6 --rates | head -n 4
    examples      error     window       rate  classes   features        |w|     missed     window  false alarm     window
           1    100.00%    100.00%          -        1          5          -          -          -            -          -
           2    100.00%    100.00%          1        2          5          2    100.00%    100.00%      100.00%    100.00%
           4    100.00%    100.00%          1        2          5      2.449    100.00%    100.00%      100.00%    100.00%
$ cleave stream perceptron @dogs --json | tail -n 1 | grep -c missed
0
? 1
# A resumed stream goes on counting.
$ printf 'label,x\na,1\nb,-1\na,-2\nb,3\n' > two.csv; head -n 3 two.csv > one.csv; cleave stream perceptron two.csv --rates --json -q | tail -n 1 | grep -o '"missed".*_alarms":[^,}]*' > once.txt; cleave stream perceptron one.csv -m a.model -q; cleave stream perceptron two.csv -m a.model --rates --json -q | tail -n 1 | grep -o '"missed".*_alarms":[^,}]*' > twice.txt; cmp once.txt twice.txt && echo same
same
# Labels that arrive later: the earlier prediction is evaluated, then the row is learned from.
$ printf 'label,x\na,1\nb,-1\n,2\n,-2\n,3\n' > rows.csv; printf '3\ta\n4,b\n9\ta\n' > labels.tsv
$ cleave stream perceptron rows.csv --labels-later labels.tsv --rates -q --json | tail -n 1 | grep -oE '"(examples|unlabeled|error)":[^,}]*'
"examples":4
"unlabeled":1
"error":0.5
$ printf '3\tc\n' > new.tsv; cleave stream perceptron rows.csv --labels-later new.tsv -q
new.tsv:1: the class 'c' is new
hint: name every class in advance, e.g. --known-classes spam,ham
? 1
$ printf '3\n' > bad.tsv; cleave stream perceptron rows.csv --labels-later bad.tsv -q
bad.tsv:1: expected an id and a label
hint: write the id of a row, a tab and its label on each line
? 1
$ cleave stream perceptron rows.csv --labels-later missing.tsv -q
missing.tsv: * (glob)
? 1
# The files of labels are not overwritten, and a wrong name is an error before any row is learned.
$ cleave stream perceptron rows.csv --labels-later labels.tsv --predictions labels.tsv 2>&1 | grep -c both
1
$ cleave stream perceptron rows.csv --labels-later labels.tsv -m labels.tsv 2>&1 | grep -c both
1
$ head -n 2 labels.tsv
3	a
4,b
$ cleave stream perceptron --labels-later - < rows.csv
cleave: --labels-later needs a file, and '-' is standard input
? 2
$ cleave stream lms rows.csv --labels-later labels.tsv
cleave: --labels-later needs a classification method
? 2
$ cleave stream lms rows.csv --rates
cleave: --rates needs a classification method, and 'lms' is a regression method
? 2
$ cleave stream perceptron rows.csv --labels-later missing.tsv | wc -l
missing.tsv: * (glob)
0
$ cleave stream perceptron rows.csv --labels-later labels.tsv --predictions /dev/full -q
/dev/full: cannot be written: No space left on device
? 1
# All rows at once, or their labels later in the same order: the same weights.
$ printf 'label,x\na,1\nb,-1\na,2\nb,-2\n' > all.csv; printf 'label,x\na,1\nb,-1\n,2\n,-2\n' > part.csv; cleave stream perceptron all.csv -m all.model -q; cleave stream perceptron part.csv --labels-later labels.tsv -m part.model -q; for m in all part; do cleave explain $m.model --json | grep -o '"weights":.*' | sed 's/"seen.*//' > $m.txt; done; cmp all.txt part.txt && echo same
same
