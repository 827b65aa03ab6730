# Each row is predicted before it is learned, checked by hand. Row 1: no class is known. Row 3: the first b.
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
Unlabeled: 1 *. (glob)
$ cleave stream perceptron six.svm --json
{"event":"progress","examples":1,"unlabeled":0,"error":1,"window_error":1,"learning_rate":null,"classes":1,"features":1,"weights_norm":null,"drifts":0}
{"event":"progress","examples":2,"unlabeled":0,"error":0.5,"window_error":0.499826713211798,"learning_rate":null,"classes":1,"features":1,"weights_norm":null,"drifts":0}
{"event":"progress","examples":4,"unlabeled":0,"error":0.5,"window_error":0.499826713211798,"learning_rate":1,"classes":2,"features":2,"weights_norm":1.4142135623730951,"drifts":0}
{"event":"end","examples":5,"unlabeled":1,"error":0.4,"window_error":0.39972274117218387,"learning_rate":1,"classes":2,"features":2,"weights_norm":1.4142135623730951,"drifts":0,"skipped":0,"cancelled":false,"model":null}
$ cleave stream perceptron @spam6 --quiet

# From standard input, in pieces; the last line may lack a newline.
$ (printf 'a 1:1\nb 2:'; sleep 0.2; printf '1\n? 2'; sleep 0.2; printf ':1\n? 1:1') | cleave stream perceptron --predictions - --quiet
none
a
b
a
$ printf 'a 1:1\nb 2:1\n? 1:' | cleave stream perceptron --predictions - --quiet
none
a
standard input:3:3: the file is incomplete: its last line ends inside a feature: '1:'
hint: * --allow-cut * (glob)
? 1

# Tables and text.
$ printf 'height,weight,breed\n5,2,chihuahua\n8,5,beagle\n4,1,chihuahua\n10,7,beagle\n6,2,\n' | cleave stream perceptron --learn-threshold --predictions -
note: standard input: read as csv (--format), with header (--header); label column 'breed' (--label), the only column of categories; columns: 2 number (--columns)
note: pipeline: --transform running-scale (default for this data): 2 numeric columns standardized by running means
none
chihuahua
chihuahua
beagle
chihuahua
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          0          -
           2    100.00%    100.00%          1        2          2      1.414
           4     50.00%     49.97%          1        2          2      1.414
Unlabeled: 1 *. (glob)
$ printf 'spam\tcheap pills\nham\tlunch at noon\n\tcheap lunch pills\n' | cleave stream perceptron --predictions - --quiet
none
spam
spam

# Columns of different units are standardized as rows arrive, missing numbers included: the error is
# that of `train` within 1.5 points, a resumed stream gives the same model, and the model predicts
# the unscaled rows of the file.
$ awk 'BEGIN { srand(3); print "a,b,label"; for (i = 0; i < 6000; i++) { a = 1000000 * rand(); b = rand() / 1000; noise = rand() < 0.15
>     y = (a / 1000000 + 1000 * b > 1) != noise ? "yes" : "no"; print (rand() < 0.05 ? "" : a) "," b "," y } }' > units.csv
$ echo "tail -n 1 | grep -o '\"error\(_rate\)\?\":[0-9.]*' | head -n 1 | cut -d : -f 2" > error
$ for m in svm logistic; do cleave train $m units.csv -o train.model --quiet; cleave test train.model units.csv --json --quiet | sh error > train.error
>     cleave stream $m units.csv -m $m.units --json --quiet | sh error | paste - train.error | awk '{ print $1 - $2 < 0.015 ? "near" : $0 }'; done
near
near
$ head -n 1234 units.csv | cleave stream svm -m parts.units --quiet; cleave stream svm -m parts.units --quiet < units.csv; cleave stream svm -m whole.units --quiet < units.csv; cmp parts.units whole.units
$ cleave test svm.units units.csv --json --quiet | sh error | awk '{ print $1 < 0.2 ? "near" : $0 }'
near
$ printf '1 1:1\n0 2:1\n' | cleave stream svm --transform running-scale
note: * (--format) (glob)
cleave: --transform: running-scale applies to tables only
hint: use 'cleave train' with --transform scale
? 2

# Empty input, and input without labels.
$ cleave stream perceptron -m no.model < /dev/null
note: the input has no examples: the model is not trained
$ printf '? 1:1\n' | cleave stream perceptron -m no.model; ls no.model
note: * (--format) (glob)
Unlabeled: 1 *. (glob)
ls: * 'no.model': * (glob)
? 2

