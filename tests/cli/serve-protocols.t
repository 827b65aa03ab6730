# The Open Inference Protocol, MLflow's protocol, metrics and the description of the routes.
% curl
$ printf 'size,color,kind\n1,red,a\n2,blue,b\n3,red,a\n4,,b\n5,blue,b\n' > table.csv; cleave train svm table.csv --label kind -o table.model -q
$ cleave generate spam --rows 300 -o mail.tsv -q; cleave train logistic mail.tsv -o mail.model -q
$ cleave train perceptron @spam6 -o spam.model -q; cleave train lms @line4 -o line.model -q
$ cleave serve table.model mail.model spam.model line.model --socket socket > out 2> err & echo $! > process; for ((i = 0; i < 200; i++)); do [[ -s out ]] && break; sleep 0.05; done; cat out err
Serving 4 models at unix:socket.
$ cat > get <<'EOF'
> # get PATH [BODY]: the content of a response
> curl -s --unix-socket socket "http://x$1" ${2+-H 'Content-Type: application/json' -d "$2"}
> EOF
$ chmod +x get

# Metadata.
$ ./get /v2 | sed 's/"version":"[0-9.]*"/"version":V/'
{"name":"cleave","version":V,"extensions":[],"models":["table","mail","spam","line"]}
$ ./get /v2/models/table; ./get /v2/models/mail/versions/1; ./get /v2/models/spam; ./get /v2/models/line
{"name":"table","versions":["1"],"platform":"svm","inputs":[{"name":"size","datatype":"FP64","shape":[-1]},{"name":"color","datatype":"BYTES","shape":[-1]}],"outputs":[{"name":"label","datatype":"BYTES","shape":[-1]},{"name":"scores","datatype":"FP64","shape":[-1,1]}],"parameters":{"labels":["a","b"]}}
{"name":"mail","versions":["1"],"platform":"logistic","inputs":[{"name":"text","datatype":"BYTES","shape":[-1]}],"outputs":[{"name":"label","datatype":"BYTES","shape":[-1]},{"name":"scores","datatype":"FP64","shape":[-1,1]},{"name":"probabilities","datatype":"FP64","shape":[-1,2]}],"parameters":{"labels":["ham","spam"]}}
{"name":"spam","versions":["1"],"platform":"perceptron","inputs":[{"name":"features","datatype":"FP32","shape":[-1,5]}],"outputs":[{"name":"label","datatype":"BYTES","shape":[-1]},{"name":"scores","datatype":"FP64","shape":[-1,1]}],"parameters":{"labels":["+1","-1"]}}
{"name":"line","versions":["1"],"platform":"lms","inputs":[{"name":"features","datatype":"FP32","shape":[-1,1]}],"outputs":[{"name":"number","datatype":"FP64","shape":[-1]}]}
$ ./get /v2/models/table/ready; ./get /v2/models/table/versions/1/ready; ./get /v2/models/none; ./get /v2/models/table/versions/2
{"name":"table","ready":true}
{"name":"table","ready":true}
{"error":"the server has no model of this name","hint":"GET /v2 lists the models"}
{"error":"the model has no such version","hint":"GET /v2/models/NAME returns the version"}

