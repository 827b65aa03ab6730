$ cleave methods
perceptron         linear separator that learns from its mistakes
winnow             linear separator of 0/1 features that multiplies its weights
lms                linear regression one example at a time
least-squares      linear function with the smallest squared error, exactly
svm                linear support-vector machine: the separator with the widest margin
logistic           logistic regression: a linear separator that gives probabilities
svr                support-vector regression: a line with a street around it that costs nothing
kernel-perceptron  separator in the space of a kernel that learns from its mistakes
kernel-svm         widest margin in the space of a kernel
knn                the class of the nearest training points
knn-regression     the mean of the nearest training points
tree               questions about one column at a time, until a leaf is of one class
tree-regression    the same for numbers: a leaf answers with the mean of its rows
forest             many trees, each of rows and columns drawn at random, asked together
forest-regression  the same for numbers: the mean of what the trees say
boost              small trees one after the other, each mending what those before it got wrong
boost-regression   small trees one after the other, each fitted to what those before it left over

'cleave methods NAME' says what it minimises and lists its options
$ cleave methods perceptron
perceptron: linear separator that learns from its mistakes

objective  sum over examples of max(0, -y (w.x - theta))
reference  Rosenblatt 1958; averaged and voted forms: Freund and Schapire 1999
tasks      two classes
           many classes
traits     sparse: work in proportion to the non-zeros
           online: learns from a stream
           updatable: 'cleave update' learns from new rows
           mergeable: rounds made by several workers can be put together
           wide: very many features do it no harm
           deterministic: same seed, same model

options of perceptron:
  --learning-rate NUMBER           step taken on a mistake (default 1; above 0)
  --learning-rate-decay NUMBER     c: after t rounds the step is rate / (1 + c t)
                          (default 0; at least 0)
  --learn-threshold       learn the threshold; otherwise it is 0
  --average               short for --form averaged
  --form auto|plain|averaged|voted
                          which weights answer: the last, the average over all
                          examples seen, or all by vote; auto: the average of
                          more than 1000 rows, unless the last ones make no mist
                          (default auto)
  --update online|sum|mean
                          after each mistake, or once a round by the sum or the
                          mean of its mistakes (default online)
  --multiclass one-vs-rest|joint
                          each class against the rest, or the right and the
                          wrong class together (default rest)

'cleave train perceptron --help' also lists the options of every training run, such as --epochs
$ cleave methods perceptron --json | grep -o '"name":"rate",[^}]*}'
"name":"rate","flag":"--learning-rate","type":"real","default":1,"min":0,"min_open":true,"max":null,"help":"step taken on a mistake","tune":{"scale":"log","low":0.01,"high":100,"when":"learn_threshold=true"}
$ cleave methods --json | cut -c 1-40
[{"name":"perceptron","brief":"linear se
$ cleave methods percepton
cleave: unknown method 'percepton'
hint: did you mean 'perceptron'? 'cleave methods' lists all
? 2
