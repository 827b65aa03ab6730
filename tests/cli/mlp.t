# Networks: exclusive or, trained and defined by --layers.
$ printf 'x1,x2,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n' >xor.csv
$ cleave train mlp xor.csv --hidden 4 --activation tanh --learning-rate 0.05 --epochs 200 -o xor.model --quiet
$ cleave predict xor.model xor.csv | paste -sd ' '
no yes yes no
$ cleave explain xor.model | grep -E '^(units|Unit)' | sed 's/[0-9.-]*[0-9]/N/g' | sort -u
Unit N, lowers yes N; intercept N
units      N in the first layer; the largest weights of N follow
$ printf 'or: x1=1 x2=1 > 0.5\nand: x1=1 x2=1 > 1.5\nxor: or=1 and=-1 > 0.5\n' >xor.net
$ cleave train mlp xor.csv --layers xor.net -o fixed.model --quiet
$ cleave predict fixed.model xor.csv | paste -sd ' '
no yes yes no
$ cleave explain fixed.model --json | grep -o '"units":.*'
"units":[{"unit":1,"intercept":-0.5,"outputs":{"yes":1},"weights":{"x1":1,"x2":1}},{"unit":2,"intercept":-1.5,"outputs":{"yes":-1},"weights":{"x1":1,"x2":1}}]}

# Mistakes.
$ cleave train mlp xor.csv --hidden 4,0 -o no.model --quiet
cleave: --hidden: '4,0' is not a list of layer sizes
hint: use 1 to 16 numbers from 1 to 65,536, e.g. --hidden 256,128
? 2
$ cleave train mlp xor.csv --activation step -o no.model --quiet
cleave: --activation step has no gradient and cannot be trained
hint: use relu, tanh or sigmoid, or define the units with --layers
? 2
$ cleave train mlp xor.csv --layers no.net -o no.model --quiet 2>/dev/null
? 1
$ printf 'or: x1=1 x3=1 > 0.5\n' | cleave train mlp xor.csv --layers - -o no.model --quiet
cleave: --layers, line 1: expected a feature or a unit of an earlier line: 'x3'
hint: a line defines a unit, e.g. and: x1=1 x2=1 > 1.5
? 2
$ cleave train mlp @dogs --layers xor.net -o no.model --quiet
--layers requires two classes; the data has 3
? 1
$ cleave train mlp xor.csv --from xor.model --hidden 5 -o no.model --quiet
cleave: the warm-start model was trained with another --hidden
hint: a warm start keeps the layers of the model
? 2
$ cleave train mlp xor.csv --from fixed.model -o no.model --quiet
cleave: --layers defines all weights, so training cannot be continued
hint: omit --from, or omit --layers
? 2
$ cleave train mlp xor.csv --solver sgd --learning-rate 1e35 -o no.model --quiet
training diverged in epoch 2: the loss is not finite
hint: lower --learning-rate, or standardize the features
? 1
$ ls
fixed.model
xor.csv
xor.model
xor.net

# Options of another solver or schedule have no effect and are refused.
$ for o in '--momentum 0.5' '--schedule decay --t0 5' '--learning-rate-decay 0.5'; do cleave train mlp @spam6 $o -o no.model -q; done
cleave: --momentum applies to --solver sgd
hint: omit it, or add --solver sgd
cleave: --t0 applies to --schedule inverse
hint: omit it, or use --schedule inverse
cleave: --learning-rate-decay applies to --schedule decay
hint: omit it, or add --schedule decay
? 2
