# A folder of documents is split into two folders, stratified, with names and bytes kept.
$ mkdir -p box/ham/deep box/spam/.hid; for i in $(seq 10); do echo "lunch $i" > box/ham/$i; echo "pills $i" > box/spam/$i; done; mv box/ham/9 box/ham/deep/9; touch -d 2001-02-03 box/spam/3
$ cleave split box --into train/ test/ --test-fraction 0.3 --json --quiet | sed 's/"entries":[0-9]*,//g'
{"train":{"output":"train/","rows":14,"bytes":114},"test":{"output":"test/","rows":6,"bytes":48},"stratified":true,"warnings":[]}
$ ls test train; ls -d *.split* 2>/dev/null | wc -l
test:
ham
spam

train:
ham
spam
0
$ find test -type f | wc -l; find test/ham -type f | wc -l; cat $(find train test -type f) | sort | cmp - <(cat $(find box -type f) | sort)
6
3
$ find train test -path '*/ham/deep/9' | wc -l; find train test -path '*/spam/3' -newermt 2001-02-02 ! -newermt 2001-02-04 | wc -l
1
1
$ cleave train svm train -o m.model --quiet; cleave test m.model test --json --quiet | grep -o '"rows":6'
"rows":6

# The same rows as a split into datasets with the same seed.
$ cleave split box --into a.cleave b.cleave --test-fraction 0.3 --quiet; cleave predict m.model b.cleave --names --quiet | cut -f1 | cmp - <(cd test; find . -type f | sed 's/..//' | LC_ALL=C sort)

# Existing targets must be empty folders. A failed run leaves nothing.
$ cleave split box --into train new
cleave: --into: 'train' exists and is not an empty folder
hint: use a new folder, or remove this one first
? 2
$ ls new
ls: * 'new': * (glob)
? 2
$ mkdir empty; cleave split box --into empty new/ --in-order --quiet; find empty new -type f | wc -l; rm -r empty new
20
$ cleave split box --into box/train new
cleave: --into: 'box/train' lies inside an input folder
hint: use a folder outside the input
? 2
$ cleave split box --into new new/
cleave: --into: 'new/' is named twice, but two different folders are written
? 2
$ cleave split box box --into new other
box/ham/1: another input folder has a document of the same name
hint: split the folders one at a time
? 1
$ ls -d new* other* 2>/dev/null | wc -l
0
$ cleave split box --into new none/other 2>&1; ls -d new* 2>/dev/null | wc -l
none/other: cannot be written: No such file or directory
0

# Two folders with different documents, some classes, and documents without classes.
$ mkdir -p two/ham; echo eggs > two/ham/x; cleave split box two --into new other --quiet; find new other -type f | wc -l; find new other -path '*/ham/x' | wc -l; rm -r new other
21
1
$ cleave split box --classes ham --into new other --quiet; find new other -type f | wc -l; find new other -path '*spam*' | wc -l; rm -r new other
10
0
$ cleave split box/ham/deep box/spam --into new other --quiet 2>&1; find new other -type f | wc -l; rm -r new other
11
$ cleave split box/ham/1 --to folder --format document --into new other
cleave: * 'folder' (glob)
hint: * --to (*: --format)* (glob)
? 2
