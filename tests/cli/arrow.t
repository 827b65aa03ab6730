# Arrow IPC is a table: the model equals that of the CSV file with the same cells. The stream, made by pyarrow 26:
# size double (a null), color dictionary<int8, string>, day date32 (a null), label string.
$ base64 -d <<'END' | gunzip > t.arrows
> H4sIAAAAAAACA4VSvU7DQAz2JZcfIIgMFcrAEDFFTB3Z6MDA0L4BAwmNENKhSilIhSdi4HF4GLZg
> +3zt5SSEK5/r+LvPn52M4zjOFUAJZMdQQAoJ5PgPTWnQGO4RQ5H8G92gzyVfYg2BCd2v5BlZQri2
> 6wm7Q8yrxeWEm3m4GH3dvkPHddJRYfcUMlRSItLqUgnduUWvgx6PG7MZMOb4owqdBecFesY5Ediq
> nYd4XQ/KpEdM8cLjp7h9/ugBsYRP+WnEJ8odP2UW4J4z2VzBrBBprlVStxu1+tyuK0RqqSzleQQH
> i+FvKySWEjOvpgIen8/hhn7dmbee52iUP8f5dI5Y8wy7PctU95do0F6fo0CLnd9aLbEJtDXezkG+
> L//+dTDvXXDf5W6OhyB33Drg1QHPf/XTSfZzM63WCxsvF0ig/PdyssLdol+tDuiEtwlw5uncvrTG
> 8GHa4annw31vFH8BWAEUmLADAAA=
> END
$ printf 'size,color,day,label\n1.5,"red",2024-01-01,"small"\n,"blue",2024-01-02,"small"\n8,"red",2024-02-01,"large"\n9,"blue",,"large"\n' > t.csv
$ cleave train tree t.csv --prune none -o csv.model -q
$ cleave train tree t.arrows --prune none -o a.model 2>&1 | head -n 1
note: t.arrows: label column 'label' (--label), by its name, 2 classes; columns: 1 number, 1 date, 1 category (--columns)
$ cmp a.model csv.model
$ (printf 'ARROW1\0\0'; cat t.arrows) > t.arrow; cleave train tree t.arrow --prune none -o b.model -q; cmp b.model csv.model
$ gzip -c t.arrows | cleave train tree - --format csv --delimiter ';' --header no --decimal comma --prune none -o c.model -q; cmp c.model csv.model
$ cleave train tree t.arrows t.csv --prune none -o d.model -q; cleave train tree t.csv t.csv --prune none -o e.model -q; cmp d.model e.model
$ cleave predict csv.model t.arrows -o - -q | paste -sd ' '
small small large large
$ cleave convert t.arrows --describe --columns color=ignore -q | sed -n '/^column/,$p'
column  type    missing  distinct  values                    reason
size    number        1         3  1.5 to 9, median 8        all cells are numbers
color   ignore        0         2  red 2, blue 2             text, 1 word per cell
day     date          1         3  2024-01-01 to 2024-02-01  all cells are dates
label   label         0         2  small 2, large 2          text, 1 word per cell

# Damage.
$ head -c 600 t.arrows > cut.arrows; cleave train tree cut.arrows -o x.model 2>&1 | head -n 1
cut.arrows: byte 600: the file ends inside * (glob)
$ (head -c 700 t.arrows; head -c 80 /dev/zero; tail -c +781 t.arrows) > bad.arrows; cleave train tree bad.arrows -o x.model
bad.arrows: the Arrow data before byte * is corrupt: * (glob)
hint: write the file again with the program that made it
? 1
$ base64 -d <<'END' | gunzip > list.arrows
> H4sIAAAAAAACA41QMQ7CMAy8pimtqgwZKsTA0IEHdGTkK63UAalsDDyCp/Achj6FLVyMUatISFhy
> zuecY8chhDAD8IhWw2GDAhUjWmbJQVbxtHoCht5p/GA9hUWs32kuWkGf+mGciDM1z4/ONeR71WX0
> g+JNclbyHg17bVBKd6+zZSZiu+oR8XwdL5AZHb2UGaP4pBq2DS9io9xhqz908jpyK3Mf8bWa3Mlv
> 4w7uuhuDxUr8Nqfok7xPsE3u26S+U1z3zROOPzh0v2YVp7r1fT8se4v4Bl1Zvq0gAgAA
> END
$ cleave train tree list.arrows -o x.model
list.arrows: column 'x' has the Arrow type 'list', which is not supported
hint: cast it to a number, a boolean, UTF-8 text, a date, a timestamp or a dictionary of these, or leave it out
? 1
