# Trees: one row and eight rows do not raise the error on other rows, and the model is the same for any number of threads.
$ awk 'BEGIN { srand(5); print "x,y,kind,label"; for (i = 0; i < 6000; i++) { x = rand(); y = rand(); k = int(3 * rand()); print x "," y "," substr("abc", k + 1, 1) "," (x + (k == 1 ? y : -y) + .2 * rand() > .5 ? "yes" : "no") } }' > all.csv
$ head -n 3001 all.csv > old.csv; (head -n 1 all.csv; sed -n 3002,3501p all.csv) > new.csv; (head -n 1 all.csv; sed -n 3502,6001p all.csv) > test.csv; head -n 2 new.csv > one.csv; head -n 9 new.csv > eight.csv
$ for m in tree forest boost; do cleave train $m old.csv --label label -o m.model -q; for n in one eight new; do cleave update m.model $n.csv -o u.model --validation test.csv --json; done; done | python3 -c 'import json, sys; print(*[j["rows"] for j in map(json.loads, sys.stdin) if j["validation_error_rate_after"] <= j["validation_error_rate_before"] + 0.003])'
1 8 500 1 8 500 1 8 500
$ for m in tree forest boost; do cleave train $m old.csv --label label -o m.model -q; cleave update m.model new.csv -o a.model -q --threads 1; cleave update m.model new.csv -o b.model -q --threads 4; cmp a.model b.model; ! cmp -s a.model m.model || echo same; done
$ for m in tree forest boost; do cleave train $m-regression old.csv --label y -o m.model -q; cleave update m.model new.csv -o u.model --validation test.csv --json; done | python3 -c 'import json, sys; print(*[j["method"] for j in map(json.loads, sys.stdin) if j["validation_rmse_after"] <= 1.01 * j["validation_rmse_before"]])'
tree-regression forest-regression boost-regression

# Rows of another distribution: a forest gets trees trained on them.
$ sed -e 's/yes$/maybe/; s/no$/yes/; s/maybe$/no/' new.csv > turned.csv
$ cleave train forest old.csv --label label --trees 30 -o m.model -q; for f in new turned; do cleave update m.model $f.csv -o u.model -q; for t in 30 34 35; do cleave explain u.model --tree $t > tree.txt 2>&1 && echo $f $t; done; done
new 30
turned 30
turned 34
? 2

# A new class: added by tree and forest, refused by boost. AdaBoost is refused.
$ (head -n 1 all.csv; for i in 1 2 3 4 5 6 7 8; do echo "9.$i,9,a,far"; done) > far.csv
$ for m in tree forest; do cleave train $m old.csv --label label -o m.model -q; cleave update m.model far.csv --json | grep -o '"new_classes":1'; printf 'x,y,kind\n.9,.1,a\n' | cleave predict m.model - --probabilities --json | grep -o '"far"' | head -n 1; done
"new_classes":1
"far"
"new_classes":1
"far"
$ cleave train boost old.csv --label label -o m.model -q; cleave update m.model far.csv
far.csv: the class 'far' is new, and 'boost' cannot add classes
hint: * (glob)
? 1
$ cleave train boost old.csv --label label --loss exponential -o m.model -q; cleave update m.model new.csv
cleave: --loss exponential has no incremental form: the model does not record the weights of old rows
hint: train on all rows together, or with --loss log
? 2

# --monotone holds after an update with rows that contradict it.
$ cleave train boost old.csv --label label --monotone x=+ -o m.model -q; cleave update m.model turned.csv -q
$ (echo x,y,kind; for i in 0 1 2 3 4 5 6 7 8 9; do echo .$i,.5,a; done) | cleave predict m.model - --scores | awk '{ s = $NF; if (NR > 1 && s < last) print "falls"; last = s }'
$ cleave methods forest | grep -c updatable; cleave methods kernel-svm | grep -c updatable
1
0
? 1
