# A server on a free port of the loopback interface, and curl.
% curl
$ cleave generate spam --rows 300 -o mail.tsv -q; cleave train logistic mail.tsv -o mail.model -q
$ cleave train perceptron @spam6 -o spam.model -q; cleave train tree @dogs -o dogs.model -q
$ printf 'size,color,kind\n1,red,a\n2,blue,b\n3,red,a\n4,,b\n5,blue,b\n' > table.csv
$ cleave train svm table.csv --label kind -o table.model -q; cleave train lms @line4 -o line.model -q
$ cat > start <<'EOF'
> # start ARGUMENTS...: starts a server, and writes its address to `address` and its process to `process`
> rm -f out err; cleave serve "$@" > out 2> err &
> echo $! > process
> for ((i = 0; i < 200; i++)); do [[ -s out ]] && break; kill -0 $! 2> /dev/null || break; sleep 0.05; done
> sed -n 's/.* at \(.*\)\.$/\1/p' out > address
> cat err
> EOF
$ cat > stop <<'EOF'
> # stop: ends the server and prints its exit status
> kill -TERM $(cat process); for ((i = 0; i < 400; i++)); do kill -0 $(cat process) 2> /dev/null || break; sleep 0.05; done; cat err
> EOF
$ cat > get <<'EOF'
> # get PATH [OPTIONS]...: the status, the type and the content of a response
> path=$1; shift
> curl -s -o content -w '%{http_code} %{content_type}\n' "$@" "$(cat address)$path"; cat content
> EOF
$ chmod +x start stop get
$ ./start mail.model spam.model dogs.model table.model line.model --listen 127.0.0.1:0 --access-log access.json; cat out
Serving 5 models at http://127.0.0.1:*. (glob)

# Health.
$ ./get /v2/health/live; ./get /v2/health/ready
200 application/json
{"live":true}
200 application/json
{"ready":true}

# The predictions of rows are those of `cleave predict`.
$ cleave predict mail.model mail.tsv --json > want; ./get /predict --data-binary @mail.tsv -H 'Content-Type: text/plain' | tail -n +2 | cmp - want
$ cleave predict spam.model @spam6 --json > want; cleave convert @spam6 --to libsvm -o rows.libsvm -q; ./get '/predict?model=spam' --data-binary @rows.libsvm | tail -n +2 | cmp - want
$ cleave predict table.model table.csv --json > want; ./get '/predict?model=table' -H 'Content-Type: text/csv' --data-binary @table.csv | tail -n +2 | cmp - want

# Rows of JSON have the same predictions as rows of the other formats.
$ printf '{"color":"red","size":1}\n{"size":2,"color":"blue","more":[1,{}]}\n[3,"red"]\n\n{"size":4,"color":null}\n{"kind":"?","size":5.0,"color":"blue"}\n' > rows.json
$ ./get '/predict?model=table' -H 'Content-Type: application/x-ndjson' --data-binary @rows.json | tail -n +2 | cmp - want
$ cut -f 2 mail.tsv | sed 's/.*/{"text":"&"}/' > texts.json; cleave predict mail.model mail.tsv --json > want; ./get /predict -H 'Content-Type: application/x-ndjson' --data-binary @texts.json | tail -n +2 | cmp - want
$ printf '[1,0,1]\n{"2":1,"1":0.5}\n' | ./get '/predict?model=spam' -H 'Content-Type: application/x-ndjson' --data-binary @- > got; printf '? 1:1 3:1\n? 1:0.5 2:1\n' | ./get '/predict?model=spam' --data-binary @- | cmp - got

# Answers as NDJSON, CSV and JSON, with probabilities.
$ printf 'win 500 now\ncall me\n' > texts; ./get /predict --data-binary @texts -H 'Accept: text/csv'
200 text/csv
label,score
spam,* (glob)
ham,-* (glob)
$ ./get /predict --data-binary @texts -H 'Accept: application/json'
200 application/json
[{"row":1,"label":"spam","score":*}, (glob)
{"row":2,"label":"ham","score":-*}] (glob)
$ ./get '/predict?probabilities=true' --data-binary @texts | sed 's/[0-9.]\{4,\}/N/g'
200 application/x-ndjson
{"row":1,"label":"spam","score":N,"probabilities":{"ham":N,"spam":N}}
{"row":2,"label":"ham","score":-N,"probabilities":{"ham":N,"spam":N}}
$ printf '? 1:2\n' | ./get '/predict?model=line' --data-binary @- -H 'Accept: text/csv' | tail -n +2 > got; cat got | head -n 1; printf '? 1:2\n' > one.libsvm; cleave predict line.model one.libsvm | cmp - <(tail -n +2 got)
number

