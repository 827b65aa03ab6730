# A LIBLINEAR model as it came, and back: the same bytes.
$ cat > two.ll <<'E'
> solver_type L2R_L2LOSS_SVC_DUAL
> nr_class 2
> label 1 -1
> nr_feature 3
> bias 1
> w
> -0.012310041906937987 
> 0.72435440565754505 
> -0.41976138575549499 
> -0.17896482260602734 
> E
$ cleave convert-model two.ll two.model
Wrote the model of 'svm' to two.model.
$ cleave convert-model two.model again.ll --format liblinear --quiet && cmp two.ll again.ll
$ printf '1 1:0.5 2:1 3:1\n-1 1:1 3:2\n' > two.libsvm
$ cleave predict two.model two.libsvm --scores
1	0.11947317634255375
-1	-1.0307976360239552
$ cleave convert-model two.ll - --format c | grep -c 0.724354405657545
1

# Regression, and several classes.
$ printf 'solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature 2\nbias -1\nw\n1.5 \n-0.25 \n' > number.ll
$ cleave convert-model number.ll number.model --json
{"output":"number.model","method":"svr","features":2,"classes":0,"warnings":[]}
$ cleave convert-model number.model - --format liblinear | cmp - number.ll
$ printf 'solver_type MCSVM_CS\nnr_class 3\nlabel 7 -2 0\nnr_feature 2\nbias 0.5\nw\n1 2 3 \n4 5 6 \n7 8 9 \n' > three.ll
$ cleave convert-model three.ll three.model --quiet; cleave convert-model three.model - --format liblinear | cmp - three.ll
$ printf '? 1:1 2:-1\n' | cleave predict three.model - --scores
#label	7	-2	0
0	0.5	1	1.5

# LIBSVM.
$ cat > two.svm <<'E'
> svm_type c_svc
> kernel_type rbf
> gamma 0.33333333333333331
> nr_class 2
> total_sv 5
> rho 0.30308883637189865
> label 1 -1
> probA 1.1893815032859221
> probB 0.96734809653602949
> nr_sv 2 3
> SV
> 1 1:0.708333 2:1 3:1 
> 1 1:0.166667 2:1 3:-0.333333 
> -0.45262085782403239 1:0.583333 2:-1 3:0.333333 
> -1 1:0.458333 2:1 3:1 
> -0.54737914217596761 1:0.875 2:-1 3:-0.333333 
> E
$ cleave convert-model two.svm two.model --quiet && cleave convert-model two.model again.svm --format libsvm --quiet && cmp two.svm again.svm
# A large index costs no memory: only the columns that occur are kept, under their numbers.
$ sed 's/rbf/linear/; s/ 3:/ 2000000000:/; /^gamma/d; /^prob/d' two.svm > gap.svm; cleave convert-model gap.svm gap.model
note: gap.svm: 3 of 2000000000 columns have values; the other columns are ignored
Wrote * gap.model. (glob)
$ printf '1 1:0.5 2:1 2000000000:1\n-1 1:1 3:2\n' | cleave predict gap.model - --scores | cut -f 2
1.2320050224661827
-0.629407249391079
$ cleave convert-model gap.model - --format libsvm | cmp - gap.svm; [ $(stat -c %s gap.model) -lt 10000 ]

# What cleave does not have is refused.
$ sed 's/L2R_L2LOSS_SVC_DUAL/ONECLASS_SVM/' two.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:1: solver type 'ONECLASS_SVM' is not supported
? 1
$ sed 's/c_svc/epsilon_svr/' two.svm > bad.svm; cleave convert-model bad.svm bad.model
bad.svm:1: svm type 'epsilon_svr' is not supported
? 1
$ sed 's/rbf/sigmoid/' two.svm > bad.svm; cleave convert-model bad.svm bad.model
bad.svm:2: kernel type 'sigmoid' is not supported
? 1
$ sed 's/nr_class 2/nr_class 3/' two.svm > bad.svm; cleave convert-model bad.svm bad.model
bad.svm:4: a model of 3 classes is not supported, only of two
? 1
$ sed 's/MCSVM_CS/MCSVM_CS/;s/nr_class 3/nr_class 2/;s/label 7 -2 0/label 7 0/' three.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:6: MCSVM_CS with two classes is not supported
? 1
$ cleave train svm @dogs --transform none -o dogs.model --quiet; cleave convert-model dogs.model dogs.ll --format liblinear
cleave: a model of 'svm' cannot be exported as liblinear: the label 'Chihuahua' is not an integer
hint: train with integers as labels
? 2
$ cleave train svm @points5 --transform scale -o scaled.model --quiet; cleave convert-model scaled.model scaled.ll --format liblinear
cleave: a model of 'svm' cannot be exported as liblinear: the format has no pipelines
hint: train with --transform none
? 2
$ cleave convert-model scaled.model x.ll
cleave: x.ll: the suffix does not name a model format
hint: pass --format; formats: c, onnx, lightgbm, liblinear, libsvm
? 2
$ cleave train kernel-svm @dogs --transform none -o dogs.model --quiet; cleave convert-model dogs.model dogs.svm --format libsvm
cleave: a model of 'kernel-svm' cannot be exported as libsvm: it has 3 classes; LIBSVM has a model for each pair of classes
? 2
$ cleave convert-model two.model two.ll --format liblinear
cleave: a model of 'kernel-svm' cannot be exported as liblinear: it is not a linear model
? 2

