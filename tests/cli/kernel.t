# The hard margin of @points5, to the last digit that matters.
$ cleave train kernel-svm @points5 --kernel linear --C inf --tolerance 1e-9 -o p5.model --json | grep -oE '"(primal|dual|margin)":[0-9]\.[0-9]{6}|"(converged|support_vectors|kept_rows|train_errors|stopped_by)":[^,]*'
"converged":true
"stopped_by":"converged"
"train_errors":0
"primal":0.722222
"dual":0.722222
"margin":0.832050
"support_vectors":3
"kept_rows":3
$ cleave explain p5.model --json | grep -oE '"(weights|intercept|threshold)":(\{[^}]*\}|[-0-9.]*)'
"weights":{"x1":1,"x2":0.6666666865348816}
"intercept":-6
"threshold":6

# What nothing separates.
$ printf -- '-1 1:1 2:2\n+1 1:2 2:3\n+1 1:2 2:1\n-1 1:3 2:2\n' >four.svm
$ cleave train kernel-svm four.svm --kernel linear --C inf -o no.model
the classes are not separable: --C inf requires a margin above 5e-05 of the largest row norm
hint: use a finite --C, or a more flexible kernel (larger --gamma or --degree)
? 1
$ printf -- '-1 1:1\n+1 1:2\n+1 1:1\n' | cleave train kernel-svm - --C inf -o no.model
note: standard input: read as libsvm (--format)
note: using --gamma 4.5 = 1 / (sum of the column variances)
the classes are not separable (--C inf): training rows 1 and 3 have different classes and equal kernel values
hint: use a finite --C
? 1
$ ls
four.svm
p5.model

# A width is a gamma; both are too many. gamma as found is said aloud.
$ cleave train kernel-svm four.svm --sigma 1/2 --json -q | grep -o '"gamma":[^,]*'
"gamma":4
$ cleave train kernel-svm four.svm --sigma 1/2 --gamma 4
cleave: --gamma and --sigma cannot be combined: both set the width of the kernel
? 2
$ cleave train kernel-svm four.svm -o four.model
note: using --gamma 1 = 1 / (sum of the column variances)
Read 4 rows, 2 features, 2 classes (four.svm).
Trained kernel-svm (smo): converged after 1 iteration, duality gap 0, 4 support vectors.
Training error 0.00% (0 of 4 rows).
Model written to four.model.
Next: cleave test four.model DATA, or cleave explain four.model.

# What does not go together.
$ cleave train kernel-svm four.svm --C inf --solver sgd
cleave: --C inf and --solver sgd cannot be combined
hint: use --solver smo for a hard margin
? 2
$ cleave train kernel-svm four.svm --kernel linear --solver fourier
cleave: --solver fourier and --kernel linear cannot be combined
hint: random Fourier features approximate the gaussian kernel only
? 2
$ cleave train kernel-perceptron four.svm --gamma 0
cleave: --gamma must be above 0 for this kernel
? 2

# Values no kernel can be worked out with.
$ printf '+1 1:1e30\n-1 1:1\n' | cleave train kernel-svm - --kernel linear
note: standard input: read as libsvm (--format)
training row 1: the kernel value K(x, x) is 1e+60 and exceeds the limit of 1e+18
hint: standardize the features, or lower --gamma or --degree
? 1
$ printf '+1 1:1e30\n-1 1:1\n' | cleave train kernel-svm - -o big.model -q && printf '+1 1:1e30\n-1 1:1\n' | cleave predict big.model -
+1
-1

# Three classes, each solver, and the same model from the same seed.
$ for solver in smo sgd pegasos fourier; do cleave train kernel-svm @dogs --solver $solver --gamma 0.2 --C 10 $([ $solver = smo ] && echo --max-iterations || echo --epochs) 50 -o $solver.model -q 2>/dev/null; cleave test $solver.model @dogs | head -n 1; done
Error 0.00% (0 of 10 rows, 95% confidence interval 0.00% to 27.75%), accuracy 100.00%.
Error 0.00% (0 of 10 rows, 95% confidence interval 0.00% to 27.75%), accuracy 100.00%.
Error 0.00% (0 of 10 rows, 95% confidence interval 0.00% to 27.75%), accuracy 100.00%.
Error 0.00% (0 of 10 rows, 95% confidence interval 0.00% to 27.75%), accuracy 100.00%.
$ cleave train kernel-svm @dogs --solver fourier --gamma 0.2 --C 10 --epochs 50 -o again.model -q 2>/dev/null; cmp fourier.model again.model

# Exercise 12.2.3: four mistakes, then clean.
$ cleave train kernel-perceptron four.svm --json -q -o four.model | grep -oE '"(mistakes|epochs|converged)":[^,]*'
"epochs":2
"converged":true
"mistakes":4
$ cleave predict four.model four.svm --scores
-1	-0.7476450763642788
+1	0.7476450763642788
+1	0.7476450763642788
-1	-0.7476450763642788

