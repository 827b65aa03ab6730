# Without a command: the first screen, and status 2.
$ cleave
cleave learns to tell things apart from labelled examples, on data of any size.

Each of these runs as printed:
  cleave trace perceptron @spam6 --rate 1/2                      watch it learn, update by update
  cleave generate spam --rows 5000 --test-rows 1000 -o mail.tsv  make messages to learn from
  cleave train perceptron mail.tsv -o mail.model                 learn a spam filter
  cleave test mail.model mail-test.tsv                           judge it on unseen messages
  cleave explain mail.model --top 5                              the words that decide
  cleave predict mail.model mail-test.tsv --scores               label and score, one message a line
  cleave convert mail.tsv -o mail.cleave                         a compact dataset to train on
  cleave train perceptron mail.cleave --rounds 10 --json         results for programs

commands:
  train       learn a model from labelled data
  update      learn from new rows without forgetting the old ones
  predict     label new data with a model
  test        judge a model on labelled data
  cv          judge a method by cross-validation, and whether it overfits
  tune        find good parameters of a method, and the command that trains with them
  compare     try every method that suits the data, and say which is best beyond chance
  index       keep points to be searched for
  search      find the nearest training points and their distances
  remove      a model of points without some of them
  explain     show what a model has learned
  trace       watch a method learn, example by example
  stream      predict examples as they come, then learn from them
  plot        draw how a method learns, how a model answers, or data
  convert     write data as a compact binary dataset, or as text
  split       deal rows into a file to train with and one to test with
  generate    make data of a known shape
  plan        estimate what training costs on many nodes
  begin       make the model before the first round of map, reduce and apply
  map         write what some rows add to a model, as key TAB value
  reduce      sum the values of equal keys, exactly
  apply       add the sums of a round to its model
  methods     list the methods, or describe one
  transforms  list the transformations, or describe one
  help        a page about a command, a method, a transformation, or the data that can be read

'cleave help COMMAND' and 'cleave help METHOD' say more; 'cleave help data' lists what can be read
? 2
$ cleave help | sed -n 1p
cleave learns to tell things apart from labelled examples, on data of any size.
$ cleave --help | tail -n 1
'cleave help COMMAND' and 'cleave help METHOD' say more; 'cleave help data' lists what can be read
$ cleave --version | sed -n 1p
cleave 0.1.0
$ cleave --version | grep -c '^built with zlib'
1
$ cleave version | sed -n 1p
cleave 0.1.0

# Every command has a page.
$ for verb in train predict test explain trace stream convert generate plan begin map reduce apply methods transforms help; do cleave $verb --help | sed -n 1p; done
usage: cleave train METHOD DATA... [-o FILE] [OPTION]...
usage: cleave predict MODEL DATA... [-o FILE] [OPTION]...
usage: cleave test MODEL DATA... [OPTION]...
usage: cleave explain MODEL [DATA... [--row N]] [OPTION]...
usage: cleave trace METHOD DATA... [OPTION]...
usage: cleave stream METHOD [DATA] [OPTION]...
usage: cleave convert DATA... -o FILE [OPTION]...
usage: cleave generate KIND -o FILE [OPTION]...
usage: cleave plan [OPTION]...
usage: cleave begin METHOD SAMPLE... -o FILE [OPTION]...
usage: cleave map [DATA...] [-o FILE] [OPTION]...
usage: cleave reduce [FILE...] [-o FILE] [OPTION]...
usage: cleave apply [SUMS...] [-o FILE] [OPTION]...
usage: cleave methods [NAME] [OPTION]...
usage: cleave transforms [NAME] [OPTION]...
usage: cleave help [COMMAND|METHOD|TRANSFORMATION|data] [OPTION]...
$ for verb in train predict test explain trace stream convert generate plan begin map reduce apply methods; do cleave help $verb | cmp - <(cleave $verb --help) || echo "$verb differs"; done

# Every example runs as printed.
$ for verb in train predict test explain trace stream convert generate plan begin map reduce apply methods transforms help; do cleave help $verb | sed -n 's/^  \(cleave .*\)/\1/p'; done > examples; wc -l < examples
37
$ bash -e examples > /dev/null 2> messages; echo $?
0

# So does the first screen.
$ cleave help | sed -n 's/^  \(cleave .*[^ ]\)  .*/\1/p' | sed 's/   *[a-z].*//' > first; wc -l < first
8
$ bash -e first > /dev/null 2> messages; echo $?
0

$ cleave help perceptron | sed -n 1p
perceptron: linear separator that learns from its mistakes
$ cleave help data | sed -n 1,5p
DATA is a file, a folder of documents, - for standard input, or the name of a built-in set.
Several files of one format are read as one. A file may be compressed with gzip or zstd. The
format is told by the suffix, else by the content; --format says it. 'cleave train --help' lists
the options of reading.
$ cleave help trian
cleave: no command, method or transformation 'trian'; did you mean 'train'?  ('cleave help' lists them all)
? 2
$ cleave explain --help
usage: cleave explain MODEL [DATA... [--row N]] [OPTION]...

Shows how the model was made and the features that speak most for and against each class; or, of
one example, what it is answered with and how much each of its features did for that. JSON has
every weight, in the order of the training columns.

examples, which run as printed:
  cleave train perceptron @spam6 -o spam.model
  cleave explain spam.model --top 3
  cleave explain spam.model @spam6 --row 2

