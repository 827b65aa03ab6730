# Each row is predicted, then learned from: here by hand. Row 1: no label is known. Row 3: the first b.
$ printf 'a 1:1\na 1:1\nb 2:1\nb 2:1\na 1:1\n? 2:1\n' > six.svm
$ cleave stream perceptron six.svm --predictions - --scores 2> table; cat table
none	0
a	0
a	0
b	1
a	-1
b	1
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
           2     50.00%     49.98%          -        1          1          -
           4     50.00%     49.98%          1        2          2      1.414
           5     40.00%     39.97%          1        2          2      1.414
Unlabeled: 1 row, predicted only.
$ cleave stream perceptron six.svm --json
{"event":"progress","examples":1,"unlabeled":0,"error":1,"window_error":1,"learning_rate":null,"classes":1,"features":1,"weights_norm":null,"drifts":0}
{"event":"progress","examples":2,"unlabeled":0,"error":0.5,"window_error":0.499826713211798,"learning_rate":null,"classes":1,"features":1,"weights_norm":null,"drifts":0}
{"event":"progress","examples":4,"unlabeled":0,"error":0.5,"window_error":0.499826713211798,"learning_rate":1,"classes":2,"features":2,"weights_norm":1.4142135623730951,"drifts":0}
{"event":"end","examples":5,"unlabeled":1,"error":0.4,"window_error":0.39972274117218387,"learning_rate":1,"classes":2,"features":2,"weights_norm":1.4142135623730951,"drifts":0,"skipped":0,"cancelled":false,"model":null}
$ cleave stream perceptron @spam6 --quiet

# From standard input, in pieces; the last line may lack its newline.
$ (printf 'a 1:1\nb 2:'; sleep 0.2; printf '1\n? 2'; sleep 0.2; printf ':1\n? 1:1') | cleave stream perceptron --predictions - --quiet
none
a
b
a
$ printf 'a 1:1\nb 2:1\n? 1:' | cleave stream perceptron --predictions - --quiet
none
a
standard input:3:3: the file is incomplete: its last line ends inside a feature: '1:'
hint: pass --allow-cut to read up to the last complete line
? 1

# Tables and text.
$ printf 'height,weight,breed\n5,2,chihuahua\n8,5,beagle\n4,1,chihuahua\n10,7,beagle\n6,2,\n' | cleave stream perceptron --learn-threshold --predictions -
note: standard input: read as csv (--format), with header (--header); label column 'breed' (--label), the only column of categories; columns: 2 number (--columns)
note: columns are used without a transform: the default, --transform impute,scale, must be fitted first; 'cleave train' on a sample of the rows fits it for a warm start
none
chihuahua
beagle
beagle
chihuahua
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          2          -
           2    100.00%    100.00%          1        2          2      4.243
           4     75.00%     74.97%          1        2          2      2.236
Unlabeled: 1 row, predicted only.
$ printf 'spam\tcheap pills\nham\tlunch at noon\n\tcheap lunch pills\n' | cleave stream perceptron --predictions - --quiet
none
spam
spam

# Nothing at all, and labels nowhere.
$ cleave stream perceptron -m no.model < /dev/null
note: no examples: the model is not trained
$ printf '? 1:1\n' | cleave stream perceptron -m no.model; ls no.model
note: standard input: read as libsvm (--format)
Unlabeled: 1 row, predicted only.
ls: cannot access 'no.model': No such file or directory
? 2

# Known classes, weights of classes, the positive one.
$ printf '? 1:1\nx 1:1\n' | cleave stream perceptron --known-classes x,y --predictions - --quiet
x
x
$ cleave stream perceptron six.svm --class-weight a=2,b=0.5 --positive a --quiet -m w.model && cleave explain w.model --json | grep -o '"positive":[^,]*'
"positive":"a"
"positive":"a"
$ cleave stream perceptron six.svm --positive b --quiet -m w.model
cleave: --positive: 'b' is not the positive class of the warm-start model
hint: omit --positive; a warm start keeps the positive class of the model
? 2
$ cleave stream perceptron six.svm --class-weight balanced
cleave: --class-weight balanced cannot be used with a stream: class counts are not known in advance
hint: give a weight for each class, e.g. spam=2,ham=1
? 2
$ cleave stream perceptron six.svm --known-classes a,,b
cleave: --known-classes: expected names of classes, e.g. spam,ham
? 2

