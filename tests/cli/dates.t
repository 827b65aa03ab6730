# Date columns: detected, described, converted to numbers, and the same in a model.
$ awk 'BEGIN { print "when,shop,price"; for (i = 0; i < 400; i++) printf "2023-%02d-%02d,%s,%s\n", int(i / 34) + 1, i % 28 + 1, i % 3 ? "north" : "south", i % 28 / 4 + (i % 3 ? 1 : 2) }' > year.csv
$ cleave convert year.csv --label price --describe
note: year.csv: read as csv (--format), with header (--header); columns: 1 date, 1 category (--columns)
Read 400 rows, 6 features; 83.3% nonzero values, 5 per row.
32 labels: 2 15, 2.25 15, 2.5 15, 2.75 15, 3.5 15, 4.25 15, 5 15, 5.75 15, 6.5 15, 7.25 15, ...

column  type      missing  distinct  values                    reason
when    date            0       334  2023-01-01 to 2023-12-28  all cells are dates
shop    category        0         2  north 266, south 134      text, 1 word per cell
price   label           0        32  1 to 8.75, median 4.75    all cells are numbers
$ cleave convert year.csv --label price --describe --json 2> /dev/null | grep -o '"kind":"date".*"earliest[^[]*'
"kind":"date","reason":"all cells are dates","values_count":400,"missing":0,"distinct":334,"more":false,"min":null,"median":null,"max":null,"earliest":"2023-01-01","latest":"2023-12-28","values":
$ cleave convert year.csv --label price -o year.cleave --quiet; cleave convert year.cleave -o numbers.csv --quiet; head -3 numbers.csv
when.days,when.month,when.day,when.weekday,shop=south,shop=north,price
19358,1,1,7,1,0,2
19359,1,2,1,0,1,1.25
# A model reads dates as in training, and any unambiguous form.
$ cleave train boost-regression year.csv --label price -o m --quiet
$ printf 'shop,when\nnorth,2023-06-20\nnorth,20 Jun 2023\nnorth,"June 20, 2023"\nnorth,2023-06-20T00:00:00Z\n' > others.csv; cleave predict m others.csv | sort | uniq -c | sed 's/^ *//; s/ .*//'
4
$ cleave explain m --example 'when=2023-06-20,shop=north' --json | grep -o '"when.days"[^}]*' | grep -o '"value":[^,]*'
"value":19528
$ printf 'shop,when\nnorth,\n' > missing.csv; cleave predict m missing.csv | wc -l
1
$ printf 'shop,when\nnorth,2023-06-31\n' > bad.csv; cleave predict m bad.csv
bad.csv:2:7: * 'when': * '2023-06-31' (glob)
hint: the model reads this column as dates: correct the cell, or pass --missing '2023-06-31' if it means a missing value
? 1
# A stream reads dates in the same way.
$ cleave stream knn-regression --format csv --label price -m s.model --quiet < year.csv > /dev/null; cleave predict s.model others.csv | sort -u | wc -l
1
# The order of day and month.
$ awk -F, 'NR == 1 { print; next } { split($1, d, "-"); print d[3] "/" d[2] "/" d[1] "," $2 "," $3 }' year.csv > british.csv; cleave convert british.csv --label price -o british.cleave
note: british.csv: * (--format), * (--header); *: 1 *, 1 * (--columns) (glob)
note: british.csv: dates in column 'when' are read as day/month/year
Wrote 400 rows, 6 features, 32 classes to british.cleave (16.3 kB from 8,416 bytes)* (glob)
$ (head -1 british.csv; grep '^0' british.csv) > unclear.csv; cleave convert unclear.csv --label price -o u.cleave 2>&1 | grep -A1 warning
warning: unclear.csv: dates in column 'when' are read as month/day/year, but the first rows fit both orders
hint: pass --columns 'when=date-dmy' for day/month/year, or --columns 'when=date-mdy' for month/day/year
$ cleave convert unclear.csv --label price --columns when=date-dmy -o u.cleave 2>&1 | grep -c warning
0
? 1
$ cleave train boost-regression british.cleave -o b --quiet; cleave predict m others.csv > m.out; cleave predict b others.csv | cmp - m.out

# Cells that are not dates, too many to be errors, make a column of categories. A warning names the column.
$ sed '5s/^[^,]*/unknown/' year.csv | head -41 > some.csv; cleave convert some.csv --label price -o some.cleave
note: some.csv: read as csv (--format), with header (--header); columns: 2 category (--columns)
warning: some.csv: column 'when' is not read as dates: only 39 of its first 40 cells are dates
hint: pass --columns 'when=date' to read dates and report the first invalid cell; --missing lists cells that mean a missing value
Wrote 40 *, 37 *, 26 * some.cleave (3,040 * 853 *). (glob)
$ cleave convert some.csv --label price --columns when=category -o some.cleave 2>&1 | grep warning
? 1
$ cleave convert some.csv --label price --missing unknown -o some.cleave 2>&1 | grep -o 'warning\|1 date'
1 date

# A missing date is one missing value.
$ printf 'when,x,y\n2020-01-01,1,2\n,2,3\n2020-03-01,3,4\n2021-02-05,4,1\n,5,6\n2022-03-15,,7\n2022-03-07,3,7\n' > holes.csv; cleave train svr holes.csv -o holes.model 2>&1 | grep -o '[0-9]* missing values imputed'
3 missing values imputed
