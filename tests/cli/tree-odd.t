# Edge cases of tree, forest and boost. Example 12.1 with control characters in names: escaped in text as \n, \t, \xff, exact in JSON.
$ printf 'height,weight,label\n6,2,"a\nb"\n5,2,"a\nb"\n6,4,"say ""q"""\n5,5,"say ""q"""\n9,2,t\tb\n10,5,t\tb\n' > names.csv; cleave train tree names.csv -o names.model -q
$ cleave explain names.model | grep -v '^features\|^params\|^knows\|^  '
tree, trained on 6 rows by cleave 0.1.0, seed 1
classes    a\nb, say "q", t\tb
output     probabilities (predict --probabilities)
options    epochs 1; defaults otherwise
trees      1, with 3 leaves

if height > 7.5: t\tb (2 rows)
else if weight < 3: a\nb (2 rows)
else: say "q" (2 rows)

$ cleave explain names.model --rules | tail -n 3
if height <= 7.5 and weight < 3: a\nb (2 rows)
if height <= 7.5 and weight >= 3: say "q" (2 rows)
if height > 7.5: t\tb (2 rows)
$ cleave explain names.model names.csv --row 1
prediction  a\nb, score 1, probability 1
runner-up   say "q", score 0, probability 0
true label  a\nb

if height <= 7.5
and weight < 3:
    a\nb (2 rows)

$ cleave explain names.model --json | grep -o '"classes":[^]]*]'
"classes":["a\nb","say \"q\"","t\tb"]
$ cleave explain names.model --json | grep -o '"class":"[^,]*'
"class":"t\tb"
"class":"a\nb"
"class":"say \"q\""
$ printf 'c,y\n"a\nb",p\n\377,q\n"a\nb",p\n\377,q\nred,p\n' > bytes.csv; cleave train tree bytes.csv --label y -o bytes.model -q; cleave explain bytes.model | tail -n 2; cleave predict bytes.model bytes.csv | xargs
if c is \xff: q (2 rows)
else: p (3 rows)
p q p q p
$ cleave explain bytes.model --json | grep -o '"left_values":[^]]*]'
"left_values":["\ufffd"]

# A tree deeper than 256 levels: the last rule has every condition.
$ awk 'BEGIN { for (i = 1; i <= 540; i++) print (i % 2 ? "p" : "q"), i ":1" }' > chain.libsvm; cleave train tree chain.libsvm --no-prune -o chain.model -q
$ cleave explain chain.model --rules | awk '{ n = gsub(/ and /, ""); if (n > most) most = n; p += / p \(/; q += / q \(/ } END { print most + 1, p, q }'
270 270 2
$ cleave explain chain.model chain.libsvm --row 540 | grep -c '^if\|^and'
270
$ cleave predict chain.model chain.libsvm | sort | uniq -c | awk '{ print $1, $2 }'
270 p
270 q

# Malformed categories are errors with their place. Blanks around them and the order of columns have no effect. A quote within a value is part of it.
$ printf 'c,x,label\n"red"x,1,p\nblue,2,q\n' > bad.csv; cleave train tree bad.csv -o bad.model -q
bad.csv:2:6: * 'x,1,p' (glob)
hint: *: "" (glob)
? 1
$ printf 'c,x,label\n"red,1,p\nblue,2,q\n' > bad.csv; cleave train tree bad.csv -o bad.model -q
bad.csv:2:1: * quote * (glob)
hint: *: "" (glob)
? 1
$ printf 'c,x,label\nre\0d,1,p\nblue,2,q\n' > bad.csv; cleave train tree bad.csv -o bad.model -q
bad.csv:2:3: * 0* (glob)
hint: * --format * (glob)
? 1
$ printf 'c,x,label\nred,inf,p\nblue,2,q\n' > bad.csv; cleave train tree bad.csv -o bad.model -q
bad.csv:2:5: * 'x': *: 'inf' (glob)
hint: * --missing * (glob)
? 1
$ printf 'c,x,label\n' > good.csv; for i in 1 2 3 4 5 6 7 8; do printf "  red ,$i,p\nblue,$((i+3)),q\nre\"d,$i,p\n"; done >> good.csv
$ for m in tree forest boost; do case $m in tree) n=epochs ;; forest) n=trees ;; *) n=rounds ;; esac; cleave train $m good.csv --min-leaf-rows 1 --$n 9 -o $m.model -q; done; cleave explain tree.model | tail -n 2
if c is blue: q (8 rows)
else: p (16 rows)
$ for m in tree forest boost; do cleave predict $m.model good.csv | sort | uniq -c | xargs; done
16 p 8 q
16 p 8 q
16 p 8 q
$ printf 'x,more,c\n1,z,red\n5,,blue\n2,z,"re""d"\n' > order.csv; for m in tree forest boost; do cleave predict $m.model order.csv | xargs; done
p q p
p q p
p q p