# Damaged files have their line in the message.
$ sed '8s/0.7/zero/' two.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:8: a weight: 'zero2435440565754505' is not valid
? 1
$ sed '8s/^/nan /' two.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:8: * (glob)
? 1
$ sed '8s/$/7/' two.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:8: unexpected '7' at the end of the line
? 1
$ head -n 9 two.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:9: the file ends after 3 of 4 lines of weights
? 1
$ (cat two.ll; echo 1) > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:11: the file has more lines of weights than 'nr_feature'
? 1
$ sed 's/label 1 -1/label 1 1/' two.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:3: label 1 occurs twice
? 1
$ sed 's/nr_feature 3/nr_feature 2147483646/' two.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:10: *2147483647* (glob)
? 1
$ sed '3d' two.ll > bad.ll; cleave convert-model bad.ll bad.model
bad.ll:5: the number of labels differs from 'nr_class'
? 1
$ sed 's/ 2:1 / 0:1 /' two.svm > bad.svm; cleave convert-model bad.svm bad.model
bad.svm:12: expected an index above 1 and a number, found '0:1'
? 1
$ sed 's/ 2:1 / 2:1e60 /' two.svm > bad.svm; cleave convert-model bad.svm bad.model
bad.svm:12: *2:1e60* (glob)
? 1
$ head -n 14 two.svm > bad.svm; cleave convert-model bad.svm bad.model
bad.svm:14: found 3 support vectors, but 'total_sv' is 5
? 1
$ sed 's/gamma 0.3/gamma -0.3/' two.svm > bad.svm; cleave convert-model bad.svm bad.model
bad.svm:11: gamma must be above 0
? 1
$ echo 1 > bad.ll; cleave convert-model bad.ll bad.model
bad.ll: the file is not a model of LIBLINEAR or LIBSVM
hint: the first line of a LIBLINEAR model is 'solver_type ...', that of a LIBSVM model 'svm_type ...'
? 1
$ cleave convert-model /dev/zero bad.model
/dev/zero: the file is not a model of LIBLINEAR or LIBSVM
...
? 1

# An imported model is a model: it can be explained, evaluated, updated and exported.
$ cleave convert-model two.ll two.model --quiet; cleave test two.model two.libsvm --json | grep -o '"error_rate":[0-9]*'
"error_rate":0
$ cleave update two.model two.libsvm -o new.model --quiet; cleave predict new.model two.libsvm
1
-1

# The Gaussian kernel counts columns that no support vector has, as LIBSVM does: K = e^-(gamma (x - z)^2) over all columns.
$ printf 'svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 \n-1 2:1 \n' > gaussian.svm; cleave convert-model gaussian.svm gaussian.model -q
$ printf '1 1:1\n1 1:1 7:2\n1 1:1 2:1 900000:1\n' | cleave predict gaussian.model - --scores | awk '{ e = NR == 1 ? 1 - exp(-1) - .1 : NR == 2 ? exp(-2) * (1 - exp(-1)) - .1 : -.1; d = $2 - e; print $1, (d < 1e-6 && d > -1e-6) }'
1 1
-1 1
-1 1
% svm-predict
$ awk 'BEGIN { srand(3); for (i = 0; i < 60; i++) { printf "%d", i % 2 ? 1 : -1; for (j = 1; j < 6; j++) if (rand() < .7) printf " %d:%g", j, rand() + (i % 2) * .3; print "" } }' > some.libsvm; awk '{ print $0 " 8:" NR / 60 " 40:1.5" }' some.libsvm > wider.libsvm
$ for t in 0 1 2; do svm-train -q -t $t some.libsvm svm.txt; svm-predict -q wider.libsvm svm.txt svm.out; cleave convert-model svm.txt svm.model -q; cleave predict svm.model wider.libsvm | cmp - svm.out && echo same; done
same
same
same
