# Without a command: the overview, and status 2.
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
  convert        Convert data to a binary dataset, LIBSVM text or CSV.
  split          Split data into a training set and a test set.
  generate       Generate synthetic data.
  crowd          Estimate labels from the answers of many workers.
  active         Ask for the labels that help a model most (active learning).

Train and predict:
  train          Train a model.
  update         Update a model with new rows without forgetting the old ones.
  predict        Predict labels for new data.
  recommend      Recommend items to users.
  stream         Learn online: predict each example, then learn from it.
  serve          Answer prediction requests over HTTP.

Evaluate:
  test           Evaluate a model on labeled data.
  cv             Evaluate a method by cross-validation and detect overfitting.
  tune           Search for good hyperparameters of a method.
  compare        Compare all methods that suit the data by cross-validation.

Nearest neighbors:
  index          Build an index for nearest-neighbor search.
  search         Find the nearest neighbors of each query.
  remove         Remove points from an index.

Explain and plot:
  explain        Explain a model, or the prediction for one row.
  plot           Plot learning curves, evaluations, models, trees or data.
  trace          Print every update of a method.

Other programs:
  export         Write a model as C code or for another program.
  convert-model  Convert models from and to LIBSVM and LIBLINEAR.

Scale out:
  plan           Estimate the cost of training on many nodes.
  begin          Create the model for the first map-reduce round.
  map            Compute the contribution of some rows to a round.
  reduce         Sum the values of equal keys.
  apply          Add the sums of a round to the model.

Reference:
  methods        List the methods, or describe one.
  transforms     List the transforms of feature pipelines, or describe one.
  help           Describe a command, a method, a transform, or data formats.

'cleave COMMAND --help' describes a command, 'cleave help METHOD' a method,
'cleave help data' the formats that can be read.
? 2
$ cleave help | sed -n 1p
cleave: *supervised* (glob)
$ cleave --help | tail -n 1
'cleave help data' the formats that can be read.
$ cleave --version | sed -n 1p
cleave 0.1.0
$ cleave --version | grep -c '^built with zlib'
1
$ cleave version | sed -n 1p
cleave 0.1.0

# Every command has a page, and 'help COMMAND' prints it.
$ cleave help | awk '/^  [a-z-]+ +[A-Z]/ { print $1 }' > verbs; xargs < verbs
convert split generate crowd active train update predict recommend stream serve test cv tune compare index search remove explain plot trace export convert-model plan begin map reduce apply methods transforms help
$ for verb in $(cat verbs); do cleave help $verb | cmp - <(cleave $verb --help) || echo "$verb differs"; cleave $verb --help | sed -n '3s/ .*//p' | grep -qx Usage: || echo "$verb: no usage"; done

# A page has at most 60 lines of 80 columns.
$ for page in help $(for verb in $(cat verbs); do echo $verb--help; done); do cleave ${page/--/ --} | awk -v page=$page 'length > 80 { print page ": " $0 } END { if (NR > 60) print page ": " NR " lines" }'; done

# The description of every option begins with a sentence of at most 80 characters, perhaps behind the values it applies to. Defaults
# and ranges follow in parentheses. Defaults are words instead of special numbers, and technical maxima are omitted.
$ cat > sentences.awk << 'END'
> function flush() {
>     if (text != "" && (text !~ /^(([a-z0-9-]+(, [a-z0-9-]+)*|LIBSVM|Trees): )?[A-Za-z]/ || text !~ /[.)]$/ || text ~ /\(default 0[;)].*0: |e\+0|e\+1/))
>         print page ": " option ": " text
>     sentence = text
>     sub(/[.] .*/, ".", sentence)
>     if (length(sentence) > 80)
>         print page ": " option ": " sentence
>     text = ""
> }
> /^[^ ]/ { flush() }
> /^Search space/ { search = 1 }
> /^Options|^Every/ { search = 0 }
> search { next }
> /^  (-[a-z], )?--/ { flush(); option = $1; text = substr($0, 27); if (length($0) < 27 || substr($0, 25, 2) != "  ") { text = ""; if (match($0, /  +[A-Z][^|]*$/) && RSTART > 4) text = substr($0, RSTART + RLENGTH) } next }
> /^                          [^ ]/ { line = $0; sub(/^ +/, "", line); text = text (text == "" ? "" : " ") line }
> END { flush() }
> END
$ for verb in $(cat verbs); do cleave $verb --help-all | awk -v page=$verb -f sentences.awk; done
$ for method in $(cleave methods --json | grep -o '"name":"[^"]*","title"' | cut -d '"' -f 4); do cleave train $method --help | awk -v page=$method -f sentences.awk; done

# Effective defaults of the method and its solvers, not the internal values.
$ cleave train boost --help | grep -A 2 -e '--rounds\|--max-leaves'
  --rounds N              Maximum number of boosting rounds. (default 100; at
                          least 1)
  --learning-rate NUMBER  Learning rate; shrinks the contribution of each tree.
