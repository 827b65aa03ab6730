# Example 12.1, as in the document; with entropy the result is the same.
$ cleave train tree @dogs -o dogs.model
Read 10 *, 2 *, 3 * (@dogs). (glob)
Trained tree: 3 leaves, not pruned.
Training * 0.00% (0 * 10 *). (glob)
Model * dogs.model. (glob)
Next: * dogs.model * dogs.model. (glob)
$ cleave explain dogs.model
tree, trained on 10 rows by cleave 0.1.0, seed 1
classes    Chihuahua, Dachshund, Beagle
output     probabilities (predict --probabilities)
features   2
options    epochs 1; defaults otherwise
trees      1, with 3 leaves

if height > 7: Beagle (4 rows)
else if weight < 3: Chihuahua (3 rows)
else: Dachshund (3 rows)
$ cleave train tree @dogs --criterion entropy -o entropy.model -q; cleave explain entropy.model | tail -n 3
if height > 7: Beagle (4 rows)
else if weight < 3: Chihuahua (3 rows)
else: Dachshund (3 rows)
$ cleave explain dogs.model --rules | tail -n 3
if height <= 7 and weight < 3: Chihuahua (3 rows)
if height <= 7 and weight >= 3: Dachshund (3 rows)
if height > 7: Beagle (4 rows)
$ cleave explain dogs.model --json | grep -o '"trees".*'
"trees":[[{"column":"height","left_up_to":7,"missing_left":true,"left":1,"right":2,"gain":3.6,"weight":10,"weights":{"Chihuahua":3,"Dachshund":3,"Beagle":4}},{"column":"weight","left_up_to":2.9999998,"missing_left":false,"left":3,"right":4,"gain":3,"weight":6,"weights":{"Chihuahua":3,"Dachshund":3,"Beagle":0}},{"class":"Beagle","weight":4,"weights":{"Chihuahua":0,"Dachshund":0,"Beagle":4}},{"class":"Chihuahua","weight":3,"weights":{"Chihuahua":3,"Dachshund":0,"Beagle":0}},{"class":"Dachshund","weight":3,"weights":{"Chihuahua":0,"Dachshund":3,"Beagle":0}}]]}
$ cleave explain dogs.model --tree 2 > shown
cleave: --tree 2: the model has 1 tree
? 2
$ printf '? 1:7 2:3\n? 1:7.1 2:1\n? 1:0 2:2.9\n' | cleave predict dogs.model - --format libsvm --probabilities
#label	Chihuahua	Dachshund	Beagle
Dachshund	0	1	0
Beagle	0	0	1
Chihuahua	1	0	0

# One row: the conditions on its path.
$ cleave explain dogs.model @dogs --row 4
prediction  Dachshund, score 1, probability 1
runner-up   Chihuahua, score 0, probability 0
true label  Dachshund

if height <= 7
and weight >= 3:
    Dachshund (3 rows)
$ cleave explain dogs.model --example 'height=6,weight=5' --json
{"prediction":{"label":"Dachshund","score":1,"probability":1},"runner_up":{"label":"Chihuahua","score":0,"probability":0},"true_label":null,"leaf":4,"unknown":[]}

# Regression: the mean of the leaf.
$ cleave train tree-regression @peak7 --max-leaves 3 -o peak.model -q; cleave explain peak.model | tail -n 3; cleave predict peak.model @peak7 | xargs
if x < 2.5: 1.5 (2 rows)
else if x < 5.5: 5.33333 (3 rows)
else: 1.5 (2 rows)
1.5 1.5 5.333333333333333 5.333333333333333 5.333333333333333 1.5 1.5

# Categories and missing values in one table: output has the names of values, and missing values take the better branch.
$ printf 'color,weight,label\nred,3,cherry\nred,4,cherry\ngreen,90,apple\nred,100,apple\nyellow,95,lemon\nyellow,85,lemon\n,4,cherry\ngreen,,apple\nblue,3,plum\nblue,4,plum\n' > fruit.csv
$ cleave train tree fruit.csv -o fruit.model
note: fruit.csv: * (--format), * (--header); * 'label' (--label), *, 4 *: 1 *, 1 * (--columns) (glob)
note: pipeline: --transform *=*): 4 * 1 * (glob)
Read 10 *, 2 *, 4 * (fruit.csv). (glob)
Trained *: 4 *. (glob)
Training * 0.00% (0 * 10 *). (glob)
Model * fruit.model. (glob)
Next: * fruit.model * fruit.model. (glob)
$ cleave explain fruit.model | tail -n 5
if weight < 44.5:
    if color is blue: plum (2 rows)
    else: cherry (3 rows)
