# NumPy arrays. npy TYPE SHAPE FORTRAN: the header, then the values from standard input.
$ cat > npy <<'END'
> h="{'descr': '$1', 'fortran_order': $3, 'shape': $2, }"
> printf '\223NUMPY\1\0'; printf "\\$(printf %o $((${#h} + 1)))\\0"; echo "$h"; cat
> END
$ printf '\1\2\3\4\5\6' | bash npy '|u1' '(3, 2)' False > c.npy; printf '\1\3\5\2\4\6' | bash npy '|u1' '(3, 2)' True > f.npy; printf 'a\nb\na\n' > labels
$ cleave convert c.npy --labels labels -o - --to libsvm -q; cleave convert f.npy --labels labels -o - --to libsvm -q | cmp - <(cleave convert c.npy --labels labels -o - --to libsvm -q)
a 1:1 2:2
b 1:3 2:4
a 1:5 2:6
$ gzip -k f.npy; cleave convert f.npy.gz --labels labels -o - --to libsvm -q | tail -n 1; cat f.npy | cleave convert - --labels labels -o - --to libsvm -q | tail -n 1
a 1:5 2:6
a 1:5 2:6

# NaN is a missing value, like an empty cell of a table. Trees accept it; other methods impute it.
$ nan='\0\0\300\177' one='\0\0\200\077' two='\0\0\0\100'; for i in $(seq 40); do printf "$one$([ $((i % 5)) = 0 ] && echo $nan || echo $two)"; printf "$two$one"; done | bash npy '<f4' '(80, 2)' False > n.npy; for i in $(seq 40); do echo a; echo b; done > n.labels
$ cleave train tree n.npy --labels n.labels -o tree.model -q; cleave test tree.model n.npy --labels n.labels --json | grep -o '"error_rate":[0-9.]*' | head -n 1
"error_rate":0
$ cleave train logistic n.npy --labels n.labels -o l.model 2>&1 | grep '^note'
note: pipeline: --transform impute (default for this data): 8 missing values imputed
$ cleave predict l.model n.npy | sort | uniq -c | tr -s ' '
 40 a
 40 b
$ printf "$(printf '\\0\\0\\200\\077%.0s' 1 2 3 4)" | bash npy '<f4' '(2, 2)' False > whole.npy; printf 'a\nb\n' > two; cleave train svm whole.npy --labels two -o w.model -q; cleave predict w.model n.npy
n.npy: row 9, column 1: the value is missing (NaN), but no training row of the model has a missing value
hint: impute it, or train with --missing NaN, so that the model accepts missing values
? 1
$ cleave train svm whole.npy --labels two --missing NaN -o w.model -q; cleave predict w.model n.npy | wc -l
80

# Sample weights from a file, for any format.
$ printf 'x,class\n1,a\n2,a\n3,b\n4,b\n' > t.csv; printf 'x,w,class\n1,1,a\n2,2,a\n3,0.5,b\n4,0,b\n' > w.csv; printf '1\n2\n0.5\n0\n' > w.txt
$ cleave train logistic t.csv --weights w.txt -o a.model -q; cleave train logistic w.csv --columns w=weight -o b.model -q; cleave predict a.model t.csv --scores | cmp - <(cleave predict b.model w.csv --scores)
$ cleave convert t.csv -o t.cleave -q; printf '\0\0\200\077\0\0\0\100\0\0\0\077\0\0\0\0' | bash npy '<f4' '(4,)' False > w.npy; cleave train logistic t.cleave --weights w.npy -o b.model -q; cleave predict a.model t.csv --scores | cmp - <(cleave predict b.model t.csv --scores)
$ head -n 3 w.txt > short; cleave train logistic t.csv --weights short -o c.model -q
short: 3 weights for 4 or more rows
hint: provide one weight per row, in the order of the rows
? 1
$ echo -1 >> short; cleave train logistic t.csv --weights short -o c.model -q
short: weight 4: expected a non-negative number, found '-1'
? 1
$ cleave train logistic w.csv --columns w=weight --weights w.txt -o c.model -q
cleave: --weights: the data already has a column of weights
hint: omit --weights, or ignore the column with --columns NAME=ignore
? 2

# A .txt that can only be a table is read as one; otherwise the hint names --format.
$ printf 'x,class\n1,a\n2,a\n3,b\n4,b\n' > t.txt; cleave train tree t.txt -o c.model 2>&1 | head -n 1
note: t.txt: read as csv (--format), with header (--header); label column 'class' (--label), by its name, 2 classes; columns: 1 number (--columns)
$ printf 'dear sir, hello\nand so on\n' > letter.txt; cleave train svm letter.txt -o c.model
letter.txt:1: expected label<TAB>text, found no TAB in 'dear sir, hello'
hint: put the label and a TAB before the text, or pass --format csv to read a table
? 1

