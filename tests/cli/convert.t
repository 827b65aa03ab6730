# To LIBSVM text and CSV by the suffix, and to the binary dataset.
$ cleave convert @spam6 -o spam.libsvm
note: LIBSVM text has no feature names; columns are written as 1, 2, ...
Wrote 6 *, 5 *, 2 * spam.libsvm (82 * 256 *). (glob)
$ cat spam.libsvm
+1 1:1 2:1 4:1 5:1
-1 3:1 4:1
+1 2:1 3:1
-1 1:1 4:1
+1 1:1 3:1 5:1
-1 1:1 3:1 4:1
$ cleave convert @spam6 -o spam.csv --quiet && cat spam.csv
and,viagra,the,of,nigeria,label
1,1,0,1,1,+1
0,0,1,1,0,-1
0,1,1,0,0,+1
1,0,0,1,0,-1
1,0,1,0,1,+1
1,0,1,1,0,-1
$ cleave convert spam.csv -o spam.cleave --quiet && cleave convert spam.cleave -o again.csv --quiet && cmp spam.csv again.csv

# To standard output.
$ cleave convert @points5 -o - --to libsvm --quiet
-1 1:1 2:4
-1 1:3 2:3
-1 1:3 2:1
+1 1:3 2:6
+1 1:5 2:3

# As JSON, times aside.
$ cleave convert @spam6 -o spam.libsvm --json | sed -E 's/("[a-z_]*seconds":)[^,}]*/\1T/g'
{"output":"spam.libsvm","rows":6,"features":5,"classes":2,"entries":16,"bytes_in":256,"bytes_out":82,"seconds":T,"cpu_seconds":T,"warnings":[]}

# The dataset gives the same results as the text.
$ cleave generate sparse --rows 2000 --features 500 --nonzeros 10 -o sparse.libsvm --quiet
$ cleave convert sparse.libsvm -o sparse.cleave --quiet && cleave convert sparse.cleave -o back.libsvm --quiet && cmp sparse.libsvm back.libsvm
$ cleave train perceptron sparse.libsvm --epochs 3 -o a.model --quiet; cleave train perceptron sparse.cleave --epochs 3 -o b.model --quiet
$ cmp a.model b.model

# Bit-identical for one thread and two.
$ cleave convert sparse.libsvm -o one.cleave --threads 1 --quiet; cleave convert sparse.libsvm -o two.cleave --threads 2 --quiet
$ cmp one.cleave two.cleave

# An input file is never overwritten.
$ cleave convert sparse.libsvm -o sparse.libsvm
cleave: -o 'sparse.libsvm' is also an input; use another file
? 2
$ cleave convert sparse.libsvm -o ./sparse.libsvm
cleave: -o './sparse.libsvm' * (glob)
? 2
$ cleave convert sparse.libsvm
cleave: convert needs -o FILE, the file to write
hint: see 'cleave convert --help'
? 2
$ cleave convert sparse.libsvm -o nowhere/x.cleave
nowhere/x.cleave: * written: No such file or directory (glob)
? 1
$ mkdir folder; cleave convert sparse.libsvm -o folder
folder: cannot be written: it is a folder
? 1

# A table written as a table is unchanged: header, order, quotes, missing cells.
$ printf 'id;name;city;class\n1;"a;b";NA;x\n2;"says ""hi""";  Bern ;y\n3;"two\nlines";;x\n' > odd.csv; cleave convert odd.csv -o same.csv -q; cmp odd.csv same.csv
$ gzip -k odd.csv; cleave convert odd.csv.gz -o same.csv -q; cmp odd.csv same.csv
$ printf '\357\273\277a,class\r\n1,x\r\n2,y\r\n' > mark.csv; cleave convert mark.csv -o same.csv -q; cmp mark.csv same.csv
$ printf '1,b,x\n2,c,y\n' > bare.csv; cleave convert bare.csv -o same.csv -q; cmp bare.csv same.csv
$ cat odd.csv | cleave convert - --format csv -o - --to csv -q | cmp odd.csv -
# Another delimiter, fewer columns, another name.
$ printf 'a,b,class\n1,x y,p\n"2,5",z,q\n3,"u\tv",p\n' > t.csv; cleave convert t.csv -o - --to tsv -q
a	b	class
1	x y	p
"2,5"	z	q
3	"u	v"	p
$ cleave convert t.csv --columns b=ignore --rename a=first -o - --to csv -q
first,class
1,p
"2,5",q
3,p
# A second file with its columns in another order, and another delimiter.
$ printf 'class;a;b\nq;4;w,w\n' > u.csv; cleave convert t.csv u.csv -o - --to csv -q | tail -n 1
4,"w,w",q
# Rows in a random order are the same rows.
$ (echo n,class; for i in $(seq 50); do echo "$i,$((i % 2))"; done) > n.csv; cleave convert n.csv --shuffle -o m.csv -q; cmp -s n.csv m.csv || sort m.csv | cmp - <(sort n.csv)
# --transform writes features. Labels in copied cells are not trimmed.
$ cleave convert t.csv --transform rare -o - --to csv -q | head -n 1
...
$ cleave convert t.csv --trim-labels p -o same.csv -q
cleave: --trim-labels has no effect here: t.csv is copied cell by cell
hint: write a .cleave dataset, or write features with 'convert --transform'
? 2
# A failed run leaves no output.
$ printf 'a,class\n1,x\n2\n' > short.csv; cleave convert short.csv -o none.csv -q
short.csv:3:2: * 2 * 1 (glob)
? 1
$ ls none.csv
ls: cannot access 'none.csv': No such file or directory
? 2

# A missing line end at the end of a table is added.
$ printf 'a,y\r\n1,p\r\n2,q' > last.csv; cleave convert last.csv --label y -o whole.csv --quiet; cmp whole.csv <(printf 'a,y\r\n1,p\r\n2,q\r\n')
# A table that keeps its cells has columns, not features.
$ printf 'a,b,y\n1,red,n\n2,blue,p\n3,green,n\n' > kept.csv; cleave convert kept.csv -o copy.csv 2> /dev/null; cleave convert kept.csv --columns a=ignore --shuffle -o copy.tsv 2> /dev/null
Wrote 3 rows, 3 columns, 2 classes to copy.csv (33 bytes from 33 bytes)*. (glob)
Wrote 3 *, 2 *, 2 * copy.tsv (25 * 33 *). (glob)
$ cleave convert kept.csv -o copy.csv --json 2> /dev/null | grep -o '"columns":[0-9]*'; cleave convert kept.csv -o kept.cleave --json 2> /dev/null | grep -c '"columns"'
"columns":3
0
? 1
