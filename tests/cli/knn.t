# The rules of interpolation of Example 12.12, at .5, 1, 3.2 and 7.5.
$ printf '? 1:0.5\n? 1:1\n? 1:3.2\n? 1:7.5\n' > q.libsvm
$ for o in "--k 1" "--k 2" "--k 2 --weight 1/d" "--k 3" "--all --weight 1/d2" "--all --weight gaussian"; do cleave train knn-regression @peak7 $o -o m.model -q; cleave predict m.model q.libsvm | xargs echo $o:; done
--k 1: 1 1 4 1
--k 2: 1.5 1.5 6 1.5
--k 2 --weight 1/d: 1.25 1 4.800000190734863 1.25
--k 3: 2.3333333333333335 2.3333333333333335 4.666666666666667 2.3333333333333335
--all --weight 1/d2: 1.3499611469433461 1 4.135093154535276 1.3499611469433461
--all --weight gaussian: 1.125515927503509 1.3056227935974427 4.908788273936386 1.125515927503509

# Exercise 12.4.3: the nearest, the mean of two, two weighted by 1/d, the mean of three; and 12.4.4.
$ printf '? 1:.5\n? 1:2.2\n? 1:3.5\n? 1:7\n? 1:15\n? 1:64\n' > q.libsvm
$ for o in "--k 1" "--k 2" "--k 2 --weight 1/d" "--k 3"; do cleave train knn-regression @powers6 $o -o m.model -q; cleave predict m.model q.libsvm | xargs echo $o:; done
--k 1: 1 2 3 4 5 6
--k 2: 1.5 1.5 2.5 3.5 4.5 5.5
--k 2 --weight 1/d: 1.25 1.8571428328144322 2.75 3.75 4.875 5.6
--k 3: 2 2 2 3 4 5
$ printf '? 1:2.25\n? 1:2.5\n? 1:3\n? 1:3.5\n' > q.libsvm; cleave train knn-regression @powers6 --all --weight 1/d2 -o m.model -q; cleave predict m.model q.libsvm
1.986320767103752
2.0176872321420194
2.3711224645536233
2.8501395404569663

# Classes: tied votes go to the class of the nearest; two that must agree, or there is no answer.
$ cleave train knn @dogs --k 3 -o dogs.model
Read 10 *, 2 *, 3 * (@dogs). (glob)
Trained knn: 10 points, 3 neighbors per prediction.
Model * dogs.model. (glob)
Next: * dogs.model * dogs.model. (glob)
$ cleave test dogs.model @dogs | head -n 1
Error 0.00% (0 * 10 *, 95% * 0.00% * 27.75%), * 100.00%. (glob)
$ printf '? 1:7 2:4\n? 1:5 2:3\n' > q.libsvm; cleave predict dogs.model q.libsvm --probabilities
#label	Chihuahua	Dachshund	Beagle
Dachshund	0	0.6666666666666666	0.3333333333333333
Chihuahua	0.6666666666666666	0.3333333333333333	0
$ cleave train knn @dogs --k 2 --vote agree -o two.model -q; cleave predict two.model q.libsvm
none
none