# Files of other programs are recognized by their first bytes.
$ printf 'PAR1\25\0\25\0' > t.parquet; cleave train svm t.parquet -o c.model 2>&1 | head -n 1
t.parquet: * Parquet * (glob)
$ printf 'PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\23\0\0\0[Content_Types].xml' > t.xlsx; cleave train svm t.xlsx -o c.model 2>&1 | head -n 1
t.xlsx: this is an Excel (XLSX) file, which cleave does not read
$ printf 'FEA1\0\0' > t.feather; printf '\211HDF\r\n\032\n\0' > t.h5; printf '\200\4\225\0' > t.pkl; printf '%%PDF-1.4\n' > t.pdf; for f in t.feather t.h5 t.pkl t.pdf; do cleave train svm $f -o c.model 2>&1 | head -n 1; done
t.feather: this is a Feather file of version 1, which cleave does not read
t.h5: this is an HDF5 file, which cleave does not read
t.pkl: this is a Python pickle, which cleave does not read
t.pdf: this is a PDF file, which cleave does not read
$ printf 'PAR1,class\n1,a\n2,b\n' > p.csv; cleave convert p.csv --describe -q | head -n 1
Read 2 rows, 1 feature; 100% nonzero values, 1 per row.

# Archives.
$ base64 -d > x.npz <<'END'
> UEsDBBQAAAAIAAAAIQCAma+8SQAAAEwAAAAFAAAAWC5ucHmb7BfqGxDJyGDDUK2eklqcXKRupaBeU2qorqOgnpZfVFKUmBefX5SS
> ChJ3S8wpTgWKF2ckFqQC+RrGOgpGmjoKtVyMTMwsrGwAUEsDBBQAAAAIAAAAIQBhzR7uRAAAAEcAAAAFAAAAeS5ucHmb7BfqGxDJ
> yGDFUK2eklqcXKRupaBeE2yorqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RrGOpo6CrVciUmJAFBLAwQUAAAACAAAACEA
> RqsVrUYAAABJAAAABQAAAFoubnB5m+wX6hsQychgw1CtnpJanFykbqWgXlNqqK6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBak
> AvkaxjoKhpo6CrVc7BycAFBLAQIUAxQAAAAIAAAAIQCAma+8SQAAAEwAAAAFAAAAAAAAAAAAAACAAQAAAABYLm5weVBLAQIUAxQA
> AAAIAAAAIQBhzR7uRAAAAEcAAAAFAAAAAAAAAAAAAACAAWwAAAB5Lm5weVBLAQIUAxQAAAAIAAAAIQBGqxWtRgAAAEkAAAAFAAAA
> AAAAAAAAAACAAdMAAABaLm5weVBLBQYAAAAAAwADAJkAAAA8AQAAAAA=
> END
$ cleave convert x.npz -o - --to libsvm 2> said; head -n 1 said
a 1:1 2:2
b 1:3 2:4
a 1:5 2:6
note: x.npz: rows from array 'X', labels from 'y' (--key)
$ cleave convert x.npz --key Z,y -o - --to libsvm -q | head -n 1; cleave convert x.npz --key Z, -o - --to libsvm -q | head -n 1 | tr '?' 0
a 1:7
0 1:7
$ cleave convert x.npz --key W -o w.libsvm
cleave: x.npz: the archive has no array 'W'
hint: name the arrays with --key ROWS or --key ROWS,LABELS; the archive has X, y, Z
? 2
$ cleave convert c.npy --labels x.npz -o - --to libsvm -q | head -n 1
a 1:1 2:2
$ cat x.npz | cleave convert - -o w.libsvm
standard input: an archive (.npz) must be a regular file, not a pipe or a compressed file
hint: save it to a file first
? 1
$ head -c 200 x.npz > cut.npz; cleave convert cut.npz -o w.libsvm
cut.npz: the archive is damaged: its ZIP directory is missing; the file may be incomplete
hint: copy or download it again, or write it again with numpy.savez
? 1

# An encrypted archive: the hint names the function that writes a readable one.
$ z() { head -c $1 /dev/zero; }; (printf 'PK\3\4PK\1\2'; z 4; printf '\1'; z 19; printf '\5'; z 17; printf 'X.npyPK\5\6'; z 4; printf '\1\0\1\0\063\0\0\0\4\0\0\0\0\0') > secret.npz; cleave train tree secret.npz
secret.npz: an array is encrypted
hint: write it with numpy.savez or numpy.savez_compressed
? 1
# The labels of an archive are not used as weights.
$ cleave train tree x.npz --weights x.npz --quiet
cleave: x.npz: the archive has no array of weights
hint: name the array 'weights', or save it alone: numpy.save('weights.npy', w)
? 2
# Arrays and documents without labels: the hint names the options for labels.
$ cleave train svm whole.npy -q
whole.npy: no row has a label (2 rows)
hint: use --labels FILE to name the file of labels
? 1
