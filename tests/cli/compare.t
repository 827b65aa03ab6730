# Every suitable method on the same folds; times are removed.
$ plain() { sed -E 's/; [0-9.]* s of .*//; s/ +[0-9.]+ (s|ms|us)/ T/g; s/ +[0-9.,]+ (bytes|kB)/ SIZE/g; s/ +/ /g'; }; declare -f plain > plain.sh
$ cleave generate blobs --rows 300 -o blobs.csv --quiet
$ . ./plain.sh; cleave compare blobs.csv --methods perceptron,winnow,lms,least-squares,svm,kernel-perceptron,knn --quiet | plain
Read 300 rows, 10 features, 3 classes; 5 folds, seed 1
method error (%) 95% interval vs. best train 1,000 rows model categories high-dim. interpretable
svm 2.67 1.25 to 5.17 best T T SIZE no yes no
knn 4.00 2.30 to 6.86 not significant T T SIZE no no yes
perceptron 4.33 2.55 to 7.27 not significant T T SIZE no yes no
kernel-perceptron 5.33 3.31 to 8.49 not significant T T SIZE no yes no
baseline ('2') 62.67 57.07 to 67.95 worse - - - yes yes yes
Not compared: winnow: requires binary features (0 or 1)
Not compared: lms, least-squares: suited to regression only; the task is classification
train: time per fold; 1,000 rows: time to predict 1,000 rows; categories: supports categories without encoding; high-dim.: suited to many features; interpretable: readable by a person
worse, better: statistically significant by paired tests over folds (Nadeau and Bengio) and rows (McNemar), p < 0.05 after Holm's correction
Best: svm, error 2.67%; not significantly different: knn, perceptron, kernel-perceptron.
Train it:
 cleave train svm blobs.csv -o svm.model
