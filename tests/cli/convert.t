# To LIBSVM text and CSV by the suffix, and to the binary dataset.
$ cleave convert @spam6 -o spam.libsvm
note: LIBSVM text has no names of features: columns are written as 1, 2, ...
6 rows, 5 features, 2 classes written to spam.libsvm: 82 bytes from 256 bytes
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

# The same numbers come out of the dataset as out of the text.
$ cleave generate sparse --rows 2000 --features 500 --nonzeros 10 -o sparse.libsvm --quiet
$ cleave convert sparse.libsvm -o sparse.cleave --quiet && cleave convert sparse.cleave -o back.libsvm --quiet && cmp sparse.libsvm back.libsvm
$ cleave train perceptron sparse.libsvm --rounds 3 -o a.model --quiet; cleave train perceptron sparse.cleave --rounds 3 -o b.model --quiet
$ cmp a.model b.model

# One thread or two, the same bytes.
$ cleave convert sparse.libsvm -o one.cleave --threads 1 --quiet; cleave convert sparse.libsvm -o two.cleave --threads 2 --quiet
$ cmp one.cleave two.cleave

# An input is never written.
$ cleave convert sparse.libsvm -o sparse.libsvm
cleave: -o 'sparse.libsvm' is also an input, and an input is never written: name another file
? 2
$ cleave convert sparse.libsvm -o ./sparse.libsvm
cleave: -o './sparse.libsvm' is also an input, and an input is never written: name another file
? 2
$ cleave convert sparse.libsvm
cleave: convert needs -o FILE, the file to write  ('cleave convert --help' says more)
? 2
$ cleave convert sparse.libsvm -o nowhere/x.cleave
nowhere/x.cleave: cannot be written: No such file or directory
? 1
$ mkdir folder; cleave convert sparse.libsvm -o folder
folder: cannot be written: Is a directory
? 1
