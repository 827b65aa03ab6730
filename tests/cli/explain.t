$ cleave train perceptron @spam6 --learning-rate 0.5 -o spam.model --quiet
$ cleave explain spam.model
perceptron, trained on 6 rows by cleave 0.1.0, seed 1
classes    +1 (positive), -1
features   5
options    learning-rate 0.5, epochs 100; defaults otherwise
threshold  0

Features for +1
  viagra     1  ████████████████████████
  nigeria  0.5  ████████████

Features against +1
  of  -0.5  ░░░░░░░░░░░░
$ cleave explain spam.model --top 1 | tail -n 5
Features for +1 (1 of 2)
  viagra  1  ████████████████████████

Features against +1
  of  -0.5  ░░░░░░░░░░░░
$ cleave explain spam.model --json
{"method":"perceptron","params":{"learning_rate":0.5,"learning_rate_decay":0,"learn_threshold":false,"average":false,"form":"auto","update":"online","multiclass":"one-vs-rest","epochs":100,"stable_epochs":0,"patience":0,"validation_metric":"error","validation_fraction":0,"epochs_from_sample":0,"order":"auto","seed":1,"positive":null,"class_weight":null,"calibrate":false,"shards":0,"racy":false,"skip_unlabeled":false,"transform":"auto","stream":false},"task":"binary","classes":["+1","-1"],"positive":"+1","probabilities":false,"features":5,"rows":6,"seed":1,"cleave_version":"0.1.0","transforms":[],"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"intercept":0,"threshold":0}
$ cleave train perceptron @points5 --learning-rate 1/3 --learn-threshold -o points.model --quiet && cleave explain points.model --json | grep -o '"threshold":[0-9.]*'
"threshold":3.333333333333333
$ cleave train perceptron @dogs --learn-threshold --epochs 50 -o dogs.model --quiet
$ cleave explain dogs.model --top 2 | sed -n 1,12p
perceptron, trained on 10 rows by cleave 0.1.0, seed 1
classes    Chihuahua, Dachshund, Beagle
features   2
options    learn-threshold true, epochs 50; defaults otherwise
thresholds -3, -23, 30

Features for Chihuahua
  height  6  ████████▌

Features against Chihuahua
  weight  -16  ░░░░░░░░░░░░░░░░░░░░░░░
$ cleave explain dogs.model --json | grep -o '"weights":.*'
"weights":{"Chihuahua":{"height":6,"weight":-16},"Dachshund":{"height":-17,"weight":8},"Beagle":{"height":6,"weight":6}},"intercept":{"Chihuahua":3,"Dachshund":23,"Beagle":-30},"threshold":{"Chihuahua":-3,"Dachshund":-23,"Beagle":30}}

# LIBSVM features are named by index. Columns with weight 0 are included.
$ printf '+1 1:1\n-1 4:1\n' > gap.libsvm && cleave train perceptron gap.libsvm -o gap.model --quiet && cleave explain gap.model --json | grep -o '"weights":{[^}]*}'
"weights":{"1":1,"2":0,"3":0,"4":-1}

$ cleave explain spam.model --top 0
cleave: --top: expected a whole number from 1, found '0'
? 2
$ cleave explain
cleave: explain needs MODEL [DATA... [--row N]]
hint: see 'cleave explain --help'
? 2

# One class; in binary classification, the weights of the negative class have the opposite sign.
$ cleave explain spam.model --class -1 | tail -n 6
Features for -1
  of  0.5  ████████████

Features against -1
  viagra     -1  ░░░░░░░░░░░░░░░░░░░░░░░░
  nigeria  -0.5  ░░░░░░░░░░░░
$ cleave explain dogs.model --class Beagle | tail -n 5
Features for Beagle
  height  6  ████████▌
  weight  6  ████████▌

Features against Beagle: none
$ cleave explain dogs.model --class Beagel
cleave: unknown class 'Beagel'
hint: * 'Beagle'\? * 'cleave explain MODEL' * (glob)
? 2
$ cleave explain spam.model --class +1 --row 2 @spam6
cleave: --class cannot be combined with a row to explain
? 2

