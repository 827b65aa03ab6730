# Exercise 12.2.1: example b also has "nigeria". (a) threshold 0: (0, 1, 0, -1, 1/2), 6 mistakes.
$ cat > ex1.csv <<'END'
> label,and,viagra,the,of,nigeria
> +1,1,1,0,1,1
> -1,0,0,1,1,1
> +1,0,1,1,0,0
> -1,1,0,0,1,0
> +1,1,0,1,0,1
> -1,1,0,1,1,0
> END
$ cleave trace perceptron ex1.csv --transform none --quiet --learning-rate 0.5
epoch  x   y  score  correct  and  viagra   the    of  nigeria
                                0       0     0     0        0
    1  1  +1      0  no       0.5     0.5     0   0.5      0.5
    1  2  -1      1  no       0.5     0.5  -0.5     0        0
    1  3  +1      0  no       0.5       1     0     0        0
    1  4  -1    0.5  no         0       1     0  -0.5        0
    1  5  +1      0  no       0.5       1   0.5  -0.5      0.5
    1  6  -1    0.5  no         0       1     0    -1      0.5
    2  1  +1    0.5  yes
    2  2  -1   -0.5  yes
    2  3  +1      1  yes
    2  4  -1     -1  yes
    2  5  +1    0.5  yes
    2  6  -1     -1  yes
converged after 2 epochs with 6 mistakes

# (c) learned threshold: the same, with threshold 0.
$ cleave trace perceptron ex1.csv --transform none --quiet --learning-rate 0.5 --learn-threshold
epoch  x   y  score  correct  and  viagra   the    of  nigeria  theta
                                0       0     0     0        0      0
    1  1  +1      0  no       0.5     0.5     0   0.5      0.5   -0.5
    1  2  -1    1.5  no       0.5     0.5  -0.5     0        0      0
    1  3  +1      0  no       0.5       1     0     0        0   -0.5
    1  4  -1      1  no         0       1     0  -0.5        0      0
    1  5  +1      0  no       0.5       1   0.5  -0.5      0.5   -0.5
    1  6  -1      1  no         0       1     0    -1      0.5      0
    2  1  +1    0.5  yes
    2  2  -1   -0.5  yes
    2  3  +1      1  yes
    2  4  -1     -1  yes
    2  5  +1    0.5  yes
    2  6  -1     -1  yes
converged after 2 epochs with 6 mistakes

# Exercise 12.2.2, learned threshold: (-1, -1) with threshold -4, 36 mistakes, no mistakes in epoch 17.
$ cat > ex2.csv <<'END'
> label,x1,x2
> +1,1,2
> +1,2,1
> -1,2,3
> -1,3,2
> END
$ cleave trace perceptron ex2.csv --transform none --quiet --learning-rate 0.5 --learn-threshold
epoch  x   y  score  correct    x1    x2  theta
                                 0     0      0
    1  1  +1      0  no        0.5     1   -0.5
    1  2  +1    2.5  yes
    1  3  -1    4.5  no       -0.5  -0.5      0
    1  4  -1   -2.5  yes
    2  1  +1   -1.5  no          0   0.5   -0.5
    2  2  +1      1  yes
    2  3  -1      2  no         -1    -1      0
    2  4  -1     -5  yes
    3  1  +1     -3  no       -0.5     0   -0.5
    3  2  +1   -0.5  no        0.5   0.5     -1
    3  3  -1    3.5  no       -0.5    -1   -0.5
    3  4  -1     -3  yes
    4  1  +1     -2  no          0     0     -1
    4  2  +1      1  yes
    4  3  -1      1  no         -1  -1.5   -0.5
    4  4  -1   -5.5  yes
    5  1  +1   -3.5  no       -0.5  -0.5     -1
    5  2  +1   -0.5  no        0.5     0   -1.5
    5  3  -1    2.5  no       -0.5  -1.5     -1
    5  4  -1   -3.5  yes
    6  1  +1   -2.5  no          0  -0.5   -1.5
    6  2  +1      1  yes
    6  3  -1      0  no         -1    -2     -1
    6  4  -1     -6  yes
    7  1  +1     -4  no       -0.5    -1   -1.5
    7  2  +1   -0.5  no        0.5  -0.5     -2
    7  3  -1    1.5  no       -0.5    -2   -1.5
    7  4  -1     -4  yes
    8  1  +1     -3  no          0    -1     -2
    8  2  +1      1  yes
    8  3  -1     -1  yes
    8  4  -1      0  no       -1.5    -2   -1.5
    9  1  +1     -4  no         -1    -1     -2
    9  2  +1     -1  no          0  -0.5   -2.5
    9  3  -1      1  no         -1    -2     -2
    9  4  -1     -5  yes
   10  1  +1     -3  no       -0.5    -1   -2.5
   10  2  +1    0.5  yes
   10  3  -1   -1.5  yes
   10  4  -1     -1  yes
   11  1  +1      0  no          0     0     -3
   11  2  +1      3  yes
   11  3  -1      3  no         -1  -1.5   -2.5
   11  4  -1   -3.5  yes
   12  1  +1   -1.5  no       -0.5  -0.5     -3
   12  2  +1    1.5  yes
   12  3  -1    0.5  no       -1.5    -2   -2.5
   12  4  -1     -6  yes
   13  1  +1     -3  no         -1    -1     -3
   13  2  +1      0  no          0  -0.5   -3.5
   13  3  -1      2  no         -1    -2     -3
   13  4  -1     -4  yes
   14  1  +1     -2  no       -0.5    -1   -3.5
   14  2  +1    1.5  yes
   14  3  -1   -0.5  yes
   14  4  -1      0  no         -2    -2     -3
   15  1  +1     -3  no       -1.5    -1   -3.5
   15  2  +1   -0.5  no       -0.5  -0.5     -4
   15  3  -1    1.5  no       -1.5    -2   -3.5
   15  4  -1     -5  yes
   16  1  +1     -2  no         -1    -1     -4
   16  2  +1      1  yes
   16  3  -1     -1  yes
   16  4  -1     -1  yes
   17  1  +1      1  yes
   17  2  +1      1  yes
   17  3  -1     -1  yes
   17  4  -1     -1  yes
