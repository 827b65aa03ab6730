# Figure 12.20, with the corrected lines 5 to 9: one line per iteration with the points outside their margin as o.
$ cleave trace svm @points6 --solver gd --C 0.1 --learning-rate 0.2 --initial-weights 0,1,-2 --max-iterations 9 --textbook --intercept -q
iteration         x1        x2          b  bad          d/dx1      d/dx2       d/db
        1          0         1         -2  oxoooo        -0.2        0.8       -2.1
        2       0.04      0.84      -1.58  oxoxxx        0.44       0.94      -1.38
        3     -0.048     0.652     -1.304  oxoxxx       0.352      0.752     -1.104
        4    -0.1184    0.5016    -1.0832  xxxxxx     -0.1184    -0.1984    -1.0832
        5   -0.09472   0.54128   -0.86656  oxoxxx     0.30528    0.64128   -0.66656
        6  -0.155776  0.413024  -0.733248  xxxxxx   -0.155776  -0.286976  -0.733248
        7  -0.124621  0.470419  -0.586598  oxxxxx  -0.0246208   0.170419  -0.486598
        8  -0.119697  0.436335  -0.489279  oxxxxx  -0.0196966   0.136335  -0.389279
        9  -0.115757  0.409068  -0.411423  oxxxxx  -0.0157573   0.109068  -0.311423
trace: * 9 * (--max-iterations)*0.499564* (glob)
hint: * --learning-rate, * (glob)
# The first gradient, as JSON.
$ cleave trace svm @points6 --solver gd --C 0.1 --learning-rate 0.2 --initial-weights 0,1,-2 --max-iterations 1 --json | grep -o '"gradient":.*'
"gradient":{"x1":-0.2,"x2":0.8},"intercept_gradient":-2.1}
# The table of Figure 12.7: the product, its sign, and fractions.
$ cleave trace winnow @spam6 --textbook --fractions -q | head -n 8
epoch  x   y   w.x  sign  OK?  and  viagra  the   of  nigeria
                                 1       1    1    1        1
    1  a  +1     4     +  no     2       2    1    2        2
    1  b  -1     3     +  yes
    1  c  +1     3     +  no     2       4    2    2        2
    1  d  -1     4     +  yes
    1  e  +1     6     +  yes
    1  f  -1     6     +  no     1       4    1    1        2
$ cleave trace perceptron @points5 --learning-rate 1/3 --learn-threshold --textbook --fractions --epochs 1 -q
epoch  x   y  w.x-theta  sign  OK?    x1    x2  theta
                                       0     0      0
    1  A  -1          0     0  no   -1/3  -4/3    1/3
    1  B  -1      -16/3     -  yes
    1  C  -1       -8/3     -  yes
    1  D  +1      -28/3     -  no    2/3   2/3      0
    1  E  +1       16/3     +  yes
trace: * 1 * (--epochs) (glob)
hint: * svm, * (glob)
$ cleave trace perceptron @points5 --learning-rate 1/3 --learn-threshold --textbook --fractions --intercept --epochs 1 -q | head -n 3
epoch  x   y  w.x+b  sign  OK?    x1    x2     b
                                   0     0     0
    1  A  -1      0     0  no   -1/3  -4/3  -1/3
# Exercise 12.2.3: the weights cycle, with a period of one epoch.
$ printf 'label,x1,x2\n-1,1,2\n+1,2,3\n+1,2,1\n-1,3,2\n' > cross.csv
$ cleave trace perceptron cross.csv --transform none -q --epochs 12 | tail -n 2
trace: * 12 * (--epochs) (glob)
hint: the classes may not be linearly separable: try --learn-threshold, the method svm, --average, --transform scale; the weights cycle with a period of 1 epoch
$ cleave train perceptron cross.csv --transform none --json | grep -o '"cycle_epochs":[0-9]*'
"cycle_epochs":1
# A separable set does not cycle.
$ cleave train perceptron @spam6 --json | grep -c cycle_epochs
0
? 1
# A round of MapReduce as pairs (i, eta y x): those of job 1 sum to the increments (0, 1, 0, -1, 1).
$ cleave begin perceptron @spam6 --update sum --learning-rate 0.5 -o round.model -q
$ cleave map --model round.model @spam6 --textbook
and	0.5
viagra	0.5
of	0.5
nigeria	0.5
the	-0.5
of	-0.5
viagra	0.5
the	0.5
and	-0.5
of	-0.5
and	0.5
the	0.5
nigeria	0.5
and	-0.5
the	-0.5
of	-0.5
$ cleave map --model round.model @spam6 --textbook | awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort
and 0
nigeria 1
of -1
the 0
viagra 1
$ cleave begin svm @spam6 --solver sgd -o svm.model -q; cleave map --model svm.model @spam6 --textbook
cleave: the rows of 'svm' with these options contribute no separate updates
hint: begin the round with 'cleave begin perceptron DATA --update sum'
? 2

# Numbers that are not fractions stay decimal.
$ cleave trace logistic @points5 --textbook --fractions --epochs 1 -q | grep -c /
0
? 1
