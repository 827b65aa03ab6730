# The same command resumes a stopped stream and skips the learned rows.
$ cleave generate blobs --rows 3000 --features 4 --classes 3 -o blobs.svm --quiet
$ cat blobs.svm | cleave stream perceptron -m whole.model --predictions whole.txt --quiet
$ head -n 1000 blobs.svm | cleave stream perceptron -m part.model --predictions part.txt --quiet
$ head -n 1800 blobs.svm | cleave stream perceptron -m part.model --predictions part.txt
note: * 1,000 * 44.4 * (glob)
    examples      error     window       rate  classes   features        |w|
        1024      6.05%      5.88%          1        3          4      20.73
        1800      5.39%      5.10%          1        3          4      23.06
Model * part.model. (glob)
$ cat blobs.svm | cleave stream perceptron -m part.model --predictions part.txt --quiet; cmp part.model whole.model; cmp part.txt whole.txt
$ cat blobs.svm | cleave stream perceptron -m part.model --quiet; cmp part.model whole.model
$ cat blobs.svm | cleave stream perceptron -m plain.model --quiet

# From a file, and compressed.
$ rm part.model; head -n 1000 blobs.svm > some.svm; cleave stream perceptron some.svm -m part.model --quiet; gzip -c blobs.svm | cleave stream perceptron -m part.model --quiet; cmp part.model plain.model

# An interrupt saves all rows so far.
$ rm part.model; (head -n 1500 blobs.svm; sleep 5) | cleave stream perceptron -m part.model --quiet & sleep 1; kill -INT $!; wait $!; echo $?; cleave explain part.model | head -n 1
0
perceptron, trained on 1,500 rows by cleave 0.1.0, seed 1
$ cat blobs.svm | cleave stream perceptron -m part.model --quiet; cmp part.model plain.model
$ (head -n 3 blobs.svm; sleep 5) | cleave stream perceptron > out 2> err & sleep 1; kill -TERM $!; wait $!; echo $?; cat err
0
note: * (--format) (glob)
warning: interrupted: * -m (glob)

# Saved after --save-seconds, although no rows arrive.
$ rm part.model; (head -n 10 blobs.svm; sleep 3) | cleave stream perceptron -m part.model --save-seconds 0.1 --quiet & sleep 2.5; ls part.model; wait $!
part.model

# Another input, a shorter one, and --input-continues.
$ tac blobs.svm | cleave stream perceptron -m whole.model
note: * 3,000 * 133.3 * (glob)
standard input: this is a different input, but the model has learned from 133311 bytes of the previous input
hint: pass the same input from its first byte, or pass --input-continues with input that starts after the learned part
? 1
$ head -n 10 blobs.svm | cleave stream perceptron -m whole.model
note: * 3,000 * 133.3 * (glob)
standard input: the input is shorter than before, but the model has learned from 133311 bytes of the previous input
hint: * --input-continues * (glob)
? 1
$ tac blobs.svm | cleave stream perceptron -m whole.model --input-continues | tail -n 2
note: * 3,000 * (glob)
        6000      3.98%      3.62%          1        3          4      23.99
Model * whole.model. (glob)
$ cat blobs.svm blobs.svm | cleave stream perceptron -m plain.model --quiet; head -n 2999 blobs.svm | cleave stream perceptron -m plain.model 2>&1 | tail -n 2
standard input: the input is shorter than before, but the model has learned from 266622 bytes of the previous input
hint: * --input-continues * (glob)
$ cat blobs.svm | cleave stream winnow -m whole.model
cleave: whole.model: a model of 'perceptron' cannot be the warm start of 'winnow'
hint: use another file to start with a new model
? 2

# A followed file: rotated, and truncated.
$ head -n 500 blobs.svm > log; cleave stream perceptron --follow log -m log.model --quiet & sleep 0.5; sed -n 501,800p blobs.svm >> log; mv log log.1; sed -n 801,1000p blobs.svm > log; sleep 1; kill -TERM $!; wait $!; cleave explain log.model | head -n 1
perceptron, trained on 1,000 rows by cleave 0.1.0, seed 1
$ sed -n 1001,1100p blobs.svm >> log; mv log log.1; sed -n 1101,1200p blobs.svm > log; cleave stream perceptron --follow log -m log.model --quiet & sleep 1; : > log; sleep 0.5; sed -n 1201,1300p blobs.svm >> log; sleep 1; kill -TERM $!; wait $!; cleave explain log.model | head -n 1
perceptron, trained on 1,300 rows by cleave 0.1.0, seed 1
$ head -n 1300 blobs.svm | cleave stream perceptron -m flat.model --quiet; for m in log flat; do cleave explain $m.model --json | sed 's/"params":{[^}]*},//' > $m.json; done; cmp log.json flat.json

