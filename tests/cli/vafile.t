# The VA-file answers as the scan does, from a model in a file; its option, and what it is not for.
$ cleave generate blobs --rows 3000 --features 40 -o points.csv --quiet
$ for i in scan vafile "vafile --parts 8"; do cleave train knn points.csv --index $i -o m.model --quiet; cleave predict m.model points.csv --scores 2>/dev/null | cksum; done
2567561864 33279
2567561864 33279
2567561864 33279
$ cleave train knn points.csv --parts 8 -o m.model --quiet
cleave: --parts is for --index vafile, and the index here is auto
  add --index vafile, or leave it out
? 2
$ cleave train knn points.csv --index scan --parts 8 -o m.model --quiet
cleave: --parts is for --index vafile, and the index here is scan
  add --index vafile, or leave it out
? 2
$ cleave train knn points.csv --index vafile --parts 513 -o m.model --quiet
cleave: --parts: expected a whole number from 0 to 512, found '513'
  vafile: bytes of a point's code; 0: what a sample of the points says is best
? 2
$ cleave train knn points.csv --index vafile --distance manhattan -o m.model --quiet
cleave: index vafile is for the euclidean distance, not for manhattan
  --index scan takes any distance
? 2
$ printf '+1 3000:1\n-1 1:1\n' > wide.libsvm; cleave train knn wide.libsvm --index vafile --k 1 -o m.model --quiet
cleave: index vafile is for up to 2048 columns; these points have 3000
  --index scan takes any number of columns
? 2
