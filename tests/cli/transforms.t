$ cleave transforms | grep -oE '^(tfidf|polar|radius|polynomial|fourier|pca|project|..cleave transforms NAME.*)'
tfidf
polar
radius
polynomial
fourier
pca
project
$ cleave transforms polynomial
polynomial: Polynomial features up to a degree.

Adds the products of columns up to a degree, named x1*x2 and x1^2. Sparse rows
stay sparse. A linear model of the products is a polynomial model of the
columns.

Parameters of polynomial:
  degree=N                Maximum degree. (default 2; 1 to 8)
  terms=all|interactions|powers
                          All terms, interactions of different columns, or
                          powers of one column. (default all)

Example: --transform polynomial:degree=2; colons separate several parameters.
$ cleave transforms pca --json | grep -o '"name":"no_center",[^}]*}'
"name":"no_center","type":"flag","default":false,"help":"Do not subtract the column means."}
$ cleave transforms --json | grep -oE '"name":"(polar|pca)"'
"name":"polar"
"name":"pca"
$ cleave transforms polr
cleave: unknown transform 'polr'
hint: * 'polar'\? * 'cleave transforms' * (glob)
? 2
$ cleave help radius | head -4
radius: Distance of the numeric columns from a center.

The numeric columns become one column, r: the Euclidean distance from the
center. Words and categories are unchanged.
$ cleave help transforms | head -3
List *. (glob)

Usage: cleave transforms [NAME] [OPTION]...
$ printf -- '-1 1:1 2:2\n+1 1:2 2:3\n+1 1:2 2:1\n-1 1:3 2:2\n' > points.svm
$ cleave train perceptron points.svm --learn-threshold --epochs 100 -o m --quiet; cleave test m points.svm | head -1
Error 50.00% (2 * 4 *, 95% * 9.43% * 90.57%), * 50.00%. (glob)
$ cleave train perceptron points.svm --learn-threshold --epochs 1000 --transform polynomial:terms=powers -o m
note: pipeline: --transform polynomial:terms=powers: 4 terms of 2 columns
Read 4 *, 4 *, 2 * (points.svm). (glob)
Trained * 165 *, 484 * (R/margin)^2 192030, * 0.0240424). (glob)
Training * 0.00% (0 * 4 *). (glob)
Model * (glob)
Next: *. (glob)
$ cleave test m points.svm | head -1
Error 0.00% (0 * 4 *, 95% * 0.00% * 52.71%), * 100.00%. (glob)
$ cleave explain m
perceptron, trained on 4 rows by cleave 0.1.0, seed 1
classes    -1, +1 (positive)
features   4, by the pipeline
        1  polynomial:terms=powers: 4 terms of 2 columns
options    learn-threshold true, epochs 1000, transform polynomial:terms=powers; defaults otherwise
threshold  0

Features for +1
  x1    56  ████████████████████████
  x2^2  18  ███████▊

Features against +1
  x2    -56  ░░░░░░░░░░░░░░░░░░░░░░░░
  x1^2  -18  ░░░░░░░░
$ cleave train svm @dogs --transform polar:x=breed -o m
--transform: polar: column 'breed' does not exist (x)
hint: the data has 2 columns, from 'height' to 'weight'
? 1
$ cleave train svm @dogs --transform polar:center=here -o m
cleave: --transform: * 'here' (glob)
hint: *=3/-4.5 (glob)
? 2
$ cleave train svm @dogs --transform radius:center=1/2/3 -o m
cleave: --transform: radius has 2 columns, but its center has 3 coordinates
hint: write one coordinate per column, for example center=3/-4.5
? 2
$ cleave train svm @dogs --transform polar:centr=mean -o m
cleave: --transform: polar has no parameter 'centr'; did you mean 'center'?
? 2
$ cleave train svm @dogs --transform polar:x=weight:y=height:center=mean -o m --quiet; cleave explain m | grep -oE '^  (r|phi|height|weight) ' | sort -u
  phi 
  r 
$ cleave train svm @dogs --transform polynomial:degree=9 -o m
cleave: --degree: * 1 * 8, * '9' (glob)
hint: Maximum degree.
? 2
$ printf '1 100000:1\n2 1:1\n' > wide.svm
$ cleave train svm wide.svm --transform polynomial:degree=3 -o m
--transform: polynomial of degree 3 makes 1.667e+14 columns of 100000; the limit is 16777216
hint: lower the degree, reduce the number of columns first, or use --transform fourier or the method kernel-svm
? 1
$ cleave train svm wide.svm --transform fourier:components=10000 -o m
--transform: fourier: 10000 dimensions of 100000 columns need a table of 1e+09 numbers; the limit is 2.68e+08
hint: request fewer dimensions, or reduce the number of columns first, for example with select:top=10000
? 1
$ printf '1 1:1\n2 1:1\n' > same.svm
$ cleave train svm same.svm --transform pca -o m
--transform: pca: no components exist because all rows are equal
hint: use at least two different rows, or pass --transform none
? 1
$ cleave train svm same.svm --transform polar -o m
--transform: polar needs two columns, but there is 1
hint: use --transform radius for any number of columns
? 1
