# A warm start from a model of a batch solver: an online solver continues, with the learning rate after as many rows.
$ cleave generate blobs --rows 8000 --test-rows 4000 --features 20 --classes 2 --spread 2.5 --noise 0.05 -o blobs.svm --quiet; head -n 4000 blobs.svm > first.svm; tail -n 4000 blobs.svm > second.svm
$ for kind in logistic-newton logistic-lbfgs svm-dcd svm-gd; do cleave train ${kind%-*} first.svm --solver ${kind#*-} -o $kind.model --quiet; cp $kind.model $kind.before; cleave test $kind.model blobs-test.svm | head -n 1; cleave stream ${kind%-*} second.svm -m $kind.model > out; cleave test $kind.model blobs-test.svm | head -n 1; done
Error 14.07% (563 * 4,000 *, 95% * 13.03% * 15.19%), * 85.93%. (glob)
note: logistic-newton.model was trained with --solver newton, which needs all rows in memory; training continues with --solver asgd
Error 14.10% (564 * 4,000 *, 95% * 13.06% * 15.21%), * 85.90%. (glob)
Error 14.07% (563 * 4,000 *, 95% * 13.03% * 15.19%), * 85.93%. (glob)
note: logistic-lbfgs.model was trained with --solver lbfgs, which needs all rows in memory; training continues with --solver asgd
Error 14.10% (564 * 4,000 *, 95% * 13.06% * 15.21%), * 85.90%. (glob)
Error 14.03% (561 * 4,000 *, 95% * 12.98% * 15.14%), * 85.97%. (glob)
note: svm-dcd.model was trained with --solver dcd, which needs all rows in memory; training continues with --solver asgd
Error 13.98% (559 * 4,000 *, 95% * 12.94% * 15.08%), * 86.02%. (glob)
Error 13.88% (555 * 4,000 *, 95% * 12.84% * 14.98%), * 86.12%. (glob)
note: svm-gd.model was trained with --solver gd, which needs all rows in memory; training continues with --solver asgd
Error 13.83% (553 * 4,000 *, 95% * 12.79% * 14.93%), * 86.17%. (glob)

# The same with a given solver.
$ cp logistic-newton.before sgd.model; cleave stream logistic second.svm --solver sgd -m sgd.model --quiet; cleave test sgd.model blobs-test.svm | head -n 1
Error 14.17% (567 * 4,000 *, 95% * 13.13% * 15.29%), * 85.82%. (glob)
$ cp svm-dcd.before sgd.model; cleave stream svm second.svm --solver sgd -m sgd.model --quiet; cleave test sgd.model blobs-test.svm | head -n 1
Error 13.98% (559 * 4,000 *, 95% * 12.94% * 15.08%), * 86.02%. (glob)
$ cp svm-dcd.before no.model; cleave stream svm second.svm --solver dcd -m no.model
cleave: 'svm' with these options needs all rows in memory and cannot learn online
hint: use --solver sgd
? 2

# An interrupted and resumed stream gives the same model.
$ cp svm-dcd.before part.model; for n in 1 50 127 130 2000; do head -n $n second.svm | cleave stream svm -m part.model --quiet; done; cat second.svm | cleave stream svm -m part.model --quiet; cmp part.model svm-dcd.model

# The rows of the warm-start model count, once.
$ cleave explain svm-dcd.model | head -n 1; cleave explain part.model | head -n 1
svm, trained on 8,000 rows by cleave 0.1.0, seed 1
svm, trained on 8,000 rows by cleave 0.1.0, seed 1

# A model of text.
$ cleave generate spam --rows 2000 --test-rows 500 -o mail.tsv --quiet; cleave train svm mail.tsv -o spam.model --quiet; cleave test spam.model mail-test.tsv | head -n 1
Error 1.00% (5 * 500 *, 95% * 0.37% * 2.32%), * 99.00%. (glob)
$ cleave stream svm mail-test.tsv -m spam.model > out; tail -n 2 out; cleave test spam.model mail.tsv | head -n 1
note: spam.model * --solver * --solver * (glob)
         500      1.00%      1.06%    0.02233        2        390      8.667
Model * spam.model. (glob)
Error 1.10% (22 * 2,000 *, 95% * 0.73% * 1.66%), * 98.90%. (glob)

# Options that differ from those of the model give a warning; equal ones do not.
$ cleave stream svm mail-test.tsv --solver asgd --C 3 -m mail.model > out; cleave stream svm mail-test.tsv --solver asgd --C 3 -m mail.model > out
note: mail-test.tsv: *<*>* (--format) (glob)
note: pipeline: --transform *=*) (glob)
note: * --lambda 0.0001 * --* 3 (glob)
note: mail.model keeps its --lambda 0.0001; --C has no effect on a warm start
note: resuming after 500 examples; the first 109.5 kB of the input are skipped
note: * (glob)
$ cleave train svm mail.tsv --C 2 -o c.model --quiet; cp c.model c2.model; cat mail-test.tsv | cleave stream svm --C 3 -m c.model --quiet; head -n 9 mail-test.tsv | cleave stream svm --C 3 -m c2.model --quiet; cat mail-test.tsv | cleave stream svm --C 3 -m c2.model --quiet; cmp c.model c2.model
$ cleave stream svm mail-test.tsv --solver sgd --lambda 0.01 -m mail.model > out
note: --lambda 0.01: mail.model was trained with 0.0001; training continues with 0.01
note: --solver sgd: mail.model was trained with asgd; training continues with sgd
note: * 500 * 109.5 * (glob)
note: * (glob)
$ cleave stream perceptron mail-test.tsv --average --learning-rate 1/2 -m p.model --quiet; cleave stream perceptron mail-test.tsv --average --learning-rate 0.5 -m p.model; cleave stream perceptron mail-test.tsv --learning-rate 1 --learn-threshold -m p.model
note: * 500 * 109.5 * (glob)
Model * p.model. (glob)
note: * (glob)
note: --learning-rate 1: p.model * 0.5; * 1 (glob)
note: --learn-threshold true: p.model was trained with false; training continues with true
note: * 500 * 109.5 * (glob)
Model * p.model. (glob)
note: * (glob)