# Known classes, class weights, the positive class.
$ printf '? 1:1\nx 1:1\n' | cleave stream perceptron --known-classes x,y --predictions - --quiet
x
x
$ cleave stream perceptron six.svm --class-weight a=2,b=0.5 --positive a --quiet -m w.model && cleave explain w.model --json | grep -o '"positive":[^,]*'
"positive":"a"
"positive":"a"
$ cleave stream perceptron six.svm --positive b --quiet -m w.model
cleave: --positive: 'b' * (glob)
hint: omit --positive; a warm start keeps the positive class of the model
? 2
$ cleave stream perceptron six.svm --class-weight balanced
cleave: --class-weight balanced cannot be used with a stream: class counts are not known in advance
hint: set a weight for each class, e.g. spam=2,ham=1
? 2
$ cleave stream perceptron six.svm --known-classes a,,b
cleave: --known-classes: expected names of classes, e.g. spam,ham
? 2

# A malformed line: earlier rows are learned and saved.
$ printf 'a 1:1\nb 2:1\na 1:x\n' | cleave stream perceptron -m bad.model --quiet
standard input:3:3: value is not a number: '1:x'
hint: * 3:0.25 (glob)
? 1
$ cleave explain bad.model | head -n 1
perceptron, trained on 2 rows by cleave 0.1.0, seed 1
$ printf 'a 1:1\nb 2:1\na 1:1\nb 1:x\n' | cleave stream perceptron -m bad2.model
note: * (--format) (glob)
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
           2    100.00%    100.00%          1        2          2      1.414
           3     66.67%     66.64%          1        2          2      1.414
Model so far written to bad2.model.
standard input:4:3: value is not a number: '1:x'
hint: * 3:0.25 (glob)
? 1
$ printf 'a 1:1\nb 2:1\na 1:1\nb 1:x\n' | cleave stream perceptron; printf 'a 1:x\n' | cleave stream perceptron; printf 'a 1:1\nb 1:x\n' | cleave stream perceptron --json
note: * (--format) (glob)
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
           2    100.00%    100.00%          1        2          2      1.414
           3     66.67%     66.64%          1        2          2      1.414
standard input:4:3: value is not a number: '1:x'
hint: * 3:0.25 (glob)
note: * (--format) (glob)
standard input:1:3: value is not a number: '1:x'
hint: * 3:0.25 (glob)
note: * (--format) (glob)
{"event":"progress","examples":1,"unlabeled":0,"error":1,"window_error":1,"learning_rate":null,"classes":1,"features":1,"weights_norm":null,"drifts":0}
standard input:2:3: value is not a number: '1:x'
hint: * 3:0.25 (glob)
? 1

# … or skipped. A stream stopped at any line gives the same model.
$ printf 'a 1:x\n\na 1:1\nb 2:1\n1 2 3\na 2:\na 1:1\n\nb 2:2' > bad.svm; cleave stream perceptron bad.svm --skip-bad --predictions -
warning: bad.svm:1:3: *: '1:x' (glob)
hint: this line and further invalid lines are skipped and counted
none
a
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          1          -
           2    100.00%    100.00%          1        2          2      1.414
a
warning: bad.svm:9: the input does not end with a newline
hint: * --allow-cut * (glob)
b
           4     50.00%     49.97%          1        2          2      1.414
Skipped: 3 lines that could not be read.
$ cleave stream perceptron bad.svm --skip-bad --json | tail -n 1
warning: bad.svm:1:3: *: '1:x' (glob)
hint: * (glob)
warning: bad.svm:9: * (glob)
hint: * --allow-cut * (glob)
{"event":"end","examples":4,"unlabeled":0,"error":0.5,"window_error":0.49965342646522415,"learning_rate":1,"classes":2,"features":2,"weights_norm":1.4142135623730951,"drifts":0,"skipped":3,"cancelled":false,"model":null}
$ echo >> bad.svm; cat bad.svm | cleave stream perceptron --skip-bad -m whole.model --quiet; for n in 1 2 3 4 5 6 7 8 9; do head -n $n bad.svm | cleave stream perceptron --skip-bad -m parts.model --quiet; done; cmp parts.model whole.model
$ (cat bad.svm; echo 'a 7') | cleave stream perceptron --skip-bad -m whole.model
note: resuming after 4 examples; the first 43 bytes of the input are skipped
Skipped: 4 * (glob)
Model * whole.model. (glob)
$ printf 'height,weight,breed\n5,2,chihuahua\n8,5,beagle\n1,2\n"x\ny",1,beagle\n4,1,chihuahua\n' | cleave stream perceptron --skip-bad --predictions -
note: * (--format), * (--header); * 'breed' (--label), *: 2 * (--columns) (glob)
note: pipeline: --transform *): 2 * (glob)
none
chihuahua
    examples      error     window       rate  classes   features        |w|
           1    100.00%    100.00%          -        1          0          -
           2    100.00%    100.00%          1        2          2      1.414
warning: standard input:4:4: expected 3 columns as in the header, found 2
hint: * (glob)
chihuahua
           3     66.67%     66.64%          1        2          2      1.414
