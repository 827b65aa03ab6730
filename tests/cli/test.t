$ cleave train perceptron @spam6 --learning-rate 0.5 -o spam.model --quiet
$ cleave test spam.model @spam6
Error 0.00% (0 * 6 *, 95% * 0.00% * 39.30%), * 100.00%. (glob)
Class '+1': * 1.0000, * 1.0000, * 1.0000. (glob)
ROC AUC 1.0000, average precision 1.0000.

# As JSON, times aside.
$ cleave test spam.model @spam6 --json | sed -E 's/("[a-z_]*seconds":)[^,}]*/\1T/g'
{"method":"perceptron","rows":6,"errors":0,"error_rate":0,"accuracy":1,"error_rate_low":0,"error_rate_high":0.3930377689970834,"unlabeled":0,"abstained":0,"unseen_labels":0,"metrics":{"accuracy":{"value":1,"low":0.6069622310029166,"high":1},"error":{"value":0,"low":0,"high":0.3930377689970834},"macro_precision":{"value":1,"low":null,"high":null,"reason":"too few rows"},"macro_recall":{"value":1,"low":null,"high":null,"reason":"too few rows"},"macro_f1":{"value":1,"low":null,"high":null,"reason":"too few rows"},"weighted_precision":{"value":1,"low":null,"high":null,"reason":"too few rows"},"weighted_recall":{"value":1,"low":0.6069622310029166,"high":1},"weighted_f1":{"value":1,"low":0.6069622310029166,"high":1},"roc_auc":{"value":1,"low":null,"high":null,"reason":"too few rows"},"average_precision":{"value":1,"low":null,"high":null,"reason":"too few rows"},"log_loss":null,"brier_score":null},"evaluated_rows":6,"scores_omitted":false,"positive":"+1","classes":[{"label":"+1","rows":3,"predicted":3,"correct":3,"precision":{"value":1,"low":null,"high":null,"reason":"too few rows"},"recall":{"value":1,"low":null,"high":null,"reason":"too few rows"},"f1":{"value":1,"low":null,"high":null,"reason":"too few rows"},"roc_auc":{"value":1,"low":null,"high":null,"reason":"too few rows"},"average_precision":{"value":1,"low":null,"high":null,"reason":"too few rows"}},{"label":"-1","rows":3,"predicted":3,"correct":3,"precision":{"value":1,"low":null,"high":null,"reason":"too few rows"},"recall":{"value":1,"low":null,"high":null,"reason":"too few rows"},"f1":{"value":1,"low":null,"high":null,"reason":"too few rows"},"roc_auc":{"value":1,"low":null,"high":null,"reason":"too few rows"},"average_precision":{"value":1,"low":null,"high":null,"reason":"too few rows"}}],"confusion":[[3,0,0],[0,3,0],[0,0,0]],"read_seconds":T,"predict_seconds":T,"warnings":[]}

# Unseen labels, and rows without a label.
$ printf '+1 1:1 2:1\n-1 3:1 4:1\n' > train.libsvm
$ cleave train perceptron train.libsvm -o small.model --quiet
$ printf '+1 1:1\n-1 3:1\n7 1:1\n? 2:1\n' > test.libsvm
$ cleave test small.model test.libsvm
Error 33.33% (1 * 3 *, 95% * 1.67% * 86.80%), * 66.67%. (glob)
Unseen labels: 1 row, counted as errors.
Unlabeled: 1 *. (glob)
Class '+1': * 0.5000, * 1.0000, * 0.6667. (glob)
ROC AUC 1.0000, average precision 1.0000.

# No labels for evaluation.
$ printf '? 1:1\n? 2:1\n' > none.libsvm
$ cleave test small.model none.libsvm
none.libsvm: * 2 * (glob)
hint: --label *; 'cleave predict' * (glob)
? 1

# Trained on one format, evaluated on another.
$ cleave convert @spam6 -o spam.csv --quiet
$ cleave test spam.model spam.csv
Error 0.00% (0 * 6 *, 95% * 0.00% * 39.30%), * 100.00%. (glob)
Class '+1': * 1.0000, * 1.0000, * 1.0000. (glob)
ROC AUC 1.0000, average precision 1.0000.