# An abstention differs from a class named none: JSON and explain distinguish them, and text output has one warning.
$ printf 'none 1:0.5\nnone 1:1\nb 1:4\nb 1:5\n' > none.libsvm; cleave train knn none.libsvm --k 2 --vote agree -o none.model -q; printf '? 1:0.6\n? 1:2.5\n? 1:2.4\n' > three.libsvm; cleave predict none.model three.libsvm
warning: the model has a class 'none', and rows without a prediction are printed as 'none' too
hint: --json marks rows without a prediction as abstained
none
none
none
$ cleave predict none.model three.libsvm --json | cut -d , -f 1-3
{"row":1,"label":"none","score":-1}
{"row":2,"label":null,"abstained":true
{"row":3,"label":null,"abstained":true
$ head -n 1 three.libsvm | cleave predict none.model - --format libsvm
none
$ cleave explain none.model --example 1:2.5 --json | cut -d , -f 1-3; cleave explain none.model --example 1:0.6 --json | grep -c abstained
{"prediction":null,"abstained":true,"runner_up":null
0
? 1
$ printf 'none 1:0.6\nb 1:2.5\n' > truth.libsvm; cleave test none.model truth.libsvm --confusion | grep 'Abstained\|^  '
Abstained: 1 row, counted as errors.
  true class  b  none  (none)
  b           .     .       1
  none        .     1       .

# Unrelated points share their places, independent of the order of the file: the prediction follows the class frequencies.
$ printf 'a\tfoo bar\na\tfoo baz\nb\tzip zap\nb\tzip zop\nb\tzip zoo\n' > few.tsv; tac few.tsv > turned.tsv; printf 'unknown\n' > unknown.txt
$ for o in '--k 1' '--k 3' '--k 3 --weight none' '--all' '--weight gaussian --sigma 0.001' '--k 2 --distance jaccard'; do for f in few turned; do cleave train knn $f.tsv $o --positive b -o few.model -q; cleave predict few.model unknown.txt --probabilities -q --json; done; done | grep -o '"b":0..' | uniq -c
     12 "b":0.6
$ cleave train knn few.tsv --vote agree --k 1 -o few.model -q; cleave predict few.model unknown.txt -q
none

# The same if some points are related: row 4 has one place, and all others share the second.
$ cleave train knn few.tsv --k 2 --weight none --positive b -o few.model -q; cleave explain few.model --example zop -q | tail -n 5
     1    3  b      0.187837       1           0.5  ████████████████████████
     2    0  a           0.5    0.25        -0.125  ░░░░░░
     3    1  a           0.5    0.25        -0.125  ░░░░░░
     4    2  b           0.5    0.25         0.125  ██████
     5    4  b           0.5    0.25         0.125  ██████

# Empty training rows are equal to an empty query. A stream predicts like a model, and a regression predicts the mean.
$ printf 'a\t!\n' | cat few.tsv - > empty.tsv; cleave train knn empty.tsv --k 1 -o few.model -q; cleave predict few.model unknown.txt -q
a
$ printf '2 1:1\n4 2:1\n6 3:1\n' > three.libsvm; cleave train knn-regression three.libsvm --k 1 --distance cosine -o three.model -q; printf '? 4:1\n' | cleave predict three.model - --format libsvm
4
$ printf 'a 1:1\nb 2:1\nb 3:1\n? 4:1\n' > stream.libsvm; cleave stream knn stream.libsvm --k 1 --distance cosine --predictions - -q | tail -n 1
b

# What cannot be.
$ cleave train knn @dogs --k 11 -o z.model
cleave: --k 11 exceeds the number of training points with a label (10)
hint: lower --k, or use --all for every point
? 2
$ cleave train knn @dogs --k 2 --all -o z.model
cleave: --all and --k cannot be combined: both set the number of neighbors
? 2

# Texts as they are, by edit distance: an accent is one character, an empty text a text; a text may be longer than all that were learned.
$ printf 'verb\tsitting\nnoun\tkitchen\nadjective\tbitten\nletter\té\nnothing\t\n' > words.txt
$ cleave train knn words.txt --sequence --distance edit --k 1 -o words.model
Read 5 *, 7 *, 5 * (words.txt). (glob)
Trained knn: 5 points, 1 neighbor per prediction.
Model * words.model. (glob)
Next: * words.model * words.model. (glob)
$ printf 'kitten\n\te\nletter\tè\n\t\nkitchens and a good deal more than that\n' > q.txt; cleave predict words.model q.txt
adjective
letter
letter
nothing
noun
$ cleave predict words.model q.txt --stem english
cleave: --stem english: the model was trained with other text options (sequence)
hint: omit the option: the model stores how text is read
? 2
$ cleave convert words.txt --sequence -o words.cleave -q; cleave train knn words.cleave --distance edit --k 1 -o again.model -q; cleave predict again.model q.txt | xargs
adjective letter letter nothing noun
$ cleave train knn words.txt --distance edit -o z.model
warning: words.txt:5: * (glob)
hint: * (glob)
note: pipeline: --transform *): 4 * (glob)
cleave: --distance edit requires sequences, and these rows are words of text data
hint: read lines of label<TAB>text with --format text --sequence
? 2
$ cleave train knn @dogs --distance edit -o z.model
cleave: --distance edit requires sequences, and these rows are features of builtin data
hint: *<*>* --format * --sequence (glob)
? 2
$ cleave train knn words.txt --sequence --ngrams 2 -o z.model
cleave: --sequence keeps texts whole and cannot be combined with --ngrams
hint: pass only one of the two options
? 2
$ cleave train knn words.txt --sequence --distance euclidean -o z.model --k 1 -q
cleave: --distance euclidean does not support sequences (--sequence)
hint: add --distance edit, or omit --sequence to split the text into words
? 2
$ cleave train perceptron words.txt --sequence -o z.model -q 2> /dev/null; cleave predict z.model q.txt | wc -l | xargs
5

# The points that decided, and what the model keeps. Row 1 has no label and is no point; rows keep their numbers.
$ printf '? 1:9\na 1:1\nb 1:2\na 1:4\nb 1:8\n' > four.libsvm; cleave train knn four.libsvm --k 3 --weight 1/d -o four.model -q --skip-unlabeled
$ cleave explain four.model --example '1:2.5'
prediction  b, score 0.2, probability 0.6
runner-up   a, score -0.2, probability 0.4

Nearest neighbors: the score is the sum of their contributions
  rank  row  label  distance    weight  contribution
     1    2  b           0.5         2           0.6  ████████████████████████
     2    1  a           1.5  0.666667          -0.2  ░░░░░░░░
     3    3  a           1.5  0.666667          -0.2  ░░░░░░░░
$ cleave explain four.model --example '1:2' --top 1
prediction  b, score 1, probability 1
runner-up   a, score -1, probability 0

Nearest *contributions* (glob)
  rank  row  label  distance  weight  contribution
     1    2  b             0       1             1  ████████████████████████
  and 2 others, with a contribution of 0
$ cleave explain four.model four.libsvm --row 3 --json
{"prediction":{"label":"b","score":1,"probability":1},"runner_up":{"label":"a","score":-1,"probability":0},"true_label":"b","neighbors":[{"row":2,"distance":0,"weight":1,"share":1,"contribution":1,"label":"b"},{"row":1,"distance":1,"weight":0,"share":0,"contribution":0,"label":"a"},{"row":3,"distance":2,"weight":0,"share":0,"contribution":0,"label":"a"}],"unknown":[]}
$ cleave explain four.model
knn, trained on 4 rows by cleave 0.1.0, seed 1
classes    a, b (positive)
output     probabilities (predict --probabilities)
features   1
options    k 3, distance euclidean, weight 1/d, epochs 1, skip-unlabeled true; defaults otherwise
points     4: 2 a, 2 b
distance   euclidean, index scan
memory     16 bytes for the points, which are dense, and 0 bytes for the index
hint: --example, or DATA --row N, shows the nearest points of a row
$ cleave train knn four.libsvm --k 2 --vote agree -o two.model -q --skip-unlabeled; cleave explain two.model --example '1:1.4'
prediction  none (the model abstains)

Nearest neighbors
  rank  row  label  distance  weight  share
     1    1  a           0.4       1    0.5  ████████████████████████
     2    2  b           0.6       1    0.5  ████████████████████████
$ cleave train knn-regression @peak7 --all --weight gaussian -o peak.model -q; cleave explain peak.model @peak7 --row 2 --top 2
prediction  2.2725
true label  2

Nearest neighbors: the prediction is the sum of their contributions
  rank  row  target  distance    weight  contribution
     1    1       2         0         1       1.14012  ████████████████████████
     2    0       1         1  0.367879      0.209714  ████▍
  and 5 others, with a contribution of 0.922665
$ cleave explain peak.model --json | tr , '\n' | tail -n 6
"points":7
"distance":"euclidean"
"index":"scan"
"dense":true
"bytes":28
"index_bytes":0}
$ cleave explain words.model --example mitten
prediction  adjective, score 1, probability 1
runner-up   verb, score 0, probability 0

Nearest *contributions* (glob)
  rank  row  label      distance  weight  contribution
     1    2  adjective         1       1             1  ████████████████████████

# Kernel regression of Example 12.13.
$ printf '? 1:3.5\n' > q.libsvm
$ for o in 1/d2 gaussian; do cleave train knn-regression @peak7 --all --weight $o -o m.model -q; cleave predict m.model q.libsvm; done
5.514039129925411
5.633354436069959

# Exercise 12.4.2: the label is the sign of (x+y-5)(x-y).
$ printf '+1 1:1 2:2\n-1 1:2 2:1\n-1 1:3 2:4\n+1 1:4 2:3\n' > four.libsvm; cleave train knn four.libsvm --k 1 -o m.model -q
$ printf '? 1:1 2:3\n? 1:3 2:1\n? 1:5 2:4\n? 1:4 2:5\n? 1:5 2:2\n? 1:2 2:5\n' | cleave predict m.model - | xargs
+1 -1 +1 -1 +1 -1

# Exercise 12.4.3: either side of each break.
$ printf '? 1:1.49\n? 1:1.51\n? 1:2.99\n? 1:3.01\n? 1:5.99\n? 1:6.01\n? 1:11.99\n? 1:12.01\n? 1:23.99\n? 1:24.01\n' > q.libsvm; cleave train knn-regression @powers6 --k 1 -o m.model -q; cleave predict m.model q.libsvm | xargs
1 2 2 3 3 4 4 5 5 6
$ printf '? 1:2.49\n? 1:2.51\n? 1:4.99\n? 1:5.01\n? 1:9.99\n? 1:10.01\n? 1:19.99\n? 1:20.01\n' > q.libsvm; cleave train knn-regression @powers6 --k 2 -o m.model -q; cleave predict m.model q.libsvm | xargs
1.5 2.5 2.5 3.5 3.5 4.5 4.5 5.5
$ printf '? 1:4.49\n? 1:4.51\n? 1:8.99\n? 1:9.01\n? 1:17.99\n? 1:18.01\n' > q.libsvm; cleave train knn-regression @powers6 --k 3 -o m.model -q; cleave predict m.model q.libsvm | xargs
2 3 3 4 4 5

# Exercise 12.4.5: the mean of four is 15/4, 9/2 between 3 and 5, and 15/4.
$ printf '? 1:-5\n? 1:2.99\n? 1:3.01\n? 1:4\n? 1:4.99\n? 1:5.01\n? 1:9\n' > q.libsvm; cleave train knn-regression @peak7 --k 4 -o m.model -q; cleave predict m.model q.libsvm | xargs
3.75 3.75 4.5 4.5 4.5 3.75 3.75

# Exercise 12.4.6: two weighted by 1/d are no continuous function: 7/4 and 9/4 on the sides of 2.5, 11/4 and 13/4 on those of 5.
$ printf '? 1:2.499999\n? 1:2.500001\n? 1:4.999999\n? 1:5.000001\n' > q.libsvm; cleave train knn-regression @powers6 --k 2 --weight 1/d -o m.model -q; cleave predict m.model q.libsvm | awk '{printf "%.5f ", $1} END {print ""}'
1.75000 2.25000 2.75000 3.25000 

# Behind a transformation that makes another space, neighbors are those of that space.
$ printf 'a 1:1 2:5 3:1\na 1:2 2:4 3:1\nb 1:8 2:5 3:2\nb 1:9 2:4 3:1\n' > four.libsvm
$ cleave train knn four.libsvm --transform pca:components=1 --k 1 -o m.model 2>&1 | grep -A 1 distances
warning: distances are measured in the reduced space: --transform pca maps 3 columns to 1
hint: compare with --transform none: the nearest neighbors can differ from those in the original columns
$ cleave train knn four.libsvm --transform project:components=2 --k 1 -o m.model 2>&1 | grep distances
warning: distances are measured in the reduced space: --transform project maps 3 columns to 2
$ cleave train knn four.libsvm --transform scale --k 1 -o m.model 2>&1 | grep -c distances
0
? 1
$ cleave train perceptron four.libsvm --transform pca:components=1 -o m.model 2>&1 | grep -c distances
0
? 1

# Tables of numbers and categories, with missing values: age has the range 20, size 2. By hand 1/4, 3/8, 1/2 and 7/12.
$ printf 'age,color,size,label\n10,red,1,a\n20,blue,3,b\n30,red,,a\n,green,2,b\n' > four.csv
$ cleave train knn four.csv --distance gower --k 4 -o four.model
note: four.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 2 *, 1 * (--columns) (glob)
note: pipeline: --transform *=*): 3 * 1 * (glob)
Read 4 *, 3 *, 2 * (four.csv). (glob)
Trained *: 4 *, 4 * (glob)
Model * four.model. (glob)
Next: * four.model * four.model. (glob)
$ cleave explain four.model --example 'age=15,color=red,size=2' | tail -n 5
  rank  row  label  distance  weight  contribution
     1    0  a          0.25       1          0.25  ████████████████████████
     2    2  a         0.375       1          0.25  ████████████████████████
     3    3  b           0.5       1         -0.25  ░░░░░░░░░░░░░░░░░░░░░░░░
     4    1  b      0.583333       1         -0.25  ░░░░░░░░░░░░░░░░░░░░░░░░