else if color is yellow: lemon (2 rows)
else: apple (3 rows)
$ printf 'color,weight\nred,200\nred,\npink,1\n,95\n' > new.csv; cleave predict fruit.model new.csv
apple
apple
cherry
apple

# Limits.
$ cleave train tree fruit.csv --max-depth 1 -o one.model -q; cleave explain one.model | tail -n 2
if weight < 44.5: cherry (5 rows, 2 of other classes)
else: apple (5 rows, 2 of other classes)
$ cleave train tree fruit.csv --min-leaf-rows 3 -o three.model -q; cleave explain three.model | tail -n 3

if weight < 44.5: cherry (5 rows, 2 of other classes)
else: * (5 *, 2 *) (glob)
$ cleave train tree fruit.csv --min-gain 0.4 -o gain.model -q; cleave explain gain.model | tail -n 2

cherry (10 rows, 7 of other classes)
$ cleave train tree fruit.csv --max-depth -1 -o bad.model
note: fruit.csv: * (--format), * (--header); * 'label' (--label), *, 4 *: 1 *, 1 * (--columns) (glob)
cleave: --max-depth: * 0 * 65535, * '-1' (glob)
hint: Maximum depth of a tree.
? 2

# The tree is pruned by default, and bit-identical for any number of threads. The full tree overfits, with a warning.
$ cleave generate blobs -o blobs.csv --rows 3000 --features 2 --seed 3 --spread 3 -q
$ cleave train tree blobs.csv --threads 1 -o pruned.model 2> notes
Read 3,000 *, 2 *, 3 * (blobs.csv). (glob)
Trained tree: pruned from 372 leaves to 19, ccp-alpha 0.00119 chosen by 10-fold cross-validation (error 9.63%, full tree 12.27%).
Training * 7.70% (231 * 3,000 *). (glob)
Model * pruned.model. (glob)
Next: * pruned.model * pruned.model. (glob)
$ cleave train tree blobs.csv --threads 3 -o again.model -q; cmp pruned.model again.model
$ cleave train tree blobs.csv --no-prune -o full.model
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 2 * (--columns) (glob)
note: pipeline: --transform *=*) (glob)
warning: the tree has one leaf for every 8.1 training rows and is likely to overfit
hint: * --max-depth * --max-leaves * (glob)
Read 3,000 *, 2 *, 3 * (blobs.csv). (glob)
Trained *: 372 *. (glob)
Training * 0.07% (2 * 3,000 *). (glob)
Model * full.model. (glob)
Next: * full.model * full.model. (glob)
$ cleave train tree blobs.csv --prune holdout -o holdout.model 2> notes | grep pruned
Trained tree: pruned from 372 leaves to 19, ccp-alpha 0.00119 chosen by a held-out fifth of the rows (error 9.50%, full tree 11.67%).
$ cleave train tree blobs.csv --json 2> notes | grep -o '"\(leaves\|leaves_before_pruning\|pruning_folds\)":[0-9]*'
"leaves_before_pruning":372
"pruning_folds":10
"leaves":19
$ cleave explain pruned.model --levels 2 | tail -n +7
trees      1, with 19 leaves

if x2 > -0.2262755:
    if x1 > -0.971231: ... 2 more leaves, 154 rows
    else: ... 3 more leaves, 866 rows
else if x2 <= -2.6027954: ... 5 more leaves, 996 rows
else: ... 9 *, 984 * (glob)

