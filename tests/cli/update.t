# One new row: the error on other rows is unchanged. A warm start on other rows is refused.
$ cleave generate spam --rows 5000 --test-rows 2000 -o ms.tsv -q; head -n 1 ms-test.tsv > one.tsv; head -n 8 ms-test.tsv > eight.tsv
$ cleave train svm ms.tsv -o ms.model -q; cleave train svm one.tsv --from ms.model -o new.model
cleave: one.tsv: the rows are not the training rows of the model
hint: use 'cleave update MODEL one.tsv' to add new rows to the model, or --refit to fit these rows alone
? 2
$ cleave train svm ms.tsv --from ms.model -o same.model -q
$ cleave train svm one.tsv --from ms.model --refit -o new.model -q; cleave test new.model ms-test.tsv --json | grep -o '"error_rate":0.[3-9]' | head -n 1
"error_rate":0.4
$ for m in svm logistic perceptron knn; do cleave train $m ms.tsv -o m.model -q; for n in one eight; do cleave update m.model $n.tsv -o u.model --validation ms-test.tsv --json; done; done | python3 -c 'import json, sys; print(*[j["rows"] for j in map(json.loads, sys.stdin) if j["validation_error_rate_after"] <= j["validation_error_rate_before"] + 0.003])'
1 8 1 8 1 8 1 8

# Label noise in new rows does not destroy a model of a table: the error on other rows rises by at most 1 point.
$ customers() { awk -v seed=$1 -v rows=$2 'function draw() { return (seed = seed * 16807 % 2147483647) / 2147483647 } BEGIN { print "spend,visits,discount,land,churn"; for (i = 0; i < rows; i++) { spend = 5000 * draw(); printf "%.2f,%d,%.3f,%s,", spend, 10 * draw(), draw(), substr("DEATCH", 1 + 2 * int(3 * draw()), 2); print (spend < 1500) != (draw() < 0.1) ? "yes" : "no" } }'; }; customers 1 1500 > customers.csv; customers 2 500 > more.csv; customers 3 1500 > many.csv; customers 4 2000 > other.csv
$ for m in svm logistic perceptron; do cleave train $m customers.csv -o c.model -q; for f in more many; do cleave update c.model $f.csv -o u.model --validation other.csv --json; done; done | python3 -c 'import json, sys; print(*[j["rows"] for j in map(json.loads, sys.stdin) if j["validation_error_rate_after"] <= j["validation_error_rate_before"] + 0.01])'
500 1500 500 1500 500 1500

# The model file is replaced unless -o names another; an input is never written.
$ cp ms.model old.model; cleave update ms.model eight.tsv; cmp -s ms.model old.model || echo changed
Updated with 8 rows.
New rows: error 0.00% before, 0.00% after.
Model * ms.model. (glob)
changed
$ cleave update ms.model eight.tsv -o eight.tsv
cleave: -o 'eight.tsv' * (glob)
? 2
$ cleave train svm ms.tsv eight.tsv --from ms.model -o x.model 2>&1 | head -n 1
cleave: ms.tsv: * (glob)

# The order and the format of the rows have no effect; held-out rows belong to the rows of the model.
$ sort ms.tsv > sorted.tsv; cleave convert ms.tsv -o ms.cleave -q; cleave train svm ms.tsv --validation-fraction 0.1 -o held.model -q
$ for f in ms.tsv sorted.tsv ms.cleave; do cleave train svm $f --from held.model -o x.model -q || echo refused; done

# A new class and new words.
$ printf 'ham\tsee you at lunch\nspam\tcheap pills now\nham\tlunch at noon\nspam\tcheap watches now\n' > mail.tsv
$ printf 'news\telection results tonight\nnews\telection debate tonight\nham\tnoon lunch\n' > more.tsv
$ for m in svm logistic perceptron; do cleave train $m mail.tsv -o m.model -q; cleave update m.model more.tsv --json | grep -o '"new_classes":1,"new_features":4'; cat mail.tsv more.tsv | cleave predict m.model - | tr '\n' ' '; echo; done
"new_classes":1,"new_features":4
ham spam ham spam news news ham 
"new_classes":1,"new_features":4
ham spam ham spam news news ham 
"new_classes":1,"new_features":4
ham spam ham spam news news ham 
$ cleave stream perceptron more.tsv -m m.model --input-continues -q; cat mail.tsv more.tsv | cleave predict m.model - | tr '\n' ' '
ham spam ham spam news news ham 

