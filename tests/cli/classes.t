# --classes keeps the rows of some classes, for data of any format. Features that occur only in dropped rows do not exist.
$ mkdir -p rev/pos rev/neg rev/unsup rev/.git
$ for i in 1 2 3; do echo "good nice $i" > rev/pos/$i; echo "bad awful $i" > rev/neg/$i; done; for i in $(seq 40); do echo "other$i" > rev/unsup/$i; done
$ cleave train svm rev -o m.model --classes pos,neg --json | grep -o '"rows":6,\|"classes":2'
"rows":6,
"classes":2
$ cleave explain m.model --example "other1 good" | tail -n 1
Not in the model: other1
$ cleave test m.model rev --classes pos,neg --json --quiet | grep -o '"rows":6'
"rows":6

# Folders that do not look like classes are named, with the option that excludes them. Hidden folders are not classes.
$ cleave convert rev -o all.cleave
note: rev/.git: hidden folder ignored
note: rev: the folder 'unsup' (40 documents) is read as a class; pass --classes neg,pos to ignore it
Wrote 46 rows, 47 features, 3 classes to all.cleave (2,912 bytes from 383 bytes)*. (glob)
$ mv rev/unsup rev/more; cleave convert rev -o more.cleave | head -n 0
note: rev/.git: * (glob)
note: rev: the folder 'more' (40 documents) is read as a class, and is far larger than the other classes; pass --classes neg,pos to ignore it
$ rm rev/more/[2-9] rev/more/1? rev/more/2? rev/more/3?; rmdir rev/.git; cleave convert rev -o more.cleave
Wrote 8 *, 9 *, 3 * more.cleave (1,888 * 87 *). (glob)

# Datasets, built-in sets, LIBSVM text, lines of text, tables and arrays.
$ cleave convert all.cleave --classes pos,neg -o - --to libsvm --quiet | cut -d' ' -f1 | sort | uniq -c | tr -s ' '
 3 neg
 3 pos
$ cleave train tree @dogs --classes Beagle,Dachshund -o d.model --json | grep -o '"rows":7,\|"classes":2'
"rows":7,
"classes":2
$ printf '1 1:1\n2 4:1\n3 9:1\n1 2:1 # last\n' > x.libsvm; cleave convert x.libsvm --classes 1,2 -o - --to libsvm --quiet
1 1:1
2 4:1
1 2:1
$ printf '.a.\tone\n.b.\ttwo\nc\tthree\n\tfour\n' > x.txt; cleave convert x.txt --classes a,c --trim-labels . -o - --to csv --quiet
one,three,four,label
1,0,0,a
0,1,0,c
0,0,1,
$ printf 'a,1,x\nb,2,"y\nz"\nc,3,w\na,4,"x"\n,5,w\nb,5,q' > x.csv; cleave convert x.csv --label 1 --classes a,c -o x.cleave --quiet; cleave convert x.cleave -o - --to csv --quiet
2,3=x,3=w,label
1,1,0,a
3,0,1,c
4,1,0,a
5,0,1,
$ printf 'a\tone\nb\ttwo\nc\tthree\n' | cleave stream perceptron - --format text --classes a,b --json --quiet | tail -n 1 | grep -o '"examples":2'
"examples":2
$ printf 'a,1\nb,2,9\nc,3\n' > bad.csv; cleave convert bad.csv --label 1 --header no --classes a,b -o - --to csv --quiet
bad.csv:2:5: * 2 * 3 (glob)
hint: * (glob)
? 1

# A class without rows, and no class with rows.
$ cleave convert x.libsvm --classes 1,7 -o y.libsvm
warning: x.libsvm: --classes: no row has the class '7'
note: x.libsvm: 2 rows of classes other than 1,7 dropped
Wrote 2 rows, 2 features, 1 class to y.libsvm (12 bytes from 31 bytes)*. (glob)
$ cleave convert x.libsvm --classes 7 -o y.libsvm
x.libsvm: --classes 7: none of the 4 rows belongs to these classes
hint: write the class names exactly as in the data, separated by commas
? 1
$ cleave train svm rev --classes no -o n.model
rev: --classes no: none of the 8 rows belongs to these classes
hint: * (glob)
? 1

# convert and split copy the records of the kept rows unchanged.
$ cleave convert x.csv --label 1 --classes a,c -o y.csv --quiet; cat y.csv
a,1,x
c,3,w
a,4,"x"
,5,w
$ cleave convert x.txt --classes .a.,c -o y.tsv --quiet; cat -A y.tsv
.a.^Ione$
c^Ithree$
^Ifour$