# A line that cannot be read: what stands before it is learned and kept.
$ printf 'a 1:1\nb 2:1\na 1:x\n' | cleave stream perceptron -m bad.model --quiet
standard input:3:3: value is not a number: '1:x'
hint: write a feature as INDEX:VALUE, for example 3:0.25
? 1
$ cleave explain bad.model | head -n 1
perceptron, trained on 2 rows by cleave 0.1.0, seed 1
$ printf 'a 1:1\nb 2:1\na 1:1\nb 1:x\n' | cleave stream perceptron -m bad2.model
note: standard input: read as libsvm (--format)
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
           2    100.00%    100.00%          1        2          2      1.414
           3     66.67%     66.64%          1        2          2      1.414
Model so far written to bad2.model.
standard input:4:3: value is not a number: '1:x'
hint: write a feature as INDEX:VALUE, for example 3:0.25
? 1
$ printf 'a 1:1\nb 2:1\na 1:1\nb 1:x\n' | cleave stream perceptron; printf 'a 1:x\n' | cleave stream perceptron; printf 'a 1:1\nb 1:x\n' | cleave stream perceptron --json
note: standard input: read as libsvm (--format)
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
           2    100.00%    100.00%          1        2          2      1.414
           3     66.67%     66.64%          1        2          2      1.414
standard input:4:3: value is not a number: '1:x'
hint: write a feature as INDEX:VALUE, for example 3:0.25
note: standard input: read as libsvm (--format)
standard input:1:3: value is not a number: '1:x'
hint: write a feature as INDEX:VALUE, for example 3:0.25
note: standard input: read as libsvm (--format)
{"event":"progress","examples":1,"unlabeled":0,"error":1,"window_error":1,"learning_rate":null,"classes":1,"features":1,"weights_norm":null,"drifts":0}
standard input:2:3: value is not a number: '1:x'
hint: write a feature as INDEX:VALUE, for example 3:0.25
? 1

# … or passed over. Stopped anywhere, it ends the same.
$ printf 'a 1:x\n\na 1:1\nb 2:1\n1 2 3\na 2:\na 1:1\n\nb 2:2' > bad.svm; cleave stream perceptron bad.svm --skip-bad --predictions -
warning: bad.svm:1:3: value is not a number: '1:x'
hint: this line and further invalid lines are skipped and counted
none
a
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
           2    100.00%    100.00%          1        2          2      1.414
a
warning: bad.svm:9: the input does not end with a newline
hint: the last line is read as complete; pass --allow-cut to ignore it
b
           4     50.00%     49.97%          1        2          2      1.414
Skipped: 3 lines that could not be read.
$ cleave stream perceptron bad.svm --skip-bad --json | tail -n 1
warning: bad.svm:1:3: value is not a number: '1:x'
hint: this line and further invalid lines are skipped and counted
warning: bad.svm:9: the input does not end with a newline
hint: the last line is read as complete; pass --allow-cut to ignore it
{"event":"end","examples":4,"unlabeled":0,"error":0.5,"window_error":0.49965342646522415,"learning_rate":1,"classes":2,"features":2,"weights_norm":1.4142135623730951,"drifts":0,"skipped":3,"cancelled":false,"model":null}
$ echo >> bad.svm; cat bad.svm | cleave stream perceptron --skip-bad -m whole.model --quiet; for n in 1 2 3 4 5 6 7 8 9; do head -n $n bad.svm | cleave stream perceptron --skip-bad -m parts.model --quiet; done; cmp parts.model whole.model
$ (cat bad.svm; echo 'a 7') | cleave stream perceptron --skip-bad -m whole.model
note: resuming after 4 examples; the first 43 bytes of the input are skipped
Skipped: 4 lines that could not be read.
Model written to whole.model.
$ printf 'height,weight,breed\n5,2,chihuahua\n8,5,beagle\n1,2\n"x\ny",1,beagle\n4,1,chihuahua\n' | cleave stream perceptron --skip-bad --predictions -
note: standard input: read as csv (--format), with header (--header); label column 'breed' (--label), the only column of categories; columns: 2 number (--columns)
note: columns are used without a transform: the default, --transform impute,scale, must be fitted first; 'cleave train' on a sample of the rows fits it for a warm start
none
chihuahua
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          2          -
           2    100.00%    100.00%          1        2          2      4.243
warning: standard input:4:4: expected 3 columns as in the header, found 2
hint: this line and further invalid lines are skipped and counted
beagle
           3    100.00%    100.00%          1        2          2      2.236
Skipped: 2 lines that could not be read.
$ printf 'spam\tcheap pills\nham\tlunch\nno tab\nspam\tpills\n' | cleave stream perceptron --skip-bad | tail -n 2
note: standard input: read as label<TAB>text (--format)
note: pipeline: --transform tfidf:idf=none (default for this data)
warning: standard input:3: expected label<TAB>text, found no TAB in 'no tab'
hint: this line and further invalid lines are skipped and counted
           3     66.67%     66.64%          1        2          3      1.414
Skipped: 1 line that could not be read.

