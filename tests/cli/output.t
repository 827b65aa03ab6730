# What cannot be written is an error, with status 1.
$ cleave trace perceptron @spam6 > /dev/full
standard output: cannot be written: No space left on device
? 1
$ cleave trace perceptron @spam6 --json > /dev/full
standard output: cannot be written: No space left on device
? 1
$ cleave methods > /dev/full
standard output: cannot be written: No space left on device
? 1
$ cleave --version > /dev/full
standard output: cannot be written: No space left on device
? 1
$ cleave help train > /dev/full
standard output: cannot be written: No space left on device
? 1
$ cleave train perceptron @spam6 -o spam.model > /dev/full
standard output: cannot be written: No space left on device
? 1
$ cleave train perceptron @spam6 -o /dev/full --quiet
/dev/full: writing failed: No space left on device
? 1
$ cleave predict spam.model @spam6 > /dev/full
standard output: cannot be written: No space left on device
? 1
$ cleave predict spam.model @spam6 -o /dev/full
/dev/full: writing failed: No space left on device
? 1
$ cleave convert @spam6 -o /dev/full --to libsvm
note: LIBSVM text has no names of features: columns are written as 1, 2, ...
/dev/full: writing failed: No space left on device
? 1
$ cleave test spam.model @spam6 >&-
standard output: cannot be written: Bad file descriptor
? 1
$ cleave explain spam.model >&-
standard output: cannot be written: Bad file descriptor
? 1

# A reader that has gone.
$ cleave generate blobs --rows 20000 --features 2 -o blobs.csv -q; cleave train perceptron blobs.csv --rounds 1 -o b.model -q
$ cleave predict b.model blobs.csv --scores | true; echo "${PIPESTATUS[0]}"
1

# Folders that cannot be, and inputs that must not be written.
$ cleave train perceptron @spam6 -o nowhere/spam.model
nowhere/spam.model: cannot be written: No such file or directory
? 1
$ cleave train perceptron blobs.csv -o blobs.csv
cleave: -o 'blobs.csv' is also an input, and an input is never written: name another file
? 2
$ cleave predict b.model blobs.csv -o b.model
cleave: -o 'b.model' is also an input, and an input is never written: name another file
? 2
$ ls
b.model
blobs.csv
spam.model
