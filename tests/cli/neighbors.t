# Cosine, angle and inner product: the scan, the VA-file and auto find the same points. Zero vectors: cosine 1 and angle 0.5 from every other row, 0 from another, and inner product 0.
$ printf '? 1:1\n? 1:2 2:2\n? 2:3\n? 1:-1\n? 2:0\n' > points.libsvm; printf '? 1:2\n? 2:0\n' > q.libsvm
$ cleave index points.libsvm --distance cosine -o points.model -q; cleave search points.model q.libsvm -q
query,rank,row,distance,label
0,1,0,0,
0,2,1,0.29289321881345254,
0,3,2,1,
0,4,4,1,
0,5,3,2,
1,1,4,0,
1,2,0,1,
1,3,1,1,
1,4,2,1,
1,5,3,1,
$ cleave index points.libsvm --index vafile --distance angle -o points.model -q; cleave search points.model q.libsvm --k 3 -q
query,rank,row,distance,label
0,1,0,0,
0,2,1,0.25000000000000006,
0,3,2,0.5,
1,1,4,0,
1,2,0,0.5,
1,3,1,0.5,
$ cleave index points.libsvm --index vafile --distance inner-product -o points.model -q; cleave search points.model q.libsvm --k 3 -q
query,rank,row,distance,label
0,1,1,-4,
0,2,0,-2,
0,3,2,0,
1,1,0,0,
1,2,1,0,
1,3,2,0,

# A maximum distance of -2 is an inner product of at least 2.
$ cleave search points.model q.libsvm --radius -2 -q
query,rank,row,distance,label
0,1,1,-4,
0,2,0,-2,
$ cleave index points.libsvm --distance cosine -o points.model -q; cleave search points.model q.libsvm --radius -2
cleave: --radius: expected a number of at least 0, found '-2'
hint: only an index with --distance inner-product has negative distances
? 2

# The same rows whatever the index, also of more columns than 2,048, and after removals.
$ python3 -c 'import random
> random.seed(1)
> for name, rows, columns in ("many.libsvm", 3000, 50), ("ask.libsvm", 40, 50), ("wide.libsvm", 200, 2100), ("ask-wide.libsvm", 9, 2100):
>     with open(name, "w") as f:
>         for i in range(rows):
>             print("?", *(f"{j}:{random.gauss(i % 7, 1):.3g}" for j in range(1, columns + 1)), file=f)'
$ for d in euclidean cosine angle inner-product; do for i in scan vafile auto; do cleave index many.libsvm --index $i --distance $d -o $i.model -q; cleave search $i.model ask.libsvm --k 7 > $i.csv; wc -l < $i.csv; done; cmp scan.csv vafile.csv; cmp scan.csv auto.csv; done | sort | uniq -c | tr -s ' '
 12 281
$ for d in euclidean cosine angle inner-product; do for i in scan vafile auto; do cleave index wide.libsvm --index $i --distance $d -o $i.model -q; cleave search $i.model ask-wide.libsvm --k 7 > $i.csv; wc -l < $i.csv; done; cmp scan.csv vafile.csv; cmp scan.csv auto.csv; done | sort | uniq -c | tr -s ' '
 12 64
$ for i in scan vafile; do cleave remove $i.model --rows 4,16,22 -o $i-less.model -q; cleave search $i-less.model ask-wide.libsvm --k 7 > $i.csv; done; cmp scan.csv vafile.csv; cut -d, -f3 scan.csv | grep -cx '4\|16\|22'
0
? 1

# Inner products are not weights.
$ cleave train knn many.libsvm --distance inner-product --weight 1/d -o z.model
cleave: --weight 1/d and --distance inner-product cannot be combined
hint: use --weight none; an inner product is not a distance that can be weighted
? 2