# A line that is too long is skipped like any other bad line. A stream resumed at any line gives the same model.
$ (echo 'a 1:1'; (echo a; seq -f %.0f:1 300000) | paste -sd ' '; printf 'b 2:1\nb 2:x\na 1:1\n') > long.svm
$ cleave stream perceptron long.svm --max-line-mb 1 2>&1 | tail -n 2
long.svm:2: the line is longer than 1 MB
hint: check for a missing newline or closing quote; --max-line-mb raises the limit
$ cleave stream perceptron long.svm --skip-bad --max-line-mb 1 | tail -n 2
warning: long.svm:2: the line is longer than 1 MB
hint: this line and further invalid lines are skipped and counted
           3     66.67%     66.64%          1        2          2      1.414
Skipped: 2 lines that could not be read.
$ sed 1d long.svm > first.svm; sed '$d' long.svm | head -c -100 > last.svm
$ for f in long first last; do for n in 1 2 3 4 5; do head -n $n $f.svm | cleave stream perceptron --skip-bad --max-line-mb 1 -m $f.parts --quiet; done; cleave stream perceptron --skip-bad --max-line-mb 1 -m $f.whole --quiet < $f.svm; cmp $f.parts $f.whole; cleave stream perceptron - --skip-bad --max-line-mb 1 --quiet --json < $f.svm | tail -n 1 | grep -o '"examples":[0-9]*\|"skipped":[0-9]*' | paste -sd ' '; done
"examples":3 "skipped":2
"examples":2 "skipped":2
"examples":1 "skipped":1
# A quoted record is skipped to its closing quote: the lines of a cell are no rows. The model is the same, wherever the stream stops.
$ (printf 'x,y,label\n1,2,a\n2,1,b\n5,"7\n'; yes '1,2,a' | head -n 200000; printf 'x ""quoted"",\n",a\n3,1,b\n1,"2\n3,3,a\n",a\n1,2,a\n') > cell.csv
$ cleave stream perceptron cell.csv --skip-bad --max-line-mb 1 --json --quiet | tail -n 1 | grep -o '"examples":[0-9]*\|"skipped":[0-9]*'
"examples":4
"skipped":2
$ head -n 200005 cell.csv | cleave stream perceptron --skip-bad --max-line-mb 1 -m cell.parts --quiet; cleave stream perceptron --skip-bad --max-line-mb 1 -m cell.parts --quiet < cell.csv; cleave stream perceptron --skip-bad --max-line-mb 1 -m cell.whole --quiet < cell.csv; cmp cell.parts cell.whole
$ head -n 200004 cell.csv | cleave stream perceptron --skip-bad --max-line-mb 1 --json | tail -n 1 | grep -o '"examples":[0-9]*\|"skipped":[0-9]*'
note: standard input: read as csv (--format), with header (--header); label column 'label' (--label), by its name; columns: 2 number (--columns)
note: columns are used without a transform: the default, --transform impute,scale, must be fitted first; 'cleave train' on a sample of the rows fits it for a warm start
warning: standard input:4: the line is longer than 1 MB
hint: this line and further invalid lines are skipped and counted
warning: standard input:4: a quote is not closed; the 200001 lines up to the end of the input are skipped
hint: write a quote inside a quoted cell twice: ""
"examples":2
"skipped":1
# The same of a last line that is too long and has no newline: it is counted, or left for the next time.
$ head -c 1300000 long.svm | cleave stream perceptron --skip-bad --max-line-mb 1 -m last.model | tail -n 2
note: standard input: read as libsvm (--format)
warning: standard input:2: the line is longer than 1 MB
hint: this line and further invalid lines are skipped and counted
note: standard input:2: the last line has no newline yet; the next run reads it when it is complete
           1    100.00%    100.00%          -        1          1          -
Model written to last.model.
$ head -c 1300000 long.svm | cleave stream perceptron --skip-bad --max-line-mb 1 --allow-cut | tail -n 1
note: standard input: read as libsvm (--format)
warning: standard input:2: the line is longer than 1 MB
hint: this line and further invalid lines are skipped and counted
warning: standard input: the last line is incomplete; its 1299994 bytes are ignored
           1    100.00%    100.00%          -        1          1          -
$ (echo 'x,y,label'; head -c 2000000 /dev/zero | tr '\0' 1; echo) | cleave stream perceptron --skip-bad --max-line-mb 1
standard input:2: the line is longer than 1 MB
hint: check for a missing newline or closing quote; --max-line-mb raises the limit
? 1

