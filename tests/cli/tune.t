# Candidates on folds, the winner compared with the defaults on held-out rows, and the command that trains it.
$ cleave generate blobs --rows 300 -o blobs.csv --quiet
$ cleave tune knn blobs.csv --candidates 6 --folds 3 --quiet | sed -E 's/ in [0-9.]+ s\.$/./; s/ +[0-9.]+ s  /  T  /'
knn on 240 rows, 3 folds, seed 1.
Search space: k (log 1..50), distance (euclidean, manhattan, cosine), weight (none, 1/d, 1/d2, gaussian), sigma (log 0.1..10).
Rung 1: 6 candidates, all rows.
rank  error (%)   95% interval  rung  folds    time  hyperparameters
   1       1.67   0.53 to 4.21     1      3  T  --k 18 --distance cosine --weight none
   2       2.08   0.77 to 4.78     1      3  T  --k 18 --distance manhattan --weight 1/d
   3       2.08   0.77 to 4.78     1      3  T  --k 12 --distance manhattan --weight 1/d
   4       2.50   1.02 to 5.35     1      3  T  the defaults
   5       2.92   1.28 to 5.90     1      3  T  --k 15 --distance manhattan --weight none
   6       7.92  5.13 to 12.03     1      3  T  --k 1 --distance manhattan --weight 1/d
Winner: error 0.83 percentage points below the defaults over the same folds; the difference is not statistically significant.
Test set (60 rows): error 6.67% (95% confidence interval 2.15% to 15.93%), defaults 3.33% (95% confidence interval 0.56% to 11.36%); 3.33 percentage points worse than the defaults; the difference is not statistically significant (p = 0.5).
Train it:
  cleave train knn blobs.csv --k 18 --distance cosine --weight none -o knn.model
