# Invalid command lines: one line, status 2, the nearest known word.
$ cleave trian perceptron @spam6
cleave: unknown command 'trian'
hint: * 'train'\? * 'cleave help' * (glob)
? 2
$ cleave zzzzzz
cleave: unknown command 'zzzzzz'
hint: * 'cleave help' * (glob)
? 2
$ for command in fit evaluate score partial_fit; do cleave $command @spam6 2>&1 | grep -o "'[a-z]*' in cleave"; done
'train' in cleave
'test' in cleave
'test' in cleave
'update' in cleave
$ cleave perceptron @spam6
cleave: 'perceptron' is a method, and a command comes first: cleave train perceptron DATA -o MODEL
? 2
$ cleave --json train
cleave: the command comes first, then '--json'  ('cleave help' lists the commands)
? 2
$ cleave train percepton @spam6
cleave: unknown method 'percepton'
hint: * 'perceptron'\? * 'cleave methods' * (glob)
? 2
$ cleave train perceptron @spam6 --rat 0.5
cleave: unknown option '--rat'
hint: * '--racy'\? * 'cleave train perceptron --help' * (glob)
? 2
$ cleave train perceptron @spam6 --zzzzzz
cleave: unknown option '--zzzzzz'
hint: * 'cleave train perceptron --help' * (glob)
? 2
$ cleave train logistic @spam6 --max_iter 100
cleave: unknown option '--max_iter'
hint: the option is '--max-iterations' in cleave* (glob)
? 2
$ cleave train svm @spam6 --kernel rbf 2>&1 | grep -o "'--kernel' is an option of 'kernel[a-z-]*', not of 'svm'"
'--kernel' is an option of 'kernel-svm', not of 'svm'
$ cleave train svm @spam6 -d 3 2>&1 | grep -o "'--degree' is an option of .*, not of 'svm'"
'--degree' is an option of 'kernel-svm', not of 'svm'
$ cleave train svm @spam6 --folds 3
cleave: unknown option '--folds'
hint: '--folds' is an option of 'cleave cv', 'cleave tune', 'cleave compare'; 'cleave train svm --help' lists all options of train
? 2
$ cleave train svm @spam6 --min_df 3
cleave: unknown option '--min_df'
hint: the option is '--transform' in cleave (tfidf:min_df=2); 'cleave train svm --help' lists all options
? 2
$ cleave train tree @spam6 --epoch 3
cleave: unknown option '--epoch'
hint: 'tree' is trained in one pass and has no such limit; 'cleave train tree --help' lists all options
? 2
$ cleave predict m.model @spam6 --max-depth 3
cleave: unknown option '--max-depth'
hint: '--max-depth' is an option of 'cleave train tree'; 'cleave predict --help' lists all options of predict
? 2
$ cleave split @dogs -o parts
cleave: unknown option '-o'
hint: '-o' is an option of 'cleave train', 'cleave update', 'cleave predict'; 'cleave split --help' lists all options of split
? 2
$ cleave train svm @spam6 -z
cleave: unknown option '-z'
hint: * 'cleave train svm --help' * (glob)
? 2
$ touch table.csv; cleave train table.csv svm
cleave: unknown method 'table.csv'
hint: the method comes before the data: cleave train METHOD table.csv
? 2
$ cleave train perceptron @spam6 --learn_threshold --quiet
$ cleave train perceptron @spam6 --learning-rate
cleave: --learning-rate needs a number
hint: Learning rate.
? 2
$ cleave train perceptron @spam6 --learning-rate abc
cleave: --learning-rate: * 0, * 'abc' (glob)
hint: Learning rate.
? 2
$ cleave train perceptron @spam6 --learning-rate -1
cleave: --learning-rate: * 0, * '-1' (glob)
hint: Learning rate.
? 2
$ cleave train perceptron @spam6 --epochs 1.5
cleave: --epochs: * 1, * '1.5' (glob)
hint: Maximum number of epochs.
? 2
$ cleave train perceptron @spam6 --form averagd
cleave: --form: expected one of auto, plain, averaged, voted, found 'averagd'
hint: Weights used for prediction: last (plain), averaged, or voted.
? 2
$ cleave train perceptron @spam6 --learn-threshold=maybe
cleave: --learn-threshold: expected true or false, found 'maybe'
hint: Learn the threshold instead of fixing it at 0.
? 2
$ cleave train perceptron @spam6 --json=maybe
cleave: --json: * 'maybe' (glob)
? 2
$ cleave train perceptron @spam6 --threads many
cleave: --threads: * 0 * 1024, * 'many' (glob)
? 2
$ cleave train perceptron @spam6 --threads 100000
cleave: --threads: * 0 * 1024, * '100000' (glob)
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
hint: * 'cleave train perceptron --help' * (glob)
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
a.model: * opened: No such file or directory (glob)
? 1
$ cleave train perceptron @spam7
cleave: unknown built-in dataset '@spam7'; did you mean '@spam6'?
hint: the built-in datasets are @spam6 @films5 @points5 @points6 @line4 @square4 @peak7 @powers6 @dogs @utility5; a file of that name is ./@spam7
? 2
$ printf '+1 1:1\n-1 2:1\n' > a.libsvm; cleave train perceptron a.libsvm --format lbsvm
cleave: --format: unknown format 'lbsvm'; did you mean 'libsvm'?
hint: formats: libsvm, csv, tsv, text, folder, document, npy, idx, fvecs, bvecs, ivecs, cleave
? 2

