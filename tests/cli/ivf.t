# Inverted lists: the recall is measured by test, and reaches the target.
$ cleave generate blobs --rows 6000 --test-rows 400 --features 16 --classes 30 --spread 8 -o blobs.csv -q
$ cleave train knn blobs.csv --index ivf --k 10 --seed 5 -o ivf.model -q; cleave test ivf.model blobs-test.csv --json | grep -oE '"recall":[0-9.]+' | tr : ' ' | awk '{ print ($2 >= .93) }'
1
$ cleave explain ivf.model | grep ^distance
distance   euclidean, index ivf
# Any number of threads makes the same model.
$ cleave train knn blobs.csv --index ivf --k 10 --seed 5 --threads 3 -o again.model -q; cmp ivf.model again.model && echo same
same
$ for d in cosine angle inner-product; do cleave train knn blobs.csv --index ivf --k 10 --distance $d --recall .99 -o m.model -q; cleave test m.model blobs-test.csv --json | grep -oE '"recall":[0-9.]+' | tr : ' ' | awk '{ print ($2 >= .98) }'; done
1
1
1
# Points are removed and added; the former points keep their rows, and a point finds itself.
$ cleave remove ivf.model --rows 0-999 -o fewer.model
Removed 1,000 points.
Model * fewer.model. (glob)
$ cleave index blobs-test.csv --from fewer.model -o more.model -q; cleave search more.model blobs-test.csv --k 1 | awk -F, 'NR > 1 && $3 == 6000 + $1 && $4 == 0' | wc -l | awk '{ print ($1 >= 390) }'
1
$ cleave search more.model blobs.csv --k 1 | awk -F, 'NR > 1 && $3 < 1000' | wc -l
0
$ cleave search more.model blobs-test.csv --k 2 --only-rows 1500-1510 | awk -F, 'NR > 1 && $3 >= 1500 && $3 <= 1510' | wc -l
800
# Where a sample shows no cheaper effort than most of the points, all points are compared, also of an extended index.
$ for n in 660 2700; do cleave generate blobs --rows $n --test-rows 1000 --features 3 --classes 5 --spread 8 -o few.csv -q; cleave train knn few.csv --index ivf --k 10 -o few.model -q; cleave index few-test.csv --from few.model -o extended.model -q; for m in few extended; do cleave test $m.model few-test.csv --json | grep -oE '"recall":[0-9.]+' | tr : ' ' | awk '{ print ($2 >= .93) }'; done; done
1
1
1
1
$ cleave train knn blobs.csv --index ivf --distance manhattan -o z.model -q
cleave: --index ivf supports the distances euclidean, cosine, angle and inner-product, not manhattan
hint: * (glob)
? 2
# A comparison with all points is stated.
$ cleave train knn few.csv --index ivf --k 10 -o few.model 2>&1 | grep -A1 'warning: --index'
warning: --index ivf compares each query with all points, because the recall needs more than an eighth of them
hint: omit --index: auto chooses the fastest exact index
