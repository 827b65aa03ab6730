# Nearest neighbours by all drivers: what they come to is what one process comes to that has all rows at hand.
$ cleave generate blobs --rows 300 --features 3 --noise 0.1 -o points.libsvm -q

# A stream keeps the points that training keeps, in the order they came; broken off twice it is none the wiser.
$ cleave train knn points.libsvm --transform none -o whole.model -q
$ cleave stream knn points.libsvm --transform none -m stream.model --predictions once.txt
    examples      error     window       rate  classes   features        |w|
           1   100.00 %   100.00 %          -        1          3          -
           2   100.00 %   100.00 %          -        2          3          -
           4    75.00 %    74.99 %          -        3          3          -
           8    62.50 %    62.47 %          -        3          3          -
          16    37.50 %    37.40 %          -        3          3          -
          32    25.00 %    24.87 %          -        3          3          -
          64    18.75 %    18.58 %          -        3          3          -
         128    15.62 %    15.44 %          -        3          3          -
         256    12.89 %    12.66 %          -        3          3          -
         300    13.00 %    12.83 %          -        3          3          -
model kept in stream.model
$ head -n 7 points.libsvm > some.libsvm; cleave stream knn some.libsvm --transform none -m again.model --predictions again.txt -q
$ head -n 150 points.libsvm > some.libsvm; cleave stream knn some.libsvm --transform none -m again.model --predictions again.txt -q
$ cleave stream knn points.libsvm --transform none -m again.model --predictions again.txt -q
$ cmp again.model stream.model && cmp again.txt once.txt && echo the same
the same
$ for m in whole stream; do cleave predict $m.model points.libsvm --scores | cksum; done
2601883596 5870
2601883596 5870

# The newest points only: what training on those alone comes to.
$ cleave stream knn points.libsvm --transform none --most-points 40 -m newest.model -q; tail -n 40 points.libsvm > newest.libsvm
$ cleave train knn newest.libsvm --transform none -o alone.model -q
$ for m in newest alone; do cleave predict $m.model points.libsvm | cksum; done
3939576259 600
3939576259 600
$ cleave train knn points.libsvm --most-points 40 -o z.model | sed -n 3p
40 points are kept, 5 asked for each answer
$ cleave stream knn points.libsvm --most-points 4 --k 5
cleave: --k 5 neighbours of --most-points 4: expected no more
? 2
$ cleave stream knn points.libsvm --forget 0.1
cleave: --forget: knn cannot forget
  --most-points N keeps the newest N rows and no others
? 2

# Threads answer as one does.
$ for t in 1 2 7; do cleave predict whole.model points.libsvm --scores --threads $t | cksum; cleave test whole.model points.libsvm --threads $t | head -n 1; done
2601883596 5870
error 10.00 %, accuracy 90.00 %: 30 of 300 rows wrong
2601883596 5870
error 10.00 %, accuracy 90.00 %: 30 of 300 rows wrong
2601883596 5870
error 10.00 %, accuracy 90.00 %: 30 of 300 rows wrong

# Numbers, and a class that appears late.
$ cleave stream knn-regression @powers6 --k 2 --predictions -
0
1
1.5
2.5
3.5
4.5
    examples        mse     window       rate  classes   features        |w|
           1          1          1          -        0          1          -
           2          1          1          -        0          1          -
           4      1.625      1.625          -        0          1          -
           6      1.833      1.834          -        0          1          -
$ { head -n 20 points.libsvm; printf 'new 1:9 2:9 3:9\nnew 1:9 2:9 3:9.5\n? 1:9 2:9 3:9\n'; } | cleave stream knn --format libsvm --k 1 --predictions - -q | tail -n 3
2
new
new
