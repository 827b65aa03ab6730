# tune --search-pipeline: reading options and steps of the default pipeline are hyperparameters, too.
$ cleave generate spam --rows 400 --noise 0.1 -o mail.tsv --quiet
$ cleave tune logistic mail.tsv --search-pipeline --candidates 12 --folds 3 --json --quiet > text.json; grep -o '"tuned":\[[^]]*\]' text.json
"tuned":[{"name":"C","scale":"log","low":0.001,"high":1000,"when":"lambda=0,solver!=adaptive"},{"name":"stop_words","scale":"choices","values":"none,english"},{"name":"ngrams","scale":"choices","values":"1,1-2,1-3"},{"name":"tfidf:tf","scale":"choices","values":"log,count,presence"},{"name":"tfidf:idf","scale":"choices","values":"smooth,none"},{"name":"tfidf:min_df","scale":"log","low":1,"high":10}]
$ cleave tune logistic mail.tsv --search-pipeline --candidates 2 --folds 2 --quiet | grep 'Search space'
Search space: C (log 0.001..1000), stop-words (none, english), ngrams (1, 1-2, 1-3), tfidf:tf (log, count, presence), tfidf:idf (smooth, none), tfidf:min-df (log 1..10).
# Without it, the pipeline is fixed.
$ cleave tune logistic mail.tsv --candidates 2 --folds 2 --quiet | grep 'Search space'
Search space: C (log 0.001..1000).
# The same result for any number of threads, and after an interruption.
$ printf 'sed -E '"'"'s/"seconds":[^,}]*//g; s/"(trials|resumed_trials)":[0-9]*|"warnings":.*//g'"'"' $1\n' > facts; for threads in 1 3; do cleave tune logistic mail.tsv --search-pipeline --candidates 12 --folds 3 --threads $threads --json --quiet > $threads.json; cmp <(sh facts text.json) <(sh facts $threads.json); done
$ cleave tune logistic mail.tsv --search-pipeline --candidates 12 --folds 3 --journal j --quiet > /dev/null; for lines in 30 45 60; do head -n $lines j > half; cleave tune logistic mail.tsv --search-pipeline --candidates 12 --folds 3 --journal half --json --quiet > half.json; cmp <(sh facts text.json) <(sh facts half.json); done; grep -o '"resumed_trials":[1-9]' half.json | head -1 | cut -d: -f1
"resumed_trials"
$ cleave tune logistic mail.tsv --candidates 12 --folds 3 --journal j --quiet
cleave: j: * --search-pipeline * 'true', * 'false' (glob)
hint: * (glob)
? 2
# Transforms are fitted within each fold, on data read with the options of the candidate: cv of the winner's command has the same error.
$ cat > same.py <<'END'
> import json, subprocess, sys
> facts = json.load(open(sys.argv[1]))
> for candidate in facts["candidates"]:
>     if candidate["status"] != "finished": continue
>     words = sys.argv[2:] + [w for k, v in candidate["parameters"].items() if ":" not in k for w in ("--" + k.replace("_", "-"), v)]
>     words += ["--transform", candidate["transform"]] if "transform" in candidate else []
>     cv = json.loads(subprocess.run(["cleave", "cv"] + words + ["--json", "--quiet"], capture_output=True, text=True, check=True).stdout)
>     if abs(cv["pooled"]["value"] - candidate["error"]) > 1e-9: print("differs", words, cv["pooled"]["value"], candidate["error"])
> print(len([c for c in facts["candidates"] if "transform" in c]) > 3, len({c["parameters"].get("ngrams") for c in facts["candidates"]}) > 2)
> END
$ cleave tune logistic mail.tsv --search-pipeline --space C=0.1,10 --candidates 12 --folds 3 --rungs 1 --test-fraction 0 --json --quiet > all.json; python3 same.py all.json logistic mail.tsv --folds 3
True True
# The printed command trains the winner, with its reading options and transforms.
$ awk 'BEGIN { for (i = 0; i < 120; i++) printf "%s\tword%d %s word%d\n", i % 2 ? "x" : "y", i % 11, i % 2 ? "red blue" : "blue red", i % 7 }' > order.tsv
$ cleave tune logistic order.tsv --C 10 --space ngrams=1-2 --space tfidf:tf=presence --space tfidf:min-df=3 --folds 3 --json --quiet | sed 's/.*"command":"\([^"]*\)".*/\1/' > command; cat command; sh command 2> /dev/null | grep -o '[0-9]* of 120 rows'; cleave explain logistic.model --json --quiet | grep -o '"transform":"[^"]*"' | head -1; cleave explain logistic.model --top 2 --json --quiet | grep -o '"red blue"' | head -1
cleave train logistic order.tsv --C 10 --ngrams 1-2 --transform tfidf:tf=presence:min-df=3 -o logistic.model
0 of 120 rows
"transform":"tfidf:tf=presence:min-df=3"
"red blue"
# Options given by the user are not searched.
$ cleave tune logistic mail.tsv --search-pipeline --transform tfidf:min-df=2 --candidates 2 --folds 2 --quiet | grep -E 'Search space|train logistic'
Search space: C (log 0.001..1000), stop-words (none, english), ngrams (1, 1-2, 1-3).
  cleave train logistic mail.tsv --transform tfidf:min-df=2 -o logistic.model
