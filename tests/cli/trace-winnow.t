# Figure 12.7: winnow on the six messages, with the number of features as threshold; no mistakes in epoch 3.
$ cleave trace winnow @spam6
epoch  x   y  score  correct  and  viagra  the   of  nigeria
                                1       1    1    1        1
    1  a  +1      4  no         2       2    1    2        2
    1  b  -1      3  yes
    1  c  +1      3  no         2       4    2    2        2
    1  d  -1      4  yes
    1  e  +1      6  yes
    1  f  -1      6  no         1       4    1    1        2
    2  a  +1      8  yes
    2  b  -1      2  yes
    2  c  +1      5  no         1       8    2    1        2
    2  d  -1      2  yes
    2  e  +1      5  no         2       8    4    1        4
    2  f  -1      7  no         1       8    2  0.5        4
    3  a  +1   13.5  yes
    3  b  -1    2.5  yes
    3  c  +1     10  yes
    3  d  -1    1.5  yes
    3  e  +1      7  yes
    3  f  -1    3.5  yes
converged after 3 epochs with 6 mistakes

# Figure 12.9: the threshold is learned, starts at 1 and moves against the weights.
$ cleave trace winnow @spam6 --learn-threshold
epoch  x   y  score  correct  and  viagra  the    of  nigeria  theta
                                1       1    1     1        1      1
    1  a  +1      3  yes
    1  b  -1      1  no         1       1  0.5   0.5        1      2
    1  c  +1   -0.5  no         1       2    1   0.5        1      1
    1  d  -1    0.5  no       0.5       2    1  0.25        1      2
    1  e  +1    0.5  yes
    1  f  -1  -0.25  yes
    2  a  +1   1.75  yes
    2  b  -1  -0.75  yes
    2  c  +1      1  yes
    2  d  -1  -1.25  yes
    2  e  +1    0.5  yes
    2  f  -1  -0.25  yes
converged after 2 epochs with 3 mistakes

# The films of the slides.
$ cleave trace winnow @films5 --threshold 6
epoch  x   y  score  correct  Star Wars  Martian  Avengers  Titanic  Lake House  You've Got Mail
                                      1        1         1        1           1                1
    1  A  +1      4  no               1        2         2        2           2                1
    1  B  +1      5  no               2        4         4        2           2                1
    1  C  -1      8  no               2        2         4        1           1                1
    1  D  -1      2  yes
    1  E  +1      7  yes
    2  A  +1      8  yes
    2  B  +1      8  yes
    2  C  -1      4  yes
    2  D  -1      2  yes
    2  E  +1      7  yes
converged after 2 epochs with 3 mistakes

# Exercise 12.2.1: example b also has "nigeria". (b) threshold 5.
$ cat > ex1.csv <<'END'
> label,and,viagra,the,of,nigeria
> +1,1,1,0,1,1
> -1,0,0,1,1,1
> +1,0,1,1,0,0
> -1,1,0,0,1,0
> +1,1,0,1,0,1
> -1,1,0,1,1,0
> END
$ cleave trace winnow ex1.csv --transform none --quiet --threshold 5
epoch  x   y  score  correct  and  viagra  the   of  nigeria
                                1       1    1    1        1
    1  1  +1      4  no         2       2    1    2        2
    1  2  -1      5  no         2       2  0.5    1        1
    1  3  +1    2.5  no         2       4    1    1        1
    1  4  -1      3  yes
    1  5  +1      4  no         4       4    2    1        2
    1  6  -1      7  no         2       4    1  0.5        2
    2  1  +1    8.5  yes
    2  2  -1    3.5  yes
    2  3  +1      5  no         2       8    2  0.5        2
    2  4  -1    2.5  yes
    2  5  +1      6  yes
    2  6  -1    4.5  yes
    3  1  +1   12.5  yes
    3  2  -1    4.5  yes
    3  3  +1     10  yes
    3  4  -1    2.5  yes
    3  5  +1      6  yes
    3  6  -1    4.5  yes
converged after 3 epochs with 6 mistakes

# (d) learned threshold: it does not converge, with a warning.
$ cleave trace winnow ex1.csv --transform none --quiet --learn-threshold | tail -n 8
  100  1  +1   7.54975e+07  yes
  100  2  -1   5.96046e-08  no       8.38861e+06  6.71089e+07  2.98023e-08  3.50325e-46  1.67772e+07  6.71089e+07
  100  3  +1   2.98023e-08  yes
  100  4  -1  -5.87203e+07  yes
  100  5  +1   -4.1943e+07  no       1.67772e+07  6.71089e+07  5.96046e-08  3.50325e-46  3.35544e+07  3.35544e+07
  100  6  -1  -1.67772e+07  yes
trace: * 100 * (--epochs) (glob)
hint: the factors may be too large, or the classes not linearly separable: try factors closer to 1, such as --factor 4/5, --balanced, the method svm, --form averaged; 2 to 4 mistakes in each of the last 10 epochs
$ cleave trace winnow ex1.csv --transform none --quiet --learn-threshold --json | tail -n 1
{"epoch":100,"example":6,"label":"-1","score":-16777215.99999994,"correct":true,"weights":{"and":16777216,"viagra":67108864,"the":5.9604644775390625e-08,"of":3.503246160812043e-46,"nigeria":33554432},"threshold":33554432}
$ cleave train winnow ex1.csv --learn-threshold -o d.model
note: ex1.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 5 * (--columns) (glob)
train: * 100 * (--epochs) (glob)
hint: * 1, * --factor 4/5, --balanced, *, --form * 2 * 4 * 10 * (glob)
Read 6 *, 5 *, 2 * (ex1.csv). (glob)
Trained *: 100 *, 277 * (2 *). (glob)
Training * 16.67% (1 * 6 *). (glob)
Model * d.model. (glob)
Next: * d.model * d.model. (glob)
$ cleave explain d.model --json | grep -o '"weights".*'
"weights":{"and":16777216,"viagra":67108864,"the":5.9604644775390625e-08,"of":3.503246160812043e-46,"nigeria":33554432},"intercept":-33554432,"threshold":33554432}

