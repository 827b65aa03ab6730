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
hint: add --index vafile, or omit the option
? 2
$ cleave train knn points.csv --index scan --parts 8 -o m.model --quiet
cleave: --parts requires --index vafile, found --index scan
hint: * --index * (glob)
? 2
$ cleave train knn points.csv --index vafile --parts 513 -o m.model --quiet
cleave: --parts: * 0 * 512, * '513' (glob)
hint: vafile: number of components in each point's code.
? 2
$ cleave train knn points.csv --index vafile --distance manhattan -o m.model --quiet
cleave: --index vafile supports the distances euclidean, cosine, angle and inner-product, not manhattan
hint: --index * (glob)
? 2
$ printf '+1 70000:1\n-1 1:1\n' > wide.libsvm; cleave train knn wide.libsvm --index vafile --k 1 -o m.model --quiet
cleave: --index vafile supports at most 65536 columns, found 70000
hint: --index scan supports any number of columns
? 2
$ cleave train knn points.csv --index vafile --bits 4 --parts 13 -o m.model
note: points.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 3 classes in the first 2877 rows; columns: 40 number (--columns)
note: pipeline: --transform *): 40 * (glob)
Read 3,000 *, 40 *, 3 * (points.csv). (glob)
Trained knn: 3000 points, 5 neighbors per prediction, codes of 13 components with 4 bits each.
Model * m.model. (glob)
Next: * m.model * m.model. (glob)
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
cleave: --bits * --index * --index * (glob)
hint: * --index * (glob)
? 2
$ cleave train knn points.csv --bits 8 -o m.model --quiet
cleave: --bits * --index * --index * (glob)
hint: * --index * (glob)
? 2
$ cleave train knn points.csv --index vafile --bits 5 -o m.model --quiet
cleave: --bits 5: expected 4 or 8 bits per component, or 0
hint: 0 (the default) chooses the number of bits on a sample of the points
? 2
$ cleave train knn points.csv --index vafile --bits 16 -o m.model --quiet
cleave: --bits: * 0 * 8, * '16' (glob)
hint: vafile: bits per component, 4 or 8.
? 2
