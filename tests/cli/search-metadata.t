# Ids and metadata from files with a line for each row of the data.
$ printf 'x,y\n1,2\n3,4\n5,6\n2,2\n' > p.csv; printf 'x,y\n1,2\n4,4\n' > q.csv; printf 'title,lang,key\n"a, b",en,k0\nzwei,de,k1\ndrei,de,k2\nfour,en,k3\n' > m.csv; printf 'a\nb\nc\nd\n' > ids.txt
$ cleave index p.csv --label none --transform none --index kdtree --ids ids.txt --metadata m.csv -o p.model -q; cleave search p.model q.csv --k 2 --show title,lang
query,rank,row,distance,label,id,title,lang
0,1,0,0,,a,"a, b",en
0,2,3,1,,d,four,en
1,1,1,1,,b,zwei,de
1,2,2,2.23606797749979,,c,drei,de
$ cleave search p.model q.csv --k 1 --show title --where lang=de --json --stats
{"query":0,"neighbors":[{"row":1,"distance":2.8284271247461903,"label":null,"id":"b","metadata":{"title":"zwei"}}],"stats":{"nodes":1,"leaves":1,"candidates":4}}
{"query":1,"neighbors":[{"row":1,"distance":1,"label":null,"id":"b","metadata":{"title":"zwei"}}],"stats":{"nodes":1,"leaves":1,"candidates":4}}
$ cleave search p.model q.csv --k 2 --stats -o out.csv
visited per query: 1.0 nodes, 1.0 leaves, 4.0 candidates (2 queries)
$ cleave search p.model q.csv --k 1 --where 'lang=en|de,id=c|d' -q
query,rank,row,distance,label,id
0,1,3,1,,d
1,1,2,2.23606797749979,,c
$ cleave search p.model q.csv --k 1 --where key=k1 -q
query,rank,row,distance,label,id
0,1,1,2.8284271247461903,,b
1,1,1,1,,b

# A table of rows and distances for NumPy; rows that were not found are -1.
$ cleave search p.model q.csv --k 2 --where id=c --to npy -o found.npy; head -c 128 found.npy | tail -c +11 | tr -s ' '; tail -c 64 found.npy | od -An -v -t d8 -w16 | awk '{ print $1 }'
{'descr': [('row', '<i8'), ('distance', '<f8')], 'fortran_order': False, 'shape': (2, 2), } 
2
-1
2
-1
$ cleave search p.model q.csv --radius 2 --to npy
cleave: --to npy requires --k: all queries must have the same number of neighbors
? 2
$ cleave search p.model q.csv --show tint
cleave: --show: the model has no metadata with the name 'tint'
hint: use columns of the file given to 'cleave index --metadata'
? 2
$ cleave search p.model q.csv --where lang=fr
cleave: --where: no point has the lang 'fr'
hint: separate the values of a column by '|', and conditions by ','
? 2
$ cleave search p.model q.csv --where x=1
cleave: --where: * 'x' (glob)
hint: use label, id, or a column of the file given to 'cleave index --metadata'
? 2
$ cleave search p.model q.csv --where lang
cleave: --where: expected NAME=VALUE, found 'lang'
hint: write conditions such as label=Beagle or lang=en|de,year=2020
? 2
$ cleave search p.model q.csv --where label=a
cleave: --where: * 'a' (glob)
hint: omit the condition: the model has no labels
? 2

# Rows that are added have ids of their own; those of removed rows may be used again.
$ cleave index p.csv --label none --from p.model -o more.model -q
cleave: the index has ids: --ids is required
hint: pass a file for the rows that are added
? 2
$ cleave index p.csv --label none --from p.model --ids ids.txt --metadata m.csv -o more.model -q
--ids: ids.txt: rows 0 and 4 have the same id 'a'
hint: assign a unique id to each row
? 1
$ printf 'e\nf\ng\nh\n' > more.txt; cleave index p.csv --label none --from p.model --ids more.txt --metadata m.csv -o more.model -q; cleave search more.model q.csv --k 3 --show key
query,rank,row,distance,label,id,key
0,1,0,0,,a,k0
0,2,4,0,,e,k0
0,3,3,1,,d,k3
1,1,1,1,,b,k1
1,2,5,1,,f,k1
1,3,2,2.23606797749979,,c,k2
$ cleave remove more.model --ids a,b,c,d,f -o fewer.model; cleave search fewer.model q.csv --k 2
Removed 5 points.
Model * fewer.model. (glob)
query,rank,row,distance,label,id
0,1,4,0,,e
0,2,7,1,,h
1,1,6,2.23606797749979,,g
1,2,7,2.8284271247461903,,h
$ cleave index p.csv --label none --from fewer.model --ids ids.txt --metadata m.csv -o again.model -q; cleave search again.model q.csv --k 2
query,rank,row,distance,label,id
0,1,4,0,,e
0,2,8,0,,a
1,1,9,1,,b
1,2,6,2.23606797749979,,g
$ cleave remove fewer.model --ids a -o none.model
cleave: --ids: no point has the id 'a'
hint: use ids given to 'cleave index --ids'
? 2
$ cleave index p.csv --label none --ids key --metadata m.csv -o key.model -q; cleave search key.model q.csv --k 1 | cut -d, -f 3,6
row,id
0,k0
1,k1
$ cleave train knn @dogs -o knn.model -q; cleave search knn.model @dogs --k 1 --where 'label=Beagle|Dachshund' -q | head -n 2
query,rank,row,distance,label
0,1,3,2,Dachshund