$ cleave tune logistic mail.tsv --search-pipeline --ngrams 1-2 --stop-words none --candidates 2 --folds 2 --quiet | grep 'Search space'
Search space: C (log 0.001..1000), tfidf:tf (log, count, presence), tfidf:idf (smooth, none), tfidf:min-df (log 1..10).
$ cleave tune logistic mail.tsv --search-pipeline --chars 3-4 --candidates 2 --folds 2 --quiet | grep 'Search space'
Search * 0.001..1000), * 1..10). (glob)
# Steps that a method requires are kept: winnow requires features of 0 and 1.
$ cleave tune winnow mail.tsv --search-pipeline --candidates 2 --folds 2 --quiet | grep -o 'tfidf:.*'
tfidf:min-df (log 1..10).
# --space names parameters of the pipeline, with or without --search-pipeline.
$ cleave tune logistic mail.tsv --C 1 --space ngrams=1,2 --space tfidf:min-df=1..4 --candidates 4 --folds 2 --quiet | grep 'Search space'
Search space: ngrams (1, 2), tfidf:min-df (log 1..4).
$ cleave tune logistic mail.tsv --space scale:by=range --quiet
cleave: --space scale:by: the default pipeline of this data has no step 'scale'
hint: its steps are: tfidf; --space transform=A,B searches over whole pipelines
? 2
$ cleave tune logistic mail.tsv --space tfidf:min=1..4 --quiet
cleave: --space tfidf:min: 'tfidf' has no such parameter
hint: * 'cleave transforms tfidf' * (glob)
? 2
$ cleave tune logistic mail.tsv --transform tfidf --space tfidf:min-df=1..4 --quiet
cleave: --space tfidf:min-df=1..4: the option also has a fixed value; omit one of them
hint: write a range as --space NAME=LOW..HIGH, or values as --space NAME=A,B,C
? 2
$ cleave tune logistic mail.tsv --space tfidf:min-df=0..4 --quiet
cleave: --min-df: * 1, * '0' (glob)
hint: * (glob)
? 2
# Standard input is read once.
$ cleave tune logistic - --format text --search-pipeline --candidates 2 --folds 2 < mail.tsv 2>&1 | grep -E 'Search space|not searched'
note: --search-pipeline: reading options are not searched because standard input cannot be read again
Search * 0.001..1000), * 1..10). (glob)
$ cleave tune logistic - --format text --space ngrams=1,2 --quiet < mail.tsv
cleave: --space ngrams: this reading option cannot be searched here
hint: use text files that can be read several times, without --chars, to search this option
? 2
# Tables: steps of their default pipeline, and polynomial features for linear methods; vectors may be scaled. Trees have no pipeline parameters to search.
$ awk 'BEGIN { s = 5; print "a,b,c,y"; for (i = 0; i < 240; i++) { for (k = 0; k < 3; k++) { s = (s * 16807) % 2147483647; r[k] = 2 * s / 2147483647 - 1 } printf "%.3f,%.3f,%s,%.4f\n", r[0], r[1], (i % 3 ? "u" : "v"), r[0] * r[1] + 0.05 * r[2] } }' > product.csv
$ cleave tune svr product.csv --label y --search-pipeline --C 1 --epsilon 0.01 --loss epsilon --candidates 12 --folds 3 --json --quiet > table.json; grep -o '"tuned":\[[^]]*\]' table.json; sed 's/.*"command":"\([^"]*\)".*/\1/' table.json | grep -o 'polynomial.*'
"tuned":[{"name":"rare:min_count","scale":"log","low":1,"high":100},{"name":"scale:by","scale":"choices","values":"standard,range"},{"name":"polynomial:degree","scale":"linear","low":1,"high":3}]
polynomial -o svr.model
$ cleave tune least-squares product.csv --label y --search-pipeline --candidates 6 --folds 3 --quiet | grep -E 'Search space|  cleave'
Search space: ridge (log 1e-06..10000), rare:min-count (log 1..100), polynomial:degree (1..3).
  cleave train least-squares product.csv --label y --ridge 0.000034 --transform rare:min-count=5,impute,scale,polynomial -o least-squares.model
$ cleave tune tree-regression product.csv --label y --search-pipeline --candidates 2 --folds 2 2>&1 | grep pipeline
note: --search-pipeline: the pipeline of this data has no parameter to search
note: pipeline: --transform *=*): 2 * 1 * (glob)
$ cleave convert product.csv --label y -o v.libsvm --transform auto --quiet > /dev/null; cleave tune svr v.libsvm --search-pipeline --C 1 --epsilon 0.01 --loss epsilon --candidates 6 --folds 3 --quiet | grep 'Search space'
Search space: scale:by (none, standard, range), polynomial:degree (1..3).
# With --by-time, --metric and --report.
$ cleave tune svr product.csv --label y --by-time a --metric mae --search-pipeline --candidates 4 --folds 3 --report page.html --json --quiet | grep -oE '"forward_chaining":true|"name":"mae"'; grep -c 'polynomial:degree' page.html | sed 's/[1-9].*/some/'
"name":"mae"
"forward_chaining":true
some