# Truncated or rewritten between runs; read to its end and then followed; not created yet.
$ head -n 500 blobs.svm > cut.svm; cleave stream perceptron cut.svm -m cutback.model --quiet; cleave stream perceptron --follow cut.svm -m cutback.model > out 2>&1 & sleep 0.7; sed -n 501,600p blobs.svm >> cut.svm; sleep 0.7; kill -TERM $!; wait $!; head -n 1 out; cleave explain cutback.model | head -n 1
note: * 500 * 22.2 * (glob)
perceptron, trained on 600 rows by cleave 0.1.0, seed 1
$ sed -n 601,650p blobs.svm > cut.svm; cleave stream perceptron --follow cut.svm -m cutback.model > out 2>&1 & sleep 1; kill -TERM $!; wait $!; head -n 3 out; cleave explain cutback.model | head -n 1
note: * 600 * 26.6 * (glob)
warning: cut.svm: the file was truncated while it was followed
hint: the input is read from its first byte
perceptron, trained on 650 rows by cleave 0.1.0, seed 1
$ : > cut.svm; cleave stream perceptron --follow cut.svm -m cutback.model > out 2>&1 & sleep 0.7; sed -n 651,700p blobs.svm >> cut.svm; sleep 0.7; kill -TERM $!; wait $!; head -n 3 out; cleave explain cutback.model | head -n 1
note: * 650 * 2,218 * (glob)
warning: cut.svm: * (glob)
hint: * (glob)
perceptron, trained on 700 rows by cleave 0.1.0, seed 1
$ sed -n 701,900p blobs.svm > cut.svm; cleave stream perceptron --follow cut.svm -m cutback.model > out 2>&1 & sleep 1; kill -TERM $!; wait $!; sed -n 2,3p out; cleave explain cutback.model | head -n 1
warning: cut.svm: the file was overwritten while it was followed
hint: * (glob)
perceptron, trained on 900 rows by cleave 0.1.0, seed 1
$ cleave stream perceptron --follow nothere.svm -m nothere.model > out 2>&1 & sleep 0.5; head -n 3 blobs.svm > nothere.svm; sleep 1; kill -TERM $!; wait $!; cat out
note: nothere.svm: the file does not exist yet; waiting for it
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          4          -
           2    100.00%    100.00%          1        2          4      5.069
           3     66.67%     66.64%          1        2          4      5.069
Model * nothere.model. (glob)
warning: interrupted: * (glob)

# A model file that cannot be written is an error before any row is read.
$ cleave stream perceptron -m no/such/folder.model < /dev/zero
no/such/folder.model: * written: No such file or directory (glob)
? 1
$ mkdir folder; cleave stream perceptron -m folder < /dev/zero
folder: * folder (glob)
? 1