# --ccp-alpha has the unit of scikit-learn's ccp_alpha: 0.0012 gives 20 leaves there, without binning.
$ cleave train tree blobs.csv --ccp-alpha 0.0012 -o m 2> notes | grep pruned
Trained tree: pruned from 372 leaves to 19 with --ccp-alpha 0.0012.
$ cleave train tree blobs.csv --ccp-alpha 0.5 -o m 2> notes | grep pruned
Trained * 372 * 1 * --ccp-alpha 0.5. (glob)
$ cleave train tree blobs.csv --ccp-alpha 0.5 --no-prune -o m 2>&1 | tail -n 2
cleave: --ccp-alpha and --prune none cannot be combined
hint: omit one of them: --prune chooses --ccp-alpha

# Few rows are pruned only with --prune cv.
$ head -n 100 blobs.csv > few.csv; cleave train tree few.csv -o m 2> notes | grep pruned; cleave train tree few.csv --prune cv -o m 2> notes | grep pruned
Trained *: 15 *. (glob)
Trained * 15 * 6, * 0.0135 * 10-* 9.09%, * 10.10%). (glob)
$ head -n 101 blobs.csv > enough.csv; cleave train tree enough.csv -o m 2> notes | grep pruned
Trained * 15 * 6, * 0.0133 * 10-* 9.00%, * 10.00%). (glob)

# A table of customers with a noisy target: the full tree is worse than the majority class, the default is better.
$ cat > churn.awk <<'END'
> function gauss() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
> BEGIN { srand(1); split("month one-year two-year", contract, " ")
>     print "tenure,monthly,calls,contract,support,churn"
>     for (i = 0; i < 12000; i++) {
>         tenure = int(72 * rand() ^ 1.5); monthly = 20 + 100 * rand(); calls = int(-2 * log(1 - rand())); c = 1 + int(3 * rand() ^ 1.5); support = rand() < 0.4
>         z = -1.2 - 0.04 * tenure + 0.015 * (monthly - 70) + (c == 1) * 1.2 - (c == 3) * 0.8 + (calls > 3) * 1.5 - support * 0.7
>         print tenure "," monthly "," calls "," contract[c] "," support "," (z + 1.5 * gauss() > 0 ? "yes" : "no")
>     } }
> END
$ awk -f churn.awk > churn.csv; head -n 2001 churn.csv > train.csv; (head -n 1 churn.csv; tail -n 10000 churn.csv) > test.csv
$ error() { cleave train tree train.csv "$@" -o m -q 2> notes; cleave test m test.csv --json 2> notes | sed 's/.*"error":{"value":\([0-9.]*\).*/\1/'; }
> majority=$(awk -F, 'NR > 1 { n += $NF == "yes" } END { print n / (NR - 1) }' test.csv); default=$(error); full=$(error --no-prune)
> awk -v m=$majority -v d=$default -v f=$full 'BEGIN { print (f > m + 0.01), (d < m - 0.01) }'
1 1

# Wide sparse data gives a warning.
$ cleave generate sparse -o wide.libsvm --rows 60 --features 5000 --seed 1 -q; cleave train tree wide.libsvm --max-depth 2 -o wide.model > out
warning: the data is sparse: a row has 72 nonzero values in 4999 columns on average
hint: linear methods such as svm or logistic fit sparse data better and train faster

# cv detects overfitting and names options against it.
$ cleave cv tree blobs.csv --no-prune --folds 3 --quiet | tail -n 1
Severe overfitting: held-out error 12.7%, training error 0.1%; try a smaller --max-depth or --max-leaves, a larger --min-leaf-rows, fewer features or more rows.
$ cleave tune tree blobs.csv --candidates 4 --folds 2 --rungs 1 --quiet | grep -E '^Search space|cleave train'
Search space: max-depth (log 1..30), min-leaf-rows (log 1..100), prune (auto, none), criterion (gini, entropy).
  cleave train tree blobs.csv -o tree.model
$ cleave compare blobs.csv --methods tree --folds 2 --quiet | tail -n 1
  cleave train tree blobs.csv -o tree.model

# With class weights there are no row counts: the weight of a node is a fraction of the root's.
$ printf 'x,y\n1,a\n2,a\n3,a\n4,b\n' > few.csv; cleave train tree few.csv --prune none --class-weight a=0.5,b=2 -o few.model -q; cleave explain few.model | tail -n 2
if x < 3.5: a (42.9% of the weight)
else: b (57.1% of the weight)