# Factors closer to 1 converge.
$ cleave trace winnow ex1.csv --transform none --quiet --learn-threshold --factor 2/3 | tail -n 13
    5  1  +1     1.88409  yes
    5  2  -1  0.00445816  no       0.296296    2.25  0.444444  0.0585277         1  3.375
    5  3  +1   -0.680556  no       0.296296   3.375  0.666667  0.0585277         1   2.25
    5  4  -1    -1.89518  yes
    5  5  +1   -0.287037  no       0.444444   3.375         1  0.0585277       1.5    1.5
    5  6  -1  0.00297211  no       0.296296   3.375  0.666667  0.0390184       1.5   2.25
    6  1  +1     2.96031  yes
    6  2  -1  -0.0443149  yes
    6  3  +1     1.79167  yes
    6  4  -1    -1.91469  yes
    6  5  +1    0.212963  yes
    6  6  -1    -1.24802  yes
converged after 6 epochs with 14 mistakes
$ cleave trace winnow ex1.csv --transform none --quiet --learn-threshold --promotion 5/4 --demotion 4/5 | tail -n 13
    4  1  +1    1.14666  yes
    4  2  -1  -0.185445  yes
    4  3  +1   0.249375  yes
    4  4  -1   -1.21584  yes
    4  5  +1  -0.103525  no        0.512  1.5625   0.8   0.32768        1   1.5625
    4  6  -1    0.07718  no       0.4096  1.5625  0.64  0.262144        1  1.95312
    5  1  +1    1.28112  yes
    5  2  -1  -0.050981  yes
    5  3  +1   0.249375  yes
    5  4  -1   -1.28138  yes
    5  5  +1   0.096475  yes
    5  6  -1  -0.641381  yes
converged after 5 epochs with 9 mistakes

# Use Balanced Winnow, which has weights of both signs.
$ cleave trace winnow ex1.csv --transform none --quiet --balanced --threshold 1
epoch  x   y  score  correct  and  viagra   the     of  nigeria
                                0       0     0      0        0
    1  1  +1      0  no       1.5     1.5     0    1.5      1.5
    1  2  -1      3  no       1.5     1.5  -1.5      0        0
    1  3  +1      0  no       1.5    3.75     0      0        0
    1  4  -1    1.5  no         0    3.75     0   -1.5        0
    1  5  +1      0  no       1.5    3.75   1.5   -1.5      1.5
    1  6  -1    1.5  no         0    3.75     0  -3.75      1.5
    2  1  +1    1.5  yes
    2  2  -1  -2.25  yes
    2  3  +1   3.75  yes
    2  4  -1  -3.75  yes
    2  5  +1    1.5  yes
    2  6  -1  -3.75  yes
converged after 2 epochs with 6 mistakes

# Invalid values: the line and the feature are named.
$ cleave train winnow @points5
@points5: row 1: feature 'x2' has the value 4, and 'winnow' requires binary features (0 or 1)
hint: write 1 for a feature that is present and 0 or nothing otherwise, or use 'perceptron'
? 1
$ sed 's/^-1,1,0,1,1,0/-1,1,0,3,1,0/' ex1.csv > bad.csv
$ cleave train winnow bad.csv
note: bad.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 5 * (--columns) (glob)
bad.csv:7: feature 'the' has the value 3, and 'winnow' requires binary features (0 or 1)
hint: * 1 * 0 * 'perceptron' (glob)
? 1
$ cleave train winnow ex1.csv bad.csv
note: ex1.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 5 * (--columns) (glob)
line 7 of file 2: feature 'the' has the value 3, and 'winnow' requires binary features (0 or 1)
hint: * 1 * 0 * 'perceptron' (glob)
? 1
$ printf '+1 1:1 2:1\n-1 2:1\n-1 2:1\n+1 1:0.5\n' > bad.libsvm
$ cleave train winnow bad.libsvm
bad.libsvm:4: * '1' * 0.5, * 'winnow' * (0 * 1) (glob)
hint: * 1 * 0 * 'perceptron' (glob)
? 1
$ cleave train winnow bad.libsvm --stream
cleave: winnow's default threshold is the number of features, which is unknown in a stream
hint: add --threshold 100 or --learn-threshold
? 2
$ cleave train winnow bad.libsvm --stream --threshold 2
bad.libsvm:4: * '1' * 0.5, * 'winnow' * (0 * 1) (glob)
hint: * 1 * 0 * 'perceptron' (glob)
? 1
$ cleave predict d.model bad.csv
row 6: feature 'the' is 3; winnow requires values of 0 or 1
hint: * 1 (* 0 (*) (glob)
? 1
$ cleave train winnow ex1.csv --balanced
note: ex1.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 5 * (--columns) (glob)
cleave: --balanced requires a threshold: initial scores are 0
hint: add --threshold 1 or --learn-threshold
? 2
$ cleave train winnow ex1.csv --factor 2
note: ex1.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 5 * (--columns) (glob)
cleave: expected --promotion above 1 and --demotion below 1, found 0.5 and 2
hint: --factor 1/2 sets --promotion 2 and --demotion 1/2
? 2
$ cleave train winnow ex1.csv --learn-threshold --epochs 10000
note: ex1.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 5 * (--columns) (glob)
winnow diverged: the weights overflow a double in epoch 4088
hint: move --factor closer to 1 (such as 4/5), or lower --epochs
? 1