converged after 17 epochs with 36 mistakes

# With threshold 0 the classes are not linearly separable.
$ cleave trace perceptron ex2.csv --transform none --quiet --learning-rate 0.5 --epochs 3
epoch  x   y  score  correct    x1    x2
                                 0     0
    1  1  +1      0  no        0.5     1
    1  2  +1      2  yes
    1  3  -1      4  no       -0.5  -0.5
    1  4  -1   -2.5  yes
    2  1  +1   -1.5  no          0   0.5
    2  2  +1    0.5  yes
    2  3  -1    1.5  no         -1    -1
    2  4  -1     -5  yes
    3  1  +1     -3  no       -0.5     0
    3  2  +1     -1  no        0.5   0.5
    3  3  -1    2.5  no       -0.5    -1
    3  4  -1   -3.5  yes
trace: * 3 * (--epochs) (glob)
hint: the classes may not be linearly separable: try --learn-threshold, the method svm, --average, --transform scale; 2 to 3 mistakes in each of the last 3 epochs

# Exercise 12.2.3, threshold 0: epochs end at (-2, -1), (-3, 0), (-4, 1), (-3, 3), and then always at (-3, 3).
$ cat > ex3.csv <<'END'
> label,x1,x2
> -1,1,2
> +1,2,3
> +1,2,1
> -1,3,2
> END
$ cleave trace perceptron ex3.csv --transform none --quiet --epochs 6
epoch  x   y  score  correct  x1  x2
                               0   0
    1  1  -1      0  no       -1  -2
    1  2  +1     -8  no        1   1
    1  3  +1      3  yes
    1  4  -1      5  no       -2  -1
    2  1  -1     -4  yes
    2  2  +1     -7  no        0   2
    2  3  +1      2  yes
    2  4  -1      4  no       -3   0
    3  1  -1     -3  yes
    3  2  +1     -6  no       -1   3
    3  3  +1      1  yes
    3  4  -1      3  no       -4   1
    4  1  -1     -2  yes
    4  2  +1     -5  no       -2   4
    4  3  +1      0  no        0   5
    4  4  -1     10  no       -3   3
    5  1  -1      3  no       -4   1
    5  2  +1     -5  no       -2   4
    5  3  +1      0  no        0   5
    5  4  -1     10  no       -3   3
    6  1  -1      3  no       -4   1
    6  2  +1     -5  no       -2   4
    6  3  +1      0  no        0   5
    6  4  -1     10  no       -3   3
trace: * 6 * (--epochs) (glob)
hint: * --learn-threshold, *, --average, --transform *; the weights cycle with a period of 1 epoch (glob)
