# Nearest neighbors by all drivers: what they come to is what one process comes to that has all rows at hand.
$ cleave generate blobs --rows 300 --features 3 --noise 0.1 -o points.libsvm -q

# A stream keeps the points that training keeps, in the order they came; broken off twice it is none the wiser.
$ cleave train knn points.libsvm --transform none -o whole.model -q
$ cleave stream knn points.libsvm --transform none -m stream.model --predictions once.txt
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          3          -
           2    100.00%    100.00%          -        2          3          -
           4     75.00%     74.99%          -        3          3          -
           8     62.50%     62.47%          -        3          3          -
          16     37.50%     37.40%          -        3          3          -
          32     25.00%     24.87%          -        3          3          -
          64     18.75%     18.58%          -        3          3          -
         128     15.62%     15.44%          -        3          3          -
         256     12.89%     12.66%          -        3          3          -
         300     13.00%     12.83%          -        3          3          -
Model * stream.model. (glob)
$ head -n 7 points.libsvm > some.libsvm; cleave stream knn some.libsvm --transform none -m again.model --predictions again.txt -q
$ head -n 150 points.libsvm > some.libsvm; cleave stream knn some.libsvm --transform none -m again.model --predictions again.txt -q
$ cleave stream knn points.libsvm --transform none -m again.model --predictions again.txt -q
$ cmp again.model stream.model && cmp again.txt once.txt && echo the same
the same
$ for m in whole stream; do cleave predict $m.model points.libsvm --scores | cksum; done
1859183897 3330
1859183897 3330

# The newest points only: what training on those alone comes to.
$ cleave stream knn points.libsvm --transform none --max-points 40 -m newest.model -q; tail -n 40 points.libsvm > newest.libsvm
$ cleave train knn newest.libsvm --transform none -o alone.model -q
$ for m in newest alone; do cleave predict $m.model points.libsvm | cksum; done
3939576259 600
3939576259 600
$ cleave train knn points.libsvm --max-points 40 -o z.model | sed -n 3p
Model * z.model. (glob)
$ cleave stream knn points.libsvm --max-points 4 --k 5
cleave: --k 5 exceeds --max-points 4
? 2
$ cleave stream knn points.libsvm --forget 0.1
cleave: --forget: 'knn' does not support it
hint: use --max-points N to keep only the newest N rows
? 2

# Threads answer as one does.
$ for t in 1 2 7; do cleave predict whole.model points.libsvm --scores --threads $t | cksum; cleave test whole.model points.libsvm --threads $t | head -n 1; done
1859183897 3330
Error 10.00% (30 * 300 *, 95% * 7.09% * 13.92%), * 90.00%. (glob)
1859183897 3330
Error 10.00% (30 * 300 *, 95% * 7.09% * 13.92%), * 90.00%. (glob)
1859183897 3330
Error 10.00% (30 * 300 *, 95% * 7.09% * 13.92%), * 90.00%. (glob)

# Numbers, and a class that appears late.
$ cleave stream knn-regression @powers6 --k 2 --predictions -
0
1
1.5
2.5
3.5
4.5
    examples        MSE     window       rate  classes   features        |w|
           1          1          1          -        0          1          -
           2          1          1          -        0          1          -
           4      1.625      1.625          -        0          1          -
           6      1.833      1.834          -        0          1          -
$ { head -n 20 points.libsvm; printf 'new 1:9 2:9 3:9\nnew 1:9 2:9 3:9.5\n? 1:9 2:9 3:9\n'; } | cleave stream knn --format libsvm --k 1 --predictions - -q | tail -n 3
2
new
new

