# A page of two classes: what it holds, and the same bytes for the same input, whatever the number of threads.
$ cleave train logistic @spam6 -o spam.model -q; cleave test spam.model @spam6 --report spam.html
error 0.00 %, accuracy 100.00 %: 0 of 6 rows wrong
with 95 % confidence the error is between 0.00 % and 39.30 %
'+1': precision 1.0000, recall 1.0000, F1 1.0000
ROC area 1.0000, PR area 1.0000, log loss 0.4116, Brier score 0.1138
report written to spam.html
$ cleave test spam.model @spam6 --report again.html --threads 2 -q > /dev/null; cmp spam.html again.html
$ grep -o '<h[123]>[^<]*' spam.html
<h1>logistic on @spam6
<h2>Measures
<h2>Classes
<h2>Which class is taken for which
<h2>Scores and thresholds
<h3>ROC curve
<h3>Precision and recall
<h3>Other thresholds
<h3>Scores by class
<h3>Are probabilities to be believed?
<h2>What the model goes by
$ grep -o '<p class="verdict[^<]*' spam.html
<p class="verdict good">Wrong on 0.00 % of 6 rows (95 % interval: 0.00 % to 39.30 %). The answer &#39;+1&#39; to all would be wrong on 50.00 %: the model is surely better than that.
$ grep -A1 '<tr data-all' spam.html
<tr data-all="3"><th scope="row" class="t">+1</th><td class="r" style="--a:0.65">3</td><td></td></tr>
<tr data-all="3"><th scope="row" class="t">-1</th><td></td><td class="r" style="--a:0.65">3</td></tr>
</tbody>
# What is drawn, of which series.
$ sed -n 's/.*<script type="application.json">//p' spam.html | grep -o '"x":"[^"]*"\|"name":"[^"]*"\|"text":"[^"]*"'
"x":"false positive rate"
"name":"+1 (1.000)"
"name":"chance"
"x":"recall"
"name":"+1 (1.000)"
"name":"chance (share of the class)"
"x":"threshold (score of the model)"
"name":"precision"
"name":"recall"
"name":"F1"
"text":"own"
"text":"best F1"
"x":"score of the model"
"name":"+1"
"name":"-1"
"text":"threshold"
"x":"probability the model says (positive class)"
"name":"model"
"name":"as it should be"
# Nothing is fetched: no address at all but in Chart.js and names of namespaces, and the policy of the page forbids it.
$ grep -c 'Content-Security-Policy.*default-src .none.' spam.html; grep -o '\(src\|href\)="[^"]*"' spam.html
1
href="data:,"
# Names that are HTML, or end a script, are text.
$ printf 'x,y,kind\n1,0,</script><b>\n0,1,a&"b"\n2,0,</script><b>\n0,2,a&"b"\n' > nasty.csv; cleave train perceptron nasty.csv --label kind -o nasty.model -q; cleave test nasty.model nasty.csv --label kind --report nasty.html -q | tail -n 1
report written to nasty.html
$ grep -c '</script><b>' nasty.html; grep -o '&lt;/script&gt;&lt;b&gt;' nasty.html | head -n 1; grep -o 'u003c/script>u003cb>\|.u003c/script>.u003cb>' nasty.html | head -n 1; grep -o 'a&amp;&quot;b&quot;' nasty.html | head -n 1
0
&lt;/script&gt;&lt;b&gt;
\u003c/script>\u003cb>
a&amp;&quot;b&quot;
# Numbers; folds.
$ printf 'x,price\n1,10\n2,21\n3,29\n4,41\n5,50\n6,61\n' > price.csv; cleave train least-squares price.csv --label price -o price.model -q; cleave test price.model price.csv --label price --report price.html -q | tail -n 1
report written to price.html
$ grep -o '<h[123]>[^<]*' price.html; sed -n 's/.*<script type="application.json">//p' price.html | head -n 1 | cut -c 1-120
<h1>least-squares on price.csv
<h2>Measures
<h2>Answers and errors
<h3>Answers against the truth
<h3>How far off
<h2>What the model goes by
{"x":"truth","y":"answer","unitX":false,"unitY":false,"logarithmic":false,"fromZero":false,"series":[{"name":"rows","sty
$ cleave cv perceptron @dogs --folds 3 --report cv.html -q | tail -n 1; grep -o '<h[123]>[^<]*\|<p class="more">[^<]*' cv.html; grep -o '"names":[^]]*' cv.html
report written to cv.html
<h1>perceptron on @dogs
<p class="more">Held-out error is 11.5 points above training error: too unsure to say whether it overfits; more rows would tell, or more --folds and --repeats.
<p class="more">Training had not converged in 3 of 3 folds: more --rounds may do better.
<h2>Measures
<h2>Folds
<h3>Error of each fold
"names":["fold 1","fold 2","fold 3"
# What other kinds of models go by.
$ cleave train kernel-svm @dogs -o kernel.model -q; cleave test kernel.model @dogs --report kernel.html -q > o; grep -o '<caption><span>Its[^<]*' kernel.html; cleave train knn @dogs -o knn.model -q; cleave test knn.model @dogs --report knn.html -q > o; grep -o '<p>It keeps[^<]*' knn.html
<caption><span>Its scores are sums over 9 support vectors, of 10 training rows; these weigh most
<p>It keeps 10 training rows (80 bytes) and answers by the nearest of them, by the distance &#39;euclidean&#39;; cleave explain MODEL DATA --row N shows those that decide an answer.
# --json has its own standard output.
$ cleave test spam.model @spam6 --report j.html --json -q | grep -o '"report":"[^"]*"'; cmp j.html spam.html
"report":"j.html"
# A page is written whole or not at all, and never over an input.
$ cleave test spam.model @spam6 --report spam.model
cleave: --report 'spam.model' is also an input, and an input is never written: name another file
? 2
$ cleave test nasty.model nasty.csv --label kind --report ./nasty.csv
cleave: --report './nasty.csv' is also an input, and an input is never written: name another file
? 2
$ cleave test spam.model @spam6 --report no/where.html
no/where.html: cannot be written: No such file or directory
? 1
# It is a page, under whatever name: one that says something else is refused.
$ cleave test spam.model @spam6 --report x.pdf; ls x.pdf
cleave: --report writes a web page: expected a name that ends in .html, found '.pdf'
  try --report x.html; a browser prints it as PDF
ls: cannot access 'x.pdf': No such file or directory
? 2
$ mkdir 'of dogs.v2'; cleave cv perceptron @dogs --folds 2 --report 'of dogs.v2/x y.svg'; cleave cv perceptron @dogs --folds 2 --report 'of dogs.v2/page' -q | tail -n 1; cleave cv perceptron @dogs --folds 2 --report page.HTM -q | tail -n 1
cleave: --report writes a web page: expected a name that ends in .html, found '.svg'
  try --report 'of dogs.v2/x y.html'
report written to of dogs.v2/page
report written to page.HTM
$ cleave test spam.model @spam6 --report -
cleave: --report needs the name of a file, such as report.html: standard output has the results
? 2
$ cleave test spam.model nothing.csv --report none.html; ls none.html
nothing.csv: cannot be opened: No such file or directory
ls: cannot access 'none.html': No such file or directory
? 2
$ cleave cv perceptron @dogs --report .
.: cannot be written: it is a folder
? 1

# Rows of one class; rows of three classes, one of them with a higher error.
$ cleave train logistic @dogs -o dogs.model -q; printf 'Beagle 1:8 2:5\nBeagle 1:9 2:6\n' > only.libsvm; cleave test dogs.model only.libsvm --report only.html -q > o; grep -c 'class="verdict unsure".*Beagle' only.html
1
$ printf 'Beagle 1:8 2:5\nBeagle 1:5 2:2\nDachshund 1:5 2:4\nChihuahua 1:4 2:1\nChihuahua 1:9 2:6\nChihuahua 1:8 2:6\n' > some.libsvm; cleave test dogs.model some.libsvm --report some.html -q > o; grep -o 'class="more">[^<]*' some.html | grep -c 'Chihuahua.*Beagle'
1
