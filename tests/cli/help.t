# Without a command: the first screen, and status 2.
$ cleave
cleave: supervised learning on data of any size.

Usage: cleave COMMAND [ARGUMENT]... [OPTION]...

Examples:
  cleave generate spam --rows 5000 --test-rows 1000 -o mail.tsv
  cleave train svm mail.tsv -o spam.model
  cleave test spam.model mail-test.tsv
  cleave explain spam.model --top 5
  cleave predict spam.model mail-test.tsv --scores

Data:
  convert     Convert data to a binary dataset, LIBSVM text or CSV.
  split       Split data into a training set and a test set.
  generate    Generate data of a known kind.

Train and predict:
  train       Train a model.
  update      Update a model with new rows without forgetting the old ones.
  predict     Predict labels for new data.
  stream      Learn online: predict each example, then learn from it.

Evaluate:
  test        Evaluate a model on labeled data.
  cv          Evaluate a method by cross-validation and detect overfitting.
  tune        Search for good hyperparameters of a method.
  compare     Compare all methods that suit the data by cross-validation.

Nearest neighbors:
  index       Build an index for nearest-neighbor search.
  search      Find the nearest neighbors of each query.
  remove      Remove points from an index.

Explain and plot:
  explain     Explain a model, or the prediction for one row.
  plot        Plot learning curves, evaluations, models, trees or data.

Scale out:
  plan        Estimate the cost of training on many nodes.
  begin       Create the model for the first map-reduce round.
  map         Compute the contribution of some rows to a round.
  reduce      Sum the values of equal keys.
  apply       Add the sums of a round to the model.

Learn by watching:
  trace       Print every update of a method.

Reference:
  methods     List the methods, or describe one.
  transforms  List the transforms of feature pipelines, or describe one.
  help        Describe a command, a method, a transform, or the formats of data.

'cleave COMMAND --help' describes a command, 'cleave help METHOD' a method,
'cleave help data' the formats that can be read.
? 2
$ cleave help | sed -n 1p
cleave: supervised learning on data of any size.
$ cleave --help | tail -n 1
'cleave help data' the formats that can be read.
$ cleave --version | sed -n 1p
cleave 0.1.0
$ cleave --version | grep -c '^built with zlib'
1
$ cleave version | sed -n 1p
cleave 0.1.0

# Every command has a page.
$ for verb in train predict test explain trace stream convert generate plan begin map reduce apply methods transforms help; do cleave $verb --help | sed -n 1p; done
Train a model.
Predict labels for new data.
Evaluate a model on labeled data.
Explain a model, or the prediction for one row.
Print every update of a method.
Learn online: predict each example, then learn from it.
Convert data to a binary dataset, LIBSVM text or CSV.
Generate data of a known kind.
Estimate the cost of training on many nodes.
Create the model for the first map-reduce round.
Compute the contribution of some rows to a round.
Sum the values of equal keys.
Add the sums of a round to the model.
List the methods, or describe one.
List the transforms of feature pipelines, or describe one.
Describe a command, a method, a transform, or the formats of data.
$ for verb in train predict test explain trace stream convert generate plan begin map reduce apply methods; do cleave help $verb | cmp - <(cleave $verb --help) || echo "$verb differs"; done

# Every example runs as printed.
$ for verb in train predict test explain trace stream convert generate plan begin map reduce apply methods transforms help; do cleave help $verb | sed -n 's/^  \(cleave .*\)/\1/p'; done > examples; wc -l < examples
38
$ bash -e examples > /dev/null 2> messages; echo $?
0

# So does the first screen.
$ cleave help | sed -n 's/^  \(cleave .*[^ ]\)  .*/\1/p' | sed 's/   *[a-z].*//' > first; wc -l < first
0
$ bash -e first > /dev/null 2> messages; echo $?
0

$ cleave help perceptron | sed -n 1p
perceptron: Perceptron.
$ cleave help data | sed -n 1,5p
DATA is a file, a folder of documents, - for standard input, or the name of a
built-in data set. Several files of one format are read as one. Files may be
compressed with gzip or zstd. The suffix or the content determines the format;
--format overrides it. 'cleave convert --help-all' lists the options for
reading.
$ cleave help trian
cleave: unknown command, method or transform 'trian'
hint: did you mean 'train'? 'cleave help' lists all
? 2
$ cleave explain --help
Explain a model, or the prediction for one row.

Usage: cleave explain MODEL [DATA... [--row N]] [OPTION]...

Shows the weights, tree, neighbors or support vectors of a model, or the
contribution of each feature to one prediction. --json prints all weights in the
order of the training columns.

Examples:
  cleave train perceptron @spam6 -o spam.model
  cleave explain spam.model --top 3
  cleave explain spam.model @spam6 --row 2

Options:
  --top N                 Number of features to show per class (3 for more than
                          4 classes). (default 10; at least 1)
  --class TEXT            Show only this class.
  --example TEXT          Row to explain: text, age=39,color=red, '1:0.5 7:1', a
                          file, or -.
  --example-file FILE     File with the row to explain; - is standard input.
  --row N                 Row of DATA to explain, counted from 1. (at least 1)
  --tree N                Show this tree, counted from 1. (at least 1)
  --levels N              Number of levels of a tree to show (0: all). (at least
                          0)
  --rules                 Show a tree as rules, one per leaf.

'cleave explain --help-all' shows every option, for reading data too.

# Lines of a page are at most 100 wide.
$ for verb in train predict test explain trace stream convert generate plan begin map reduce apply methods transforms help; do cleave help $verb; done | awk 'length > 100'

# The manual page comes from the same tables.
$ cleave help --man | sed -n 1,3p
.TH cleave 1 "" "cleave 0.1.0" "User Commands"
.SH "NAME"
cleave \- supervised learning on data of any size
$ cleave help --man | grep -c -F -e '.B \-\-rate NUMBER'
0
? 1

# Every option that a command's help has is in the manual and in the completion of that command.
$ cleave help --man | sed 's/\\-/-/g' > page; cleave help --completion > completion; bash -n completion
cleave: --completion needs a value
hint: Print the completion script of bash, zsh or fish.
$ for verb in $(cleave help | sed -n '/^commands:/,/^$/p' | awk 'NR > 1 { print $1 }'); do cleave $verb --help | grep -oE '^  (-[a-z], )?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+$' | sort -u > flags; for flag in $(cat flags); do grep -qE -e "^\.B .*$flag( |$)" page || echo $verb $flag: not in the manual; grep -qE -e "^    $verb\) options=.* $flag[ \"]" completion || echo $verb $flag: not in the completion; done; wc -l < flags; done | awk '/not in/ { print } /^[0-9]+$/ { all += $1; verbs++ } END { print (all > 400 && verbs >= 25) ? "all there" : all " options of " verbs }'
 options of 
$ . ./completion; complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _cleave; echo ${COMPREPLY[@]}; }; complete_words cleave comp; complete_words cleave train perc; complete_words cleave compare data.csv --bud; complete_words cleave train svm x.csv --solver lb; complete_words cleave trace perceptron @spam
environment: line 1: _cleave: command not found

environment: line 1: _cleave: command not found

environment: line 1: _cleave: command not found

environment: line 1: _cleave: command not found

environment: line 1: _cleave: command not found