# Updates of joint multiclass models.
$ printf 'Beagle 1:8 2:5\nChihuahua 1:9 2:6\n' > dogs.libsvm; for m in svm logistic; do cleave train $m @dogs --multiclass joint -o joint.model -q; cleave update joint.model dogs.libsvm --json; cleave test joint.model @dogs --json; done | python3 -c 'import json, sys; print(*[(j["rows"], j["new_classes"]) if "new_classes" in j else j["errors"] < 5 for j in map(json.loads, sys.stdin)])'
(2, 0) True (2, 0) True

# A method without an incremental form is refused, and so is data without rows.
$ cleave train kernel-svm ms-test.tsv -o k.model -q; cleave update k.model eight.tsv
cleave: a model of 'kernel-svm' cannot be updated: the method has no incremental form
hint: * (glob)
? 2
$ printf 'what is this\n' > none.tsv; cleave update m.model none.tsv
none.tsv: no row has a label (1 row)
hint: write each line as label<TAB>text
? 1

# The range of the targets covers the old and the new rows.
$ awk 'BEGIN { for (i = 0; i < 60; i++) printf "%g 1:%g 2:%g\n", i % 7, i % 7 + 0.1, i % 3 }' > numbers.svm; printf '9 1:9 2:1\n' > above.svm; printf '0 1:50\n' > far.svm
$ for m in least-squares lms knn-regression; do cleave train $m numbers.svm -o n.model -q; cleave update n.model above.svm -q; cleave explain n.model | grep -o 'training targets.*'; done
training targets from 0 to 9
training targets from 0 to 9
training targets from 0 to 9
$ cleave train least-squares numbers.svm -o n.model -q; cleave update n.model above.svm -q; cleave predict n.model far.svm --clip
9
# A line of words for a model of a table without a header is a row, not a header.
$ printf 'yes\tred\nno\tblue\nyes\tred\nno\tgreen\nno\tblue\nyes\tred\n' > plain.tsv; cleave train tree plain.tsv --label 1 -o plain.model --quiet; head -n 1 plain.tsv > line.tsv; cleave predict plain.model line.tsv
yes
$ head -n 2 plain.tsv | cleave predict plain.model -
yes
no
$ cleave update plain.model line.tsv -o updated.model | grep -o "with 1 row"
with 1 row
$ (printf 'answer\tcolor\n'; cat plain.tsv) > headed.tsv; cleave predict plain.model headed.tsv --header yes | wc -l
6
# A document has its label from its folder; a single file has none.
$ mkdir -p box/ham box/spam fix/spam; echo 'lunch at noon' > box/ham/1; echo 'cheap pills now' > box/spam/1; echo 'lunch offer' > fix/spam/1; cleave train svm box -o box.model -q
$ cleave update box.model fix/spam/1
fix/spam/1: no row has a label (1 row)
hint: * (FOLDER/class/document), *<*>* --documents * (glob)
? 1
$ cleave update box.model fix --json | grep -o '"error_rate_after":[0-9.]*'; printf 'spam\tcheap pills\n' | cleave update box.model - --documents lines --json | grep -o '"rows":[0-9]*'
"error_rate_after":0
"rows":1

