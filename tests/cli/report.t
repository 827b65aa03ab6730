# A report of binary classification: its content, and the same bytes for any number of threads.
$ cleave train logistic @spam6 -o spam.model -q; cleave test spam.model @spam6 --report spam.html
Error 0.00% (0 * 6 *, 95% * 0.00% * 39.30%), * 100.00%. (glob)
Class '+1': * 1.0000, * 1.0000, * 1.0000. (glob)
ROC AUC 1.0000, average precision 1.0000, log loss 0.4116, Brier score 0.1138.
Report * spam.html. (glob)
$ cleave test spam.model @spam6 --report again.html --threads 2 -q > /dev/null; cmp spam.html again.html
# The page holds the JSON of --json, without times; report.js builds the page from it (tests/browser/report).
$ sed -n '/id="result"/{n;p}' spam.html > page.json; cleave test spam.model @spam6 --report x.html --json | sed 's/,"read_seconds".*/}/' | cmp - page.json
$ grep -o '"\(curves\|calibration\|histogram\|model\|importance\)":' page.json; grep -o '"importance":{"by":"weight","features":.{"feature":"[^"]*"' page.json
"curves":
"calibration":
"histogram":
"model":
"importance":
"importance":{"by":"weight","features":[{"feature":"nigeria"
$ grep -o 'id="call">.*"colors":..#0072b2' spam.html | sed 's/"version":"[^"]*","library":"[^"]*"/.../'
id="call">{"verb":"test",...,"colors":["#0072b2
# The page is self-contained: addresses occur only in Chart.js and as namespaces, and the policy of the page forbids requests.
$ grep -c 'Content-Security-Policy.*default-src .none.' spam.html; grep -o '\(src\|href\)="[^"]*"' spam.html
1
href="data:,"
# Names that are HTML, or end a script, are text.
$ printf 'x,y,kind\n1,0,</script><b>\n0,1,a&"b"\n2,0,</script><b>\n0,2,a&"b"\n' > nasty.csv; cleave train perceptron nasty.csv --label kind -o nasty.model -q; cleave test nasty.model nasty.csv --label kind --report nasty.html -q | tail -n 1
Report * nasty.html. (glob)
$ grep -c '</script><b>' nasty.html; grep -o '.u003c/script>.u003cb>' nasty.html | head -n 1
0
\u003c/script>\u003cb>
# Regression; folds.
$ printf 'x,price\n1,10\n2,21\n3,29\n4,41\n5,50\n6,61\n' > price.csv; cleave train least-squares price.csv --label price -o price.model -q; cleave test price.model price.csv --label price --report price.html -q | tail -n 1
Report * price.html. (glob)
$ sed -n '/id="result"/{n;p}' price.html | grep -o '"predictions":{"target":.[0-9,]*\|"histogram":'
"histogram":
"predictions":{"target":[10,21,29,41,50,61
$ cleave cv perceptron @dogs --folds 3 --report cv.html -q | tail -n 1; grep -o '"fold_results":.{"repeat":1,"fold":1' cv.html; grep -o '"arguments":.*"options":{[^}]*}' cv.html
Report * cv.html. (glob)
"fold_results":[{"repeat":1,"fold":1
"arguments":["perceptron","@dogs"],"options":{"folds":"3"}
# Other kinds of models.
$ cleave train kernel-svm @dogs -o kernel.model -q; cleave test kernel.model @dogs --report kernel.html -q > o; grep -o '"support_vector_count":9,"support_vectors":' kernel.html; cleave train knn @dogs -o knn.model -q; cleave test knn.model @dogs --report knn.html -q > o; grep -o '"points":10,"distance":"euclidean"' knn.html; cleave train tree @dogs -o tree.model -q; cleave test tree.model @dogs --report tree.html -q > o; grep -o '"importance":{"by":"gain"' tree.html
"support_vector_count":9,"support_vectors":
"points":10,"distance":"euclidean"
"importance":{"by":"gain"
$ cleave test tree.model @dogs --report p.html --permutation -q > o; grep -o '"by":"permutation","features":.{"feature":"[a-z]*","value":[0-9.]*' p.html | cut -c 1-70; cleave test tree.model @dogs --permutation
"by":"permutation","features":[{"feature":"height","value":0.533333333
cleave: --permutation adds feature importance to the report: add --report FILE.html
? 2
# --json still writes to standard output.
$ cleave test spam.model @spam6 --report j.html --json -q | grep -o '"report":"[^"]*"'; cmp j.html spam.html
"report":"j.html"
# A page is written completely or not at all, and never over an input.
$ cleave test spam.model @spam6 --report spam.model
cleave: --report 'spam.model' * (glob)
? 2
$ cleave test nasty.model nasty.csv --label kind --report ./nasty.csv
cleave: --report './nasty.csv' * (glob)
? 2
$ cleave test spam.model @spam6 --report no/where.html
no/where.html: * written: No such file or directory (glob)
? 1
# The name of a report must end in .html.
$ cleave test spam.model @spam6 --report x.pdf; ls x.pdf
cleave: --report writes a web page: expected a name that ends in .html, found '.pdf'
hint: try --report x.html; a browser can print it as PDF
ls: * 'x.pdf': * (glob)
? 2
$ mkdir 'of dogs.v2'; cleave cv perceptron @dogs --folds 2 --report 'of dogs.v2/x y.svg'; cleave cv perceptron @dogs --folds 2 --report 'of dogs.v2/page' -q | tail -n 1; cleave cv perceptron @dogs --folds 2 --report page.HTM -q | tail -n 1
cleave: --report * .html, * '.svg' (glob)
hint: try --report 'of dogs.v2/x y.html'
Report written to of dogs.v2/page.
Report * page.HTM. (glob)
$ cleave test spam.model @spam6 --report -
cleave: --report * report.html: * (glob)
? 2
$ cleave test spam.model nothing.csv --report none.html; ls none.html
nothing.csv: * opened: No such file or directory (glob)
ls: * 'none.html': * (glob)
? 2
$ cleave cv perceptron @dogs --report .
.: cannot be written: it is a folder
? 1
