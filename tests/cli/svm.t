# The iterations of Fig. 12.20, with the intercept among the weights; 'no' marks the rows with x.
$ cleave trace svm @points6 --solver gd --C 0.1 --learning-rate 0.2 --initial-weights 0,1,-2 --max-iterations 6 | grep -v yes
epoch     x   y       score  correct         x1        x2     theta
                                              0         1         2
    1     2  +1           0  no
    1  step                                0.04      0.84      1.58
    2     2  +1        0.18  no
    2     4  -1        -0.7  no
    2     5  -1       -0.66  no
    2     6  -1       -0.62  no
    2  step                              -0.048     0.652     1.304
    3     2  +1  -0.0960001  no
    3     4  -1        -0.7  no
    3     5  -1      -0.748  no
    3     6  -1      -0.796  no
    3  step                             -0.1184    0.5016    1.0832
    4     1  +1      0.8048  no
    4     2  +1     -0.3168  no
    4     3  +1       0.568  no
    4     4  -1        -0.7  no
    4     5  -1     -0.8184  no
    4     6  -1     -0.9368  no
    4  step                            -0.09472   0.54128   0.86656
    5     2  +1   0.0265599  no
    5     4  -1       -0.42  no
    5     5  -1    -0.51472  no
    5     6  -1    -0.60944  no
    5  step                           -0.155776  0.413024  0.733248
    6     1  +1    0.763072  no
    6     2  +1   -0.218752  no
    6     3  +1     0.45152  no
    6     4  -1      -0.476  no
    6     5  -1   -0.631776  no
    6     6  -1   -0.787552  no
    6  step                           -0.124621  0.470419  0.586598
trace: not converged after 6 iterations (--max-iterations): stopped before convergence, objective 0.677137 before the last step
hint: try a lower --learning-rate, more --max-iterations, a larger --tolerance, --transform scale

# Pegasos on all rows: the projection, and the intercept as a feature.
$ cleave trace svm @points6 --solver pegasos --lambda 1 --batch-size all --regularize-intercept --epochs 4 | grep step
    1  step                                  0         1          0
    2  step                               -0.5      0.25       0.25
    3  step                         -0.0555555  0.666667  0.0555556
    4  step                          -0.291667     0.375   0.166667

# The optimum with an unregularized intercept: (0, 2/3), b -5/3, f 16/45.
$ cleave train svm @points6 --C 0.1 --json -o m.model | grep -oE '"(solver|converged|support_vectors|objective)":[^,]*'
"solver":"dcd"
"objective":"lambda/2 |w|^2 + mean max(0
"converged":true
"support_vectors":6
$ cleave explain m.model --json | grep -oE '"x2":0.66666|"intercept":-1.66666'
"x2":0.66666
"intercept":-1.66666