# Drift: labels that are swapped; and --forget.
$ cleave generate blobs --rows 6000 --features 5 --classes 2 -o two.svm --quiet; awk 'NR > 4000 { $1 = 1 - $1 } { print }' two.svm > turned.svm
$ cleave stream perceptron turned.svm --average | grep Drift
Drift at example 4024: error 18.3% in the recent window, 4.3% before (z = 8.3).
$ cleave stream perceptron turned.svm --average --json | grep drift
{"event":"progress","examples":1,"unlabeled":0,"error":1,"window_error":1,"learning_rate":null,"classes":1,"features":5,"weights_norm":null,"drifts":0}
{"event":"progress","examples":2,"unlabeled":0,"error":1,"window_error":1,"learning_rate":1,"classes":2,"features":5,"weights_norm":5.190799108354741,"drifts":0}
{"event":"progress","examples":4,"unlabeled":0,"error":0.75,"window_error":0.7497400097818964,"learning_rate":1,"classes":2,"features":5,"weights_norm":7.626680270491012,"drifts":0}
{"event":"progress","examples":8,"unlabeled":0,"error":0.5,"window_error":0.49939349655350346,"learning_rate":1,"classes":2,"features":5,"weights_norm":11.86620928343745,"drifts":0}
{"event":"progress","examples":16,"unlabeled":0,"error":0.3125,"window_error":0.3116125221991025,"learning_rate":1,"classes":2,"features":5,"weights_norm":16.605939604378655,"drifts":0}
{"event":"progress","examples":32,"unlabeled":0,"error":0.1875,"window_error":0.18637631351222247,"learning_rate":1,"classes":2,"features":5,"weights_norm":19.266707559011948,"drifts":0}
{"event":"progress","examples":64,"unlabeled":0,"error":0.09375,"window_error":0.0921547093958446,"learning_rate":1,"classes":2,"features":5,"weights_norm":19.266707559011948,"drifts":0}
{"event":"progress","examples":128,"unlabeled":0,"error":0.0625,"window_error":0.06090584542428044,"learning_rate":1,"classes":2,"features":5,"weights_norm":24.69596153024645,"drifts":0}
{"event":"progress","examples":256,"unlabeled":0,"error":0.046875,"window_error":0.04542215637350113,"learning_rate":1,"classes":2,"features":5,"weights_norm":29.00336697831743,"drifts":0}
{"event":"progress","examples":512,"unlabeled":0,"error":0.044921875,"window_error":0.04389070328959642,"learning_rate":1,"classes":2,"features":5,"weights_norm":38.36740486422685,"drifts":0}
{"event":"progress","examples":1024,"unlabeled":0,"error":0.0341796875,"window_error":0.03134785878865124,"learning_rate":1,"classes":2,"features":5,"weights_norm":50.39899699288021,"drifts":0}
{"event":"progress","examples":2048,"unlabeled":0,"error":0.033203125,"window_error":0.03327913627470693,"learning_rate":1,"classes":2,"features":5,"weights_norm":58.388617820550614,"drifts":0}
{"event":"drift","example":4024,"before":0.04333140967208721,"now":0.18349362343614473,"z":8.34007838137089}
{"event":"progress","examples":4096,"unlabeled":0,"error":0.057861328125,"window_error":0.10142157606729492,"learning_rate":1,"classes":2,"features":5,"weights_norm":12.570088729736785,"drifts":1}
{"event":"end","examples":6000,"unlabeled":0,"error":0.3433333333333333,"window_error":0.7393220912521127,"learning_rate":1,"classes":2,"features":5,"weights_norm":48.761942205137125,"drifts":1,"skipped":0,"cancelled":false,"model":null}
$ cleave stream perceptron turned.svm --average --forget 0.01 | tail -n 1
        6000      5.93%      6.54%          1        2          5      14.35
$ cleave stream perceptron two.svm --forget 0.01 | tail -n 1
        6000      5.88%      4.86%          1        2          5      15.56
$ cleave stream perceptron two.svm --forget 0.7
cleave: --forget: * 0 * 0.5, * '0.7' (glob)
hint: Fraction by which each new example reduces the weights of earlier ones.
? 2

