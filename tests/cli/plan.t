# Estimated cost of training on a cluster: the numbers depend on the machine, the layout does not.

$ cleave plan --rows 1e6 --features 1000 --nonzeros 10 --nodes 5 | awk 'NR == 1 { print $1, $2 } NR > 1 { print $1 }'
Measured on
nodes
1
2
4
5
read:

$ cleave plan --rows 1e6 --features 1000 --nonzeros 10 --nodes 4 --json | grep -o '"nodes":[0-9]*' 
"nodes":
"nodes":1
"nodes":2
"nodes":4
$ cleave plan --rows 0
cleave: --rows: * 1, * '0' (glob)
hint: Number * (glob)
? 2
$ cleave plan --form other
cleave: --form: expected one of average, gradient, found 'other'
hint: Training scheme: average separately trained models (sgd), or sum gradients (gd).
? 2
