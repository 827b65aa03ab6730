# A folder of documents: FOLDER/class/document, deeper ones belonging to the class of the first level.
$ mkdir -p letters/ham letters/spam/old new
$ printf 'Hello Bob, lunch at noon?\n' > letters/ham/1; printf 'Bob, lunch tomorrow. Lunch!' > letters/ham/2
$ printf 'Cheap pills, buy now\n' > letters/spam/1; printf 'Buy cheap watches now\n' > letters/spam/old/2; echo hidden > letters/spam/.3
$ cleave train svm letters -o m.model
note: pipeline: --transform tfidf (default for this data): 11 words
Read 4 rows, 11 features, 2 classes (letters).
Trained svm (dcd): converged after 103 iterations, duality gap 1.7e-08, objective 1.294, 4 support vectors.
Training error 0.00% (0 of 4 rows).
Model written to m.model.
Next: cleave test m.model DATA, or cleave explain m.model.
$ cleave test m.model letters
Error 0.00% (0 of 4 rows, 95% confidence interval 0.00% to 52.71%), accuracy 100.00%.
Class 'spam': precision 1.0000, recall 1.0000, F1 1.0000.
ROC AUC 1.0000, PR AUC 1.0000.
$ cleave convert letters -o letters.libsvm --quiet; cat letters.libsvm
ham 1:1 2:1 3:1 4:1 5:1
ham 2:1 3:2 6:1
spam 7:1 8:1 9:1 10:1
spam 7:1 9:1 10:1 11:1
$ cleave convert letters -o letters.cleave --quiet; cleave test m.model letters.cleave | head -n 1
Error 0.00% (0 of 4 rows, 95% confidence interval 0.00% to 52.71%), accuracy 100.00%.

# The same whatever the number of threads.
$ cleave train svm letters -o n.model --quiet --threads 3; cmp m.model n.model && echo the same
the same

# Plain files alone have no class; several folders are read one after the other. A model of folders takes lines of text by option.
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
note: pipeline: --transform tfidf (default for this data): 4 words
new: no row has a label (2 rows)
hint: put each document into the folder of its class (FOLDER/class/document), or give label<TAB>text lines with --documents lines
? 1
$ cleave test m.model new
new: none of 2 rows has a label: there is nothing to evaluate
hint: --label NAME selects the label column of a table; 'cleave predict' needs no labels
? 1
$ cleave train svm letters/ham letters/spam -o n.model
note: letters/ham: the folder has no class folders, so its documents have no label; expected FOLDER/class/document
warning: letters/spam/1: this file is outside the class folders
hint: move each document into the folder of its class; other files are ignored
note: pipeline: --transform tfidf (default for this data): 10 words
letters/ham: row 1 has no label (2 of 3 rows have no label)
hint: use --skip-unlabeled to ignore rows without a label
? 1

# What lies about is said to be left out; a document without words too.
$ touch letters/README letters/TODO letters/ham/3; mkdir letters/empty letters/.git
$ cleave convert letters -o n.libsvm
warning: letters/README: this file is outside the class folders, the first of 2
hint: move each document into the folder of its class; other files are ignored
warning: letters/empty: the folder contains no documents
note: letters/.git: hidden folder ignored
note: LIBSVM text has no feature names; columns are written as 1, 2, ...
warning: letters/ham/3: the row has no features
hint: a model makes the same prediction for all rows without features
Wrote 5 rows, 11 features, 2 classes to n.libsvm (89 bytes from 96 bytes).
$ rm -r letters/README letters/TODO letters/ham/3 letters/empty letters/.git

# What cannot be read is an error that names it.
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
$ rm letters/spam/packed; mkdir -p nothing/at/all; cleave train svm nothing -o n.model
nothing: the folder contains no documents
hint: expected FOLDER/class/document, or only plain files; hidden files are ignored
? 1
$ cleave train svm nowhere -o n.model
nowhere: cannot be opened: No such file or directory
? 1

# A folder is no file, and the other way round.
$ cleave train svm letters letters.libsvm -o n.model
letters.libsvm: this is a file, but the previous input is a folder
hint: give folders alone, or files alone
? 1
$ cleave train svm letters.libsvm letters -o n.model
letters: this is a folder, but the previous input is a file
hint: give folders alone, or files alone
? 1
$ cleave train svm letters letters.cleave -o n.model
letters.cleave: this is a cleave dataset, but the previous files are not
hint: convert all files to datasets with 'cleave convert'
? 1
$ cleave train svm letters.cleave letters -o n.model
letters: this is not a cleave dataset, but the previous files are
hint: convert all files to datasets with 'cleave convert'
? 1
$ cleave train svm letters --format csv -o n.model
cleave: letters: --format csv applies to files, but this is a folder
hint: give documents as FOLDER/class/document, or give the files by name
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
hint: give data of the same kind as the training data, or name the format with --format
? 1
$ cleave train svm letters.libsvm -o n.model --quiet; cleave predict n.model letters
letters: this is text, but the features of the model come from LIBSVM text
hint: give data of the same kind as the training data, or name the format with --format
? 1
$ cleave convert letters -o letters/ham/1
cleave: letters/ham/1: this is an input, and an input is never written
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

# Mail and pages are found by their first lines; --documents says otherwise, and the model remembers.
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
hint: leave out --documents: the model stores how documents are read
? 2
$ cleave predict n.model post --documents plain
ham
spam
$ cleave train perceptron post --documents letter -o n.model
cleave: --documents: expected one of auto, plain, mail, html, lines, found 'letter'
hint: Document format: auto, mail, html, text, or lines (one per line).
? 2
# A file that does not tell its size is read to its end.
$ mkdir -p told/x untold/x; cat /proc/filesystems > told/x/list; ln -s /proc/filesystems untold/x/list; cleave convert told -o told.libsvm --quiet; cleave convert untold -o - --to libsvm --quiet | cmp - told.libsvm
