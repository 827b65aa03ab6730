$ cleave methods
perceptron         Perceptron.
winnow             Winnow: multiplicative updates for 0/1 features.
lms                Least mean squares (Widrow-Hoff): online linear regression.
least-squares      Ordinary least squares or ridge regression.
svm                Linear support vector machine.
logistic           Logistic regression.
svr                Support vector regression (epsilon-insensitive loss).
kernel-perceptron  Kernel perceptron.
kernel-svm         Kernel support vector machine.
knn                k-nearest-neighbors classification.
knn-regression     k-nearest-neighbors regression.
tree               Decision tree.
tree-regression    Regression tree.
forest             Random forest.
forest-regression  Random forest regression.
boost              Gradient-boosted decision trees.
boost-regression   Gradient-boosted regression trees.
mlp                Multilayer perceptron.
mlp-regression     Multilayer perceptron regression.
uv                 Matrix factorization of ratings (UV-decomposition).

'cleave methods NAME' shows the objective and the options of a method.
$ cleave methods perceptron
perceptron: Perceptron.

Objective  sum over examples of max(0, -y (w.x - theta))
Reference  Rosenblatt 1958; averaged and voted forms: Freund and Schapire 1999
Tasks      binary classification
           multiclass classification
Traits     sparse: time is proportional to the nonzero values
           online: learns from a stream (cleave stream)
           updatable: can be updated with new rows (cleave update)
           mergeable: can be trained by several workers
           wide: suited to a very large number of features
           deterministic: the same seed gives the same model

Options of perceptron:
  --epochs N              Maximum number of epochs. (default 100; at least 1)
  --learning-rate NUMBER  Learning rate. (default 1; above 0)
  --learning-rate-decay NUMBER
                          Decay c: the learning rate of epoch t is learning_rate
                          / (1 + c t). (default 0; at least 0)
  --learn-threshold       Learn the threshold instead of fixing it at 0.
  --average               Same as --form averaged.
  --form auto|plain|averaged|voted
                          Weights used for prediction: last (plain), averaged,
                          or voted. auto: averaged for more than 1,000 rows,
                          unless the last weights make no mistake. (default
                          auto)
  --update online|sum|mean
                          Update after each mistake, or once per epoch by the
                          sum or mean of updates. (default online)
  --multiclass one-vs-rest|joint
                          Train one classifier per class, or update the scores
                          of two classes jointly. (default one-vs-rest)

'cleave train --help' shows the options that all methods share.
$ cleave methods perceptron --json | grep -o '"name":"learning_rate",[^}]*}'
"name":"learning_rate","flag":"--learning-rate","type":"real","default":1,"min":0,"min_open":true,"max":null,"help":"Learning rate.","tune":{"scale":"log","low":0.01,"high":100,"when":"learn_threshold=true"}
$ for m in svm least-squares knn forest boost; do cleave methods $m --json | grep -o '"limits":[^]]*]'; done
"limits":["epochs","max_iterations"]
"limits":["max_iterations"]
"limits":[]
"limits":["trees"]
"limits":["rounds"]
$ cleave methods --json | cut -c 1-40
[{"name":"perceptron","title":"Perceptro
$ cleave methods percepton
cleave: unknown method 'percepton'
hint: * 'perceptron'\? * 'cleave methods' * (glob)
? 2
