# A stratified test set of a fifth of the rows; every row is in one of the two files.
$ cleave generate blobs --rows 500 -o all.csv --quiet
$ cleave split all.csv --into train.csv test.csv --quiet && tail -qn +2 train.csv test.csv | sort > both; tail -n +2 all.csv | sort | cmp - both
$ cleave split @dogs --into train.csv test.csv --test-fraction .3
Training *: 7 * train.csv. (glob)
Test *: 3 * (30.0%), * test.csv. (glob)
Split: random, stratified by class.
$ cat train.csv test.csv
height,weight,label
5,2,Chihuahua
6,2,Chihuahua
6,5,Dachshund
4,6,Dachshund
8,5,Beagle
9,6,Beagle
10,7,Beagle
height,weight,label
4,1,Chihuahua
5,4,Dachshund
8,8,Beagle
# The same seed selects the same rows, another seed others.
$ cleave split all.csv --into a.csv b.csv --quiet; cleave split all.csv --into c.csv d.csv --quiet --threads 1; cmp a.csv c.csv && cmp b.csv d.csv
$ cleave split all.csv --into c.csv d.csv --quiet --seed 2; cmp -s b.csv d.csv || echo other rows
other rows
# Any format that convert writes, one for each file.
$ cleave split @spam6 --into a.cleave b.libsvm --test-fraction .5 && cat b.libsvm && cleave convert a.cleave -o - --to csv --quiet
note: * 1, 2, ... (glob)
Training *: 3 * a.cleave. (glob)
Test *: 3 * (50.0%), * b.libsvm. (glob)
Split: *. (glob)
+1 2:1 3:1
+1 1:1 3:1 5:1
-1 1:1 3:1 4:1
and,viagra,the,of,nigeria,label
1,1,0,1,1,+1
0,0,1,1,0,-1
1,0,0,1,0,-1
# Groups stay together.
$ printf 'who,age,label\nann,1,a\nbob,2,b\nann,3,a\ncyd,4,b\nbob,5,a\ndan,6,b\ncyd,7,b\n' > visits.csv
$ cleave split visits.csv --into a.csv b.csv --by-group who --test-fraction .4; cat a.csv b.csv
note: visits.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 1 *, 1 * (--columns) (glob)
Training *: 4 * a.csv. (glob)
Test *: 3 * (42.9%), * b.csv. (glob)
Split: random, stratified by class; 4 groups, each in one set only.
who,age,label
ann,1,a
ann,3,a
cyd,4,b
cyd,7,b
who,age,label
bob,2,b
bob,5,a
dan,6,b
$ printf '1 qid:1 1:1\n2 qid:1 1:2\n1 qid:2 1:3\n2 qid:2 1:4\n1 qid:3 1:5\n' > asked.libsvm
$ cleave split asked.libsvm --into a.libsvm b.libsvm --by-group qid --test-fraction .4; cat a.libsvm; echo; cat b.libsvm
Training *: 3 * a.libsvm. (glob)
Test *: 2 * (40.0%), * b.libsvm. (glob)
Split: *; 3 *. (glob)
1 qid:1 1:1
2 qid:1 1:2
1 qid:3 1:5

