# A MapReduce round: three map tasks, shuffled and sorted lines, two reducers, and the model.
$ cat > rounds <<'END'
> data=$1 rounds=$2; shift 2
> rm -f piece.* updates.*; split -d -n r/3 $data piece.
> cleave begin $1 $data --format libsvm "${@:2}" -o w.model --quiet
> for round in $(seq $rounds); do
>     for task in 00 01 02; do cleave map --model w.model --format libsvm < piece.$task > updates.$task; done
>     cat updates.* | shuf | LC_ALL=C sort -k 1,1 -s > sorted
>     grep '[02468]	' sorted | cleave reduce > sums.0; grep -v '[02468]	' sorted | cleave reduce > sums.1
>     cleave apply --model w.model sums.0 sums.1 --json > facts
>     grep -q '"finished":true' facts && break
> done
> END
$ weights() { cleave explain $1 --json | sed 's/"params":{[^}]*},//; s/"epochs":[0-9]*,//'; }; declare -f weights > functions

# Exercise data: bit-identical to training in one process, with the same end.
$ printf '+1 1:1 2:1 4:1 5:1\n-1 3:1 4:1 5:1\n+1 2:1 3:1\n-1 1:1 4:1\n+1 1:1 3:1 5:1\n-1 1:1 3:1 4:1\n' > exercise.libsvm # 12.2.1
$ printf '+1 1:1 2:2\n+1 1:2 2:1\n-1 1:2 2:3\n-1 1:3 2:2\n' > exercise2.libsvm # 12.2.2
$ bash -e rounds exercise.libsvm 50 perceptron --update sum --learning-rate 0.5; cat facts
{"method":"perceptron","round":2,"finished":true,"converged":true,"tasks":3,"rows":6,"mistakes":0,"loss":0,"mean_loss":0,"features":5,"summary":null,"model":"w.model","warnings":[]}
$ cleave train perceptron exercise.libsvm --update sum --learning-rate 0.5 -o t.model | sed -n 2,3p
Trained * 2 *, 6 * (R/margin)^2 36, * 0.333333). (glob)
Training * 0.00% (0 * 6 *). (glob)
$ . ./functions; weights w.model > w.json; weights t.model > t.json; cmp w.json t.json
$ bash -e rounds exercise2.libsvm 100 perceptron --update sum --learning-rate 0.5 --learn-threshold; cat facts
{"method":"perceptron","round":18,"finished":true,"converged":true,"tasks":3,"rows":4,"mistakes":0,"loss":0,"mean_loss":0,"features":2,"summary":null,"model":"w.model","warnings":[]}
$ cleave train perceptron exercise2.libsvm --update sum --learning-rate 0.5 --learn-threshold -o t.model | sed -n 2,3p
Trained * 18 *, 36 * (R/margin)^2 252, * 0.707107). (glob)
Training * 0.00% (0 * 4 *). (glob)
$ . ./functions; weights w.model > w.json; weights t.model > t.json; cmp w.json t.json

# More rows, three classes, other forms.
$ cleave generate blobs --rows 600 --features 5 --classes 3 -o blobs.libsvm --quiet
$ bash -e rounds blobs.libsvm 4 perceptron --update sum --learn-threshold; cat facts
{"method":"perceptron","round":4,"finished":false,"converged":false,"tasks":3,"rows":600,"mistakes":244,"loss":1356536.7581464099,"mean_loss":2260.894596910683,"features":5,"summary":null,"model":"w.model","warnings":[]}
$ cleave train perceptron blobs.libsvm --update sum --learn-threshold --epochs 4 --quiet -o t.model
$ . ./functions; weights w.model > w.json; weights t.model > t.json; cmp w.json t.json
$ bash -e rounds blobs.libsvm 4 perceptron --update mean; cleave train perceptron blobs.libsvm --update mean --epochs 4 --quiet -o t.model
$ . ./functions; weights w.model > w.json; weights t.model > t.json; cmp w.json t.json

