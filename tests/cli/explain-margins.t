# A given separator: margin, violated constraints and slack of every point. Figure 12.18 with its first weights.
$ cleave explain --weights 0,1,-2 @points6
positive         +1
margin           1/|w| = 1, |w| = 1
least y score    0, at distance 0
violated         1 of 6 rows (y score < 1), 1 misclassified
slack            1, the sum of the hinge losses
support vectors  4

  row  class  score  y score  hinge loss
    1  +1         2        2           0
    2  +1         0        0           1  misclassified
    3  +1         2        2           0
    4  -1        -1        1           0  on the margin
    5  -1        -1        1           0  on the margin
    6  -1        -1        1           0  on the margin
$ cleave explain --weights 0,2,-3 @points6 --json
{"positive":"+1","negative":"-1","norm":2,"margin":0.5,"least_margin":1,"least_distance":0.5,"slack":0,"rows":6,"violated":0,"misclassified":0,"support_vectors":4,"points":[{"row":1,"label":"+1","score":5,"margin":5,"slack":0,"support_vector":false},{"row":2,"label":"+1","score":1,"margin":1,"slack":0,"support_vector":true},{"row":3,"label":"+1","score":5,"margin":5,"slack":0,"support_vector":false},{"row":4,"label":"-1","score":-1,"margin":1,"slack":0,"support_vector":true},{"row":5,"label":"-1","score":-1,"margin":1,"slack":0,"support_vector":true},{"row":6,"label":"-1","score":-1,"margin":1,"slack":0,"support_vector":true}]}
$ cleave explain --weights 1/2,1/2,-7/2 @points6 --top 2
positive         +1
margin           1/|w| = 1.41421, |w| = 0.707107
least y score    -1.5, at distance -2.12132
violated         3 of 6 rows (y score < 1), 3 misclassified
slack            5.5, the sum of the hinge losses
support vectors  3

  row  class  score  y score  hinge loss
    1  +1        -1       -1           2  misclassified
    2  +1      -1.5     -1.5         2.5  misclassified
the first 2 rows; --top N, --json
# The support vectors of a model: the hard margin, and C = 0.1, where one point has slack 4/3.
$ cleave train svm @points6 --C inf -o hard.model -q; cleave explain hard.model @points6 --margins --json | grep -oE '"(violated|misclassified|support_vectors)":[0-9]*|"row":[0-9]*'
"violated":0
"misclassified":0
"support_vectors":4
"row":2
"row":4
"row":5
"row":6
$ cleave train svm @points6 --C 0.1 -o soft.model -q; cleave explain soft.model @points6 --margins | sed -n '/^ *row/,$p' | awk '{ printf "%s %s %.3f %.3f %.3f %s %s %s\n", $1, $2, $3, $4, $5, $6, $7, $8 }' | sed 's/ *$//'
row class 0.000 0.000 0.000 hinge loss
1 +1 1.000 1.000 0.000 on the margin
2 +1 -0.333 -0.333 1.333 misclassified
3 +1 1.000 1.000 0.000 on the margin
4 -1 -1.000 1.000 0.000 on the margin
5 -1 -1.000 1.000 0.000 on the margin
6 -1 -1.000 1.000 0.000 on the margin
# Exercise 12.2.2: all lines that separate the points. Each vertex passes through two of them.
$ printf 'label,x1,x2\n+1,1,2\n+1,2,1\n-1,2,3\n-1,3,2\n' > lines.csv
$ cleave explain --separators lines.csv -q
Lines w.x = theta that separate 4 rows, +1 where w.x > theta:
all sums of these vertices with positive factors

  x1  x2  theta  through rows
  -1  -1     -5          3, 4
  -1   0     -2          3, 2
   0  -1     -2          4, 1
  -1  -1     -3          1, 2
$ cleave explain --separators @points6 --json
{"positive":"+1","negative":"-1","rows":6,"separable":true,"vertices":[{"weights":{"x1":0,"x2":1},"threshold":1,"rows":[4,6]},{"weights":{"x1":-1,"x2":1},"threshold":0,"rows":[4,2]},{"weights":{"x1":1,"x2":1},"threshold":4,"rows":[6,2]}]}
# Exercise 12.2.3: no line separates the points.
$ printf 'label,x1,x2\n-1,1,2\n+1,2,3\n+1,2,1\n-1,3,2\n' > cross.csv; cleave explain --separators cross.csv -q
No line separates the classes.
$ cleave explain --separators cross.csv --json -q
{"positive":"+1","negative":"-1","rows":4,"separable":false,"vertices":[]}
# Classes that touch are not separable.
$ printf 'label,x1,x2\n+1,0,0\n+1,2,0\n-1,1,0\n-1,1,1\n' > touch.csv; cleave explain --separators touch.csv -q
No line * (glob)
# Invalid input.
$ cleave explain --weights 1,2 @points6
cleave: @points6: expected 2 weights and the intercept, found 2 numbers
hint: list the weights in column order, then the intercept b
? 2
$ cleave explain --weights 1,x,2 @points6
cleave: weight 2 is not a number: 'x'
hint: list the weights and the intercept, for example 1,-1/3,0.5
? 2
$ cleave explain --weights 1,2,3 @dogs
@dogs: expected two classes, found 3
? 1
$ cleave explain --separators @spam6
@spam6: expected 2 numeric columns, found 5
? 1
$ printf 'label,x1,x2\n+1,0,0\n-1,1,1\n' > two.csv; cleave explain --separators two.csv -q
the points are on one line: their separators have no vertices
? 1
$ cleave explain hard.model --margins
cleave: --margins needs DATA: cleave explain MODEL DATA --margins
? 2
$ cleave explain hard.model @points6 --margins --row 1
cleave: --margins, --separators and --weights explain all rows: leave out --row, --example and --class
? 2
$ cleave train knn @points6 -o near.model -q; cleave explain near.model @points6 --margins
cleave: margins require a linear model of two classes, and this model of 'knn' has 2 but no weights
? 2
$ cleave train svm @dogs -o dogs.model -q; cleave explain dogs.model @dogs --margins
cleave: margins require a linear model of two classes, and this model of 'svm' has 3
? 2