# Prediction: unseen values take the branch of most rows, and so do missing values without an example in training. A missing column and a non-number are errors.
$ printf 'c,x\npink,1\n,2\n"a\nb",3\n\377\376,3\n?,NaN\n,\n' > new.csv; for m in tree forest boost; do cleave predict $m.model new.csv | xargs; done
p p p p p p
p p p p p p
p p p p p p
$ printf 'x\n1\n' > no.csv; cleave predict boost.model no.csv
no.csv:1: * 'c' * (glob)
hint: *missing* (glob)
? 1
$ printf 'c,x\nblue,many\n' > no.csv; cleave predict boost.model no.csv
no.csv:2:6: * 'x': * 'many' (glob)
hint: the model reads this column as numbers: correct the cell, or pass --missing many if it means a missing value
? 1
$ printf 'c,x\nblue,inf\n' > no.csv; cleave predict boost.model no.csv
no.csv:2:6: * 'x': *: 'inf' (glob)
hint: * --missing * (glob)
? 1

# All values missing or equal: no split. The prediction is the majority class or the mean (forest: of the sampled rows).
$ for m in tree forest boost; do for cells in ,, red,5,; do printf "c,x,label\n${cells}p\n${cells}q\n${cells}p\n${cells}p\n${cells}q\n" > same.csv; cleave train $m same.csv --min-leaf-rows 1 -o same.model | grep 'Trained\|Training'; cleave predict same.model same.csv --probabilities | awk 'NR > 1 { printf "%s %.3f\n", $1, $3 }' | sort | uniq -c | xargs; done; done 2> notes
Trained tree: 1 leaf, not pruned.
Training * 40.00% (2 * 5 *). (glob)
5 p 0.400
Trained *: 1 *. (glob)
Training * 40.00% (2 * 5 *). (glob)
5 p 0.400
Trained *: 100 * 100.00%. (glob)
Training * 40.00% (2 * 5 *). (glob)
5 p 0.456
Trained *: 100 * 100.00%. (glob)
Training * 40.00% (2 * 5 *). (glob)
5 p 0.456
Trained *: 1 * 1 * (glob)
Training * 40.00% (2 * 5 *). (glob)
5 p 0.400
Trained *: 1 * 1 * (glob)
Training * 40.00% (2 * 5 *). (glob)
5 p 0.400
$ for m in tree forest boost; do for cells in ,, red,5,; do printf "c,x,y\n${cells}1\n${cells}2\n${cells}6\n" > same.csv; cleave train $m-regression same.csv --label y --min-leaf-rows 1 -o same.model -q; cleave predict same.model same.csv | sort | uniq -c | xargs; done; done
3 3
3 3
3 3.16
3 3.16
3 3
3 3
# One empty column beside others: it is not split on.
$ printf 'c,none,label\nred,,p\nred,,p\nblue,,q\nblue,,q\n' > half.csv; for m in tree forest boost; do cleave train $m half.csv --min-leaf-rows 1 -o half.model -q; cleave predict half.model half.csv | xargs; done
p p q q
p p q q
p p q q

# A single row, a single class: no split. Regression: the mean.
$ printf 'c,x,label\nred,1,p\n' > single.csv; for m in tree forest boost; do cleave train $m single.csv -o single.model -q; done
single.csv:2: * 1 * 'p'; * (glob)
hint: * (glob)
single.csv:2: * 1 * 'p'; * (glob)
hint: * (glob)
single.csv:2: * 1 * 'p'; * (glob)
hint: * (glob)
? 1
$ printf 'c,x,label\nred,1,p\nblue,2,p\nred,3,p\n' > single.csv; for m in tree forest boost; do cleave train $m single.csv -o single.model -q; done
single.csv:2: * 3 * 'p'; * (glob)
hint: * (glob)
single.csv:2: * 3 * 'p'; * (glob)
hint: * (glob)
single.csv:2: * 3 * 'p'; * (glob)
hint: * (glob)
? 1
$ printf 'c,x,y\nred,1,7\n' > single.csv; for m in tree forest boost; do cleave train $m-regression single.csv --label y -o single.model -q; cleave predict single.model single.csv; done
7
7
7
$ printf 'c,x,y\nred,1,7\nblue,2,7\n' > single.csv; for m in tree forest boost; do case $m in tree) n=epochs ;; forest) n=trees ;; *) n=rounds ;; esac; cleave train $m-regression single.csv --label y --min-leaf-rows 1 --$n 3 -o single.model -q; cleave predict single.model single.csv | xargs; done
7 7
7 7
7 7
# Too few rows for two leaves give a warning.
$ cleave train boost @dogs -o few.model > out; cleave explain few.model --tree 1 | tail -n 1; cleave train forest-regression @peak7 --trees 3 -o few.model > out
warning: 10 rows cannot be split into two leaves of --min-leaf-rows 20: the prediction is constant
hint: lower --min-leaf-rows
0 (10 rows)
warning: 7 * --min-leaf-rows 5: * (glob)
hint: lower --min-leaf-rows

