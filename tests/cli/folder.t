# A folder of documents: FOLDER/class/document. Deeper documents belong to the class of the first level.
$ mkdir -p letters/ham letters/spam/old new
$ printf 'Hello Bob, lunch at noon?\n' > letters/ham/1; printf 'Bob, lunch tomorrow. Lunch!' > letters/ham/2
$ printf 'Cheap pills, buy now\n' > letters/spam/1; printf 'Buy cheap watches now\n' > letters/spam/old/2; echo hidden > letters/spam/.3
$ cleave train svm letters -o m.model
note: pipeline: --transform tfidf (default for this data): 11 words
Read 4 rows, 11 features, 2 classes (letters).
Trained svm (dcd): converged after 103 iterations, duality gap 1.7e-08, objective 1.294, 4 support vectors.
Training * 0.00% (0 * 4 *). (glob)
Model * m.model. (glob)
Next: * m.model * m.model. (glob)
$ cleave test m.model letters
Error 0.00% (0 * 4 *, 95% * 0.00% * 52.71%), * 100.00%. (glob)
Class 'spam': precision 1.0000, recall 1.0000, F1 1.0000.
ROC AUC 1.0000, average precision 1.0000.
$ cleave convert letters -o letters.libsvm --quiet; cat letters.libsvm
ham 1:1 2:1 3:1 4:1 5:1
ham 2:1 3:2 6:1
spam 7:1 8:1 9:1 10:1
spam 7:1 9:1 10:1 11:1
$ cleave convert letters -o letters.cleave --quiet; cleave test m.model letters.cleave | head -n 1
Error 0.00% (0 * 4 *, 95% * 0.00% * 52.71%), * 100.00%. (glob)

# The same result for any number of threads.
$ cleave train svm letters -o n.model --quiet --threads 3; cmp m.model n.model && echo the same
the same

# Plain files alone have no class. Several folders are read in order. A model of folders reads lines of text with an option.
$ printf 'lunch, Bob?\n' > new/a; printf 'cheap cheap watches' > new/b
$ cleave predict m.model new
ham
spam
$ cleave predict m.model new new --names
a	ham
b	spam
a	ham
b	spam
$ cleave predict m.model new --names --json
{"row":1,"name":"a","label":"ham","score":-0.9447500490123613}
{"row":2,"name":"b","label":"spam","score":0.6434677664669959}
$ printf 'cheap pills\nlunch\n' | cleave predict m.model - --documents lines
spam
ham
$ cleave train svm new -o n.model
note: new: the folder has no class folders, so its documents have no label; expected FOLDER/class/document
note: pipeline: --transform *): 4 * (glob)
new: * (2 *) (glob)
hint: put each document into the folder of its class (FOLDER/class/document), or pass label<TAB>text lines with --documents lines
? 1
$ cleave test m.model new
new: * 2 * (glob)
hint: --label *; 'cleave predict' * (glob)
? 1
$ cleave train svm letters/ham letters/spam -o n.model
note: letters/ham: the folder has no class folders, so its documents have no label; expected FOLDER/class/document
warning: letters/spam/1: this file is outside the class folders
hint: move each document into the folder of its class; other files are ignored
note: pipeline: --transform *): 10 * (glob)
letters/ham: row 1 has no label (2 of 3 rows have no label)
hint: * --skip-unlabeled * (glob)
? 1

# Ignored files are reported, and so are documents without words.
$ touch letters/README letters/TODO letters/ham/3; mkdir letters/empty letters/.git
$ cleave convert letters -o n.libsvm
warning: letters/README: this file is outside the class folders, the first of 2
hint: * (glob)
warning: letters/empty: the folder contains no documents
note: letters/.git: * (glob)
note: * 1, 2, ... (glob)
warning: letters/ham/3: the row has no features
hint: * (glob)
Wrote 5 *, 11 *, 2 * n.libsvm (89 * 96 *). (glob)
$ rm -r letters/README letters/TODO letters/ham/3 letters/empty letters/.git

# An unreadable document is an error with its name.
$ ln -s nowhere letters/ham/link; cleave train svm letters -o n.model
letters/ham/link: cannot be read: No such file or directory
? 1
$ rm letters/ham/link; ln -s .. letters/ham/up; cleave train svm letters -o n.model
letters/ham/up: this link leads back to letters, the folder that contains it
hint: remove the link
? 1
$ rm letters/ham/up; mkfifo letters/ham/pipe; cleave train svm letters -o n.model
letters/ham/pipe: this is neither a file nor a folder
hint: move pipes, sockets and devices out of the folder
? 1
$ rm letters/ham/pipe; printf '\037\213\010' > letters/spam/packed; cleave train svm letters -o n.model
letters/spam/packed: expected plain text, found text compressed with gzip
hint: decompress the documents first
? 1
$ printf '\377\376a\0' > letters/spam/packed; cleave predict m.model letters
letters/spam/packed: expected plain text, found text in UTF-16
hint: save it as UTF-8
? 1
$ printf '\377\330\377\340\0\020JFIF\0' > letters/spam/packed; cleave train svm letters -o n.model
letters/spam/packed: expected plain text, found binary data
hint: leave the file out, or read it as text with --documents plain
? 1
$ cleave train svm letters --documents plain -o n.model -q; printf 'Received: x\nFrom: a@b.org\n\nbuy\0now\n' > letters/spam/packed; cleave train svm letters -o n.model -q
$ rm letters/spam/packed; mkdir -p nothing/at/all; cleave train svm nothing -o n.model
nothing: * no documents (glob)
hint: * FOLDER/class/document, * (glob)
? 1
$ cleave train svm nowhere -o n.model
nowhere: * opened: No such file or directory (glob)
? 1

