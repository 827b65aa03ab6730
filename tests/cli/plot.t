# The JSON of plots.
$ cleave train knn @dogs --k 3 -o dogs.model -q
$ cleave plot confusion dogs.model @dogs --json
{"kind":"confusion","title":"Confusion matrix of knn","subtitle":"0 of 10 rows misclassified, error 0.00% (95% confidence interval 0.00% to 27.75%)","output":null,"width":800,"height":600,"classes":[],"panels":[{"title":"","x":{"title":"predicted class","logarithmic":false},"y":{"title":"true class","logarithmic":false},"series":[],"matrix":{"rows":["Beagle","Chihuahua","Dachshund"],"columns":["Beagle","Chihuahua","Dachshund"],"counts":[[4,0,0],[0,3,0],[0,0,3]]}}],"warnings":[]}
$ cleave train perceptron @spam6 -o spam.model -q
$ cleave plot roc spam.model @spam6 --json
{"kind":"roc","title":"ROC curve of perceptron","subtitle":"6 rows, ROC AUC 1.0000 (too few rows for an interval)","output":null,"width":800,"height":600,"classes":[],"panels":[{"title":"","x":{"title":"false positive rate","logarithmic":false,"low":0,"high":1},"y":{"title":"true positive rate (recall)","logarithmic":false,"low":0,"high":1},"series":[{"name":"chance","style":"reference","color":0,"x":[0,1],"y":[0,1]},{"name":"+1 (1.000)","style":"line","color":0,"x":[0,0,0,1],"y":[0,0.6666666666666666,1,1]},{"name":"threshold of the model","style":"marks","color":6,"x":[0],"y":[1]}]}],"warnings":[]}
$ cleave plot pr spam.model @spam6 --json
{"kind":"pr","title":"Precision-recall curve of perceptron","subtitle":"6 rows, average precision 1.0000 (too few rows for an interval)","output":null,"width":800,"height":600,"classes":[],"panels":[{"title":"","x":{"title":"recall","logarithmic":false,"low":0,"high":1},"y":{"title":"precision","logarithmic":false,"low":0,"high":1},"series":[{"name":"chance","style":"reference","color":0,"x":[0,1],"y":[0.5,0.5]},{"name":"+1 (1.000)","style":"steps","color":0,"x":[0,0.6666666666666666,1,1],"y":[1,1,0.5,0.5]},{"name":"threshold of the model","style":"marks","color":6,"x":[1],"y":[1]}]}],"warnings":[]}
$ cleave plot regions dogs.model @dogs --cells 4 --json
{"kind":"regions","title":"Decision regions of knn","subtitle":"10 points, 0 of 10 labeled points misclassified","output":null,"width":800,"height":600,"classes":["Chihuahua","Dachshund","Beagle"],"panels":[{"title":"","x":{"title":"height","logarithmic":false},"y":{"title":"weight","logarithmic":false},"series":[{"name":"Chihuahua","style":"marks","color":0,"x":[5,4,6],"y":[2,1,2],"misclassified":[false,false,false]},{"name":"Dachshund","style":"marks","color":1,"x":[5,6,4],"y":[4,5,6],"misclassified":[false,false,false]},{"name":"Beagle","style":"marks","color":2,"x":[8,9,10,8],"y":[5,6,7,8],"misclassified":[false,false,false,false]}],"field":{"box":[3.0799999999999996,0.5800000000000001,10.92,8.42],"columns":4,"rows":3,"of_classes":true,"cells":[0,0,0,2,1,1,2,2,1,1,2,2]}}],"warnings":[]}
$ printf 'a 1:0 2:0.5\nb 1:4 2:0\na 1:0 2:4\nb 1:4 2:4\n' > four.libsvm; cleave plot voronoi four.libsvm --json | tr '{' '\n' | grep -o '"x":[^c]*"class":"[ab]"'
"x":0,"y":0.5,"class":"a"
"x":0,"y":4,"class":"a"
"x":4,"y":0,"class":"b"
"x":4,"y":4,"class":"b"
$ cleave plot rules @peak7 --json | tr '{' '\n' | grep -c '"style":"line"'
6
$ cleave plot curve perceptron @spam6 --validation-fraction 0.5 --epochs 3 --json
{"kind":"curve","title":"Learning curve of perceptron","subtitle":"2 training and 4 held-out rows; converged after 2 epochs","output":null,"width":1000,"height":500,"classes":[],"panels":[{"title":"error","x":{"title":"epochs","logarithmic":false},"y":{"title":"error rate (%)","logarithmic":false},"series":[{"name":"training rows","style":"both","color":0,"x":[1,2],"y":[0,0]},{"name":"held-out rows","style":"both","color":1,"x":[1,2],"y":[25,25]}]},{"title":"objective","x":{"title":"epochs","logarithmic":false},"y":{"title":"objective, per row","logarithmic":false},"series":[{"name":"training rows","style":"both","color":0,"x":[1,2],"y":[0,0]},{"name":"held-out rows","style":"both","color":1,"x":[1,2],"y":[0,0]}]}],"warnings":[]}
$ cleave plot curve logistic @spam6 --validation @spam6 --solver newton --json | grep -o '"y":\[[^]]*' | tail -n 1 | grep -o '[^,]*$' > objective; cleave train logistic @spam6 --validation @spam6 --solver newton --json | grep -o '"primal":[^,]*' | cut -d : -f 2 | cmp - objective
$ cleave plot size knn @dogs --k 1 --repeats 2 --json
{"kind":"size","title":"Error of knn against the number of training rows","subtitle":"3 held-out rows; each size is the mean of 2 samples","output":null,"width":800,"height":600,"classes":[],"panels":[{"title":"","x":{"title":"training rows","logarithmic":true},"y":{"title":"error rate (%)","logarithmic":false,"low":0},"series":[{"name":"training rows","style":"both","color":0,"x":[7],"y":[0]},{"name":"held-out rows, 95% interval","style":"both","color":1,"x":[7],"y":[0],"low":[0],"high":[63.15968501359617]}]}],"warnings":[]}

