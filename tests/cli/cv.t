# Folds, their errors with intervals, the result, and the assessment of overfitting.
$ cleave generate blobs --rows 600 -o blobs.csv --quiet
$ cleave cv perceptron blobs.csv --folds 5 --quiet | sed 's/ in [0-9.]* s\.$/./'
perceptron on 600 rows, 5 folds, seed 1.
fold  rows  errors  error (%)   95% interval  training (%)
   1   120       6       5.00  2.05 to 10.48          3.75
   2   120       4       3.33   1.07 to 8.26          4.58
   3   120       9       7.50  3.72 to 13.64          6.25
   4   120       9       7.50  3.72 to 13.64          3.96
   5   120       4       3.33   1.07 to 8.26          6.67
Error over all rows 5.33% (95% confidence interval 3.80% to 7.43%, Wilson).
Mean error over folds 5.33% (95% confidence interval 1.44% to 9.23%, corrected for shared training rows).
Baseline (always predict '0'): error 65.33%.
No sign of overfitting: held-out error 5.3%, training error 5.0%.
Training did not converge in 5 of 5 folds; more epochs or iterations may help.
# The same results for any number of threads; another seed gives other folds.
$ for threads in 1 2 3; do cleave cv logistic blobs.csv --threads $threads --quiet | sed 's/ in [0-9.]* s\.$/./' > $threads; done; cmp 1 2 && cmp 1 3
$ cleave cv logistic blobs.csv --seed 2 --quiet | tail -n +2 | cmp -s - <(tail -n +2 1) || echo other folds
other folds
# Every row is its own nearest neighbor: the training error is 0, and noise cannot be predicted.
$ awk 'function r() { s = s * 16807 % 2147483647; return s / 2147483647 } BEGIN { s = 1; print "x,y,label"; for (i = 0; i < 300; i++) printf "%.6f,%.6f,%s\n", r(), r(), r() < 0.6 ? "a" : "b" }' > noise.csv
$ cleave cv knn noise.csv --k 1 --folds 3 --quiet | tail -n +6
Error * 49.33% (95% * 43.72% * 54.96%, *). (glob)
Mean * 49.33% (95% * 41.16% * 57.51%, *). (glob)
Baseline (always predict 'a'): error 39.33%. The method is not better than the baseline.
Severe overfitting: held-out error 49.3%, training error 0.0%; try a larger --k, fewer features or more rows.
# Feature selection within each fold does not leak the labels of the fold.
$ awk 'function r() { s = s * 16807 % 2147483647; return s / 2147483647 } BEGIN { s = 2; for (i = 0; i < 200; i++) { printf "%d", i % 2; for (j = 1; j <= 1000; j++) if (r() < 0.5) printf " %d:1", j; print "" } }' > noise.libsvm
$ cleave cv logistic noise.libsvm --transform select:by=chi2:top=20 --json | grep -o '"beats_baseline":[a-z]*'
"beats_baseline":false
$ cleave convert noise.libsvm --transform select:by=chi2:top=20 -o leaked.libsvm --quiet
$ cleave cv logistic leaked.libsvm --json | grep -o '"beats_baseline":[a-z]*'
"beats_baseline":true
# Regression: RMSE.
$ awk 'function r() { s = s * 16807 % 2147483647; return s / 2147483647 } BEGIN { s = 3; print "x,y"; for (i = 0; i < 200; i++) { x = 10 * r(); printf "%.4f,%.4f\n", x, 2 * x + r() } }' > line.csv
$ cleave cv least-squares line.csv --label y --folds 4 --quiet | sed 's/ in [0-9.]* s\.$/./'
least-squares on 200 rows, 4 folds, seed 1.
fold  rows      RMSE          95% interval  training
   1    50  0.266624  0.232464 to 0.332935  0.282739
   2    50   0.30421  0.269839 to 0.365772  0.270131
   3    50  0.286258   0.253659 to 0.34492  0.276703
   4    50  0.262593  0.228312 to 0.330013  0.284243
