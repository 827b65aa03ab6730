# The JSON of a tree plot.
$ cleave train tree @dogs -o dogs.model -q
$ cleave plot tree dogs.model --json
{"kind":"tree","title":"Decision tree","subtitle":"3 leaves, 10 rows","output":null,"width":428,"height":365,"classes":["Chihuahua","Dachshund","Beagle"],"panels":[{"title":"","x":{"title":"","logarithmic":false},"y":{"title":"","logarithmic":false},"series":[],"tree":[{"split":"height <= 7","number":0,"yes":1,"no":2,"weight":10,"weights":[3,3,4]},{"split":"weight < 3","number":1,"yes":3,"no":4,"weight":6,"weights":[3,3,0]},{"prediction":"Beagle","number":2,"weight":4,"weights":[0,0,4]},{"prediction":"Chihuahua","number":3,"weight":3,"weights":[3,0,0]},{"prediction":"Dachshund","number":4,"weight":3,"weights":[0,3,0]}]}],"warnings":[]}
$ cleave plot tree dogs.model --levels 1 --json | grep -o '"tree":.*' | tr '{' '\n'
"tree":[
"split":"height <= 7","number":0,"yes":1,"no":2,"weight":10,"weights":[3,3,4]},
"omitted":"… 2 leaves below","number":1,"leaves":2,"weight":6,"weights":[3,3,0]},
"prediction":"Beagle","number":2,"weight":4,"weights":[0,0,4]}]}],"warnings":[]}
$ cleave plot importance dogs.model --json
{"kind":"importance","title":"Feature importance of tree","subtitle":"2 columns used by 1 tree","output":null,"width":800,"height":186,"classes":[],"panels":[{"title":"gain","x":{"title":"share of the total gain","logarithmic":false},"y":{"title":"","logarithmic":false},"series":[],"bars":{"names":["height","weight"],"values":[0.5454545454545455,0.4545454545454546]}}],"warnings":[]}

# Categories by name, the most frequent ones; the branch of missing values; numbers.
$ printf 'color,weight,label\nred,3,cherry\nred,4,cherry\ngreen,90,apple\nred,100,apple\n,95,apple\nblue,3,plum\nblue,4,plum\n' > fruit.csv; cleave train tree fruit.csv -o fruit.model -q; cleave plot tree fruit.model --json | grep -o '"split":[^}]*'
"split":"weight <= 47","number":0,"yes":1,"no":2,"missing":"yes","weight":7,"weights":[2,3,2]
"split":"color is red","number":1,"yes":3,"no":4,"missing":"no","weight":4,"weights":[2,0,2]
$ (echo color,n; for i in 1 2 3 4 5 6 7 8 9; do echo "c$i,1"; echo "c$i,1"; echo "d$i,9"; echo "d$i,9"; done) > many.csv; cleave train tree-regression many.csv --label n -o many.model -q; cleave plot tree many.model --json | grep -o '"subtitle":"[^"]*"\|"split":"[^"]*"\|"prediction":"[^"]*"'
"subtitle":"2 leaves, 36 rows; leaf values from 1 (dark) to 9 (light)"
"split":"color is one of d1, d2, d3 or 6 more"
"prediction":"9"
"prediction":"1"