# A folder where a file is expected, and vice versa.
$ cleave train svm letters letters.libsvm -o n.model
letters.libsvm: this is a file, but the previous input is a folder
hint: * (glob)
? 1
$ cleave train svm letters.libsvm letters -o n.model
letters: * folder, * file (glob)
hint: * (glob)
? 1
$ cleave train svm letters letters.cleave -o n.model
letters.cleave: this is a cleave dataset, but the previous files are not
hint: convert all files to datasets with 'cleave convert'
? 1
$ cleave train svm letters.cleave letters -o n.model
letters: this is not a cleave dataset, but the previous files are
hint: * 'cleave convert' (glob)
? 1
$ cleave train svm letters --format csv -o n.model
cleave: letters: --format csv applies to files, but this is a folder
hint: arrange the documents as FOLDER/class/document, or pass the names of the files
? 2
$ cleave train svm letters.libsvm --format folder -o n.model
cleave: letters.libsvm: --format folder applies to folders, but this is a file
hint: use --format text for one document per line (label<TAB>text), or --format document for one document per file
? 2
$ cleave train svm letters --label 1 -o n.model
cleave: --label has no effect here: letters is read as folder
hint: it applies to: csv tsv 
? 2
$ cleave train svm letters.libsvm --documents mail -o n.model
cleave: --documents has no effect here: letters.libsvm is read as libsvm
hint: it applies to: folder document text 
? 2
$ cleave predict m.model letters.libsvm
letters.libsvm: this is LIBSVM text, but the features of the model come from text
hint: pass data of the same kind as the training data, or set the format with --format
? 1
$ cleave train svm letters.libsvm -o n.model --quiet; cleave predict n.model letters
letters: this is text, but the features of the model come from LIBSVM text
hint: * --format (glob)
? 1
$ cleave convert letters -o letters/ham/1
cleave: letters/ham/1: the output file is also an input
? 2
$ cat letters/ham/1
Hello Bob, lunch at noon?

# Links to documents and to folders are followed.
$ ln -s ../../new/b letters/spam/b; ln -s ../../new letters/ham/new; cleave convert letters -o - --to libsvm --quiet
ham 1:1 2:1 3:1 4:1 5:1
ham 2:1 3:2 6:1
ham 2:1 3:1
ham 7:2 8:1
spam 7:1 9:1 10:1 11:1
spam 7:2 8:1
spam 7:1 8:1 10:1 11:1

# Mail and pages are detected by their first lines; --documents overrides the detection, and the model stores it.
$ mkdir -p post/ham post/spam
$ printf 'Return-Path: <a@b.org>\nFrom: Ann <Ann@Mail.org>\nSubject: =?utf-8?q?Lunch=21?=\n\nAt noon?\n' > post/ham/1
$ printf '<html><style>b {}</style>V<b>i</b>agra</html>' > post/spam/1
$ cleave convert post -o - --to csv --quiet
from:ann@mail.org,from-host:mail.org,subject:lunch,at,noon,viagra,label
1,1,1,1,1,0,ham
0,0,0,0,0,1,spam
$ cleave convert post -o - --to csv --quiet --documents html
return,path,from,ann,subject,utf,8,q,lunch,21,at,noon,viagra,label
1,1,1,1,1,1,1,1,1,1,1,1,0,ham
0,0,0,0,0,0,0,0,0,0,0,0,1,spam
$ cleave train perceptron post --documents plain -o n.model --quiet; cleave predict n.model post --documents mail
cleave: --documents mail: the model was trained with --documents plain
hint: omit --documents: the model stores how documents are read
? 2
$ cleave predict n.model post --documents plain
ham
spam
$ cleave train perceptron post --documents letter -o n.model
cleave: --documents: expected one of auto, plain, mail, html, lines, found 'letter'
hint: Document format: auto, plain text, mail, HTML, or lines (one document each).
? 2
# A file of unknown size is read to its end.
$ mkdir -p told/x untold/x; cat /proc/filesystems > told/x/list; ln -s /proc/filesystems untold/x/list; cleave convert told -o told.libsvm --quiet; cleave convert untold -o - --to libsvm --quiet | cmp - told.libsvm