# Linear models trained separately and averaged; the order of lines has no effect.
$ bash -e rounds blobs.libsvm 3 perceptron --form averaged; cleave test w.model blobs.libsvm | sed -n '1s, in [0-9].*,.,; 1p'
Error 3.17% (19 * 600 *, 95% * 2.04% * 4.89%), * 96.83%. (glob)
$ mv w.model first.model; bash -e rounds blobs.libsvm 3 perceptron --form averaged; cmp w.model first.model

# Sums of gradients: equal to training in one process within 1e-6; averages of local iterations.
$ cleave generate sparse --rows 900 --features 600 -o sparse.libsvm --quiet
$ apart() { paste <(cleave predict w.model sparse.libsvm --scores) <(cleave predict t.model sparse.libsvm --scores) | awk '{ d = $2 - $4; if (d * d > 1e-12) far++ } END { print NR, "scores,", far + 0, "of them apart" }'; }; declare -f apart >> functions
$ bash -e rounds sparse.libsvm 4 svm --solver gd; cat facts
{"method":"svm","round":4,"finished":false,"converged":false,"tasks":3,"rows":900,"mistakes":null,"loss":693.6120071473003,"mean_loss":0.7706800079414449,"features":600,"summary":"stopped before convergence, objective 312.14, duality gap 0.85","model":"w.model","warnings":[]}
$ cleave train svm sparse.libsvm --solver gd --max-iterations 4 -o t.model --quiet; . ./functions; apart
900 scores, 0 of them apart
$ bash -e rounds sparse.libsvm 4 logistic --solver gd --C 0.1; cleave train logistic sparse.libsvm --solver gd --C 0.1 --max-iterations 4 -o t.model --quiet; . ./functions; apart
900 scores, 0 of them apart
$ for m in "svm --solver sgd" "svm --solver asgd" "svm --solver pegasos" "logistic --solver sgd" lms; do bash -e rounds sparse.libsvm 3 $m; cleave test w.model sparse.libsvm | sed -n '1s, in [0-9].*,.,; 1p'; done; mv w.model first.model; bash -e rounds sparse.libsvm 3 lms; cmp w.model first.model
Error 3.44% (31 * 900 *, 95% * 2.44% * 4.85%), * 96.56%. (glob)
Error 3.22% (29 * 900 *, 95% * 2.25% * 4.59%), * 96.78%. (glob)
Error 2.22% (20 * 900 *, 95% * 1.44% * 3.41%), * 97.78%. (glob)
Error 3.22% (29 * 900 *, 95% * 2.25% * 4.59%), * 96.78%. (glob)
RMSE 0.55662, MAE 0.471008 on 900 rows.
$ printf '+1 1:1 2:1 4:1 5:1\n-1 3:1 4:1 5:1\n+1 2:1 3:1\n-1 1:1 4:1\n' > winnow.libsvm; bash -e rounds winnow.libsvm 30 winnow; cleave test w.model winnow.libsvm | sed -n '1s, in [0-9].*,.,; 1p'
Error 0.00% (0 * 4 *, 95% * 0.00% * 52.71%), * 100.00%. (glob)
$ bash -e rounds winnow.libsvm 30 winnow --balanced --threshold 1; cleave test w.model winnow.libsvm | sed -n '1s, in [0-9].*,.,; 1p'
Error 0.00% (0 * 4 *, 95% * 0.00% * 52.71%), * 100.00%. (glob)

# begin --rows gives a sample the number of all rows: the same C and learning rates.
$ head -n 300 sparse.libsvm > sample.libsvm; cleave begin svm sample.libsvm --solver sgd -o s.model --quiet; cleave map --model s.model sparse.libsvm | cleave apply --model s.model
warning: the model was created for 300 rows, and the round has 900
hint: pass --rows, or --lambda instead of --C, to `cleave begin`
Round 1: 1 * 900 * 0.409149; * (glob)
Model * s.model. (glob)
$ cleave begin svm sample.libsvm --solver sgd --rows 900 -o s.model; cleave map --model s.model sparse.libsvm | cleave apply --model s.model | sed -n 1p
Created svm: 600 features, 2 classes; untrained model written to s.model.
Round 1: 1 * 900 * 0.308264; * (glob)
$ cleave begin svm sample.libsvm --schedule calibrated -o s.model
cleave: several workers do not support the calibrated learning rate
hint: omit --schedule calibrated, or pass --learning-rate
? 2

