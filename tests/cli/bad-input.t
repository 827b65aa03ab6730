# Bad data: the message has the place, the expected and the found text. Status 1; no output is left.
$ printf '+1 1:0.5 2:nan\n-1 1:1\n' > nan.libsvm; cleave train perceptron nan.libsvm -o m.model
nan.libsvm:1:10: *: '2:nan' (glob)
hint: remove the feature, or replace the value with a number
? 1
$ printf '+1 1:0.5\n-1 1:inf\n' > inf.libsvm; cleave convert inf.libsvm -o m.cleave
inf.libsvm:2:4: *: '1:inf' (glob)
hint: * (glob)
? 1
$ printf '+1 1:0.5\n-1 1:0.5 3:abc\n' > junk.libsvm; cleave train perceptron junk.libsvm -o m.model
junk.libsvm:2:10: *: '3:abc' (glob)
hint: write a feature as INDEX:VALUE, for example 3:0.25
? 1
$ printf '+1 1:0.5\n-1 99999999999:1\n' > range.libsvm; cleave train perceptron range.libsvm -o m.model
range.libsvm:2:4: *: '99999999999:1' (glob)
hint: the largest index is 2147483647
? 1
$ printf '+1 0:0.5\n-1 1:1\n' > zero.libsvm; cleave train perceptron zero.libsvm -o m.model
zero.libsvm:1:4: *: '0:0.5' (glob)
hint: indexes start at 1; pass --zero-based if they start at 0
? 1
$ printf '+1 2:0.5 1:1\n-1 1:1\n' > order.libsvm; cleave train perceptron order.libsvm -o m.model
order.libsvm:1:10: *: '1:1' (glob)
hint: pass --sort-indexes to sort them
? 1
$ printf '+1 2:0.5 2:1\n-1 1:1\n' > twice.libsvm; cleave train perceptron twice.libsvm -o m.model
twice.libsvm:1:10: *: '2:1' (glob)
hint: pass --sum-repeated to add the values
? 1
$ : > empty.libsvm; cleave train perceptron empty.libsvm -o m.model
empty.libsvm: * empty (glob)
hint: add at least one example
? 1
$ printf '+1 1:0.5\n-1 2:' > cut.libsvm; cleave train perceptron cut.libsvm -o m.model
cut.libsvm:2:4: *: '2:' (glob)
hint: pass --allow-cut to read up to the last complete line
? 1
$ printf '+1 1:0.5\n-1 2:1 ' > cut2.libsvm; cleave convert cut2.libsvm -o m.cleave
cut2.libsvm:2:7: * incomplete* (glob)
hint: * --allow-cut * (glob)
? 1
$ yes '+1 1:0.5 2:1' | head -n 5000 | gzip | head -c 60 > cut.libsvm.gz; cleave train perceptron cut.libsvm.gz -o m.model
cut.libsvm.gz: the gzip stream ends early, after byte 60
hint: copy or download the file again
? 1
$ printf '\000\001\002\377\376 \n\003\200\000\n' > random.bin; cleave train perceptron random.bin -o m.model
random.bin: the format is not recognized; the file begins with '\x00\x01\x02\xff\xfe \n\x03\x80\x00\n' (byte 0)
hint: pass --format libsvm, csv, tsv, text, document, npy, idx, fvecs, bvecs, ivecs or cleave
? 1
$ printf '+1 1:0.5\n+1 2:1\n' > single.libsvm; cleave train perceptron single.libsvm -o m.model
single.libsvm:1: all 2 examples have the label '+1'; training needs two classes
hint: add examples of another class
? 1
$ printf '+1 1:0.5\n? 2:1\n-1 3:1\n' > unlabeled.libsvm; cleave train perceptron unlabeled.libsvm -o m.model
unlabeled.libsvm:2: * no label (glob)
hint: use --skip-unlabeled to ignore rows without a label
? 1
$ cleave train perceptron missing.libsvm -o m.model
missing.libsvm: cannot be opened: No such file or directory
? 1
$ mkdir empty; cleave train perceptron empty -o m.model
empty: the folder contains no documents
hint: expected FOLDER/class/document, or only plain files; hidden files are ignored
? 1
$ rmdir empty
$ printf 'a,b,label\n1,2,x\n3,4\n' > short.csv; cleave train perceptron short.csv -o m.model
note: short.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name; columns: 2 number (--columns)
short.csv:3:4: * 3 * 2 (glob)
? 1
$ printf 'a,b,label\n1,"2,x\n3,4,y\n' > quote.csv; cleave train perceptron quote.csv -o m.model
note: quote.csv: * (--format), * (--header); * 'label' (--label), *: 2 * (--columns) (glob)
quote.csv:2:3: * quote * (glob)
hint: write a quote inside a quoted cell twice: ""
? 1