# One tree of an ensemble, with its class; feature importance.
$ cleave train forest @dogs --trees 3 --importance permutation -o forest.model -q; cleave plot tree forest.model --tree 2 --json | grep -o '"title":"Tree[^"]*"'
"title":"Tree 2 of 3 of forest"
$ cleave plot importance forest.model --top 1 --json | grep -o '"subtitle":"[^"]*"\|"title":"[a-z][^"]*"\|"names":[^]]*'
"subtitle":"top 1 of the 2 columns used by 3 trees"
"title":"permutation"
"title":"increase of the error rate"
"names":["weight"
"title":"gain"
"title":"share of the total gain"
"names":["weight"
$ cleave train boost @dogs --rounds 2 --min-leaf-rows 1 -o boost.model -q; cleave plot tree boost.model --tree 2 --json | grep -o '"title":"Tree[^"]*"'
"title":"Tree 2 of 6 of boost, for 'Dachshund'"

# Images, and reports with several plots of a model.
$ cleave plot tree dogs.model -o dogs.svg; head -c 5 dogs.svg; echo
Decision tree: 3 leaves, 10 rows.
Plot written to dogs.svg (428 x 365).
<?xml
$ cleave plot tree dogs.model -o dogs.pdf -q; cleave plot tree dogs.model -o - --to pdf -q | cmp - dogs.pdf; head -c 5 dogs.pdf; echo; grep -ac 'CreationDate (19700101' dogs.pdf
%PDF-
1
$ cleave plot importance dogs.model -o dogs.png -q; head -c 4 dogs.png | tail -c 3; echo
PNG
$ cleave plot tree,importance,confusion dogs.model @dogs --report dogs.html --quiet; grep -o '^{"kind":"[a-z]*"' dogs.html; grep -c 'data:image/svg+xml;base64,PD94' dogs.html
{"kind":"tree"
{"kind":"importance"
{"kind":"confusion"
3

# Invalid arguments: the hint names a valid alternative.
$ cleave train knn @dogs -o knn.model -q; cleave plot tree knn.model -o x.svg
cleave: plot 'tree' requires a tree model, and this is a model of 'knn'
hint: train 'tree', 'forest' or 'boost', or use 'cleave explain' for this model
? 2
$ cleave plot importance knn.model -o x.svg
cleave: * 'importance' * 'knn' (glob)
hint: * 'tree', 'forest' * 'boost', * 'cleave explain' * (glob)
? 2
$ cleave plot tree forest.model --tree 4 -o x.svg
cleave: tree 4 does not exist: expected 1 to 3
hint: use 'cleave plot importance' for the feature importance over all trees
? 2
$ cleave plot tree dogs.model --tree 0 -o x.svg
cleave: --tree: * 1, * '0' (glob)
hint: tree: number of the tree, from 1.
? 2
$ cleave plot tree dogs.model @dogs -o x.svg
cleave: the plot 'tree' takes only a model: omit '@dogs'
? 2
$ cleave plot tree -o x.svg
cleave: plot tree needs MODEL  (see 'cleave plot --help')
? 2
$ cleave plot tree,roc dogs.model --report x.html
cleave: plot tree,roc needs MODEL DATA...  (see 'cleave plot --help')
? 2
$ cleave plot tree,voronoi dogs.model --report x.html
cleave: 'tree' and 'voronoi' need different inputs: plot them separately
? 2
$ cleave plot tree dogs.model -o x.jpg
cleave: -o 'x.jpg': expected .svg, .pdf or .png; --to svg, --to pdf or --to png selects the format for any name
? 2
$ cleave plot curve tree @dogs -o x.svg -q
cleave: 'tree' has no epochs or iterations with these options: there is no learning curve
hint: use 'cleave plot size tree' for the error by the number of rows
? 2
$ cleave generate steps --rows 3000 --seed 2 -o steps.csv -q; cleave train tree steps.csv --no-prune -o steps.model -q; cleave plot tree steps.model --levels 0 -o x.svg
cleave: 1189 leaves are too many for a plot; the limit is 400
hint: use --levels 5 to plot the top levels, or 'cleave explain --levels 0' to print all
? 2
$ cleave plot tree steps.model --json | grep -o '"subtitle":"[^"]*"'
"subtitle":"1,189 leaves, 3,000 rows; top 5 levels, 1,186 leaves omitted"
$ printf '1 1:0\n2 1:0\n' > same.libsvm; cleave train tree same.libsvm -o same.model -q; cleave plot tree same.model --json | grep -o '"tree":.*'; cleave plot importance same.model -o x.svg
"tree":[{"prediction":"1","number":0,"weight":2,"weights":[1,1]}]}],"warnings":[]}
cleave: every tree of this model of 'tree' is a single leaf, so feature importance is undefined
hint: train on more rows or with a smaller --min-leaf-rows, so that trees can split
? 2
$ ls x.*
ls: * 'x.\*': * (glob)
? 2