# A resumed stream refuses the same input: text without a TAB, a table with other columns.
$ printf 'spam\tcheap pills\nham\tlunch at noon\n' > text.tsv; printf 'spam\tcheap\n no tab here\n' > rest.tsv
$ cat text.tsv rest.tsv | cleave stream perceptron -m text.model --quiet
standard input:4: expected label<TAB>text, found no TAB in ' no tab here'
hint: put the label and a TAB before the text; start a line without a label with the TAB
? 1
$ cat text.tsv | cleave stream perceptron -m text2.model --quiet; cat text.tsv rest.tsv | cleave stream perceptron -m text2.model --quiet
standard input:4: expected label<TAB>text, found no TAB in ' no tab here'
hint: * (glob)
? 1
$ cmp text.model text2.model
$ cleave train perceptron text.tsv -o text3.model --quiet; cat text.tsv rest.tsv | cleave stream perceptron -m text3.model --quiet
standard input:4: expected label<TAB>text, found no TAB in ' no tab here'
hint: * (glob)
? 1
$ printf 'height,weight,breed\n5,2,chihuahua\n8,5,beagle\n' > dogs.csv; printf 'height,weight\n4,1\n' > later.csv
$ cp dogs.csv log.csv; cleave stream perceptron --follow log.csv -m a.model --quiet 2> a.err & sleep 0.7; cp later.csv new.csv; mv new.csv log.csv; wait $!; cat a.err
log.csv:1: column 'breed' of the first file is missing in this file
hint: * (glob)
$ cp dogs.csv log.csv; cleave stream perceptron --follow log.csv -m b.model --quiet 2> b.err & sleep 0.7; kill -TERM $!; wait $!; mv log.csv log.csv.1; cp later.csv log.csv; cleave stream perceptron --follow log.csv -m b.model --quiet
log.csv:1: * 'breed' * (glob)
hint: * (glob)
? 1
$ cleave train perceptron dogs.csv -o dogs.model --quiet; cleave stream perceptron later.csv -m dogs.model --predictions - --quiet
chihuahua

# An incomplete last line is learned once it is complete.
$ printf 'a 1:1\nb 2:1\na 1:1 2:' > grows.svm; cleave stream perceptron grows.svm -m grows.model | tail -n 2
note: grows.svm:3: the last line has no newline yet; the next run reads it when it is complete
           2    100.00%    100.00%          1        2          2      1.414
Model * grows.model. (glob)
$ printf '5\nb 1:1 2:1' >> grows.svm; cleave stream perceptron grows.svm -m grows.model | tail -n 1; cleave explain grows.model | head -n 1
note: * 2 * 12 * (glob)
note: grows.svm:4: * (glob)
Model * grows.model. (glob)
perceptron, trained on 3 rows by cleave 0.1.0, seed 1
$ printf '\na 2:3\n' >> grows.svm; cleave stream perceptron grows.svm -m grows.model --quiet; cat grows.svm | cleave stream perceptron -m once.model --quiet; cmp grows.model once.model
$ printf 'a 1:1\nb 2:1\na 1:1 2:5' | cleave stream perceptron -m cut.model --quiet; printf 'a 1:1\nb 2:1\na 1:1 2:50\n' | cleave stream perceptron -m cut.model --quiet; cleave explain cut.model | head -n 1
perceptron, trained on 3 rows by cleave 0.1.0, seed 1
$ printf 'spam\tcheap pi' | cleave stream perceptron -m word.model; ls word.model
note: *<*>* (--format) (glob)
note: *:1: * (glob)
note: * (glob)
ls: * 'word.model': * (glob)
? 2
$ printf 'height,weight,breed\n5,2,chihuahua\n8,5,bea' > grows.csv; cleave stream perceptron grows.csv -m grows.csv.model --quiet; printf 'gle\n' >> grows.csv; cleave stream perceptron grows.csv -m grows.csv.model --quiet; cleave explain grows.csv.model --json | grep -o '"classes":[^]]*'
"classes":["chihuahua","beagle"
$ printf 'a 1:1\nb 2:1' | cleave stream perceptron
note: * (--format) (glob)
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
warning: standard input:2: the input does not end with a newline
hint: * --allow-cut * (glob)
           2    100.00%    100.00%          1        2          2      1.414

# An input file is never overwritten, and the two outputs are different files.
$ cleave stream perceptron two.svm --predictions two.svm
cleave: --predictions * 'two.svm', * (glob)
? 2
$ cleave stream perceptron two.svm -m two.svm
cleave: -m * 'two.svm', * (glob)
? 2
$ cleave stream perceptron two.svm -m same --predictions same
cleave: --predictions and -m both name 'same'
? 2
$ head -n 100 two.svm | cleave stream perceptron -m p.model --predictions p.txt --quiet; printf 'x\n' > other.txt; tail -n 3 two.svm | cleave stream perceptron -m p.model --input-continues --predictions other.txt
note: * 100 * (glob)
cleave: --predictions other.txt is not the file of the previous run, which wrote 203 bytes: name that file or a new one
? 2
$ tail -n 3 two.svm | cleave stream perceptron -m p.model --input-continues --predictions new.txt --quiet; wc -l < new.txt
3