RMSE over all rows 0.280415 (95% confidence interval 0.262973 to 0.304643, Student's t on a logarithmic scale).
Mean RMSE over folds 0.279921 (95% confidence interval 0.233226 to 0.326617, corrected for shared training rows).
Baseline (* 5.86815. (glob)
No sign of overfitting: held-out RMSE 0.2799, training RMSE 0.2785.
# The baseline is the majority class or the mean of all rows, for any folds. Each fold of @dogs lacks a class in training.
$ for folds in 2 3 5; do cleave cv tree @dogs --folds $folds --json | grep -o '"baseline":[0-9.]*'; cleave compare @dogs --folds $folds --methods tree --json | tr '{' '\n' | grep '"method":null' | grep -o '"error":[0-9.]*'; done | sort | uniq -c | sed 's/^ *//'
3 "baseline":0.6
3 "error":0.6
$ awk -F, 'NR > 1 { n++; s += $2; q += $2 * $2 } END { printf "%.6f\n", sqrt(q / n - (s / n) ^ 2) }' line.csv > spread
$ cleave cv least-squares line.csv --label y --folds 4 --json | grep -o '"baseline":[0-9.]*' | awk -F: '{ printf "%.6f\n", $2 }' | cmp - spread
$ cleave compare line.csv --label y --methods least-squares --json | tr '{' '\n' | grep '"method":null' | grep -o '"error":[0-9.]*' | awk -F: '{ printf "%.6f\n", $2 }' | cmp - spread
# Repeats, and groups of rows.
$ printf 'who,age,label\nann,1,a\nbob,2,b\nann,3,a\ncyd,4,b\nbob,5,a\ndan,6,b\ncyd,7,b\n' > visits.csv
$ cleave cv perceptron visits.csv --folds 2 --repeats 2 --by-group who --quiet | sed 's/ in [0-9.]* s\.$/./'
perceptron on 7 rows, 2 folds of 4 groups, 2 repeats, seed 1.
repeat  fold  rows  errors  error (%)    95% interval  training (%)
     1     1     4       3      75.00  24.23 to 98.75          0.00
     1     2     3       2      66.67  13.20 to 98.33          0.00
     2     1     3       2      66.67  13.20 to 98.33          0.00
     2     2     4       3      75.00  24.23 to 98.75          0.00
Error * 71.43% (95% * 33.02% * 94.90%, *). (glob)
Mean * 70.83% (95% * 32.43% * 94.30%, *). (glob)
Baseline (* 'b'): * 42.86%. * (glob)
Severe overfitting: held-out error 70.8%, training error 0.0%; try --average, fewer features or more rows.
# As JSON, times aside.
$ cleave cv knn @dogs --k 1 --folds 2 --json | sed -E 's/("[a-z_]*seconds":)[^,}]*/\1T/g'
{"method":"knn","rows":10,"unlabeled":0,"features":2,"classes":3,"folds":2,"repeats":1,"seed":1,"error_metric":"error_rate","metric":{"name":"error","title":"error","percent":true,"higher_is_better":false,"value":0.1,"low":0.005001475282439927,"high":0.40415002679523837,"mean":{"value":0.1,"low":0,"high":1},"baseline_value":0.6,"undefined_folds":0},"pooled":{"value":0.1,"low":0.005001475282439927,"high":0.40415002679523837},"mean":{"value":0.1,"low":0,"high":1},"train_error":0,"gap":{"value":0.1,"low":null,"high":null,"reason":"the variance of the gap cannot be estimated from folds"},"baseline":0.6,"baseline_label":"Beagle","beats_baseline":true,"fit":"inconclusive","summary":"overfitting cannot be ruled out: held-out error 10.0%, training error 0.0%","hint":"use more rows, or more --folds and --repeats","unconverged":0,"fold_results":[{"repeat":1,"fold":1,"training_rows":5,"rows":5,"errors":1,"error":0.2,"low":0.010001981233180326,"high":0.6655604584638781,"training_rows_evaluated":5,"train_error":0,"stopped_by":"complete","train_seconds":T,"test_seconds":T,"metric":{"value":0.2,"low":0.010001981233180326,"high":0.6655604584638781}},{"repeat":1,"fold":2,"training_rows":5,"rows":5,"errors":0,"error":0,"low":0,"high":0.4507197283469413,"training_rows_evaluated":5,"train_error":0,"stopped_by":"complete","train_seconds":T,"test_seconds":T,"metric":{"value":0,"low":0,"high":0.4507197283469413}}],"seconds":T,"guesses":[],"warnings":[]}
# A class with fewer rows than folds.
$ cleave cv knn @dogs --k 1 --folds 5 > told; head -2 told | sed 's/ in [0-9.]* s\.$/./'
warning: class 'Chihuahua' has only 3 rows: some folds contain none of them
hint: use fewer --folds, or add rows of this class
knn on 10 rows, 5 folds, seed 1.
fold  rows  errors  error (%)   95% interval  training (%)
# Errors.
$ cleave cv perceptron @dogs --folds 1
cleave: --folds: expected a whole number from 2 to 65535, found '1'
hint: Number of folds.
? 2
$ cleave cv perceptron @dogs --folds 11
10 rows cannot be split into 11 parts: one part would be empty
hint: use fewer --folds
? 1
$ cleave cv perceptron @dogs --stream
cleave: --stream cannot be used here: it applies to the training of one model
? 2
$ cleave cv perceptron @dogs --checkpoint a.state
cleave: --checkpoint * (glob)
? 2
$ cleave cv perceptron @dogs --fold 3
cleave: unknown option '--fold'
hint: did you mean '--folds'? Run 'cleave cv perceptron --help' for a list
? 2
$ cleave cv perceptrom @dogs
cleave: unknown method 'perceptrom'
hint: * 'perceptron'\? * 'cleave methods' * (glob)
? 2
$ cleave cv perceptron @dogs --by-group who
cleave: --by-group: * 'who' * (glob)
hint: use a column of a table, a feature, or qid if rows have query numbers
? 2
$ cleave cv perceptron
cleave: cv needs METHOD DATA...
hint: see 'cleave cv --help'
? 2
$ cleave cv least-squares @dogs
@dogs: 'least-squares' is a regression method, and the label 'Chihuahua' is not a number
hint: use --label to name the target column of a table, or 'svm', 'logistic' or 'boost' for classification
? 1
$ printf '1 1:1\n2 1:0.5\n1 1:1 2:1\n2 2:1\n' > half.libsvm; cleave cv winnow half.libsvm --folds 2
test set of fold 1: row 2: feature '1' is 0.5; winnow requires values of 0 or 1
hint: encode each feature as 1 (present) or 0 (absent)
? 1
# Rows without a label are counted over all data, not per fold.
$ (echo x,y; for i in $(seq 30); do echo "$i,$([ $((i % 5)) = 0 ] && echo NA || echo $((i % 2)))"; done) > unlabeled.csv; cleave cv logistic unlabeled.csv --label y --folds 5 --quiet 2>&1 | grep -o "(.*)"
(6 of 30 rows have no label)
