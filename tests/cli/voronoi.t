# Three points, whose regions meet at (2, 2); one border is within a class.
$ printf 'a 1:0 2:0\nb 1:4 2:0\na 1:0 2:4\n' > three.libsvm; cleave plot voronoi three.libsvm -o three.svg --width 320 --height 240
warning: three.libsvm:1: the row has no features
hint: a model makes the same prediction for all rows without features
Voronoi regions: 3 points, 3 regions, 3 borders, 2 between classes.
Plot written to three.svg (320 x 240).
$ cleave plot voronoi three.libsvm --json 2> /dev/null | grep -o '"class":"b","corners":.*'
"class":"b","corners":[[2,2],[2,-0.23999999999999977],[4.475789473684211,-0.23999999999999977],[4.475789473684211,4.24],[4.240000000000002,4.24]]}]}],"warnings":[{"message":"three.libsvm:1: the row has no features","hint":"a model makes the same prediction for all rows without features"}]}

# Points that coincide, all on a line, one alone; the model's points are the data's.
$ printf 'a 1:1 2:1\nb 1:1 2:1\nb 1:2 2:2\na 1:3 2:3\n' > line.libsvm; cleave plot voronoi line.libsvm -o line.svg
Voronoi regions: 4 points, 3 regions, 2 borders, 2 between classes.
Plot written to line.svg (800 x 600).
$ printf 'a 1:1 2:1\n' > one.libsvm; cleave plot voronoi one.libsvm -o one.svg
Voronoi regions: 1 point, 1 region, 0 borders, 0 between classes.
Plot written to one.svg (800 x 600).
$ cleave train knn @dogs -o dogs.model -q; cleave plot voronoi dogs.model -o model.svg; cleave plot voronoi @dogs -o data.svg -q; cmp model.svg data.svg
Voronoi regions: 10 points, 10 regions, 18 borders, 8 between classes.
Plot written to model.svg (800 x 600).
$ cleave remove dogs.model --rows 1-3 -o fewer.model -q; cleave plot voronoi fewer.model -o fewer.svg
Voronoi regions: 7 points, 7 regions, 12 borders, 4 between classes.
Plot written to fewer.svg (800 x 600).
$ cleave index @dogs -o index.model -q; cleave plot voronoi index.model -o index.svg
Voronoi regions: 10 points, 10 regions, 18 borders, 8 between classes.
Plot written to index.svg (800 x 600).

# What cannot be drawn.
$ cleave plot voronoi @spam6 -o z.svg
cleave: @spam6: expected 2 columns of numbers, found 5
hint: use 'cleave convert --transform pca:components=2' to project the data to two columns
? 2
$ cleave train perceptron three.libsvm -o p.model -q; cleave plot voronoi p.model -o z.svg
cleave: Voronoi regions require stored training points, and a model of 'perceptron' has none
hint: use a model of knn, or data
? 2
$ cleave train knn @dogs --distance manhattan -o m.model -q; cleave plot voronoi m.model -o z.svg
cleave: Voronoi regions require the Euclidean distance, and the distance of the model is 'manhattan'
hint: train the model without --distance
? 2
$ cleave plot voronoi three.libsvm -o three.libsvm --to svg
cleave: -o 'three.libsvm' is also an input, and an input is never written: name another file
? 2