# A repeated task writes the same bytes. A round may have one task or empty parts.
$ cleave map --model w.model piece.00 --format libsvm > again; cleave map --model w.model --format libsvm < piece.00 | cmp - again
$ cleave map --model w.model < /dev/null | sed 's/[0-9]*\t/MARK\t/'
model/MARK	1
$ (cleave map --model w.model < /dev/null; cat again) | LC_ALL=C sort | cleave reduce | cleave apply --model w.model -o next.model
warning: this round has 2 rows, the previous round 4
hint: check for missing or duplicate parts of the data
Round 4: 2 map tasks over 2 rows, 0 mistakes, mean loss 0; converged.
Model * next.model. (glob)
$ cleave apply --model next.model again
the updates were computed with another model, not with this model of round 4
hint: use the same model for all map tasks and `cleave apply`; apply each update only once
? 1

# Partial sums of a combiner are exact: each is a sum of several numbers.
$ printf 'w/1\t1\nw/1\t1e-20\nw/1\t0.1\nw/2\t3\n' > lines; cleave reduce lines; cleave reduce --partial lines
w/1	1.1
w/2	3
w/1	1.1
w/1	-8.325672684688674e-17
w/1	8.230341246717328e-34
w/2	3
$ printf 'w/1\t-1\nw/1\t-0.1\n' > more; cat lines more | LC_ALL=C sort | cleave reduce; (cleave reduce --partial lines; cleave reduce --partial more) | LC_ALL=C sort | cleave reduce
w/1	1e-20
w/2	3
w/1	1e-20
w/2	3
$ printf 'w/1\t1e308\nw/1\t1e308\nw/1\t-1e308\nw/2\t5e-324\nw/2\t-0\n' | cleave reduce
w/1	1e+308
w/2	4.94065645841247e-324
$ printf 'w/1\t1e308\nw/1\t1e308\n' | cleave reduce
the sum of the values of 'w/1' is not finite
hint: lower the learning rate, or scale the features
? 1
$ printf '' | cleave reduce

# Unsorted keys, and malformed lines.
$ printf 'w/1\t1\nw/2\t1\nw/1\t1\n' | cleave reduce
standard input:3: the key 'w/1' occurs again after other keys: the lines are not sorted by key
hint: sort the lines of all files together with `LC_ALL=C sort`
? 1
$ printf 'w/1\t1\nw/2\tone\n' | cleave reduce
standard input:2: expected a finite number, found 'one'
hint: write NAME/INDEX, a tab and a number, as `cleave map` and `cleave reduce` do
? 1
$ printf 'w/1\t1\nw/2\tinf\n' > bad; cleave reduce bad
bad:2: expected a finite number, found 'inf'
hint: * NAME/INDEX, * `cleave map` * `cleave reduce` * (glob)
? 1
$ printf 'w/1\t1\nw/02\t1\n' | cleave reduce
standard input:2: expected a key such as w/12, found 'w/02'
hint: * NAME/INDEX, * `cleave map` * `cleave reduce` * (glob)
? 1
$ printf 'w/1\t1\nw2\t1\n' | cleave reduce
standard input:2: expected a key such as w/12, found 'w2'
hint: * NAME/INDEX, * `cleave map` * `cleave reduce` * (glob)
? 1
$ printf 'w/1\t1\nw/2 1\n' | cleave reduce
standard input:2: expected a key, a tab and a number, found 'w/2 1'
hint: * NAME/INDEX, * `cleave map` * `cleave reduce` * (glob)
? 1
$ printf 'w/1\t1\nw/99999999999999999999\t1\n' | cleave reduce
standard input:2: expected a key such as w/12, found 'w/99999999999999999999'
hint: * NAME/INDEX, * `cleave map` * `cleave reduce` * (glob)
? 1
$ printf 'w/1\t1\nw/2\t1' | cleave reduce
standard input:2: the last line has no newline
hint: pass the complete output of `cleave map` or `cleave reduce`
? 1
$ head -c 100000 /dev/zero | tr '\0' x | cleave reduce
standard input:1: the line is too long for an update
hint: write NAME/INDEX, a tab and a number, as `cleave map` does
? 1
$ cleave reduce nowhere
nowhere: * opened: No such file or directory (glob)
? 1