--
  --max-leaves N          Maximum number of leaves of a tree. Leaves are split
                          in order of gain. (default: 31, or 8 with exponential
                          loss; 1 to 65,536)
$ cleave train svm --help | grep -A 1 -e '--max-iterations'; cleave train kernel-svm --help | grep -e '--epochs'
  --max-iterations N      Maximum number of iterations of a batch solver.
                          (default: 1,000; dcd: 32,000; at least 1)
  --epochs N              Maximum number of epochs. (default: 20; fourier: 1; at
$ cleave methods boost --json | grep -o '"limits":.*"name":"learning_rate".\{130\}'
"limits":["rounds"],"limit_defaults":["100"],"params":[{"name":"learning_rate","flag":"--learning-rate","type":"real","default":0,"default_text":"0.1, or 1 with exponential loss","min":0,"min_open":false,"max

# Every example runs as printed, in the order of the pages; so does the first screen.
$ for page in help $(for verb in $(cat verbs); do echo $verb--help; done); do mkdir -p ex/$page; cleave ${page/--/ --} | sed -n '/^Examples:/,/^$/s/^  //p' > ex/$page/examples; done; cat ex/*/examples | wc -l
98
$ for page in ex/*; do (cd $page && bash -e examples > out 2> messages) || { echo $page; tail -n 2 $page/messages; }; done

$ cleave help perceptron | sed -n 1p
perceptron: Perceptron.
$ cleave help data | sed -n 1,5p
DATA is a file, a folder of documents, - for standard input, or the name of a
built-in dataset. Several files of one format are read as one. Files may be
compressed with gzip or zstd. Arrow and Parquet files are read as tables (csv).
The suffix or the content determines the format; --format overrides it. 'cleave
convert --help-all' lists the options for reading.
$ cleave help trian
cleave: unknown command, method or transform 'trian'
hint: * 'train'\? * 'cleave help' * (glob)
? 2
$ cleave explain --help
Explain *. (glob)

Usage: cleave explain MODEL [DATA... [--row N]] [OPTION]...

Shows the weights, tree, neighbors or support vectors of a model, or the
contribution of each feature to one prediction. --json prints all weights in the
order of the training columns.

Examples:
  cleave train perceptron @spam6 -o spam.model
  cleave explain spam.model --top 3
  cleave explain spam.model @spam6 --row 2

Options:
  --top N                 Number of features to show per class. (default: 10, or
                          3 for more than 4 classes; at least 1)
  --class CLASS           Show only this class.
  --example ROW           Row to explain: text, age=39,color=red, '1:0.5 7:1', a
                          file, or -.
  --example-file FILE     File with the row to explain; - is standard input.
  --row N                 Row of DATA to explain, counted from 1. (at least 1)
  --tree N                Show this tree, counted from 1. (at least 1)
  --levels N              Number of levels of a tree to show (0: all). (at least
                          0)
  --margins               Linear model: show margin, slack and support vectors
                          of DATA.
  --weights LIST          Show margins of DATA for weights and an intercept,
                          e.g. 1,2,-3, without MODEL.
  --separators            Two columns: show all lines that separate the classes
                          of DATA, without MODEL.
  --rules                 Show a tree as rules, one per leaf.

'cleave explain --help-all' shows every option, including data options.

# The manual page is generated from the same tables.
$ cleave help --man | sed -n 1,3p
.TH cleave 1 "2026-11-18" "cleave 0.1.0" "User Commands"
.SH "NAME"
cleave \- supervised learning on data of any size
$ cleave help --man | grep -c -F -e '.B \-\-rate NUMBER'
0
? 1

# Every option of a command's help is in its manual page, and is offered by its completion.
$ cleave help --completion bash > completion; bash -n completion
$ for verb in $(cat verbs); do case $verb in methods | transforms) continue ;; esac; cleave help --man $verb | sed 's/\\-/-/g' > page; cleave __complete $verb -- | cut -f 1 > offered; cleave $verb --help | grep -oE '^  (-[a-z], )?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+$' | sort -u > flags; for flag in $(cat flags); do grep -qE -e "^\.B .*$flag( |$)" page || echo $verb $flag: not in the manual; grep -qxF -e "$flag" offered || echo $verb $flag: not completed; done; wc -l < flags; done | awk '/not/ { print } /^[0-9]+$/ { all += $1; verbs++ } END { print (all > 150 && verbs >= 23) ? "all there" : all " options of " verbs }'
all there

# An index has the options of knn.
$ cleave index --help-all | grep -c -e '--recall NUMBER\|--vote'; cleave index --help | grep -c 'share'
2
0
? 1

# The manual pages are well-formed.
% mandoc
$ for page in cleave $(cat verbs) data; do cleave help --man $([ $page = cleave ] || echo $page) > $page.man; mandoc -Tlint -Wwarning $page.man; done
