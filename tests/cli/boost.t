# AdaBoost on ten points: three stumps, alphas 1/2 ln(7/3), 1/2 ln(11/3), 1/2 ln(9/2), no training error.
$ printf 'x,y\n0,yes\n1,yes\n2,yes\n3,no\n4,no\n5,no\n6,yes\n7,yes\n8,yes\n9,no\n' > ten.csv
$ cleave train boost ten.csv --loss exponential --max-leaves 2 --min-leaf-rows 1 --rounds 3 --positive yes -o ten.model
note: ten.csv: * (--format), * (--header); * 'y' (--label), *, 2 *: 1 * (--columns) (glob)
note: pipeline: --transform ordinal:mark-missing=true (default for this data)
Read 10 rows, 1 feature, 2 classes (ten.csv).
Trained boost: 3 trees of 2 leaves on average.
Training * 0.00% (0 * 10 *). (glob)
Model * ten.model. (glob)
Next: * ten.model * ten.model. (glob)
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
note: ten.csv: * (--format), * (--header); * 'y' (--label), *, 2 *: 1 * (--columns) (glob)
cleave: --monotone requires --loss log: the trees of AdaBoost predict classes
? 2
# Gradient boosting: bit-identical for 1, 2 and 7 threads, with and without sampling of rows and columns.
$ cleave generate blobs --rows 3000 --classes 3 --features 4 -o blobs.csv -q
$ for t in 1 2 7; do cleave train boost blobs.csv --rounds 5 --threads $t -o boost$t.model -q; done; cmp boost1.model boost2.model && cmp boost1.model boost7.model
$ for t in 1 2 7; do cleave train boost blobs.csv --rounds 5 --row-fraction 0.5 --column-fraction 0.5 --threads $t -o boost$t.model -q; done; cmp boost1.model boost2.model && cmp boost1.model boost7.model
$ cleave train boost blobs.csv --rounds 40 --learning-rate 0.5 --validation-fraction 0.3 --patience 2 --validation-metric loss -o early.model | head -n 3
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 4 * (--columns) (glob)
note: pipeline: --transform *=*) (glob)
note: 30% of the rows are held out (seed 1) for validation
Read 2,101 *, 4 *, 3 * (blobs.csv). (glob)
Trained boost: early stopping after 9 boosting rounds.
Training * 0.38% (8 * 2,101 *). (glob)
$ cleave test early.model blobs.csv | head -n 1
Error 0.93% (28 of 3,000 rows, 95% confidence interval 0.65% to 1.35%), accuracy 99.07%.
# A round whose sampled columns or rows cannot be split does not end training. Without sampling, it does.
$ awk 'BEGIN { print "x,rare,y"; for (i = 0; i < 400; i++) print i * 7 % 400 "," (i % 40 == 0) "," (i * 7 % 400 < 170 ? "low" : "high") }' > rare.csv
$ for s in 1 2 3 4; do cleave train boost rare.csv --rounds 20 --column-fraction 0.5 --seed $s -q -o rare.model; cleave test rare.model rare.csv | head -n 1; done
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
$ cleave train boost rare.csv --rounds 20 --row-fraction 0.1 -q -o rare.model; cleave test rare.model rare.csv | head -n 1
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
$ cleave train boost rare.csv --rounds 20 --min-leaf-rows 300 2> /dev/null | grep Trained
Trained boost: 1 tree of 1 leaf on average.
# The same for AdaBoost, which omits trees no better than chance. 8 rounds and a warm start of 12 equal one run of 20.
$ awk 'BEGIN { print "x,rare,y"; for (i = 0; i < 400; i++) print i * 7 % 400 "," (i % 40 == 0) "," (i * 7 % 400 < 200 ? "low" : "high") }' > even.csv
$ for s in 1 2 3 4; do cleave train boost even.csv --loss exponential --min-leaf-rows 20 --rounds 20 --column-fraction 0.5 --seed $s -q -o even.model; cleave test even.model even.csv | head -n 1; done
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
$ cleave train boost even.csv --loss exponential --rounds 30 --row-fraction 0.08 -q -o all.model; cleave test all.model even.csv | head -n 1
Error 7.50% (30 * 400 *, 95% * 5.30% * 10.50%), * 92.50%. (glob)
$ cleave train boost even.csv --loss exponential --rounds 7 --row-fraction 0.08 -q -o some.model; cleave train boost even.csv --loss exponential --rounds 23 --row-fraction 0.08 -q --from some.model -o more.model
$ for f in all more; do cleave explain $f.model --json | grep -o '"trees":.*' | cksum; done | sort -u | wc -l
1
# Monotone constraints hold whatever the data.
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
note: pipeline: --transform *=*) (glob)
cleave: --monotone: expected a column of the data, found 'c'
hint: example: --monotone age=+,income=- (predictions increase with age and decrease with income)
? 2
$ cleave train boost-regression up.csv --monotone a=up
note: up.csv: * (--format), * (--header); * 'y' (--label), *: 2 * (--columns) (glob)
note: pipeline: --transform *=*) (glob)
cleave: --monotone: expected NAME=+ or NAME=-, found 'a=up'
hint: example: --monotone *=+,*=- (*) (glob)
? 2
$ cleave train boost-regression up.csv --monotone a=+,a=-
note: up.csv: * (--format), * (--header); * 'y' (--label), *: 2 * (--columns) (glob)
note: pipeline: --transform *=*) (glob)
cleave: --monotone: expected each column at most once, found 'a=-'
hint: example: --monotone *=+,*=- (*) (glob)
? 2
# Eight rounds and a warm start of twelve equal twenty rounds, for each loss, with sampling, and after resuming from a checkpoint.
$ cleave generate blobs --rows 1500 --classes 3 --features 4 --seed 5 -o on.csv -q
$ for l in "" "--loss exponential" "--row-fraction 0.5 --column-fraction 0.5" "--loss exponential --row-fraction 0.7"; do cleave train boost on.csv $l --min-leaf-rows 5 --rounds 20 -o whole.model -q; cleave train boost on.csv $l --min-leaf-rows 5 --rounds 8 -o part.model -q; cleave train boost on.csv --from part.model --rounds 12 -o rest.model -q; for m in whole rest; do cleave explain $m.model --json | sed 's/"rounds":"*[0-9]*"*,//g' > $m.json; done; cmp whole.json rest.json && echo "8 + 12 are 20: ${l:-default}"; done
8 + 12 are 20: default
8 + 12 are 20: --loss exponential
8 + 12 are 20: --row-fraction 0.5 --column-fraction 0.5
8 + 12 are 20: --loss exponential --row-fraction 0.7
$ cleave train boost-regression up.csv --rounds 20 -o whole.model -q; cleave train boost-regression up.csv --rounds 8 -o part.model -q; cleave train boost-regression up.csv --from part.model --rounds 12 -o rest.model -q; for m in whole rest; do cleave explain $m.model --json | sed 's/"rounds":"*[0-9]*"*,//g' > $m.json; done; cmp whole.json rest.json
$ cleave train boost on.csv --rounds 6 --checkpoint run.checkpoint -q; cleave train boost on.csv --rounds 6 --checkpoint run.checkpoint -o again.model | grep -v Read; cleave train boost on.csv --rounds 6 -o six.model -q; cmp six.model again.model
note: on.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 4 * (--columns) (glob)
note: pipeline: --transform *=*) (glob)
note: resuming after epoch 5 from checkpoint run.checkpoint
Trained *: 18 * 30.2 * (glob)
Training * 1.93% (29 * 1,500 *). (glob)
Model * again.model. (glob)
Next: * again.model * again.model. (glob)
# Warm start on other rows: existing trees are kept, and new trees fit the residuals.
$ cleave generate blobs --rows 1500 --classes 3 --features 4 --seed 6 -o other.csv -q
$ cleave train boost on.csv --rounds 5 -o five.model -q; cleave train boost other.csv --refit --from five.model --rounds 20 -o both.model | tail -n 4
Trained *: 75 * 30.8 * (glob)
Training * 1.33% (20 * 1,500 *). (glob)
Model * both.model. (glob)
Next: * both.model * both.model. (glob)
$ cleave train boost on.csv --from five.model --loss exponential -o no.model
cleave: the warm-start model was trained with --loss log and cannot continue with --loss exponential
hint: omit --loss; a warm start keeps the model's loss
? 2
# Overfitting: both errors are shown, with a warning.
$ awk 'function r() { x = x * 16807 % 2147483647; return x / 2147483647 } BEGIN { x = 2; print "a,b,y"; for (i = 0; i < 500; i++) { a = r(); print a "," r() "," (r() < 0.2 ? a > 0.5 : a < 0.5) } }' > noisy.csv
$ cleave train boost noisy.csv --min-leaf-rows 1 --rounds 60 --validation-fraction 0.3 -o x.model 2>&1 | grep -A1 'error\|overfit'
warning: overfitting: held-out error 27.59%, training error 0.00%
hint: lower --max-leaves, raise --min-leaf-rows, or stop early with --patience 10 --validation-metric loss
--
Training * 0.00% (0 * 355 *). (glob)
Validation error 27.59% (40 of 145 rows, 95% confidence interval 21.0% to 35.4%).
Model * x.model. (glob)
$ cleave train boost noisy.csv --max-leaves 4 --rounds 60 --validation-fraction 0.3 --patience 3 --validation-metric loss -o x.model 2>&1 | grep 'error\|overfit'
Training * 20.28% (72 * 355 *). (glob)
Validation error 16.55% (24 of 145 rows, 95% confidence interval 11.4% to 23.4%), best boosting round 19.
$ cleave train tree noisy.csv --no-prune --validation-fraction 0.3 -o x.model 2>&1 | grep -A1 'overfit'
warning: overfitting: * 28.97%, * 0.00% (glob)
hint: pruning (the default) or a smaller --max-depth or --max-leaves makes the tree smaller
$ cleave train tree-regression noisy.csv --no-prune --label y --validation-fraction 0.3 -o x.model 2>&1 | grep -A1 'overfit'
warning: overfitting: held-out RMSE 0.5382, training RMSE 0
hint: * --max-depth * --max-leaves * (glob)
$ cleave train forest noisy.csv --trees 20 --validation-fraction 0.3 -o x.model 2>&1 | grep 'error\|overfit'
Trained forest: 20 trees, out-of-bag error rate 26.76%.
Training * 1.41% (5 * 355 *). (glob)
Validation * 23.45% (34 * 145 *, 95% * 17.3% * 31.0%). (glob)
# Feature importance by gain, and contributions to one prediction: with the initial score, they sum to the score.
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
# One value of a million among values below 1: the other values still have separate bins, with few rows and with many.
$ for n in 10 100 1000; do awk -v n=$n 'BEGIN { print "x,y"; for (i = 0; i < n; i++) print i "," (i == n - 1 ? 1e6 : i < n / 2 ? 0.2 : 0.8) }' > far.csv; for m in "tree-regression --no-prune" "boost-regression --min-leaf-rows 1 --learning-rate 1 --epochs 3" "boost-regression --min-leaf-rows 1 --epochs 300"; do cleave train $m far.csv --label y -o far.model -q 2> /dev/null; cleave predict far.model far.csv | awk -v n=$n '{ want = NR <= n / 2 ? 0.2 : 0.8; off = $1 - want; if (NR < n - 5 && off * off > 1e-4) bad++ } END { printf " %d", bad }'; done; done; echo
 0 0 0 0 0 0 0 0 0
