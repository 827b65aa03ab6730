# Updates as pictures: the last one has all of the path, and each is a frame.
$ cleave plot trace perceptron @points5 --learn-threshold --learning-rate 1/3 --json > perceptron.json; grep -oE '"(title|subtitle|frames)":("[^"]*"|[0-9]+)' perceptron.json
"title":"Updates of perceptron"
"subtitle":"update 40 of 40, epoch 16, row 1: w = (0.66667, 0.33333), b = -3.3333"
"frames":41
"title":"data and line"
"title":"x1"
"title":"x2"
"title":"objective at b = -3.333"
"title":"weight of the first column"
"title":"weight of the second column"
$ cleave plot trace svm @points6 --solver gd --C 0.1 --learning-rate 0.2 --initial-weights 0,1,-2 --max-iterations 3 --json > gd.json; grep -oE '"name":"path of w"[^]]*\],"y":\[[^]]*\]' gd.json
"name":"path of w","style":"both","color":0,"x":[0,0.03999999910593033,-0.04800000041723251,-0.11840000003576279],"y":[1,0.8399999737739563,0.6519999504089355,0.5015999674797058]
$ cleave plot trace lms @line4 --learning-rate 0.1 --epochs 1 --json | grep -oE '"name":"path[^]]*\],"y":\[[^]]*\]'
"name":"path of (w, b)","style":"both","color":0,"x":[0,0.20000000298023224,0.2800000011920929,1.156000018119812,0.2935999929904938],"y":[0,0.2,0.23999999940395356,0.5319999991059303,0.3163999919474125]
$ cleave plot trace perceptron @spam6 --json
cleave: @spam6: plot 'trace' needs 1 or 2 numeric columns, found 5
hint: ignore columns with --columns NAME=ignore, or use 'cleave trace'
? 2
$ cleave plot trace perceptron @dogs --json
cleave: plot 'trace' needs two classes or a regression, and the data has 3 classes
? 2
$ cleave plot loss --json | tr '{' '\n' | grep -oE '"name":"[^"]*"'
"name":"0/1: misclassified"
"name":"hinge: max(0, 1 - y s)"
"name":"perceptron: max(0, -y s)"
"name":"logistic: ln(1 + exp(-y s))"
$ cleave plot loss @dogs --json
cleave: the plot 'loss' takes no data: leave out '@dogs'
? 2
$ cleave plot data @dogs --json | tr '{' '\n' | grep -oE '"name":"[^"]*","style":"marks","color":[0-9],"x":\[[^]]*\]'
"name":"Chihuahua","style":"marks","color":0,"x":[5,4,6]
"name":"Dachshund","style":"marks","color":1,"x":[5,6,4]
"name":"Beagle","style":"marks","color":2,"x":[8,9,10,8]
$ printf 'x,y,label\n1,1,a\n10000,2,b\n5,3,a\n' > wide.csv; cleave plot data wide.csv --json 2>&1 | grep -o '"x":{[^}]*}'
"x":{"title":"x","logarithmic":true}
$ cleave plot data @spam6 --x-column viagra --y-column nigeria --json | grep -o '"title":"[a-z]*","logarithmic"'
"title":"viagra","logarithmic"
"title":"nigeria","logarithmic"
$ cleave plot data @dogs --x-column size --json
cleave: unknown column 'size'
hint: the columns are height, weight; the label is shown by color
? 2
# A query on the Voronoi diagram.
$ cleave plot voronoi @dogs --query 6,3 --json | grep -oE '"subtitle":"[^"]*"|"name":"nearest point"[^]]*\],"y":\[[^]]*\]'
"subtitle":"10 points, 10 regions, 18 borders, 8 between classes; query in the region of row 3, class Chihuahua"
"name":"nearest point","style":"arrows","color":6,"x":[6,6],"y":[3,2]
$ cleave plot voronoi @dogs --query 6 --json
cleave: --query: expected two numbers such as 5.5,3, found '6'
? 2
# The boxes of a kd-tree and an R-tree, and the S-curve of hashing.
$ cleave generate blobs --rows 300 --features 2 --classes 2 -o blobs.csv -q
$ for kind in kdtree quadtree rtree; do cleave train knn blobs.csv --index $kind --leaf 16 --k 3 --transform none -o $kind.model -q; cleave plot index $kind.model --query 1,2 --json | grep -oE '"subtitle":"[^"]*"'; done
"subtitle":"300 points, 19 leaves; 3 leaves are within the distance of the nearest 3"
"subtitle":"300 points, 45 leaves; 3 leaves are within the distance of the nearest 3"
"subtitle":"300 points, 19 leaves; 2 leaves are within the distance of the nearest 3"
$ cleave train knn blobs.csv --index kdtree --leaf 16 --k 1 --transform none -o near.model -q; cleave plot index near.model --query 8,8 --json | grep -oE '"subtitle":"[^"]*"'
"subtitle":"300 points, 19 leaves; 1 leaf is within the distance of the nearest 1"
$ cleave train svm blobs.csv -o svm.model -q; cleave plot index svm.model --json
cleave: plot 'index' requires a nearest-neighbor model, and this model is of 'svm'
hint: create one with 'cleave index' or 'cleave train knn', with --index kdtree or lsh
? 2
$ cleave train knn blobs.csv --index lsh -o lsh.model -q; cleave plot index lsh.model --json | grep -oE '"title":"[^"]*"|"y":\[0,' | head -n 2
"title":"S-curve of locality-sensitive hashing"
"title":""
$ cleave train knn @dogs -o scan.model -q; cleave plot index scan.model --json
cleave: the index 'scan' of 10 points has no boxes to draw
hint: train with --index kdtree, quadtree, rtree or lsh; --leaf N sets the points of a leaf
? 2
