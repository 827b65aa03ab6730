# Points without labels, and what was found of them.
$ printf '? 1:1 2:2\n? 1:3\n? 2:1\n? 1:3 2:1\n' > points.libsvm; cleave index points.libsvm -o points.model
Read 4 rows, 2 features.
Indexed: 4 points, 4 neighbors per query.
Model * points.model. (glob)
Next: cleave search points.model QUERIES.
$ printf '? 1:3\n? 1:1 2:1\n' > q.libsvm; cleave search points.model q.libsvm --k 2
query,rank,row,distance,label
0,1,1,0,
0,2,3,1,
1,1,0,1,
1,2,2,1,
$ cleave search points.model q.libsvm
query,rank,row,distance,label
0,1,1,0,
0,2,3,1,
0,3,0,2.8284271247461903,
0,4,2,3.1622776601683795,
1,1,0,1,
1,2,2,1,
1,3,3,2,
1,4,1,2.23606797749979,
$ cleave search points.model - --format libsvm --k 1 < q.libsvm
query,rank,row,distance,label
0,1,1,0,
1,1,0,1,
$ cleave search points.model q.libsvm --radius 1 --json
{"query":0,"neighbors":[{"row":1,"distance":0,"label":null},{"row":3,"distance":1,"label":null}]}
{"query":1,"neighbors":[{"row":0,"distance":1,"label":null},{"row":2,"distance":1,"label":null}]}
$ cleave search points.model q.libsvm --k 1 --radius 0.5
query,rank,row,distance,label
0,1,1,0,

# Such a model is for search.
$ cleave predict points.model q.libsvm
cleave: the model cannot predict: 4 of its 4 points have no label
hint: use 'cleave search MODEL QUERIES' to find neighbors, or 'cleave train knn' on labeled rows to predict
? 2
$ cleave test points.model @dogs
cleave: *: 4 * 4 * (glob)
hint: * 'cleave search MODEL QUERIES' * 'cleave train knn' * (glob)
? 2
$ cleave explain points.model
knn, trained on 4 rows by cleave 0.1.0, seed 1
labels     none: use 'cleave search'
features   2
options    distance euclidean, weight none, keep-unlabeled true, epochs 1; defaults otherwise
points     4
distance   euclidean, index scan
memory     32 bytes for the points, which are dense, and 0 bytes for the index

# Labels are kept where there are any; with all of them the model answers, too.
$ cleave index @dogs -o dogs.model --k 2 --json | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["points"], j["features"], j["classes"], j["model"], j["index_seconds"] >= 0)'
10 2 3 dogs.model True
$ cleave index @dogs -o dogs.model --k 2
Read 10 rows, 2 features, 3 labels.
Indexed: 10 *, 2 * (glob)
Model * dogs.model. (glob)
Next: * dogs.model * (glob)
$ cleave search dogs.model @dogs --only-labels Beagle --k 1 | head -n 4
query,rank,row,distance,label
0,1,6,4.242640687119285,Beagle
1,1,6,5.656854249492381,Beagle
2,1,6,3.605551275463989,Beagle
$ cleave search dogs.model @dogs --only-rows 2,6-8 --k 1 | head -n 3
query,rank,row,distance,label
0,1,2,1,Chihuahua
1,1,2,2.23606797749979,Chihuahua
$ printf '8\n6-7 2\n' > rows.txt; cleave search dogs.model @dogs --only-rows rows.txt --k 1 | head -n 3
query,rank,row,distance,label
0,1,2,1,Chihuahua
1,1,2,2.23606797749979,Chihuahua
$ cleave predict dogs.model @dogs | sort | uniq -c | sed 's/^ *//'
4 Beagle
3 Chihuahua
3 Dachshund
$ printf 'x,y,kind\n1,2,"a,b"\n3,4,"say ""hi"""\n5,6,\n' > quoted.csv; cleave index quoted.csv --transform none -o quoted.model -q; cleave search quoted.model quoted.csv --k 1
query,rank,row,distance,label
0,1,0,0,"a,b"
1,1,1,0,"say ""hi"""
2,1,2,0,

# Of numbers, too; and of rows that were left out the numbers are not used again.
$ cleave train knn-regression @peak7 -o peak.model -q; cleave search peak.model @peak7 --k 2 | head -n 3
query,rank,row,distance,label
0,1,0,0,1
0,2,1,1,2
$ printf 'a 1:1\n? 1:2\nb 1:3\n' > some.libsvm; cleave train knn some.libsvm --skip-unlabeled -o some.model -q; cleave search some.model some.libsvm --k 1
query,rank,row,distance,label
0,1,0,0,a
1,1,0,1,a
2,1,2,0,b

