# What was typed wrong: one line, status 2, the nearest known word.
$ cleave trian perceptron @spam6
cleave: unknown command 'trian'
hint: did you mean 'train'? 'cleave help' lists all
? 2
$ cleave zzzzzz
cleave: unknown command 'zzzzzz'
hint: 'cleave help' lists all
? 2
$ cleave perceptron @spam6
cleave: 'perceptron' is a method, and a command comes first: cleave train perceptron DATA -o MODEL
? 2
$ cleave --json train
cleave: the command comes first, then '--json'  ('cleave help' lists the commands)
? 2
$ cleave train percepton @spam6
cleave: unknown method 'percepton'
hint: did you mean 'perceptron'? 'cleave methods' lists all
? 2
$ cleave train perceptron @spam6 --rat 0.5
cleave: unknown option '--rat'
hint: did you mean '--racy'? 'cleave train perceptron --help' lists all
? 2
$ cleave train perceptron @spam6 --zzzzzz
cleave: unknown option '--zzzzzz'
hint: 'cleave train perceptron --help' lists all
? 2
$ cleave train perceptron @spam6 --learn_threshold --quiet
$ cleave train perceptron @spam6 --learning-rate
cleave: --learning-rate needs a number
hint: Learning rate.
? 2
$ cleave train perceptron @spam6 --learning-rate abc
cleave: --learning-rate: expected a number above 0, found 'abc'
hint: Learning rate.
? 2
$ cleave train perceptron @spam6 --learning-rate -1
cleave: --learning-rate: expected a number above 0, found '-1'
hint: Learning rate.
? 2
$ cleave train perceptron @spam6 --epochs 1.5
cleave: --epochs: expected a whole number from 1 to 1e+09, found '1.5'
hint: Maximum number of epochs.\nDefault: 100 for most methods.
? 2
$ cleave train perceptron @spam6 --form averagd
cleave: --form: expected one of auto, plain, averaged, voted, found 'averagd'
hint: Weights used for prediction: last (plain), averaged, or voted.\nauto: averaged for more than 1,000 rows, unless the last weights make no mistake.
? 2
$ cleave train perceptron @spam6 --learn-threshold=maybe
cleave: --learn-threshold: expected true or false, found 'maybe'
hint: Learn the threshold instead of fixing it at 0.
? 2
$ cleave train perceptron @spam6 --json=maybe
cleave: --json: expected true or false, found 'maybe'
? 2
$ cleave train perceptron @spam6 --threads many
cleave: --threads: expected a whole number from 0 to 1024, found 'many'
? 2
$ cleave train perceptron @spam6 --threads 100000
cleave: --threads: expected a whole number from 0 to 1024, found '100000'
? 2
$ cleave train perceptron @spam6 -o --json
cleave: -o needs a value; found '--json'
hint: if this is the value, write --output=--json
? 2
$ cleave train perceptron @spam6 -o
cleave: -o needs a value
hint: Write the model to this file.
? 2
$ cleave train perceptron @spam6 -x
cleave: unknown option '-x'
hint: 'cleave train perceptron --help' lists all
? 2
$ cleave train perceptron
cleave: train needs METHOD DATA...
hint: see 'cleave train --help'
? 2
$ cleave train
cleave: train needs METHOD DATA...
hint: see 'cleave train --help'
? 2
$ cleave test a.model
cleave: test needs MODEL DATA...
hint: see 'cleave test --help'
? 2
$ cleave explain a.model b.model
a.model: cannot be opened: No such file or directory
? 1
$ cleave train perceptron @spam7
cleave: unknown built-in dataset '@spam7'; did you mean '@spam6'?
hint: the built-in datasets are @spam6 @films5 @points5 @points6 @line4 @square4 @peak7 @powers6 @dogs; a file of that name is ./@spam7
? 2
$ printf '+1 1:1\n-1 2:1\n' > a.libsvm; cleave train perceptron a.libsvm --format lbsvm
cleave: --format: unknown format 'lbsvm'; did you mean 'libsvm'?
hint: formats: libsvm, csv, tsv, text, folder, document, npy, idx, fvecs, bvecs, ivecs, cleave
? 2

# Every command takes the common flags.
$ cleave methods --threads 2 --seed 1 --format csv --quiet --json | cut -c 1-21
[{"name":"perceptron"
$ cleave train perceptron -o m.model -q -- @spam6 && cleave explain m.model --threads 2 --seed 1 --format csv -q --json | cut -c 1-22
{"method":"perceptron"

# '--' ends the flags.
$ cleave train perceptron -- --learning-rate
--learning-rate: cannot be opened: No such file or directory
? 1
