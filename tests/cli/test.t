$ cleave train perceptron @spam6 --rate 0.5 -o spam.model --quiet
$ cleave test spam.model @spam6
error 0.00 %, accuracy 100.00 %: 0 of 6 rows wrong
with 95 % confidence the error is between 0.00 % and 39.03 %

# As JSON, times aside.
$ cleave test spam.model @spam6 --json | sed -E 's/("[a-z_]*seconds":)[^,}]*/\1T/g'
{"method":"perceptron","n":6,"errors":0,"error_rate":0,"accuracy":1,"error_rate_low":0,"error_rate_high":0.3903342879021653,"unlabelled":0,"none":0,"unseen_label":0,"read_seconds":T,"predict_seconds":T,"warnings":[]}

# Labels the model has never seen, rows without a label.
$ printf '+1 1:1 2:1\n-1 3:1 4:1\n' > train.libsvm
$ cleave train perceptron train.libsvm -o small.model --quiet
$ printf '+1 1:1\n-1 3:1\n7 1:1\n? 2:1\n' > judge.libsvm
$ cleave test small.model judge.libsvm
error 33.33 %, accuracy 66.67 %: 1 of 3 rows wrong
with 95 % confidence the error is between 6.15 % and 79.23 %
1 row with a label the model has never seen, counted as wrong
1 row without a label, not judged

# Nothing to judge by.
$ printf '? 1:1\n? 2:1\n' > none.libsvm
$ cleave test small.model none.libsvm
none.libsvm: none of 2 rows has a label: there is nothing to judge by
  'cleave predict' labels rows that have none; in a table, --label names the label's column
? 1

# Trained on one format, judged on another.
$ cleave convert @spam6 -o spam.csv --quiet
$ cleave test spam.model spam.csv
error 0.00 %, accuracy 100.00 %: 0 of 6 rows wrong
with 95 % confidence the error is between 0.00 % and 39.03 %
