# Trees on samples of rows and columns; the out-of-bag error is close to the error on other rows.
$ cleave generate blobs -o all.csv --rows 1200 --features 4 --seed 3 --spread 3 -q; head -n 601 all.csv > blobs.csv; { head -n 1 all.csv; tail -n 600 all.csv; } > other.csv
$ cleave train forest blobs.csv --trees 20 -o blobs.model
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 4 * (--columns) (glob)
note: pipeline: --transform *=*) (glob)
Read 600 *, 4 *, 3 * (blobs.csv). (glob)
Trained *: 20 * 6.17%. (glob)
Training * 0.00% (0 * 600 *). (glob)
Model * blobs.model. (glob)
Next: * blobs.model * blobs.model. (glob)
$ cleave test blobs.model other.csv -q | head -n 1
Error 6.00% (36 * 600 *, 95% * 4.37% * 8.19%), * 94.00%. (glob)
$ cleave train forest blobs.csv --trees 20 -o twice.model --json -q | grep -o '"oob_[a-z]*":[0-9.]*'
"oob_rows":600
"oob_error":0.06166666666666667

# Bit-identical for any number of threads; twelve trees and a warm start of eight equal twenty.
$ for t in 1 2 7; do cleave train forest blobs.csv --trees 20 --threads $t -o $t.model -q; cmp blobs.model $t.model; done
$ cleave train forest blobs.csv --trees 12 -o part.model -q; cleave train forest blobs.csv --trees 8 --from part.model -o whole.model -q; for m in blobs whole; do cleave predict $m.model blobs.csv --scores > $m.out; done; cmp blobs.out whole.out
$ cleave train forest blobs.csv --trees 20 --seed 2 -o seed.model -q; cmp -s blobs.model seed.model || echo another seed, another forest
another seed, another forest

# Feature importance by gain and, on request, by permutation. A noise column has no permutation importance.
$ awk 'BEGIN { print "a,b,noise,label"; for (i = 0; i < 400; i++) { a = i * 7 % 41; b = i * 11 % 37; print a "," b "," i * 13 % 29 "," (a > 20 ? b > 18 ? "p" : "q" : "r") } }' > planted.csv
$ cleave train forest planted.csv --trees 30 --importance permutation -o planted.model -q; cleave explain planted.model | tail -n 5

  column       gain  permutation
  a        0.676428     0.473389  ████████████████████████
  b        0.287275     0.210545  ██████████▋
  noise   0.0362965  -0.00777407  ░
$ cleave explain planted.model --json | grep -o '"importances":[^]]*]' | grep -o '"column":"[a-z]*"'
"column":"a"
"column":"b"
"column":"noise"
$ cleave explain planted.model --tree 2 --levels 2 | tail -n 3
    else: ... 2 more leaves, 9 rows
else if b > 18.5: ... 3 more leaves, 177 rows
else: ... 16 more leaves, 200 rows

# Contributions of columns to one prediction: with the intercept, they sum to the score.
$ printf 'a,b,noise\n30,5,3\n' > one.csv; cleave explain planted.model one.csv --row 1
prediction  q, score 0.966667, probability 0.9667
runner-up   r, score 0.0333333, probability 0.03333

  feature      value           q          r
  a               30    0.408224    -0.5317  ████████████████████████
  b                5    0.321702  0.0281735  ███████▌
  noise            3  -0.0146754  0.0243594  ░
  (intercept)           0.251417     0.5125  ░░░░░░░
  (sum)                 0.966667  0.0333333
$ cleave predict planted.model one.csv --probabilities
#label	r	p	q
q	0.03333333333333333	0	0.9666666666666667

# Regression: the mean of the trees.
$ cleave train forest-regression @peak7 --trees 30 --min-leaf-rows 1 -o peak.model; cleave predict peak.model @peak7 | wc -l
Read 7 rows, 1 feature (@peak7).
Trained forest-regression: 30 trees, out-of-bag RMSE 2.199.
Training RMSE 0.8367, R² 0.8670.
Model * peak.model. (glob)
Next: * peak.model * peak.model. (glob)
7