# Files of vectors in, files of vectors out: rows from 0 there, distances as 32 bits.
$ printf '\2\0\0\0\0\0\200\077\0\0\0\100\2\0\0\0\0\0\0\0\0\0\200\277' > v.fvecs; cleave index v.fvecs -o v.model -q
$ cleave search v.model v.fvecs --k 2 --to ivecs | od -An -t d4 -w12
           2           0           1
           2           1           0
$ cleave search v.model v.fvecs --k 2 --to fvecs -o d.fvecs; cleave convert d.fvecs --to libsvm -o - -q | cut -c 3-
2:3.1622777
2:3.1622777
$ gzip -c v.fvecs | cleave search v.model - --format fvecs --k 1
query,rank,row,distance,label
0,1,0,0,
1,1,1,0,
$ printf '\2\0\0\0\1\2\2\0\0\0\0\377' > v.bvecs; cleave search v.model v.bvecs --k 1
query,rank,row,distance,label
0,1,0,0,
1,1,0,253.00197627686626,
$ cleave convert v.fvecs --to libsvm -o - -q | cut -c 3-
1:1 2:2
2:-1

# Adding and removing: rows keep their numbers, new ones are counted on.
$ cleave remove dogs.model --rows 0,2-8 -o few.model
Removed 8 points.
Model * few.model. (glob)
$ cleave search few.model @dogs --k 2 | head -n 3
query,rank,row,distance,label
0,1,1,1.4142135623730951,Chihuahua
0,2,9,6.708203932499369,Beagle
$ cleave index @dogs --from few.model -o more.model
Read 10 *, 2 *, 3 * (glob)
Indexed: 12 *, 2 * (glob)
Model * more.model. (glob)
Next: * more.model * (glob)
$ cleave search more.model @dogs --k 3 | head -n 4
query,rank,row,distance,label
0,1,10,0,Chihuahua
0,2,12,1,Chihuahua
0,3,1,1.4142135623730951,Chihuahua
$ cleave train knn @dogs --from few.model -o more.model -q; cleave search more.model @dogs --k 3 | head -n 4
query,rank,row,distance,label
0,1,10,0,Chihuahua
0,2,12,1,Chihuahua
0,3,1,1.4142135623730951,Chihuahua
$ cleave remove few.model --rows 1,9 -o none.model
cleave: the removal of all 2 points would leave an empty model
hint: keep at least one point
? 2
$ cleave remove few.model --rows 2 -o none.model
cleave: * 2: * (glob)
hint: use row numbers of the training data, counted from 0, that have not been removed
? 2
$ cleave remove dogs.model --rows=-1 -o none.model
cleave: --rows: * 3,7-9, * 0, * '-1' (glob)
hint: pass a list of rows, or a file that contains one
? 2
$ cleave remove dogs.model -o none.model
cleave: remove needs either --rows LIST or --ids LIST  (see 'cleave remove --help')
? 2
$ cleave remove dogs.model --rows 1 -o dogs.model
cleave: -o 'dogs.model' * (glob)
? 2
$ cleave remove dogs.model --rows nowhere.txt -o none.model
nowhere.txt: * opened: No such file or directory (glob)
? 1

# What cannot be: what was expected, and the row.
$ cleave search dogs.model @dogs --k 11
cleave: --k 11: *, 10 (glob)
hint: use --k 10 to find all points
? 2
$ cleave search dogs.model @dogs --only-labels Poodle
cleave: --only-labels: * 'Poodle' (glob)
hint: use labels of the training data, separated by commas
? 2
$ cleave search points.model @dogs --only-labels Beagle
cleave: --only-labels: * 'Beagle' (glob)
hint: omit * (glob)
? 2
$ cleave search dogs.model @dogs --to xml
cleave: unknown format 'xml'
hint: run 'cleave search --help' for a list
? 2
$ cleave search dogs.model @dogs --to csv --json
cleave: --json and --to csv cannot be combined
? 2
$ cleave search dogs.model @dogs --radius -1
cleave: --radius: * 0, * '-1' (glob)
hint: * --distance * (glob)
? 2
$ cleave train perceptron @spam6 -o spam.model -q; cleave search spam.model @spam6
cleave: * 'perceptron' (glob)
hint: use 'cleave index DATA -o MODEL' or 'cleave train knn' to create one
? 2
$ : > empty.fvecs; cleave index empty.fvecs -o z.model
empty.fvecs: * empty (glob)
hint: * (glob)
? 1
$ : > empty.libsvm; cleave index empty.libsvm -o z.model
empty.libsvm: * empty (glob)
hint: * (glob)
? 1
$ cleave index points.libsvm --k 9 -o z.model
cleave: --k 9 exceeds the number of training points (4)
hint: * --k, * --all * (glob)
? 2
$ printf '\1\0\0\0\0\0\200\077' > one.fvecs; cleave search v.model one.fvecs
one.fvecs: row 1 (byte 0): expected 2 values as in the model, found 1
hint: a row is the number of its values followed by the values; check that this is a complete fvecs file
? 1
$ printf '\2\0\0\0\0\0\200\077\0\0\200\077\2\0\0\0\0\0\200\077\0\0\300\177' > nan.fvecs; cleave search v.model nan.fvecs -o out.csv
nan.fvecs: row 2, column 1 (byte 20): expected a finite number, found nan
hint: replace the value or remove the row; rows are counted from 1, columns from 0
? 1
$ ls out.csv
ls: * 'out.csv': * (glob)
? 2
$ printf '\2\0\0\0\0\0\200\077\0\0\200\077\3\0\0\0\0\0\200\077\0\0\300\177\0\0\0\0' > other.fvecs; cleave search v.model other.fvecs -q -o out.csv
other.fvecs: row 2 (byte 12): expected 2 values as in the previous rows, found 3
hint: * (glob)
? 1
$ printf '? 1:nan\n' > nan.libsvm; cleave search points.model nan.libsvm
nan.libsvm:1:3: *: '1:nan' (glob)
hint: * (glob)
query,rank,row,distance,label
? 1
$ printf 'x\n1\n' > narrow.csv; cleave search quoted.model narrow.csv
narrow.csv:1: * 'y' * (glob)
hint: * (glob)
? 1
$ head -c 20 v.fvecs > cut.fvecs; cleave index cut.fvecs -o z.model
cut.fvecs: byte 20: the file ends inside row 2, which starts at byte 12
hint: the file is incomplete: copy or download it again
? 1
$ head -c 100 dogs.model > cut.model; cleave search cut.model @dogs
cut.model: * 100 * 2688 * (glob)
hint: * (glob)
? 1

