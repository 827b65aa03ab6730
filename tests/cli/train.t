# A separable data set: the summary of the data, the training, the result and the next command.
$ cleave train perceptron @spam6 --learning-rate 0.5 -o spam.model
Read 6 *, 5 *, 2 * (@spam6). (glob)
Trained * 2 *, 4 * (R/margin)^2 24, * 0.408248). (glob)
Training * 0.00% (0 * 6 *). (glob)
Model * spam.model. (glob)
Next: * spam.model * spam.model. (glob)

# Flags may stand anywhere, with a blank or '='; a flag without a value can be turned off.
$ cleave train --learning-rate=0.5 --learn-threshold perceptron -o spam.model @spam6 --no-learn-threshold --quiet

# --quiet prints nothing; the model is written.
$ cleave train perceptron @spam6 --quiet -o quiet.model && ls
quiet.model
spam.model

# As JSON, times aside.
$ cleave train perceptron @spam6 --learning-rate 0.5 -o spam.model --json | sed -E 's/("[a-z_]*seconds":)(\[[^]]*\]|[^,]*)/\1T/g'
{"method":"perceptron","solver":null,"objective":"sum over examples of max(0, -y (w.x - theta))","summary":null,"rows":6,"features":5,"classes":2,"epochs":2,"converged":true,"stopped_by":"converged","cancelled":false,"mistakes":4,"last_epoch_mistakes":0,"loss":0,"order":"file order","seed":1,"best_epoch":2,"train_errors":0,"mistake_bound":24,"bound_radius2":4,"bound_gamma2":0.16666666666666666,"margin":0.4082482904638631,"origin_distance":0,"weight_length":1.224744871391589,"read_seconds":T,"read_cpu_seconds":T,"train_seconds":T,"train_cpu_seconds":T,"epoch_seconds":T,"epoch_mistakes":[4,0],"model":"spam.model","guesses":[],"warnings":[]}

# The mistake bound of the separator found: R² = 4, 24 in all.
$ cleave train perceptron @spam6 --learning-rate 0.5 --json -q | grep -o '"mistake_bound":[0-9.]*'
"mistake_bound":24

# Without -o the model is not saved.
$ cleave train perceptron @spam6
warning: the model is not saved
hint: use -o FILE to save it
Read 6 *, 5 *, 2 * (@spam6). (glob)
Trained * 2 *, 4 * (R/margin)^2 24, * 0.408248). (glob)
Training * 0.00% (0 * 6 *). (glob)

# Not linearly separable: a warning on stderr, with the stopping rule.
$ cat > ex3.csv <<'END'
> label,x1,x2
> -1,1,2
> +1,2,3
> +1,2,1
> -1,3,2
> END
$ cleave train perceptron ex3.csv --epochs 20 -o ex3.model
note: ex3.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 2 * (--columns) (glob)
note: pipeline: --transform *): 2 * (glob)
train: * 20 * (--epochs) (glob)
hint: the classes may not be linearly separable: try --learn-threshold, the method svm, --average; the weights cycle with a period of 1 epoch
Read 4 *, 2 *, 2 * (ex3.csv). (glob)
Trained *: 20 *, 80 * (4 *). (glob)
Training * 50.00% (2 * 4 *). (glob)
Model * ex3.model. (glob)
Next: * ex3.model * ex3.model. (glob)
$ cleave train perceptron ex3.csv --epochs 20 -o ex3.model --json | grep -o '"converged":[a-z]*,"stopped_by":"[a-z_]*"'
"converged":false,"stopped_by":"epochs"
$ cleave train perceptron ex3.csv --epochs 20 -o ex3.model --json | grep -o '"warnings":.*'
"warnings":[{"message":"train: not converged after 20 epochs (--epochs)","hint":"the classes may not be linearly separable: try --learn-threshold, the method svm, --average; the weights cycle with a period of 1 epoch"}]}