# Errors of apply, with their places.
$ cleave begin perceptron blobs.libsvm --update sum -o b.model; cleave map --model b.model blobs.libsvm > sums
Created perceptron: 5 features, 3 classes; untrained model written to b.model.
$ printf 'v/1\t1\n' | cleave apply --model b.model sums - -o x.model
standard input:1: the model has no values with the key 'v/1'
hint: use updates with these keys: model, round, keep, bias, w, late, late_keep, check
? 1
$ printf 'bias/3\t1\n' | cleave apply --model b.model sums - -o x.model
standard input:1: 'bias/3' is out of range: the largest is bias/2
hint: check that the updates belong to this model
? 1
$ printf 'w/99999999999\t1\n' | cleave apply --model b.model sums - -o x.model
standard input:1: 'w/99999999999' is out of range: the largest is w/6442450940
hint: * (glob)
? 1
$ printf 'w/1\t1\n' | cleave apply --model b.model sums - -o x.model | sed 's/sums:[0-9]*/sums:LINE/'
standard input:1: the key 'w/1' occurs twice, first in sums:6
hint: sum the lines with `LC_ALL=C sort | cleave reduce`, and pass each file once
$ printf 'w/1\t1\nw/2\t1\n' | cleave apply --model b.model -o x.model
the sums are incomplete: the fingerprint of the model is missing
hint: pass the complete output of every reducer
? 1
$ sed 's/^model.*/model\/1\t1/' sums | cleave apply --model b.model -o x.model
the updates were computed with another model, not with this model of round 0
hint: * `cleave apply`; * (glob)
? 1
$ (cat sums; printf 'model/1\t1\n') | cleave apply --model b.model -o x.model
the updates were computed with several models, not with this model of round 0
hint: * `cleave apply`; * (glob)
? 1
$ sed 's/^round.0.*/round\/0\t0.5/' sums | cleave apply --model b.model -o x.model
round/ or model/ has an invalid count of tasks, rows, mistakes or weights
? 1
$ grep -v ^round sums | cleave apply --model b.model -o x.model
the round has no rows with a weight above 0
hint: check that `cleave map` reads the data and that all of its output is reduced
? 1
$ sed 's/^round.0.*/round\/0\t1e300/' sums | cleave apply --model b.model -o x.model
round/ or model/ has an invalid count of tasks, rows, mistakes or weights
? 1
$ sed 's/^model\(.*\)\t.*/model\1\t-1e300/' sums | cleave apply --model b.model -o x.model
round/ or model/ has an invalid count of tasks, rows, mistakes or weights
? 1
$ (cat sums; printf 'round/2\t-1\n') | cleave apply --model b.model -o x.model
round/2: the loss is -1; it must be at least 0
? 1

