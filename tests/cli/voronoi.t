# Three points, whose regions meet at (2, 2); one border is within a class.
$ printf 'a 1:0 2:0\nb 1:4 2:0\na 1:0 2:4\n' > three.libsvm; cleave plot voronoi three.libsvm -o three.svg --width 320 --height 240
warning: three.libsvm:1: * (glob)
hint: * (glob)
Voronoi regions: 3 points, 3 regions, 3 borders, 2 between classes.
Plot * three.svg (320 * 240). (glob)
$ cleave plot voronoi three.libsvm --json 2> /dev/null | grep -o '"class":"b","corners":.*'
"class":"b","corners":[[2,2],[2,-0.23999999999999977],[4.475789473684211,-0.23999999999999977],[4.475789473684211,4.24],[4.240000000000002,4.24]]}]}],"warnings":[{"message":"three.libsvm:1: the row has no features","hint":"a model makes the same prediction for all rows without features"}]}

# Equal points, points on a line, a single point; the points of a model equal those of the data.
$ printf 'a 1:1 2:1\nb 1:1 2:1\nb 1:2 2:2\na 1:3 2:3\n' > line.libsvm; cleave plot voronoi line.libsvm -o line.svg
Voronoi *: 4 *, 3 *, 2 *, 2 * (glob)
Plot * line.svg (800 * 600). (glob)
$ printf 'a 1:1 2:1\n' > one.libsvm; cleave plot voronoi one.libsvm -o one.svg
Voronoi regions: 1 point, 1 region, 0 borders, 0 between classes.
Plot * one.svg (800 * 600). (glob)
$ cleave train knn @dogs -o dogs.model -q; cleave plot voronoi dogs.model -o model.svg; cleave plot voronoi @dogs -o data.svg -q; cmp model.svg data.svg
Voronoi *: 10 *, 10 *, 18 *, 8 * (glob)
Plot * model.svg (800 * 600). (glob)
$ cleave remove dogs.model --rows 0-2 -o fewer.model -q; cleave plot voronoi fewer.model -o fewer.svg
Voronoi *: 7 *, 7 *, 12 *, 4 * (glob)
Plot * fewer.svg (800 * 600). (glob)
$ cleave index @dogs -o index.model -q; cleave plot voronoi index.model -o index.svg
Voronoi *: 10 *, 10 *, 18 *, 8 * (glob)
Plot * index.svg (800 * 600). (glob)

# Unsupported data and models.
$ cleave plot voronoi @spam6 -o z.svg
cleave: @spam6: * 2 * 5 (glob)
hint: * 'cleave convert --transform pca:components=2' * (glob)
? 2
$ cleave train perceptron three.libsvm -o p.model -q; cleave plot voronoi p.model -o z.svg
cleave: Voronoi regions require stored training points, and a model of 'perceptron' has none
hint: use a knn model, or data
? 2
$ cleave train knn @dogs --distance manhattan -o m.model -q; cleave plot voronoi m.model -o z.svg
cleave: Voronoi regions require the Euclidean distance, and the distance of the model is 'manhattan'
hint: train the model without --distance
? 2
$ cleave plot voronoi three.libsvm -o three.libsvm --to svg
cleave: -o 'three.libsvm' * (glob)
? 2