Skipped: 2 * (glob)
$ printf 'spam\tcheap pills\nham\tlunch\nno tab\nspam\tpills\n' | cleave stream perceptron --skip-bad | tail -n 2
note: standard input: read as label<TAB>text (--format)
note: pipeline: --transform *=*) (glob)
warning: standard input:3: expected label<TAB>text, found no TAB in 'no tab'
hint: * (glob)
           3     66.67%     66.64%          1        2          3      1.414
Skipped: 1 line that could not be read.

# A line that is too long is skipped like other malformed lines. A stream resumed at any line gives the same model.
$ (echo 'a 1:1'; (echo a; seq -f %.0f:1 300000) | paste -sd ' '; printf 'b 2:1\nb 2:x\na 1:1\n') > long.svm
$ cleave stream perceptron long.svm --max-line-mb 1 2>&1 | tail -n 2
long.svm:2: the line is longer than 1 MB
hint: check for a missing newline or closing quote; --max-line-mb raises the limit
$ cleave stream perceptron long.svm --skip-bad --max-line-mb 1 | tail -n 2
warning: long.svm:2: * 1 * (glob)
hint: * (glob)
           3     66.67%     66.64%          1        2          2      1.414
Skipped: 2 * (glob)
$ sed 1d long.svm > first.svm; sed '$d' long.svm | head -c -100 > last.svm
$ for f in long first last; do for n in 1 2 3 4 5; do head -n $n $f.svm | cleave stream perceptron --skip-bad --max-line-mb 1 -m $f.parts --quiet; done; cleave stream perceptron --skip-bad --max-line-mb 1 -m $f.whole --quiet < $f.svm; cmp $f.parts $f.whole; cleave stream perceptron - --skip-bad --max-line-mb 1 --quiet --json < $f.svm | tail -n 1 | grep -o '"examples":[0-9]*\|"skipped":[0-9]*' | paste -sd ' '; done
"examples":3 "skipped":2
"examples":2 "skipped":2
"examples":1 "skipped":1
# A quoted record is skipped to its closing quote: the lines of a cell are not rows. The model is the same for any stop.
$ (printf 'x,y,label\n1,2,a\n2,1,b\n5,"7\n'; yes '1,2,a' | head -n 200000; printf 'x ""quoted"",\n",a\n3,1,b\n1,"2\n3,3,a\n",a\n1,2,a\n') > cell.csv
$ cleave stream perceptron cell.csv --skip-bad --max-line-mb 1 --json --quiet | tail -n 1 | grep -o '"examples":[0-9]*\|"skipped":[0-9]*'
"examples":4
"skipped":2
$ head -n 200005 cell.csv | cleave stream perceptron --skip-bad --max-line-mb 1 -m cell.parts --quiet; cleave stream perceptron --skip-bad --max-line-mb 1 -m cell.parts --quiet < cell.csv; cleave stream perceptron --skip-bad --max-line-mb 1 -m cell.whole --quiet < cell.csv; cmp cell.parts cell.whole
$ head -n 200004 cell.csv | cleave stream perceptron --skip-bad --max-line-mb 1 --json | tail -n 1 | grep -o '"examples":[0-9]*\|"skipped":[0-9]*'
note: standard input: read as csv (--format), with header (--header); label column 'label' (--label), by its name; columns: 2 number (--columns)
note: pipeline: --transform *): 2 * (glob)
warning: standard input:4: the line is longer than 1 MB
hint: * (glob)
warning: standard input:4: a quote is not closed; the 200001 lines up to the end of the input are skipped
hint: *: "" (glob)
"examples":2
"skipped":1
# The same for a last line that is too long and has no newline: it is counted, or read by the next run.
$ head -c 1300000 long.svm | cleave stream perceptron --skip-bad --max-line-mb 1 -m last.model | tail -n 2
note: * (--format) (glob)
warning: *:2: * 1 * (glob)
hint: * (glob)
note: standard input:2: the last line has no newline yet; the next run reads it when it is complete
           1    100.00%    100.00%          -        1          1          -
Model * last.model. (glob)
$ head -c 1300000 long.svm | cleave stream perceptron --skip-bad --max-line-mb 1 --allow-cut | tail -n 1
note: * (--format) (glob)
warning: *:2: * 1 * (glob)
hint: * (glob)
warning: standard input: the last line is incomplete; its 1299994 bytes are ignored
           1    100.00%    100.00%          -        1          1          -
$ (echo 'x,y,label'; head -c 2000000 /dev/zero | tr '\0' 1; echo) | cleave stream perceptron --skip-bad --max-line-mb 1
standard input:2: the line is longer than 1 MB
hint: *; --max-line-mb * (glob)
? 1

