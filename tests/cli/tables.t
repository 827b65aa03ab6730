# Tables: the description of the columns, the features, and a second file with slightly different columns.
$ awk 'BEGIN { print "age,work_class,marital-status,tag,pay"; for (i = 0; i < 60; i++) printf "%s, %s, %s, t%d, %s\n", i % 7 ? 20 + i % 37 : "?", i % 20 == 3 ? "rare" i : i % 3 ? "Private" : "State", i % 2 ? "Married" : "Single", i * 7919, (i % 2 && i % 37 > 9) ? ">50K" : "<=50K" }' > train.csv
$ head -4 train.csv
age,work_class,marital-status,tag,pay
?, State, Single, t0, <=50K
21, Private, Married, t7919, <=50K
22, Private, Single, t15838, <=50K
$ cleave convert train.csv --describe
note: train.csv: read as csv (--format), with header (--header); label column 'pay' (--label), the last column, 2 classes; columns: 1 number, 2 category (--columns)
warning: train.csv: column 'tag' is ignored: nearly every value is different, as in an identifier
hint: pass --columns 'tag=category' to keep it, or --columns 'tag=ignore' to silence this warning
Read 60 *, 9 *; 33.3% *, 3 * (glob)
2 labels: <=50K 40, >50K 20

column          type      missing  distinct  values                              reason
age             number          9        35  20 to 56, median 35                 all cells are whole numbers
work_class      category        0         5  Private 38, State 19, rare3 1, ...  text, 1 word per cell
marital-status  category        0         2  Single 30, Married 30               text, 1 word per cell
tag             ignore          0        60  such as t0                          text, 1 word per cell
pay             label           0         2  <=50K 40, >50K 20                   text, 1 word per cell
$ cleave convert train.csv --describe --json --columns age=category 2> /dev/null | grep -o '"columns":\[{[^}]*'
"columns":[{"name":"age","kind":"category","reason":"all cells are whole numbers","values_count":60,"missing":9,"distinct":35,"more":false,"min":20,"median":35,"max":56,"values":[{"value":"21","count":2
$ cleave convert train.csv --describe -o x.cleave
cleave: --describe writes nothing: omit -o
? 2
$ cleave train svm train.csv -o m
note: train.csv: * (--format), * (--header); * 'pay' (--label), *, 2 *: 1 *, 2 * (--columns) (glob)
warning: train.csv: * 'tag' * (glob)
hint: * --columns 'tag=category' * --columns 'tag=ignore' * (glob)
note: pipeline: --transform rare,impute,scale (default for this data): 3 categories in fewer than 2 rows merged into (other); 9 missing values imputed; 1 numeric column centered and scaled
Read 60 *, 7 *, 2 * (train.csv). (glob)
Trained svm (dcd): converged after 193 iterations, duality gap 1e-08, objective 12.83, 20 support vectors.
Training * 1.67% (1 * 60 *). (glob)
Model written to m.
Next: cleave test m DATA, or cleave explain m.
$ cleave train svm train.csv --columns tag=ignore --transform rare,impute:strategy=error -o n --quiet
line 2: the value of column 'age' is missing
hint: use impute without strategy=error to impute the median of the column
? 1
$ awk 'BEGIN { print "Pay,work-class,AGE,marital_status"; for (i = 0; i < 60; i++) printf "%s., %s, %s, %s\n", (i % 2 && i % 37 > 9) ? ">50K" : "<=50K", i % 5 ? "Private" : "never seen", i % 11 ? 20 + i % 37 : "", i % 2 ? "Married" : "Single" }' > test.csv
$ cleave test m test.csv
warning: test.csv: column 'AGE' is used as 'age', and 3 others likewise
test.csv: no label of the data is a class of the model: the data has '<=50K.', '>50K.', the model has '<=50K', '>50K'
hint: --trim-labels '.' removes the difference
? 1
$ cleave test m test.csv --trim-labels .
warning: test.csv: * 'AGE' * 'age', * 3 * (glob)
Error 0.00% (0 * 60 *, 95% * 0.00% * 6.02%), * 100.00%. (glob)
Class '>50K': * 1.0000, * 1.0000, * 1.0000. (glob)
ROC AUC 1.0000, average precision 1.0000.
$ sed '1s/AGE/years/' test.csv > renamed.csv; cleave test m renamed.csv
renamed.csv:1: * 'age' * (glob)
hint: * 'years' * --rename 'years=age' (glob)
? 1
$ cleave test m renamed.csv --rename years=age --trim-labels . 2> /dev/null
Error 0.00% (0 * 60 *, 95% * 0.00% * 6.02%), * 100.00%. (glob)
Class '>50K': * 1.0000, * 1.0000, * 1.0000. (glob)
ROC AUC 1.0000, average precision 1.0000.
$ cleave test m renamed.csv --rename yaers=age
cleave: --rename: * 'yaers' * renamed.csv (glob)
hint: the columns are Pay, work-class, years, marital_status
? 2
$ sed '1s/AGE/years/;1s/Pay/label/' test.csv | cut -d, -f1,3 > fewer.csv; cleave test m fewer.csv
fewer.csv:1: columns 'age', 'work_class', 'marital-status' of the model are missing in this file
hint: if the column has another name here, pass --rename 'NAME=age'
? 1
$ cleave predict m test.csv > a 2> /dev/null; awk -F, -v OFS=, '{ print $3, $4, $2, $1 }' test.csv > other-order.csv; cleave predict m other-order.csv 2> /dev/null | cmp - a

# Pipelines: the printed list, its application, and errors.
$ cleave convert train.csv --columns tag=ignore --transform auto -o made.csv 2> /dev/null | sed 's/ in [0-9.]* s.*/./'; head -3 made.csv
Wrote 60 *, 7 *, 2 * made.csv (1,840 * 2,139 *). (glob)
age,age=?,work_class=State,marital-status=Single,work_class=Private,marital-status=Married,work_class=(other),label
-0.023955615,1,1,1,0,0,0,<=50K
-1.571857,0,0,0,1,1,0,<=50K
$ printf 'a,class\n1,x\n2,y\n' > two.csv; printf 'a,b\n1,2\n,3\n' > gap.csv; cleave train perceptron two.csv --transform impute:strategy=error -o r --quiet; cleave predict r gap.csv
line 3: the value of column 'a' is missing
hint: *=* (glob)
? 1

# A column of sentences is text; --columns sets other types.
$ awk 'BEGIN { split("good warm nice", g, " "); split("bad cold sad", b, " "); print "says,stars,class"; for (i = 0; i < 60; i++) printf "\"it was a %s day, %d\",%d,%s\n", i % 2 ? g[i % 3 + 1] : b[i % 3 + 1], i, i % 5, i % 2 ? "yes" : "no" }' > said.csv
$ cleave train svm said.csv -o said.model | head -1; cleave test said.model said.csv | head -1
note: said.csv: * (--format), * (--header); * 'class' (--label), *, 2 *: 1 *, 1 * (--columns) (glob)
note: pipeline: --transform tfidf,impute,scale (default for this data): 70 words; 1 numeric column centered and scaled
Read 60 *, 71 *, 2 * (said.csv). (glob)
Error 0.00% (0 * 60 *, 95% * 0.00% * 6.02%), * 100.00%. (glob)
$ cleave explain said.model | grep -c says:
20
$ cleave train perceptron said.csv --columns says=category -o c --json 2> /dev/null | grep -o '"features":[0-9]*'
"features":2
$ cleave train perceptron said.csv --columns says=words -o c
cleave: --columns: unknown column type 'words'
hint: the types are number, category, text, label, weight and ignore; for dates: date, date-dmy, date-mdy, date-ymd, time, epoch and epoch-ms
? 2

# Two columns whose values are interchangeable.
$ printf 'a,a=b,class\nb=c,c,x\nq,r,y\n' > alike.csv; cleave train svm alike.csv -o alike.model
alike.csv:1: columns 'a' and 'a=b': their features would have the same names
hint: * --columns 2=* (glob)
? 1
# A column of row numbers is ignored, with a warning.
$ (echo row,x,label; for i in $(seq 60); do echo "$i,$((i * 7 % 5)),$((i % 2))"; done) > rows.csv; cleave train perceptron rows.csv --label label -o rows.model 2>&1 | grep -A1 'row numbers'
warning: rows.csv: column 'row' contains row numbers, which do not generalize to new rows
hint: pass --columns 'row=ignore' to ignore it, or --columns 'row=number' to silence this warning
$ cleave train perceptron rows.csv --label label --columns row=number -o rows.model 2>&1 | grep -c 'the rows:'
0
? 1

# A label listed in --missing is a missing label: the row is refused with the count of such rows, or skipped.
$ printf 'a,b,price\n1,2,5\n2,1,4\n3,3,NA\n4,1,6\n1,4,\n2,2,n/k\n' > gaps.csv
$ cleave train least-squares gaps.csv --missing NA,n/k -o gaps.model -q
gaps.csv:4: the row has no label (3 of 6 rows have no label)
hint: * --skip-unlabeled * (glob)
? 1
$ cleave train least-squares gaps.csv --missing NA,n/k --skip-unlabeled -o gaps.model -q --json | grep -o '"rows":[0-9]*'
"rows":3
$ cleave test gaps.model gaps.csv --missing NA,n/k --json | grep -o '"unlabeled":[0-9]*'
"unlabeled":3
$ printf 'a,class\n1,NA\n2,EU\n3,NA\n4,EU\n' > regions.csv; cleave train perceptron regions.csv --missing '' -o regions.model -q --json | grep -o '"classes":[0-9]*'
"classes":2

# The label is detected by name, position and number of values; a label with as many classes as a tenth of the rows is refused.
$ awk 'BEGIN { print "Class Index,Title,Description"; for (i = 0; i < 400; i++) printf "%d,\"Some title of %d words\",\"text %d with many more words %d\"\n", i % 4 + 1, i, i, i * 7 }' > news.csv
$ cleave train logistic news.csv -o news.model --json | grep -o '"guesses":.*' | tr '{' '\n' | grep -o '"what".*--label"'
"what":"label column","value":"Class Index","option":"--label"
$ awk 'BEGIN { print "lang,kind,target"; for (i = 0; i < 400; i++) printf "%s,%d,user %d\n", i % 3 ? "en" : "de", i % 7, i % 150 }' > users.csv
$ cleave train logistic users.csv -o users.model -q
cleave: users.csv: * 'target' (* 150 * 400 * (glob)
hint: name the label column with --label: 'lang' has 2 values, 'kind' 7
? 2
$ cleave train logistic users.csv --label target -o users.model -q --json | grep -o '"classes":[0-9]*'
"classes":150
$ cleave convert users.csv --describe --json -q | grep -o '"guesses":.*"warn' | tr '{' '\n' | grep -c what
5
$ cleave convert users.csv -o copy.csv -q; cmp users.csv copy.csv
$ cleave compare users.csv --label kind --methods tree,knn --folds 2 --json -q | grep -o '"what":"task"[^}]*'
"what":"task","value":"classification","option":"--task"

# A column with the name of a label is the label, even if every value is different: it is refused, and no other column is chosen.
$ (echo a,b,class; for i in $(seq 50); do echo "$((i % 4)),$((i * 7 % 13)),u$i"; done) > unique.csv; cleave train logistic unique.csv -o u.model --quiet
cleave: unique.csv: * 'class' (* 50 * 50 * (glob)
hint: * --label: 'a' * 4 *, 'b' 13 (glob)
? 2
# Numeric labels that are nearly all different, used as classes, give a warning.
$ (echo a,b; for i in $(seq 50); do echo "$((i % 4)),$i.5"; done) > many.csv; cleave train logistic many.csv --label b -o u.model 2>&1 | grep -c '^warning: the labels are 50 different numbers'
1
# A guessed column of numbers is refused for classification, also by tune and by a stream from standard input; regression takes it.
$ awk 'BEGIN { print "color,size,price"; for (i = 0; i < 600; i++) printf "%d,%d,%d.5\n", i * 7 % 401, i * i % 997, i }' > prices.csv; for how in "train tree" "tune boost" "stream perceptron"; do cleave $how prices.csv -q; done
cleave: prices.csv: * 'price' * 600 * (glob)
hint: *boost-regression, * --label* (glob)
cleave: prices.csv: * 'price' * 600 * (glob)
hint: *boost-regression, * --label* (glob)
cleave: prices.csv: * 'price' * 600 * (glob)
hint: *boost-regression, * --label* (glob)
? 2
$ cleave stream perceptron - --format csv < prices.csv -q 2>&1 | grep -c 'boost-regression'; cleave train tree-regression prices.csv -o u.model -q; cleave train tree prices.csv --task auto -o u.model 2>&1 | grep -c '^warning: the labels are'
1
1
# Numbers of few values are classes.
$ awk 'BEGIN { print "a,b,digit"; for (i = 0; i < 300; i++) printf "%d,%d,%d\n", i * 7 % 401, i * i % 997, i % 10 }' > digits.csv; cleave train tree digits.csv -o u.model -q --json | grep -o '"classes":[0-9]*'
"classes":10

# A first line sep=; names the delimiter; a copy keeps it, and line numbers count it.
$ printf 'sep=;\r\nx,1;kind\r\n1,5;a\r\n2,5;b\r\n3,5;b\r\n' > excel.csv; cleave train tree excel.csv -o e.model --json -q | grep -o '"features":1,"classes":2'
"features":1,"classes":2
$ cleave convert excel.csv -o copy.csv -q; cmp excel.csv copy.csv; sed 's/sep=;/"sep=;"/' excel.csv | cleave predict e.model - ; (cat excel.csv; echo '4;c;d') > wide.csv; cleave train tree wide.csv -o e.model -q 2>&1 | grep -o 'wide.csv:6'
a
b
b
wide.csv:6

# The detected label column suits the method: numeric for regression.
$ printf 'beds,price,area\n3,10.5,north\n4,12.25,south\n5,14.75,north\n2,8.5,east\n' > homes.csv
$ cleave train least-squares homes.csv -o m.model 2>&1 | grep -o "label column 'price'"
label column 'price'
$ cleave compare homes.csv --task regression --methods lms --folds 2 --json --quiet | grep -o "'price' by\|\"column\":\"price\"\|\"value\":\"price\""
"value":"price"
$ cleave train least-squares homes.csv --task classification -o m.model --quiet
homes.csv:2: 'least-squares' * 'north' * (glob)
...
? 1

# Lines of a label and a text with too many labels for the guess.
$ for i in {1..60}; do printf 'intent%d\tsome words %d\n' $i $i; done > intents.tsv; cleave train svm intents.tsv -o intents.model 2>&1 | tail -n 2
intents.tsv: *feature* (glob)
hint: pass --format text if each line is a label, a TAB and a text

# Numbers in a form that is not read: the column is named with the remedy, and not called an identifier.
$ { echo 'price,off,size,note,class'; for i in {1..60}; do echo "\"\$1,$((100 + i)).50\",$((i % 4))%,\"$((10 + i)),200\",n$((i % 3)),y$((i % 2))"; done; } > sales.csv
$ cleave train tree sales.csv -o sales.model 2>&1 | grep -v note
warning: sales.csv: column 'price' is ignored: its cells are not read as numbers, such as '$1,101.50'
hint: remove currency signs, percent signs and thousands separators from the cells, or pass --columns 'price=ignore' to silence this
warning: sales.csv: column 'off' is a category: its cells are not read as numbers, such as '1%'
hint: * --columns 'off=category' * (glob)
warning: sales.csv: column 'size' is ignored: * '11,200' (glob)
hint: * --columns 'size=ignore' * (glob)
...
$ cleave train tree sales.csv --columns price=ignore,off=category,size=ignore -o sales.model 2>&1 | grep -c warning
0
? 1
$ printf 'a\tclass\n1,5\tx\n2,25\ty\n3,5\tx\n1,5\ty\n' > comma.tsv; cleave train tree comma.tsv -o comma.model 2>&1 | grep -A 1 warning
warning: comma.tsv: column 'a' is a category: * '1,5' (glob)
hint: pass --decimal comma to read the cells as numbers
$ cleave train tree comma.tsv --decimal comma -o comma.model 2>&1 | grep -c warning
0
? 1

# A column of numbers with many words is a category, with a warning. A few words are errors.
$ awk 'BEGIN { print "a,b,y"; for (i = 0; i < 200; i++) print i % 17 * 1.5 "," (i % 10 ? i % 31 * 2.5 : "none") "," (i % 31 > 15 ? "p" : "q") }' > mixed.csv
$ cleave train tree mixed.csv -o mixed.model 2>&1 | grep -A1 'is a category'
warning: mixed.csv: column 'b' is a category: most cells are numbers, but not 'none'
hint: pass --missing 'none' if it means a missing value, or --columns 'b=category' to silence this
$ for o in '--missing none' '--columns b=category'; do cleave train tree mixed.csv $o -o mixed.model 2>&1 | grep -c 'is a category'; done
0
0
? 1
