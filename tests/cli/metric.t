# --metric of cv, tune and compare; tests/golden/test_metrics.c compares its values with scikit-learn.
% python3
# --metric: the value over folds with its interval, and the value of the baseline.
$ cleave generate spam --rows 400 -o mail.tsv --quiet
$ for m in accuracy error f1 macro-f1 auc average-precision log-loss; do cleave cv logistic mail.tsv --folds 4 --metric $m --json --quiet | grep -oE '"metric":\{"name":"[a-z0-9-]*"|"higher_is_better":[a-z]*|"baseline_value":[0-9.]*,"undefined_folds":[0-9]*' | tr '\n' ' '; echo; done
"metric":{"name":"accuracy" "higher_is_better":true "baseline_value":0.62,"undefined_folds":0 
"metric":{"name":"error" "higher_is_better":false "baseline_value":0.38,"undefined_folds":0 
"metric":{"name":"f1" "higher_is_better":true "baseline_value":0,"undefined_folds":0 
"metric":{"name":"macro-f1" "higher_is_better":true "baseline_value":0.382716049382716,"undefined_folds":0 
"metric":{"name":"auc" "higher_is_better":true "baseline_value":0.5,"undefined_folds":0 
"metric":{"name":"average-precision" "higher_is_better":true "baseline_value":0.38,"undefined_folds":0 
"metric":{"name":"log-loss" "higher_is_better":false "baseline_value":0.6640641265641072,"undefined_folds":0 
$ awk 'BEGIN { s = 1; print "x,y"; for (i = 0; i < 200; i++) { s = s * 16807 % 2147483647; printf "%.3f,%.3f\n", i / 20, i / 10 + s / 2147483647 } }' > line.csv; for m in rmse mae; do cleave cv least-squares line.csv --label y --folds 4 --metric $m --json --quiet | grep -oE '"metric":\{"name":"[a-z0-9-]*"|"higher_is_better":[a-z]*'; done
"metric":{"name":"rmse"
"higher_is_better":false
"metric":{"name":"mae"
"higher_is_better":false
# The AUC is the mean over folds.
$ cleave cv logistic mail.tsv --folds 4 --metric auc --json --quiet | python3 -c 'import json, sys; d = json.load(sys.stdin); m = [f["metric"]["value"] for f in d["fold_results"]]; print(abs(sum(m) / 4 - d["metric"]["value"]) < 1e-12, d["metric"]["low"] < d["metric"]["value"] < d["metric"]["high"])'
True True
# A metric that does not suit the task, and one that needs probabilities.
$ cleave cv logistic mail.tsv --metric rmse --quiet
cleave: --metric rmse is a metric for regression, and the task is classification
hint: use one of these metrics: accuracy, error, f1, macro-f1, auc, average-precision, log-loss
? 2
$ cleave cv perceptron @dogs --folds 2 --metric f1 --quiet
cleave: --metric f1 requires two classes, and the data has 3
hint: use one of these metrics: accuracy, error, macro-f1, auc, log-loss
? 2
$ cleave cv least-squares line.csv --label y --metric auc --quiet
cleave: --metric auc is a metric for classification, and the task is regression
hint: use one of these metrics: rmse, mae
? 2
$ cleave cv svm mail.tsv --folds 2 --metric log-loss --quiet
cleave: 'svm' predicts no probabilities, which --metric log-loss requires
hint: use --calibrate to fit probabilities to the scores, or choose another --metric
? 2
$ cleave cv svm mail.tsv --folds 2 --metric log-loss --calibrate --quiet | grep -c 'log loss'
4
# --metric determines the order, the winner and the journal.
$ cat > tune.py <<'END'
> import json, sys
> d = json.load(sys.stdin)
> v = [c["metric"]["value"] for c in d["candidates"] if c["status"] == "finished"]
> print(d["metric"]["name"], v == sorted(v, reverse=d["metric"]["higher_is_better"]), d["metric"]["value"] == v[0], d["gain"]["value"] >= 0, d["test"]["winner"]["low"] <= d["test"]["winner"]["value"] <= d["test"]["winner"]["high"])
> END
$ for m in accuracy error f1 macro-f1 auc average-precision log-loss; do cleave tune logistic mail.tsv --candidates 6 --folds 3 --metric $m --json --quiet | python3 tune.py; done
accuracy True True True True
error True True True True
f1 True True True True
macro-f1 True True True True
auc True True True True
average-precision True True True True
log-loss True True True True
$ for m in rmse mae; do cleave tune svr line.csv --label y --candidates 6 --folds 3 --metric $m --json --quiet | python3 tune.py; done
rmse True True True True
mae True True True True
$ cleave tune logistic mail.tsv --candidates 3 --folds 2 --metric auc --journal auc.journal --quiet > /dev/null; cleave tune logistic mail.tsv --candidates 3 --folds 2 --metric f1 --journal auc.journal --quiet
cleave: auc.journal: * --metric * 'auc', * 'f1' (glob)
hint: * (glob)
? 2
$ cleave tune logistic mail.tsv --candidates 3 --folds 2 --journal error.journal --quiet > /dev/null; cleave tune logistic mail.tsv --candidates 3 --folds 2 --metric error --journal error.journal --json --quiet | grep -oE '"trials":[0-9]+'
"trials":0
$ cleave tune svm mail.tsv --candidates 3 --folds 2 --metric log-loss --quiet
cleave: 'svm' * --metric * (glob)
hint: * --calibrate * --metric (glob)
? 2
$ cleave tune logistic mail.tsv --candidates 3 --folds 2 --metric mae --quiet
cleave: --metric mae is a metric for regression, and the task is classification
hint: * (glob)
? 2
# --metric determines the order, the best method and the tests. Methods without the required scores are excluded, with the reason.
$ cat > compare.py <<'END'
> import json, sys
> d = json.load(sys.stdin)
> c = [c for c in d["candidates"] if c["folds_done"]]
> v = [x["metric"]["value"] for x in c]
> print(d["metric"]["name"], d["best"], v == sorted(v, reverse=d["metric"]["higher_is_better"]), d["metric"]["value"] == v[0], [x["method"] for x in c if x["against_best"] == "worse"])
> END
$ for m in accuracy f1 macro-f1 auc average-precision log-loss; do cleave compare mail.tsv --methods logistic,knn,perceptron --folds 3 --metric $m --json --quiet | python3 compare.py; done
accuracy logistic True True [None]
f1 logistic True True [None]
macro-f1 logistic True True [None]
auc perceptron True True [None]
average-precision perceptron True True [None]
log-loss logistic True True [None]
$ cleave compare mail.tsv --methods logistic,perceptron --folds 3 --metric log-loss --quiet | grep 'Not compared'
Not compared: perceptron: predicts no probabilities, which the metric requires (train --calibrate fits them)
$ cleave compare line.csv --label y --task regression --methods least-squares,lms --folds 3 --metric mae --json --quiet | python3 compare.py
mae least-squares True True [None]
# The value equals that of cv, and the journal contains it.
$ cleave compare mail.tsv --methods logistic --folds 3 --metric auc --journal compare.journal --json --quiet | grep -oE '"metric":\{"name":[^}]*' > a; cleave compare mail.tsv --methods logistic --folds 3 --metric auc --journal compare.journal --json --quiet | grep -oE '"metric":\{"name":[^}]*|"resumed":3' > b; cmp a <(head -n 1 b); tail -n 1 b; cleave cv logistic mail.tsv --folds 3 --metric auc --json --quiet | grep -oE '"metric":\{"name":[^}]*' | grep -oE '"value":[0-9.]*' | head -n 1 | cmp - <(grep -oE '"value":[0-9.]*' a)
"resumed":3
$ cleave compare mail.tsv --methods logistic --folds 3 --metric f1 --journal compare.journal --quiet
cleave: compare.journal: * --metric * 'auc', * 'f1' (glob)
hint: * (glob)
? 2
$ cleave compare @dogs --folds 2 --metric average-precision --quiet
cleave: --metric average-precision requires two classes, and the data has 3
hint: * (glob)
? 2
# --report: one self-contained page with the data of --json.
$ cat > page.py <<'END'
> import json, re, sys
> page, facts = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
> inside = json.loads(re.search(r'id="result">\n(.*?)\n</script>', page, re.S).group(1))
> print({**inside, "report": facts["report"], "warnings": facts["warnings"]} == facts, re.search(r"(src|href)=.?(https?:)?//", page) is None, facts["report"])
> END
$ cleave tune knn mail.tsv --metric auc --candidates 6 --folds 3 --report tune.html --json --quiet > tune.json; python3 page.py tune.html tune.json
True True tune.html
$ cleave compare mail.tsv --methods logistic,knn --metric auc --folds 3 --report compare.html --json --quiet > compare.json; python3 page.py compare.html compare.json
True True compare.html
$ cleave tune knn mail.tsv --candidates 3 --folds 2 --quiet --report tune.html | tail -n 1; cleave compare mail.tsv --methods knn --folds 2 --quiet --report compare.html | tail -n 1
Report written to tune.html.
Report * compare.html. (glob)