# What cannot stream, and what does not go together.
$ cleave stream least-squares six.svm
cleave: 'least-squares' with these options needs all rows in memory and cannot learn online
hint: run 'cleave help stream' for the methods that learn online
? 2
$ cleave stream perceptron six.svm --follow six.svm
cleave: --follow six.svm is the input: leave out 'six.svm'
? 2
$ cleave stream perceptron six.svm --scores
cleave: --scores belongs to the predictions: --predictions FILE, or - for standard output
? 2
$ cleave stream perceptron six.svm -m -
cleave: -m needs the name of a file: the model is read from it, too
? 2
$ cleave stream perceptron six.svm -m six.svm
cleave: -m names 'six.svm', which is the input: it would be overwritten
? 2
$ cleave convert six.svm -o six.cleave --quiet; cleave stream perceptron - < six.cleave
standard input: a binary dataset cannot be streamed: it has no lines
hint: convert it to text: cleave convert FILE --to libsvm -o - | cleave stream METHOD
? 1
$ cleave stream
cleave: stream needs METHOD [DATA]
hint: see 'cleave stream --help'
? 2

# An error names the line of its row, even after comments and empty lines.
$ printf '# comment\n1 1:1\n\n0 2:1\n# comment\n\n1 1:1 3:1\n0 2:-5\n' > lines.svm; cleave stream winnow lines.svm --threshold 3 --quiet 2>&1 | grep -o '^lines.svm:[0-9]*'
lines.svm:8

# The page lists what can stream, and the stream's own options before those of the methods.
$ cleave help stream | grep -E '^  (perceptron|least|kernel)|^[a-z ,-]*:$'
  perceptron      Perceptron.

# Nothing came: said, and no error, as more may come another time.
$ : > nothing.libsvm; cleave stream perceptron nothing.libsvm
note: no examples: the model is not trained
$ cleave stream perceptron nothing.libsvm --quiet
$ printf '1 1:1\n-1 1:-1\n' > two.libsvm; cleave stream perceptron two.libsvm -m nothing.model --quiet; cleave stream perceptron two.libsvm -m nothing.model
note: resuming after 2 examples; the first 14 bytes of the input are skipped
Model written to nothing.model.
note: no new examples

# A file is read as 'train' reads it: the first lines of this one look like a table, the rest are label<TAB>text. So is a pipe, by what has arrived.
$ (printf 'ham\t"Go until the point"\t\t\t0\n'; for i in $(seq 60); do printf 'ham\tsee you at %s then\t\t\t\nspam\tcall %s now to win\t\t\t\n' $i $i; done) > sms.tsv
$ cleave stream perceptron sms.tsv -m sms.model | tail -n 2 | cut -c 1-13
note: sms.tsv: read as label<TAB>text (--format)
note: pipeline: --transform tfidf:idf=none (default for this data)
         121 
Model written
$ cat sms.tsv | cleave stream perceptron -m pipe.model --quiet; cmp sms.model pipe.model
$ gzip -c sms.tsv > sms.tsv.gz; cleave stream perceptron sms.tsv.gz -m gzip.model --quiet; cmp sms.model gzip.model
# Resumed, it keeps its format, however little arrives at first.
$ printf 'ham\tsee you\t\t\t7\n' >> sms.tsv; cleave stream perceptron sms.tsv -m sms.model --quiet; (head -n 1 sms.tsv; sleep 0.3; sed 1d sms.tsv) | cleave stream perceptron -m pipe.model --quiet; cmp sms.model pipe.model; cleave explain sms.model | head -n 1
perceptron, trained on 122 rows by cleave 0.1.0, seed 1
# The order of day and month.
$ (echo when,y; for i in $(seq 60); do echo 0$((i % 9 + 1))-01-2011,$((i % 2)); done; echo 13-01-2011,1) > days.csv; cleave stream perceptron days.csv -m days.model 2>&1 > out | sed -n 2p
note: days.csv: dates in column 'when' are read as day/month/year

# Nearly no row with a label: the option that names it.
$ (echo x,note; echo 1,a; seq -f %.0f, 150) > rare.csv; cleave stream perceptron rare.csv 2>&1 > out | tail -n 2
warning: 150 of 151 rows have no label and were not used for training
hint: --label NAME selects the label column of a table; --format text reads label<TAB>text
$ cleave stream perceptron rare.csv --columns x=number --predictions - 2>&1 > out | grep -c warning
0
? 1

# A class named 'none' looks like an abstention in the predictions.
$ printf 'none 1:1\na 2:1\nnone 1:1\n' | cleave stream perceptron --predictions none.txt | head -n 2; cat none.txt
note: standard input: read as libsvm (--format)
warning: the model has a class 'none', and rows without a prediction are printed as 'none' too
hint: rename the class to tell them apart
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
none
none
none
$ printf 'some 1:1\na 2:1\nsome 1:1\n' | cleave stream perceptron --predictions some.txt 2>&1 | grep -c warning; cat some.txt
0
none
some
some
