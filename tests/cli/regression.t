# Regression: the summary of the data, the method and the training error.
$ cleave train lms @line4 --learning-rate 0.02 --epochs 1000 -o line.model
Read 4 *, 1 * (@line4). (glob)
Trained lms: objective no longer decreasing after 125 epochs.
Training RMSE 0.8959, R² 0.3579.
Model * line.model. (glob)
Next: * line.model * line.model. (glob)
$ cleave train lms @line4 --learning-rate 0.02 --epochs 10 --json -o line.model | grep -oE '"(classes|converged|train_rmse|train_sse|train_r2)":[^,]*|"warnings".*'
"classes":0
"converged":false
"train_rmse":0.9320441442575776
"train_sse":3.474825147379361
"train_r2":0.30503497052412765
"warnings":[{"message":"train: not converged after 10 epochs (--epochs): squared error of the last epoch 4.09241, still decreasing; raise --epochs or --learning-rate","hint":"try more --epochs, --learning-rate-decay, the method least-squares, --transform scale"}]}

# One number per line; labels of the data are ignored.
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

# RMSE compared with the mean. Rows without a number are counted; words are an error.
$ cleave test line.model @line4
RMSE 0.910683, MAE 0.75033 on 4 rows.
Baseline (predict the mean): RMSE 1.11803. R² 0.3365.
No confidence interval: too few rows.
$ cleave test line.model @line4 --json | sed -E 's/("[a-z_]*seconds":)[^,]*/\1T/g; s/([0-9]\.[0-9]{4})[0-9]*/\1/g'
{"method":"lms","rows":4,"rmse":0.9106,"mae":0.7503,"baseline_rmse":1.1180,"r2":0.3365,"unlabeled":0,"metrics":{"rmse":{"value":0.9106,"low":null,"high":null,"reason":"too few rows"},"mae":{"value":0.7503,"low":null,"high":null,"reason":"too few rows"},"r2":{"value":0.3365,"low":null,"high":null,"reason":"too few rows"}},"evaluated_rows":4,"scores_omitted":false,"read_seconds":T,"predict_seconds":T,"warnings":[]}
$ printf 'y,x\n3,1\n,2\n3,3\n' > same.csv; cleave test line.model same.csv --columns y=label
RMSE 1.0131, MAE 0.880743 on 2 rows.
All targets are equal: R² is undefined.
Unlabeled: 1 row, not evaluated.
No *. (glob)
$ cleave test line.model new.csv --columns y=label
new.csv:4: the label of the regression method 'lms' must be a number, not 'three'
hint: check the column of --label; '?' marks a row without a label
? 1

# The weights of the model.
$ cleave explain line.model | sed -E 's/([0-9]\.[0-9]{3})[0-9]*/\1/g'
lms, trained on 4 rows by cleave 0.1.0, seed 1
task       regression; training targets from 1 to 4
features   1
options    learning-rate 0.05, solver sgd, epochs 200, order file; defaults otherwise
intercept  1.117

Features that increase the prediction
  x  0.500  ████████████████████████

Features that decrease the prediction: none
$ cleave explain line.model --json | grep -oE '"(task|classes|positive|probabilities)":(null|\[\]|[^,]*)'
"positive":null
"task":"regression"
"classes":[]
"positive":null
"probabilities":false

# Classification options are refused.
$ cleave predict line.model @line4 --probabilities
cleave: --probabilities requires a classification model, and this model of 'lms' is for regression
hint: omit the option
? 2
$ cleave test line.model @line4 --confusion
cleave: --confusion needs a classification model; 'lms' is a regression method
? 2
$ cleave test line.model @line4 --full | tail -n 5

Metrics with 95% confidence intervals
  RMSE  0.910683 (too few rows)
  MAE   0.75033 (too few rows)
  R²    0.336526 (too few rows)
$ cleave test line.model @line4 --abstain
cleave: --abstain * 'lms' * (glob)
hint: * (glob)
? 2
$ cleave train lms @spam6 --calibrate
cleave: --calibrate requires a classification method
? 2
$ cleave train lms @line4 --class-weight balanced
cleave: --class-weight * (glob)
? 2
$ cleave train lms @dogs -o no.model
@dogs: 'lms' is a regression method, and the label 'Chihuahua' is not a number
hint: * --label * 'svm', 'logistic' * 'boost' * (glob)
? 1

# The validation metric is the squared error; the best epoch is kept.
$ cleave generate blobs --rows 300 --features 3 --classes 2 -o two.libsvm --quiet
$ cleave train lms two.libsvm --learning-rate 0.001 --validation-fraction 0.2 --patience 2 --epochs 30 -o two.model 2> err | sed -E 's/RMSE [0-9.e-]*[0-9]/RMSE R/; s/R² [0-9.]*[0-9]/R² S/' | grep -E 'Validation|Training'
Training RMSE R, R² S.
Validation RMSE R (66 rows).

