# Features are made by a recipe that is learned with the model and travels in it, whoever reads the next rows.
$ cleave generate spam --rows 2000 --test-rows 500 -o mail.tsv --quiet; cut -f2- mail-test.tsv > text.tsv; sed 's/^/\t/' text.tsv > bare.tsv

# Batch, and predictions of a model that was moved, in another locale.
$ cleave train svm mail.tsv --transform tfidf:min-df=3:max-df=0.5 -o a.model
note: mail.tsv: read as label<TAB>text (--format)
note: pipeline: --transform tfidf:min-df=3:max-df=0.5: 382 words
Read 2,000 rows, 382 features, 2 classes (mail.tsv).
Trained svm (dcd): converged after 125 iterations, duality gap 1.6e-05, objective 113.8, 226 support vectors.
Training error 1.10% (22 of 2,000 rows).
Model written to a.model.
Next: cleave test a.model DATA, or cleave explain a.model.
$ cleave predict a.model bare.tsv > here; mkdir -p away; mv a.model away/b.model; (cd away; LC_ALL=C.UTF-8 cleave predict b.model ../bare.tsv) | cmp - here && wc -l < here
500

# One pass, with the recipe learned beforehand; a pipe cannot be looked at twice, and is not.
$ cleave train svm mail.tsv --stream --transform tfidf -o s.model -q; cleave test s.model mail-test.tsv | head -n 1
Error 0.60% (3 of 500 rows, 95% confidence interval 0.15% to 1.75%), accuracy 99.40%.
$ cat mail.tsv | cleave train svm - --format text --stream --transform tfidf -o p.model
standard input: the input can be read only once
hint: save it to a file first, or run 'cleave convert - -o data.cleave'
? 1
$ cat mail.tsv | cleave train svm - --format text --stream -o p.model; cleave test p.model mail-test.tsv | head -n 1
note: pipeline: --transform tfidf:idf=none (default for this data)
note: the number of rows of a stream is unknown: using --lambda 0.0001 instead of --C 1
Read 2,000 rows, 390 features, 2 classes (-).
Trained svm (asgd): one pass over the stream.
Model written to p.model.
Next: cleave test p.model DATA, or cleave explain p.model.
Error 0.80% (4 of 500 rows, 95% confidence interval 0.25% to 2.04%), accuracy 99.20%.

# A stream begins with what needs no looking; a model of train goes on with its own recipe.
$ cleave stream svm mail.tsv --format text -m t.model > out; tail -n 2 out; cleave test t.model mail-test.tsv | head -n 1
note: pipeline: --transform tfidf:idf=none (default for this data)
note: the number of rows of a stream is unknown: using --lambda 0.0001 instead of --C 1
        2000      4.15%      2.58%      2.574        2        390      20.79
Model written to t.model.
Error 1.00% (5 of 500 rows, 95% confidence interval 0.37% to 2.32%), accuracy 99.00%.
$ cleave stream svm mail-test.tsv --format text --transform tfidf -m new.model
cleave: --transform: 'tfidf' must be fitted before use, and this input is read only once
hint: fit it with 'cleave train', or with 'cleave begin' on a sample, and warm-start from that model
? 2
$ cleave stream svm mail-test.tsv --format text --transform none -m t.model
cleave: --transform none: t.model was trained with 'auto' and keeps it
hint: omit --transform, or name another file for a new model
? 2
$ cleave stream svm bare.tsv --format text -m away/b.model --predictions live > out 2>&1; cut -f1 live | cmp - here && tail -n 1 out
Unlabeled: 500 rows, predicted only.

# Rounds by many: begin learns it from a sample.
$ cleave begin svm mail.tsv --solver sgd -o w.model -q; cleave map --model w.model mail.tsv | LC_ALL=C sort > updates; cleave reduce updates | cleave apply --model w.model -o x.model; cleave test x.model mail-test.tsv | head -n 1
Round 1: 1 map task over 2,000 rows, mean loss 0.0751955; not finished.
Model written to x.model.
Error 0.80% (4 of 500 rows, 95% confidence interval 0.25% to 2.04%), accuracy 99.20%.

# Going on: the recipe is the model's.
$ cleave train svm mail.tsv --from s.model --transform none -o y.model
cleave: --transform cannot be combined with --from: the warm-start model contains a feature pipeline
hint: omit --transform, or train a new model with it
? 2
$ cleave train svm mail-test.tsv --solver sgd --refit --from x.model -o y.model -q; cleave test y.model mail.tsv | head -n 1
Error 1.40% (28 of 2,000 rows, 95% confidence interval 0.97% to 2.02%), accuracy 98.60%.

# What is wrong with a recipe is said.
$ cleave train svm mail.tsv --transform tfdif -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: unknown transform 'tfdif'; did you mean 'tfidf'?
hint: 'cleave transforms' lists all transforms
? 2
$ cleave train svm mail.tsv --transform tfidf:min_df=0 -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: --min-df: expected a whole number of at least 1, found '0'
hint: Minimum document frequency of a word.
? 2
$ cleave train svm mail.tsv --transform tfidf:mindf=2 -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: --transform: tfidf has no parameter 'mindf'; did you mean 'min_df'?
? 2
$ cleave train svm mail.tsv --transform tfidf,,tfidf -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: --transform: expected the name of a transform, found nothing
hint: for example: --transform scale,polynomial:degree=2
? 2
$ cleave train svm mail.tsv --transform tfidf:tf -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: --transform: parameter 'tf' of tfidf needs a value
hint: for example: tfidf:tf=VALUE
? 2
$ printf '+1 1:0.5 2:1\n-1 1:2\n' > n.libsvm; cleave train svm n.libsvm --transform tfidf -o z.model
line 1: tfidf: expected word counts, found 0.5
hint: use tfidf for words, and --transform scale for other numbers
? 1
