# From a model of a solver that is not on-line: another one takes over, at the rate of a model that has had as many rows.
$ cleave generate blobs --rows 8000 --test-rows 4000 --features 20 --classes 2 --spread 2.5 --noise 0.05 -o blobs.svm --quiet; head -n 4000 blobs.svm > first.svm; tail -n 4000 blobs.svm > second.svm
$ for kind in logistic-newton logistic-lbfgs svm-dcd svm-gd; do cleave train ${kind%-*} first.svm --solver ${kind#*-} -o $kind.model --quiet; cp $kind.model $kind.before; cleave test $kind.model blobs-test.svm | head -n 1; cleave stream ${kind%-*} second.svm -m $kind.model > out; cleave test $kind.model blobs-test.svm | head -n 1; done
Error 14.07% (563 of 4,000 rows, 95% confidence interval 13.03% to 15.19%), accuracy 85.93%.
note: logistic-newton.model was trained with --solver newton, which needs all rows in memory; training continues with --solver asgd
Error 14.10% (564 of 4,000 rows, 95% confidence interval 13.06% to 15.21%), accuracy 85.90%.
Error 14.07% (563 of 4,000 rows, 95% confidence interval 13.03% to 15.19%), accuracy 85.93%.
note: logistic-lbfgs.model was trained with --solver lbfgs, which needs all rows in memory; training continues with --solver asgd
Error 14.10% (564 of 4,000 rows, 95% confidence interval 13.06% to 15.21%), accuracy 85.90%.
Error 14.03% (561 of 4,000 rows, 95% confidence interval 12.98% to 15.14%), accuracy 85.97%.
note: svm-dcd.model was trained with --solver dcd, which needs all rows in memory; training continues with --solver asgd
Error 13.98% (559 of 4,000 rows, 95% confidence interval 12.94% to 15.08%), accuracy 86.02%.
Error 13.88% (555 of 4,000 rows, 95% confidence interval 12.84% to 14.98%), accuracy 86.12%.
note: svm-gd.model was trained with --solver gd, which needs all rows in memory; training continues with --solver asgd
Error 13.83% (553 of 4,000 rows, 95% confidence interval 12.79% to 14.93%), accuracy 86.17%.

# The same by one that was asked for.
$ cp logistic-newton.before sgd.model; cleave stream logistic second.svm --solver sgd -m sgd.model --quiet; cleave test sgd.model blobs-test.svm | head -n 1
Error 14.17% (567 of 4,000 rows, 95% confidence interval 13.13% to 15.29%), accuracy 85.82%.
$ cp svm-dcd.before sgd.model; cleave stream svm second.svm --solver sgd -m sgd.model --quiet; cleave test sgd.model blobs-test.svm | head -n 1
Error 13.98% (559 of 4,000 rows, 95% confidence interval 12.94% to 15.08%), accuracy 86.02%.
$ cp svm-dcd.before no.model; cleave stream svm second.svm --solver dcd -m no.model
cleave: 'svm' with these options needs all rows in memory and cannot learn online
hint: run 'cleave help stream' for the methods that learn online
? 2

# Stopped on its first rows, it ends the same.
$ cp svm-dcd.before part.model; for n in 1 50 127 130 2000; do head -n $n second.svm | cleave stream svm -m part.model --quiet; done; cat second.svm | cleave stream svm -m part.model --quiet; cmp part.model svm-dcd.model

# A model of text.
$ cleave generate spam --rows 2000 --test-rows 500 -o mail.tsv --quiet; cleave train svm mail.tsv -o spam.model --quiet; cleave test spam.model mail-test.tsv | head -n 1
Error 1.00% (5 of 500 rows, 95% confidence interval 0.37% to 2.32%), accuracy 99.00%.
$ cleave stream svm mail-test.tsv -m spam.model > out; tail -n 2 out; cleave test spam.model mail.tsv | head -n 1
note: spam.model was trained with --solver dcd, which needs all rows in memory; training continues with --solver asgd
         500      1.00%      1.06%    0.02233        2        390      8.667
Model written to spam.model.
Error 1.10% (22 of 2,000 rows, 95% confidence interval 0.73% to 1.66%), accuracy 98.90%.

# Options that are not the model's are told, and those that are the same are not.
$ cleave stream svm mail-test.tsv --solver asgd --C 3 -m mail.model > out; cleave stream svm mail-test.tsv --solver asgd --C 3 -m mail.model > out
note: mail-test.tsv: read as label<TAB>text (--format)
note: pipeline: --transform tfidf:idf=none (default for this data)
note: the number of rows of a stream is unknown: using --lambda 0.0001 instead of --C 3
note: mail.model keeps its --lambda 0.0001; --C has no effect on a warm start
note: resuming after 500 examples; the first 109.5 kB of the input are skipped
note: no new examples
$ cleave train svm mail.tsv --C 2 -o c.model --quiet; cp c.model c2.model; cat mail-test.tsv | cleave stream svm --C 3 -m c.model --quiet; head -n 9 mail-test.tsv | cleave stream svm --C 3 -m c2.model --quiet; cat mail-test.tsv | cleave stream svm --C 3 -m c2.model --quiet; cmp c.model c2.model
$ cleave stream svm mail-test.tsv --solver sgd --lambda 0.01 -m mail.model > out
note: --lambda 0.01: mail.model was trained with 0.0001; training continues with 0.01
note: --solver sgd: mail.model was trained with asgd; training continues with sgd
note: resuming after 500 examples; the first 109.5 kB of the input are skipped
note: no new examples
$ cleave stream perceptron mail-test.tsv --average --learning-rate 1/2 -m p.model --quiet; cleave stream perceptron mail-test.tsv --average --learning-rate 0.5 -m p.model; cleave stream perceptron mail-test.tsv --learning-rate 1 --learn-threshold -m p.model
note: resuming after 500 examples; the first 109.5 kB of the input are skipped
Model written to p.model.
note: no new examples
note: --learning-rate 1: p.model was trained with 0.5; training continues with 1
note: --learn-threshold true: p.model was trained with false; training continues with true
note: resuming after 500 examples; the first 109.5 kB of the input are skipped
Model written to p.model.
note: no new examples
