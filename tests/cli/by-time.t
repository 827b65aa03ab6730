# Splits and folds by time: the test set is later than the training set.
$ awk 'BEGIN { print "when,x,y"; for (i = 0; i < 120; i++) { j = (i * 7) % 120; printf "2024-%02d-%02d %02d:30,%d,%d\n", int(j / 28) + 1, j % 28 + 1, j % 24, j % 5, j } }' > t.csv
$ cleave split t.csv --label y --by-time when --into early.csv late.csv 2> /dev/null
Training set: 96 rows, written to early.csv.
Test set: 24 rows (20.0%), written to late.csv.
Split: the test set is the latest rows.
$ tail -n +2 early.csv | cut -d, -f3 | sort -n | sed -n '1p;$p'
0
95
$ tail -n +2 late.csv | cut -d, -f3 | sort -n | sed -n '1p;$p'
96
119
$ cleave split t.csv --label y --by-time when --test-fraction 0.5 --into e.cleave l.cleave --json 2> /dev/null | grep -o '"rows":[0-9]*\|"stratified":[a-z]*\|"by_time":[a-z]*'
"rows":60
"rows":60
"stratified":false
"by_time":true
# A column of numbers; rows of equal time stay on one side.
$ awk 'BEGIN { print "t,x,y"; for (i = 0; i < 100; i++) printf "%d,%d,%d\n", i < 70 ? i : i < 90 ? 75 : i, i % 7, i }' > ties.csv
$ cleave split ties.csv --label y --by-time t --into a.csv b.csv 2> /dev/null
Training *: 90 * a.csv. (glob)
Test *: 10 * (10.0%), * b.csv. (glob)
Split: * (glob)
$ cleave split t.csv --label y --by-time x --by-group when --into a.csv b.csv --quiet
cleave: --by-time * --by-group * (glob)
? 2
$ cleave split t.csv --label y --by-time y --into a.csv b.csv --quiet
cleave: --by-time: column 'y' has the type 'label'; it must contain dates or numbers
hint: use another column of dates or numbers
? 2
$ cleave split t.csv --label y --by-time wen --into a.csv b.csv --quiet 2>&1 | head -1; cleave cv tree t.csv --label y --by-group wen --quiet 2>&1 | head -1
cleave: --by-time: no column 'wen' in the data; the nearest is 'when'
cleave: --by-group: * 'wen' * 'when' (glob)
$ cleave split t.csv --label y --by-time nothing --into a.csv b.csv --quiet
cleave: --by-time: no column 'nothing' in the data
hint: run 'cleave convert DATA --describe' for the list of columns
? 2
$ sed '5s/^[^,]*//' t.csv > gap.csv; cleave split gap.csv --label y --by-time when --into a.csv b.csv --quiet
--by-time: row 4 has no value in column 'when'
hint: remove rows without a time from the data
? 1
$ cleave split t.csv --label y --columns when=ignore --by-time when --into a.csv b.csv --quiet 2>&1 | head -1
cleave: --by-time: * 'when' * 'ignore'; * (glob)
# Forward-chaining folds: 5 folds are 6 blocks, and the earliest block is never tested.
$ cleave cv tree-regression t.csv --label y --by-time when --folds 5 --json 2> /dev/null > cv.json; grep -o '^{"method[^[]*"forward_chaining":true' cv.json; grep -o '"training_rows":[0-9]*,"rows":[0-9]*' cv.json
{"method":"tree-regression","rows":100,"unlabeled":0,"features":6,"classes":0,"folds":5,"repeats":1,"forward_chaining":true
"training_rows":20,"rows":20
"training_rows":40,"rows":20
"training_rows":60,"rows":20
"training_rows":80,"rows":20
"training_rows":100,"rows":20
$ cleave cv tree-regression t.csv --label y --by-time when --folds 5 --quiet | head -1
tree-regression on 100 rows, 5 forward-chaining folds, seed 1.
$ cleave cv tree-regression t.csv --label y --by-time when --repeats 2 --quiet
cleave: --by-time and --repeats cannot be combined: folds by time are always the same
? 2
$ cleave cv tree-regression t.csv --label y --by-time when --folds 200 --quiet
120 distinct times cannot be split into 201 parts: one part would be empty
hint: use fewer --folds; forward-chaining folds need one more part than --folds
? 1
# The baseline is the mean, evaluated on the tested rows only: RMSE of 20 to 119.
$ cleave cv tree-regression t.csv --label y --by-time when --folds 5 --quiet | grep -o 'Baseline (predict the mean): RMSE [0-9.]*'
Baseline (predict the mean): RMSE 28.8661.
# compare and tune use the same folds.
$ cleave compare t.csv --label y --by-time when --folds 3 --methods tree-regression,least-squares --json 2> /dev/null | grep -o '"rows":90\|"forward_chaining":true' | sort -u
"forward_chaining":true
"rows":90
$ cleave tune tree-regression t.csv --label y --by-time when --folds 3 --candidates 4 --json 2> /dev/null | grep -o '"forward_chaining":true'
"forward_chaining":true
$ cleave compare t.csv --label y --by-time when --repeats 2 --quiet
cleave: --by-time * --repeats * (glob)
? 2
# The baseline of classes counts the errors of the tested rows only.
$ awk 'BEGIN { print "day,x,y"; for (i = 0; i < 120; i++) printf "2024-%02d-%02d,%d,%s\n", i / 28 + 1, i % 28 + 1, i % 5, i % 10 == 3 ? "rare" : "common" }' > rare.csv
$ cleave compare rare.csv --label y --by-time day --folds 2 --methods tree --json 2> /dev/null | grep -o '"method":null.*' | grep -o '"error":[0-9.e+]*\|"rows":[0-9]*' | head -n 2
"error":0.1
"rows":80
# The gain of tune is the mean difference over its own folds, which cv prints.
$ awk 'BEGIN { s = 7; print "when,a,b,y"; for (i = 0; i < 300; i++) { for (k = 0; k < 3; k++) { s = (s * 16807) % 2147483647; r[k] = s / 2147483647 } printf "%d,%.3f,%.3f,%s\n", i, r[0], r[1], (r[0] + r[2] > 1 ? "p" : "n") } }' > noisy.csv
$ F="--by-time when --folds 5 --prune none --criterion gini --max-depth 30"; folds() { cleave cv tree noisy.csv $F $1 --json --quiet | tr '{' '\n' | grep -o '"training_rows":[0-9]*,"rows":[0-9]*,"errors":[0-9]*' | tr -c '0-9\n' ' '; }; paste <(folds) <(folds "--min-leaf-rows 20") | awk '{ m += ($3 - $6) / $2 / 5 } END { printf "%.4f\n", m }'; cleave tune tree noisy.csv $F --space leaf_rows=20 --test-fraction 0 --json --quiet | grep -o '"gain":{[^}]*}' | tr ':,' ' ' | awk '{ printf "%.4f\n", $3 }'
0.1200
cleave: --space: 'tree' has no parameter 'leaf_rows'; did you mean 'min_leaf_rows'?
hint: run 'cleave help tree' for the list of parameters
# Dates are groups, too.
$ cleave cv tree t.csv --label x --by-group when --folds 3 --json --quiet | grep -o '"groups":[0-9]*'
"groups":120
# Prices with a yearly season and noise of 0.06 (bench/dates compares LightGBM): date features predict the season, categories do not.
$ awk 'BEGIN { s = 1; print "date,price"; for (i = 0; i < 2190; i++) { m = int(i % 365 / 30.5) + 1; d = int(i % 365 % 30.5) + 1; if (m == 2 && d > 28) d = 28; if (d == 31) d = 30; u = 0; for (k = 0; k < 12; k++) { s = (s * 16807) % 2147483647; u += s / 2147483647 } printf "%d-%02d-%02d,%.5f\n", 2018 + int(i / 365), m, d, 2 + 0.4 * sin(6.2832 * (i % 365) / 365) + 0.06 * (u - 6) } }' > prices.csv
$ cleave split prices.csv --label price --by-time date --into train.csv test.csv --quiet
$ rmse() { cleave test $1 test.csv --json --quiet | grep -o '"rmse":[0-9.]*' | cut -d: -f2; }; cleave train boost-regression train.csv --label price -o d --quiet; cleave train boost-regression train.csv --label price --columns date=category -o c --quiet; awk -v d=$(rmse d) -v c=$(rmse c) 'BEGIN { print (d < 0.075 ? "good" : d), (c > 0.25 ? "bad" : c) }'
good bad
# A trend: later rows differ from earlier ones, and the summary names drift beside overfitting. Random folds give no such warning.
$ awk 'BEGIN { print "t,x,y"; for (i = 0; i < 240; i++) print i "," i % 7 "," i * i % 11 + i }' > drift.csv
$ cleave cv tree-regression drift.csv --label y --by-time t --folds 4 --quiet | grep -c 'or the data changes over time'; cleave cv tree-regression drift.csv --label y --folds 4 --quiet | grep -c 'changes over time'
0
0
? 1