# Edge cases: a single row, one class, a constant column, an empty column, malformed category names, a depth above the number of rows.
$ printf 'a,label\n1,x\n' > single.csv; cleave train forest single.csv --trees 3 -o single.model
note: single.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 1 class; columns: 1 number (--columns)
note: pipeline: --transform *=*) (glob)
single.csv:2: * 1 * 'x'; * (glob)
hint: * (glob)
? 1
$ printf '5 1:2\n' > number.libsvm; cleave train forest-regression number.libsvm --trees 3 -o number.model; cleave predict number.model number.libsvm
warning: 1 row cannot be split into two leaves of --min-leaf-rows 5: the prediction is constant
hint: lower --min-leaf-rows
Read 1 row, 1 feature (number.libsvm).
Trained forest-regression: 3 trees, no out-of-bag rows.
Training RMSE 0.
Model * number.model. (glob)
Next: * number.model * number.model. (glob)
5
$ printf 'color,same,none,label\nred,1,,x\n"a,b",1,,y\n"say ""red""",1,,x\n  ,1,,y\nred,1,,x\n"a,b",1,,y\n' > odd.csv
$ cleave train forest odd.csv --trees 25 --max-depth 65535 -o odd.model; cleave predict odd.model odd.csv | xargs
note: odd.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 2 classes; columns: 2 number, 1 category (--columns)
note: pipeline: --transform ordinal:mark-missing=true (default for this data): 3 values of 1 categorical column
Read 6 *, 3 *, 2 * (odd.csv). (glob)
Trained *: 25 * 50.00%. (glob)
Training * 0.00% (0 * 6 *). (glob)
Model * odd.model. (glob)
Next: * odd.model * odd.model. (glob)
x y x y x y
$ cleave explain odd.model | tail -n 2
  column  gain
  color      1  ████████████████████████
$ cleave train forest odd.csv --row-fraction 0 -o bad.model
note: odd.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 2 *, 1 * (--columns) (glob)
cleave: --row-fraction: expected a number from 1e-06 to 1, found '0'
hint: Size of the bootstrap sample of a tree, as a fraction of the rows.
? 2
$ cleave train forest odd.csv --importance luck -o bad.model
note: odd.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 2 *, 1 * (--columns) (glob)
cleave: --importance: expected one of gain, permutation, found 'luck'
hint: Feature importance: gain; permutation adds out-of-bag permutation importance.
? 2

# Leaves of more than 64 classes are sparse. Prediction, update and warm start work as for other forests.
$ awk 'BEGIN { srand(3); print "a,b,c,y"; for (i = 0; i < 900; i++) { k = int(rand() * 90); printf "%.3f,%.3f,%.3f,c%d\n", k % 5 + rand(), k % 6 + rand(), k % 7 + rand(), k } }' > many.csv
$ cleave train forest many.csv --label y --trees 20 --importance permutation -o many.model -q; cleave predict many.model many.csv --probabilities --json | awk -F'"probabilities":{' '{ n = split($2, p, /[:,}]/); s = 0; for (i = 2; i <= n; i += 2) s += p[i]; if (s < 0.9999 || s > 1.0001) bad++ } END { print NR, bad + 0 }'
900 0
$ head -n 100 many.csv > some.csv; cleave update many.model some.csv -o updated.model --json | grep -o '"error_rate_after":[0-9.]*'; cleave test updated.model many.csv --json | grep -o '"errors":[0-9]*'
"error_rate_after":0
"errors":0
$ cleave train forest many.csv --label y --trees 12 -o twelve.model -q; cleave train forest many.csv --from twelve.model --trees 8 -o rest.model -q; cleave train forest many.csv --label y --trees 20 -o twenty.model -q; for f in rest twenty; do cleave predict $f.model many.csv --scores > $f.txt; done; cmp rest.txt twenty.txt

# A large out-of-bag RMSE is written without an exponent.
$ seq 40 | awk '{ print $1 "," $1 % 5 "," 50000 * $1 }' | cleave train forest-regression - --format csv --label 3 --trees 30 2>&1 | grep -o 'RMSE [0-9]*\.$' | grep -c '[0-9]\{6\}'
1
