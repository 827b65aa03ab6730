# What training would cost on a cluster: figures depend on the machine, the shape of the answer does not.

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
cleave: --rows: expected a number from 1 to 1e+18, found '0'
hint: Number of rows.
? 2
$ cleave plan --form other
cleave: --form: expected one of average, gradient, found 'other'
hint: average: nodes train separately (sgd); gradient: exact sums (gd).
? 2
