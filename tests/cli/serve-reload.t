# Models are replaced while the server runs.
% curl
$ cleave train perceptron @spam6 -o spam.model -q; cleave train svm @spam6 -o other.model -q; cp spam.model m.model
$ echo 0123456789abcdef > token; cleave serve m.model --socket socket --admin-token-file token > out 2> err & echo $! > process; for ((i = 0; i < 200; i++)); do [[ -s out ]] && break; sleep 0.05; done; cat out err
Serving 1 model at unix:socket.
$ cat > get <<'EOF'
> curl -s --unix-socket socket "http://x$1" "${@:2}"
> EOF
$ cat > await <<'EOF'
> # await TEXT FILE-OR-PATH: until the response, or the file, contains the text
> for ((i = 0; i < 200; i++)); do { [[ $2 == /* ]] && ./get "$2" || cat "$2"; } | grep -o "$1" && exit; sleep 0.05; done
> EOF
$ chmod +x get await; echo '1 1:1 2:1 3:1' > row; cleave predict spam.model row --json > first; cleave predict other.model row --json > second; cmp -s first second || echo differ
differ
$ ./get /predict --data-binary @row | cmp - first; ./get /v2/models/m | grep -o '"versions":[^,]*'
"versions":["1"]

# POST /reload needs the administration token.
$ ./get /reload -X POST; ./get /reload -X POST -H 'Authorization: Bearer wrong'
{"error":"the token is missing or incorrect","hint":"send the header 'Authorization: Bearer TOKEN'"}
{"error":"the token is missing or incorrect","hint":"send the header 'Authorization: Bearer TOKEN'"}
$ cp other.model new; mv new m.model; ./get /reload -X POST -H 'Authorization: Bearer 0123456789abcdef'; ./await '"versions":."2".' /v2/models/m; ./get /predict --data-binary @row | cmp - second; cat err
{"reloading":true}
"versions":["2"]
the models were reloaded

# SIGHUP.
$ cp spam.model new; mv new m.model; kill -HUP $(cat process); ./await '"versions":."3".' /v2/models/m; ./get /predict --data-binary @row | cmp - first
"versions":["3"]

# A file that is not a model: the model stays.
$ echo x > new; mv new m.model; kill -HUP $(cat process); ./await 'the models are unchanged: .*' err; ./get /predict --data-binary @row | cmp - first; ./get /metrics | grep reloads_total$'\{0,1\}' | grep -v '#'
the models are unchanged: m.model: * (glob)
cleave_reloads_total 2
cleave_failed_reloads_total 1

# A request that began before a reload ends with the old model.
$ cp spam.model new; mv new m.model; kill -HUP $(cat process); ./await '"versions":."4".' /v2/models/m; (cat row; sleep 1.5; cat row) | curl -s --unix-socket socket -T - -X POST http://x/predict > got & sleep 0.7; cp other.model new; mv new m.model; kill -HUP $(cat process); ./await '"versions":."5".' /v2/models/m; ./get /predict --data-binary @row | cmp - second; wait; sed 's/"row":2/"row":1/' got | uniq | cmp - first
"versions":["4"]
"versions":["5"]
$ kill $(cat process); for ((i = 0; i < 200; i++)); do [[ -S socket ]] || break; sleep 0.05; done; tail -n 1 err
the models were reloaded

# Without the administration token.
$ cleave serve spam.model --socket socket > out 2> err & echo $! > process; rm -f out; for ((i = 0; i < 200; i++)); do [[ -S socket ]] && break; sleep 0.05; done; ./get /reload -X POST; kill $(cat process)
{"error":"the server has no administration token","hint":"start it with --admin-token-file"}

# --watch: a replaced file is loaded.
$ for ((i = 0; i < 200; i++)); do [[ -S socket ]] || break; sleep 0.05; done; rm -f err; cp spam.model m.model; cleave serve m.model --socket socket --watch > out 2> err & echo $! > process; for ((i = 0; i < 200; i++)); do [[ -S socket ]] && break; sleep 0.05; done; ./get /predict --data-binary @row | cmp - first; cp other.model new; mv new m.model; ./await '"versions":."2".' /v2/models/m; ./get /predict --data-binary @row | cmp - second
"versions":["2"]
$ echo x > m.model; ./await 'the models are unchanged: .*' err; rm m.model; sleep 1.2; cp spam.model m.model; ./await '"versions":."3".' /v2/models/m; kill $(cat process); grep -c unchanged err
the models are unchanged: m.model: * (glob)
"versions":["3"]
1
