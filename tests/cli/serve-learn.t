# POST /learn: rows are on disk before they are acknowledged, and a model that has learned them is that of `cleave update`.
% curl
$ cleave generate spam --rows 300 -o mail.tsv -q; cleave train svm mail.tsv -o mail.model -q; cp mail.model first.model
$ printf 'size,color,kind\n1,red,a\n2,blue,b\n3,red,a\n4,,b\n5,blue,b\n' > table.csv; cleave train logistic table.csv --label kind -o table.model -q; cp table.model table1.model
$ cleave train perceptron @spam6 -o spam.model -q; cp spam.model spam1.model; cleave train lms @line4 -o line.model -q; cp line.model line1.model; cleave train mlp @spam6 -o net.model -q
$ echo 0123456789abcdefL > token; echo 0123456789abcdefA > admin
$ cat > start <<'EOF'
> rm -f out; cleave serve "$@" --socket socket > out 2> err & echo $! > process; for ((i = 0; i < 400; i++)); do [[ -s out ]] && break; kill -0 $! 2> /dev/null || break; sleep 0.05; done; cat err
> EOF
$ cat > stop <<'EOF'
> # stop SIGNAL: until the process has ended
> kill -$1 $(cat process); for ((i = 0; i < 400; i++)); do kill -0 $(cat process) 2> /dev/null || break; sleep 0.05; done; cat err
> EOF
$ cat > learn <<'EOF'
> # learn PATH OPTIONS...
> curl -s --unix-socket socket "http://x$1" -H 'Authorization: Bearer 0123456789abcdefL' "${@:2}"
> EOF
$ cat > get <<'EOF'
> curl -s --unix-socket socket "http://x$1" "${@:2}"
> EOF
$ cat > start_all <<'EOF'
> ./start mail.model table.model spam.model line.model net.model --learn-token-file token --admin-token-file admin
> EOF
$ chmod +x start stop learn get start_all; ./start_all

# The token of learning.
$ ./get /learn -d x; ./get /learn -d x -H 'Authorization: Bearer 0123456789abcdefA'
{"error":"the token is missing or incorrect","hint":"send the header 'Authorization: Bearer TOKEN'"}
{"error":"the token is missing or incorrect","hint":"send the header 'Authorization: Bearer TOKEN'"}

# Rows in the format of the model, and as JSON. The next prediction is that of the new model.
$ printf 'spam\tzebra crossing\nham\tlunch at the zebra\n' > new.tsv; ./learn /learn --data-binary @new.tsv; cleave update first.model new.tsv -q; ./get /predict --data-binary @new.tsv -H 'Content-Type: text/plain' > got; cleave predict first.model new.tsv --json | cmp - got
{"learned":2,"version":2}
$ printf '{"label":"ham","text":"see you at the zebra"}\n\n{"text":"win a zebra","label":"spam"}\n' | ./learn /learn -H 'Content-Type: application/x-ndjson' --data-binary @-; printf 'ham\tsee you at the zebra\nspam\twin a zebra\n' > new.tsv; cleave update first.model new.tsv -q
{"learned":2,"version":3}
$ printf 'size,color,kind\n9,red,b\n8,blue,c\n' > new.csv; ./learn '/learn?model=table' -H 'Content-Type: text/csv' --data-binary @new.csv; cleave update table1.model new.csv -q
{"learned":2,"version":2}
$ printf '{"kind":"a","size":7,"color":null}\n[6,"red","b"]\n' | ./learn '/learn?model=table' -H 'Content-Type: application/x-ndjson' --data-binary @-; printf 'size,color,kind\n7,,a\n6,red,b\n' > new.csv; cleave update table1.model new.csv -q
{"learned":2,"version":3}
$ printf '{"1":1,"label":-1,"4":2}\n{"label":"+1","2":1}\n' | ./learn '/learn?model=spam' -H 'Content-Type: application/x-ndjson' --data-binary @-; printf -- '-1 1:1 4:2\n+1 2:1\n' > new.libsvm; cleave update spam1.model new.libsvm -q
{"learned":2,"version":2}
$ printf '3.5 1:2\n' > new.libsvm; ./learn '/learn?model=line' --data-binary @new.libsvm; cleave update line1.model new.libsvm -q
{"learned":1,"version":2}

