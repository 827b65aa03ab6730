# Labels of tasks from the answers of workers. tests/unit/test_crowd.c has golden values of every method.
$ printf '%s\n' task,worker,label m1,ann,spam m1,bob,spam m1,cy,ham m2,ann,ham m2,bob,ham m2,cy,ham m3,ann,spam m3,bob,ham m3,cy,ham > answers.csv
$ printf '%s\n' m4,ann,ham m4,bob,ham m4,cy,ham m5,ann,spam m5,bob,spam m5,cy,ham m6,ann,spam >> answers.csv
$ cleave crowd answers.csv
note: answers.csv: * (--format), * (--header); columns: 2 * (--columns) (glob)
16 * 6 tasks by 3 workers. (glob)
Method: dawid-skene, 31 iterations.
Agreement (Krippendorff's alpha): 0.160.
Labels: spam 54.8%, ham 45.2%.

Workers of lowest quality (3 of 3):
worker  answers  accuracy  quality
    cy        5     0.502    0.000
   ann        6     0.874    0.459
   bob        5     0.892    0.526
Spammers: 0 of 3 workers.

2 tasks need another answer:
task  answers  label  probability
  m3        3    ham        0.507
  m6        1   spam        0.799
# A worker with the same answer to every task is a spammer.
$ cleave crowd answers.csv --spam-answers 5 --top 1 2> /dev/null | tail -n +6
Workers * (1 of 3): (glob)
worker  answers  accuracy  quality
    cy        5     0.502    0.000  spammer
Spammers: 1 * (glob)

2 tasks need another answer; the least certain are:
task  answers  label  probability
  m3        3    ham        0.507
$ cleave crowd answers.csv --confidence .5 2> /dev/null | tail -n 1
No task needs another answer.
$ cleave crowd answers.csv --max-iterations 2 --top 0 2> /dev/null | sed -n 2p
Method: dawid-skene, 2 iterations, not converged.
# The same as JSON.
$ cleave crowd answers.csv --json 2> /dev/null > crowd.json; grep -o '"\(method\|answers\|iterations\|converged\|spammers\|uncertain\)":[^,}]*' crowd.json | head -n 6 | paste -sd ' '
"method":"dawid-skene" "answers":16 "iterations":31 "converged":true "spammers":0 "uncertain":2
$ grep -o '"worker":"[a-z]*","answers":[0-9]*,"accuracy":[0-9.]\{5\}' crowd.json
"worker":"cy","answers":5,"accuracy":0.502
"worker":"ann","answers":6,"accuracy":0.874
"worker":"bob","answers":5,"accuracy":0.892
$ grep -o '"task":"m[36]","answers":[0-9],"label":"[a-z]*","probability":[0-9.]\{5\}' crowd.json
"task":"m3","answers":3,"label":"ham","probability":0.506
"task":"m6","answers":1,"label":"spam","probability":0.798
# Known labels.
$ printf '%s\n' task,label m1,spam m2,ham m3,spam m9,ham m6,? > truth.csv
$ cleave crowd answers.csv --truth truth.csv --top 0 2> /dev/null | sed -n 5p
Accuracy on 3 known labels: 66.67% (majority vote: 66.67%).
# Weighted training data: the tasks, or the rows of a table of tasks in its order.
$ cleave crowd answers.csv -q --method majority -o - --csv-safe
task,label,weight
m1,spam,0.666667
m2,ham,1
m3,ham,0.666667
m4,ham,1
m5,spam,0.666667
m6,spam,1
$ cleave crowd answers.csv -q --method majority -o all.tsv --every-label; cat all.tsv
task	label	weight
m1	spam	0.666667
m1	ham	0.333333
m2	ham	1
m3	spam	0.333333
m3	ham	0.666667
m4	ham	1
m5	spam	0.666667
m5	ham	0.333333
m6	spam	1
$ printf 'words,task,text\r\n12,m5,"say ""hi"", Bob"\r\n7,m9,none\r\n3,m1,"two\nlines"\r\n9,m2,again\r\n' > mails.csv
$ cleave crowd answers.csv --method majority --join mails.csv -o train.csv 2> /dev/null | tail -n 1; cat train.csv
3 rows written to train.csv; 1 row without answers left out; 3 tasks without a row left out.
words,task,text,label,weight
12,m5,"say ""hi"", Bob",spam,0.666667
3,m1,"two
lines",spam,0.666667
9,m2,again,ham,1
$ cleave train tree train.csv --label label --columns weight=weight,task=ignore,text=ignore -o m.model -q && echo trained
trained
# Columns by name or number; a later answer replaces an earlier one; rows without a label are skipped.
$ printf 'when,label,who,item\n1,a,x,i\n2,b,x,i\n3,,y,i\n4,b,z,i\n' > other.csv
$ cleave crowd other.csv --task-column item --worker-column 3 --label label 2> /dev/null | head -n 2
2 answers to 1 task by 3 workers; 1 repeated answer replaced; 1 row without a label skipped.
Method: dawid-skene, 1 iteration.
$ tail -n +2 answers.csv | cleave crowd - --header no -q -o labels.csv; head -n 2 labels.csv
1,label,weight
m1,spam,0.987348
$ printf 'worker,task,label\nann,m1,a\n' | cleave crowd - --top 0 -o /dev/null 2>&1 >/dev/null | tail -n 2
warning: standard input: column 'worker' is read as the task and column 'task' as the worker
hint: specify the columns with --task-column and --worker-column
# Bad data and bad options.
$ printf 'task,worker,label\na,x,1\na,,2\n' > hole.csv; cleave crowd hole.csv -q
hole.csv:3: column 'worker': the cell is empty or stands for a missing value
hint: remove the row, or pass --missing with other texts
? 1
$ printf 'task,worker,label\na,x,\n' > none.csv; cleave crowd none.csv -q
none.csv: no row has a label
hint: use one row per answer: task, worker, label; see --label
? 1
$ printf 'task,worker\na,x\n' > two.csv; cleave crowd two.csv -q
cleave: --label: column '3' * two.csv (glob)
hint: * task, worker (glob)
? 2
$ cleave crowd @spam6
cleave: --*: * (glob)
hint: * (glob)
? 2
$ cleave crowd answers.csv -q --worker-column task
cleave: answers.csv: task column 'task' and worker column 'task' have similar names
hint: specify two different columns with --task-column and --worker-column; --rename OLD=NEW renames a column
? 2
$ cleave crowd answers.csv -q --join mails.csv
cleave: --join needs -o, the file to write
? 2
$ cleave crowd answers.csv -q -o labels.libsvm; ls labels.libsvm
cleave: labels.libsvm: labels are written as CSV or TSV
hint: use a .csv or .tsv file
ls: * (glob)
? 2
$ cp mails.csv kept.csv; cleave crowd answers.csv -q --join mails.csv -o mails.csv; cmp kept.csv mails.csv
cleave: mails.csv: * (glob)
hint: * (glob)
$ printf 'task,label\nm1,2\n' > labeled.csv; cleave crowd answers.csv -q --join labeled.csv -o out.csv; ls out.csv
labeled.csv: the table has a column 'label' already
hint: rename the column in the file
ls: * (glob)
? 2
$ printf 'id,size\nm1,2\n' > wrong.csv; cleave crowd answers.csv -q --join wrong.csv -o out.csv
cleave: --columns: column 'task' * wrong.csv* (glob)
hint: pass a table with the task column of the answers
? 2
$ printf 'task,label\nm9,spam\n' > truth.csv; cleave crowd answers.csv -q --truth truth.csv
truth.csv: no task of the answers has a known label
? 1
$ cleave crowd answers.csv -q --method best
cleave: --method: * 'best' (glob)
hint: * (glob)
? 2
