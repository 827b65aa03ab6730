# The textbook's example: two factors, all elements 1, then one element after another. u1 becomes 2.6, v1 1.617, u3 1.178.
$ cleave trace uv @utility5 --solver elements --rank 2 --initial-value 1 --no-biases --lambda 0 --epochs 1 --json >trace
$ sed -n 1p trace | grep -o '"weights":.*"u2.1":1'
"weights":{"u1.1":1,"u1.2":1,"u2.1":1
$ sed -n '2p;3p;6p' trace | grep -o '"[uv][0-9].1":[0-9.]*[2-9][0-9]*[,}]' | sort -u | grep -v ':1,'
"u1.1":2.5999999046325684,
"u2.1":1.093603253364563,
"u3.1":1.1784656047821045,
"v1.1":1.6171003580093384,
"v2.1":0.9642457962036133,
$ cleave train uv @utility5 --solver elements --rank 2 --initial-value 1 --no-biases --lambda 0 --epochs 200 --tolerance 0 -o u.model --json | grep -o '"train_rmse":0.[0-9]' 
"train_rmse":0.3

# A table: the first two columns are the user and the item, the third is the rating.
$ cleave generate ratings --rows 20000 --noise 0 --test-rows 1000 -o r.tsv --quiet
$ head -n 2 r.tsv
user	item	rating
u282	i3	3.22
$ cleave train uv r.tsv --rank 4 --lambda 1e-4 --solver als --epochs 60 -o als.model --quiet
$ cleave test als.model r-test.tsv --json | grep -o '"rmse":0.0[0-9]'
"rmse":0.0* (glob)
$ cleave train uv r.tsv --rank 4 --lambda 0.01 --threads 1 -o sgd.model --quiet
$ cleave train uv r.tsv --rank 4 --lambda 0.01 --threads 3 -o sgd3.model --quiet
$ cmp sgd.model sgd3.model
$ cleave train uv r.tsv --rank 4 --solver als --threads 3 --lambda 1e-4 --epochs 60 -o als3.model --quiet
$ cmp als.model als3.model
$ cleave test sgd.model r-test.tsv --json | grep -o '"rmse":0.[0-2]'
"rmse":0.[0-2] (glob)

# More columns are ignored; columns can be named; unknown users and items get the mean and the known bias.
$ printf 'when,who,what,stars\n1,a,x,5\n2,a,y,1\n3,b,x,4\n4,b,z,2\n5,c,y,1\n6,c,z,3\n' >t.csv
$ cleave train uv t.csv --columns who=category,what=category --label stars --rank 2 -o t.model --json | grep -o '"users":3,"items":3,"rank":2'
"users":3,"items":3,"rank":2
$ printf 'who,what\nnobody,nothing\nnobody,x\n' >new.csv
$ cleave predict t.model new.csv --quiet | head -n 1
2.6666666666666665
$ printf 'u,i,r\n1,7,5\n1,8,1\n2,7,4\n2,9,2\n' >n.csv
$ cleave train uv n.csv --rank 1 --clip 2,4 -o n.model --quiet
$ cleave predict n.model n.csv | awk '$1 < 2 || $1 > 4'
$ printf '5 1:1 4:1\n1 1:1 5:1\n4 2:1 4:1\n2 3:1 5:1\n' >pairs.libsvm
$ cleave train uv pairs.libsvm --rank 1 -o p.model --quiet
$ cleave recommend p.model --user 3 --json | grep -o '"items":\[{"item":"4"'
"items":[{"item":"4"

# Implicit feedback, with and without a column of counts.
$ printf 'u,i\na,x\na,y\nb,x\nb,y\nc,z\nc,w\nd,z\nd,w\nd,x\n' >seen.csv
$ cleave train uv seen.csv --implicit --rank 2 --alpha 10 -o seen.model --quiet
$ cleave recommend seen.model --user c --top 1 --json | grep -o '"items":\[{"item":"."'
"items":[{"item":"x"

# A warm start continues: 2 and 3 epochs are 5.
$ cleave train uv r.tsv --rank 4 --epochs 5 --tolerance 0 -o five.model --quiet
$ cleave train uv r.tsv --rank 4 --epochs 2 --tolerance 0 -o two.model --quiet
$ cleave train uv r.tsv --from two.model --epochs 3 -o more.model --quiet
$ for m in five more; do cleave predict $m.model r-test.tsv | cksum; done | uniq | wc -l
1

# Recommendations.
$ cleave recommend sgd.model --user u7 --top 2 | wc -l
3
$ printf 'u7\n\nu8\n' | cleave recommend sgd.model --users - --top 2 --json | cut -c1-14
{"user":"u7","
{"user":"u8","
$ cleave recommend sgd.model --user u7 --top 50 --include-rated --json | grep -o '"item":' | wc -l
50
$ cleave recommend sgd.model --item i1 --top 1 --json | cut -c1-13
{"item":"i1",
$ cleave recommend sgd.model --item-vectors items.csv
Vectors of 50 items written to items.csv.
$ head -n 1 items.csv
item,bias,f1,f2,f3,f4
$ cleave index items.csv --label item --columns bias=ignore --transform none --distance cosine -o items.index --quiet
$ cleave search items.index items.csv --k 1 | awk -F, 'NR > 1 && $1 != $3' 

# Mistakes.
$ printf 'u,i,r\na,x,5\na,y,1\nb,x,4\nb,y,2\n' >u.csv; cleave train uv u.csv --rank 2 -o u2.model --quiet
$ cleave recommend sgd.model
cleave: recommend needs one of --user, --users, --item and --item-vectors
hint: cleave recommend MODEL --user NAME
? 2
$ cleave recommend sgd.model --user u0
user 'u0' is not in the training data of the model
hint: write the name as in the training data
? 1
$ cleave recommend sgd.model --item u7 2>&1 | head -n 1
item 'u7' is not in the training data of the model
$ cleave recommend sgd.model --users no-such-file
no-such-file: cannot be opened
? 1
$ cleave train svm @spam6 -o svm.model --quiet
$ cleave recommend svm.model --user a
cleave: a model of 'svm' cannot recommend items
hint: train a model of ratings with 'train uv'
? 2
$ cleave train uv r.tsv --clip 5,1 -o no.model --quiet
cleave: --clip: '5,1' is not a range of ratings
hint: use auto, none, or two numbers such as 1,5
? 2
$ cleave train uv r.tsv --implicit --solver sgd -o no.model --quiet
cleave: --implicit cannot be combined with --solver sgd: every pair is an example
hint: use --solver als
? 2
$ cleave train uv r.tsv --learning-rate 1e6 -o no.model --quiet
training diverged in epoch 1: the error is not finite
hint: lower --learning-rate
? 1
$ cleave train uv u.csv --learning-rate 10 --rank 2 --epochs 2 -o no.model --quiet 2>&1 | head -n 1
training diverged in epoch 2: the error is not finite
$ cleave train uv u.csv --initial-value 1e30 -o no.model --quiet 2>&1 | tail -n 1
hint: lower --initial-value
$ for o in '--step agree' '--learning-rate 1' '--learning-rate-decay 1'; do cleave train uv u.csv --solver als $o -o no.model --quiet 2>&1 | head -n 1; done | uniq
cleave: --learning-rate, --learning-rate-decay and --step apply to --solver sgd
$ cleave train uv u.csv --alpha 5 -o no.model --quiet 2>&1 | head -n 1
cleave: --alpha applies to --implicit
$ printf 'u,i,r\na,x,1e30\nb,y,2\n' | cleave train uv - --format csv -o no.model --quiet
row 1: the rating 1e+30 is larger than 1e+15
hint: divide all ratings by a constant
? 1
$ printf 'u,i,r\na,x,1\nb,y,2\n' >two.csv; cleave train uv two.csv --from u2.model -o no.model --quiet 2>&1 | tail -n 1
hint: train on the old and the new rows together, or use --refit to fit these rows alone
$ printf 'u,i,r\na,x,-1\nb,y,2\n' | cleave train uv - --format csv --implicit -o no.model --quiet
row 1: --implicit requires values of 0 or more
...
? 1
$ printf 'u,i,r\na,x,1\n,y,2\n' | cleave train uv - --format csv -o no.model --quiet
row 2: the user or the item is missing
hint: each row needs a user and an item, e.g. user,item,rating in a table or '4 17:1 1023:1' in LIBSVM text
? 1
$ printf '5 1:1 4:1\n1 1:1 4:1 5:1\n' | cleave train uv - -o no.model --quiet 2>&1 | head -n 1
row 2: a row has more features than a user and an item
$ printf '5 1:1 4:1\n1 4:1 5:1\n' | cleave train uv - -o no.model --quiet 2>&1 | head -n 1
row 2: a feature is a user here and an item elsewhere
$ printf '5 1:1 4:2\n1 1:1 5:1\n' | cleave train uv - -o no.model --quiet 2>&1 | head -n 1
row 1: a feature is neither a user nor an item
$ cleave train uv t.csv --task regression -o no.model --quiet 2>&1 | head -n 1
a factorization requires two categorical columns, users and items; the table has * (glob)
$ cleave train uv r.tsv --from sgd.model --rank 5 -o no.model --quiet
cleave: the warm-start model has rank 4, not 5
hint: a warm start keeps the rank
? 2
$ test -e no.model
? 1

# The limit of epochs is no convergence. Cross-validation then suggests no penalty.
$ cleave train uv t.csv --columns who=category,what=category --label stars --rank 2 --epochs 3 -o short.model
note: t.csv: read as csv (--format), with header (--header)
train: not converged after 3 epochs (--epochs): RMSE * during the last epoch (glob)
hint: try more --epochs, a larger --tolerance
Read 6 rows, 6 features (t.csv).
Trained uv (sgd): 3 epochs.
Training * (glob)
Model * short.model. (glob)
Next: * short.model * short.model. (glob)
$ cleave train uv r.tsv --rank 4 --lambda 0.01 -o sgd.model --json -q | grep -o '"converged":[a-z]*,"stopped_by":"[a-z]*"'
"converged":false,"stopped_by":"plateau"
$ cleave generate ratings --rows 3000 -o short.tsv -q; cleave cv uv short.tsv --folds 5 -q | tail -n 2
Overfitting: held-out RMSE *, training RMSE 0.[0-9]*[0-9]. (glob)
Training * 5 * 5 *. (glob)

# Implicit feedback: preferences are not compared with counts. Each user of the first half chooses even items, the others odd ones.
$ awk 'BEGIN { for (u = 0; u < 40; u++) for (i = 0; i < 40; i++) if (i % 2 == (u < 20)) print "u" u ",i" i "," 3 + i > ((u * 7 + i) % 5 ? "chosen.csv" : "later.csv") }'; sed -i '1i user,item,count' chosen.csv later.csv
$ cleave train uv chosen.csv --implicit --rank 4 -o chosen.model 2>&1 | grep -c "^Training RMSE"
0
? 1
$ cleave test chosen.model later.csv | head -n 1
Mean rank *% on 160 rows (95% confidence interval *): 0% is the top of the list of a user, and a random order has 50%. (glob)
$ cleave test chosen.model later.csv --json | grep -o '"mean_rank":[0-9.]*' | head -n 1 | awk -F : '{ print ($2 < .12) }'
1
$ cleave test chosen.model later.csv --json | grep -c 'rmse'
0
? 1
$ printf 'user,item\nu1,i99\nu1,i1\n' > some.csv; cleave test chosen.model some.csv | tail -n 1
Unknown user or item: 1 row, not evaluated.
$ printf 'user,item\nx,i99\n' | cleave test chosen.model - --format csv -q
-: the user or the item of each row is unknown to the model
hint: give rows of users and items of the training data
? 1
$ cleave test chosen.model later.csv --report page.html
--report has no page for ranks: this model of 'uv' predicts preferences
hint: omit --report
? 1
$ cleave cv uv chosen.csv --implicit -q
cleave: cv, tune and compare evaluate predictions of targets, and this model predicts preferences
hint: split the data with 'split', and evaluate the model with 'test', which reports the rank of each item
? 2
$ cleave train uv chosen.csv --implicit --validation-fraction 0.1 -o no.model -q
cleave: --validation and --validation-fraction compare predictions with targets, and this model predicts preferences
hint: split the data with 'split', and evaluate the model with 'test'
? 2

# Columns with known names are the user, the item and the rating; --columns and --label override the guess.
$ printf 'time,movieId,Rating,User ID\n1,x,5,a\n2,y,1,a\n3,x,4,b\n4,z,2,b\n5,y,1,c\n6,z,3,c\n' > named.csv
$ cleave train uv named.csv --rank 2 -o named.model 2>&1 | head -n 1
note: named.csv: read as csv (--format), with header (--header); user 'User ID', item 'movieId' (--columns); rating 'Rating' (--label)
$ cleave recommend named.model --user c
rank  item   score
   1  x     * (glob)
$ cleave recommend named.model --item y --top 1 | tail -n 1 | cut -c 7 | grep -c '[xz]'
1
$ cleave train uv named.csv --rank 2 --columns time=category,Rating=category --label 'User ID' -o no.model -q
named.csv:2: 'uv' * 'a' * (glob)
hint: * (glob)
? 1
$ cleave train uv named.csv --rank 2 --columns time=category,movieId=category --label Rating -o no.model 2>&1 | head -n 1
note: named.csv: * (--format), * (--header) (glob)
$ printf 'user,item,rating\n' > stars.csv; awk 'BEGIN { for (u = 0; u < 20; u++) for (i = 0; i < 9; i++) print u "," i "," 1 + (u * i) % 5 }' >> stars.csv
$ cleave compare stars.csv --methods uv,lms --folds 2 2>&1 | grep different
note: stars.csv: 5 different numbers are read as classes; --task ratings compares methods that predict numbers
$ cleave compare stars.csv --task ratings --folds 2 --budget 20s -q | grep -c '^uv'
1