# Tensors: one per column, or one for all; flat or nested. Labels and scores are those of `predict`.
$ head -n 3 table.csv > two.csv; cleave predict table.model two.csv --scores | tr '\t\n' '  '
a -1.0000000429599258 b 0.9999999851653222 
$ ./get /v2/models/table/infer '{"id":"x1","parameters":{},"inputs":[{"name":"size","shape":[2],"datatype":"FP64","data":[1,2]},{"name":"color","shape":[2,1],"datatype":"BYTES","data":[["red"],["blue"]]}]}'
{"model_name":"table","model_version":"1","id":"x1","outputs":[{"name":"label","datatype":"BYTES","shape":[2],"data":["a","b"]},{"name":"scores","datatype":"FP64","shape":[2,1],"data":[-1.0000000429599258,0.9999999851653222]}]}
$ ./get /v2/models/table/versions/1/infer '{"inputs":[{"data":[[1,"red"]],"name":"x","shape":[1,2],"datatype":"FP64"}]}'
{"model_name":"table","model_version":"1","outputs":[{"name":"label","datatype":"BYTES","shape":[1],"data":["a"]},{"name":"scores","datatype":"FP64","shape":[1,1],"data":[-1.0000000429599258]}]}
$ ./get /v2/models/mail/infer '{"inputs":[{"name":"text","shape":[2],"datatype":"BYTES","data":["win money","hello\nyou"]}]}' | sed 's/[0-9.]\{6,\}/N/g'
{"model_name":"mail","model_version":"1","outputs":[{"name":"label","datatype":"BYTES","shape":[2],"data":["spam","ham"]},{"name":"scores","datatype":"FP64","shape":[2,1],"data":[N,-N]},{"name":"probabilities","datatype":"FP64","shape":[2,2],"data":[N,N,N,N]}]}
$ ./get /v2/models/spam/infer '{"inputs":[{"name":"x","shape":[2,3],"datatype":"FP32","data":[1,0,1,0,1,0.5]}]}'
{"model_name":"spam","model_version":"1","outputs":[{"name":"label","datatype":"BYTES","shape":[2],"data":["-1","+1"]},{"name":"scores","datatype":"FP64","shape":[2,1],"data":[0,2]}]}
$ ./get /v2/models/line/infer '{"inputs":[{"name":"x","shape":[1,1],"datatype":"FP32","data":[1]}]}' | sed 's/[0-9.]\{6,\}/N/g'
{"model_name":"line","model_version":"1","outputs":[{"name":"number","datatype":"FP64","shape":[1],"data":[N]}]}

# Invalid tensors.
$ ./get /v2/models/spam/infer '{"inputs":[5]}'; ./get /v2/models/spam/infer '{}'; ./get /v2/models/spam/infer '{"inputs":[]}'; ./get /v2/models/spam/infer '{"inputs":[]}x'; ./get /v2/models/spam/infer '{"inputs":[],"inputs":[]}'
{"error":"expected a tensor, found a number"}
{"error":"the key 'inputs' is missing in the request"}
{"error":"the request has no values"}
{"error":"byte 14 of the JSON: expected the end, found 'x'"}
{"error":"the key 'inputs' occurs twice in the request"}
$ tensor() { ./get /v2/models/${2-spam}/infer "{\"inputs\":[$1]}"; }; tensor '{"name":"x","shape":[2,3],"datatype":"FP32","data":[1]}'; tensor '{"name":"x","shape":[0],"datatype":"FP32","data":[]}'; tensor '{"name":"x","shape":[1,1,1],"datatype":"FP32","data":[1]}'; tensor '{"name":"x","shape":[1],"datatype":"FP31","data":[1]}'; tensor '{"name":"x","shape":[1],"datatype":"FP32","data":["a"]}'; tensor '{"name":"x","shape":[1],"datatype":"FP32"}'; tensor '{"name":"x","shape":[1],"datatype":"FP32","data":[{}]}'; tensor '{"name":"text","shape":[1],"datatype":"FP32","data":[1]}' mail; tensor '{"name":"size","shape":[1],"datatype":"FP32","data":[1]}' table
{"error":"the shape of a tensor has 6 values, but its data has 1"}
{"error":"byte 3 of the JSON: expected a positive number of rows or columns, found ']'"}
{"error":"expected a shape of [rows] or [rows, columns]"}
{"error":"the type of a tensor is unknown"}
{"error":"expected a number, found a string"}
{"error":"the key 'data' is missing in a tensor"}
{"error":"byte 3 of the JSON: expected a value or an array, found '}]'"}
{"error":"the model predicts from text: expected the type BYTES"}
{"error":"the column 'color' is missing in the request"}