options:
  --top N                   how many of the heaviest features to show, for and against; 3 where
                            there are more than 4 classes; --json has all (default 10; at least
                            1)
  --class TEXT              show this class only
  --example TEXT            example to explain: a text, age=39,color=red, '1:0.5 7:1', the name
                            of a file, or - for standard input
  --example-file FILE       file that holds the example: text, a document, or data with one row;
                            - is standard input
  --row N                   row of DATA to explain, counted from 1; not needed where DATA has
                            one row (at least 1)
  --tree N                  of several trees, show this one, counted from 1 (at least 1)
  --levels N                questions of a tree on the way down that are shown; 0: all, which is
                            usual up to 64 leaves (at least 0)
  --rules                   a tree as rules, one for each leaf

reading data:
  --format TEXT             libsvm, csv, tsv, text, folder, document, npy, idx, fvecs, bvecs,
                            ivecs, cleave; auto: by suffix, then by content (default auto)
  --label COLUMN            tables: the label's column, by name or by number from 1
  --columns TEXT            tables: kinds of columns, as in age=number,bio=text,id=ignore
                            (number, category, text, label, weight, ignore; date, date-dmy,
                            date-mdy, date-ymd, time, epoch, epoch-ms)
  --header auto|yes|no      tables: whether the first row holds names (default auto)
  --delimiter TEXT          tables: what stands between cells: one character, or tab
  --missing TEXT            tables: cells that stand for a missing value; an empty cell and NaN
                            in arrays always do (default ?,NA,N/A,NaN,nan,null,NULL)
  --by-position             tables: match a model's columns by place instead of by name
  --documents auto|plain|mail|html|lines
                            documents: how each file is read; auto decides by its first lines;
                            lines: each line is a document (default auto)
  --rename TEXT             tables: columns that the file calls by another name, as in
                            pay=income,years=age (THERE=HERE)
  --classes TEXT            keep only the rows of these classes, as in pos,neg; rows without a
                            label are kept
  --trim-labels TEXT        characters to take off both ends of every label, as in --trim-labels
                            .
  --labels FILE             idx, npy and vecs: the file that holds the labels
  --weights FILE            file of sample weights, one per row: .npy, or text with one number
                            per line
  --key TEXT                npz: array of rows, or ROWS,LABELS (default: X,y or other common
                            names)
  --stop-words TEXT         text: leave out common words: english, or a file that has them; the
                            model keeps the list
  --stem TEXT               text: words by their stems, in a language, as in english or german
  --ngrams TEXT             text: word n-gram range, as in 2 or 1-2 (default 1)
  --chars TEXT              text: so many characters in a row, within words and their borders,
                            as in 3-5; instead of words, or beside --ngrams
  --sequence                text: not words but the text as it is, character by character, for
                            --distance edit
  --keep-case               text: capitals stay
  --hash-bits N             text: 2^N columns that words are hashed to, instead of one for each
                            word; 0: none (default 0; 0 to 28)
  --hash-names              text: with --hash-bits, name each column by the first word in it
  --zero-based              libsvm: indexes count from 0
  --sort-indexes            libsvm: allow indexes out of order
  --sum-repeated            libsvm: allow an index twice in a row; the values are added
  --max-line-mb N           maximum length of a line of text, in MB (default 256; 1 to 65536)
  --allow-cut               read up to the last whole line of a file that was cut short

options of every command:
  --threads N               threads to work with; 0: one per core (default 0; 0 to 1024)
  --seed N                  where random numbers start: same seed, same result (default 1; 0 to
                            9.0072e+15)
  --json                    results as JSON, for programs
  -q, --quiet               no summary, no warnings, no progress: errors only
  -h, --help                this page

# Lines of a page are at most 100 wide.
$ for verb in train predict test explain trace stream convert generate plan begin map reduce apply methods transforms help; do cleave help $verb; done | awk 'length > 100'

# The manual page comes from the same tables.
$ cleave help --man | sed -n 1,3p
.TH CLEAVE 1 "" "cleave 0.1.0" "User Commands"
.SH "NAME"
cleave \- learn from labelled examples, on data of any size
$ cleave help --man | grep -c -F -e '.B \-\-rate NUMBER'
8

# Every option that a command's help has is in the manual and in the completion of that command.
$ cleave help --man | sed 's/\\-/-/g' > page; cleave help --completion > completion; bash -n completion
$ for verb in $(cleave help | sed -n '/^commands:/,/^$/p' | awk 'NR > 1 { print $1 }'); do cleave $verb --help | grep -oE '^  (-[a-z], )?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+$' | sort -u > flags; for flag in $(cat flags); do grep -qE -e "^\.B .*$flag( |$)" page || echo $verb $flag: not in the manual; grep -qE -e "^    $verb\) options=.* $flag[ \"]" completion || echo $verb $flag: not in the completion; done; wc -l < flags; done | awk '/not in/ { print } /^[0-9]+$/ { all += $1; verbs++ } END { print (all > 400 && verbs >= 25) ? "all there" : all " options of " verbs }'
all there
$ . ./completion; complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _cleave; echo ${COMPREPLY[@]}; }; complete_words cleave comp; complete_words cleave train perc; complete_words cleave compare data.csv --bud; complete_words cleave train svm x.csv --solver lb; complete_words cleave trace perceptron @spam
compare
perceptron
--budget
lbfgs
@spam6
