# The steps of adaptive by hand: units (1, 1), G = (1, 1), h = 0.5 sqrt(1/2) 2 is the new score; then the scale of column 1 grows from 1 to
# 4: w = 0.353553/4, G = 1/16 + 1, sqrt(R/N) = sqrt(2/3), and w falls by 0.5 sqrt(2/3) 0.970143/4.
$ printf '+1 1:1 2:2\n-1 1:4\n' > two.libsvm
$ cleave trace svm two.libsvm --solver adaptive --learning-rate 0.5 --no-intercept --epochs 1 | head -n 4
epoch  x   y    score  correct           1         2
                                         0         0
    1  1  +1        0  no         0.353553  0.176777
    1  2  -1  1.41421  no       -0.0106264  0.176777

# FTRL-proximal, l1 = l2 = 1/8: z = (-1, -2) and n = (1, 4) give w = (7/8)/(33/8) and (15/8)/(49/8); then z = -1 + 4 - 2 (sqrt 17 - 1) 7/33.
$ cleave trace svm two.libsvm --solver ftrl --learning-rate 0.5 --no-intercept --C 4 --l1-ratio 0.5 --epochs 1 | head -n 4
epoch  x   y     score  correct          1         2
                                         0         0
    1  1  +1         0  no        0.212121  0.306122
    1  2  -1  0.848485  no       -0.149457  0.306122

# One pass and streams use adaptive, unless an option of another solver is given.
$ cleave train svm @points6 --stream -o m.model -q; cleave explain m.model --json | grep -o '"solver":"[a-z]*"'
"solver":"adaptive"
$ cleave train svm @points6 --stream --lambda 0.1 -o m.model -q; cleave explain m.model --json | grep -o '"solver":"[a-z]*"'
"solver":"asgd"
$ cleave train lms @line4 --stream -o m.model -q; cleave explain m.model --json | grep -o '"solver":"[a-z]*"'
"solver":"adaptive"
$ cleave train lms @line4 --stream --normalize -o m.model -q; cleave explain m.model --json | grep -o '"solver":"[a-z]*"'
"solver":"sgd"

# Options without effect are errors.
$ cleave train svm @points6 --solver adaptive --C 3
cleave: --C and --solver adaptive cannot be combined
hint: adaptive has no penalty; use --solver ftrl, sgd or asgd
? 2
$ cleave train svm @points6 --solver ftrl --t0 3
cleave: a schedule and --solver ftrl cannot be combined
hint: adaptive and ftrl support --learning-rate only
? 2
$ cleave train logistic @points6 --stream --solver ftrl --lambda 0.1
cleave: --lambda with --solver ftrl needs the number of rows, which is unknown in a stream
hint: use --C, which does not depend on the number of rows
? 2
$ printf '1e308 1:1 2:1\n-1e308 2:1 3:-1\n' | cleave train lms - --solver adaptive 2>&1 | tail -n 1
hint: standardize the features and the target, or lower --learning-rate
$ cleave train lms @line4 --solver adaptive --normalize
cleave: --learning-rate-decay, --form, --normalize and --calibrate-every apply to --solver sgd
? 2
$ cleave train lms @line4 --l1-ratio 1
cleave: --C and --l1-ratio apply to --solver ftrl
? 2

# An L1 penalty leaves few weights. The model of another solver changes little.
$ cleave generate spam --rows 2000 --test-rows 500 -o mail.tsv -q; for l1 in 0 1; do cleave train logistic mail.tsv --solver ftrl --l1-ratio $l1 --C 0.1 -o m.model -q 2>/dev/null; cleave explain m.model --json --top 1000 | grep -oE '"[a-z]+":-?[0-9.]+(e-?[0-9]+)?' | grep -cv ':0$'; done
383
267
$ cleave train svm mail.tsv -o m.model -q; cleave stream svm mail-test.tsv -m m.model --solver adaptive | tail -n 2 | head -n 1
note: --solver adaptive: m.model was trained with dcd; training continues with adaptive
         500      0.60%      0.61%       0.65        2        390      7.783