# All metrics. Rows with equal scores share a threshold.
$ printf '+1 1:3\n+1 1:2\n+1 1:-1\n-1 1:1\n-1 1:-1\n-1 1:-2\n-1 1:-3\n' > points.libsvm
$ printf '+1 1:1\n-1 1:-1\n' > line.libsvm; cleave train perceptron line.libsvm -o line.model --quiet
$ cleave test line.model points.libsvm --full
Error 28.57% (2 * 7 *, 95% * 5.10% * 66.98%), * 71.43%. (glob)
Class '+1': * 0.6667, * 0.6667, * 0.6667. (glob)
ROC AUC 0.8750, average precision 0.8667.

Metrics * 95% * (glob)
  accuracy            0.7143 (0.3302 to 0.9490)
  error               0.2857 (0.0510 to 0.6698)
  macro precision     0.7083 (too few rows)
  macro recall        0.7083 (too few rows)
  macro F1            0.7083 (too few rows)
  weighted precision  0.7143 (too few rows)
  weighted recall     0.7143 (0.3302 to 0.9490)
  weighted F1         0.7143 (0.3298 to 0.9492)
  ROC AUC             0.8750 (too few rows)
  average precision   0.8667 (too few rows)

Metrics by class with 95% confidence intervals (-: too few rows)
  class  rows   precision      recall                    F1  ROC AUC  average precision
  +1        3  0.6667 (-)  0.6667 (-)            0.6667 (-)   0.8750             0.8667
  -1        4  0.7500 (-)  0.7500 (-)  0.7500 (0.308-0.962)   0.8750             0.8875

Confusion matrix: rows are true classes, columns are predicted classes
  true class  +1  -1
  +1           2   1
  -1           1   3

Thresholds: metrics when '+1' is predicted for scores at or above the threshold
  threshold  predicted  correct  precision  recall      F1  false positive rate
          3          1        1     1.0000  0.3333  0.5000               0.0000
          2          2        2     1.0000  0.6667  0.8000               0.0000  best F1
          1          3        2     0.6667  0.6667  0.6667               0.2500  default
         -1          5        3     0.6000  1.0000  0.7500               0.5000
$ cleave test line.model points.libsvm --thresholds --json | sed 's/.*"thresholds":\[//; s/\].*//; s/},/},\n/g'
{"threshold":3,"true_positives":1,"false_positives":0,"precision":1,"recall":0.3333333333333333,"f1":0.5,"false_positive_rate":0,"best_f1":false,"default":false},
{"threshold":2,"true_positives":2,"false_positives":0,"precision":1,"recall":0.6666666666666666,"f1":0.8,"false_positive_rate":0,"best_f1":true,"default":false},
{"threshold":1,"true_positives":2,"false_positives":1,"precision":0.6666666666666666,"recall":0.6666666666666666,"f1":0.6666666666666666,"false_positive_rate":0.25,"best_f1":false,"default":true},
{"threshold":-1,"true_positives":3,"false_positives":2,"precision":0.6,"recall":1,"f1":0.75,"false_positive_rate":0.5,"best_f1":false,"default":false},
{"threshold":-2,"true_positives":3,"false_positives":3,"precision":0.5,"recall":1,"f1":0.6666666666666666,"false_positive_rate":0.75,"best_f1":false,"default":false},
{"threshold":-3,"true_positives":3,"false_positives":4,"precision":0.42857142857142855,"recall":1,"f1":0.6,"false_positive_rate":1,"best_f1":false,"default":false}
$ cleave test line.model points.libsvm --json | grep -oE '"(confusion|evaluated_rows|positive|f1)":(\[\[[^"]*\]\]|[^][{},]*|\{[^}]*\})'
"evaluated_rows":7
"positive":"+1"
"f1":{"value":0.6666666666666666,"low":null,"high":null,"reason":"too few rows"}
"f1":{"value":0.75,"low":0.308489450108648,"high":0.9618710396405792}
"confusion":[[2,1,0],[1,3,0],[0,0,0]]

# Abstentions and unseen labels have their own rows and columns.
$ printf 'a 1:1\nb 2:1\nc 3:1\n' > three.libsvm; cleave train svm three.libsvm -o three.model --quiet
$ printf 'a 1:1\nb 2:1\nb 1:1\nc 9:1\nd 2:1\n' > more.libsvm
$ cleave test three.model more.libsvm --abstain --confusion --per-class
Error 60.00% (3 * 5 *, 95% * 18.24% * 92.65%), * 40.00%. (glob)
Abstained: 1 *. (glob)
Unseen *: 1 *. (glob)
Macro * 0.3333, * 0.5000, * 0.3889. (glob)
ROC AUC 0.8194, average precision 0.7500 (one-vs-rest, mean over classes).

