# A row of weight 2 equals two rows, for summed updates.
$ printf 'label,x,y,w\na,1,0.5,2\nb,-1,2,1\na,0.5,-3,1\nb,-2,0.25,3\n' > weighed.csv
$ printf 'label,x,y\na,1,0.5\na,1,0.5\nb,-1,2\na,0.5,-3\nb,-2,0.25\nb,-2,0.25\nb,-2,0.25\n' > repeated.csv
$ cleave train perceptron weighed.csv --columns w=weight --update sum --epochs 3 --order file --quiet -o weighed.model
$ cleave train perceptron repeated.csv --update sum --epochs 3 --order file --quiet -o repeated.model
$ for m in weighed repeated; do cleave explain $m.model --json | grep -o '"weights".*'; done
"weights":{"x":-6.666281223297119,"y":3.3300509452819824},"intercept":0,"threshold":0}
"weights":{"x":-6.666281223297119,"y":3.3300509452819824},"intercept":0,"threshold":0}
$ cleave train perceptron weighed.csv --update sum --epochs 3 --order file --quiet -o feature.model; cleave explain feature.model --json | grep -o '"weights".*'
"weights":{"x":-3.7738256454467773,"y":2.6052465438842773,"w":1.206045389175415},"intercept":0,"threshold":0}

# So does a row of a class of weight 2, with and without a sample weight.
$ printf 'label,x,y\na,1,0.5\na,1,0.5\nb,-1,2\na,0.5,-3\na,0.5,-3\nb,-2,0.25\n' > classes.csv
$ printf 'label,x,y\na,1,0.5\nb,-1,2\na,0.5,-3\nb,-2,0.25\n' > once.csv
$ cleave train perceptron once.csv --class-weight a=2 --update sum --epochs 3 --order file --transform none --quiet -o weighed.model
$ cleave train perceptron classes.csv --update sum --epochs 3 --order file --transform none --quiet -o repeated.model
$ for m in weighed repeated; do cleave explain $m.model --json | grep -o '"weights".*'; done
"weights":{"x":-6,"y":7.25},"intercept":0,"threshold":0}
"weights":{"x":-6,"y":7.25},"intercept":0,"threshold":0}

# Balanced class weights: nine rows of one class and three of the other have weights 2/3 and 2.
$ for i in 1 2 3 4 5 6 7 8 9; do echo "many 1:$i 2:1"; done > some.libsvm; for i in 1 2 3; do echo "rare 1:-$i 3:1"; done >> some.libsvm
$ cleave train perceptron some.libsvm --class-weight balanced --update sum --epochs 1 --order file --quiet -o balanced.model
$ cleave train perceptron some.libsvm --class-weight many=2/3,rare=2 --update sum --epochs 1 --order file --quiet -o given.model
$ for m in balanced given; do cleave explain $m.model --json | grep -o '"weights".*'; done
"weights":{"1":-42,"2":-6,"3":6},"intercept":0,"threshold":0}
"weights":{"1":-42,"2":-6,"3":6},"intercept":0,"threshold":0}

# Invalid values.
$ cleave train perceptron some.libsvm --class-weight manyer=2
cleave: --class-weight: the data has no such class: 'manyer'
hint: use 'balanced' or a weight for each class, e.g. spam=2,ham=1
? 2
$ cleave train perceptron some.libsvm --class-weight many=much
cleave: --class-weight: a weight must be a number of at least 0: 'much'
hint: * 'balanced' *, e.g. *=2,*=1 (glob)
? 2
$ cleave train perceptron some.libsvm --class-weight many=-1
cleave: --class-weight: * 0: '-1' (glob)
hint: * 'balanced' *, e.g. *=2,*=1 (glob)
? 2
$ cleave train perceptron some.libsvm --class-weight many
cleave: --class-weight: expected CLASS=WEIGHT: 'many'
hint: * 'balanced' *, e.g. *=2,*=1 (glob)
? 2
$ cleave train perceptron some.libsvm --class-weight many=0,rare=0
no training row has a label and a weight above 0
? 1
$ printf 'label,x,w\na,1,-2\nb,2,1\n' > bad.csv; cleave train perceptron bad.csv --columns w=weight
note: bad.csv: * (--format), * (--header); * 'label' (--label), *, 2 *: 1 * (--columns) (glob)
bad.csv:2:5: * 'w': * '-2' (glob)
? 1
