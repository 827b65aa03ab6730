# The hard margin of @points5, to full precision.
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

# Data that no hyperplane separates.
$ printf -- '-1 1:1 2:2\n+1 1:2 2:3\n+1 1:2 2:1\n-1 1:3 2:2\n' >four.svm
$ cleave train kernel-svm four.svm --kernel linear --C inf -o no.model
the classes are not separable: --C inf requires a margin above 5e-05 of the largest row norm
hint: use a finite --C, or a more flexible kernel (larger --gamma or --degree)
? 1
$ printf -- '-1 1:1\n+1 1:2\n+1 1:1\n' | cleave train kernel-svm - --C inf -o no.model
note: * (--format) (glob)
note: using --gamma 4.5 = 1 / (sum of the column variances)
the classes are not separable (--C inf): training rows 1 and 3 have different classes and equal kernel values
hint: use a finite --C
? 1
$ ls
four.svm
p5.model

# --sigma sets gamma; both together are an error. A note prints an estimated gamma.
$ cleave train kernel-svm four.svm --sigma 1/2 --json -q | grep -o '"gamma":[^,]*'
"gamma":4
$ cleave train kernel-svm four.svm --sigma 1/2 --gamma 4
cleave: --gamma and --sigma cannot be combined: both set the width of the kernel
? 2
$ cleave train kernel-svm four.svm -o four.model
note: * --gamma 1 = 1 / (*) (glob)
Read 4 *, 2 *, 2 * (four.svm). (glob)
Trained * 0, 4 * (glob)
Training * 0.00% (0 * 4 *). (glob)
Model * four.model. (glob)
Next: * four.model * four.model. (glob)

# Unsupported combinations.
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

# Values for which a kernel overflows.
$ printf '+1 1:1e30\n-1 1:1\n' | cleave train kernel-svm - --kernel linear
note: * (--format) (glob)
training row 1: the kernel value K(x, x) is 1e+60 and exceeds the limit of 1e+18
hint: standardize the features, or lower --gamma or --degree
? 1
$ printf '+1 1:1e30\n-1 1:1\n' | cleave train kernel-svm - -o big.model -q && printf '+1 1:1e30\n-1 1:1\n' | cleave predict big.model -
+1
-1

# Three classes, each solver, and the same model from the same seed.
$ for solver in smo sgd pegasos fourier; do cleave train kernel-svm @dogs --solver $solver --gamma 0.2 --C 10 $([ $solver = smo ] && echo --max-iterations || echo --epochs) 50 -o $solver.model -q 2>/dev/null; cleave test $solver.model @dogs | head -n 1; done
Error 0.00% (0 * 10 *, 95% * 0.00% * 27.75%), * 100.00%. (glob)
Error 0.00% (0 * 10 *, 95% * 0.00% * 27.75%), * 100.00%. (glob)
Error 0.00% (0 * 10 *, 95% * 0.00% * 27.75%), * 100.00%. (glob)
Error 0.00% (0 * 10 *, 95% * 0.00% * 27.75%), * 100.00%. (glob)
$ cleave train kernel-svm @dogs --solver fourier --gamma 0.2 --C 10 --epochs 50 -o again.model -q 2>/dev/null; cmp fourier.model again.model

# Exercise 12.2.3: four mistakes, then an epoch without mistakes.
$ cleave train kernel-perceptron four.svm --json -q -o four.model | grep -oE '"(mistakes|epochs|converged)":[^,]*'
"epochs":2
"converged":true
"mistakes":4
$ cleave predict four.model four.svm --scores
-1	-0.7476450763642788
+1	0.7476450763642788
+1	0.7476450763642788
-1	-0.7476450763642788

# Warm start: with the same rows, a repeated mistake increases the coefficient of its point. With other rows, it adds a point.
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
hint: omit --kernel, --gamma, --sigma, --degree and --coef0; a warm start keeps the model's kernel
? 2
$ cleave train kernel-svm four.svm --gamma 1 -o svm.model -q
$ cleave train kernel-svm four.svm --from svm.model -o again.model --json | grep -o '"kernel_rows":[0-9]*\|"kept_rows":[0-9]*\|"gap":[^,]*'
"gap":0
"kept_rows":4
"kernel_rows":4
$ head -3 four.svm > three.svm; cleave train kernel-svm three.svm --refit --from svm.model -o three.model
note: 1 * 4 * (glob)
Read 3 *, 2 *, 2 * (three.svm). (glob)
Trained * 0, 3 * (glob)
Training * 0.00% (0 * 3 *). (glob)
Model * three.model. (glob)
Next: * three.model * three.model. (glob)
$ cleave train kernel-svm four.svm --solver fourier --fourier-features 20 -o fourier.model -q
$ cleave train kernel-svm four.svm --from fourier.model --solver smo
cleave: the warm-start model was trained with --solver fourier and cannot continue with --solver smo
hint: random-feature models and support-vector models cannot be converted into each other
? 2
$ cleave train kernel-svm four.svm --from fourier.model --features 10
cleave: unknown option '--features'
hint: '--features' is an option of 'cleave generate', 'cleave plan'; 'cleave train kernel-svm --help' lists all options of train
? 2

# Kernel values that overflow are an error.
$ printf '+1 1:1e30\n-1 1:1\n' | cleave train kernel-perceptron - --kernel linear -q
training row 1: the kernel value K(x, x) is 1e+60 and exceeds the limit of 1e+38
hint: * --gamma * --degree (glob)
? 1
$ printf '+1 1:100\n-1 1:1\n' | cleave train kernel-perceptron - --kernel polynomial --degree 20 -q
training row 1: the kernel value K(x, x) is 1.002e+80 and exceeds the limit of 1e+38
hint: * --gamma * --degree (glob)
? 1
$ printf '+1 1:1e-30\n-1 1:-1e-30\n' >tiny.svm
$ cleave train kernel-perceptron tiny.svm --kernel linear -q
the largest kernel value K(x, x) is 1e-60 and is below the limit of 1e-30
hint: standardize the features
? 1
$ cleave train kernel-svm tiny.svm --kernel linear -q
the largest kernel value K(x, x) is 1e-60 and is below the limit of 1e-30
hint: * (glob)
? 1

# Steps much too long for this C: an objective worse than at zero weights does not end the search.
$ cleave train kernel-svm @dogs --C 1e9 --solver pegasos --gamma 1 --epochs 30 --json -q | grep -oE '"(converged|stopped_by)":[^,]*'
"converged":false
"stopped_by":"epochs"
$ cleave train kernel-svm @dogs --C 1e9 --solver pegasos --gamma 1 --epochs 30 -o dogs.model 2>&1 | grep train:
train: not converged after 30 epochs (--epochs): the objective exceeds its value at zero weights: the steps are too large for this C; use --solver sgd or smo

# Rows of weight 0 do not delay convergence.
$ printf -- '-1 1:1\n+1 1:2\n-1 1:3\n-1 1:4\n' | cleave train kernel-svm - --gamma 1 --class-weight +1=0 -q --json | grep -oE '"(support_vectors|train_errors)":[^,}]*'
"train_errors":1
"support_vectors":3

# Options of another kernel are refused.
$ for o in '--kernel linear --sigma 2' '--degree 4' '--kernel linear --coef0 2'; do cleave train kernel-svm @dogs $o -o no.model -q; done
cleave: --sigma applies to --kernel gaussian
hint: leave it out, or use --kernel gaussian
cleave: --degree and --coef0 apply to --kernel polynomial
hint: leave them out, or add --kernel polynomial
cleave: --degree * (glob)
hint: leave * (glob)
? 2