# 40 mistakes, as in the documents.
$ cleave train perceptron @points5 --learning-rate 1/3 --learn-threshold --json | grep -oE '"(epochs|converged|mistakes)":[a-z0-9]+'
"epochs":17
"converged":true
"mistakes":40

# The same seed and data give the same model, bit-identical for any number of threads.
$ cleave generate blobs --rows 3000 --features 5 --classes 3 -o blobs.libsvm --quiet
$ cleave train perceptron blobs.libsvm --epochs 5 --seed 7 --threads 1 -o one.model --quiet
$ cleave train perceptron blobs.libsvm --epochs 5 --seed 7 --threads 2 -o two.model --quiet
$ cmp one.model two.model

# Several files are one data set; held-out data.
$ head -n 1500 blobs.libsvm > first.libsvm; tail -n 1500 blobs.libsvm > second.libsvm
$ cleave train perceptron first.libsvm second.libsvm --epochs 5 --seed 7 -o both.model --quiet && cmp one.model both.model
$ cleave train perceptron first.libsvm --validation second.libsvm --patience 3 --json -q -o valid.model | grep -o '"validation_rows":[0-9]*'
"validation_rows":1500

# From standard input, compressed.
$ gzip -c blobs.libsvm | cleave train perceptron - --epochs 5 --seed 7 -o pipe.model --quiet && cmp one.model pipe.model

# The model to standard output, the summary to standard error.
$ cleave train perceptron @spam6 --learning-rate 0.5 -o - > stdout.model
Read 6 *, 5 *, 2 * (@spam6). (glob)
Trained * 2 *, 4 * (R/margin)^2 24, * 0.408248). (glob)
Training * 0.00% (0 * 6 *). (glob)
$ cleave train perceptron @spam6 --learning-rate 0.5 -o - --json
cleave: --json * '-o -' * (glob)
? 2
$ cleave test stdout.model @spam6
Error 0.00% (0 * 6 *, 95% * 0.00% * 39.30%), * 100.00%. (glob)
Class '+1': * 1.0000, * 1.0000, * 1.0000. (glob)
ROC AUC 1.0000, average precision 1.0000.

# --racy and --shards.
$ cleave train perceptron @spam6 --racy --shards 2
cleave: --racy * --shards * (glob)
hint: use --racy with --threads N for speed, or --shards for a deterministic model
? 2
$ cleave train perceptron @spam6 --racy --threads 1
warning: * (glob)
hint: use -o * (glob)
Read 6 *, 5 *, 2 * (@spam6). (glob)
Trained * 2 *, 4 * (R/margin)^2 24, * 0.408248). (glob)
Training * 0.00% (0 * 6 *). (glob)

# With --racy, threads update one model without locks: results vary, with about the same error.
$ cleave generate blobs --rows 2000 --features 5 --classes 2 --seed 4 -o race.csv -q
$ for m in perceptron 'svm --solver sgd' 'logistic --solver sgd'; do cleave train $m race.csv --racy --threads 2 -o race.model -q; cleave test race.model race.csv --json; done | python3 -c 'import json, sys; print(*[j["rows"] == 2000 and j["errors"] < 200 for j in map(json.loads, sys.stdin)])'
True True True

# Calibration selects the learning rate with the lowest objective.
$ cleave train svm @dogs --solver sgd --schedule calibrated --json -q -o rates.model | python3 -c 'import json, sys; tried = json.load(sys.stdin)["learning_rates"]; print(len(tried) > 1, [rate["kept"] for rate in tried].count(True), min(tried, key=lambda rate: rate["objective"])["kept"])'
True 1 True

# A dataset may be read from standard input, alone.
$ printf '1 1:1 2:2\n-1 1:2 2:1\n1 2:3\n' > few.svm; cleave convert few.svm -o few.cleave -q; cleave train svm few.cleave -o file.model -q; cat few.cleave | cleave train svm - -o input.model -q; cmp file.model input.model
$ cat few.cleave | cleave train svm - few.svm -q
-: a dataset from a stream must be the only input
? 1