# Every method is compared or listed with the reason for its exclusion.
$ cleave compare @dogs --folds 2 --json > all.json; for name in $(cleave methods | sed '/^$/,$d; s/ .*//'); do grep -q "\"method\":\"$name\"" all.json || echo $name is not there; done
# The same results for any number of threads; another seed gives other folds.
$ . ./plain.sh; for threads in 1 2 3; do cleave compare blobs.csv --methods perceptron,logistic,knn --threads $threads --quiet | plain > $threads; done; cmp 1 2 && cmp 1 3
$ . ./plain.sh; cleave compare blobs.csv --methods perceptron,logistic,knn --seed 2 --quiet | plain | cmp -s - 1 || echo other folds
other folds
# The error of a method equals that of cv.
$ cleave compare blobs.csv --methods knn --json | grep -o '"error":[0-9.]*' | sort | head -n 1
"error":0.04
$ cleave cv knn blobs.csv --folds 5 --json | grep -o '"pooled":{"value":[0-9.]*'
"pooled":{"value":0.04
# Random classes: no method is better than the majority class.
$ awk 'function r() { s = s * 16807 % 2147483647; return s / 2147483647 } BEGIN { s = 1; print "x,y,label"; for (i = 0; i < 300; i++) printf "%.6f,%.6f,%s\n", r(), r(), r() < 0.6 ? "a" : "b" }' > noise.csv
$ cleave compare noise.csv --quiet | tail -n 1
No method is significantly better than the baseline (always predict 'a').
$ cleave compare noise.csv --methods knn,svm --json | grep -o '"beats_baseline":[a-z]*'
"beats_baseline":false
# Regression: RMSE, with settings relative to the standard deviation of the targets.
$ awk 'function r() { s = s * 16807 % 2147483647; return s / 2147483647 } BEGIN { s = 3; print "x,y"; for (i = 0; i < 200; i++) { x = 10 * r(); printf "%.4f,%.4f\n", x, 200 * x + 300 * r() } }' > line.csv
$ . ./plain.sh; cleave compare line.csv --label y --methods lms,least-squares,svr,knn-regression,svm --quiet | plain
Read 200 rows, 1 feature; 5 folds, seed 1
method RMSE 95% interval vs. best train 1,000 rows model categories high-dim. interpretable
least-squares 84.57 79.28 to 91.92 best T T SIZE no yes no
svr 85.33 79.87 to 93 not significant T T SIZE no yes no
lms 88.47 82.24 to 97.51 not significant T T SIZE no yes no
knn-regression 89.59 83.26 to 98.78 not significant T T SIZE no no yes
baseline (mean) 599.4 562.8 to 650.1 worse - - - yes yes yes
Not compared: svm: suited to classification only; the task is regression
train: *; 1,000 * (glob)
worse, better: statistically significant by paired tests over folds (Nadeau and Bengio) and rows (McNemar), p < 0.05 after Holm's correction
Best: least-squares, RMSE 84.57; not significantly different: svr, lms, knn-regression.
Train it:
 cleave train least-squares line.csv --label y -o least-squares.model
$ cleave compare line.csv --label y --methods svr --json | grep -o '"command":"[^"]*svr[^"]*"'
"command":"cleave train svr line.csv --label y --C 600 --epsilon 60 -o svr.model"
# Binary features, and words that need quotes.
$ cp blobs.csv "it's blobs.csv"; cleave compare "it's blobs.csv" --methods svm --label label --quiet | tail -n 1
  cleave train svm 'it'\''s blobs.csv' --label label -o svm.model
$ . ./plain.sh; cleave compare @spam6 --folds 2 --methods winnow,perceptron --quiet | plain
Read 6 *, 5 *, 2 *; 2 * 1 (glob)
method error (%) 95% interval vs. best train 1,000 rows model categories high-dim. interpretable
perceptron 33.33 6.02 to 73.81 best T T SIZE no yes no
winnow 33.33 6.02 to 73.81 not significant T T SIZE no yes no
baseline ('+1') 50.00 14.66 to 85.34 not significant - - - yes yes yes
train: *; 1,000 * (glob)
worse, better: statistically significant by paired tests over folds (Nadeau and Bengio) and rows (McNemar), p < 0.05 after Holm's correction
No * '+1'). (glob)
# Groups of rows, with repeats.
$ printf 'who,age,label\nann,1,a\nbob,2,b\nann,3,a\ncyd,4,b\nbob,5,a\ndan,6,b\ncyd,7,b\n' > visits.csv
$ cleave compare visits.csv --folds 2 --repeats 2 --by-group who --methods knn --quiet | sed 's/; [0-9.]* s of .*//' | head -n 1
Read 7 rows, 5 features, 2 classes; 2 folds of 4 groups, 2 repeats, seed 1
# Target leakage: one column determines the label; a number, a category.
$ awk -F, 'NR == 1 { print $0 ",paid" } NR > 1 { printf "%s,%.4f\n", $0, ($NF == 1 ? 5 : $NF == 2 ? 0 : 2) + (NR * 7919 % 1000) / 1000 }' blobs.csv > leak.csv
$ cleave convert leak.csv --label label --describe --quiet | grep warning
warning: 'paid' alone almost determines the label (accuracy 99%, baseline 37.33%): possible target leakage
$ cleave compare leak.csv --label label --methods perceptron --quiet | grep warning
warning: 'paid' * 99%, * 37.33%): * (glob)
$ awk -F, 'NR == 1 { print $0 ",state" } NR > 1 { print $0 ",s" ($NF + 3 * (NR % 20)) }' blobs.csv > leak2.csv
$ cleave convert leak2.csv --label label --describe --json | grep -o '"leaks":.*]'
"leaks":[{"name":"state","error":0,"baseline":0.6266666666666667}],"guesses":[{"what":"format","value":"csv","option":"--format"},{"what":"header","value":"yes","option":"--header"},{"what":"delimiter","value":",","option":"--delimiter"},{"what":"columns","value":"10 number, 1 category","option":"--columns"}],"warnings":[]
$ cleave convert blobs.csv --describe --json | grep -o '"leaks":.*]'
"leaks":[],"guesses":[{"what":"format","value":"csv","option":"--format"},{"what":"header","value":"yes","option":"--header"},{"what":"delimiter","value":",","option":"--delimiter"},{"what":"label column","value":"label","option":"--label"},{"what":"columns","value":"10 number","option":"--columns"}],"warnings":[]
# Journal: completed trials are not repeated; a journal of another run is refused.
$ . ./plain.sh; cleave compare blobs.csv --methods knn,svm --journal run.journal --quiet | plain > once; grep -c done run.journal
10
$ . ./plain.sh; cleave compare blobs.csv --methods knn,svm --journal run.journal --quiet | plain | cmp - once
$ cleave compare blobs.csv --methods knn,svm --journal run.journal --json | grep -o '"resumed":[0-9]*'
"resumed":10
$ head -c -560 run.journal > cut.journal; cleave compare blobs.csv --methods knn,svm --journal cut.journal --json | grep -o '"resumed":[0-9]*'; . ./plain.sh; cleave compare blobs.csv --methods knn,svm --journal cut.journal --quiet | plain | cmp - once
"resumed":7
$ cleave compare blobs.csv --folds 4 --journal run.journal --quiet
cleave: run.journal: the journal belongs to another run: its --folds is '5', not '4'
hint: * (glob)
? 2
$ cleave compare noise.csv --journal run.journal --quiet
cleave: run.journal: the journal belongs to another run: its number of features is '10', not '2'
hint: * (glob)
? 2
$ cleave compare blobs.csv --journal blobs.csv --quiet
cleave: blobs.csv: * (glob)
hint: * (glob)
? 2
# An interrupt ends the comparison with the completed results.
$ cleave generate blobs --rows 20000 -o many.cleave --quiet
$ cleave compare many.cleave --methods knn,kernel-perceptron --budget 1h --journal int.journal > out 2> err & until grep -qs -v -e fact -e begin -e cleave-journal int.journal; do sleep 0.1; done; kill -INT $!; wait $!; echo $?; cat err
130
note: many.cleave: 3 different numbers are read as classes; --task regression compares methods that predict numbers
warning: interrupted: these are the results so far
hint: the same command resumes
$ grep -c 'seed 1; [0-9.]* s of' out
1
# Slow methods are trained on fewer rows to meet the budget of one second.
$ cleave compare many.cleave --budget 1s --quiet | grep -q -e 'trained on' -e 'did not finish' && echo fewer rows
fewer rows
# Errors.
$ cleave compare blobs.csv --budget soon --quiet
cleave: --budget: * 'soon' (glob)
hint: write a duration as 30s, 5m or 1h30m; a number without a unit is in seconds
? 2
$ cleave compare blobs.csv --methods svm,knm --quiet
cleave: unknown method 'knm'; did you mean 'knn'?  (see 'cleave methods')
? 2
$ cleave compare blobs.csv --methods knn,svm --transform skale --quiet
cleave: unknown transform 'skale'; did you mean 'scale'?
hint: 'cleave transforms' lists all transforms
? 2
$ cleave compare blobs.csv --methods winnow --quiet | tail -n 1
No method is suitable for the data.
$ cleave compare blobs.csv --methods least-squares --task regression --quiet | head -n 1 | sed 's/; [0-9.]* s of .*//'
Read 300 rows, 10 features; 5 folds, seed 1
$ cleave compare visits.csv --label label --task regression --quiet
visits.csv: --task regression requires numeric labels
? 1
$ printf 'a 1:1\na 1:2\n' > one.libsvm; cleave compare one.libsvm
one.libsvm: all labels are the same; a comparison needs two classes
hint: use --label to name the label column
? 1
# Squared errors that overflow.
$ for x in 1 2 3 4 5 6; do echo "$x,$x,${x}e25"; done > far.csv; cleave compare far.csv --label 3 --task regression --folds 2 --budget 5s --quiet
far.csv: the targets are too far apart: squared errors are above 3.4e38
hint: divide the targets by a power of ten
? 1

