# An interrupt ends a training run with the model so far, which is kept.
$ cleave generate sparse --rows 20000 --features 2000 --nonzeros 20 --noise 0.3 -o data.libsvm -q
$ cleave train perceptron data.libsvm --rounds 1000000 -o m.model > out 2> err & sleep 2; kill -INT $!; wait $!; echo $?
0
$ grep -c 'stopped by an interrupt' err; cat err | tail -n 1; tail -n 2 out
1
warning: interrupted: the model is the best so far
model written to m.model
try next: cleave explain m.model, or cleave test m.model FILE on data it has not seen
$ cleave explain m.model --top 1 | head -n 1
perceptron, trained on 20000 rows by cleave 0.1.0, seed 1

# Without -o there is nothing to keep.
$ cleave train perceptron data.libsvm --rounds 1000000 > out 2>&1 & sleep 2; kill -TERM $!; wait $!; echo $?; cat out
1
cleave: interrupted; no -o was given, and nothing is kept

# A checkpoint stays, and goes on.
$ cleave train perceptron data.libsvm --rounds 1000000 --checkpoint run.checkpoint -o m.model > out 2> err & sleep 2; kill -INT $!; wait $!; tail -n 2 err
warning: interrupted: the model is the best so far
  the checkpoint run.checkpoint stays: the same command goes on from it
$ cleave train perceptron data.libsvm --rounds 1000000 --checkpoint run.checkpoint > out 2> err & sleep 2; kill -INT $!; wait $!; echo $?; sed 's/round [0-9]*/round N/' err; rm run.checkpoint
1
note: going on after round N, from the checkpoint run.checkpoint
cleave: interrupted; no -o was given, and no model is kept; the checkpoint run.checkpoint stays: the same command goes on from it

# Other work leaves nothing behind.
$ (while head -n 100 data.libsvm && sleep 0.01; do :; done) 2> /dev/null | cleave convert - -o data.cleave 2> err & sleep 1; kill -INT $!; wait $!; echo $?; cat err; ls
1
note: standard input: read as libsvm (--format)
cleave: interrupted
data.libsvm
err
m.model
out