# Columns in another order; a missing number, and a color never met: 5/8, 5/8, 7/8, 1. Nothing in common: 1.
$ printf 'size,age,color\n2,15,red\n,15,violet\n,,\n' > q.csv; for row in 1 2 3; do cleave explain four.model q.csv --row $row | tail -n 4; done
     1    0  a          0.25       1          0.25  ████████████████████████
     2    2  a         0.375       1          0.25  ████████████████████████
     3    3  b           0.5       1         -0.25  ░░░░░░░░░░░░░░░░░░░░░░░░
     4    1  b      0.583333       1         -0.25  ░░░░░░░░░░░░░░░░░░░░░░░░
     1    0  a         0.625       1          0.25  ████████████████████████
     2    1  b         0.625       1         -0.25  ░░░░░░░░░░░░░░░░░░░░░░░░
     3    2  a         0.875       1          0.25  ████████████████████████
     4    3  b             1       1         -0.25  ░░░░░░░░░░░░░░░░░░░░░░░░
     1    0  a             1       1          0.25  ████████████████████████
     2    1  b             1       1         -0.25  ░░░░░░░░░░░░░░░░░░░░░░░░
     3    2  a             1       1          0.25  ████████████████████████
     4    3  b             1       1         -0.25  ░░░░░░░░░░░░░░░░░░░░░░░░
