# Features are made by a recipe that is learned with the model and travels in it, whoever reads the next rows.
$ cleave generate spam --rows 2000 --test-rows 500 -o mail.tsv --quiet; cut -f2- mail-test.tsv > text.tsv; sed 's/^/\t/' text.tsv > bare.tsv

# Batch, and predictions of a model that was moved, in another locale.
$ cleave train svm mail.tsv --transform tfidf:min-df=3:max-df=0.5 -o a.model
note: mail.tsv: read as label<TAB>text (--format)
note: features by --transform tfidf:min-df=3:max-df=0.5: 382 words
read 2000 rows, 382 features, 2 classes
trained svm by dcd: 125 rounds, rows in the solver's own order
gap 1.6e-05 reached in 125 iterations
objective 113.8; primal 0.05692, dual 0.05692, gap 0.001617 %; margin 0.1137; 226 support vectors; C 1 is lambda 0.0005
on the training rows: 22 of 2000 wrong, error 1.10 %
model written to a.model
try next: cleave explain a.model, or cleave test a.model FILE on data it has not seen
$ cleave predict a.model bare.tsv > here; mkdir -p away; mv a.model away/b.model; (cd away; LC_ALL=C.UTF-8 cleave predict b.model ../bare.tsv) | cmp - here && wc -l < here
500

# One pass, with the recipe learned beforehand; a pipe cannot be looked at twice, and is not.
$ cleave train svm mail.tsv --stream --transform tfidf -o s.model -q; cleave test s.model mail-test.tsv | head -n 1
error 0.60 %, accuracy 99.40 %: 3 of 500 rows wrong
$ cat mail.tsv | cleave train svm - --format text --stream --transform tfidf -o p.model
standard input: can be read only once
hint: save it to a file, or 'cleave convert - -o data.cleave' first
? 1
$ cat mail.tsv | cleave train svm - --format text --stream -o p.model; cleave test p.model mail-test.tsv | head -n 1
note: features by --transform tfidf:idf=none (as usual for such data)
note: a stream does not say how many rows it has: --lambda 0.0001 is taken instead of --C 1
read 2000 rows, 390 features, 2 classes
trained svm by asgd: 1 round, rows as they came
model written to p.model
try next: cleave explain p.model, or cleave test p.model FILE on data it has not seen
error 0.80 %, accuracy 99.20 %: 4 of 500 rows wrong

# A stream begins with what needs no looking; a model of train goes on with its own recipe.
$ cleave stream svm mail.tsv --format text -m t.model > out; tail -n 2 out; cleave test t.model mail-test.tsv | head -n 1
note: features by --transform tfidf:idf=none (as usual for such data)
note: a stream does not say how many rows it has: --lambda 0.0001 is taken instead of --C 1
        2000     4.15 %     2.58 %      2.574        2        390      20.79
model kept in t.model
error 1.00 %, accuracy 99.00 %: 5 of 500 rows wrong
$ cleave stream svm mail-test.tsv --format text --transform tfidf -m new.model
cleave: --transform: 'tfidf' must see rows before it can be used, and here each comes but once
hint: 'cleave train', or 'cleave begin' from a sample, makes a model with it, to go on from
? 2
$ cleave stream svm mail-test.tsv --format text --transform none -m t.model
cleave: --transform none: t.model was made with auto, and goes on with it
hint: leave --transform out, or name another file for a new model
? 2
$ cleave stream svm bare.tsv --format text -m away/b.model --predictions live > out 2>&1; cut -f1 live | cmp - here && tail -n 1 out
500 rows without a label, predicted only

# Rounds by many: begin learns it from a sample.
$ cleave begin svm mail.tsv --solver sgd -o w.model -q; cleave map --model w.model mail.tsv | LC_ALL=C sort > updates; cleave reduce updates | cleave apply --model w.model -o x.model; cleave test x.model mail-test.tsv | head -n 1
round 1: 1 map task over 2000 rows, mean loss 0.0751955; not finished
model written to x.model
error 0.80 %, accuracy 99.20 %: 4 of 500 rows wrong

# Going on: the recipe is the model's.
$ cleave train svm mail.tsv --from s.model --transform none -o y.model
cleave: --transform: the model gone on from has what makes its features within it
hint: leave --transform out, or train a new model with it
? 2
$ cleave train svm mail-test.tsv --solver sgd --refit --from x.model -o y.model -q; cleave test y.model mail.tsv | head -n 1
error 1.40 %, accuracy 98.60 %: 28 of 2000 rows wrong

# What is wrong with a recipe is said.
$ cleave train svm mail.tsv --transform tfdif -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: no transformation 'tfdif'; did you mean 'tfidf'?
hint: 'cleave transforms' lists them all
? 2
$ cleave train svm mail.tsv --transform tfidf:min_df=0 -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: --min-df: expected a whole number of at least 1, found '0'
hint: leave out words of fewer documents than this
? 2
$ cleave train svm mail.tsv --transform tfidf:mindf=2 -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: --transform: tfidf has no parameter 'mindf'; did you mean 'min_df'?
? 2
$ cleave train svm mail.tsv --transform tfidf,,tfidf -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: --transform: expected the name of a transformation, found nothing
hint: as in --transform scale,polynomial:degree=2
? 2
$ cleave train svm mail.tsv --transform tfidf:tf -o z.model
note: mail.tsv: read as label<TAB>text (--format)
cleave: --transform: 'tf' of tfidf needs a value
hint: as in tfidf:tf=VALUE
? 2
$ printf '+1 1:0.5 2:1\n-1 1:2\n' > n.libsvm; cleave train svm n.libsvm --transform tfidf -o z.model
line 1: tfidf: expected counts of words, found 0.5
hint: it is for words; numbers of other kinds want --transform scale
? 1
