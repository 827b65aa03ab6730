# AdaBoost's example of ten points in a row: three stumps, alphas 1/2 ln(7/3), 1/2 ln(11/3), 1/2 ln(9/2), nothing wrong.
$ printf 'x,y\n0,yes\n1,yes\n2,yes\n3,no\n4,no\n5,no\n6,yes\n7,yes\n8,yes\n9,no\n' > ten.csv
$ cleave train boost ten.csv --loss exponential --max-leaves 2 --min-leaf-rows 1 --rounds 3 --positive yes -o ten.model
note: ten.csv: read as csv (--format), with header (--header); label column 'y' (--label), by its name, 2 classes; columns: 1 number (--columns)
note: pipeline: --transform ordinal:mark-missing=true (default for this data)
Read 10 rows, 1 feature, 2 classes (ten.csv).
Trained boost: 3 trees of 2 leaves on average.
Training error 0.00% (0 of 10 rows).
Model written to ten.model.
Next: cleave test ten.model DATA, or cleave explain ten.model.
$ cleave predict ten.model ten.csv --scores
yes	0.3212517414810585
yes	0.3212517414810585
yes	0.3212517414810585
no	-0.5260461189061452
no	-0.5260461189061452
no	-0.5260461189061452
yes	0.9780312123050197
yes	0.9780312123050197
yes	0.9780312123050197
no	-0.3212517414810585
# The training error is at most the product of 2 sqrt(err (1 - err)), err being 3/10, 3/14 and 2/11.
$ for r in 1 2 3; do cleave train boost ten.csv --loss exponential --max-leaves 2 --min-leaf-rows 1 --rounds $r --json 2> /dev/null | grep -o '"train_error_bound":0.[0-9][0-9][0-9][0-9][0-9][0-9]'; done
"train_error_bound":0.916515
"train_error_bound":0.752139
"train_error_bound":0.580192
$ cleave train boost ten.csv --loss exponential --monotone x=+
note: ten.csv: read as csv (--format), with header (--header); label column 'y' (--label), by its name, 2 classes; columns: 1 number (--columns)
cleave: --monotone requires --loss log: the trees of AdaBoost predict classes
? 2
# Gradient boosting: the same bytes by 1, 2 and 7 threads, with all rows and columns and with some that are drawn.
$ cleave generate blobs --rows 3000 --classes 3 --features 4 -o blobs.csv -q
$ for t in 1 2 7; do cleave train boost blobs.csv --rounds 5 --threads $t -o boost$t.model -q; done; cmp boost1.model boost2.model && cmp boost1.model boost7.model
$ for t in 1 2 7; do cleave train boost blobs.csv --rounds 5 --row-fraction 0.5 --column-fraction 0.5 --threads $t -o boost$t.model -q; done; cmp boost1.model boost2.model && cmp boost1.model boost7.model
$ cleave train boost blobs.csv --rounds 40 --learning-rate 0.5 --validation-fraction 0.3 --patience 2 --validation-metric loss -o early.model | head -n 3
note: blobs.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 3 classes; columns: 4 number (--columns)
note: pipeline: --transform ordinal:mark-missing=true (default for this data)
note: 30% of the rows are held out (seed 1) to evaluate each epoch
Read 2,101 rows, 4 features, 3 classes (blobs.csv).
Trained boost: early stopping after 9 boosting rounds.
Training error 0.38% (8 of 2,101 rows).
$ cleave test early.model blobs.csv | head -n 1
Error 0.93% (28 of 3,000 rows, 95% confidence interval 0.65% to 1.35%), accuracy 99.07%.
# A round whose drawn columns, or rows, cannot be split is not the end: the next draws others. One that draws nothing and splits nothing is.
$ awk 'BEGIN { print "x,rare,y"; for (i = 0; i < 400; i++) print i * 7 % 400 "," (i % 40 == 0) "," (i * 7 % 400 < 170 ? "low" : "high") }' > rare.csv
$ for s in 1 2 3 4; do cleave train boost rare.csv --rounds 20 --column-fraction 0.5 --seed $s -q -o rare.model; cleave test rare.model rare.csv | head -n 1; done
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
$ cleave train boost rare.csv --rounds 20 --row-fraction 0.1 -q -o rare.model; cleave test rare.model rare.csv | head -n 1
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
$ cleave train boost rare.csv --rounds 20 --min-leaf-rows 300 2> /dev/null | grep Trained
Trained boost: 1 tree of 1 leaf on average.
# The same of AdaBoost, which leaves out trees that are no better than chance; so many rounds and so many more are all of them in one run.
$ awk 'BEGIN { print "x,rare,y"; for (i = 0; i < 400; i++) print i * 7 % 400 "," (i % 40 == 0) "," (i * 7 % 400 < 200 ? "low" : "high") }' > even.csv
$ for s in 1 2 3 4; do cleave train boost even.csv --loss exponential --min-leaf-rows 20 --rounds 20 --column-fraction 0.5 --seed $s -q -o even.model; cleave test even.model even.csv | head -n 1; done
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
Error 0.00% (0 of 400 rows, 95% confidence interval 0.00% to 0.95%), accuracy 100.00%.
$ cleave train boost even.csv --loss exponential --rounds 30 --row-fraction 0.08 -q -o all.model; cleave test all.model even.csv | head -n 1
Error 7.50% (30 of 400 rows, 95% confidence interval 5.30% to 10.50%), accuracy 92.50%.
$ cleave train boost even.csv --loss exponential --rounds 7 --row-fraction 0.08 -q -o some.model; cleave train boost even.csv --loss exponential --rounds 23 --row-fraction 0.08 -q --from some.model -o more.model
$ for f in all more; do cleave explain $f.model --json | grep -o '"trees":.*' | cksum; done | sort -u | wc -l
1
# Answers that must grow with one column and fall with another do, whatever the rows say.
$ awk 'BEGIN { srand(1); print "a,b,y"; for (i = 0; i < 600; i++) { a = rand(); b = rand(); print a "," b "," a * a - b + sin(20 * a) + rand() } }' > up.csv
$ cleave train boost-regression up.csv --rounds 30 --monotone a=+,b=- -o up.model -q
$ awk 'BEGIN { print "a,b"; for (i = 0; i <= 100; i++) print i / 100 ",0.5" }' > a.csv; cleave predict up.model a.csv | awk 'NR > 1 && $1 < last { down++ } { last = $1 } END { print NR, down + 0 }'
101 0
$ awk 'BEGIN { print "a,b"; for (i = 0; i <= 100; i++) print "0.5," i / 100 }' > b.csv; cleave predict up.model b.csv | awk 'NR > 1 && $1 > last { up++ } { last = $1 } END { print NR, up + 0 }'
101 0
$ cleave train boost-regression up.csv --rounds 30 -o free.model -q; cleave predict free.model a.csv | awk 'NR > 1 && $1 < last { down++ } { last = $1 } END { print (down > 0) }'
1
$ cleave train boost-regression up.csv --monotone c=+
note: up.csv: read as csv (--format), with header (--header); label column 'y' (--label), by its name, numbers; columns: 2 number (--columns)
note: pipeline: --transform ordinal:mark-missing=true (default for this data)
cleave: --monotone: expected a column of the data, found 'c'
hint: example: --monotone age=+,income=- (predictions increase with age and decrease with income)
? 2
$ cleave train boost-regression up.csv --monotone a=up
note: up.csv: read as csv (--format), with header (--header); label column 'y' (--label), by its name, numbers; columns: 2 number (--columns)
note: pipeline: --transform ordinal:mark-missing=true (default for this data)
cleave: --monotone: expected NAME=+ or NAME=-, found 'a=up'
hint: example: --monotone age=+,income=- (predictions increase with age and decrease with income)
? 2
$ cleave train boost-regression up.csv --monotone a=+,a=-
note: up.csv: read as csv (--format), with header (--header); label column 'y' (--label), by its name, numbers; columns: 2 number (--columns)
note: pipeline: --transform ordinal:mark-missing=true (default for this data)
cleave: --monotone: expected each column at most once, found 'a=-'
hint: example: --monotone age=+,income=- (predictions increase with age and decrease with income)
? 2
# Eight rounds and twelve more are twenty, of each loss, with rows that are drawn, and when a run goes on from its checkpoint.
$ cleave generate blobs --rows 1500 --classes 3 --features 4 --seed 5 -o on.csv -q
$ for l in "" "--loss exponential" "--row-fraction 0.5 --column-fraction 0.5" "--loss exponential --row-fraction 0.7"; do cleave train boost on.csv $l --min-leaf-rows 5 --rounds 20 -o whole.model -q; cleave train boost on.csv $l --min-leaf-rows 5 --rounds 8 -o part.model -q; cleave train boost on.csv --from part.model --rounds 12 -o rest.model -q; for m in whole rest; do cleave explain $m.model --json | sed 's/"rounds":"*[0-9]*"*,//g' > $m.json; done; cmp whole.json rest.json && echo "8 + 12 are 20: ${l:-as usual}"; done
8 + 12 are 20: as usual
8 + 12 are 20: --loss exponential
8 + 12 are 20: --row-fraction 0.5 --column-fraction 0.5
8 + 12 are 20: --loss exponential --row-fraction 0.7
$ cleave train boost-regression up.csv --rounds 20 -o whole.model -q; cleave train boost-regression up.csv --rounds 8 -o part.model -q; cleave train boost-regression up.csv --from part.model --rounds 12 -o rest.model -q; for m in whole rest; do cleave explain $m.model --json | sed 's/"rounds":"*[0-9]*"*,//g' > $m.json; done; cmp whole.json rest.json
$ cleave train boost on.csv --rounds 6 --checkpoint run.checkpoint -q; cleave train boost on.csv --rounds 6 --checkpoint run.checkpoint -o again.model | grep -v Read; cleave train boost on.csv --rounds 6 -o six.model -q; cmp six.model again.model
note: on.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 3 classes; columns: 4 number (--columns)
note: pipeline: --transform ordinal:mark-missing=true (default for this data)
note: resuming after epoch 5 from checkpoint run.checkpoint
Trained boost: 18 trees of 30.2 leaves on average.
Training error 1.93% (29 of 1,500 rows).
Model written to again.model.
Next: cleave test again.model DATA, or cleave explain again.model.
# Other rows: the trees there are stay, and those to come mend what they get wrong there.
$ cleave generate blobs --rows 1500 --classes 3 --features 4 --seed 6 -o other.csv -q
$ cleave train boost on.csv --rounds 5 -o five.model -q; cleave train boost other.csv --refit --from five.model --rounds 20 -o both.model | tail -n 4
Trained boost: 75 trees of 30.8 leaves on average.
Training error 1.33% (20 of 1,500 rows).
Model written to both.model.
Next: cleave test both.model DATA, or cleave explain both.model.
$ cleave train boost on.csv --from five.model --loss exponential -o no.model
cleave: the warm-start model was trained with --loss log and cannot continue with --loss exponential
hint: leave out --loss; a warm start keeps the model's loss
? 2
# Rows learned by heart: both errors are shown, and a warning tells.
$ awk 'function r() { x = x * 16807 % 2147483647; return x / 2147483647 } BEGIN { x = 2; print "a,b,y"; for (i = 0; i < 500; i++) { a = r(); print a "," r() "," (r() < 0.2 ? a > 0.5 : a < 0.5) } }' > noisy.csv
$ cleave train boost noisy.csv --min-leaf-rows 1 --rounds 60 --validation-fraction 0.3 -o x.model 2>&1 | grep -A1 'error\|overfit'
warning: overfitting: held-out error 27.59%, training error 0.00%
hint: lower --max-leaves, raise --min-leaf-rows, or stop early with --patience 10 --validation-metric loss
--
Training error 0.00% (0 of 355 rows).
Validation error 27.59% (40 of 145 rows, 95% confidence interval 21.0% to 35.4%).
Model written to x.model.
$ cleave train boost noisy.csv --max-leaves 4 --rounds 60 --validation-fraction 0.3 --patience 3 --validation-metric loss -o x.model 2>&1 | grep 'error\|overfit'
Training error 20.28% (72 of 355 rows).
Validation error 16.55% (24 of 145 rows, 95% confidence interval 11.4% to 23.4%), best boosting round 19.
$ cleave train tree noisy.csv --no-prune --validation-fraction 0.3 -o x.model 2>&1 | grep -A1 'overfit'
warning: overfitting: held-out error 28.97%, training error 0.00%
hint: pruning (the default) or a smaller --max-depth or --max-leaves makes the tree smaller
$ cleave train tree-regression noisy.csv --no-prune --label y --validation-fraction 0.3 -o x.model 2>&1 | grep -A1 'overfit'
warning: overfitting: held-out RMSE 0.5382, training RMSE 0
hint: pruning (the default) or a smaller --max-depth or --max-leaves makes the tree smaller
$ cleave train forest noisy.csv --trees 20 --validation-fraction 0.3 -o x.model 2>&1 | grep 'error\|overfit'
Trained forest: 20 trees, out-of-bag error rate 26.76%.
Training error 1.41% (5 of 355 rows).
Validation error 23.45% (34 of 145 rows, 95% confidence interval 17.3% to 31.0%).
# Columns by what their splits gained, and what moved one answer: with the start, the columns' shares are the score.
$ awk 'function r() { x = x * 16807 % 2147483647; return x / 2147483647 } BEGIN { x = 3; print "tells,noise,helps,y"; for (i = 0; i < 400; i++) { a = r(); b = r(); c = r(); print a "," b "," c "," (3 * a + c > 2 ? "yes" : "no") } }' > planted.csv
$ for l in log exponential; do cleave train boost planted.csv --loss $l --rounds 10 -o planted.model -q; cleave explain planted.model | tail -n 4 | awk '{ print $1 }'; cleave explain planted.model --json | grep -o '"importances":[^]]*]' | grep -o '"column":"[a-z]*"' | head -n 1; cleave explain planted.model planted.csv --row 7 | awk '$1 == "(sum)" { print $NF }'; cleave predict planted.model planted.csv --scores | sed -n 7p; done
column
tells
helps
noise
"column":"tells"
1.57492
no	-1.5749177263791219
column
tells
helps
noise
"column":"tells"
14.0596
no	-14.059599611074775
# One number of a million among some below 1: the others are told apart all the same, by few rows and by many, at once and step by step.
$ for n in 10 100 1000; do awk -v n=$n 'BEGIN { print "x,y"; for (i = 0; i < n; i++) print i "," (i == n - 1 ? 1e6 : i < n / 2 ? 0.2 : 0.8) }' > far.csv; for m in "tree-regression --no-prune" "boost-regression --min-leaf-rows 1 --learning-rate 1 --epochs 3" "boost-regression --min-leaf-rows 1 --epochs 300"; do cleave train $m far.csv --label y -o far.model -q 2> /dev/null; cleave predict far.model far.csv | awk -v n=$n '{ want = NR <= n / 2 ? 0.2 : 0.8; off = $1 - want; if (NR < n - 5 && off * off > 1e-4) bad++ } END { printf " %d", bad }'; done; done; echo
 0 0 0 0 0 0 0 0 0