# Parts: each finds the nearest of its own for every question, reduce keeps the nearest of all, and the answers are those of one model of all points.
# Coordinates are cut to whole numbers, so that many distances are equal and the order of the rows decides.
$ sed -E 's/(:-?[0-9]+)\.[0-9e-]*/\1/g; s/^1 /a\\b /' points.libsvm > coarse.libsvm; split -n l/3 coarse.libsvm part.
$ echo 'rm -f near.*; n=0; for p in part.a?; do cleave train $1 $p ${@:2} --shard $n -o part$n.model -q; cleave map --model part$n.model points.libsvm -o near.$n; n=$((n + 1)); done' > compare
$ echo 'cat near.* | LC_ALL=C sort | cleave reduce | cleave apply --model part1.model > parts.txt; cleave train $1 coarse.libsvm ${@:2} -o one.model -q' >> compare
$ echo 'cleave predict one.model points.libsvm | cmp - parts.txt && echo $(sort parts.txt | uniq -c | sort -rn | head -n 4)' >> compare
$ bash compare knn
114 2 99 0 87 a\\b
$ bash compare knn --k 2 --vote agree
92 none 78 2 66 0 64 a\\b
$ bash compare knn --k 40 --weight 1/d
112 2 102 0 86 a\\b
$ bash compare knn --all --weight gaussian --distance manhattan
116 2 98 0 86 a\\b
$ sed -i 's/^a.b/7/' part.a? coarse.libsvm; bash compare knn-regression --k 3 --weight 1/d2
68 2 56 0 31 7 14 1.3333333333333333

# Combined early it is the same; a part twice, lines that are lost, lines of something else.
$ { cat near.0 near.1 | LC_ALL=C sort | cleave reduce --partial; cat near.2; } | LC_ALL=C sort | cleave reduce | cleave apply --model part0.model | cmp - parts.txt && echo the same
the same
$ cat near.0 near.0 | LC_ALL=C sort | cleave reduce > /dev/null
near/0: row 0 of part 0 occurs twice
hint: use a different number for each part: cleave train ... --shard N
? 1
$ grep -hv '^near/5' near.* | cleave apply --model part0.model > /dev/null
query 5 has no result
hint: pass the output of every map task
? 1
$ printf 'w/1\t2\n' | cleave apply --model part0.model
standard input:1: expected a key such as near/12, found 'w/1'
hint: apply sums to the model that they were computed with
? 1
$ printf 'near/1\t3 0 0\n' | cleave reduce
standard input:1: expected K KEY PART ROW WEIGHT PREDICTION after near/1, found '3 0 0'
hint: use lines that `cleave map` writes for a nearest-neighbor model
? 1
$ { cat near.0; printf 'near/299\t9 1 7 0 1 x\n'; } | cleave reduce > /dev/null
standard input:901: this line has k = 9, and earlier lines have k = 3
hint: train every part with the same options
? 1
$ cleave apply --model part0.model near.0 --json
cleave: apply writes one prediction per line for a nearest-neighbor model and does not support --json
? 2

# Keys that are beyond a double are keys; answers that are escaped are no longer than they are.
$ printf 'a 1:1\nb 1:1e30\na 1:-1e30\n' > beyond.libsvm; cleave train knn beyond.libsvm --k 3 --distance lr --r 50 -o beyond.model -q; cleave map --model beyond.model beyond.libsvm -o beyond.near; head -n 3 beyond.near; cleave reduce beyond.near | cleave apply --model beyond.model | cmp - <(cleave predict beyond.model beyond.libsvm) && echo the same
near/0	3 0 0 0 1 a
near/0	3 inf 0 1 1 b
near/0	3 inf 0 2 1 a
the same
$ printf 'near/0\t1 0 0 0 1 1234567\n' > numbers; printf 'near/1\t1 0 0 0 1 \\1\\2\n' >> numbers; cleave train knn-regression coarse.libsvm --k 1 -o numbers.model -q; cleave apply --model numbers.model numbers
1234567
12
$ printf 'near/0\t3 0 0 0 inf x\n' | cleave reduce
standard input:1: expected K KEY PART ROW WEIGHT PREDICTION after near/0, found '3 0 0 0 inf x'
hint: * `cleave map` * (glob)
? 1
