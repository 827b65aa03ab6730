# Numbers to predict: what was read, how it was trained, how far off it is on the training rows.
$ cleave train lms @line4 --learning-rate 0.02 --epochs 1000 -o line.model
read 4 rows, 1 feature
trained lms: 125 rounds, rows as in the file
the squared error of a sweep no longer decreases: 3.78636
on the training rows: RMSE 0.89592, R^2 0.3579
model written to line.model
try next: cleave explain line.model, or cleave test line.model FILE on data it has not seen
$ cleave train lms @line4 --learning-rate 0.02 --epochs 10 --json -o line.model | grep -oE '"(classes|converged|train_rmse|train_sse|train_r2)":[^,]*|"warnings".*'
"classes":0
"converged":false
"train_rmse":0.9320441442575776
"train_sse":3.474825147379361
"train_r2":0.30503497052412765
"warnings":[{"message":"train: the squared error of a sweep falls still (more rounds, or a higher rate), now 4.09241; stopped by --max-iterations after 10 rounds","hint":"try more --max-iterations, --learning-rate-decay, 'least-squares', scaling the features"}]}

# One number a line; the labels of the data are not looked at.
$ printf 'y,x\n1,1\n2,2\nthree,3\n,4\n' > new.csv
$ cleave train lms @line4 --learning-rate 0.05 --epochs 200 --order file -o line.model --quiet
$ cleave predict line.model new.csv --columns y=label | cut -c 1-5
1.618
2.119
2.619
3.120
$ cleave predict line.model @line4 --json | cut -c 1-25 | head -n 2
{"row":1,"number":1.61859
{"row":2,"number":2.11925

# How far off: against the mean of the same numbers. Rows without a number are counted, words are an error.
$ cleave test line.model @line4
RMSE 0.910683, mean absolute error 0.75033 on 4 rows
their mean as the answer to all has RMSE 1.11803: R^2 is 0.3365
too few rows for an interval
$ cleave test line.model @line4 --json | sed -E 's/("[a-z_]*seconds":)[^,]*/\1T/g; s/([0-9]\.[0-9]{4})[0-9]*/\1/g'
{"method":"lms","n":4,"rmse":0.9106,"mae":0.7503,"mean_rmse":1.1180,"r2":0.3365,"unlabelled":0,"measures":{"rmse":{"value":0.9106,"low":null,"high":null,"reason":"too few rows for an interval"},"mae":{"value":0.7503,"low":null,"high":null,"reason":"too few rows for an interval"},"r2":{"value":0.3365,"low":null,"high":null,"reason":"too few rows for an interval"}},"measured":4,"scores_left_out":false,"read_seconds":T,"predict_seconds":T,"warnings":[]}
$ printf 'y,x\n3,1\n,2\n3,3\n' > same.csv; cleave test line.model same.csv --columns y=label
RMSE 1.0131, mean absolute error 0.880743 on 2 rows
they all have the same number: R^2 says nothing
1 row without a label, not judged
too few rows for an interval
$ cleave test line.model new.csv --columns y=label
new.csv:4: expected a number to judge 'lms' by, found 'three'
hint: is --label the right column? a row without a label has ? there
? 1

# What it has learned.
$ cleave explain line.model | sed -E 's/([0-9]\.[0-9]{3})[0-9]*/\1/g'
lms, trained on 4 rows by cleave 0.1.0, seed 1
answers    with a number; training targets from 1 to 4
features   1
params     rate 0.05, rounds 200, order file; the others as usual
bias       1.117

raise the number
  x  0.500  ████████████████████████

lower the number: nothing
$ cleave explain line.model --json | grep -oE '"(task|classes|positive|probabilities)":(null|\[\]|[^,]*)'
"positive":null
"task":"regression"
"classes":[]
"positive":null
"probabilities":false

# Classes are another matter.
$ cleave predict line.model @line4 --probabilities
cleave: --probabilities is for classes, and this model of 'lms' answers with numbers
hint: leave it out
? 2
$ cleave test line.model @line4 --confusion
cleave: --confusion is for classes, and this model of 'lms' answers with numbers
  leave it out
? 2
$ cleave test line.model @line4 --full | tail -n 5

measures, with 95 % intervals
  RMSE                 0.910683 (too few rows for an interval)
  mean absolute error  0.75033 (too few rows for an interval)
  R^2                  0.336526 (too few rows for an interval)
$ cleave test line.model @line4 --abstain
cleave: --abstain is for classes, and this model of 'lms' answers with numbers
hint: leave it out
? 2
$ cleave train lms @spam6 --calibrate
cleave: --calibrate is for classes: a regression has no probabilities
? 2
$ cleave train lms @line4 --class-weight balanced
cleave: --class-weight is for classes, and this is a regression
? 2
$ cleave train lms @dogs -o no.model
@dogs: lms fits numbers, and 'Chihuahua' is none
hint: --label names the target column of a table; 'svm', 'logistic' and 'boost' are for classes
? 1

# Held-out data is judged by its squared error; the best round is kept.
$ cleave generate blobs --rows 300 --features 3 --classes 2 -o two.libsvm --quiet
$ cleave train lms two.libsvm --learning-rate 0.001 --validation-fraction 0.2 --patience 2 --epochs 30 -o two.model 2> err | sed -E 's/RMSE [0-9.e-]*/RMSE R/; s/R\^2 [0-9.]*/R^2 S/' | grep -E 'held out|on the training'
on the training rows: RMSE R, R^2 S
held out: RMSE R on 66 rows

# --clip keeps predictions within the range of the training targets, which the model has.
$ awk 'BEGIN { print "x,stars"; for (i = 0; i < 50; i++) printf "%d,%d\n", i, 1 + int(i / 10) }' > rated.csv; cleave train least-squares rated.csv --label stars -o rated.model --quiet; printf 'x,stars\n-50,1\n25,3\n120,5\n' > far.csv
$ cleave predict rated.model far.csv | awk '{ print ($1 < 1) + ($1 > 5) }' | paste -sd ' '; cleave predict rated.model far.csv --clip | awk '{ print ($1 < 1) + ($1 > 5) }' | paste -sd ' '
1 0 1
0 0 0
$ for flag in "" --clip; do cleave test rated.model far.csv $flag --json | grep -oE '"rmse":[0-9.]*' | head -n 1 | awk -F: '{ print ($2 < 0.2) }'; done
0
1
$ cleave explain rated.model | grep '^answers'
answers    with a number; training targets from 1 to 5
$ cleave train lms rated.csv --label stars --transform none --learning-rate 0.0001 --stream -o rated.model --quiet; cleave explain rated.model | grep -c 'training targets from 1 to 5'
1
$ cleave train tree @dogs -o dogs.model --quiet; cleave predict dogs.model @dogs --clip
cleave: --clip is for regression, and this model of 'tree' predicts classes
? 2
# A target that is no number: the hint names the options that leave it out, and they do.
$ awk 'BEGIN { print "x,y"; for (i = 0; i < 60; i++) print i "," (i % 9 == 4 ? "unknown" : 2 * i) }' > unknown.csv
$ cleave train least-squares unknown.csv --label y -q
unknown.csv:6: least-squares fits numbers, and 'unknown' is none
hint: --missing 'unknown' --skip-unlabeled leaves such rows out; --label names another target column
? 1
$ cleave train least-squares unknown.csv --label y --missing unknown --skip-unlabeled --json -q | grep -o '"n":[0-9]*'
"n":53

# Equal errors have no interval for any number of rows, and the output has this reason.
$ (echo x,y; for i in {1..20}; do printf '1,10\n2,20\n'; done) > equal.csv; (echo x,y; for i in {1..20}; do printf '1,10.5\n2,19.5\n'; done) > apart.csv
$ cleave train tree-regression equal.csv --label y -o equal.model --quiet; cleave test equal.model equal.csv | tail -n 1
no interval: all errors are equal
$ for data in equal apart; do cleave test equal.model $data.csv --json | grep -o '"[a-z0-9]*":{"value":[^{}]*"low":null,"high":null,"reason":"no interval[^{}]*}' | cut -d : -f 1 | paste -sd ' '; done
"rmse" "mae" "r2"
"rmse" "mae" "r2"
$ cleave cv tree-regression equal.csv --label y --folds 2 --quiet | grep -c 'RMSE 0 .*no interval'
2

# Errors near the ends of the range of doubles have intervals too, the same relative ones. Trials, which sum squares, refuse such labels.
$ for e in 1 1e-200 1e200 1e-90; do awk -v e=$e 'BEGIN { srand(1); print "x,y"; for (i = 0; i < 200; i++) { x = rand(); printf "%.6f,%.10g\n", x, (x + rand() - .5) * e } }' > v.csv; cleave train knn-regression v.csv --label y -o v.model -q; cleave test v.model v.csv | sed 's/e[-+][0-9]*//g' | tail -n 1 | cut -d , -f 2; cleave test v.model v.csv | grep -c 'same number'; cleave cv knn-regression v.csv --label y --folds 3 -q | grep -c 'all errors are equal\|too few'; done
 R^2 between 0.4675 and 0.6662
0
0
 R^2 between 0.4675 and 0.6662
0
v.csv: labels lie so close together that a squared error is below 1.2e-38, and cannot be compared
hint: multiply the labels by a power of ten
0
 R^2 between 0.4675 and 0.6662
0
v.csv: labels lie so far apart that a squared error is beyond 3.4e38, and cannot be compared
hint: divide the labels by a power of ten
0
 R^2 between 0.4675 and 0.6662
0
v.csv: labels lie so close together that a squared error is below 1.2e-38, and cannot be compared
hint: multiply the labels by a power of ten
0
? 1
$ cleave test v.model v.csv --json | grep -o '"reason"'
? 1