# Numbers that are too large for differences between them are refused; those that are not are met.
$ printf 'x,y\n1,1e300\n2,-1e300\n3,0\n' > huge.csv; for m in boost-regression tree-regression forest-regression; do cleave train $m huge.csv --label y -q; done
the target 1e+300 is too large: boost-regression supports targets (times sample weight) up to a magnitude of 1e+37
hint: rescale the targets, or remove the row
the target 1e+300 is too large: tree-regression supports targets (times sample weight) up to a magnitude of 1e+37
hint: rescale the targets, or remove the row
the target 1e+300 is too large: forest-regression supports targets (times sample weight) up to a magnitude of 1e+37
hint: rescale the targets, or remove the row
? 1
$ printf 'x,y\n1,1e37\n2,-1e37\n3,0\n' > large.csv; cleave train boost-regression large.csv --label y --min-leaf-rows 1 --learning-rate 1 --rounds 2 -o large.model -q; cleave predict large.model large.csv | awk '{ printf "%.6g\n", $1 }'
1e+37
-1e+37
0
# A leaf without a row of a class gives it probability 0: of the log loss that is taken for 2^-52, and a row costs 52 ln 2, not more.
$ printf 'x,y\n1,a\n2,a\n3,b\n4,b\n' > pure.csv; printf 'x,y\n1,b\n2,a\n3,b\n4,b\n' > other.csv; cleave train tree pure.csv -o pure.model -q; cleave test pure.model other.csv --json | grep -o '"log_loss":{"value":[0-9.]*'; awk 'BEGIN { printf "%.6f\n", 52 * log(2) / 4 }'
"log_loss":{"value":9.010913347279288
9.010913
# Categories have their names where an answer is explained, not the numbers that trees know them by; what is missing is called so.
$ awk 'BEGIN { print "colour,size,label"; for (i = 0; i < 90; i++) print (i % 3 == 0 ? "red" : i % 3 == 1 ? "green" : "") "," (i % 7 == 0 ? "" : i % 5 + 1) "," (i % 3 == 0 ? "cherry" : "pear") }' > fruit.csv
$ cleave train boost fruit.csv --rounds 5 -o fruit.model -q
$ cleave explain fruit.model fruit.csv --row 1
prediction  cherry, score 0.440613, probability 0.6084
runner-up   pear, score -0.440613, probability 0.3916
true label  cherry

  feature        value     cherry
  colour           red    1.13844  ████████████████████████
  size         missing          0
  (intercept)           -0.697826  ░░░░░░░░░░░░░░░
  (sum)                  0.440613
$ cleave explain fruit.model fruit.csv --row 6 --json
{"prediction":{"label":"pear","score":1.3844753652961244,"probability":0.7997088018420192},"runner_up":{"label":"cherry","score":-1.3844753652961244,"probability":0.20029119815798085},"true_label":"pear","intercept":0.6978259124497437,"contributions":[{"feature":"colour","value":null,"contribution":0.6866500559687888},{"feature":"size","value":1,"contribution":-6.03122407877299e-07}],"unknown":[]}
$ cleave explain fruit.model --example colour=green,size=3
prediction  pear, score 1.38448, probability 0.7997
runner-up   cherry, score -1.38448, probability 0.2003

  feature      value          pear
  colour       green       0.68665  ███████████████████████▋
  size             3  -6.03122e-07  ░
  (intercept)             0.697826  ████████████████████████
  (sum)                    1.38448
# Numbers taken for classes: the method of numbers that is beside this one is named.
$ seq 400 | awk '{ print $1 % 7 "," $1 }' | cleave train tree - --format csv --max-leaves 2 -o n.model 2>&1 | grep -A1 'treated as a class'
warning: the labels are 400 different numbers, each treated as a class
hint: use 'tree-regression' for regression
# A tree for each of thousands of classes, round after round, would not end.
$ (echo x,y; for i in $(seq 5000); do echo "$((i * 7919 % 1009)),c$i"; done) > classes.csv; cleave train boost classes.csv --label y -o classes.model -q
--loss log grows one tree per class and round and supports at most 4096 classes, found 5000
hint: use boost-regression for numeric targets, or forest or --loss exponential for more classes
? 1
