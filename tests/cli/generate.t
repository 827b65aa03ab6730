$ cleave generate blobs --rows 100 --features 3 --classes 2 -o blobs.csv
Wrote 100 rows, 3 features, 2 classes to blobs.csv (2,694 bytes).
$ wc -l < blobs.csv
101

# The same seed gives the same bytes for any number of threads; another seed gives others.
$ cleave generate sparse --rows 5000 --features 1000 --nonzeros 20 --seed 3 --threads 1 -o a.libsvm --quiet
$ cleave generate sparse --rows 5000 --features 1000 --nonzeros 20 --seed 3 --threads 2 -o b.libsvm --quiet
$ cleave generate sparse --rows 5000 --features 1000 --nonzeros 20 --seed 4 -o c.libsvm --quiet
$ cmp a.libsvm b.libsvm && ! cmp -s a.libsvm c.libsvm

# A second file for testing.
$ cleave generate spam --rows 300 --test-rows 50 -o mail.tsv --quiet && wc -l mail.tsv mail-test.tsv
  300 mail.tsv
   50 mail-test.tsv
  350 total
$ cleave train perceptron mail.tsv -o mail.model --quiet && cleave test mail.model mail-test.tsv
Error 4.00% (2 * 50 *, 95% * 0.68% * 13.46%), * 96.00%. (glob)
Class 'spam': * 0.9500, * 0.9500, * 0.9500. (glob)
ROC AUC 0.9883, average precision 0.9870.

# As JSON, times aside.
$ cleave generate blobs --rows 100 --features 3 --classes 2 -o blobs.csv --json | sed -E 's/("[a-z_]*seconds":)[^,}]*/\1T/g'
{"output":"blobs.csv","rows":100,"features":3,"classes":2,"entries":300,"bytes_in":0,"bytes_out":2694,"seconds":T,"cpu_seconds":T,"warnings":[]}

# To standard output.
$ cleave generate blobs --rows 5 --features 2 -o - --quiet | wc -l
5

# Features generated from text equal those of the text written and converted.
$ cleave generate spam --rows 50 --seed 3 -o mail.tsv -q; cleave convert mail.tsv -o converted.libsvm -q; cleave generate spam --rows 50 --seed 3 -o made.libsvm -q; cmp made.libsvm converted.libsvm
$ cleave generate spam --rows 50 --seed 3 -o made.cleave -q; cleave convert made.cleave -o again.libsvm -q; cmp again.libsvm converted.libsvm

# Errors.
$ cleave generate spars -o x
cleave: unknown kind of data 'spars'
hint: * 'sparse'\? * 'cleave help generate' * (glob)
? 2
$ cleave generate sparse --rows 0 -o x.libsvm
cleave: --rows: expected a whole number of at least 1, found '0'
hint: Number of rows.
? 2
$ cleave generate sparse --rows many -o x.libsvm
cleave: --rows: * 1, * 'many' (glob)
hint: Number * (glob)
? 2
$ cleave generate sparse
cleave: generate needs -o FILE, the file to write
hint: see 'cleave generate --help'
? 2
$ ls x.libsvm
ls: * 'x.libsvm': * (glob)
? 2

# --format names the format of an output without a known suffix.
$ cleave generate blobs --rows 3 --features 2 --format csv -o - --quiet
x1,x2,label
3.3682,0.556354,2
1.98457,9.16366,0
0.685433,7.45329,0
$ cleave generate sparse --rows 3 --format cvs -o - --quiet
cleave: unknown output format 'cvs'
hint: use the suffix .cleave, .libsvm, .csv or .tsv, or set the format with --to (generate: --format)
? 2