# Files that do not fit the data.
$ printf 'a\nb\n\nd\n' > bad.txt; cleave index p.csv --label none --ids bad.txt -o bad.model -q
--ids: bad.txt:3: the line is empty
hint: write one value on each line
? 1
$ printf 'a\nb\nb\nd\n' > bad.txt; cleave index p.csv --label none --ids bad.txt -o bad.model -q
--ids: bad.txt: * 1 * 2 * 'b' (glob)
hint: * (glob)
? 1
$ printf 'a\nb\n' > bad.txt; cleave index p.csv --label none --ids bad.txt -o bad.model -q
--ids: bad.txt: expected 4 rows, found 2
hint: provide one line per row of the data, in the same order
? 1
$ printf 'a,b\n1,2\n3\n4,5\n6,7\n' > bad.csv; cleave index p.csv --label none --metadata bad.csv -o bad.model -q
--metadata: bad.csv:3: expected 2 cells as in the header, found 1
hint: put cells with the delimiter in quotes
? 1
$ printf 'a,a\n1,2\n' > bad.csv; cleave index p.csv --label none --metadata bad.csv -o bad.model -q
--metadata: bad.csv:1: two columns have the name 'a'
hint: use a unique name for each column
? 1
$ printf 'a,\n1,2\n' > bad.csv; cleave index p.csv --label none --metadata bad.csv -o bad.model -q
--metadata: bad.csv:1: column 1 of the header is empty
hint: name every column
? 1
$ : > bad.csv; cleave index p.csv --label none --metadata bad.csv -o bad.model -q
--metadata: bad.csv: the table is empty
hint: the first line has the names of the columns
? 1
$ printf 'a\n"1\n' > bad.csv; cleave index p.csv --label none --metadata bad.csv -o bad.model -q
--metadata: bad.csv:2:1: * (glob)
hint: * (glob)
? 1
$ printf 'k\n1\n2\n\n3\n""\n' > bad.csv; cleave index p.csv --label none --metadata bad.csv --ids k -o bad.model -q
--ids: k: row 3 has no id
hint: assign an id to each row
? 1
$ printf 'other\n1\n2\n3\n4\n' > other.csv; cleave index p.csv --label none --from p.model --ids more.txt --metadata other.csv -o bad.model -q
--metadata: other.csv: the columns differ from the columns of the index
hint: pass a table with the same columns
? 1
$ ls bad.model
ls: * 'bad.model': * (glob)
? 2

# Points in a box, borders included.
$ cleave search p.model --box x=1..3 --show title
query,rank,row,distance,label,id,title
0,1,0,0,,a,"a, b"
0,2,1,0,,b,zwei
0,3,3,0,,d,four
$ cleave search p.model --box y=4..,x=..5 --where lang=de --stats
query,rank,row,distance,label,id
0,1,1,0,,b
0,2,2,0,,c
visited per query: 1.0 nodes, 1.0 leaves, 4.0 candidates (1 query)
$ cleave search p.model --box x=9..
query,rank,row,distance,label,id
$ cleave search p.model --box z=3..
cleave: --box: the points have no column 'z'
hint: use the names of columns; columns without names have numbers
? 2
$ cleave search p.model --box x=3..2
cleave: --box: the range from 3 to 2 is empty
hint: put the lower bound first
? 2
$ cleave search p.model --box x=3
cleave: --box: expected NAME=LOW..HIGH, found 'x=3'
hint: write ranges such as x=1..3,y=0..2
? 2
$ cleave search p.model --box x=a..2
cleave: --box: * 'a' (glob)
hint: write ranges such as x=1..3 or x=1..
? 2
$ cleave search p.model --box x=1..2 --match within
cleave: --match within requires boxes, and the model has points
hint: create the index with '--boxes', or omit --match
? 2
$ cleave search p.model q.csv --box x=1..2
cleave: --box and queries cannot be combined
? 2
$ cleave search p.model --box x=1..2 --k 3
cleave: --box * --k * (glob)
? 2
$ cleave search p.model
cleave: search needs queries after the model
hint: pass a file of queries, or use --text or --box
? 2
$ cleave search key.model --box x=1..2
cleave: --box: the points were transformed and are not in the units of the data
hint: create the index with '--transform none'
? 2

# Boxes: those that intersect another, are within it, or contain it.
$ printf 'xmin,xmax,ymin,ymax\n0,2,0,2\n1,3,1,3\n5,6,5,6\n' > b.csv; cleave index b.csv --label none --boxes x=xmin..xmax,y=ymin..ymax -o b.model -q; for m in intersects within contains; do cleave search b.model --box x=1..3,y=1..3 --match $m | cut -d, -f 3 | xargs; done
row 0 1
row 1
row 1
$ cleave search b.model --box x=2..5,y=2..5 --to json --stats
{"query":0,"neighbors":[{"row":0,"distance":0,"label":null},{"row":1,"distance":0,"label":null},{"row":2,"distance":0,"label":null}],"stats":{"nodes":0,"leaves":1,"candidates":3}}
$ cleave search b.model --box z=1..2
cleave: --box: the boxes have no dimension 'z'
hint: use the dimensions that 'cleave index --boxes' defined
? 2
$ cleave index b.csv --label none --boxes x=xmin..zz -o bad.model -q
cleave: --boxes: * 'zz' (glob)
hint: * (glob)
? 2
$ cleave index b.csv --label none --boxes x=xmax..xmin -o bad.model -q
row 0: the lower bound 'xmax' (2) is above the upper bound 'xmin' (0)
hint: write the column of the lower bound first in --boxes
? 1
$ cleave index b.csv --label none --boxes x=xmin..xmax --transform scale -o bad.model -q
cleave: --boxes: * transformed* (glob)
hint: add '--transform none'
? 2
$ ls bad.model
ls: * 'bad.model': * (glob)
? 2