# --clip keeps predictions within the range of the training targets, which the model has.
$ awk 'BEGIN { print "x,stars"; for (i = 0; i < 50; i++) printf "%d,%d\n", i, 1 + int(i / 10) }' > rated.csv; cleave train least-squares rated.csv --label stars -o rated.model --quiet; printf 'x,stars\n-50,1\n25,3\n120,5\n' > far.csv
$ cleave predict rated.model far.csv | awk '{ print ($1 < 1) + ($1 > 5) }' | paste -sd ' '; cleave predict rated.model far.csv --clip | awk '{ print ($1 < 1) + ($1 > 5) }' | paste -sd ' '
1 0 1
0 0 0
$ for flag in "" --clip; do cleave test rated.model far.csv $flag --json | grep -oE '"rmse":[0-9.]*' | head -n 1 | awk -F: '{ print ($2 < 0.2) }'; done
0
1
$ cleave explain rated.model | grep '^task'
task       regression; training targets from 1 to 5
$ cleave train lms rated.csv --label stars --transform none --learning-rate 0.0001 --stream -o rated.model --quiet; cleave explain rated.model | grep -c 'training targets from 1 to 5'
1
$ cleave train tree @dogs -o dogs.model --quiet; cleave predict dogs.model @dogs --clip
cleave: --clip requires a regression model, and this model of 'tree' is for classification
? 2
# A target that is not a number: the hint names the options that skip such rows.
$ awk 'BEGIN { print "x,y"; for (i = 0; i < 60; i++) print i "," (i % 9 == 4 ? "unknown" : 2 * i) }' > unknown.csv
$ cleave train least-squares unknown.csv --label y -q
unknown.csv:6: 'least-squares' is a regression method, and the label 'unknown' is not a number
hint: use --missing 'unknown' --skip-unlabeled to ignore such rows, or --label to name another target column
? 1
$ cleave train least-squares unknown.csv --label y --missing unknown --skip-unlabeled --json -q | grep -o '"rows":[0-9]*'
"rows":53

# Equal errors have no interval for any number of rows, and the output states this reason.
$ (echo x,y; for i in {1..20}; do printf '1,10\n2,20\n'; done) > equal.csv; (echo x,y; for i in {1..20}; do printf '1,10.5\n2,19.5\n'; done) > apart.csv
$ cleave train tree-regression equal.csv --label y -o equal.model --quiet; cleave test equal.model equal.csv | tail -n 1
No confidence interval: all errors are equal.
$ for data in equal apart; do cleave test equal.model $data.csv --json | grep -o '"[a-z0-9]*":{"value":[^{}]*"low":null,"high":null,"reason":"all errors[^{}]*}' | cut -d : -f 1 | paste -sd ' '; done
"rmse" "mae" "r2"
"rmse" "mae" "r2"
$ cleave cv tree-regression equal.csv --label y --folds 2 --quiet | grep -c 'all errors are equal'
2

# Very large and very small errors have the same relative intervals. cv sums squares and refuses such labels.
$ for e in 1 1e-200 1e200 1e-90; do awk -v e=$e 'BEGIN { srand(1); print "x,y"; for (i = 0; i < 200; i++) { x = rand(); printf "%.6f,%.10g\n", x, (x + rand() - .5) * e } }' > v.csv; cleave train knn-regression v.csv --label y -o v.model -q; cleave test v.model v.csv | sed 's/e[-+][0-9]*//g' | tail -n 1 | cut -d , -f 2; cleave test v.model v.csv | grep -c 'same number'; cleave cv knn-regression v.csv --label y --folds 3 -q | grep -c 'all errors are equal\|too few'; done
 R² 0.4675 to 0.6662.
0
0
 R² 0.4675 to 0.6662.
0
v.csv: the targets are too close together: squared errors are below 1.2e-38
hint: multiply the targets by a power of ten
0
 R² 0.4675 to 0.6662.
0
v.csv: * 3.4e38 (glob)
hint: * (glob)
0
 R² 0.4675 to 0.6662.
0
v.csv: * 1.2e-38 (glob)
hint: * (glob)
0
? 1
$ cleave test v.model v.csv --json | grep -o '"reason"'
? 1

# The note names no classes where the label is a target.
$ printf 'a,y\n1,5\n2,6\n3,9\n' > few.csv; cleave train least-squares few.csv -o few.model 2>&1 | grep -o "'y' (--label), by its name, [^;]*"
'y' (--label), by its name, numbers