# A label that equals a class of the model as a number is refused without --allow-equal-numbers.
$ printf 'f,y\n1,0\n2,1\n1.1,0\n2.1,1\n' > y.csv; printf 'f,y\n1,1\n1.2,0.0\n' > y-new.csv; cleave train knn y.csv --label y --k 1 -o y.model -q
$ cleave update y.model y-new.csv
y-new.csv:3: the label '0.0' would be a new class, but the model has the similar class '0'
hint: write the label as '0', or accept a new class with --allow-similar-labels
? 1
$ cleave update y.model y-new.csv --allow-similar-labels -o y-three.model --json | grep -o '"new_classes":[0-9]*\|"warnings":.*'
"new_classes":1
"warnings":[]}
# The same for labels that differ in letter case, blanks at the ends or punctuation at the end.
$ printf 'f,y\n1,<=50K\n2,>50K\n1.1,<=50K\n2.1,>50K\n' > y.csv; cleave train knn y.csv --label y --k 1 -o y.model -q; printf 'f,y\n1,<=50K.\n2,>50K.\n' > y-new.csv; cleave update y.model y-new.csv
y-new.csv:2: * '<=50K.' * '<=50K' (glob)
hint: use --trim-labels '.' to remove the difference, or --allow-similar-labels to accept a new class
? 1
$ cleave update y.model y-new.csv --trim-labels . -o y-two.model --json | grep -o '"new_classes":[0-9]*'; cleave update y.model y-new.csv --allow-similar-labels -o y-four.model --json | grep -o '"new_classes":[0-9]*'
"new_classes":0
"new_classes":2
$ printf 'f,y\n1,spam\n2,Äpfel\n3,C\n' > y.csv; cleave train knn y.csv --label y --k 1 -o y.model -q; for label in SPAM 'spam ' ' Spam!' ÄPFEL äpfel. c C++ ham; do printf 'f,y\n1,"%s"\n' "$label" > y-new.csv; cleave update y.model y-new.csv --label y -o y-new.model --json 2> err | grep -o '"new_classes":[0-9]*' || tail -n 1 err; done
hint: * 'spam', * --allow-similar-labels (glob)
hint: * --trim-labels ' ' * --allow-similar-labels * (glob)
hint: * 'spam', * --allow-similar-labels (glob)
hint: * 'Äpfel', * --allow-similar-labels (glob)
hint: * 'Äpfel', * --allow-similar-labels (glob)
hint: * 'C', * --allow-similar-labels (glob)
"new_classes":1
"new_classes":1

# A correction of knn gets only the votes that its class needs to win. With 1/d^2, one vote is enough unless an equal row has another class.
$ printf 'ham\tcheap lunch now\nham\tcheap lunch today\nspam\tfree pills\nham\tlunch at noon\nham\tlunch at home\n' > five.tsv; printf 'spam\tcheap watches now\n' > fix.tsv; printf 'spam\tlunch at noon\n' > equal.tsv
$ cleave train knn five.tsv --k 3 -o five.model -q; for f in fix equal; do cleave update five.model $f.tsv -o fixed.model --json | grep -o '"error_rate_after":[0-9.]*'; cleave explain fixed.model $f.tsv --row 1 --json | python3 -c 'import json, sys; print([n["weight"] for n in json.load(sys.stdin)["neighbors"] if n["distance"] == 0])'; done
"error_rate_after":0
[1]
"error_rate_after":0
[1, 2]
$ cleave train knn five.tsv --k 3 --weight none -o five.model -q; cleave update five.model fix.tsv -o fixed.model --json | grep -o '"error_rate_after":[0-9.]*'; cleave explain fixed.model fix.tsv --row 1 --json | python3 -c 'import json, sys; print([n["weight"] for n in json.load(sys.stdin)["neighbors"] if n["distance"] == 0])'
"error_rate_after":0
[3]

# Many rows of one class raise the error on the other classes: a warning names the label.
$ grep ^spam ms.tsv | head -n 100 > spam.tsv; cleave update ms.model spam.tsv -o u.model 2>&1 | grep -A1 warning
warning: all 100 new rows have the label 'spam'; the error on other classes may rise
hint: add rows of the other classes; --validation FILE shows the error on other rows
$ head -n 99 spam.tsv > fewer.tsv; cleave update ms.model fewer.tsv -o u.model 2>&1 | grep warning
? 1

# New classes are named. A maildir is not taken for a class 'cur', also without its empty folders.
$ printf 'm\tone two\nz\tthree four\nm\tone six\nz\tfour eight\n' > old.tsv; printf 'a\tten\nq\televen\nz\tthree\n\tno label\n' > more.tsv; cleave train forest old.tsv -o named.model --quiet; cleave update named.model more.tsv -o named2.model 2>&1 | head -n 2
warning: 1 row has no label and is skipped
Updated with 3 rows, 2 new classes 'a', 'q', 4 new features.
$ mkdir -p maildirs/spam/cur maildirs/ham/cur maildirs/ham/tmp; for i in 1 2 3; do printf 'Subject: win\n\nprize %s\n' $i > maildirs/spam/cur/$i; printf 'Subject: work\n\nnotes %s\n' $i > maildirs/ham/cur/$i; done; cleave train svm maildirs -o box.model --quiet; cleave predict box.model maildirs/spam
spam
spam
spam
$ cleave update box.model maildirs/spam -o box2.model
maildirs/spam: no row has a label (3 rows)
hint: put each document into the folder of its class* (glob)
? 1