# Every command accepts the common flags.
$ cleave methods --threads 2 --seed 1 --format csv --quiet --json | cut -c 1-21
[{"name":"perceptron"
$ cleave train perceptron -o m.model -q -- @spam6 && cleave explain m.model --threads 2 --seed 1 --format csv -q --json | cut -c 1-22
{"method":"perceptron"

# '--' ends the flags.
$ cleave train perceptron -- --learning-rate
--learning-rate: * (glob)
? 1

# The hint for an option of another program names an option that the method accepts.
$ for m in boost forest svm perceptron logistic; do for o in max_iter num_iterations; do hint=$(cleave train $m @dogs --$o 2 2>&1 | grep -o "'--[a-z-]*' in cleave" | tr -d "'" | cut -d ' ' -f 1); cleave train $m @dogs $hint 2 --quiet 2>&1 | grep -e 'has no'; echo $m $o $hint; done; done | awk '{ print $1, $3 }' | uniq
boost --rounds
forest --trees
svm --max-iterations
perceptron --epochs
logistic --max-iterations
$ for m in boost forest; do cleave train $m @dogs --n_estimators 2 2>&1 | grep -o "'--[a-z-]*' in cleave"; done
'--rounds' in cleave
'--trees' in cleave
$ for o in n_estimators batch_size; do cleave train tree @dogs --$o 2 2>&1 | tail -n 1 | cut -d ';' -f 1; done
hint: 'tree' is trained in one pass and has no such limit
hint: '--batch-size' is an option of 'svm', not of 'tree'
$ cleave train svm @dogs --n_estimators 2 2>&1 | tail -n 1 | cut -d ';' -f 1
hint: '--trees' * 'forest', not of 'svm' (glob)
$ cleave train tree @dogs --trees 2
cleave: tree has no --trees
hint: omit it: tree is trained in one pass
? 2

# Names of classes of scikit-learn, in any spelling; options that only another verb or method accepts.
$ for m in RandomForestClassifier gradient_boosting_regressor KNeighborsClassifier; do cleave train $m @dogs 2>&1 | grep -o "the method is '[a-z-]*'"; done
the method is 'forest'
the method is 'boost-regression'
the method is 'knn'
$ cleave train knn @dogs --metric l2 2>&1 | grep -o "'--distance' in cleave"; cleave stream svm @dogs --passes 2 2>&1 | grep -o "'--epochs' is an option of 'cleave train svm'"
'--distance' in cleave
'--epochs' is an option of 'cleave train svm'

# The file to write is an argument of some commands; options of methods are those of a method that fits.
$ cleave export x.model -o x.c
cleave: unknown option '-o'
hint: the file is an argument: cleave export MODEL FILE
? 2
$ cleave search x.model @dogs --recall 0.9
cleave: unknown option '--recall'
hint: '--recall' is an option of 'cleave index' and 'cleave train knn'; 'cleave search --help' lists all options of search
? 2
$ cleave predict x.model @dogs -c 1 2>&1 | grep -o "'--C' is an option of 'cleave train svm'"; cleave train perceptron @dogs -c 1 2>&1 | grep -o "'--C' is an option of 'svm'"
'--C' is an option of 'cleave train svm'
'--C' is an option of 'svm'
