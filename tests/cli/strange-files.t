# The first bytes of a model are checked before the rest is read: an endless device, a folder, a file that is not a model.
$ cleave generate blobs --rows 40 --features 2 -o rows.csv -q; cleave train perceptron rows.csv -o m.model -q 2> /dev/null
$ (ulimit -t 3; cleave predict /dev/zero rows.csv > out 2> err); echo $?; grep -c 'not a cleave model' err
1
1
$ cleave predict . rows.csv 2> /dev/null; echo $?
1
$ cleave predict /dev/null rows.csv 2> /dev/null; echo $?
1
$ cat m.model m.model > twice.model; cleave predict twice.model rows.csv 2> /dev/null; echo $?
1

# A model may come through a FIFO.
$ mkfifo model.fifo rows.fifo; cat m.model > model.fifo & cleave predict model.fifo rows.csv > out 2> err; echo $?; cleave predict m.model rows.csv 2> /dev/null | cmp - out
0
$ cat rows.csv > rows.fifo & cleave predict m.model rows.fifo --format csv > again 2> err; echo $?; cmp out again
0

# The first signal ends a command that waits for the writer of a FIFO, or for its bytes.
$ for input in 'model.fifo rows.csv' 'm.model rows.fifo'; do for signal in TERM INT; do cleave predict $input > out 2> err & pid=$!; sleep 0.7; kill -$signal $pid; wait $pid; echo $?; done; done
143
130
143
130
$ sleep 2 > model.fifo & cleave predict model.fifo rows.csv > out 2> err & pid=$!; sleep 0.7; kill -TERM $pid; wait $pid; echo $?
143
$ sleep 2 > rows.fifo & cleave predict m.model rows.fifo > out 2> err & pid=$!; sleep 0.7; kill -TERM $pid; wait $pid; echo $?
143

# An output may be a FIFO or a device. It is written directly and not replaced.
$ cleave predict m.model rows.csv > out; mkfifo out.fifo; cat out.fifo > copy & cleave predict m.model rows.csv -o out.fifo; echo $?; wait; cmp copy out; test -p out.fifo
0
$ cleave train perceptron rows.csv -o /dev/null --quiet; test -c /dev/null; cleave predict m.model rows.csv -o /dev/stdout | cmp - out

# The first signal ends a command whose output is a FIFO without a reader, or with a reader that has stopped.
$ for command in 'predict m.model' 'train perceptron'; do for signal in TERM INT; do cleave $command rows.csv -o out.fifo > /dev/null 2> err & pid=$!; sleep 0.7; kill -$signal $pid; wait $pid; echo $?; done; done
143
130
143
130
$ yes '1,2,3' | head -n 100000 | sed '1i x,y,label' > many.csv; sleep 2 < out.fifo & cleave convert many.csv --to csv -o out.fifo > /dev/null 2> err & pid=$!; sleep 1; kill -TERM $pid; wait $pid; echo $?
143
$ (sleep 2 < out.fifo) & cleave convert many.csv --to csv -o - 2> err > out.fifo & pid=$!; sleep 1; kill -TERM $pid; wait $pid; echo $?
143

# A model that is truncated after it was loaded stays usable.
$ cleave generate blobs --rows 20000 --features 16 -o points.csv -q; cleave train knn points.csv -o points.model -q; head -n 20 points.csv > few.csv; cleave predict points.model few.csv > whole; test $(stat -c %s points.model) -gt 1048576
$ cleave predict points.model rows.fifo --format csv > cut & pid=$!; exec 7> rows.fifo; sleep 0.7; : > points.model; cat few.csv >&7; exec 7>&-; wait $pid; echo $?; cmp whole cut
0

# A socket cannot be written.
% python3
$ python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("out.socket")'; cleave predict m.model rows.csv -o out.socket
out.socket: * socket (glob)
? 1
