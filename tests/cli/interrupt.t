# An interrupted training run keeps the current model.
$ cleave generate sparse --rows 20000 --features 2000 --nonzeros 20 --noise 0.3 -o data.libsvm -q
$ cleave train perceptron data.libsvm --epochs 1000000 -o m.model > out 2> err & sleep 2; kill -INT $!; wait $!; echo $?
130
$ grep -c '(interrupted)' err; tail -n 1 err | sed 's/after [0-9,]* epochs/after N epochs/'; tail -n 2 out
1
warning: interrupted after N epochs: the best model so far is saved
Model * m.model. (glob)
Next: * m.model * m.model. (glob)
$ cleave explain m.model --top 1 | head -n 1
perceptron, trained on 20,000 rows by cleave 0.1.0, seed 1

# Without -o no model is kept.
$ cleave train perceptron data.libsvm --epochs 1000000 > out 2>&1 & sleep 2; kill -TERM $!; wait $!; echo $?; cat out
143
cleave: interrupted: no model is saved without -o

# A checkpoint is kept and can be resumed.
$ cleave train perceptron data.libsvm --epochs 1000000 --checkpoint run.checkpoint -o m.model > out 2> err & sleep 2; kill -INT $!; wait $!; tail -n 2 err | sed 's/after [0-9,]* epochs/after N epochs/'
warning: * (glob)
hint: the same command resumes from the checkpoint run.checkpoint
$ cleave train perceptron data.libsvm --epochs 1000000 --checkpoint run.checkpoint > out 2> err & sleep 2; kill -INT $!; wait $!; echo $?; sed 's/epoch [0-9]*/epoch N/' err; rm run.checkpoint
130
note: resuming after epoch N from checkpoint run.checkpoint
cleave: interrupted: no model is saved without -o; the same command resumes from the checkpoint run.checkpoint

# Other commands leave no output.
$ (while head -n 100 data.libsvm && sleep 0.01; do :; done) 2> /dev/null | cleave convert - -o data.cleave 2> err & sleep 1; kill -INT $!; wait $!; echo $?; cat err; ls
130
note: * (--format) (glob)
cleave: interrupted
data.libsvm
err
m.model
out

# An interrupt before the first complete epoch does not change the existing file. (A fast machine may finish.)
$ cleave generate blobs --rows 60000 --features 20 -o blobs.csv -q; head -n 200 blobs.csv > few.csv
$ for method in tree forest boost knn svm; do cleave train $method few.csv -o $method.model --quiet 2> /dev/null; for time in 0.03 0.06 0.1 0.2; do cp $method.model before; timeout --preserve-status -s TERM $time cleave train $method blobs.csv -o $method.model > out 2> err; status=$?; [ $status = 0 ] || [ $status = 143 ] || echo "$method: status $status"; cleave explain $method.model > /dev/null || echo "$method: not usable"; grep -q "interrupted after" err || [ $status = 0 ] || cmp before $method.model; done; done

# A method without mistake counts prints none.
$ cleave generate sparse --rows 20000 --features 30 --nonzeros 10 --noise 0.3 -o noisy.libsvm -q
$ cleave train boost noisy.libsvm --rounds 10000000 -o m.model > out 2> err & sleep 2; kill -INT $!; wait $!; echo $?; grep -ch mistake out err; grep -c '(interrupted)' err
130
0
0
1
$ cleave train boost noisy.libsvm --rounds 10000000 -o m.model --json > out 2> err & sleep 2; kill -INT $!; wait $!; grep -o '"[a-z_]*mistakes":null' out
"mistakes":null
"last_epoch_mistakes":null
"epoch_mistakes":null
$ for method in tree svm knn forest; do cleave train $method few.csv --json 2> err | grep -o '"mistakes":[^,]*'; cleave train $method few.csv 2>&1 | grep mistake; done; true
"mistakes":null
"mistakes":null
"mistakes":null
"mistakes":null

# The factors of generated ratings are drawn before the first row.
$ timeout --preserve-status -k 10 -s INT 1 cleave generate ratings --features 30000000 --rank 20 -o large.tsv
cleave: interrupted
? 130