# Predictions that cannot be written end the stream.
$ cleave stream perceptron six.svm --predictions /dev/full --quiet
/dev/full: cannot be written: No space left on device
? 1

# Unsupported methods and combinations.
$ cleave stream least-squares six.svm
cleave: 'least-squares' * (glob)
hint: 'cleave stream --help' * (glob)
? 2
$ cleave stream perceptron six.svm --follow six.svm
cleave: --follow six.svm is the input: omit 'six.svm'
? 2
$ cleave stream perceptron six.svm --scores
cleave: --scores requires --predictions FILE, or --predictions - for standard output
? 2
$ cleave stream perceptron six.svm -m -
cleave: -m needs the name of a file: the model is also read from it
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

# The help page lists the methods for streams, and the options of stream before those of methods.
$ cleave help stream | grep -E '^  (perceptron|least|kernel)|^[a-z ,-]*:$'
  perceptron *Perceptron. (glob)

# Empty input is a note, not an error, because more rows may follow.
$ : > nothing.libsvm; cleave stream perceptron nothing.libsvm
note: * (glob)
$ cleave stream perceptron nothing.libsvm --quiet
$ printf '1 1:1\n-1 1:-1\n' > two.libsvm; cleave stream perceptron two.libsvm -m nothing.model --quiet; cleave stream perceptron two.libsvm -m nothing.model
note: * 2 * 14 * (glob)
Model * nothing.model. (glob)
note: * (glob)

# The format is detected as by 'train': the first lines look like a table, the rest is label<TAB>text. A pipe is detected from its first bytes.
$ (printf 'ham\t"Go until the point"\t\t\t0\n'; for i in $(seq 60); do printf 'ham\tsee you at %s then\t\t\t\nspam\tcall %s now to win\t\t\t\n' $i $i; done) > sms.tsv
$ cleave stream perceptron sms.tsv -m sms.model | tail -n 2 | cut -c 1-13
note: sms.tsv: *<*>* (--format) (glob)
note: pipeline: --transform *=*) (glob)
         121 
Model written
$ cat sms.tsv | cleave stream perceptron -m pipe.model --quiet; cmp sms.model pipe.model
$ gzip -c sms.tsv > sms.tsv.gz; cleave stream perceptron sms.tsv.gz -m gzip.model --quiet; cmp sms.model gzip.model
# A resumed stream keeps its format, even if the first read is short.
$ printf 'ham\tsee you\t\t\t7\n' >> sms.tsv; cleave stream perceptron sms.tsv -m sms.model --quiet; (head -n 1 sms.tsv; sleep 0.3; sed 1d sms.tsv) | cleave stream perceptron -m pipe.model --quiet; cmp sms.model pipe.model; cleave explain sms.model | head -n 1
perceptron, trained on 122 rows by cleave 0.1.0, seed 1
# The order of day and month.
$ (echo when,y; for i in $(seq 60); do echo 0$((i % 9 + 1))-01-2011,$((i % 2)); done; echo 13-01-2011,1) > days.csv; cleave stream perceptron days.csv -m days.model 2>&1 > out | sed -n 2p
note: days.csv: * 'when' * day/month/year (glob)

# Almost no row has a label: the hint names --label.
$ (echo x,note; echo 1,a; seq -f %.0f, 150) > rare.csv; cleave stream perceptron rare.csv 2>&1 > out | tail -n 2
warning: 150 of 151 rows have no label and were not used for training
hint: --label NAME selects the label column of a table; --format text reads label<TAB>text
$ cleave stream perceptron rare.csv --columns x=number --predictions - 2>&1 > out | grep -c warning
0
? 1

# A class named 'none' looks like an abstention in the predictions.
$ printf 'none 1:1\na 2:1\nnone 1:1\n' | cleave stream perceptron --predictions none.txt | head -n 2; cat none.txt
note: * (--format) (glob)
warning: * 'none', * 'none' * (glob)
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

# A stream of a regression method guesses a column of numbers as the label, as 'train' does.
$ (echo size,floors,label; seq 40 | awk '{ print $1 / 7 "," $1 % 5 "," ($1 % 2 ? "yes" : "no") }') > homes.csv; for verb in 'stream' 'train -o lms.model'; do cleave $verb lms homes.csv 2>&1 | grep -o "label column '[a-z]*'"; done
label column 'floors'
label column 'floors'

# Weights of very different sizes: a mean that rounding moves beyond the value gives no negative variance, with which the model could not
# be loaded.
$ printf 'a,w,label\n3.6283345222473145,1.2571637064695551e-08,x\n-4.339796300101284e-10,7.261799234853372e-12,y\n-3.969602858228116e-12,4233755136.0,y\n' > far.csv
$ cleave stream svm far.csv --columns w=weight -m far.model --quiet; cleave predict far.model far.csv --quiet | wc -l
3