# Refused rows: nothing is learned.
$ ./learn /learn -d 'no label'; ./learn /learn -X POST; ./learn /learn -d $'Spam\tx'; ./learn '/learn?model=net' -d '1 1:1'; ./learn '/learn?model=none' -d x
{"error":"row 1 has no label","hint":"send only rows with labels"}
{"error":"the request has no rows","hint":"send at least one row"}
{"error":"data:1: the label 'Spam' would be a new class, but the model has the similar class 'spam'"* (glob)
{"error":"a model of 'mlp' cannot learn: the method has no incremental form"}
{"error":"the server has no model of this name","hint":"GET /v2 lists the models"}
$ ./learn '/learn?model=table' -H 'Content-Type: text/csv' --data-binary $'size,color\n1,red\n'; ./learn '/learn?model=table' -H 'Content-Type: text/csv' --data-binary $'size,color,kind\n'; ./learn '/learn?model=table' -H 'Content-Type: text/csv' --data-binary $'size,color,kind\n1,"red,a\n'; ./learn '/learn?model=table' -H 'Content-Type: text/plain' -d $'a\tb'
{"error":"row 1 has no label","hint":"send only rows with labels"}
{"error":"the request has no rows","hint":"send at least one row"}
{"error":"request:2:3: this quote is not closed","hint":"write a quote inside a quoted cell twice: \"\""}
{"error":"the model learns only from rows of its own format","hint":"use the format that the model was trained on, or application/x-ndjson"}
$ json() { ./learn "/learn?model=$1" -H 'Content-Type: application/x-ndjson' --data-binary "$2"; }; json mail '"x"'; json mail '{"text":"x"}'; json mail '{"text":"x","label":"a\tb"}'; json mail '{"text":"x","label":[]}'; json spam '{"label":"1 2:3"}'; json spam '[1,2]'; json table '[6,"red"]'; json table '{"size":1,"color":"red"}'; json line '{"label":"one","1":2}'
{"error":"request:1: expected {\"label\": \"...\", \"text\": \"...\"}, found a string"}
{"error":"row 1 has no label","hint":"send only rows with labels"}
{"error":"request:1: the label contains a TAB or a line end"}
{"error":"request:1: the label is an array, not a string or a number"}
{"error":"request:1: the label contains a blank, '#' or ':'"}
{"error":"row 1 has no label","hint":"send only rows with labels"}
{"error":"request:1: the array has too few values: 'kind' is missing"}
{"error":"request:1: the column 'kind' is missing","hint":"use null for a missing value"}
{"error":"no training row has a label and a weight above 0"}
$ printf 'spam\tx\n' | gzip | ./learn /learn -H 'Content-Type: text/plain' --data-binary @-
{"error":"the rows of the request are compressed","hint":"send the rows as text"}
$ ./get /metrics | grep -E '^cleave_(learned_rows|updates|saves|failed_saves)_total'
cleave_learned_rows_total{model="mail"} 4
cleave_learned_rows_total{model="table"} 4
cleave_learned_rows_total{model="spam"} 2
cleave_learned_rows_total{model="line"} 1
cleave_updates_total{model="mail"} 2
cleave_updates_total{model="table"} 2
cleave_updates_total{model="spam"} 1
cleave_updates_total{model="line"} 1
cleave_saves_total 0
cleave_failed_saves_total 0

# A killed server: the rows are in the journals. The next server has learned them, and saves its models.
$ ./stop KILL; grep -a -c ' rows ' mail.model.journal; cmp -s mail.model first.model || echo not saved; ./start_all; for i in mail:first table:table1 spam:spam1 line:line1; do cmp ${i%:*}.model ${i#*:}.model; done
2
not saved
$ ./learn /learn -d $'ham\tbread and milk'; printf 'ham\tbread and milk\n' > new.tsv; cleave update first.model new.tsv -q; ./stop TERM; cmp mail.model first.model; ls | grep journal
{"learned":1,"version":2}
? 1

# A server that does not learn applies a journal, too. It changes no file.
$ ./start mail.model --learn-token-file token; ./learn /learn -d $'spam\twin zebras' > /dev/null; ./stop KILL; printf 'spam\twin zebras\n' > new.tsv; cleave update first.model new.tsv -q
$ ./start mail.model; ./get /learn -d x; ./get /predict -d 'win zebras for all' > got; echo 'win zebras for all' > text; cleave predict first.model text --json | cmp - got; ./stop TERM; ls mail.model.journal
{"error":"the server does not learn","hint":"start it with --learn-token-file"}
mail.model.journal

# A record that a crash has cut off was not acknowledged. Damage elsewhere is an error.
$ ./start mail.model --learn-token-file token; cmp mail.model first.model; ./learn /learn -d $'spam\tyaks' > /dev/null; ./learn /learn -d $'ham\tyaks' > /dev/null; ./stop KILL; cp mail.model.journal whole; cp mail.model base.model
$ printf 'spam\tyaks\n' > new.tsv; cleave update first.model new.tsv -q; truncate -s -3 mail.model.journal; ./start mail.model --learn-token-file token; cmp mail.model first.model; ./stop TERM
$ cp base.model mail.model; sed 's/spam\tyaks/spam\tyaKs/' whole > mail.model.journal; ./start mail.model --learn-token-file token
mail.model.journal: the journal is damaged at byte 56
hint: restore the file, or remove it to discard the learned rows
$ cp first.model mail.model; cp whole mail.model.journal; ./start mail.model
mail.model.journal: the journal belongs to another version of 'mail.model'
hint: restore the model file, or remove the journal to discard the learned rows
$ echo x > mail.model.journal; ./start mail.model
mail.model.journal: the file is not the journal of a model that learns
hint: move the file away
$ rm mail.model.journal

# The server holds the lock of its models. A replaced file is not loaded, and not overwritten.
$ ./start mail.model --learn-token-file token --admin-token-file admin; cleave update mail.model new.tsv
mail.model: another process (*) is writing this file (glob)
hint: wait until that process ends, or stop it; the lock file is *mail.model.cleave-lock (glob)
? 1
$ cleave serve mail.model --socket other --learn-token-file token 2>&1 | head -n 1
mail.model: another process (*) is writing this file (glob)
$ cat > await <<'EOF'
> for ((i = 0; i < 200; i++)); do grep -o "$1" err && exit; sleep 0.05; done
> EOF
$ chmod +x await; ./learn /learn -d $'spam\tgnus' > /dev/null; ./get /reload -X POST -H 'Authorization: Bearer 0123456789abcdefA'; ./await 'the models were reloaded'; cp base.model new; mv new mail.model; kill -HUP $(cat process); ./await 'the models are unchanged: .*'; ./learn /learn -d $'spam\tgnats'
{"reloading":true}
the models were reloaded
the models are unchanged: mail.model: the file was replaced, but the rows in mail.model.journal were learned by its predecessor
{"learned":1,"version":3}
$ ./stop TERM | tail -n 2; cmp mail.model base.model; grep -a -c ' rows ' mail.model.journal; rm mail.model.journal
*mail.model: the file was replaced, but the rows in mail.model.journal were learned by its predecessor (glob)
hint: stop the server, and move the journal or the new file away
2

# The model is saved after --save-every updates, and the journal begins again.
$ ./start mail.model --learn-token-file token --save-every 2; for i in 1 2 3 4 5; do ./learn /learn -d $'ham\tgnu '$i > /dev/null; done; for ((i = 0; i < 200; i++)); do ./get /metrics | grep 'cleave_saves_total 2' && break; sleep 0.05; done; grep -a -c ' rows ' mail.model.journal; ./stop KILL
cleave_saves_total 2
1
$ ./start mail.model --learn-token-file token; ./stop TERM; printf 'ham\tgnu 1\n' > 1; for i in 1 2 3 4 5; do printf 'ham\tgnu %d\n' $i > row.tsv; cleave update base.model row.tsv -q; done; cmp mail.model base.model

# A full disk: nothing is acknowledged, and nothing is learned. Afterwards the server learns again.
$ (ulimit -f 40; ./start mail.model --learn-token-file token); for ((i = 0; i < 900; i++)); do printf 'ham\tabcdefghi klmnopqrs uvwxyz %d\n' $((i % 7)); done > big.tsv; ./learn /learn -H 'Content-Type: text/plain' --data-binary @big.tsv; head -n 600 big.tsv > half.tsv; ./learn /learn -H 'Content-Type: text/plain' --data-binary @half.tsv -o got -w '%{http_code}\n'; cat got; grep -a -c ' rows ' mail.model.journal; ./learn /learn -d $'ham\tgnus'
{"learned":900,"version":2}
507
{"error":"mail.model.journal: writing failed: File too large","hint":"free space on the disk"}
1
{"learned":1,"version":3}
$ ./stop TERM; cleave update base.model big.tsv -q; printf 'ham\tgnus\n' > row.tsv; cleave update base.model row.tsv -q; cmp mail.model base.model
