# The VA-file answers as the scan does, from a model in a file, whatever its codes; its options, and what it is not for.
$ cleave generate blobs --rows 3000 --features 40 -o points.csv --quiet
$ for i in scan vafile "vafile --parts 8" "vafile --bits 4" "vafile --bits 8" "vafile --bits 4 --parts 13"; do cleave train knn points.csv --index $i -o m.model --quiet; cleave predict m.model points.csv --scores 2>/dev/null | cksum; done
2567561864 33279
2567561864 33279
2567561864 33279
2567561864 33279
2567561864 33279
2567561864 33279
$ cleave train knn points.csv --parts 8 -o m.model --quiet
cleave: --parts requires --index vafile, found --index auto
hint: add --index vafile, or leave out the option
? 2
$ cleave train knn points.csv --index scan --parts 8 -o m.model --quiet
cleave: --parts requires --index vafile, found --index scan
hint: add --index vafile, or leave out the option
? 2
$ cleave train knn points.csv --index vafile --parts 513 -o m.model --quiet
cleave: --parts: expected a whole number from 0 to 512, found '513'
hint: vafile: components of a code (0: chosen on a sample).
? 2
$ cleave train knn points.csv --index vafile --distance manhattan -o m.model --quiet
cleave: --index vafile supports the euclidean distance, not manhattan
hint: --index scan supports every distance
? 2
$ printf '+1 3000:1\n-1 1:1\n' > wide.libsvm; cleave train knn wide.libsvm --index vafile --k 1 -o m.model --quiet
cleave: --index vafile supports at most 2048 columns, found 3000
hint: --index scan supports any number of columns
? 2
$ cleave train knn points.csv --index vafile --bits 4 --parts 13 -o m.model
note: points.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 3 classes in the first 2877 rows; columns: 40 number (--columns)
note: pipeline: --transform impute,scale (default for this data): 40 columns of numbers centered and scaled
Read 3,000 rows, 40 features, 3 classes (points.csv).
Trained knn: 3000 points, 5 neighbors per prediction, codes of 13 components with 4 bits each.
Model written to m.model.
Next: cleave test m.model DATA, or cleave explain m.model.
$ cleave explain m.model | grep ^distance
distance   euclidean, index vafile, codes of 13 components with 4 bits each
$ cleave explain m.model --json | grep -o '"code_[a-z]*":[0-9]*'
"code_parts":13
"code_bits":4
$ cleave train knn points.csv --index vafile -o m.model --quiet; cleave explain m.model | grep ^distance
distance   euclidean, index vafile, codes of 40 components with 8 bits each
$ cleave train knn points.csv --index scan -o m.model --quiet; cleave explain m.model | grep ^distance
distance   euclidean, index scan
$ cleave train knn points.csv --index scan --bits 4 -o m.model --quiet
cleave: --bits requires --index vafile, found --index scan
hint: add --index vafile, or leave out the option
? 2
$ cleave train knn points.csv --bits 8 -o m.model --quiet
cleave: --bits requires --index vafile, found --index auto
hint: add --index vafile, or leave out the option
? 2
$ cleave train knn points.csv --index vafile --bits 5 -o m.model --quiet
cleave: --bits 5: expected 4 or 8 bits per component, or 0
hint: 0 (the default) chooses the number of bits on a sample of the points
? 2
$ cleave train knn points.csv --index vafile --bits 16 -o m.model --quiet
cleave: --bits: expected a whole number from 0 to 8, found '16'
hint: vafile: bits per component, 4 or 8 (0: chosen on a sample).
? 2