# Bars: blocks with a UTF-8 locale, otherwise ASCII; no colors in a pipe.
$ LC_ALL=C cleave explain spam.model | tail -n 6
Features for +1
  viagra     1  ########################
  nigeria  0.5  ############

Features against +1
  of  -0.5  ------------
$ LC_ALL=C.UTF-8 TERM=dumb cleave explain spam.model | tail -n 6
Features for +1
  viagra     1  ########################
  nigeria  0.5  ############

Features against +1
  of  -0.5  ------------
$ LC_ALL=C.UTF-8 cleave explain spam.model | tail -n 6
Features for +1
  viagra     1  ████████████████████████
  nigeria  0.5  ████████████

Features against +1
  of  -0.5  ░░░░░░░░░░░░
$ LC_ALL=C.UTF-8 script -qec 'TERM=xterm cleave explain spam.model' /dev/null | tail -n 6 | tr -d '\r' | cat -v
Features for +1
  viagra     1  ^[[32mM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^H^[[0m
  nigeria  0.5  ^[[32mM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^HM-bM-^VM-^H^[[0m

Features against +1
  of  -0.5  ^[[31mM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^QM-bM-^VM-^Q^[[0m
$ LC_ALL=C.UTF-8 script -qec 'TERM=xterm NO_COLOR=1 cleave explain spam.model' /dev/null | tail -n 6 | tr -d '\r'
Features for +1
  viagra     1  ████████████████████████
  nigeria  0.5  ████████████

Features against +1
  of  -0.5  ░░░░░░░░░░░░

# Many classes: a few features of each.
$ for c in a b c d e f; do for w in 1 2 3 4 5; do echo "$c	$c$w $c"; done; done > six.txt && cleave train perceptron six.txt -o six.model --quiet && cleave explain six.model | sed -n '/^Features for a/,/^Features for b/p'
Features for a
  a1    0.8168  ████████████████████████
  a   0.576921  █████████████████

Features against a (3 of 10)
  b1  -0.8168  ░░░░░░░░░░░░░░░░░░░░░░░░
  c1  -0.8168  ░░░░░░░░░░░░░░░░░░░░░░░░
  d1  -0.8168  ░░░░░░░░░░░░░░░░░░░░░░░░

Features for b

# The pipeline, and the features kept by selection.
$ printf 'spam\tbuy cheap pills now\nspam\tcheap pills\nham\tmeet me now\nham\tlunch now\nspam\tpills offer\nham\tmeet for lunch\n' > mail.txt
$ cleave train perceptron mail.txt --transform select:by=chi2:top=4,tfidf -o few.model
note: pipeline: --transform select:top=4,tfidf: 4 of 9 columns kept by chi2; 4 words
Read 6 *, 4 *, 2 * (mail.txt). (glob)
Trained * 2 *, 3 * (R/margin)^2 7.20882, * 0.37245). (glob)
Training * 0.00% (0 * 6 *). (glob)
Model * few.model. (glob)
Next: * few.model * few.model. (glob)
$ cleave explain few.model --top 3
perceptron, trained on 6 rows by cleave 0.1.0, seed 1
classes    spam, ham (positive)
features   4, by the pipeline
        1  select:top=4: 4 of 9 columns kept by chi2
        2  tfidf: 4 words; weight from 1.56 to 1.847
options    epochs 100, transform select:by=chi2:top=4,tfidf; defaults otherwise
threshold  0

Selected by select:top=4 (3 of 4)
  pills  3  ████████████████████████
  cheap  2  ████████████████
  meet   2  ████████████████

Features for ham
  meet   1  ████████████████████████
  lunch  1  ████████████████████████

Features against ham
  cheap  -0.764096  ░░░░░░░░░░░░░░░░░░
  pills  -0.645102  ░░░░░░░░░░░░░░░░
$ cleave explain few.model --json | grep -o '"transforms":.*"weights"'
"transforms":[{"transform":"select:top=4","details":"4 of 9 columns kept by chi2","inputs":4,"outputs":4,"learned":{"kept":[],"score":[2,3,2,2],"of":[9]},"scores":{"cheap":2,"pills":3,"meet":2,"lunch":2}},{"transform":"tfidf","details":"4 words","inputs":4,"outputs":4,"learned":{"weight":[1.8472979068756104,1.5596157312393188,1.8472979068756104,1.8472979068756104],"kept":[]}}],"weights"
$ cleave train perceptron mail.txt -o all.model --quiet
$ for how in df:min-score=2 gain:top=2 tfidf:top=2 tfidf:per-document=1:top=3 weights:model=all.model:top=2; do cleave train perceptron mail.txt --transform select:by=$how -o x.model --quiet && cleave explain x.model | sed -n '/^Selected/,/^$/p'; done
Selected by select:by=df:min-score=2
  pills  3  ████████████████████████
  now    3  ████████████████████████
  cheap  2  ████████████████
  meet   2  ████████████████
  lunch  2  ████████████████

Selected by select:by=gain:top=2
  pills         1  ████████████████████████
  cheap  0.459148  ███████████

Selected by select:by=tfidf:top=2
  pills  1.64113  ████████████████████████
  now    1.54388  ██████████████████████▋

Selected by select:by=tfidf:top=3:per-document=1
  lunch   1.2996  ████████████████████████
  cheap  1.26964  ███████████████████████▌
  offer  0.82219  ███████████████▏

Selected by select:by=weights:top=2:model=all.model
  me   0.681722  ████████████████████████
  buy  0.616507  █████████████████████▊

# Errors of feature selection.
$ cleave train perceptron mail.txt --transform select -o x.model
cleave: --transform: select needs top=, the number of columns to keep, or min-score=, the minimum score
hint: for example: select:by=chi2:top=1000
? 2
$ cleave train perceptron mail.txt --transform select:by=ch2:top=1 -o x.model
cleave: --by: expected one of df, chi2, gain, tfidf, weights, found 'ch2'
hint: Score of a column.
? 2
$ cleave train perceptron mail.txt --transform select:by=weights:top=1 -o x.model
cleave: --transform: select: by=weights needs model=, the file of a trained model
hint: for example: select:by=weights:model=first.model:top=1000
? 2
$ cleave train perceptron mail.txt --transform select:by=weights:top=1:model=dogs.model -o x.model
select by=weights: the features of dogs.model differ from the columns: 'height' in the model, 'buy' in the data
hint: pass a model of the same data; the input columns of select must be the features of the model
? 1
$ cleave train perceptron mail.txt --transform select:by=weights:top=1:model=nowhere.model -o x.model
nowhere.model: * opened: No such file or directory (glob)
? 1
$ cleave train perceptron mail.txt --transform select:min-score=50 -o x.model
select by=chi2: no column has a score of at least 50; the best is 'pills', 3
hint: use a smaller min-score=, or top=N for the best N
? 1
$ cleave train kernel-svm mail.txt -o k.model --quiet; cleave train perceptron mail.txt --transform select:by=weights:top=1:model=k.model -o x.model
cleave: k.model: this model of 'kernel-svm' has no weights for feature selection
hint: pass a linear model, e.g. of svm or logistic
? 2
$ printf '1.5 1:1\n2.5 2:1\n' > number.libsvm; for i in $(seq 30); do echo "$i.25 1:$i"; done >> number.libsvm; cleave train least-squares number.libsvm --transform select:top=1 -o x.model
select by=chi2: expected classes, found 32 different labels in 32 rows
hint: check --label, or use by=df, by=tfidf or by=weights, which need no classes
? 1

# One example: words.
$ cleave explain all.model --example "Cheap pills, or lunch with me at noon?"
prediction  spam, score 0.0168531
runner-up   ham, score -0.0168531

  feature         value       spam
  me           0.595054  -0.405661  ░░░░░░░░░░░░░░░░░░░░░░░░
  cheap        0.487953   0.246682  ██████████████▋
  pills        0.411963   0.175832  ██████████▍
  lunch        0.487953          0
  (intercept)                    0
  (sum)                  0.0168531

Not in the model: or, with, at, noon
$ cleave explain all.model --example "ham	cheap pills" --top 1
prediction  spam, score 0.661625
runner-up   ham, score -0.661625
true label  ham

  feature         value      spam
  cheap        0.764096  0.386285  ████████████████████████
  (1 other)               0.27534  █████████████████▏
  (intercept)                   0
  (sum)                  0.661625
$ cleave explain few.model --example "cheap lunch now"
prediction  ham, score 0.166809
runner-up   spam, score -0.166809

  feature         value        ham
  lunch        0.707107   0.707107  ████████████████████████
  cheap        0.707107  -0.540298  ░░░░░░░░░░░░░░░░░░
  (intercept)                    0
  (sum)                   0.166809

Not in the model: now
$ printf 'Cheap pills,\n\tlunch with me\nat noon?\n' > letter; cleave explain all.model --example-file letter | head -n 1; cleave explain all.model --example-file - < letter | tail -n 1
prediction  spam, score 0.0168531
Not in the model: with, at, noon
$ cleave explain all.model --example "cheap zebra" --json
{"prediction":{"label":"spam","score":0.5055448412895203,"probability":null},"runner_up":{"label":"ham","score":-0.5055448412895203,"probability":null},"true_label":null,"intercept":0,"contributions":[{"feature":"cheap","value":1,"contribution":0.5055448412895203}],"unknown":["zebra"]}
$ cleave explain all.model mail.txt --row 3
prediction  ham, score 0.798558
runner-up   spam, score -0.798558
true label  ham

  feature         value        ham
  me           0.681722   0.464745  ████████████████████████
  meet         0.559022   0.312505  ████████████████▏
  now          0.471964  0.0213086  █▏
  (intercept)                    0
  (sum)                   0.798558
$ cleave explain all.model --example "zebra"
prediction  spam, score 0
runner-up   ham, score 0

  feature      value  spam
  (intercept)            0
  (sum)                  0

Not in the model: zebra
$ cleave explain all.model --example ""
warning: the example:1: the row has no features
hint: * (glob)
prediction  spam, score 0
runner-up   ham, score 0

  feature      value  spam
  (intercept)            0
  (sum)                  0

# Tables: named values, lines, lines with the label.
$ printf 'age,color,class\n30,red,a\n40,blue,b\n50,red,a\n60,green,b\n' > table.csv; cleave train logistic table.csv --transform none -o table.model --quiet
$ cleave explain table.model --example 'color=red, age=39'
prediction  a, score 0.999443, probability 0.7309
runner-up   b, score -0.999443, probability 0.2691

  feature      value         a
  age             39  -3.28988  ░░░░░░░░░░░░░░░░░░░░░░
  color=red        1  0.629085  ████▏
  (intercept)          3.66023  ████████████████████████
  (sum)               0.999443
$ for line in 39,red 39,red,a '39;red' '39	red' '"39","red"'; do cleave explain table.model --example "$line" | sed -n 1p; done
prediction  a, score 0.999443, probability 0.7309
prediction  a, score 0.999443, probability 0.7309
prediction  a, score 0.999443, probability 0.7309
prediction  a, score 0.999443, probability 0.7309
prediction  a, score 0.999443, probability 0.7309
$ cleave explain table.model --example 'age=39,color=mauve' | tail -n 1
Not in the model: color=mauve
$ cleave explain table.model --example 'age=39,colr=red'
cleave: the example: the model has no column 'colr'; did you mean 'color'?
hint: write name=value for the columns age, color and so on
? 2
$ cleave explain table.model --example 'age=39,age=40'
cleave: the example: duplicate value for column 'age'
hint: *=* (glob)
? 2
$ cleave explain table.model --example '39'
cleave: the example: expected 2 values, one for each column except the label, found 1
hint: pass every value, or name columns, e.g. age=VALUE; other columns are then missing
? 2
$ cleave explain table.model --example '39,red,a,b'
cleave: * 2 * 4 (glob)
hint: *, e.g. *=* (glob)
? 2
$ cleave explain table.model --example-file table.csv
cleave: the example: expected one row, found several
hint: use 'cleave explain MODEL DATA --row N' to explain one row of a file
? 2

# Numbered features, and names without text.
$ cleave explain gap.model --example '1:0.5 4:1 9:1'
prediction  -1, score 0.5
runner-up   +1, score -0.5

  feature      value    -1
  4                1     1  ████████████████████████
  1              0.5  -0.5  ░░░░░░░░░░░░
  (intercept)            0
  (sum)                0.5

Not in the model: 9
$ cleave explain gap.model --example '+1 1:0.5' | sed -n 3p
true label  +1
$ cleave explain gap.model --example '1:x'
the example:1:3: value is not a number: '1:x'
hint: * 3:0.25 (glob)
? 1
$ cleave explain spam.model --example 'viagra=2,of nigeria zebra'
prediction  +1, score 2
runner-up   -1, score -2

  feature      value    +1
  viagra           2     2  ████████████████████████
  of               1  -0.5  ░░░░░░
  nigeria          1   0.5  ██████
  (intercept)            0
  (sum)                  2

Not * (glob)

# Multiclass: the runner-up has its own contributions. A regression prediction is a sum, too.
$ cleave explain dogs.model @dogs --row 2
prediction  Chihuahua, score 11
runner-up   Beagle, score 0
true label  Chihuahua

  feature      value  Chihuahua  Beagle
  weight           1        -16       6  ░░░░░░░░░░░░░░░░
  height           4         24      24
  (intercept)                 3     -30  ████████████████████████
  (sum)                      11       0
$ cleave explain dogs.model @dogs --row 2 --json
{"prediction":{"label":"Chihuahua","score":11,"probability":null},"runner_up":{"label":"Beagle","score":0,"probability":null},"true_label":"Chihuahua","intercept":3,"runner_up_intercept":-30,"contributions":[{"feature":"weight","value":1,"contribution":-16,"runner_up_contribution":6},{"feature":"height","value":4,"contribution":24,"runner_up_contribution":24}],"unknown":[]}
$ printf '1 1:1\n3 1:2\n5 1:3\n' > line.libsvm; cleave train least-squares line.libsvm -o line.model --quiet; cleave explain line.model --example 1:10
prediction  19

  feature      value  contribution
  1               10            20  ████████████████████████
  (intercept)                   -1  ░
  (sum)                         19

# Models without contributions say so.
$ cleave explain k.model --example 'cheap pills' | sed -E 's/([0-9]\.[0-9]{3})[0-9]+/\1/g'
prediction  spam, score 0.999
runner-up   ham, score -0.999

Support vectors: the score is the sum of their contributions, alpha times kernel
  row  class      alpha     kernel  contribution
    2  spam    0.695          1      0.695  ████████████████████████
    1  spam    0.924   0.369      0.341  ███████████▊
    5  spam    0.982   0.155      0.152  █████▎
    3  ham    -0.905  0.052    -0.047  ░░
    4  ham    -0.884  0.052    -0.046  ░░
    6  ham    -0.812  0.052    -0.042  ░░
  and the intercept, -0.053
$ cleave explain k.model --example 'cheap pills' --json | tr ']' '\n' | grep -c support
1
$ cleave train perceptron mail.txt --form voted -o voted.model --quiet; cleave explain voted.model --example 'cheap pills' | tail -n 2
No contributions: the score of a 'perceptron' model is not a sum over features.
hint: linear methods such as svm and logistic have contributions

# Conflicting and missing arguments.
$ cleave explain spam.model --example a --row 1
cleave: --example, --example-file and --row cannot be combined
? 2
$ cleave explain spam.model --row 1
cleave: --row needs DATA: cleave explain MODEL DATA --row 1
? 2
$ cleave explain spam.model @spam6
cleave: @spam6: expected one row, found several
hint: * --row * 1 (glob)
? 2
$ cleave explain spam.model @spam6 --row 7
cleave: @spam6: row 7 does not exist
hint: choose a row from 1 to 6
? 2
$ cleave explain spam.model @spam6 --row 0
cleave: --row: * 1, * '0' (glob)
? 2
$ cleave explain spam.model --example-file nowhere
nowhere: No such file or directory
? 1

# A model of folders reads the example as a document.
$ mkdir -p box/spam box/ham && printf 'From: bob@evil.example\nTo: me\nSubject: cheap pills\n\nbuy now\n' > box/spam/1 && printf 'From: amy@home.example\nTo: me\nSubject: lunch\n\nmeet us\n' > box/ham/1
$ cleave train perceptron box -o box.model --quiet; cleave explain box.model --example-file box/ham/1
prediction  ham, score 0.730303
runner-up   spam, score -0.730303

  feature          value         ham
  amy           0.377292    0.142349  ████████████████████████
  home.example  0.377292    0.142349  ████████████████████████
  lunch         0.377292    0.142349  ████████████████████████
  meet          0.377292    0.142349  ████████████████████████
  us            0.377292    0.142349  ████████████████████████
  from          0.268446  0.00463928  ▊
  to            0.268446  0.00463928  ▊
  me            0.268446  0.00463928  ▊
  subject       0.268446  0.00463928  ▊
  (intercept)                      0
  (sum)                     0.730303
$ cleave explain box.model box --row 1 | grep -v 'true label' | cmp - <(cleave explain box.model --example-file box/ham/1)

# Support vectors: of the model, and their contributions to a prediction.
$ cleave train kernel-svm @dogs -o dogs.model --quiet; cleave explain dogs.model --top 3
kernel-svm, trained on 10 rows by cleave 0.1.0, seed 1
classes    Chihuahua, Dachshund, Beagle
features   2
options    max-iterations 10000; defaults otherwise
support vectors  9 rows of 10: 3 for Chihuahua, 3 for Dachshund, 3 for Beagle

Largest support vectors (3 of 9)
  row  class      alpha
    3  Chihuahua      1  ████████████████████████
    4  Dachshund      1  ████████████████████████
    5  Dachshund      1  ████████████████████████

hint: --example, or DATA --row N, shows their contributions to a prediction
$ cleave explain dogs.model @dogs --row 2 --top 3 | sed -E 's/([0-9]\.[0-9]{3})[0-9]+/\1/g'
prediction  Chihuahua, score 1.000
runner-up   Beagle, score -1.000
true label  Chihuahua

Support * (glob)
  row  class         alpha    kernel  contribution
    1  Chihuahua    0.815  0.798      0.651  ████████████████████████
    3  Chihuahua         1  0.569      0.569  █████████████████████
    2  Chihuahua  0.467         1      0.467  █████████████████▎
  and 6 others, with a contribution of -0.358
  and the intercept, -0.329
$ cleave train kernel-perceptron @spam6 -o spam.model --quiet; cleave explain spam.model @spam6 --row 2 --json | sed -E 's/([0-9]\.[0-9]{3})[0-9]+/\1/g'
{"prediction":{"label":"-1","score":0.931,"probability":null},"runner_up":{"label":"+1","score":-0.931,"probability":null},"true_label":"-1","support_vectors":[{"row":2,"for":"-1","alpha":1,"kernel":1,"contribution":1},{"row":3,"for":"+1","alpha":-1,"kernel":0.135,"contribution":-0.135},{"row":4,"for":"-1","alpha":1,"kernel":0.135,"contribution":0.135},{"row":5,"for":"+1","alpha":-1,"kernel":0.049,"contribution":-0.049},{"row":1,"for":"+1","alpha":-1,"kernel":0.018,"contribution":-0.018}],"unknown":[]}
$ cleave train kernel-svm @dogs --solver fourier -o none.model --quiet; cleave explain none.model | tail -n 1
This kind of model has no weights.
$ cleave explain dogs.model --class Beagle
cleave: --class needs a linear model: a model of 'kernel-svm' has no weights
? 2

# Features of an example by name, by number, or all in order: the prediction equals that of predict for every method.
$ cleave convert @peak7 -o peak.libsvm --quiet; for set in @peak7 peak.libsvm; do for method in knn-regression least-squares tree-regression lms; do cleave train $method $set --transform none -o p.model --quiet $([ $method = knn-regression ] && echo --k 2 --weight 1/d2); [ $set = @peak7 ] && more=x=3.2 || more=1:3.2; for example in 3.2 1:3.2 $more; do cleave explain p.model --example $example --json | grep -oE '"score":[^,]*' | sed -n '1s/.*://p'; done; echo '? 1:3.2' | cleave predict p.model -; done; done 2>/dev/null | paste -d ' ' - - - - | awk '{ print ($1 == $2 && $2 == $3 && sprintf("%.5g", $3) == sprintf("%.5g", $4)) ? "same" : $0 }' | uniq -c | sed 's/^ *//'
8 same
$ cleave train knn-regression @peak7 --k 1 -o p.model --quiet; cleave explain p.model --example y=3.2
cleave: the example: the model has no feature 'y=3.2'
hint: write NAME=VALUE or NUMBER:VALUE, or the values of all 1 features in order
? 2
$ cleave train knn-regression peak.libsvm --k 1 -o p.model --quiet; cleave explain p.model --example x=3.2
cleave: * 'x=3.2' (glob)
hint: write NUMBER:VALUE, or the values of all 1 features in order
? 2

# A weight that is 0 except for rounding has no bar.
$ awk 'function r() { s = s * 16807 % 2147483647; return s / 2147483647 } BEGIN { s = 1; print "a,b,stars"; for (i = 0; i < 200; i++) { a = 10 * r(); printf "%.3f,%.3f,%d\n", a, r(), 1 + int(a / 2) } }' > stars.csv; cleave train svm stars.csv --label stars -o stars.model --quiet; cleave explain stars.model | awk '$2 ~ /^-?[0-9]/ && NF >= 2 && $1 ~ /^[ab]$/ { tiny = $2 < 1e-9 && $2 > -1e-9; seen[tiny]++; bars[tiny] += NF > 2 } END { print (seen[1] > 0 && bars[1] == 0 && bars[0] == seen[0]) ? "no bars" : bars[1] " bars of " seen[1] }'
no bars

# Bars of all classes have one scale: a class with weights of no effect has none.
$ awk 'BEGIN { split("awful broken poor,okay average fine,great superb lovely", of, ","); for (i = 0; i < 300; i++) { s = 1 + i % 5; a = int((s + (i % 2 ? 1 : 2)) / 2); split(of[a > 3 ? 3 : a], w, " "); print s "\t" w[1 + i % 3] " the screen" } }' > stars.tsv; cleave train svm stars.tsv -o stars.model --quiet
$ TERM=dumb cleave explain stars.model | awk '$2 ~ /^-?[0-9]/ && $1 ~ /^[a-z]/ && NF <= 3 { w = $2 < 0 ? -$2 : $2; if (w > most) most = w; size[NR] = w; bar[NR] = length($3) } END { for (i in bar) { seen++; near += bar[i] >= 24 * size[i] / most - 1 && bar[i] <= 24 * size[i] / most + 1 } print (seen > 10 && near == seen) }'
1
# A text given as DATA: the hint names --example.
$ cleave train perceptron @spam6 -o s6.model --quiet; cleave explain s6.model "and the nigeria"
cleave: the file 'and the nigeria' does not exist
hint: --example TEXT explains the prediction for a text
? 2

# A split at a column that is 0 in the row is a contribution of that column.
$ for i in $(seq 1 60); do echo "$((i % 4)),$((i % 7)),$([[ $((i % 4)) -eq 0 ]] && echo yes || echo no)"; done | (echo tenure,age,churn; cat) > churn.csv
$ for m in forest boost; do cleave train $m churn.csv -o churn.model -q; cleave explain churn.model --example tenure=0,age=3 | awk '$1 == "tenure" { print $1, $2, ($3 > 0.1) }'; done
tenure 0 1
tenure 0 1

# The contributions of neighbors sum to the score, or to the prediction of a regression.
$ printf 'p 1:1\np 1:2\nq 1:4\nq 1:5\nq 1:9\n' > two.libsvm; printf '1 1:1\n2 1:2\n7 1:4\n3 1:5\n' > line.libsvm
$ for m in 'knn two' 'knn two --weight 1/d' 'knn-regression line --weight 1/d'; do set -- $m; cleave train $1 $2.libsvm --k 3 ${*:3} -o near.model -q; cleave explain near.model --example 1:2.7 --json | python3 -c 'import json, sys; e = json.load(sys.stdin); print(abs(e["prediction"]["score"] - sum(n["contribution"] for n in e["neighbors"])) < 1e-9)'; done
True
True
True
$ cleave train knn two.libsvm --k 3 -o near.model -q; cleave explain near.model --example 1:2.7 | tail -n 3 | awk '{ print $3, $6 }'
p 0.333333
q -0.333333
p 0.333333