# Targets too large for their differences are an error. Smaller ones are fitted.
$ printf 'x,y\n1,1e300\n2,-1e300\n3,0\n' > huge.csv; for m in boost-regression tree-regression forest-regression; do cleave train $m huge.csv --label y -q; done
the target 1e+300 is too large: boost-regression supports targets (times sample weight) up to a magnitude of 1e+37
hint: rescale the targets, or remove the row
the target 1e+300 is too large: tree-regression supports targets (times sample weight) up to a magnitude of 1e+37
hint: * (glob)
the target 1e+300 is too large: forest-regression supports targets (times sample weight) up to a magnitude of 1e+37
hint: * (glob)
? 1
$ printf 'x,y\n1,1e37\n2,-1e37\n3,0\n' > large.csv; cleave train boost-regression large.csv --label y --min-leaf-rows 1 --learning-rate 1 --rounds 2 -o large.model -q; cleave predict large.model large.csv | awk '{ printf "%.6g\n", $1 }'
1e+37
-1e+37
0
# A leaf without rows of a class has probability 0 for it. The log loss clips it at 2^-52, so a row costs at most 52 ln 2.
$ printf 'x,y\n1,a\n2,a\n3,b\n4,b\n' > pure.csv; printf 'x,y\n1,b\n2,a\n3,b\n4,b\n' > other.csv; cleave train tree pure.csv -o pure.model -q; cleave test pure.model other.csv --json | grep -o '"log_loss":{"value":[0-9.]*'; awk 'BEGIN { printf "%.6f\n", 52 * log(2) / 4 }'
"log_loss":{"value":9.010913347279288
9.010913
# Explanations show the names of categories, not their numbers, and name missing values.
$ awk 'BEGIN { print "color,size,label"; for (i = 0; i < 90; i++) print (i % 3 == 0 ? "red" : i % 3 == 1 ? "green" : "") "," (i % 7 == 0 ? "" : i % 5 + 1) "," (i % 3 == 0 ? "cherry" : "pear") }' > fruit.csv
$ cleave train boost fruit.csv --rounds 5 -o fruit.model -q
$ cleave explain fruit.model fruit.csv --row 1
prediction  cherry, score 0.440613, probability 0.6084
runner-up   pear, score -0.440613, probability 0.3916
true label  cherry

  feature        value     cherry
  color            red    1.13844  ████████████████████████
  size         missing          0
  (intercept)           -0.697826  ░░░░░░░░░░░░░░░
  (sum)                  0.440613
$ cleave explain fruit.model fruit.csv --row 6 --json
{"prediction":{"label":"pear","score":1.3844753652961244,"probability":0.7997088018420192},"runner_up":{"label":"cherry","score":-1.3844753652961244,"probability":0.20029119815798085},"true_label":"pear","intercept":0.6978259124497437,"contributions":[{"feature":"color","value":null,"contribution":0.6866500559687888},{"feature":"size","value":1,"contribution":-6.03122407877299e-07}],"unknown":[]}
$ cleave explain fruit.model --example color=green,size=3
prediction  pear, score 1.38448, probability 0.7997
runner-up   cherry, score -1.38448, probability 0.2003

  feature      value          pear
  color        green       0.68665  ███████████████████████▋
  size             3  -6.03122e-07
  (intercept)             0.697826  ████████████████████████
  (sum)                    1.38448
# Numeric labels as classes: the hint names the regression method.
$ seq 400 | awk '{ print $1 % 7 "," $1 }' | cleave train tree - --format csv --label 2 --max-leaves 2 -o n.model 2>&1 | grep -A1 'treated as a class'
warning: the labels are 400 different numbers, each treated as a class
hint: use 'tree-regression' for regression
# Thousands of classes would need a tree each in every round.
$ (echo x,y; for i in $(seq 5000); do echo "$((i * 7919 % 1009)),c$i"; done) > classes.csv; cleave train boost classes.csv --label y -o classes.model -q
--loss log grows one tree per class and round and supports at most 4096 classes, found 5000
hint: use boost-regression for numeric targets, or forest or --loss exponential for more classes
? 1

# Nodes have the number of their training rows: the sum of their children, and at the root all rows or the sample; also after a warm
# start, and after an update, which adds the new rows.
$ cat > rows.py << 'END'
> import json, sys
> for line in sys.stdin:
>     trees = json.loads(line)["trees"]
>     bad = sum(node["rows"] != tree[node["left"]]["rows"] + tree[node["right"]]["rows"] for tree in trees for node in tree if "left" in node)
>     print(len(trees), bad, *sorted({tree[0]["rows"] for tree in trees}))
> END
$ awk 'BEGIN { srand(2); print "x,y,z,label"; for (i = 0; i < 400; i++) { x = rand(); y = rand(); print x "," y "," rand() "," (x * y + .1 * rand() > .3 ? "yes" : "no") } }' > all.csv; head -n 301 all.csv > old.csv; (head -n 1 all.csv; tail -n 100 all.csv) > new.csv
$ cleave train boost old.csv --rounds 3 -o a.model -q; cleave train boost old.csv --rounds 2 --from a.model -o b.model -q; cleave update b.model new.csv -o c.model -q; cleave train boost old.csv --loss exponential --rounds 3 -o d.model -q; cleave train boost old.csv --row-fraction 0.5 --rounds 1 -o e.model -q; cleave train boost-regression old.csv --label x --columns label=ignore --rounds 2 -o f.model -q; for m in a b d f; do cleave explain $m.model --json; done | python3 rows.py
3 0 300
5 0 300
3 0 300
2 0 300
$ cleave explain c.model --json | python3 rows.py | grep -oE '^[0-9]+ 0 .*400$' | wc -l; cleave explain e.model --json | python3 rows.py | awk '{ print $1, $2, ($3 > 100 && $3 < 200) }'
1
1 0 1
$ cleave explain a.model --tree 1 | grep -o '([0-9]* rows)' | tr -d -c '0-9\n' | awk '{ s += $1 } END { print s }'; cleave plot tree a.model --json | grep -o '"rows":300' | head -n 1; cleave explain d.model --tree 1 | grep -c 'rows, .*% of their weight in other classes)'
300
"rows":300
3