# Going on: with the same rows a row that is wrong again is the point it was; with others its number says nothing, and it joins.
$ cleave train kernel-perceptron four.svm --epochs 1 --order file -o a.model -q
$ cleave train kernel-perceptron four.svm --from a.model -o same.model -q && cleave predict same.model four.svm --scores | cmp - <(cleave predict four.model four.svm --scores)
$ printf -- '+1 1:5 2:2\n-1 1:2 2:3.5\n-1 1:2 2:1\n-1 1:3 2:4\n' >other.svm
$ cleave train kernel-perceptron other.svm --refit --from a.model --epochs 1 -o then.model -q
$ cat four.svm other.svm | cleave train kernel-perceptron - --epochs 1 --order file -o both.model -q
$ cleave predict then.model other.svm --scores
+1	0.9817166407513156
-1	-0.29873462162959186
-1	-0.2542399778685649
-1	-0.1694851629436016
$ cleave predict both.model other.svm --scores
+1	0.9817166407513156
-1	-0.29873462162959186
-1	-0.2542399778685649
-1	-0.1694851629436016
$ cleave train kernel-perceptron four.svm --from a.model --degree 2 --kernel polynomial
cleave: the warm-start model was trained with another kernel
hint: leave out --kernel, --gamma, --sigma, --degree and --coef0; a warm start keeps the model's kernel
? 2
$ cleave train kernel-svm four.svm --gamma 1 -o svm.model -q
$ cleave train kernel-svm four.svm --from svm.model -o again.model --json | grep -o '"kernel_rows":[0-9]*\|"kept_rows":[0-9]*\|"gap":[^,]*'
"gap":0
"kept_rows":4
"kernel_rows":4
$ head -3 four.svm > three.svm; cleave train kernel-svm three.svm --refit --from svm.model -o three.model
note: 1 of the 4 support vectors of the warm-start model are not in the training set and are dropped
Read 3 rows, 2 features, 2 classes (three.svm).
Trained kernel-svm (smo): converged after 1 iteration, duality gap 0, 3 support vectors.
Training error 0.00% (0 of 3 rows).
Model written to three.model.
Next: cleave test three.model DATA, or cleave explain three.model.
$ cleave train kernel-svm four.svm --solver fourier --fourier-features 20 -o fourier.model -q
$ cleave train kernel-svm four.svm --from fourier.model --solver smo
cleave: the warm-start model was trained with --solver fourier and cannot continue with --solver smo
hint: random-feature models and support-vector models cannot be converted into each other
? 2
$ cleave train kernel-svm four.svm --from fourier.model --features 10
cleave: unknown option '--features'
hint: 'cleave train kernel-svm --help' lists all
? 2

# Numbers that a kernel value cannot hold are said, not cut off.
$ printf '+1 1:1e30\n-1 1:1\n' | cleave train kernel-perceptron - --kernel linear -q
training row 1: the kernel value K(x, x) is 1e+60 and exceeds the limit of 1e+38
hint: standardize the features, or lower --gamma or --degree
? 1
$ printf '+1 1:100\n-1 1:1\n' | cleave train kernel-perceptron - --kernel polynomial --degree 20 -q
training row 1: the kernel value K(x, x) is 1.002e+80 and exceeds the limit of 1e+38
hint: standardize the features, or lower --gamma or --degree
? 1
$ printf '+1 1:1e-30\n-1 1:-1e-30\n' >tiny.svm
$ cleave train kernel-perceptron tiny.svm --kernel linear -q
the largest kernel value K(x, x) is 1e-60 and is below the limit of 1e-30
hint: standardize the features
? 1
$ cleave train kernel-svm tiny.svm --kernel linear -q
the largest kernel value K(x, x) is 1e-60 and is below the limit of 1e-30
hint: standardize the features
? 1

# Steps much too long for the C: worse than no answer at all is not the end of the search.
$ cleave train kernel-svm @dogs --C 1e9 --solver pegasos --gamma 1 --epochs 30 --json -q | grep -oE '"(converged|stopped_by)":[^,]*'
"converged":false
"stopped_by":"epochs"
$ cleave train kernel-svm @dogs --C 1e9 --solver pegasos --gamma 1 --epochs 30 -o dogs.model 2>&1 | grep train:
train: not converged after 30 epochs (--epochs): the objective exceeds its value at zero weights: the steps are too large for this C; use --solver sgd or smo

# Rows that count for nothing hold up nothing.
$ printf -- '-1 1:1\n+1 1:2\n-1 1:3\n-1 1:4\n' | cleave train kernel-svm - --gamma 1 --class-weight +1=0 -q --json | grep -oE '"(support_vectors|train_errors)":[^,}]*'
"train_errors":1
"support_vectors":3