$ cleave train knn-regression @peak7 --distance gower --k 1 -o m.model -q; cleave test m.model @peak7 | head -n 1
RMSE 0, MAE 0 on 7 rows.
$ printf 'bio,age,label\nlikes long walks and cats,1,a\nlikes short walks and dogs,2,b\nhas nothing at all to say,3,b\n' > bio.csv
$ cleave train knn bio.csv --columns bio=text --distance gower --k 1 -o z.model
note: bio.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 2 classes; columns: 1 number, 1 text (--columns)
cleave: --transform: codes: expected numbers and categories, but 'bio:likes' is a word
hint: ignore columns of text with --columns NAME=ignore
? 2
$ cleave transforms ordinal
ordinal: Encode each categorical column as one feature (ordinal encoding).

Each categorical column becomes one feature: the number of the category. Numeric
columns are unchanged. Missing values have a code of their own. The codes have
no order: use them with --distance gower, which compares categories for
equality.

Parameters of ordinal:
  mark-missing            Encode missing values for --distance gower instead of
                          refusing them.
$ cleave train perceptron four.csv --transform ordinal -o z.model
note: four.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 2 *, 1 * (--columns) (glob)
line 4: a value is missing, and --transform ordinal does not encode missing values
hint: use ordinal:mark-missing, as --distance gower does
? 1