# The same result for any number of threads; another seed draws other candidates.
$ for threads in 1 2 3; do cleave tune logistic blobs.csv --candidates 6 --threads $threads --json | sed -E 's/"seconds":[^,}]*//g' > $threads; done; cmp 1 2 && cmp 1 3
$ cleave tune logistic blobs.csv --candidates 6 --seed 2 --json | grep -o '"number":2,"parameters":{[^}]*}' | cmp -s - <(grep -o '"number":2,"parameters":{[^}]*}' 1) || echo others
others
# The printed command trains the winner.
$ sh -c "$(cleave tune svm blobs.csv --label label --no-intercept --candidates 3 --folds 2 --loss hinge --json | sed 's/.*"command":"\([^"]*\)".*/\1/') --quiet -o best.model"; cleave explain best.model | head -3
svm, trained on 300 rows by cleave 0.1.0, seed 1
classes    2, 0, 1
features   10, by the pipeline
$ cp blobs.csv "my blobs.csv"; cleave tune perceptron 'my blobs.csv' --candidates 2 --folds 2 --form plain --learn-threshold --learning-rate 2 --quiet | tail -1
  cleave train perceptron 'my blobs.csv' --form plain --learn-threshold --learning-rate 2 -o perceptron.model
# Given options are fixed; --space narrows or extends the search space.
$ cleave tune svm blobs.csv --C 1 --space l1-ratio=0,0.5 --space 'tolerance=1e-4..1e-2' --candidates 3 --folds 2 --json --test-fraction 0 | grep -oE '"tuned":\[[^]]*\]|"test":null'
"tuned":[{"name":"loss","scale":"choices","values":"hinge,squared-hinge"},{"name":"l1_ratio","scale":"choices","values":"0,0.5"},{"name":"tolerance","scale":"log","low":0.0001,"high":0.01}]
"test":null
$ cleave tune svm blobs.csv --C 1 --space C=1..2
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 10 * (--columns) (glob)
cleave: --space C=1..2: the option also has a fixed value; omit one of them
hint: * --space *=*..HIGH, * --space *=* (glob)
? 2
$ cleave tune svm blobs.csv --space gama=1..2
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 10 * (--columns) (glob)
cleave: --space: 'svm' has no parameter 'gama'
hint: * 'cleave help svm' * (glob)
? 2
$ cleave tune svm blobs.csv --space C=2..1
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 10 * (--columns) (glob)
cleave: --space C=2..1: expected the lower bound first
hint: * --space *=*..HIGH, * --space *=* (glob)
? 2
$ cleave tune svm blobs.csv --space C=-1..1
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 10 * (--columns) (glob)
cleave: --* 0, * '-1' (glob)
hint: * (glob)
? 2
$ cleave tune svm blobs.csv --space loss=hinge,hing
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 10 * (--columns) (glob)
cleave: --loss: expected one of hinge, squared-hinge, found 'hing'
hint: Loss function.
? 2
$ cleave tune svm blobs.csv --space loss=1..2
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 10 * (--columns) (glob)
cleave: --space loss=1..2: the parameter is not numeric: expected a list of values
hint: * --space *=*..HIGH, * --space *=* (glob)
? 2
$ cleave tune svm blobs.csv --space C
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 10 * (--columns) (glob)
cleave: --space C: expected NAME=LOW..HIGH or NAME=A,B,C
hint: * --space *=*..HIGH, * --space *=* (glob)
? 2
$ cleave tune least-squares blobs.csv --ridge 1
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, numbers; * 10 * (--columns) (glob)
cleave: the search space of 'least-squares' is empty
hint: omit a fixed option, or add --space NAME=LOW..HIGH (see 'cleave help least-squares')
? 2
$ cleave tune svm blobs.csv --budget soon
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 10 * (--columns) (glob)
cleave: --budget: * 'soon' (glob)
hint: * 30*, 5* 1* (glob)
? 2
# Rungs: a third of the rows first.
$ cleave tune knn blobs.csv --candidates 9 --rungs 2 --folds 3 --weight none --distance euclidean --quiet | sed -E 's/ in [0-9.]+ s\.$/./; s/ +[0-9.]+ s  /  T  /'
knn on 240 rows, 3 folds, seed 1.
Search space: k (log 1..50).
Rung 1: 9 candidates, 1/3 of the rows; 2 dropped after two folds.
Rung 2: 3 *. (glob)
rank  error (%)    95% interval  rung  folds    time  hyperparameters
   1       1.25    0.32 to 3.61     2      3  T  --k 18
   2       1.67    0.53 to 4.21     2      3  T  --k 12
   3       2.50    1.02 to 5.35     2      3  T  the defaults
   4       4.17    2.14 to 7.50     1      3  T  --k 3
   5       4.58    2.58 to 8.02     1      3  T  --k 15
   6       5.00    2.88 to 8.53     1      3  T  --k 4
   7       5.83    3.51 to 9.55     1      3  T  --k 1
   8      21.25  15.62 to 28.22     1      2  T  --k 41
   9      34.38  27.46 to 42.02     1      2  T  --k 47
Winner: * 1.25 *. (glob)
Test * (60 * 6.67% (95% * 2.15% * 15.93%), * 3.33% (95% * 0.56% * 11.36%); 3.33 * = 0.5). (glob)
Train it:
  cleave train knn blobs.csv --weight none --distance euclidean --k 18 -o knn.model
# Regression, and failing candidates are excluded.
$ awk 'function r() { s = s * 16807 % 2147483647; return s / 2147483647 } BEGIN { s = 3; print "x,y"; for (i = 0; i < 200; i++) { x = 10 * r(); printf "%.4f,%.4f\n", x, 2 * x + r() } }' > line.csv
$ cleave tune least-squares line.csv --label y --candidates 4 --folds 3 --quiet | sed -E 's/ in [0-9.]+ s\.$/./; s/ +[0-9.]+ s  /  T  /'
least-squares on 160 rows, 3 folds, seed 1.
Search space: ridge (log 1e-06..10000).
Rung 1: 4 *. (glob)
rank      RMSE          95% interval  rung  folds    time  hyperparameters
   1  0.285672  0.265767 to 0.314407     1      3  T  the defaults
   2  0.285672  0.265767 to 0.314406     1      3  T  --ridge 0.000034
   3  0.292808  0.272698 to 0.321686     1      3  T  --ridge 9.95
   4  0.341746  0.314949 to 0.382247     1      3  T  --ridge 29.8
Winner: the defaults are the best of 4 candidates.
Test set (40 rows): RMSE 0.272648 (95% confidence interval 0.233304 to 0.35547).
Train it:
  cleave train least-squares line.csv --label y -o least-squares.model
$ cleave tune knn @dogs --space k=1,2,3,50 --weight none --distance euclidean --folds 2 --test-fraction 0 --quiet | sed -E 's/ in [0-9.]+ s\.$/./; s/ +[0-9.]+ s  /  T  /'
knn on 10 rows, 2 folds, seed 1.
Search space: k (1, 2, 3, 50).
Search space exhausted: 5 candidates.
Rung 1: 5 candidates, all rows; 1 failed.
rank  error (%)    95% interval  rung  folds    time  hyperparameters
   1      10.00   0.50 to 40.42     1      2  T  --k 1
   2      10.00   0.50 to 40.42     1      2  T  --k 2
   3      20.00   3.50 to 51.95     1      2  T  --k 3
   4      50.00  21.20 to 78.80     1      2  T  the defaults
   5          -               -     1      0  T  --k 50
Failed: --k 50: --k 50 exceeds the number of training points with a label (5)
Winner: error 40.00 percentage points below the defaults over the same folds; the difference is not statistically significant for the best of several candidates.
Its error was measured on the folds of the search; expect a slightly worse value on new rows.
Train it:
  cleave train knn @dogs --weight none --distance euclidean --k 1 -o knn.model
# Journal: recorded trials are not repeated, and the result is the same; a journal of another run is refused.
$ cleave tune logistic blobs.csv --candidates 6 --journal j --json | sed -E 's/"seconds":[^,}]*//g' > all; cmp 1 all
$ head -n -20 j > half; printf 'torn' >> half # the first lines are facts of the run
$ cleave tune logistic blobs.csv --candidates 6 --journal half --json | sed -E 's/"seconds":[^,}]*//g' > resumed; cmp <(sed -E 's/"(trials|resumed_trials)":[0-9]*|"warnings":.*//g' all) <(sed -E 's/"(trials|resumed_trials)":[0-9]*|"warnings":.*//g' resumed); grep -oE '"(trials|resumed_trials)":[0-9]+' resumed
"trials":19
"resumed_trials":11
$ wc -l < half | cmp - <(wc -l < j)
$ cleave tune logistic blobs.csv --candidates 7 --journal j --quiet
cleave: j: * --candidates * '6', * '7' (glob)
hint: * (glob)
? 2
$ sed 's/^0/1/' blobs.csv > other.csv; cleave tune logistic other.csv --candidates 6 --journal j --quiet 2>&1 | sed "s/'[0-9a-f]\{16\}'/'HASH'/g"
cleave: j: the journal belongs to another run: its hash of all rows is 'HASH', not 'HASH'
hint: * (glob)
$ cleave tune logistic blobs.csv --journal blobs.csv --quiet
cleave: blobs.csv: * (glob)
hint: * (glob)
? 2
$ cleave tune logistic blobs.csv --journal 1 --quiet
1: the file is not a journal of this version of cleave
hint: use another file; this file is unchanged
? 1
# Trees have hyperparameters, too.
$ cleave tune tree blobs.csv --candidates 3 --folds 2 --quiet | grep 'Search space'
Search * 1..30), * 1..100), *). (glob)
$ cleave tune tree-regression blobs.csv --candidates 3 --folds 2 --quiet | grep 'Search space'
Search space: max-depth (log 1..30), min-leaf-rows (log 1..100), prune (auto, none).
# On noise, the best of many candidates is not reported as better than the defaults.
$ awk -v x=15 'BEGIN { print "a,b,label"; for (i = 0; i < 200; i++) { for (j = 0; j < 3; j++) { x = (x * 1103 + 12345) % 65536; r[j] = x } print r[0] "," r[1] "," (r[2] >= 32768 ? "x" : "y") } }' > noise.csv
$ cleave tune knn noise.csv --candidates 20 --test-fraction 0 --json | grep -o '"significant":[a-z]*'
"significant":false
$ cleave tune knn @dogs --folds 11 --quiet
10 rows cannot be split into 12 parts: one part would be empty
hint: use fewer --folds
? 1
# --trials: further batches of candidates, half of them near the best; the same for any number of threads, and after an interruption.
$ for threads in 1 3; do cleave tune logistic blobs.csv --candidates 6 --trials 20 --folds 3 --threads $threads --json | sed -E 's/"seconds":[^,}]*//g' > t$threads; done; cmp t1 t3; grep -oE '"batches":[0-9]+|"exhausted":[a-z]+' t1; grep -o '"number":' t1 | wc -l
"exhausted":false
"batches":4
20
$ cleave tune logistic blobs.csv --candidates 6 --trials 20 --folds 3 --journal rounds.journal --quiet > /dev/null; head -n 60 rounds.journal > cut.journal; cleave tune logistic blobs.csv --candidates 6 --trials 20 --folds 3 --journal cut.journal --json | sed -E 's/"seconds":[^,}]*//g; s/"(trials|resumed_trials)":[0-9]*|"warnings":.*//g' | cmp - <(sed -E 's/"(trials|resumed_trials)":[0-9]*|"warnings":.*//g' t1)
# A finite search space is searched completely.
$ cleave tune knn blobs.csv --space k=1..12 --space distance=euclidean,manhattan --weight none --folds 2 --trials 1000 --quiet | sed -n 2,3p
Search space: k (log 1..12), distance (euclidean, manhattan).
Search *: 25 * (glob)
# --budget: further batches until the time limit.
$ cleave tune logistic blobs.csv --candidates 4 --folds 3 --budget 2s --json | tr ',' '\n' | awk -F: '/^"batches"/ { many = $2 > 1 } /^"budget_exhausted"/ { late = $2 } /^"exhausted"/ { out = $2 } END { print many, late, out }'
1 true false
# Without a fold that the winner and the defaults finished, there is no difference to report.
$ for b in 0.02 0.05 0.1 0.2 0.4; do cleave tune logistic blobs.csv --budget $b --quiet 2>&1; done | grep -ciw nan
0
? 1

# With --trials, the search ends after that many candidates, within the budget.
$ cleave tune logistic blobs.csv --candidates 4 --trials 8 --folds 3 --budget 1h --json > both; grep -oE '"(batches|budget_exhausted)":[0-9a-z]+' both; grep -o '"number":' both | wc -l
"budget_exhausted":false
"batches":2
8
