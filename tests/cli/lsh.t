# Neighbors found by hashing: test says how many of the true ones, measured on rows chosen by the seed.
$ cleave generate blobs --rows 3000 --test-rows 400 --features 8 --classes 20 --spread 8 -o blobs.csv -q
$ cleave train knn blobs.csv --index lsh --seed 5 -o lsh.model
note: blobs.csv: * (--format), * (--header); * 'label' (--label), *, 20 *: 8 * (--columns) (glob)
note: pipeline: --transform *): 8 * (glob)
Read 3,000 *, 8 *, 20 * (blobs.csv). (glob)
Trained *: 3000 *, 5 * (glob)
Model * lsh.model. (glob)
Next: * lsh.model * lsh.model. (glob)
$ cleave test lsh.model blobs-test.csv
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
Macro * 1.0000, * 1.0000, * 1.0000. (glob)
ROC AUC 1.0000, average precision 1.0000 (one-vs-rest, mean over classes), log loss 0.0000, Brier score 0.0000.
Recall of the true nearest neighbors 1 (200 rows compared with exact search).
$ cleave test lsh.model blobs-test.csv --json | grep -oE '"recall(_rows)?":[0-9.]+'
"recall":1
"recall_rows":200
$ for d in manhattan cosine angle hamming jaccard; do cleave train knn blobs.csv --index lsh --distance $d -o m.model -q; cleave test m.model blobs-test.csv | tail -n 1; done
Recall * 0.998 (200 *). (glob)
Recall * 0.993 (200 *). (glob)
Recall * 0.993 (200 *). (glob)
Recall * 1 (200 *). (glob)
Recall * 1 (200 *). (glob)
# Nothing is said of recall where every neighbor is found.
$ cleave train knn blobs.csv -o scan.model -q; cleave test scan.model blobs-test.csv
Error 0.00% (0 * 400 *, 95% * 0.00% * 0.95%), * 100.00%. (glob)
Macro * 1.0000, * 1.0000, * 1.0000. (glob)
ROC AUC 1.0000, average precision 1.0000 (one-vs-rest, mean over classes), log loss 0.0000, Brier score 0.0000.
$ cleave test scan.model blobs-test.csv --json | grep -c recall_rows
0
? 1
# The same seed makes the same model, on any number of threads.
$ cleave train knn blobs.csv --index lsh --seed 5 --threads 3 -o again.model -q; cmp lsh.model again.model && echo same
same
# A recall of one's own: what is aimed at is the least; nearer neighbors are found more often.
$ cleave train knn blobs.csv --index lsh --recall .5 -o half.model -q; cleave test half.model blobs-test.csv | tail -n 1
Recall * 0.88 (200 *). (glob)
# One radius: what it does not reach is found by a scan.
$ cleave train knn blobs.csv --index lsh --recall .5 --radii 1 -o one.model -q; cleave test one.model blobs-test.csv | tail -n 1
Recall * 0.991 (200 *). (glob)
# Numbers, too.
$ cleave train knn-regression @powers6 --k 2 --index lsh -o powers.model -q; cleave test powers.model @powers6 | tail -n 1
Recall * 1 (6 *). (glob)
# What cannot be.
$ cleave train knn @dogs --recall .9 -o z.model
cleave: --recall requires --index ivf or lsh, found --index auto
hint: add --index ivf, or omit the option; every other index is exact
? 2
$ cleave train knn @dogs --index scan --radii 2 -o z.model
cleave: --radii requires --index lsh, found --index scan
hint: * --index * (glob)
? 2
$ cleave train knn @dogs --index lsh --distance lr -o z.model
cleave: --index lsh supports the distances euclidean, manhattan, cosine, angle, jaccard and hamming, not lr
hint: --index scan supports every distance
? 2
$ cleave train knn @dogs --index lsh --recall 1 -o z.model
cleave: --recall: expected a number from 0 to 0.9999, found '1'
hint: ivf, lsh: target recall.
? 2