# Columns that count more or less: 3 times the first, half of the second; the model remembers. Categories by the name of their column.
$ printf 'a 1:1 2:8\nb 1:3 2:2\n' > two.libsvm; cleave train knn two.libsvm --distance manhattan --k 2 --feature-weights 1=3,2=0.5 -o w.model
note: pipeline: --transform weigh:by=1=3;2=0.5 (default for this data): 2 of 2 columns have a weight other than 1
Read 2 *, 2 *, 2 * (two.libsvm). (glob)
Trained *: 2 *, 2 * (glob)
Model * w.model. (glob)
Next: * w.model * w.model. (glob)
$ cleave explain w.model --example '1:2 2:6' | tail -n 2
     1    0  a             4       1           0.5  ████████████████████████
     2    1  b             5       1          -0.5  ░░░░░░░░░░░░░░░░░░░░░░░░
$ cleave train knn two.libsvm --distance manhattan --k 2 --feature-weights 1=0 -o w.model -q; cleave explain w.model --example '1:2 2:6' | tail -n 2
     1    0  a             2       1           0.5  ████████████████████████
     2    1  b             4       1          -0.5  ░░░░░░░░░░░░░░░░░░░░░░░░
$ printf 'age,color,label\n1,red,a\n2,blue,b\n3,red,a\n' > c.csv; cleave train knn c.csv --k 1 --transform none --feature-weights age=2,color=0 -o w.model 2>&1 | grep weigh
note: pipeline: --transform weigh:by=age=2;color=0: 3 of 3 columns have a weight other than 1
$ cleave explain w.model --example 'age=2.4,color=red' | tail -n 1
     1    1  b           0.8       1             1  ████████████████████████