# Incomplete sums: a missing line, end, file or check sum.
$ grep -v ^w/4 sums | cleave apply --model b.model -o x.model
the sums are incomplete: keys of part 'w' are missing
hint: pass the complete, unchanged output of every reducer to `cleave apply`
? 1
$ head -n 7 sums | cleave apply --model b.model -o x.model
the sums are incomplete: keys of part 'check' are missing
hint: * `cleave apply` (glob)
? 1
$ LC_ALL=C sort sums | cleave reduce | head -n 20 | cleave apply --model b.model -o x.model
the sums are incomplete: keys of part 'w' are missing
hint: * `cleave apply` (glob)
? 1
$ grep '^w.*[02468]	' sums > sums.1; grep -v '^w.*[02468]	' sums > sums.0; cleave apply --model b.model sums.0 -o x.model; cleave apply --model b.model sums.1 -o x.model
the sums are incomplete: keys of part 'w' are missing
hint: * `cleave apply` (glob)
the sums are incomplete: the fingerprint of the model is missing
hint: *complete* (glob)
? 1
$ grep -v ^check sums | cleave apply --model b.model -o x.model
the sums are incomplete: keys of part 'check' are missing
hint: * `cleave apply` (glob)
? 1
$ for i in $(sed -n 's/^check.\([0-9]*\).*/\1/p' sums); do grep -v ^check/$i sums | cleave apply --model b.model -o x.model 2>&1 | head -n 1; done
the sums are incomplete: keys of part 'check' are missing
the sums are incomplete: keys of part 'check' are missing
the sums are incomplete: keys of part 'check' are missing
the sums are incomplete: keys of part 'check' are missing
the sums are incomplete: keys of part 'check' are missing
the sums are incomplete: keys of part 'check' are missing
$ sed 's/^w.2\t.*/w\/2\t1/' sums | cleave apply --model b.model -o x.model
the sums are incomplete: keys of part 'w' are missing
hint: * `cleave apply` (glob)
? 1
$ cleave apply --model b.model sums.1 sums.0 -o y.model
Round 1: 1 map task over 600 rows, 1,800 mistakes, mean loss 0; not finished.
Model * y.model. (glob)
$ ls x.model
ls: * 'x.model': * (glob)
? 2
$ cleave apply --model b.model sums
Round 1: 1 * 600 *, 1,800 * 0; * (glob)
Model * b.model. (glob)
$ cleave apply --model b.model sums
the updates were computed with another model, not with this model of round 1
hint: * `cleave apply`; * (glob)
? 1
$ cp b.model c.model; cp blobs.libsvm c.libsvm; cleave map --model c.model c.libsvm -o ./c.model
cleave: -o './c.model' * (glob)
? 2
$ cleave map --model c.model c.libsvm -o c.libsvm
cleave: -o 'c.libsvm' * (glob)
? 2
$ cmp b.model c.model; cmp blobs.libsvm c.libsvm; ln c.model d.model; cleave map --model c.model c.libsvm -o d.model
cleave: -o 'd.model' * (glob)
? 2
$ cleave map blobs.libsvm
cleave: map needs the model of the round: --model FILE
? 2
$ cleave apply sums
cleave: apply needs the model of the round: --model FILE
? 2
$ cleave map --model b.model blobs.libsvm --json
cleave: map writes lines of key TAB value and does not support --json
? 2

# Invalid row counts of a round.
$ printf '0 1:1\n7 2:1\n' | cleave map --model b.model --format libsvm
standard input:2: the label '7' is not a class of the model
hint: name all classes before the first round: cleave begin ... --known-classes A,B,C
? 1
$ printf '0 1:1\n? 2:1\n' | cleave map --model b.model --format libsvm
standard input:2: the row has no label
hint: use cleave begin ... --skip-unlabeled to ignore rows without a label
? 1
$ cleave begin perceptron blobs.libsvm --update sum --skip-unlabeled -o s.model --quiet; printf '0 1:1\n? 2:1\n' | cleave map --model s.model --format libsvm | grep round/0
round/0	1
$ head -n 150 piece.00 | cleave map --model b.model --format libsvm | LC_ALL=C sort | cleave reduce | cleave apply --model b.model -o x.model
standard input:2: the label '-1' is not a class of the model
hint: * ... --known-classes * (glob)
the sums are incomplete: the fingerprint of the model is missing
hint: * (glob)
? 1