# Invalid arguments: the hint names a valid alternative.
$ cleave plot
cleave: plot needs KIND ...
hint: see 'cleave plot --help'
? 2
$ cleave plot rox dogs.model @dogs -o x.svg
cleave: unknown plot 'rox'
hint: * 'roc'\? * 'cleave plot --help' * (glob)
? 2
$ cleave plot roc dogs.model -o x.svg
cleave: plot roc needs MODEL DATA...  (see 'cleave plot --help')
? 2
$ cleave plot roc dogs.model @dogs
cleave: plot needs -o FILE.svg, FILE.pdf or FILE.png, --report FILE.html, or --json for the numbers  (see 'cleave plot --help')
? 2
$ cleave plot roc dogs.model @dogs -o x.jpg
cleave: -o 'x.jpg': * .svg, .pdf * .png; --to *, --to * --to * (glob)
? 2
$ cleave plot roc dogs.model @dogs -o x.svg --to gif
cleave: --to: expected svg, pdf or png, found 'gif'
? 2
$ cleave plot roc dogs.model @dogs -o x.svg --size 800
cleave: --size: expected WIDTHxHEIGHT in pixels, such as 800x600, found '800'
? 2
$ cleave plot roc dogs.model @dogs -o x.svg --learning-rate 0.5
cleave: --learning-rate is a training option, and the plot 'roc' does not train a model
? 2
$ cleave plot curve percepton @dogs -o x.svg
cleave: unknown method 'percepton'
hint: * 'perceptron'\? * 'cleave methods' * (glob)
? 2
$ cleave plot curve knn @dogs -o x.svg
cleave: 'knn' * (glob)
hint: * 'cleave plot size knn' * (glob)
? 2
$ cleave plot size knn @dogs --validation @dogs -o x.svg
cleave: plot 'size' holds out its own rows in each repeat: omit --validation
? 2
$ cleave plot regions spam.model @spam6 -o x.svg
cleave: decision regions require a model of 1 or 2 features, and this model has 5
hint: train on two features, e.g. made by 'cleave convert --transform pca:components=2'
? 2
$ cleave plot voronoi @spam6 -o x.svg
cleave: @spam6: expected 2 numeric columns, found 5
hint: use 'cleave convert --transform pca:components=2' to project the data to two columns
? 2
$ cleave plot rules @dogs -o x.svg
cleave: @dogs: expected 1 numeric column and a target, found 2
? 2
$ cleave train lms @line4 -o line.model -q; cleave plot roc line.model @line4 -o x.svg
cleave: plot 'roc' requires a classification model, and this model of 'lms' is for regression
hint: use 'cleave test' to evaluate it, or 'cleave plot regions' for a model of two features
? 2
$ printf 'height,weight,breed\n5,5,Beagle\n' > one.csv; cleave plot roc dogs.model one.csv --label breed -o x.svg
note: one.csv: with header (--header); columns: 2 number (--columns)
one.csv: all labeled rows (1) have the same class, so the curve is undefined
hint: use data with at least two classes
? 1
$ cleave plot confusion dogs.model missing.csv -o x.svg
missing.csv: * opened: No such file or directory (glob)
? 1
$ cleave plot voronoi four.libsvm -o four.libsvm --to svg
cleave: -o 'four.libsvm' * (glob)
? 2
$ ls
dogs.model
four.libsvm
line.model
objective
one.csv
spam.model

# Data in a pipe, a model with a pipeline, a table with missing numbers.
$ printf 'x,y,label\n1,10,a\n2,,a\n3,30,b\n4,40,b\n' > holes.csv; cleave train knn holes.csv --k 1 -o holes.model -q; cleave plot regions holes.model - --format csv --cells 3 --json < holes.csv
{"kind":"regions","title":"Decision regions of knn","subtitle":"4 points, 0 of 4 labeled points misclassified","output":null,"width":800,"height":600,"classes":["a","b"],"panels":[{"title":"","x":{"title":"x","logarithmic":false},"y":{"title":"y","logarithmic":false},"series":[{"name":"a","style":"marks","color":0,"x":[1,null],"y":[10,null],"misclassified":[false,false]},{"name":"b","style":"marks","color":1,"x":[3,4],"y":[30,40],"misclassified":[false,false]}],"field":{"box":[0.8200000000000001,8.2,4.18,41.8],"columns":3,"rows":3,"of_classes":true,"cells":[0,0,1,0,1,1,0,1,1]}}],"warnings":[]}

# Reports with one kind or several kinds of plots; charts where possible, otherwise images.
$ cleave plot roc,pr,confusion dogs.model @dogs --report three.html --quiet; grep -o '^{"kind":"[a-z]*"' three.html; grep -o 'data:image/svg+xml;base64,PD94' three.html
{"kind":"roc"
{"kind":"pr"
{"kind":"confusion"
data:image/svg+xml;base64,PD94
$ cleave plot roc,curve dogs.model @dogs --report x.html
cleave: 'roc' * 'curve' * (glob)
? 2
$ cleave plot roc,pr dogs.model @dogs -o x.svg
cleave: -o writes one plot: use --report FILE.html for several kinds
? 2
$ cleave plot roc,prr dogs.model @dogs --report x.html
cleave: unknown plot 'prr'
hint: * 'pr'\? * 'cleave plot --help' * (glob)
? 2
$ cleave plot rules @peak7 --report -
cleave: --report * report.html: * (glob)
? 2
