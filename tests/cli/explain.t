$ cleave train perceptron @spam6 --rate 0.5 -o spam.model --quiet
$ cleave explain spam.model
perceptron, trained on 6 rows by cleave 0.1.0, seed 1
classes    +1 (positive), -1
features   5
params     rate 0.5, rounds 100; the others as usual
threshold  0

for +1
  viagra     1
  nigeria  0.5

against +1
  of  -0.5
$ cleave explain spam.model --top 1 | tail -n 5
for +1 (1 of 2)
  viagra  1

against +1
  of  -0.5
$ cleave explain spam.model --json
{"method":"perceptron","params":{"rate":0.5,"rate_decay":0,"learn_threshold":false,"average":false,"form":"auto","update":"online","multiclass":"rest","rounds":100,"stable":0,"patience":0,"watch":"errors","holdout":0,"sample":0,"order":"auto","seed":1,"positive":null,"class_weight":null,"calibrate":false,"shards":0,"racy":false,"skip_unlabelled":false,"transform":"auto","stream":false},"task":"binary","classes":["+1","-1"],"positive":"+1","probabilities":false,"features":5,"n":6,"seed":1,"writer":"0.1.0","weights":{"and":0,"viagra":1,"the":0,"of":-0.5,"nigeria":0.5},"bias":0,"threshold":0}
$ cleave train perceptron @points5 --rate 1/3 --learn-threshold -o points.model --quiet && cleave explain points.model --json | grep -o '"threshold":[0-9.]*'
"threshold":3.333333333333333
$ cleave train perceptron @dogs --learn-threshold --rounds 50 -o dogs.model --quiet
$ cleave explain dogs.model --top 2 | sed -n 1,12p
perceptron, trained on 10 rows by cleave 0.1.0, seed 1
classes    Chihuahua, Dachshund, Beagle
features   2
params     learn-threshold true, rounds 50; the others as usual
thresholds -3, -23, 30

for Chihuahua
  height  6

against Chihuahua
  weight  -16
$ cleave explain dogs.model --json | grep -o '"weights":.*'
"weights":{"Chihuahua":{"height":6,"weight":-16},"Dachshund":{"height":-17,"weight":8},"Beagle":{"height":6,"weight":6}},"bias":{"Chihuahua":3,"Dachshund":23,"Beagle":-30},"threshold":{"Chihuahua":-3,"Dachshund":-23,"Beagle":30}}

# LIBSVM names are the index as text; columns that never weigh are there, as 0.
$ printf '+1 1:1\n-1 4:1\n' > gap.libsvm && cleave train perceptron gap.libsvm -o gap.model --quiet && cleave explain gap.model --json | grep -o '"weights":{[^}]*}'
"weights":{"1":1,"2":0,"3":0,"4":-1}

$ cleave explain spam.model --top 0
cleave: --top: expected a whole number from 1, found '0'
? 2
$ cleave explain
cleave: explain needs MODEL  ('cleave explain --help' says more)
? 2