# MLflow.
$ for body in '{"dataframe_split":{"columns":["color","size"],"data":[["red",1],["blue",2]]}}' '{"dataframe_split":{"index":[0],"data":[[1,"red"]],"columns":[0,1]}}' '{"dataframe_records":[{"size":1,"color":"red"},{"color":null,"size":2}]}' '{"instances":[{"size":1,"color":"red"}]}' '{"inputs":{"size":[1,2],"color":["red","blue"]}}' '{"inputs":[[1,"red"]],"params":{}}'; do ./get /invocations "$body"; done
{"predictions":["a","b"]}
{"predictions":["a"]}
{"predictions":["a","b"]}
{"predictions":["a"]}
{"predictions":["a","b"]}
{"predictions":["a"]}
$ curl -s --unix-socket socket http://x/invocations -H 'Content-Type: text/csv' --data-binary @table.csv
{"predictions":["a","b","a","b","b"]}
$ for body in '{"inputs":5}' '{"a":1}' '{"instances":[],"inputs":[]}' '{"instances":[]}' '{"dataframe_split":{"columns":["color"]}}' '{"dataframe_split":{"columns":["color","size"],"data":[["red"]]}}' '{"inputs":{"size":[1,2],"color":["red"]}}' '[1' ''; do ./get /invocations "$body"; done
{"error":"byte 1 of the JSON: expected an object, found '5'"}
{"error":"expected one of dataframe_split, dataframe_records, instances and inputs"}
{"error":"expected one of dataframe_split, dataframe_records, instances and inputs"}
{"error":"the request has no rows"}
{"error":"dataframe_split requires 'columns' and 'data'"}
{"error":"row 1: expected 2 values, found 1"}
{"error":"the columns have 2 and 1 values"}
{"error":"byte 1 of the JSON: expected an object, found '[1'"}
{"error":"byte 1 of the JSON: expected a value, found ''"}

# Metrics.
$ ./get /metrics | grep -E '^cleave_(requests|predictions)_total|_count.*"/invocations"'
cleave_requests_total{method="POST",route="/invocations",status="2xx"} 7
cleave_requests_total{method="POST",route="/invocations",status="4xx"} 9
cleave_requests_total{method="GET",route="/v2",status="2xx"} 1
cleave_requests_total{method="GET",route="/v2/models/{model}",status="2xx"} 3
cleave_requests_total{method="GET",route="/v2/models/{model}",status="4xx"} 1
cleave_requests_total{method="GET",route="/v2/models/{model}/versions/{version}",status="2xx"} 1
cleave_requests_total{method="GET",route="/v2/models/{model}/versions/{version}",status="4xx"} 1
cleave_requests_total{method="GET",route="/v2/models/{model}/ready",status="2xx"} 1
cleave_requests_total{method="GET",route="/v2/models/{model}/versions/{version}/ready",status="2xx"} 1
cleave_requests_total{method="POST",route="/v2/models/{model}/infer",status="2xx"} 4
cleave_requests_total{method="POST",route="/v2/models/{model}/infer",status="4xx"} 14
cleave_requests_total{method="POST",route="/v2/models/{model}/versions/{version}/infer",status="2xx"} 1
cleave_request_seconds_count{method="POST",route="/invocations"} 16
cleave_predictions_total{model="table"} 17
cleave_predictions_total{model="mail"} 2
cleave_predictions_total{model="spam"} 2
cleave_predictions_total{model="line"} 1

# The description has every route.
$ ./get /openapi.json | python3 -c 'import json, sys; paths = json.load(sys.stdin)["paths"]; print(len(paths), sorted(paths)[0], sorted(paths["/predict"]["post"]["requestBody"]["content"]))'
18 / ['application/x-ndjson', 'text/csv', 'text/plain', 'text/x-libsvm']
$ kill $(cat process); for ((i = 0; i < 200; i++)); do [[ -S socket ]] || break; sleep 0.05; done; cat err
