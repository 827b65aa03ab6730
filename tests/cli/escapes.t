# Columns are as wide as the displayed text, with escapes and wide characters.
$ printf 'x,label\n1,"a\nb"\n2,你好\n3,plain\n1,"a\nb"\n2,你好\n3,plain\n' > odd.csv
$ cleave train tree odd.csv -o odd.model --quiet
$ cleave test odd.model odd.csv --confusion --quiet | tail -n 4
  true class  a\nb  plain  你好
  a\nb           2      .     .
  plain          .      2     .
  你好           .      .     2
# Commas in a list of labels are escaped, and file names are quoted for a shell.
$ printf 'x,label\n1,"a,b"\n2,c\n1,"a,b"\n2,c\n' > list.csv
$ cleave train logistic list.csv -o list.model --quiet; cleave predict list.model list.csv --multilabel-threshold -9 | head -n 1
a\x2cb,c
$ cleave train perceptron @spam6 -o "$(printf "it's\033.model")" | tail -n 1
Next: cleave test $'it\'s\x1b.model' DATA, or cleave explain $'it\'s\x1b.model'.
