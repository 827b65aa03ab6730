# A model trained on a folder of mail reads standard input and files as documents, parsed as in training.
$ mkdir -p mail/ham mail/spam new
$ printf 'Return-Path: <ann@example.org>\nFrom: Ann <ann@example.org>\nSubject: Lunch\n\nAt noon?\nSee you there\n' > mail/ham/1
$ printf 'Return-Path: <ann@example.org>\nFrom: Ann <ann@example.org>\nSubject: Dinner\n\nTonight?\n' > mail/ham/2
$ printf 'Return-Path: <x@spam.biz>\nFrom: X <x@spam.biz>\nSubject: Buy\n\nCheap pills\n' > mail/spam/1
$ printf 'Return-Path: <x@spam.biz>\nFrom: X <x@spam.biz>\nSubject: Now\n\nCheap watches\n' > mail/spam/2
$ cleave train svm mail -o m.model --quiet
$ cp mail/spam/1 a.eml; cp mail/ham/1 b.txt; cp mail/ham/2 new/c; cp mail/spam/2 new/d; gzip -c mail/spam/2 > d.eml.gz
$ cat a.eml | cleave predict m.model -
spam
$ cat b.txt | cleave predict m.model - --names --json | sed 's/"score.*//'
{"row":1,"name":"-","label":"ham",
$ cleave predict m.model b.txt
ham
$ cleave predict m.model a.eml b.txt d.eml.gz --names
a.eml	spam
b.txt	ham
d.eml.gz	spam
$ cleave predict m.model new --names
c	ham
d	spam
$ cmp <(cleave predict m.model mail --scores) <(cleave predict m.model mail/ham/1 mail/ham/2 mail/spam/1 mail/spam/2 --scores)
$ cleave predict m.model a.eml b.txt --threads 3 --names
a.eml	spam
b.txt	ham

# One document per line with an option. A .tsv file has lines; a note appears where notes are shown.
$ printf 'cheap pills\nnoon there\n' | cleave predict m.model - --documents lines
spam
ham
$ printf 'spam\tcheap pills\nham\tnoon there\n' > lines.tsv; cleave test m.model lines.tsv --json --quiet | grep -o '"rows":2,"errors":0'
"rows":2,"errors":0
$ cleave test m.model lines.tsv --documents lines --json --quiet | grep -o '"rows":2,"errors":0'
"rows":2,"errors":0
$ cleave predict m.model lines.tsv --format document | wc -l
1
$ cleave predict m.model lines.tsv --format text --documents mail
cleave: --format text and --documents mail contradict each other
hint: --format text reads one document per line, --format document one document per file
? 2
$ cleave predict m.model mail --documents lines
cleave: mail: --documents lines applies to files, but this is a folder
hint: pass the names of the files in the folder
? 2

# A model trained on lines reads lines.
$ cleave train svm lines.tsv -o l.model --quiet; printf 'cheap pills\nnoon\n' | cleave predict l.model -
spam
ham
$ cleave predict l.model a.eml | wc -l
warning: a.eml:1: the row has no features, the first of several
hint: * (glob)
4
$ cleave predict l.model a.eml --format document
spam

# Empty documents are rows; empty standard input is an error.
$ : > none.eml; cleave predict m.model a.eml none.eml | wc -l
warning: none.eml: * (glob)
hint: * (glob)
2
$ cleave predict m.model - < /dev/null
standard input: the file is empty
hint: * (glob)
? 1
$ printf 'PK\003\004' > a.docx; cleave predict m.model a.eml a.docx
a.docx: expected plain text, found an archive (ZIP or an office document)
hint: extract it, or save it as text
spam
? 1
$ cleave predict m.model a.eml new
new: this is a folder, but the previous input is a file
hint: pass only folders, or only files
spam
? 1

# A dataset of documents remains one, also if converted from single documents.
$ cleave convert mail -o mail.cleave --quiet; cleave train svm mail.cleave -o c.model --quiet; cat a.eml | cleave predict c.model -
spam
$ cleave convert a.eml --documents mail -o - --to csv --quiet
from:x@spam.biz,from-host:spam.biz,subject:buy,cheap,pills,label
1,1,1,1,1,

# explain takes a document by name or from standard input, folders, and datasets of one row.
$ cleave explain m.model a.eml > 1; head -n 1 1 | cut -d, -f1
prediction  spam
$ cleave explain m.model --example a.eml | cmp - 1
note: --example: reading the file 'a.eml'
hint: to explain a text that is also the name of a file, pass --example - and write the text to standard input
$ cleave explain m.model --example - < a.eml | cmp - 1
$ cleave explain m.model - < a.eml | cmp - 1
$ mkdir one; cp a.eml one; cleave explain m.model one | cmp - 1; cleave explain m.model --example-file one | cmp - 1
$ cleave convert a.eml --documents mail -o one.cleave --quiet; cleave explain m.model --example-file one.cleave | cmp - 1
$ cleave explain m.model mail.cleave --row 3 | grep 'true label'
true label  spam
$ cleave explain m.model mail
cleave: mail: expected one row, found several
hint: use --row N to choose the row to explain, counted from 1
? 2
$ cleave explain m.model a.eml --example x
cleave: DATA and an example cannot be combined
? 2

# test takes folders and datasets; single documents have no labels.
$ for data in mail mail.cleave; do cleave test m.model $data --json --quiet | grep -o '"rows":4,"errors":0'; done
"rows":4,"errors":0
"rows":4,"errors":0
$ cleave test m.model a.eml
a.eml: none of 1 rows has a label, so no metric can be computed
hint: --label NAME selects the label column of a table; 'cleave predict' needs no labels
? 1
