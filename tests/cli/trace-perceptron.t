# The six messages of the documents, learning rate one half: four mistakes, then none.
$ cleave trace perceptron @spam6 --learning-rate 0.5 --epochs 2
epoch  x   y  score  correct  and  viagra   the    of  nigeria
                                0       0     0     0        0
    1  a  +1      0  no       0.5     0.5     0   0.5      0.5
    1  b  -1    0.5  no       0.5     0.5  -0.5     0      0.5
    1  c  +1      0  no       0.5       1     0     0      0.5
    1  d  -1    0.5  no         0       1     0  -0.5      0.5
    1  e  +1    0.5  yes
    1  f  -1   -0.5  yes
    2  a  +1      1  yes
    2  b  -1   -0.5  yes
    2  c  +1      1  yes
    2  d  -1   -0.5  yes
    2  e  +1    0.5  yes
    2  f  -1   -0.5  yes
converged after 2 epochs with 4 mistakes

# The same with a learned threshold, which returns to 0.
$ cleave trace perceptron @spam6 --learning-rate 1/2 --learn-threshold
epoch  x   y  score  correct  and  viagra   the    of  nigeria  theta
                                0       0     0     0        0      0
    1  a  +1      0  no       0.5     0.5     0   0.5      0.5   -0.5
    1  b  -1      1  no       0.5     0.5  -0.5     0      0.5      0
    1  c  +1      0  no       0.5       1     0     0      0.5   -0.5
    1  d  -1      1  no         0       1     0  -0.5      0.5      0
    1  e  +1    0.5  yes
    1  f  -1   -0.5  yes
    2  a  +1      1  yes
    2  b  -1   -0.5  yes
    2  c  +1      1  yes
    2  d  -1   -0.5  yes
    2  e  +1    0.5  yes
    2  f  -1   -0.5  yes
converged after 2 epochs with 4 mistakes

# The same as MapReduce jobs, one w per job: the increments of job 1 are (0, 1, 0, -1, 1); job 2 has no mistakes.
$ cleave trace perceptron @spam6 --learning-rate 0.5 --update sum
epoch     x   y  score  correct  and  viagra  the  of  nigeria
                                   0       0    0   0        0
    1     a  +1      0  no
    1     b  -1      0  no
    1     c  +1      0  no
    1     d  -1      0  no
    1     e  +1      0  no
    1     f  -1      0  no
    1  step                        0       1    0  -1        1
    2     a  +1      1  yes
    2     b  -1     -1  yes
    2     c  +1      1  yes
    2     d  -1     -1  yes
    2     e  +1      1  yes
    2     f  -1     -1  yes
converged after 2 epochs with 6 mistakes

