# Labels are text: a number written in two ways is two classes, and different integers are always different classes.
$ printf 'x,zip\n1,02134\n2,2134\n1.1,02134\n2.2,2134\n' > zip.csv; cleave train svm zip.csv --label zip -o z.model --json --quiet | grep -o '"classes":2'
"classes":2
$ cleave explain z.model --json | grep -o '"classes":[^]]*]'
"classes":["02134","2134"]
$ printf '1e5 1:1\n100000 1:2\n9007199254740992 1:3\n9007199254740993 1:4\n' > b.libsvm; cleave convert b.libsvm -o b.cleave --json --quiet | grep -o '"classes":4'
"classes":4
$ cleave convert b.cleave -o - --to libsvm --quiet | cut -d' ' -f1 | tr '\n' ' '
1e5 100000 9007199254740992 9007199254740993 

# Labels that are equal as numbers are noted once, for any number of folds; different integers are not.
$ cleave convert zip.csv --label zip -o z.cleave 2>&1 | grep -c 'equal as numbers'
1
$ cleave cv svm zip.csv --label zip --folds 2 2>&1 | grep -c 'equal as numbers'
1
$ printf '9007199254740992 1:3\n9007199254740993 1:4\n' > c.libsvm; cleave convert c.libsvm -o c.cleave 2>&1 | grep -c note
0
? 1

# Targets of a regression are numbers in any form.
$ printf 'x,y\n1,1.0\n2,2\n3,3.00\n1,1\n2,2.0\n' > y.csv; cleave train least-squares y.csv --label y -o y.model 2>&1 | grep -c 'as numbers'
0
? 1
$ cleave test y.model y.csv --json | grep -o '"r2":1,\|"warnings":.*'
"r2":1,
"warnings":[]}

# In LIBSVM text and in options, a sign + and zeros at the end of a fraction are ignored. The class keeps its first name.
$ printf '+1 1:1\n-1 1:2\n1 1:1.1\n-1 1:2.1\n1.0 1:1.2\n' > a.libsvm; cleave train svm a.libsvm -o a.model --json --quiet --positive 1 --class-weight 1=2 --classes 1,-1 | grep -o '"rows":5\|"classes":2'
"rows":5
"classes":2
$ cleave explain a.model --json | grep -o '"classes":[^]]*],"positive":"[^"]*"'
"classes":["+1","-1"],"positive":"+1"
$ cleave convert a.libsvm -o a.cleave 2>&1 | grep -c 'are the same class'
1
$ printf '+1 1:1\n-1 1:2\n1 1:1.1\n' > d.libsvm; cleave convert d.libsvm -o d.cleave 2>&1 | grep -c note
0
? 1
$ cleave test a.model d.libsvm --json --quiet | grep -o '"errors":[0-9]*\|"unseen_labels":[0-9]*'
"errors":0
"unseen_labels":0
$ cleave convert a.libsvm d.libsvm -o - --to libsvm --quiet | cut -d' ' -f1 | sort | uniq -c | tr -s ' '
 5 +1
 3 -1

# The same holds for a dataset made from LIBSVM text, and for a stream.
$ printf '1.0 1:1\n-1 1:2\n' > e.libsvm; cleave convert e.libsvm -o e.cleave --quiet; cleave test a.model e.cleave --json --quiet | grep -o '"unseen_labels":[0-9]*'
"unseen_labels":0
$ cleave stream perceptron a.libsvm --json --quiet | tail -n 1 | grep -o '"classes":[0-9]*'
"classes":2

# In a table, a label that differs from a class only in form is an error, with a warning.
$ printf 'f,y\n1,1\n2,-1\n1.1,1\n' > t.csv; cleave train perceptron t.csv --label y -o t.model --quiet; printf 'f,y\n1,1.0\n2,-1\n1.1,1\n' > u.csv
$ cleave test t.model u.csv --json --quiet | grep -o '"unseen_labels":[0-9]*\|the label [^"]*'
"unseen_labels":1
the label '1.0' is not a class of the model: labels are compared as text, and the class with this value is written '1'
$ cleave predict t.model u.csv --label y
1
-1
1
$ cleave train knn t.csv --label y -o k.model --quiet; cleave search k.model u.csv --label y 2>&1 >/dev/null
$ cleave train perceptron t.csv --label y --validation u.csv -o v.model 2>&1 | grep -c "the label '1.0' is not a class"
1
$ cleave train svm zip.csv --label zip --positive 2134.0 -o z.model --quiet
cleave: --positive: * '2134.0' (glob)
hint: the labels are '02134' and '2134'
? 2

# update: labels of a LIBSVM file that are one class are noted also if similar labels are allowed, and the validation set is checked.
$ for more in "" --allow-similar-labels; do cleave update a.model a.libsvm $more -o a2.model 2>&1 | grep -c "the labels '+1' and '1.0' are the same class"; done
1
1
$ cleave update t.model t.csv --label y --validation u.csv -o t2.model 2>&1 | grep -o "warning: the label '1.0' is not a class of the model"
warning: the label '1.0' is not a class of the model
$ cleave update t.model t.csv --label y --validation t.csv -o t2.model 2>&1 | grep -c warning
0
? 1
