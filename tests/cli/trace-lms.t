# One epoch over the four pairs of Example 12.2, from 0: the intercept b is the weight of a feature that is always 1, and theta is -b.
$ cleave trace lms @line4 --learning-rate 0.1 --epochs 1 | head -n 6
epoch  x  y  score  correct       x    theta
                                  0        0
    1  1  2      0  no          0.2     -0.2
    1  2  1    0.6  no         0.28    -0.24
    1  3  4   1.08  no        1.156   -0.532
    1  4  3  5.156  no       0.2936  -0.3164
$ cleave trace lms @line4 --learning-rate 1/10 --epochs 1 --no-intercept | head -n 6
epoch  x  y  score  correct       x
                                  0
    1  1  2      0  no          0.2
    1  2  1    0.4  no         0.32
    1  3  4   0.96  no        1.232
    1  4  3  4.928  no       0.4608

# A learning rate that is too high is an error.
$ cleave train lms @line4 --learning-rate 1/2
lms diverged: the weights after epoch 56 overflow float32
hint: add --normalize, standardize the features, or lower --learning-rate
? 1
