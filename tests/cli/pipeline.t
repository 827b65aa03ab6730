# The pipeline that computes the features is fitted with the model and stored in it.
$ cleave generate spam --rows 2000 --test-rows 500 -o mail.tsv --quiet; cut -f2- mail-test.tsv > text.tsv; sed 's/^/\t/' text.tsv > bare.tsv

# Batch predictions of a model after a move, in another locale.
$ cleave train svm mail.tsv --transform tfidf:min-df=3:max-df=0.5 -o a.model
note: mail.tsv: read as label<TAB>text (--format)
note: pipeline: --transform tfidf:min-df=3:max-df=0.5: 382 words
Read 2,000 *, 382 *, 2 * (mail.tsv). (glob)
Trained * 125 * 1.6e-05, * 113.8, 226 * (glob)
Training * 1.10% (22 * 2,000 *). (glob)
Model * a.model. (glob)
Next: * a.model * a.model. (glob)
$ cleave predict a.model bare.tsv > here; mkdir -p away; mv a.model away/b.model; (cd away; LC_ALL=C.UTF-8 cleave predict b.model ../bare.tsv) | cmp - here && wc -l < here
500

# A stream with a pipeline fitted beforehand; standard input is read once.
$ cleave train svm mail.tsv --stream --transform tfidf -o s.model -q; cleave test s.model mail-test.tsv | head -n 1
Error 0.80% (4 * 500 *, 95% * 0.25% * 2.04%), * 99.20%. (glob)
$ cat mail.tsv | cleave train svm - --format text --stream --transform tfidf -o p.model
standard input: the input can be read only once
hint: save it to a file first, or run 'cleave convert - -o data.cleave'
? 1
$ cat mail.tsv | cleave train svm - --format text --stream -o p.model; cleave test p.model mail-test.tsv | head -n 1
note: pipeline: --transform tfidf:idf=none (default for this data)
Read 2,000 rows, 390 features, 2 classes (-).
Trained svm (adaptive): one pass over the stream.
Model * p.model. (glob)
Next: * p.model * p.model. (glob)
Error 0.80% (4 * 500 *, 95% * 0.25% * 2.04%), * 99.20%. (glob)

# A stream accepts transforms that need no fitting. A model of train continues with its own pipeline.
$ cleave stream svm mail.tsv --format text -m t.model > out; tail -n 2 out; cleave test t.model mail-test.tsv | head -n 1
note: pipeline: --transform *=*) (glob)
        2000      1.95%      1.49%       0.65        2        390      11.36
Model * t.model. (glob)
Error 0.80% (4 * 500 *, 95% * 0.25% * 2.04%), * 99.20%. (glob)
$ cleave stream svm mail-test.tsv --format text --transform tfidf -m new.model
cleave: --transform: 'tfidf' must be fitted before use, and this input is read only once
hint: fit it with 'cleave train', or with 'cleave begin' on a sample, and warm-start from that model
? 2
$ cleave stream svm mail-test.tsv --format text --transform none -m t.model
cleave: --transform none: t.model was trained with 'auto' and keeps it
hint: omit --transform, or use another file for a new model
? 2
$ cleave stream svm bare.tsv --format text -m away/b.model --predictions live > out 2>&1; cut -f1 live | cmp - here && tail -n 1 out
Unlabeled: 500 rows, predicted only.

# MapReduce: begin fits the pipeline on a sample.
$ cleave begin svm mail.tsv --solver sgd -o w.model -q; cleave map --model w.model mail.tsv | LC_ALL=C sort > updates; cleave reduce updates | cleave apply --model w.model -o x.model; cleave test x.model mail-test.tsv | head -n 1
Round 1: 1 map task over 2,000 rows, mean loss 0.0751955; not finished.
Model * x.model. (glob)
Error 0.80% (4 * 500 *, 95% * 0.25% * 2.04%), * 99.20%. (glob)

# Warm start: the pipeline of the model is used.
$ cleave train svm mail.tsv --from s.model --transform none -o y.model
cleave: --transform cannot be combined with --from: the warm-start model contains a feature pipeline
hint: omit --transform, or train a new model with it
? 2
$ cleave train svm mail-test.tsv --solver sgd --refit --from x.model -o y.model -q; cleave test y.model mail.tsv | head -n 1
Error 1.40% (28 * 2,000 *, 95% * 0.97% * 2.02%), * 98.60%. (glob)

# Errors in a pipeline.
$ cleave train svm mail.tsv --transform tfdif -o z.model
note: mail.tsv: *<*>* (--format) (glob)
cleave: * 'tfdif'; * 'tfidf'\? (glob)
hint: 'cleave transforms' * (glob)
? 2
$ cleave train svm mail.tsv --transform tfidf:min_df=0 -o z.model
note: mail.tsv: *<*>* (--format) (glob)
cleave: --min-df: * 1, * '0' (glob)
hint: Minimum document frequency of a word.
? 2
$ cleave train svm mail.tsv --transform tfidf:mindf=2 -o z.model
note: mail.tsv: *<*>* (--format) (glob)
cleave: --transform: tfidf has no parameter 'mindf'; did you mean 'min_df'?
? 2
$ cleave train svm mail.tsv --transform tfidf,,tfidf -o z.model
note: mail.tsv: *<*>* (--format) (glob)
cleave: --transform: * (glob)
hint: *: --transform *=2 (glob)
? 2
$ cleave train svm mail.tsv --transform tfidf:tf -o z.model
note: mail.tsv: *<*>* (--format) (glob)
cleave: --transform: parameter 'tf' of tfidf needs a value
hint: for example: tfidf:tf=VALUE
? 2
$ printf '+1 1:0.5 2:1\n-1 1:2\n' > n.libsvm; cleave train svm n.libsvm --transform tfidf -o z.model
line 1: tfidf: expected word counts, found 0.5
hint: use tfidf for words, and --transform scale for other numbers
? 1