# Invalid rows: the place and the reason. The next request is not affected.
$ printf '[1,0,1]\n{"a":1}\n' | ./get '/predict?model=spam' -H 'Content-Type: application/x-ndjson' --data-binary @-
400 application/json
{"error":"request:2: a key is not the number of a feature"}
$ printf '1:1\n1:x\n' | ./get '/predict?model=spam' --data-binary @-
400 application/json
{"error":"request:1:*"* (glob)
$ printf '{"size":1}\n' | ./get '/predict?model=table' -H 'Content-Type: application/x-ndjson' --data-binary @-
400 application/json
{"error":"request:1: the column 'color' is missing","hint":"use null for a missing value"}
$ printf '{"size":1,"size":2}\n' | ./get '/predict?model=table' -H 'Content-Type: application/x-ndjson' --data-binary @-
400 application/json
{"error":"request:1: the column 'size' occurs twice"}
$ printf '{"size":1,"color":"red"}}\n' | ./get '/predict?model=table' -H 'Content-Type: application/x-ndjson' --data-binary @-
400 application/json
{"error":"request:1: byte 25 of the JSON: expected the end, found '}'"}
$ ./get /predict -X POST; ./get '/predict?model=none' -d x; ./get /predict -d x -H 'Content-Type: image/png'
400 application/json
{"error":"the request has no rows","hint":"send at least one row"}
404 application/json
{"error":"the server has no model of this name","hint":"GET /v2 lists the models"}
415 application/json
{"error":"the content type of the request is not supported","hint":"use text/plain, text/csv, application/x-ndjson or text/x-libsvm"}
$ ./get '/predict?model=spam&probabilities=true' -d '1 1:1'
400 application/json
{"error":"the model has no probabilities","hint":"train the model with --calibrate"}
$ ./get /nothing; ./get /predict; ./get /v2/health/live -X DELETE
404 application/json
{"error":"no route matches the path","hint":"GET /openapi.json lists all routes"}
405 application/json
{"error":"the route does not support this method"}
405 application/json
{"error":"the route does not support this method"}

# Rows in and predictions out are streamed: 20 MB in chunks, of which no line is longer than the limit.
$ for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat mail.tsv; done > part; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do cat part; done > long.tsv
$ [ $(stat -c %s long.tsv) -gt 20000000 ] && cleave predict mail.model long.tsv --json > want; curl -s -T - -X POST -H 'Content-Type: text/plain' "$(cat address)/predict" < long.tsv | cmp - want

# Predictions arrive before the end of the request.
$ cat > unfinished <<'EOF'
> exec 3<> /dev/tcp/$(sed 's/.*\///; s/:/\//' address)
> { printf 'POST /predict HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n' 400000; head -c 400000 long.tsv; } >&3
> timeout 20 head -n 300 <&3 | grep -c '"row"'
> EOF
$ bash unfinished
29? (glob)

# Malformed requests: every class is refused, and the connection ends.
$ cat > malformed <<'EOF'
> host=$(sed 's/.*\///; s/:.*//' address) port=$(sed 's/.*://' address)
> line='POST /predict HTTP/1.1\r\n' body='Content-Length: 3\r\n'
> while IFS='|' read -r name request; do
>     exec 3<> /dev/tcp/$host/$port
>     printf "$request" >&3
>     IFS= read -t 5 -r answer <&3 || answer="no answer"
>     cat <&3 > /dev/null # to the end, which has to come
>     exec 3>&-
>     echo "$name: ${answer%$'\r'}"
> done <<END
> CL and TE|${line}Host: x\r\n${body}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n
> two lengths|${line}Host: x\r\n${body}Content-Length: 4\r\n\r\nabc
> a length with a sign|${line}Host: x\r\nContent-Length: +3\r\n\r\nabc
> a list of lengths|${line}Host: x\r\nContent-Length: 3, 3\r\n\r\nabc
> an unknown coding|${line}Host: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n
> a bad chunk size|${line}Host: x\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n
> a chunk longer than its size|${line}Host: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n
> a chunk with a bare LF|${line}Host: x\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\n0\n\n
> a space before a colon|${line}Host: x\r\nContent-Length : 3\r\n\r\nabc
> a folded field|${line}Host: x\r\nX-A: b\r\n c\r\n${body}\r\nabc
> a zero byte|${line}Host: x\r\nX-A: b\0c\r\n${body}\r\nabc
> two hosts|${line}Host: x\r\nHost: y\r\n${body}\r\nabc
> no host|${line}${body}\r\nabc
> bare LF|POST /predict HTTP/1.1\nHost: x\n${body}\nabc
> a bare CR|${line}Host: x\r\nX-A: b\rc\r\n${body}\r\nabc
> a request line with two spaces|POST  /predict HTTP/1.1\r\nHost: x\r\n${body}\r\nabc
> HTTP 2|PRI /predict HTTP/2.0\r\nHost: x\r\n\r\n
> a head of 9,000 bytes|${line}Host: x\r\nX-A: $(printf '%09000d' 0)\r\n\r\n
> an endless head|${line}Host: x\r\nX-A: $(printf '%09000d' 0)
> END
> EOF
$ bash malformed
CL and TE: HTTP/1.1 400 Bad Request
two lengths: HTTP/1.1 400 Bad Request
a length with a sign: HTTP/1.1 400 Bad Request
a list of lengths: HTTP/1.1 400 Bad Request
an unknown coding: HTTP/1.1 400 Bad Request
a bad chunk size: HTTP/1.1 400 Bad Request
a chunk longer than its size: HTTP/1.1 400 Bad Request
a chunk with a bare LF: HTTP/1.1 400 Bad Request
a space before a colon: HTTP/1.1 400 Bad Request
a folded field: HTTP/1.1 400 Bad Request
a zero byte: HTTP/1.1 400 Bad Request
two hosts: HTTP/1.1 400 Bad Request
no host: HTTP/1.1 400 Bad Request
bare LF: HTTP/1.1 400 Bad Request
a bare CR: HTTP/1.1 400 Bad Request
a request line with two spaces: HTTP/1.1 400 Bad Request
HTTP 2: HTTP/1.1 505 HTTP Version Not Supported
a head of 9,000 bytes: HTTP/1.1 431 Request Header Fields Too Large
an endless head: HTTP/1.1 431 Request Header Fields Too Large

# Pipelined requests are answered in order; HTTP/1.0 ends the connection.
$ cat > raw <<'EOF'
> # raw REQUEST: the bytes of a response, without carriage returns
> exec 3<> /dev/tcp/$(sed 's/.*\///; s/:/\//' address)
> printf "$1" >&3; tr -d '\r' <&3
> EOF
$ bash raw 'GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\nHEAD /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\nGET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' | grep -v '^Content'
HTTP/1.1 200 OK

{"live":true}
HTTP/1.1 200 OK

HTTP/1.1 404 Not Found
Connection: close

{"error":"no route matches the path","hint":"GET /openapi.json lists all routes"}
$ bash raw 'POST /predict HTTP/1.0\r\nContent-Length: 4\r\n\r\nwin\n' | head -n 2
HTTP/1.1 200 OK
Content-Type: application/x-ndjson
$ bash raw 'POST /predict HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 4\r\n\r\nwin\n' | head -n 3
HTTP/1.1 100 Continue

HTTP/1.1 200 OK

# The access log has a line of JSON per request.
$ ./stop; head -n 1 access.json; python3 -c 'import json; lines = [json.loads(l) for l in open("access.json")]; print(sorted({l["status"] for l in lines}), all(l["seconds"] >= 0 for l in lines))'
{"time":"20*Z","client":"127.0.0.1","method":"GET","path":"/v2/health/live","status":200,"received":0,"sent":14,"rows":0,"seconds":0.*} (glob)
[200, 400, 404, 405, 415, 431, 499, 505] True

# Tokens: needed for another address, checked on every route but health.
$ cleave serve spam.model --listen 0.0.0.0:0
cleave: 0.0.0.0:0: an address that other machines can reach requires a token
hint: pass --token-file, or listen on 127.0.0.1 behind a proxy
? 2
$ echo short > token; cleave serve spam.model --token-file token
token: expected a token of 16 to 1022 bytes in the first line
hint: head -c 24 /dev/urandom | base64 prints a token
? 1
$ echo 0123456789abcdef > token; ./start spam.model --listen 0.0.0.0:0 --token-file token; sed -i 's/0.0.0.0/127.0.0.1/' address
$ ./get /v2/health/ready; ./get /predict -d '1 1:1'; ./get /predict -d '1 1:1' -H 'Authorization: Bearer 0123456789abcdeF'
200 application/json
{"ready":true}
401 application/json
{"error":"the token is missing or incorrect","hint":"send the header 'Authorization: Bearer TOKEN'"}
401 application/json
{"error":"the token is missing or incorrect","hint":"send the header 'Authorization: Bearer TOKEN'"}
$ ./get /predict -d '1 1:1' -H 'Authorization: Bearer 0123456789abcdef' | head -n 1; ./stop
200 application/x-ndjson

# Limits of time and size.
$ ./start spam.model --listen 127.0.0.1:0 --max-body 1 --header-seconds 1 --request-seconds 1 --idle-seconds 1
$ bash raw 'GET / HTTP/1.1\r\nHost' | head -n 1; bash raw 'POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1' | head -n 1; bash raw '' | wc -c
HTTP/1.1 408 Request Timeout
HTTP/1.1 408 Request Timeout
0
$ (printf '1'; head -c 1500000 /dev/zero | tr '\0' ' ') | ./get /predict --data-binary @- -H Expect:; ./stop
413 application/json
{"error":"a row of the request is too large","hint":"raise the limit with --max-body"}

# A Unix socket, which is removed at the end.
$ ./start a=spam.model b=mail.model --socket here; cat out; [ -S here ] && curl -s --unix-socket here http://x/predict?model=b -d 'win'
Serving 2 models at unix:here.
{"row":1,"label":"*","score":*} (glob)
$ cleave serve spam.model --socket here
here: another server uses this socket
? 1
$ ./stop; ls | grep -x here
? 1
$ cleave serve spam.model --socket spam.model
spam.model: the file exists and is not a socket
? 1

# The page, without a token.
$ printf '<!DOCTYPE html>\n<title>page</title>\n' > page.html; ./start spam.model --listen 127.0.0.1:0 --page page.html --token-file token
$ ./get /; ./get '/?x=1' | head -n 1; ./get / -X POST -d x | head -n 1; curl -s -I "$(cat address)/" | grep -i length | tr -d '\r'; ./stop
200 text/html; charset=utf-8
<!DOCTYPE html>
<title>page</title>
200 text/html; charset=utf-8
405 application/json
Content-Length: 36
$ ./start spam.model --listen 127.0.0.1:0; ./get /; ./stop
404 application/json
{"error":"the server has no page","hint":"start it with --page FILE"}
$ cleave serve spam.model --listen 127.0.0.1:0 --page nothing.html
nothing.html: *No such file or directory* (glob)
? 1
$ : > empty.html; cleave serve spam.model --listen 127.0.0.1:0 --page empty.html
empty.html: expected an HTML file of 1 byte to 64 MB
hint: 'make web' writes build/web/cleave.html
? 1

# SIGTERM during a request: the response is complete.
$ ./start mail.model --listen 127.0.0.1:0; (head -n 100 mail.tsv; sleep 1.5; tail -n 200 mail.tsv) | curl -s -T - -X POST -H 'Content-Type: text/plain' "$(cat address)/predict" > got & sleep 0.7; kill -TERM $(cat process); wait %1; wc -l < got; ./stop
300

# Usage.
$ cleave serve spam.model spam.model
cleave: two models have the name 'spam'
hint: specify different names: NAME=PATH
? 2
$ cleave serve 'a b=spam.model'
cleave: the name 'a b' of a model has characters other than letters, digits, '-', '_' and '.'
hint: specify a name: NAME=PATH
? 2
$ cleave serve table.csv
table.csv: the file is not a cleave model; * (glob)
hint: * (glob)
? 1
$ cleave serve spam.model --listen 127.0.0.1
cleave: --listen: expected HOST:PORT, found '127.0.0.1'
? 2
$ cleave serve spam.model --listen 127.0.0.1:0 --socket here
cleave: --listen HOST:PORT and --socket PATH cannot be combined
? 2
