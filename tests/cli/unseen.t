# Categories that are not in the training data.
$ awk 'BEGIN { print "city,size,class"; for (i = 0; i < 40; i++) printf "%s,%d,%s\n", i % 2 ? "Rome" : "Oslo", i % 7, i % 2 ? "a" : "b" }' > train.csv
$ cleave train logistic train.csv -o m --quiet
$ awk 'BEGIN { print "city,size,class"; for (i = 0; i < 40; i++) printf "%s,%d,%s\n", i % 4 ? "town" i : "Oslo", i % 7, i % 2 ? "a" : "b" }' > test.csv
$ cleave test m test.csv 2>&1 > /dev/null
warning: column 'city': 75% of the rows have a value that is rare or absent in the training data
hint: check the column, or train on more rows with these values
$ cleave test m test.csv --json | grep -c '"warnings":\[{"message":"column .city.: 75%'
1
$ cleave predict m test.csv 2>&1 > /dev/null | grep -c warning
1
$ cleave test m train.csv 2>&1 > /dev/null
$ cleave train logistic train.csv --validation test.csv -o n 2>&1 > /dev/null | grep -c "column 'city': 75%"
1
$ printf 'size,city\n1,Oslo\n2,Paris\n3,\n' > rows.csv; cleave predict m rows.csv --json 2> /dev/null | sed 's/"score":[^,}]*//; s/"label":"."//'
{"row":1,,}
{"row":2,,,"unseen":["city"]}
{"row":3,,}
# The same for a dataset, for held-out rows and for folds; a column of few values is not named.
$ cleave convert test.csv -o test.cleave --quiet 2> /dev/null; cleave test m test.cleave 2>&1 > /dev/null | grep -c "column 'city': 75% of the rows"
1
$ cleave convert rows.csv --label none -o rows.cleave --quiet 2> /dev/null; cleave predict m rows.cleave --json 2> /dev/null | grep -o '"unseen".*'
"unseen":["city"]}
$ cleave train logistic test.csv --validation-fraction 0.25 -o n 2>&1 > /dev/null | grep -c "column 'city': .*% of the held-out rows"
1
$ cleave cv logistic test.csv --folds 4 2>&1 > /dev/null | grep "held-out"
warning: column 'city': 75% of the held-out rows * (glob)
# A model does not keep the rare values that its pipeline merges, so its own rows have them, too.
$ cleave train logistic test.csv -o n --quiet; cleave test n test.csv 2>&1 > /dev/null | grep -c "column 'city': 75% of the rows .* rare or"
1
$ cleave cv logistic train.csv --folds 4 2>&1 > /dev/null | grep "held-out" | wc -l
0