Metrics * 95% * (-: *) (glob)
  class  rows   precision      recall          F1  ROC AUC  average precision
  a         1  0.5000 (-)  1.0000 (-)  0.6667 (-)   0.8333             0.5000
  b         2  0.5000 (-)  0.5000 (-)  0.5000 (-)   0.6250             0.7500
  c         1  0.0000 (-)  0.0000 (-)  0.0000 (-)   1.0000             1.0000

Confusion * (glob)
  true class      a  b  c  (none)
  a               1  .  .       .
  b               1  1  .       .
  c               .  .  .       1
  (unseen label)  .  1  .       .
$ cleave test three.model more.libsvm --thresholds | tail -n 1
Thresholds: only for binary classification with rows of both classes

# Classes by name; a wide confusion matrix is printed as lines.
$ for i in $(seq 30 -1 1); do echo "class-$i $i:1"; done > many.libsvm
$ cleave train perceptron many.libsvm -o many.model --quiet
$ printf 'class-2 2:1\nclass-2 3:1\nclass-2 3:1\nclass-2 4:1\nclass-10 10:1\nclass-9 10:1\n' > few.libsvm
$ cleave test many.model few.libsvm --confusion | tail -n 4
Confusion matrix: recall of each class, and the classes it is confused with
  class-2    25.00%  1 of 4  confused with class-3 2, class-4 1
  class-9     0.00%  0 of 1  confused with class-10 1
  class-10  100.00%  1 of 1

# A class without rows: no AUC.
$ printf '+1 1:3\n+1 1:-2\n' > one.libsvm; cleave test line.model one.libsvm --metrics
Error 50.00% (1 * 2 *, 95% * 2.50% * 97.50%), * 50.00%. (glob)
Class '+1': * 1.0000, * 0.5000, * 0.6667. (glob)
Average precision 1.0000.

Metrics * 95% * (glob)
  accuracy            0.5000 (0.0250 to 0.9750)
  error               0.5000 (0.0250 to 0.9750)
  macro precision     0.5000 (too few rows)
  macro recall        0.2500 (too few rows)
  macro F1            0.3333 (too few rows)
  weighted precision  1.0000 (too few rows)
  weighted recall     0.5000 (0.0250 to 0.9750)
  weighted F1         0.6667 (0.0853 to 0.9931)
  average precision   1.0000 (too few rows)

# Sample weights.
$ printf 'y,x,w\n+1,1,3\n+1,-1,1\n-1,-1,4\n' > weighted.csv
$ cleave train perceptron weighted.csv --columns y=label,w=weight -o weighted.model --quiet
$ cleave test weighted.model weighted.csv --columns y=label,w=weight --weighted
Error 33.33% (1 of 3 rows), weighted error 12.50% (95% confidence interval 0.00% to 79.15%), accuracy 87.50%.
Class '+1': * 1.0000, * 0.7500, * 0.8571. (glob)
ROC AUC 0.8750, average precision 0.8750.
$ cleave test weighted.model weighted.csv --columns y=label,w=weight | head -n 2
Error 33.33% (1 * 3 *, 95% * 1.67% * 86.80%), * 66.67%. (glob)
Class '+1': * 1.0000, * 0.5000, * 0.6667. (glob)
$ cleave test spam.model @spam6 --weighted | head -n 2
Error 0.00% (0 * 6 * 0.00% (95% * 0.00% * 39.30%), * 100.00%. (glob)
Class '+1': * 1.0000, * 1.0000, * 1.0000. (glob)

# Labels that differ in case.
$ printf 'n,label\n1,TRUE\n2,FALSE\n3,TRUE\n' > upper.csv; sed 's/TRUE/True/; s/FALSE/False/' upper.csv > lower.csv; cleave train tree upper.csv -o upper.model -q; cleave test upper.model lower.csv 2>&1 | tail -n 1
hint: labels are compared with their case: write 'TRUE' instead of 'True' in the data