1 qid:2 1:3
2 qid:2 1:4
# The last rows, for rows in order of time.
$ cleave split visits.csv --into a.csv b.csv --in-order --test-fraction .3 --quiet; cat b.csv
who,age,label
dan,6,b
cyd,7,b
# As JSON.
$ cleave split --into a.csv b.csv visits.csv --json
{"train":{"output":"a.csv","rows":5,"entries":10,"bytes":54},"test":{"output":"b.csv","rows":2,"entries":4,"bytes":30},"stratified":true,"warnings":[]}
# Errors: no file is written.
$ rm -f a.csv b.csv; cp visits.csv kept.csv
$ cleave split visits.csv --into a.csv visits.csv
note: visits.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 1 *, 1 * (--columns) (glob)
cleave: visits.csv: * (glob)
hint: * (glob)
? 2
$ cleave split visits.csv --into visits.csv b.csv
note: visits.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 1 *, 1 * (--columns) (glob)
cleave: visits.csv: * (glob)
hint: * (glob)
? 2
$ cleave split visits.csv --into a.csv a.csv
note: visits.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 1 *, 1 * (--columns) (glob)
cleave: --into: 'a.csv' is named twice, but two different files are written
? 2
$ cleave split visits.csv --into a.csv
cleave: split needs --into TRAIN TEST, the two files to write  (see 'cleave split --help')
? 2
$ cleave split visits.csv
cleave: * --into * 'cleave split --help') (glob)
? 2
$ cleave split visits.csv --into a.csv - --quiet
cleave: --into: two files are written, and each needs a name
? 2
$ cleave split visits.csv --into a.csv b.what --quiet
cleave: b.what: the suffix does not name an output format
hint: * --to (*: --format) (glob)
? 2
$ cleave split visits.csv --into a.csv b.csv --by-group whom --quiet
cleave: --by-group: * 'whom' * 'who' (glob)
hint: * 'cleave convert DATA --describe' * (glob)
? 2
$ cleave split visits.csv --into a.csv b.csv --by-group label --quiet
cleave: --by-group: column 'label' is read as 'label', which cannot define groups
hint: use a numeric or categorical column
? 2
$ cleave split visits.csv --into a.csv b.csv --by-group who --in-order --quiet
cleave: --in-order and --by-group cannot be combined: a split by order separates groups
? 2
$ cleave split visits.csv --into a.csv b.csv --test-fraction 1 --quiet
cleave: --test-fraction: * 0.001 * 0.999, * '1' (glob)
hint: Fraction of the rows in the test set.
? 2
$ cleave split @spam6 --into a.csv b.csv --test-fraction .01
6 rows cannot be split into 2 parts: one part would be empty
hint: set --test-fraction nearer to 0.5, or add rows
? 1
$ cleave split visits.csv --into a.csv nowhere/b.csv --quiet
nowhere/b.csv: * written: No such file or directory (glob)
? 1
$ mkdir folder.csv; cleave split visits.csv --into folder.csv b.csv --quiet
cleave: --into: 'folder.csv' exists and is not a regular file
? 2
$ rmdir folder.csv; ls *.csv; cmp kept.csv visits.csv
all.csv
c.csv
d.csv
kept.csv
test.csv
train.csv
visits.csv

# Records are unchanged, also those of a pipe and lines of text.
$ (echo 'n,note,label'; for i in $(seq 20); do echo "$i,\"a, $i\",$((i % 2))"; done) > notes.csv; cleave split notes.csv --into a.csv b.csv -q; head -n 1 b.csv; cat a.csv b.csv | sort -u | cmp - <(sort notes.csv)
n,note,label
$ cat notes.csv | cleave split - --into c.csv d.csv -q; cmp a.csv c.csv; cmp b.csv d.csv
$ cat notes.csv | cleave split - --into c.csv d.tsv -q
cleave: --into: data that can be read only once needs the same format for both files
hint: use the suffix .csv for both files, or .tsv for both
? 2
$ for i in $(seq 20); do printf 'l%d\tWords, "of" line %d\n' $((i % 2)) $i; done > lines.tsv; cleave split lines.tsv --into a.tsv b.tsv -q; wc -l < b.tsv; cat a.tsv b.tsv | sort | cmp - <(sort lines.tsv)
4

# A table far larger than its input is refused, as by convert.
$ printf '1 1:1 200000000:1\n-1 2:1\n1 5:2\n-1 7:1\n' > gaps.libsvm; cleave split gaps.libsvm --test-fraction 0.5 --into wide.csv wide-test.csv 2>&1 | grep -c -- --force; ls wide.csv wide-test.csv 2>/dev/null
1
? 2

# An error of the temporary file names the requested file.
$ (echo x,label; for i in {1..2000}; do echo $i,a; echo $i,b; done) > long.csv; (ulimit -f 8; cleave split long.csv --into tight-train.csv tight-test.csv --quiet); ls | grep tight
tight-train.csv: writing failed: File too large
? 1

# A column that looks like an identifier stays in the parts, and so do the delimiter and decimal commas.
$ { echo 'id;fee;plan;left'; for i in {1..90}; do echo "C$((i * 7919));$((i % 7)),$((i % 10))0;p$((i % 3));y$((i % 2))"; done; } > customers.csv
$ cleave split customers.csv --into c1.csv c2.csv --seed 1 --quiet; head -n 1 c1.csv; cat c1.csv c2.csv | grep -v id | sort | cmp - <(tail -n +2 customers.csv | sort) && echo same rows
id;fee;plan;left
same rows
$ cleave split customers.csv --into d1.csv d2.csv --columns id=ignore --quiet; head -n 1 d1.csv
fee;plan;left
$ cleave train tree c1.csv -o c.model 2>&1 | head -n 1
note: c1.csv: *, decimal comma (--decimal), delimiter ';' (--delimiter); *; columns: 1 number, 1 category (--columns) (glob)