# A column with nearly all values different is an identifier and ignored, unless --columns declares a category.
$ awk 'BEGIN { print "c,x,label"; for (i = 0; i < 300; i++) print "id" i "," i % 7 "," (i % 7 > 3 ? "p" : "q") }' > id.csv; for m in tree boost; do cleave train $m id.csv -o id.model 2>&1 > out | grep -A 1 ignored; done; cleave explain id.model | grep features; cleave train tree id.csv --columns c=category -o id.model -q; cleave explain id.model | tail -n 2
warning: id.csv: * 'c' * (glob)
hint: * --columns 'c=category' * --columns 'c=ignore' * (glob)
warning: id.csv: * 'c' * (glob)
hint: * --columns 'c=category' * --columns 'c=ignore' * (glob)
features   1, by the pipeline
if x < 3.5: q (172 rows)
else: p (128 rows)
# More values than bins: the 254 most frequent have their own bins, the others share one (tests/accuracy/million-categories has a million).
$ awk 'BEGIN { print "c,label"; for (i = 0; i < 900; i++) print (i % 3 ? "often" i % 3 : "once" i) "," (i % 3 == 1 ? "p" : "q") }' > many.csv
$ for m in tree forest boost; do case $m in tree) n=epochs ;; forest) n=trees ;; *) n=rounds ;; esac; cleave train $m many.csv --$n 5 -o many.model -q; cleave predict many.model many.csv | sort | uniq -c | xargs; done; cleave train tree many.csv -o many.model -q; cleave explain many.model | tail -n 2
300 p 600 q
300 p 600 q
300 p 600 q
if c is often1: p (300 rows)
else: q (600 rows)

# Supported and unsupported options of trees. A warning is printed once, not for each fold.
$ cleave generate blobs -o blobs.csv --rows 1500 --features 2 --seed 3 --spread 3 -q; cleave cv tree blobs.csv --no-prune --folds 3 > out; cleave cv boost @dogs --folds 2 > out
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 3 *: 2 * (--columns) (glob)
note: pipeline: --transform *=*) (glob)
warning: fold 1: the tree has one leaf for every 8.1 training rows and is likely to overfit
hint: * --max-depth * --max-leaves * (glob)
warning: fold 1: 5 rows cannot be split into two leaves of --min-leaf-rows 20: the prediction is constant
hint: lower --min-leaf-rows
$ cleave train tree blobs.csv --stream -o no.model -q
cleave: --stream: 'tree' * (glob)
? 2
$ for m in tree forest boost; do cleave stream $m blobs.csv; cleave begin $m blobs.csv -o no.model -q; done
cleave: 'tree' * (glob)
hint: 'cleave stream --help' * (glob)
cleave: 'tree' * (glob)
hint: 'cleave begin --help' * (glob)
cleave: 'forest' * (glob)
hint: 'cleave stream --help' * (glob)
cleave: 'forest' * (glob)
hint: 'cleave begin --help' * (glob)
cleave: 'boost' * (glob)
hint: 'cleave stream --help' * (glob)
cleave: 'boost' * (glob)
hint: 'cleave begin --help' * (glob)
? 2
$ cleave compare good.csv --methods tree,forest,boost --folds 2 -q | awk '/^ *(tree|forest|boost)/ { print $1, $2 }'
tree 0.00
forest 0.00
boost 33.33
$ for m in forest boost; do cleave tune $m good.csv --candidates 2 --folds 2 --rungs 1 -q | grep -o 'cleave train [a-z]* good.csv'; done
cleave train forest good.csv
cleave train boost good.csv
$ cleave explain forest.model --tree 10; cleave explain forest.model --tree 0
cleave: --tree 10: the model has 9 trees
cleave: --tree: * 1, * '0' (glob)
? 2
$ cleave train boost good.csv --monotone c=+ -o no.model -q; cleave train boost good.csv --monotone y=+ -o no.model -q
cleave: --monotone: expected a numeric column, found 'c'
hint: example: --monotone *=+,*=- (*) (glob)
cleave: --monotone: * 'y' (glob)
hint: example: --monotone *=+,*=- (*) (glob)
? 2