# The initial model from a sample, which may lack classes; features may appear later.
$ head -n 20 blobs.libsvm > sample.libsvm; printf 'a 1:1\nb 2:1\n' > ab.libsvm
$ cleave begin perceptron ab.libsvm --known-classes a,b,c --update sum -o c.model
Created *: 2 *, 3 * c.model. (glob)
$ printf 'c 7:2\n' | cleave map --model c.model --format libsvm | tail -n +2
round/0	1
round/1	3
round/3	1
w/18	-2
w/19	-2
w/20	2
check/0	5.888257503215281
check/1	14.689025142383876
check/2	2.59822293789382
check/3	5
check/8	-1.0908022044900554
check/9	6
$ printf 'c 7:2\n' | cleave map --model c.model --format libsvm | cleave reduce | cleave apply --model c.model
Round 1: 1 map task over 1 row, 3 mistakes, mean loss 0; not finished.
Model * c.model. (glob)
$ cleave explain c.model --json | grep -o '"features":[0-9]*'
"features":7
$ cleave begin perceptron ab.libsvm --known-classes a,c --update sum -o c.model
ab.libsvm: the label 'b' is not among --known-classes
hint: name every class, or omit --known-classes if the sample contains all classes
? 1
$ cleave begin perceptron ab.libsvm --known-classes a,a --update sum -o c.model
cleave: --known-classes: 'a' occurs twice
? 2
$ cleave begin perceptron ab.libsvm --known-classes a,,b --update sum -o c.model
cleave: --known-classes: expected names separated by commas, found 'a,,b'
? 2
$ head -n 1 ab.libsvm | cleave begin perceptron - --format libsvm --update sum -o c.model
standard input:1: all 1 examples have the label 'a'; training needs two classes
hint: * (glob)
? 1
$ head -n 1 ab.libsvm | cleave begin perceptron - --format libsvm --known-classes b,a -o c.model --json
{"method":"perceptron","rows":1,"features":1,"classes":2,"model":"c.model","warnings":[{"message":"only training rows of the class 'a' have a weight above 0; training needs two classes","hint":"check --class-weight, the sample weights and the held-out rows"}]}
$ cleave begin perceptron ab.libsvm --form voted -o c.model
cleave: --form voted cannot be trained by several workers: it depends on the order of the mistakes
? 2
$ cleave begin svm ab.libsvm -o c.model
cleave: 'svm' with these options needs all rows in memory and cannot be trained by several workers
hint: use --solver sgd (averages models) or --solver gd (sums gradients)
? 2
$ cleave begin kernel-perceptron ab.libsvm -o c.model
cleave: 'kernel-perceptron' cannot be trained by several workers
hint: 'cleave begin --help' lists the methods for several workers
? 2
$ cleave begin perceptron ab.libsvm
cleave: begin needs -o FILE, the file to write
hint: see 'cleave begin --help'
? 2

# Rows with a gradient do not count as mistakes of a solver.
$ cleave begin logistic @spam6 --solver gd -o l.model --quiet && cleave map -m l.model @spam6 | LC_ALL=C sort | cleave reduce > l.sums
$ cleave apply -m l.model l.sums -o l2.model; cleave apply -m l.model l.sums -o l2.model --json
Round 1: 1 * 6 * 0.693147; * (glob)
Result: stopped before convergence, objective 4.15888 before the last step.
Model * l2.model. (glob)
{"method":"logistic","round":1,"finished":false,"converged":false,"tasks":1,"rows":6,"mistakes":null,"loss":4.1588830833596715,"mean_loss":0.6931471805599453,"features":5,"summary":"stopped before convergence, objective 4.15888 before the last step","model":"l2.model","warnings":[]}
$ cleave begin perceptron @spam6 --update sum -o p.model --quiet && cleave map -m p.model @spam6 | LC_ALL=C sort | cleave reduce | cleave apply -m p.model
Round 1: 1 * 6 *, 6 * 0; * (glob)
Model * p.model. (glob)

# Lines for a model of another method.
$ printf 'spam\tbuy now\nham\tsee you\n' > two.tsv; cleave begin perceptron two.tsv --format text --update sum -o t.model --quiet
$ printf '1 2:1\n-1 3:1\n' | cleave map -m t.model
standard input:1: the row has no label: expected label<TAB>text, the format of the training data
hint: write each line as label<TAB>text, or use cleave begin ... --skip-unlabeled to ignore other lines
? 1