$ cleave train knn c.csv --feature-weights size=2 -o z.model 2>&1 | tail -n 2
cleave: --feature-weights: * 'size=2' (glob)
hint: for example: --feature-weights age=2,size=0.5; the default weight of a column is 1
$ cleave train knn two.libsvm --k 1 --feature-weights 1=-2 -o z.model
cleave: --feature-weights: expected a non-negative weight, found '1=-2'
hint: *: --feature-weights *=2,*=0.5; * 1 (glob)
? 2
$ cleave train knn two.libsvm --k 1 --feature-weights 1=nan -o z.model
cleave: --feature-weights: expected NAME=WEIGHT, found '1=nan'
hint: *: --feature-weights *=2,*=0.5; * 1 (glob)
? 2
$ cleave train knn two.libsvm --k 1 --feature-weights 1=2,1=3 -o z.model
cleave: --feature-weights: expected one weight per column, found '1=3'
hint: *: --feature-weights *=2,*=0.5; * 1 (glob)
? 2
$ cleave train knn two.libsvm --k 1 --feature-weights 2 -o z.model
cleave: --feature-weights: expected NAME=WEIGHT, found '2'
hint: *: --feature-weights *=2,*=0.5; * 1 (glob)
? 2
$ cleave train knn two.libsvm --k 1 --distance jaccard --feature-weights 1=2 -o z.model
cleave: --feature-weights and --distance jaccard cannot be combined
hint: use a distance of numeric columns, such as euclidean or manhattan
? 2
$ cleave train knn c.csv --from w.model --feature-weights age=3 -o z.model
cleave: --feature-weights cannot be combined with --from: the warm-start model has its own
hint: omit --feature-weights, or train a new model
? 2
$ cleave train knn c.csv --from w.model -o z.model -q; cleave explain z.model --example 'age=2.4,color=red' | tail -n 1
     1    1  b           0.8       1             1  ████████████████████████

# Rows without a label that are the oldest, and are let go of, are not counted any more: the model is whole.
$ printf '? 1:1\n? 1:2\na 1:3\n? 1:4\nb 1:5\n' > some.libsvm; cleave train knn some.libsvm --keep-unlabeled --max-points 3 --k 1 -o some.model -q; cleave search some.model some.libsvm --k 1
query,rank,row,distance,label
0,1,2,2,a
1,1,2,1,a
2,1,2,0,a
3,1,3,0,
4,1,4,0,b
$ cleave train knn some.libsvm --keep-unlabeled --max-points 1 --k 1 -o some.model -q; cleave predict some.model some.libsvm | sort | uniq -c
      5 b

# Rows of a few among two thousand million columns take the memory of the few.
$ printf 'a 5:1 2000000000:1\nb 7:1 1999999999:2\na 5:2\n' > wide.libsvm; cleave train knn wide.libsvm --k 1 -o wide.model -q; cleave predict wide.model wide.libsvm
a
b
a
$ cleave search wide.model wide.libsvm --k 3
query,rank,row,distance,label
0,1,0,0,a
0,2,2,1.4142135623730951,a
0,3,1,2.6457513110645907,b
1,1,1,0,b
1,2,0,2.6457513110645907,a
1,3,2,3,a
2,1,2,0,a
2,2,0,1.4142135623730951,a
2,3,1,3,b

# The mean of numbers whose sum is beyond a double.
$ printf '1e308 1:1\n1.5e308 1:2\n-1e308 1:30\n' > far.libsvm; cleave train knn-regression far.libsvm --k 2 -o far.model -q; cleave predict far.model far.libsvm
1.25e+308
1.25e+308
2.5e+307

# The default distance is angle for text, so that rows without words are not close to all others; otherwise euclidean.
$ printf 'ham\t...\nham\t!!!\nham\t???\nspam\twin a prize today call now\nspam\tcall now to win cash prize\nham\tlunch at noon\n' > few.txt
$ cleave train knn few.txt --format text --k 3 -o few.model -q 2> /dev/null; echo 'prize draw tonight for everyone who bought a ticket last week' | cleave predict few.model -
spam
$ cleave explain few.model --json | tr , '\n' | grep '"distance"' | sort -u
"distance":"angle"

# Options of another weight or distance are refused.
$ for o in '--sigma 2' '--distance manhattan --r 4'; do cleave train knn @dogs $o -o no.model -q; done
cleave: --sigma * gaussian (glob)
hint: leave it out, or add --weight gaussian
cleave: --r applies to --distance lr
hint: leave it out, or add --distance lr
? 2
