# Example 12.1, as the document prints it; by entropy it is the same.
$ cleave train tree @dogs -o dogs.model
read 10 rows, 2 features, 3 classes
trained tree: 1 round, rows in the solver's own order
3 leaves
on the training rows: 0 of 10 wrong, error 0.00 %
model written to dogs.model
try next: cleave explain dogs.model, or cleave test dogs.model FILE on data it has not seen
$ cleave explain dogs.model
tree, trained on 10 rows by cleave 0.1.0, seed 1
classes    Chihuahua, Dachshund, Beagle
knows      probabilities: predict --probabilities
features   2
params     rounds 1; the others as usual
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

# One row: the questions on its way.
$ cleave explain dogs.model @dogs --row 4
answer     Dachshund, score 1, probability 1
runner-up  Chihuahua, score 0, probability 0
given      Dachshund

if height <= 7
and weight >= 3:
    Dachshund (3 rows)
$ cleave explain dogs.model --example 'height=6,weight=5' --json
{"answer":{"label":"Dachshund","score":1,"probability":1},"runner_up":{"label":"Chihuahua","score":0,"probability":0},"given":null,"leaf":4,"unknown":[]}

# Numbers: the mean of the leaf.
$ cleave train tree-regression @peak7 --leaves 3 -o peak.model -q; cleave explain peak.model | tail -n 3; cleave predict peak.model @peak7 | xargs
if x < 2.5: 1.5 (2 rows)
else if x < 5.5: 5.33333 (3 rows)
else: 1.5 (2 rows)
1.5 1.5 5.333333333333333 5.333333333333333 5.333333333333333 1.5 1.5

# Categories and what is missing, in one table: names of values come back, and rows without a value go where they fit.
$ printf 'colour,weight,label\nred,3,cherry\nred,4,cherry\ngreen,90,apple\nred,100,apple\nyellow,95,lemon\nyellow,85,lemon\n,4,cherry\ngreen,,apple\nblue,3,plum\nblue,4,plum\n' > fruit.csv
$ cleave train tree fruit.csv -o fruit.model
note: fruit.csv: 3 columns by ',', a header; the label is 'label' (by its name); numbers: 1, categories: 1
note: features by --transform codes:mark-missing=true (as usual for such data): 4 values of 1 columns of categories
read 10 rows, 2 features, 4 classes
trained tree: 1 round, rows in the solver's own order
4 leaves
on the training rows: 0 of 10 wrong, error 0.00 %
model written to fruit.model
try next: cleave explain fruit.model, or cleave test fruit.model FILE on data it has not seen
$ cleave explain fruit.model | tail -n 5
if weight < 44.5:
    if colour is blue: plum (2 rows)
    else: cherry (3 rows)
else if colour is yellow: lemon (2 rows)
else: apple (3 rows)
$ printf 'colour,weight\nred,200\nred,\npink,1\n,95\n' > new.csv; cleave predict fruit.model new.csv
apple
apple
cherry
apple

# Limits.
$ cleave train tree fruit.csv --depth 1 -o one.model -q; cleave explain one.model | tail -n 2
if weight < 44.5: cherry (5 rows, 2 of others)
else: apple (5 rows, 2 of others)
$ cleave train tree fruit.csv --leaf-rows 3 -o three.model -q; cleave explain three.model | tail -n 3

if weight < 44.5: cherry (5 rows, 2 of others)
else: apple (5 rows, 2 of others)
$ cleave train tree fruit.csv --gain 0.4 -o gain.model -q; cleave explain gain.model | tail -n 2

cherry (10 rows, 7 of others)
$ cleave train tree fruit.csv --depth -1 -o bad.model
note: fruit.csv: 3 columns by ',', a header; the label is 'label' (by its name); numbers: 1, categories: 1
cleave: --depth: expected a whole number from 0 to 65535, found '-1'
  questions on the way to a leaf, at most; 0: no limit
? 2

# Learning by heart is warned of; pruning cuts it back by rows held out. The same for any number of threads.
$ cleave generate blobs -o blobs.csv --rows 3000 --features 2 --seed 3 --spread 3 -q
$ cleave train tree blobs.csv -o heart.model
note: blobs.csv: 3 columns by ',', a header; the label is 'label' (by its name); numbers: 2, categories: 0
note: features by --transform codes:mark-missing=true (as usual for such data): 0 values of 0 columns of categories
warning: the tree has a leaf for every 8.1 training rows: it knows them by heart and may err on others
  --prune 0.2 cuts it back by rows it has not seen; --depth or --leaves stop it earlier
read 3000 rows, 2 features, 3 classes
trained tree: 1 round, rows in the solver's own order
372 leaves
on the training rows: 2 of 3000 wrong, error 0.07 %
model written to heart.model
try next: cleave explain heart.model, or cleave test heart.model FILE on data it has not seen
$ cleave train tree blobs.csv --prune 0.3 --threads 1 -o pruned.model
note: blobs.csv: 3 columns by ',', a header; the label is 'label' (by its name); numbers: 2, categories: 0
note: features by --transform codes:mark-missing=true (as usual for such data): 0 values of 0 columns of categories
note: before it was cut back: errors 0.1 % of the rows it was grown from, 12.2 % of the others
read 3000 rows, 2 features, 3 classes
trained tree: 1 round, rows in the solver's own order
cut back from 247 leaves to 27 by 927 rows held out
on the training rows: 216 of 3000 wrong, error 7.20 %
model written to pruned.model
try next: cleave explain pruned.model, or cleave test pruned.model FILE on data it has not seen
$ cleave train tree blobs.csv --prune 0.3 --threads 3 -o again.model -q; cmp pruned.model again.model
$ cleave explain pruned.model --levels 2 | tail -n +7
trees      1, with 27 leaves

if x2 > -0.2262755:
    if x1 > -0.857934: ... 2 leaves more, 131 rows
    else: ... 4 leaves more, 889 rows
else if x2 <= -2.6027954: ... 3 leaves more, 996 rows
else: ... 18 leaves more, 984 rows

# Wide sparse data is warned of.
$ cleave generate sparse -o wide.libsvm --rows 60 --features 5000 --seed 1 -q; cleave train tree wide.libsvm --depth 2 -o wide.model > out
warning: a tree asks about one column at a time, and of 4999 columns a row has 72
  linear methods such as svm or logistic suit such data, and are faster on it

# Learning by heart is seen by cv, which says what stops it; tune and compare know the means.
$ cleave cv tree blobs.csv --folds 3 --quiet | tail -n 1
held-out error is 12.6 points above training error (95 %: 7.8 to 17.5): it memorises; try --prune 0.2 or fewer --leaves, a larger --leaf-rows, fewer features, or more rows
$ cleave tune tree blobs.csv --candidates 4 --folds 2 --rungs 1 --quiet | grep -E '^searched|cleave train'
searched: leaves (log 4..2000), leaf-rows (log 1..100), criterion (gini, entropy)
  cleave train tree blobs.csv --leaves 10 --leaf-rows 5 --criterion gini -o tree.model
$ cleave compare blobs.csv --methods tree --folds 2 --quiet | tail -n 1
cleave train tree blobs.csv --prune 0.2 -o tree.model
$ head -n 300 blobs.csv > few.csv; cleave compare few.csv --methods tree --folds 2 --quiet | tail -n 1
cleave train tree few.csv -o tree.model