# Interpretable models, as in section 12.5 of the source chapter: trees and neighbors, not weight vectors.
$ cleave compare blobs.csv --folds 2 --json | tr '{' '\n' | grep -oE '"method":"?[a-z-]*|"interpretable":(true|false)' | paste - - | grep true | grep -v null | cut -d '"' -f 4 | tr -d '\t' | sort | paste -sd ' '
knn knn-regression tree tree-regression
# A cell that calls a method worse also states that it had fewer rows.
$ cleave compare many.cleave --methods svm,kernel-svm --budget 1s --quiet > cut; if grep -q '^kernel-svm: learned from' cut; then grep -qE '^kernel-svm .* (worse|same\?|best|untested) \([0-9.e+-]+ % of rows' cut && echo restricted; else echo restricted; fi
restricted
# Rows without a label are refused or skipped.
$ (echo x,y; for i in $(seq 30); do echo "$i,$([ $((i % 5)) = 0 ] && echo NA || echo $((i % 2)))"; done) > unlabeled.csv; cleave compare unlabeled.csv --label y --methods tree --quiet 2>&1 | grep -o "(.*)"
(6 of 30 rows have no label)
$ cleave compare unlabeled.csv --label y --methods tree --skip-unlabeled --json 2> /dev/null | grep -o '"rows":[0-9]*' | sort -u
"rows":24

# A target that is a sum of columns is reported with them; a sum with noise is not.
$ awk 'BEGIN { srand(2); print "a,b,c,d,total"; for (i = 0; i < 200; i++) { a = int(rand() * 50); b = int(rand() * 50); c = int(rand() * 9); printf "%d,%d,%d,%.4f,%d\n", a, b, c, rand(), a + b + c } }' > sum.csv; awk -F , -v OFS=, 'NR > 1 { $5 += rand() / 10 } { print }' sum.csv > noisy.csv
$ cleave convert sum.csv --label total --describe 2>&1 | grep -o 'warning: .*the label'; cleave convert noisy.csv --label total --describe 2>&1 | grep -c 'determines the label'; cleave compare sum.csv --label total --methods tree-regression --folds 2 2>&1 | grep -o 'warning: .*the label'
warning: 'a + b + c' alone almost determines the label
0
warning: 'a + b + c' * (glob)
$ for verb in train cv tune; do cleave $verb tree-regression sum.csv --label total 2>&1 | grep -c 'possible target leakage'; done
1
1
1
$ awk 'BEGIN { srand(4); print "total,a,b,c,rest"; for (i = 0; i < 200; i++) { a = rand() * 50; b = rand() * 50; t = rand() * 99; printf "%.3f,%.3f,%.3f,%.3f,%.2f\n", t, a, b, rand(), t - a - b } }' | tee rest.csv | cleave convert - --label rest --describe 2>&1 | grep -o "'total.*' alone"
'total - a - b' alone
