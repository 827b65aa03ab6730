# Scores without probabilities: the error has a hint.
$ cleave generate blobs --rows 2000 --features 5 --classes 3 -o three.libsvm --quiet
$ cleave train perceptron three.libsvm --average --epochs 3 --quiet -o plain.model
$ cleave predict plain.model three.libsvm --probabilities
cleave: --probabilities: this model of 'perceptron' has scores only
hint: train the model with --calibrate to get probabilities
? 2

# --calibrate fits probabilities on held-out rows, by default a tenth of the rows, with a note.
$ cleave train perceptron three.libsvm --average --epochs 3 --calibrate -o three.model
note: 10% * 1) * (glob)
train: * 3 * (--epochs) (glob)
hint: * --epochs; * 385 * 324 * 3 * (glob)
Read 1,802 *, 5 *, 3 * (three.libsvm). (glob)
Trained *: 3 *, 1,035 * (324 *). (glob)
Training * 3.39% (61 * 1,802 *). (glob)
Validation * 5.56% (11 * 198 *, 95% * 3.1% * 9.7%). (glob)
Model * three.model. (glob)
Next: * three.model * three.model. (glob)
$ cleave predict three.model three.libsvm --probabilities | sed -E 's/(0\.[0-9]{3})[0-9]*/\1/g; s/[0-9.]+e-[0-9]+/tiny/g' | head -n 4
#label	2	0	1
2	0.994	0.000	0.004
0	0.009	0.947	0.042
0	0.013	0.809	0.176
$ cleave predict three.model three.libsvm --probabilities | awk -F '\t' 'NR > 1 { s = $2 + $3 + $4; if (s < 0.999999 || s > 1.000001) bad++; m = $2; if ($3 > m) m = $3; if ($4 > m) m = $4; sure += m } END { print NR - 1, bad + 0, (sure / (NR - 1) > 0.8) }'
2000 0 1
$ cleave explain three.model | grep knows; cleave explain three.model --json | grep -o '"probabilities":true'
"probabilities":true

# A validation set is used for calibration.
$ cleave train perceptron three.libsvm --validation three.libsvm --epochs 2 --calibrate -o valid.model --quiet --json | grep -o '"rows":[0-9]*\|"validation_rows":[0-9]*'
"rows":2000
"validation_rows":2000

# Binary: a column per class, as for more classes. The probability of the positive class increases with the score.
$ cleave generate blobs --rows 2000 --features 5 --classes 2 -o two.libsvm --quiet
$ cleave train perceptron two.libsvm --learn-threshold --average --epochs 3 --calibrate --quiet -o two.model
$ cleave predict two.model two.libsvm --probabilities | head -n 2 | awk -F '\t' '{ print NF, (NR == 1 ? $2 " " $3 : $2 > 0 && $2 < 1 && $2 + $3 > .999999 && $2 + $3 < 1.000001) }'
3 1 0
3 1
$ paste <(cleave predict two.model two.libsvm --scores) <(cleave predict two.model two.libsvm --probabilities | tail -n +2) | sort -t "$(printf '\t')" -k2,2g | awk -F '\t' '$4 < last { bad++ } { last = $4 } END { print NR, bad + 0 }'
2000 0
$ cleave predict two.model two.libsvm --probabilities --json | head -n 1 | sed -E 's/([0-9]\.[0-9]{3})[0-9]*(e-[0-9]*)?/\1/g'
{"row":1,"label":"1","score":74.802,"probabilities":{"1":0.987,"0":0.012}}
$ cleave predict two.model two.libsvm --probabilities --scores
cleave: --scores and --probabilities cannot be combined; --json prints both
? 2

# Multi-label: every class above a threshold of the score, or with --probabilities of the probability.
$ cleave train perceptron @dogs --learn-threshold --epochs 200 -o dogs.model --quiet
$ cleave predict dogs.model @dogs --multilabel-threshold 0 | sort | uniq -c
      4 Beagle
      3 Chihuahua
      1 Dachshund
      2 none
$ cleave predict dogs.model @dogs --multilabel-threshold -30 --scores | head -n 3
#label	Chihuahua	Dachshund	Beagle
Chihuahua,Beagle	1	-52	-19
Chihuahua,Dachshund,Beagle	11	-27	-26
$ cleave predict dogs.model @dogs --multilabel-threshold=-30 --json | head -n 2
{"row":1,"label":"Chihuahua","labels":["Chihuahua","Beagle"],"scores":{"Chihuahua":1,"Dachshund":-52,"Beagle":-19}}
{"row":2,"label":"Chihuahua","labels":["Chihuahua","Dachshund","Beagle"],"scores":{"Chihuahua":11,"Dachshund":-27,"Beagle":-26}}
$ cleave predict three.model three.libsvm --probabilities --multilabel-threshold 0.3 | cut -f 1 | sort | uniq -c | awk '{ print $2 }'
#label
0
0,1
1
2
2,0,1
2,1
$ cleave predict dogs.model @dogs --multilabel-threshold high
cleave: --multilabel-threshold: expected a number, found 'high'
hint: Multi-label: predict every class with a score above this value.
? 2
$ cleave test dogs.model @dogs --multilabel-threshold 1
cleave: unknown option '--multilabel-threshold'
hint: '--multilabel-threshold' is an option of 'cleave predict'; 'cleave test --help' lists all options of test
? 2