# Five points, learned threshold, learning rate 1/3: 40 mistakes, none in epoch 17, at (2/3, 1/3) with threshold 10/3.
$ cleave trace perceptron @points5 --learning-rate 1/3 --learn-threshold
epoch  x   y      score  correct         x1         x2     theta
                                          0          0         0
    1  A  -1          0  no       -0.333333   -1.33333  0.333333
    1  B  -1   -5.33333  yes
    1  C  -1   -2.66667  yes
    1  D  +1   -9.33333  no        0.666667   0.666667         0
    1  E  +1    5.33333  yes
    2  A  -1    3.33333  no        0.333333  -0.666667  0.333333
    2  B  -1   -1.33333  yes
    2  C  -1          0  no       -0.666667         -1  0.666667
    2  D  +1   -8.66667  no        0.333333          1  0.333333
    2  E  +1    4.33333  yes
    3  A  -1          4  no               0  -0.333333  0.666667
    3  B  -1   -1.66667  yes
    3  C  -1         -1  yes
    3  D  +1   -2.66667  no               1    1.66667  0.333333
    3  E  +1    9.66667  yes
    4  A  -1    7.33333  no        0.666667   0.333333  0.666667
    4  B  -1    2.33333  no       -0.333333  -0.666667         1
    4  C  -1   -2.66667  yes
    4  D  +1         -6  no        0.666667    1.33333  0.666667
    4  E  +1    6.66667  yes
    5  A  -1    5.33333  no        0.333333          0         1
    5  B  -1          0  no       -0.666667         -1   1.33333
    5  C  -1   -4.33333  yes
    5  D  +1   -9.33333  no        0.333333          1         1
    5  E  +1    3.66667  yes
    6  A  -1    3.33333  no               0  -0.333333   1.33333
    6  B  -1   -2.33333  yes
    6  C  -1   -1.66667  yes
    6  D  +1   -3.33333  no               1    1.66667         1
    6  E  +1          9  yes
    7  A  -1    6.66667  no        0.666667   0.333333   1.33333
    7  B  -1    1.66667  no       -0.333333  -0.666667   1.66667
    7  C  -1   -3.33333  yes
    7  D  +1   -6.66667  no        0.666667    1.33333   1.33333
    7  E  +1          6  yes
    8  A  -1    4.66667  no        0.333333          0   1.66667
    8  B  -1  -0.666667  yes
    8  C  -1  -0.666667  yes
    8  D  +1  -0.666667  no         1.33333          2   1.33333
    8  E  +1    11.3333  yes
    9  A  -1          8  no               1   0.666667   1.66667
    9  B  -1    3.33333  no               0  -0.333333         2
    9  C  -1   -2.33333  yes
    9  D  +1         -4  no               1    1.66667   1.66667
    9  E  +1    8.33333  yes
   10  A  -1          6  no        0.666667   0.333333         2
   10  B  -1          1  no       -0.333333  -0.666667   2.33333
   10  C  -1         -4  yes
   10  D  +1   -7.33333  no        0.666667    1.33333         2
   10  E  +1    5.33333  yes
   11  A  -1          4  no        0.333333          0   2.33333
   11  B  -1   -1.33333  yes
   11  C  -1   -1.33333  yes
   11  D  +1   -1.33333  no         1.33333          2         2
   11  E  +1    10.6667  yes
   12  A  -1    7.33333  no               1   0.666667   2.33333
   12  B  -1    2.66667  no               0  -0.333333   2.66667
   12  C  -1         -3  yes
   12  D  +1   -4.66667  no               1    1.66667   2.33333
   12  E  +1    7.66667  yes
   13  A  -1    5.33333  no        0.666667   0.333333   2.66667
   13  B  -1   0.333333  no       -0.333333  -0.666667         3
   13  C  -1   -4.66667  yes
   13  D  +1         -8  no        0.666667    1.33333   2.66667
   13  E  +1    4.66667  yes
   14  A  -1    3.33333  no        0.333333          0         3
   14  B  -1         -2  yes
   14  C  -1         -2  yes
   14  D  +1         -2  no         1.33333          2   2.66667
   14  E  +1         10  yes
   15  A  -1    6.66667  no               1   0.666667         3
   15  B  -1          2  no               0  -0.333333   3.33333
   15  C  -1   -3.66667  yes
   15  D  +1   -5.33333  no               1    1.66667         3
   15  E  +1          7  yes
   16  A  -1    4.66667  no        0.666667   0.333333   3.33333
   16  B  -1  -0.333333  yes
   16  C  -1         -1  yes
   16  D  +1   0.666667  yes
   16  E  +1          1  yes
   17  A  -1   -1.33333  yes
   17  B  -1  -0.333333  yes
   17  C  -1         -1  yes
   17  D  +1   0.666667  yes
   17  E  +1          1  yes
converged after 17 epochs with 40 mistakes

# The same as MapReduce jobs: no mistakes in job 29 at (2/3, 1) with threshold 6, 72 mistakes.
$ cleave trace perceptron @points5 --learning-rate 1/3 --learn-threshold --update sum | tail -n 13
   27  step                                  3    3.66667         5
   28     A  -1    12.6667  no
   28     B  -1         15  no
   28     C  -1    7.66667  no
   28     D  +1         26  yes
   28     E  +1         21  yes
   28  step                           0.666667          1         6
   29     A  -1   -1.33333  yes
   29     B  -1         -1  yes
   29     C  -1         -3  yes
   29     D  +1          2  yes
   29     E  +1   0.333333  yes
converged after 29 epochs with 72 mistakes
