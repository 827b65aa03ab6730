# A separable set: what was read, how it was trained, what came out, what to do next.
$ cleave train perceptron @spam6 --learning-rate 0.5 -o spam.model
Read 6 rows, 5 features, 2 classes (@spam6).
Trained perceptron: converged after 2 epochs, 4 mistakes (bound (R/margin)^2 24, margin 0.408248).
Training error 0.00% (0 of 6 rows).
Model written to spam.model.
Next: cleave test spam.model DATA, or cleave explain spam.model.

# Flags may stand anywhere, with a blank or '='; a flag without a value can be turned off.
$ cleave train --learning-rate=0.5 --learn-threshold perceptron -o spam.model @spam6 --no-learn-threshold --quiet

# --quiet says nothing; the model is there.
$ cleave train perceptron @spam6 --quiet -o quiet.model && ls
quiet.model
spam.model

# As JSON, times aside.
$ cleave train perceptron @spam6 --learning-rate 0.5 -o spam.model --json | sed -E 's/("[a-z_]*seconds":)(\[[^]]*\]|[^,]*)/\1T/g'
{"method":"perceptron","solver":null,"objective":"sum over examples of max(0, -y (w.x - theta))","summary":null,"rows":6,"features":5,"classes":2,"epochs":2,"converged":true,"stopped_by":"converged","cancelled":false,"mistakes":4,"last_epoch_mistakes":0,"loss":0,"order":"file order","seed":1,"best_epoch":2,"train_errors":0,"mistake_bound":24,"bound_radius2":4,"bound_gamma2":0.16666666666666666,"margin":0.4082482904638631,"origin_distance":0,"weight_length":1.224744871391589,"read_seconds":T,"read_cpu_seconds":T,"train_seconds":T,"train_cpu_seconds":T,"epoch_seconds":T,"epoch_mistakes":[4,0],"model":"spam.model","guesses":[],"warnings":[]}

# The mistake bound of the separator found: R² = 4, 24 in all.
$ cleave train perceptron @spam6 --learning-rate 0.5 --json -q | grep -o '"mistake_bound":[0-9.]*'
"mistake_bound":24

# Without -o the model is not kept.
$ cleave train perceptron @spam6
warning: the model is not saved
hint: -o FILE writes it to a file
Read 6 rows, 5 features, 2 classes (@spam6).
Trained perceptron: converged after 2 epochs, 4 mistakes (bound (R/margin)^2 24, margin 0.408248).
Training error 0.00% (0 of 6 rows).

# Data that is not separable: said on stderr, with the rule that ended the run.
$ cat > ex3.csv <<'END'
> label,x1,x2
> -1,1,2
> +1,2,3
> +1,2,1
> -1,3,2
> END
$ cleave train perceptron ex3.csv --epochs 20 -o ex3.model
note: ex3.csv: read as csv (--format), with header (--header); label column 'label' (--label), by its name, 2 classes; columns: 2 number (--columns)
note: pipeline: --transform impute,scale (default for this data): 2 columns of numbers centered and scaled
train: not converged after 20 epochs (--epochs)
hint: the classes may not be linearly separable: try --learn-threshold, the method svm, --average; the last 10 epochs made 4 mistakes each
Read 4 rows, 2 features, 2 classes (ex3.csv).
Trained perceptron: 20 epochs, 80 mistakes (4 in the last epoch).
Training error 50.00% (2 of 4 rows).
Model written to ex3.model.
Next: cleave test ex3.model DATA, or cleave explain ex3.model.
$ cleave train perceptron ex3.csv --epochs 20 -o ex3.model --json | grep -o '"converged":[a-z]*,"stopped_by":"[a-z_]*"'
"converged":false,"stopped_by":"epochs"
$ cleave train perceptron ex3.csv --epochs 20 -o ex3.model --json | grep -o '"warnings":.*'
"warnings":[{"message":"train: not converged after 20 epochs (--epochs)","hint":"the classes may not be linearly separable: try --learn-threshold, the method svm, --average; the last 10 epochs made 4 mistakes each"}]}

# 40 mistakes, as the documents say.
$ cleave train perceptron @points5 --learning-rate 1/3 --learn-threshold --json | grep -oE '"(epochs|converged|mistakes)":[a-z0-9]+'
"epochs":17
"converged":true
"mistakes":40

# Same seed, same data: the same model, byte for byte, on any number of threads.
$ cleave generate blobs --rows 3000 --features 5 --classes 3 -o blobs.libsvm --quiet
$ cleave train perceptron blobs.libsvm --epochs 5 --seed 7 --threads 1 -o one.model --quiet
$ cleave train perceptron blobs.libsvm --epochs 5 --seed 7 --threads 2 -o two.model --quiet
$ cmp one.model two.model

# Several files are one; held-out data.
$ head -n 1500 blobs.libsvm > first.libsvm; tail -n 1500 blobs.libsvm > second.libsvm
$ cleave train perceptron first.libsvm second.libsvm --epochs 5 --seed 7 -o both.model --quiet && cmp one.model both.model
$ cleave train perceptron first.libsvm --validation second.libsvm --patience 3 --json -q -o valid.model | grep -o '"validation_rows":[0-9]*'
"validation_rows":1500

# From standard input, compressed.
$ gzip -c blobs.libsvm | cleave train perceptron - --epochs 5 --seed 7 -o pipe.model --quiet && cmp one.model pipe.model

# The model to standard output, the summary to stderr.
$ cleave train perceptron @spam6 --learning-rate 0.5 -o - > stdout.model
Read 6 rows, 5 features, 2 classes (@spam6).
Trained perceptron: converged after 2 epochs, 4 mistakes (bound (R/margin)^2 24, margin 0.408248).
Training error 0.00% (0 of 6 rows).
$ cleave train perceptron @spam6 --learning-rate 0.5 -o - --json
cleave: --json and '-o -' both want standard output: name a file
? 2
$ cleave test stdout.model @spam6
Error 0.00% (0 of 6 rows, 95% confidence interval 0.00% to 39.30%), accuracy 100.00%.
Class '+1': precision 1.0000, recall 1.0000, F1 1.0000.
ROC AUC 1.0000, PR AUC 1.0000.

# Threads race, or learn pieces apart.
$ cleave train perceptron @spam6 --racy --shards 2
cleave: --racy and --shards cannot be combined
hint: use --racy with --threads N for speed, or --shards for a deterministic model
? 2
$ cleave train perceptron @spam6 --racy --threads 1
warning: the model is not saved
hint: -o FILE writes it to a file
Read 6 rows, 5 features, 2 classes (@spam6).
Trained perceptron: converged after 2 epochs, 4 mistakes (bound (R/margin)^2 24, margin 0.408248).
Training error 0.00% (0 of 6 rows).

# With --racy, threads update one model without locks: results vary, with about the same error.
$ cleave generate blobs --rows 2000 --features 5 --classes 2 --seed 4 -o race.csv -q
$ for m in perceptron 'svm --solver sgd' 'logistic --solver sgd'; do cleave train $m race.csv --racy --threads 2 -o race.model -q; cleave test race.model race.csv --json; done | python3 -c 'import json, sys; print(*[j["rows"] == 2000 and j["errors"] < 200 for j in map(json.loads, sys.stdin)])'
True True True

# Calibration keeps the learning rate with the lowest objective.
$ cleave train svm @dogs --solver sgd --schedule calibrated --json -q -o rates.model | python3 -c 'import json, sys; tried = json.load(sys.stdin)["learning_rates"]; print(len(tried) > 1, [rate["kept"] for rate in tried].count(True), min(tried, key=lambda rate: rate["objective"])["kept"])'
True 1 True
