# POST /explain and POST /search: the lines are those of `cleave explain --json` and `cleave search --json`.
% curl
$ cleave generate spam --rows 300 -o mail.tsv -q; cleave train logistic mail.tsv -o mail.model -q; cleave train knn mail.tsv -o near.model -q
$ printf 'size,color,kind\n1,red,a\n2,blue,b\n3,red,a\n4,,b\n5,blue,c\n' > table.csv; cleave train tree table.csv --label kind --min-leaf-rows 1 -o tree.model -q; cleave train lms @line4 -o line.model -q
$ printf 'id,city,x,y\np,Bonn,0,0\nq,Bonn,3,0\nr,Ulm,0,4\n' > points.csv; cut -d, -f 3,4 points.csv > xy.csv; cut -d, -f 1,2 points.csv > facts.csv; cut -d, -f 1 points.csv | tail -n +2 > ids
$ cleave index xy.csv --label none --transform none --metadata facts.csv --ids ids -o points.model -q
$ cleave serve mail.model near.model tree.model line.model points.model --socket socket --access-log log > out 2> err & echo $! > process; for ((i = 0; i < 200; i++)); do [[ -s out ]] && break; sleep 0.05; done; cat err
$ cat > get <<'EOF'
> curl -s --unix-socket socket "http://x$1" "${@:2}"
> EOF
$ chmod +x get

# Explanations of a linear model, of neighbors, of a tree and of a regression, as lines and as an array.
$ head -n 20 mail.tsv > some.tsv; for i in {1..20}; do cleave explain mail.model some.tsv --row $i --json; done > want; ./get /explain -H 'Content-Type: text/plain' --data-binary @some.tsv | cmp - want
$ for i in {1..20}; do cleave explain near.model some.tsv --row $i --json; done > want; ./get '/explain?model=near' -H 'Content-Type: text/plain' --data-binary @some.tsv | cmp - want
$ for i in {1..5}; do cleave explain tree.model table.csv --row $i --json; done > want; ./get '/explain?model=tree' -H 'Content-Type: text/csv' --data-binary @table.csv | cmp - want
$ printf '? 1:2\n' > one.libsvm; cleave explain line.model one.libsvm --row 1 --json > want; ./get '/explain?model=line' -H 'Accept: text/csv' --data-binary @one.libsvm | cmp - want
$ ./get /explain -H 'Content-Type: text/plain' -H 'Accept: application/json' --data-binary @some.tsv | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))'
20
$ echo '{"size":null,"color":"red"}' | ./get '/explain?model=tree' -H 'Content-Type: application/x-ndjson' --data-binary @- | grep -o '"prediction":{"label":"[a-c]"'
"prediction":{"label":"a"

# Neighbors, with the options of the command as parameters.
$ cleave search near.model some.tsv --json > want; ./get '/search?model=near' -H 'Content-Type: text/plain' --data-binary @some.tsv | cmp - want
$ cleave search near.model some.tsv --k 3 --only-labels spam --only-rows 5-250 --json > want; ./get '/search?k=3&only-labels=spam&model=near&only-rows=5-250' -H 'Content-Type: text/plain' --data-binary @some.tsv | cmp - want
$ cleave search points.model xy.csv --radius 3.5 --where city=Bonn --show city --json > want; cat want; ./get '/search?model=points&radius=3.5&where=city%3DBonn&show=city' -H 'Content-Type: text/csv' --data-binary @xy.csv | cmp - want
{"query":0,"neighbors":[{"row":0,"distance":0,"label":null,"id":"p","metadata":{"city":"Bonn"}},{"row":1,"distance":3,"label":null,"id":"q","metadata":{"city":"Bonn"}}]}
{"query":1,"neighbors":[{"row":1,"distance":0,"label":null,"id":"q","metadata":{"city":"Bonn"}},{"row":0,"distance":3,"label":null,"id":"p","metadata":{"city":"Bonn"}}]}
{"query":2,"neighbors":[]}
$ printf '[0,1]\n{"y":5,"x":0}\n' | ./get '/search?model=points&k=1' -H 'Content-Type: application/x-ndjson' -H 'Accept: application/json' --data-binary @-
[{"query":0,"neighbors":[{"row":0,"distance":1,"label":null,"id":"p"}]},
{"query":1,"neighbors":[{"row":2,"distance":1,"label":null,"id":"r"}]}]

# A body in chunks: rows are numbered across pieces.
$ for i in {1..40}; do cat mail.tsv; done > long.tsv; cleave search near.model long.tsv --k 1 --json > want; ./get '/search?model=near&k=1' -X POST -T - -H 'Content-Type: text/plain' < long.tsv | cmp - want
$ head -n 3000 long.tsv > part.tsv; ./get /explain -X POST -T - -H 'Content-Type: text/plain' < part.tsv | sed -n '1p;301p;2701p' | uniq | wc -l
1

# Errors. The server does not read files that a client names.
$ ./get '/search?model=mail' -d x; ./get '/search?model=near&kk=2' -d x; ./get '/search?model=near&k=x' -d x; ./get '/search?model=near&k=2000' -d x; ./get '/search?model=near&k=%zz' -d x; ./get '/search?model=near&where=%00' -d x
{"error":"expected a model with stored training points, found a model of 'logistic'","hint":"use 'cleave index DATA -o MODEL' or 'cleave train knn' to create one"}
{"error":"the query has an unknown parameter 'kk'","hint":"GET /openapi.json lists the parameters"}
{"error":"--k: expected a whole number of at least 0, found 'x'","hint":"Number of neighbors."}
{"error":"--k 2000: the value must be at most the number of points, 300","hint":"use --k 300 to find all points"}
{"error":"the request target is malformed"}
{"error":"the request target is malformed"}
$ echo 3 > rows.txt; ./get "/search?model=near&only-rows=$PWD/rows.txt" -d x; ./get "/search?model=near&only-rows=" -d x; ./get '/search?model=points&box=x=0..1' -d x
{"error":"only-rows: expected rows such as 3,7-9"}
{"error":"--only-rows: expected rows such as 3,7-9, found none"* (glob)
{"error":"the query has an unknown parameter 'box'","hint":"GET /openapi.json lists the parameters"}
$ ./get /explain -X POST; ./get '/explain?model=none' -d x; ./get '/explain?model=tree' -H 'Content-Type: text/csv' -d 'size,color'
{"error":"the request has no rows","hint":"send at least one row"}
{"error":"the server has no model of this name","hint":"GET /v2 lists the models"}
{"error":"the request has no rows","hint":"send at least one row"}
$ kill $(cat process); for ((i = 0; i < 200; i++)); do [[ -S socket ]] || break; sleep 0.05; done; cat err