# The same with convert and with standard input.
$ cleave convert junk.libsvm -o m.cleave
junk.libsvm:2:10: *: '3:abc' (glob)
hint: * 3:0.25 (glob)
? 1
$ cleave train perceptron - -o m.model < junk.libsvm
note: standard input: read as libsvm (--format)
standard input:2:10: value is not a number: '3:abc'
hint: * 3:0.25 (glob)
? 1

# No run left an output or a temporary file.
$ ls -A | grep -v -E '\.(libsvm|csv|bin|gz)$|^empty$'
? 1

# An older output survives a failed run.
$ echo precious > m.model; cleave train perceptron junk.libsvm -o m.model 2>/dev/null; cat m.model; rm m.model
precious

# Options that accept the data.
$ cleave train perceptron order.libsvm --sort-indexes -o m.model --quiet
$ cleave train perceptron twice.libsvm --sum-repeated -o m.model --quiet
$ cleave train perceptron zero.libsvm --zero-based -o m.model --quiet
$ cleave train perceptron unlabeled.libsvm --skip-unlabeled -o m.model --quiet
$ printf '+1 1:1\n-1 2:1\n+1 3:' > cut3.libsvm; cleave train perceptron cut3.libsvm --allow-cut -o m.model
warning: cut3.libsvm: the last line is incomplete; its 5 bytes are ignored
Read 2 rows, 2 features, 2 classes (cut3.libsvm).
Trained perceptron: converged after 2 epochs, 2 mistakes (bound (R/margin)^2 2, margin 0.707107).
Training error 0.00% (0 of 2 rows).
Model written to m.model.
Next: cleave test m.model DATA, or cleave explain m.model.

# Accepted, with one warning for a likely mistake.
$ printf '+1 1:0.5\n-1\n+1 2:1\n-1 3:1\n' > bare.libsvm; cleave train perceptron bare.libsvm --learn-threshold -o m.model
warning: bare.libsvm:2: the row has no features
hint: a model makes the same prediction for all rows without features
Read 4 *, 3 *, 2 * (bare.libsvm). (glob)
Trained * 8 *, 15 * (R/margin)^2 392, * 0.0745356). (glob)
Training * 0.00% (0 * 4 *). (glob)
Model * m.model. (glob)
Next: * m.model * m.model. (glob)
$ printf 'x 1:0.5\ny 2:1\nx 1:1\ny 2:2\nz 3:1\n' > once.libsvm; cleave train perceptron once.libsvm -o m.model
Read 5 *, 3 *, 3 * (once.libsvm). (glob)
Trained perceptron: converged after 2 epochs, 9 mistakes (0 in the last epoch).
Training * 0.00% (0 * 5 *). (glob)
Model * m.model. (glob)
Next: * m.model * m.model. (glob)
$ printf '1 1:0.5\n2 2:1\n1 1:1\n2 2:2\n' > onetwo.libsvm; cleave train perceptron onetwo.libsvm -o m.model
Read 4 *, 2 *, 2 * (onetwo.libsvm). (glob)
Trained * 2 *, 2 * (R/margin)^2 80, * 0.223607). (glob)
Training * 0.00% (0 * 4 *). (glob)
Model * m.model. (glob)
Next: * m.model * m.model. (glob)
$ printf '+1 1:1\n-1 2:1' > nonewline.libsvm; cleave train perceptron nonewline.libsvm -o m.model
warning: nonewline.libsvm:2: the file does not end with a newline
hint: the last line is read as complete; pass --allow-cut to ignore it
Read 2 *, 2 *, 2 * (nonewline.libsvm). (glob)
Trained * 2 *, 2 * (R/margin)^2 2, * 0.707107). (glob)
Training * 0.00% (0 * 2 *). (glob)
Model * m.model. (glob)
Next: * m.model * m.model. (glob)

