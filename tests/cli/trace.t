# An unknown method: the hint names the nearest one; status 2.
$ cleave trace percepton @spam6
cleave: unknown method 'percepton'
hint: * 'perceptron'\? * 'cleave methods' * (glob)
? 2

# JSON: a line for each visited example, with the score before and the weights after the update.
$ cleave trace perceptron @spam6 --learning-rate 0.5 --json
{"epoch":1,"example":"a","label":"+1","score":0,"correct":false,"weights":{"and":0.5,"viagra":0.5,"the":0,"of":0.5,"nigeria":0.5},"threshold":0}
{"epoch":1,"example":"b","label":"-1","score":0.5,"correct":false,"weights":{"and":0.5,"viagra":0.5,"the":-0.5,"of":0,"nigeria":0.5},"threshold":0}
{"epoch":1,"example":"c","label":"+1","score":0,"correct":false,"weights":{"and":0.5,"viagra":1,"the":0,"of":0,"nigeria":0.5},"threshold":0}
{"epoch":1,"example":"d","label":"-1","score":0.5,"correct":false,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}
{"epoch":1,"example":"e","label":"+1","score":0.5,"correct":true,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}
{"epoch":1,"example":"f","label":"-1","score":-0.5,"correct":true,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}
{"epoch":2,"example":"a","label":"+1","score":1,"correct":true,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}
{"epoch":2,"example":"b","label":"-1","score":-0.5,"correct":true,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}
{"epoch":2,"example":"c","label":"+1","score":1,"correct":true,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}
{"epoch":2,"example":"d","label":"-1","score":-0.5,"correct":true,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}
{"epoch":2,"example":"e","label":"+1","score":0.5,"correct":true,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}
{"epoch":2,"example":"f","label":"-1","score":-0.5,"correct":true,"weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"threshold":0}

# The threshold follows the weights.
$ cleave trace perceptron @points5 --learning-rate 1/3 --learn-threshold --json | sed -n 1,4p
{"epoch":1,"example":"A","label":"-1","score":0,"correct":false,"weights":{"x1":-0.3333333333333333,"x2":-1.3333333333333333},"threshold":0.3333333333333333}
{"epoch":1,"example":"B","label":"-1","score":-5.333333333333333,"correct":true,"weights":{"x1":-0.3333333333333333,"x2":-1.3333333333333333},"threshold":0.3333333333333333}
{"epoch":1,"example":"C","label":"-1","score":-2.6666666666666665,"correct":true,"weights":{"x1":-0.3333333333333333,"x2":-1.3333333333333333},"threshold":0.3333333333333333}
{"epoch":1,"example":"D","label":"+1","score":-9.333333333333332,"correct":false,"weights":{"x1":0.6666666666666666,"x2":0.6666666666666666},"threshold":0}

# A step at the end of a batch epoch has a line of its own.
$ cleave trace perceptron @spam6 --learning-rate 0.5 --update sum --json --epochs 1
{"epoch":1,"example":"a","label":"+1","score":0,"correct":false,"weights":{"and":0,"viagra":0,"the":0,"of":0,"nigeria":0},"threshold":0}
{"epoch":1,"example":"b","label":"-1","score":0,"correct":false,"weights":{"and":0,"viagra":0,"the":0,"of":0,"nigeria":0},"threshold":0}
{"epoch":1,"example":"c","label":"+1","score":0,"correct":false,"weights":{"and":0,"viagra":0,"the":0,"of":0,"nigeria":0},"threshold":0}
{"epoch":1,"example":"d","label":"-1","score":0,"correct":false,"weights":{"and":0,"viagra":0,"the":0,"of":0,"nigeria":0},"threshold":0}
{"epoch":1,"example":"e","label":"+1","score":0,"correct":false,"weights":{"and":0,"viagra":0,"the":0,"of":0,"nigeria":0},"threshold":0}
{"epoch":1,"example":"f","label":"-1","score":0,"correct":false,"weights":{"and":0,"viagra":0,"the":0,"of":0,"nigeria":0},"threshold":0}
{"epoch":1,"example":null,"step":true,"label":null,"score":null,"correct":null,"weights":{"and":0,"viagra":1,"the":0,"of":-1,"nigeria":1},"threshold":0}

# Three classes: a score and a weight vector for each.
$ cleave trace perceptron @dogs --learn-threshold --epochs 1 --quiet
epoch   x          y  Chihuahua:score  Dachshund:score  Beagle:score  correct  Chihuahua:height  Chihuahua:weight  Dachshund:height  Dachshund:weight  Beagle:height  Beagle:weight  Chihuahua:theta  Dachshund:theta  Beagle:theta
                                                                                              0                 0                 0                 0              0              0                0                0             0
    1   1  Chihuahua                0                0             0  no                      5                 2                -5                -2             -5             -2               -1                1             1
    1   2  Chihuahua               23              -23           -23  yes
    1   3  Chihuahua               35              -35           -35  yes
    1   4  Dachshund               34              -34           -34  no                      0                -2                 0                 2             -5             -2                0                0             1
    1   5  Dachshund              -10               10           -41  yes
    1   6  Dachshund              -12               12           -33  yes
    1   7     Beagle              -10               10           -51  no                      0                -2                -8                -3              3              3                0                1             0
    1   8     Beagle              -12              -91            45  yes
    1   9     Beagle              -14             -102            51  yes
    1  10     Beagle              -16              -89            48  yes
trace: not converged after 1 epoch (--epochs)
hint: the classes may not be linearly separable: try the method svm, --average, --transform scale

# Both multiclass forms, as JSON.
$ cleave trace perceptron @dogs --multiclass joint --epochs 1 --json | sed -n 1,2p
{"epoch":1,"example":1,"label":"Chihuahua","score":{"Chihuahua":0,"Dachshund":0,"Beagle":0},"correct":false,"weights":{"Chihuahua":{"height":5,"weight":2},"Dachshund":{"height":-5,"weight":-2},"Beagle":{"height":0,"weight":0}},"threshold":{"Chihuahua":0,"Dachshund":0,"Beagle":0}}
{"epoch":1,"example":2,"label":"Chihuahua","score":{"Chihuahua":22,"Dachshund":-22,"Beagle":0},"correct":true,"weights":{"Chihuahua":{"height":5,"weight":2},"Dachshund":{"height":-5,"weight":-2},"Beagle":{"height":0,"weight":0}},"threshold":{"Chihuahua":0,"Dachshund":0,"Beagle":0}}

# From standard input.
$ printf '+1 1:1\n-1 2:1\n' | cleave trace perceptron - --format libsvm
epoch  x   y  score  correct  1   2
                              0   0
    1  1  +1      0  no       1   0
    1  2  -1      0  no       1  -1
    2  1  +1      1  yes
    2  2  -1     -1  yes
converged after 2 epochs with 2 mistakes

# trace runs the same training as train: the same features, the same mistakes.
$ awk 'function r() { s = s * 16807 % 2147483647; return s / 2147483647 } BEGIN { s = 1; print "a,b,kind,label"; for (i = 0; i < 40; i++) { a = 100 + 50 * r(); b = r(); printf "%.3f,%.3f,%s,%s\n", a, b, (i % 3 ? "red" : "blue"), (a > 125 ? "yes" : "no") } }' > mixed.csv
$ for how in perceptron "perceptron --transform none" "winnow --transform none" "svm --solver sgd --epochs 3" "lms --label a"; do cleave train $how mixed.csv --json -o m.model 2>/dev/null | grep -oE '"(mistakes|features)":[0-9]+' > trained; cleave trace $how mixed.csv --json 2>/dev/null > events; [ -s events ] || continue; echo "\"features\":$(tail -n 1 events | grep -oE '"weights":\{[^}]*' | tr ',' '\n' | wc -l)" > traced; case $how in perceptron*) echo "\"mistakes\":$(grep -c '"correct":false' events)" >> traced ;; *) sed -i 2d trained ;; esac; cmp trained traced && echo same; done
same
same
same
same
$ cleave trace perceptron mixed.csv 2>/dev/null | head -n 1 | tr -s ' '
epoch x y score correct a b kind=blue kind=red
$ cleave trace perceptron mixed.csv --label kind 2>/dev/null | grep -c 'transform scale'
0
? 1
