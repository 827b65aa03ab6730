# An output that cannot be written is an error with status 1.
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
note: * 1, 2, ... (glob)
/dev/full: writing failed: No space left on device
? 1
$ cleave test spam.model @spam6 >&-
standard output: cannot be written: Bad file descriptor
? 1
$ cleave explain spam.model >&-
standard output: cannot be written: Bad file descriptor
? 1

# The reader of a pipe has closed it.
$ cleave generate blobs --rows 20000 --features 2 -o blobs.csv -q; cleave train perceptron blobs.csv --epochs 1 -o b.model -q
$ cleave predict b.model blobs.csv --scores | true; echo "${PIPESTATUS[0]}"
1

# Invalid folders, and inputs that must not be overwritten.
$ cleave train perceptron @spam6 -o nowhere/spam.model
nowhere/spam.model: * written: No such file or directory (glob)
? 1
$ cleave train perceptron blobs.csv -o blobs.csv
cleave: -o 'blobs.csv' * (glob)
? 2
$ cleave predict b.model blobs.csv -o b.model
cleave: -o 'b.model' * (glob)
? 2
$ ls
b.model
blobs.csv
spam.model

# Other names of standard output: the report goes to standard error, and the output equals that of '-o -'.
$ cleave train perceptron @spam6 -o spam.model --quiet; for path in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do cleave train perceptron @spam6 -o $path 2> report > out; cmp out spam.model; cleave train perceptron @spam6 -o $path 2> report | cmp - spam.model; grep -c Trained report; done
1
1
1
1
$ cleave train perceptron @spam6 -o out > out 2> report; cmp out spam.model; cleave stream perceptron @spam6 --predictions /dev/stdout 2> report | wc -l | xargs
6
$ cleave train perceptron @spam6 -o /dev/stdout --json
cleave: --json and '-o -' both write to standard output: specify a file
? 2
$ cleave cv perceptron @spam6 --report /dev/stdout
cleave: --report needs the name of a file, such as report.html: the results go to standard output
? 2
$ cleave tune perceptron @spam6 --journal /dev/stdout
cleave: --journal needs the name of a file: the results go to standard output
? 2
$ cleave split @spam6 --into /dev/stdout b.csv
cleave: --into cannot write to standard output: specify two files
? 2

# Targets that cannot be written are refused before the data is read.
$ python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'; mkdir folder g-test.csv
$ for verb in "train svm" "begin perceptron" "index" "convert" "predict b.model" "update b.model" "search b.model" "plot boundary b.model" "stream perceptron"; do for to in sock folder; do f=-o; [ "${verb%% *}" = stream ] && f=-m; cleave $verb nofile.csv $f $to; done; done 2>&1 | sort | uniq -c | sed 's/^ *//'
9 folder: cannot be written: it is a folder
9 sock: cannot be written: it is a socket
$ for flag in "cv svm --report" "tune svm --report" "tune svm --journal" "train svm --checkpoint" "stream svm --predictions"; do set -- $flag; cleave $1 $2 nofile.csv $3 sock; done 2>&1 | uniq -c | sed 's/^ *//'
5 sock: cannot be written: it is a socket
$ cleave split nofile.csv --into a.csv sock
sock: cannot be written: it is a socket
? 1
$ cleave generate spam --rows 5 --test-rows 5 -o g.csv; ls g.csv
g-test.csv: cannot be written: the path is a folder
ls: * 'g.csv': * (glob)
? 2

# A lock that cannot be taken: the message names the lock file.
$ mkdir new.model.cleave-lock; cleave train perceptron @spam6 -o new.model; rmdir new.model.cleave-lock
new.model: cannot be written: its lock file new.model.cleave-lock cannot be opened: Is a directory