# Models: truncated, modified, of another format.
$ cleave train perceptron @spam6 -o good.model --quiet; head -c 200 good.model > cut.model; cleave explain cut.model
cut.model: the file is incomplete: it has 200 of 2624 bytes
hint: restore it from an intact copy
? 1
$ (head -c 150 good.model; printf XXXX; tail -c +155 good.model) > changed.model; cleave explain changed.model
changed.model: the file is corrupt: its checksum does not match
hint: create the file again, or restore it from an intact copy
? 1
$ cleave explain junk.libsvm
junk.libsvm: the file is not a cleave model; it starts with '+1 1:0.5'
hint: pass a model that 'cleave train ... -o FILE' has written
? 1
$ : > empty.model; cleave explain empty.model
empty.model: the file is empty: expected a model
hint: train the model again, or pass another file
? 1

# Files of the wrong kind do not become labels.
$ printf '1,2,x\n3,4,y\n' > table.libsvm; cleave train perceptron table.libsvm -o m.model
table.libsvm: none of the 2 rows has a feature
hint: set the format with --format; the file may be LIBSVM text
? 1
$ printf '+1 1:1\n-1 2:1\n' > two.libsvm; printf 'a,b,label\n1,2,x\n' > table.csv
$ cleave train perceptron two.libsvm table.csv -o m.model
table.csv: this looks like csv, but the previous files are libsvm
hint: combine only files of the same format; --format libsvm forces it for all files
? 1

# A word among hundreds of numbers is a mistake, not a category.
$ { echo 'a,label'; for i in $(seq 200); do echo "$i,x"; echo "-$i,y"; done; echo 'junk,x'; } > junk.csv
$ cleave train perceptron junk.csv -o m.model
note: junk.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 1 * (--columns) (glob)
junk.csv:402:1: * 'a': * 'junk' (glob)
hint: pass --columns a=category to read the column as categories; if the cell means a missing value, pass --missing junk
? 1
$ printf 'a,b,label\n1,2,x\n3,4,y\n1,2,' > cut.csv; cleave train perceptron cut.csv -o m.model --quiet
cut.csv:4:4: the file is incomplete: its last line ends with a delimiter and has no newline
hint: * --allow-cut * (glob)
? 1

# Values that overflow: no model, or a finite one.
$ cleave train perceptron @spam6 --learning-rate inf -o m.model
cleave: --learning-rate: expected a number above 0, found 'inf'
hint: Learning rate.
? 2
$ cleave train perceptron @spam6 --learning-rate 1e308 -o m.model
training diverged: the weights overflow float32
hint: standardize the features, or lower --learning-rate
? 1
$ rm -f m.model; printf '+1 1:1\n-1 1:1\n' > same.libsvm
$ cleave train perceptron same.libsvm --order random --json --epochs 20 -o m.model | grep -o '"converged":[a-z]*'
"converged":false

# An input file is never overwritten, even if it contains only labels.
$ printf '1\n2\n' > labels.txt; cp labels.txt before.txt
$ printf '\x93NUMPY\x01\x00\x46\x00{'"'descr': '|u1', 'fortran_order': False, 'shape': (2, 1), }"'          \n\x01\x02' > rows.npy
$ cleave convert rows.npy --labels labels.txt --to cleave -o labels.txt
cleave: labels.txt: the output file is also an input
? 2
$ cmp labels.txt before.txt

# LIBSVM text with another suffix.
$ printf '+1 1:0.5 3:1\n-1 2:1\n' > rows.txt; cleave train perceptron rows.txt
rows.txt:1: *<*>* '+1 1:0.5 3:1' (glob)
hint: pass --format libsvm if this is LIBSVM text
? 1

# A table of a header only.
$ echo 'a,b,y' > header.csv; cleave train svm header.csv -q
header.csv: * (lines read: 1) (glob)
hint: the file has a header only; add rows
? 1