# Parts of points without labels have no answers, either.
$ cleave map --model points.model @dogs
cleave: *: 4 * 4 * (glob)
hint: * 'cleave search MODEL QUERIES' * 'cleave train knn' * (glob)
? 2

# Columns that no point has count, too. The suffix says the form; rows that are not there are named.
$ printf 'a 1:1 2:1\nb 1:1 2:1 3:1 4:1 5:1\n' > few.libsvm; cleave index few.libsvm --distance jaccard -o few.model -q; printf '? 1:1 2:1 3:1 90:1 91:1 92:1 93:1 94:1 95:1 96:1 97:1 98:1 99:1\n' > wide.libsvm; cleave search few.model wide.libsvm
query,rank,row,distance,label
0,1,1,0.8,b
0,2,0,0.8461538461538461,a
$ cleave search few.model wide.libsvm -o found.ivecs; od -An -t d4 found.ivecs
           2           1           0
$ cleave search few.model wide.libsvm --only-rows 6000
cleave: --only-rows: the model has none of these rows; its last row is 1
hint: use row numbers of the training data, counted from 0
? 2
$ cleave train perceptron @spam6 -o other.model -q; cleave index @spam6 --from other.model -o more.model
cleave: --from other.model: expected an index, found a model of 'perceptron'
? 2

# The nearest documents to a text.
$ printf 'ham\tsee you at lunch\nspam\tcheap pills now\nspam\tcheap watches now\n' > few.tsv; cleave index few.tsv -o text.model -q; cleave search text.model --text 'cheap watches' --k 2
query,rank,row,distance,label
0,1,2,0.1732697410714733,spam
0,2,1,0.3985039834007127,spam
$ cleave search dogs.model --text 'cheap watches'
cleave: the model was not trained on text
hint: pass rows with the columns of the model, or use a model of texts
? 2
$ cleave search text.model few.tsv --text 'cheap watches'
cleave: --text * queries * (glob)
? 2
$ cleave search text.model --text 'cheap watches' --box a=1..2
cleave: --box * --text * (glob)
? 2

# Points keep the smallest type that represents their values: a quarter of the bytes, and the same distances.
$ python3 -c 'import struct, sys; v = [[i * j % 251 for j in range(1, 101)] for i in range(1000)]; f = lambda p, c, d: open(p, "wb").write(b"".join(struct.pack("<i", 100) + struct.pack("<100" + c, *[x + d for x in r]) for r in v)); f("b.bvecs", "B", 0); f("b.fvecs", "f", 0); f("h.fvecs", "f", 0.5); f("w.fvecs", "f", 0.1)'
$ for f in b.bvecs b.fvecs h.fvecs w.fvecs; do cleave index $f --index scan -o ${f%.*}-${f#*.}.model -q; done; for m in b-bvecs h-fvecs w-fvecs; do cleave explain $m.model | grep ^memory; done
memory     100.0 kB for the points, which are dense, and 0 bytes for the index
memory     200.0 kB for the points, which are dense, and 0 bytes for the index
memory     400.0 kB for the points, which are dense, and 0 bytes for the index
$ for m in b-fvecs b-bvecs h-fvecs; do head -c 4040 ${m%-*}.fvecs > q.fvecs; cleave search $m.model q.fvecs --k 3 | md5sum; done | uniq | wc -l
1