# Flags that cannot be combined or would have no effect.
$ cleave train svm @points6 --C 2 --lambda 0.1
cleave: --lambda and --C cannot be combined: both set the regularization
hint: lambda = 1 / (n C) for n rows
? 2
$ cleave train svm @points6 --solver dcd --learning-rate 0.1
cleave: a learning rate and --solver dcd cannot be combined
hint: --learning-rate, --learning-rate-decay, --schedule and --t0 apply to gd, sgd and asgd
? 2
$ cleave train svm @points6 --solver dcd --l1-ratio 0.5
cleave: --l1-ratio and --solver dcd cannot be combined
hint: use --solver lbfgs (smooth losses), sgd or ftrl (any loss)
? 2
$ cleave train svm @points6 --solver sgd --C inf
cleave: --* --solver * (glob)
hint: use --solver dcd for a hard margin
? 2
$ cleave train svm @points6 --solver newton
cleave: --loss hinge and --solver newton cannot be combined
hint: use a smooth loss (such as svm's --loss squared-hinge), or omit --solver
? 2
$ cleave train svm @points6 --solver sgd --batch-size 4
cleave: --batch-size and --solver sgd cannot be combined
hint: --batch-size applies to pegasos
? 2
$ cleave train svm @points6 --solver pegasos --batch-size 0
cleave: --batch-size: expected a positive integer or 'all', found '0'
hint: --batch-size is the number of rows per step
? 2
$ cleave train svm @points6 --loss squared-hinge --C inf
cleave: --C inf requires --loss hinge
? 2
$ cleave train svm @points6 --solver gd --initial-weights 1,2,3,4
cleave: --initial-weights: expected a value for each of the 2 features and the intercept, found 4
hint: list the weights in column order, then the intercept
? 2
$ cleave train svm @points6 --solver gd --initial-weights 1,x,3
cleave: --initial-weights: value 2 is not a number: 'x'
? 2
$ cleave train svm @points6 --solver pegasos --lambda 1 --initial-weights 3,4,0
cleave: --initial-weights: the norm of the weights exceeds 1/sqrt(lambda) = 1
? 2
$ cleave train svm @dogs --solver sgd --initial-weights 1,2,3
cleave: --initial-weights applies to binary classification and regression, and the data has 3 classes
? 2
$ cleave train svm @points6 --regularize-intercept --no-intercept
cleave: --regularize-intercept * --no-intercept * (glob)
? 2
$ cleave train svm @points6 --C 0
cleave: --C: expected a number above 0, found '0'
hint: Inverse regularization strength; inf with hinge loss: hard margin.
? 2

# Not linearly separable: the hard margin is an error.
$ printf '+1 1:1\n-1 1:2\n+1 1:3\n' > mixed.libsvm; cleave train svm mixed.libsvm --C inf -o hard.model; ls hard.model
the classes are not separable: every hyperplane has a margin below 1.3e-10, with rows up to 1 from their mean
hint: use a finite --C, such as --C 1, for a soft margin
ls: * 'hard.model': * (glob)
? 2

# A stream has an unknown number of rows: lambda replaces C, with a note.
$ printf '+1 1:1\n-1 2:1\n+1 1:2\n-1 2:2\n' > four.libsvm; cleave train svm four.libsvm --stream --C 2 -o m.model
note: * --lambda 0.0001 * --* 2 (glob)
Read 4 *, 2 *, 2 * (four.libsvm). (glob)
Trained *. (glob)
Model * m.model. (glob)
Next: * m.model * m.model. (glob)
$ cleave train svm four.libsvm --stream --solver dcd --lambda 0.1
cleave: --stream: 'svm' with these options needs all rows in memory
? 2

# Large values, zero rows, a constant feature, a feature a million times larger: finite results.
$ printf '+1 1:1e30 2:1\n-1 1:-1e30\n+1 2:3\n-1\n' > huge.libsvm; cleave train svm huge.libsvm -o m.model -q; echo $?; cleave explain m.model --json | grep -c -i nan
0
0
? 1
$ printf '+1 1:1 2:1000000\n-1 1:1 2:-1000000\n+1 1:1 2:2000000\n-1 1:1 2:1\n' > scaled.libsvm; for s in dcd sgd asgd pegasos gd; do cleave train svm scaled.libsvm --solver $s -o m.model -q 2>/dev/null; echo "$s $?"; cleave explain m.model --json | grep -c -i nan; done
dcd 0
0
sgd 0
0
asgd 0
0
pegasos 0
0
gd 0
0
? 1

# A warm start with another solver uses the same weights, whatever the internal scale.
$ cleave train svm @points6 --C 0.1 --solver sgd --epochs 50 -o s.model --json 2>/dev/null | grep -oE '"train_errors":[0-9]*'; for s in dcd gd asgd pegasos; do echo "$s $(cleave train svm @points6 --from s.model --solver $s --epochs 2000 --tolerance 1e-9 --json 2>/dev/null | grep -oE '"train_errors":[0-9]*')"; done
"train_errors":0
dcd 
gd 
asgd "train_errors":1
pegasos "train_errors":0
$ cleave train svm @points6 --from s.model --solver gd --max-iterations 1 --json 2>/dev/null | grep -oE 'objective [0-9.]+'
objective 0.483732
objective 0.483732

# gd without --learning-rate is within 1% of the optimum and prints its gap: 71/14, 9419/2594, and the optimum of @points5 by dcd.
$ printf '1,2,1\n3,4,1\n5,2,1\n2,4,-1\n3,1,-1\n7,3,-1\n' > e33.csv; printf '3,4,5,1\n2,7,2,1\n5,5,5,1\n1,2,3,-1\n3,3,2,-1\n2,4,1,-1\n' > e32.csv
$ fact() { grep -oE "\"$1\":[-0-9.e]+" | cut -d : -f 2; }; best=$(cleave train svm @points5 --C 1 --regularize-intercept --json -o d.model | fact objective_value); for case in "e33.csv 5.07142857142857" "e32.csv 3.63107170393215" "@points5 $best"; do set -- $case; cleave train svm $1 --transform none --solver gd --C 1 --json -o g.model > facts 2>/dev/null; echo "$(fact objective_value < facts) $2 $(fact gap < facts)" | awk '{ print ($1 >= $2 - 1e-6 && $1 <= 1.01 * $2) ? "near" : $0, ($1 - $2 <= $3 * $1 + 1e-6 && $3 < 0.01) ? "certified" : $0 }'; done
near certified
near certified
near certified
# A hard margin converges when steps of nearly parallel rows cancel.
$ awk 'BEGIN { for (i = 1; i <= 500; i++) { s = 0; for (j = 1; j <= 20; j++) { x[j] = sin(i * i * j + 3 * j * j); s += x[j] * cos(j) } if (s * s < 0.01) continue; printf "%d", (s > 0); for (j = 1; j <= 20; j++) printf " %d:%.4f", j, 10 + x[j]; print "" } }' > hard.libsvm
$ cleave train svm hard.libsvm --C inf --transform none --max-iterations 2000 --json -o hard.model | grep -oE '"(converged|train_errors)":[^,]*'
"converged":true
"train_errors":0
# Only a proven optimum is converged: stochastic solvers, a learning rate that is too high, a number of trees.
$ cleave train svm e33.csv --transform none --solver gd --C 1 --learning-rate 0.001 --max-iterations 5000 --json -o g.model 2>/dev/null | grep -oE '"(converged|stopped_by)":[^,]*'
"converged":false
"stopped_by":"max_iterations"
$ cleave generate blobs --rows 300 --classes 2 -o b.csv --quiet; for how in "svm --solver sgd" "svm --solver asgd" "svm --solver pegasos" "logistic --solver sgd" "kernel-svm --solver sgd"; do cleave train $how b.csv --epochs 300 --tolerance 0.1 --json -o g.model 2>/dev/null | grep -oE '"(converged|stopped_by)":[^,]*' | paste -sd ' '; done
"converged":false "stopped_by":"plateau"
"converged":false "stopped_by":"plateau"
"converged":false "stopped_by":"plateau"
"converged":false "stopped_by":"plateau"
"converged":false "stopped_by":"plateau"
$ for how in "boost --rounds 5" "boost --loss exponential --rounds 5" forest tree knn; do cleave train $how b.csv --json -o g.model 2>/dev/null | grep -oE '"(converged|stopped_by)":[^,]*' | paste -sd ' '; done
"stopped_by":"complete"
"stopped_by":"complete"
"stopped_by":"complete"
"stopped_by":"complete"
"stopped_by":"complete"
$ for how in "svm --solver dcd" "svm --loss squared-hinge --solver newton" "logistic --solver lbfgs" "logistic --solver newton" "logistic --solver gd" "kernel-svm --solver smo"; do cleave train $how b.csv --json -o g.model 2>/dev/null | grep -oE '"(converged|stopped_by)":[^,]*' | paste -sd ' '; done
"converged":true "stopped_by":"converged"
"converged":true "stopped_by":"converged"
"converged":true "stopped_by":"converged"
"converged":true "stopped_by":"converged"
"converged":true "stopped_by":"converged"
"converged":true "stopped_by":"converged"
