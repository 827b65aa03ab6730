# Three points, whose regions meet at (2, 2); one border is within a class.
$ printf 'a 1:0 2:0\nb 1:4 2:0\na 1:0 2:4\n' > three.libsvm; cleave voronoi three.libsvm -o three.svg --width 320 --height 240
warning: three.libsvm:1: a row without features
hint: a model makes the same prediction for every such row
3 points, 3 regions, 3 borders, 2 of them between classes; drawn in three.svg
$ cat three.svg
<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240" viewBox="0 0 320 240" font-family="sans-serif" font-size="12">
<rect width="320" height="240" fill="#fff"/>
<clipPath id="frame"><rect x="64" y="16" width="108" height="172"/></clipPath>
<g clip-path="url(#frame)">
<path fill="#E69F00" fill-opacity="0.4" d="M118 102L64 102L64 188L118 188ZM118 102L172 48L172 16L64 16L64 102Z"/>
<path fill="#56B4E9" fill-opacity="0.4" d="M118 102L118 188L172 188L172 48Z"/>
<path class="within" fill="none" stroke="#777" stroke-width="0.5" stroke-linecap="round" d="M118 102L64 102"/>
<path class="between" fill="none" stroke="#000" stroke-width="2.5" stroke-linecap="round" d="M118 102L172 48M118 102L118 188"/>
<path fill="#E69F00" stroke="#000" stroke-width="0.8" d="M65.79 150.21a4 4 0 1 0 8 0a4 4 0 1 0 -8 0ZM65.79 53.79a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z"/>
<path fill="#56B4E9" stroke="#000" stroke-width="0.8" d="M162.21 146.21h8v8h-8Z"/>
</g>
<rect x="64" y="16" width="108" height="172" fill="none" stroke="#000"/>
<path stroke="#000" d="M69.79 188v5"/><text x="69.79" y="206" text-anchor="middle">0</text>
<path stroke="#000" d="M118 188v5"/><text x="118" y="206" text-anchor="middle">2</text>
<path stroke="#000" d="M166.21 188v5"/><text x="166.21" y="206" text-anchor="middle">4</text>
<text x="118" y="230" text-anchor="middle">feature 1</text>
<path stroke="#000" d="M64 150.21h-5"/><text x="56" y="154.21" text-anchor="end">0</text>
<path stroke="#000" d="M64 102h-5"/><text x="56" y="106" text-anchor="end">2</text>
<path stroke="#000" d="M64 53.79h-5"/><text x="56" y="57.79" text-anchor="end">4</text>
<text transform="translate(14 102) rotate(-90)" text-anchor="middle">feature 2</text>
<path fill="#E69F00" stroke="#000" stroke-width="0.8" d="M191 28a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z"/>
<text x="208" y="32">a</text>
<path fill="#56B4E9" stroke="#000" stroke-width="0.8" d="M191 43h10v10h-10Z"/>
<text x="208" y="52">b</text>
</svg>

# Points that coincide, all on a line, one alone, none with a label; the model's points are the data's.
$ printf 'a 1:1 2:1\nb 1:1 2:1\nb 1:2 2:2\na 1:3 2:3\n' > line.libsvm; cleave voronoi line.libsvm -o line.svg --json
{"points":4,"regions":3,"borders":2,"between_classes":2,"picture":"line.svg","warnings":[]}
$ printf 'a 1:1 2:1\n' > one.libsvm; cleave voronoi one.libsvm -o one.svg
1 point, 1 region, 0 borders, 0 of them between classes; drawn in one.svg
$ cleave train knn @dogs -o dogs.model -q; cleave voronoi dogs.model -o model.svg; cleave voronoi @dogs -o data.svg -q; cmp model.svg data.svg
10 points, 10 regions, 18 borders, 8 of them between classes; drawn in model.svg
$ printf 'x,y,label\n1,2,<a&b>\n3,1,c\n' > names.csv; cleave voronoi names.csv -o names.svg -q; grep -c '&lt;a&amp;b&gt;' names.svg
1
$ cleave remove dogs.model --rows 1-3 -o fewer.model -q; cleave voronoi fewer.model -o fewer.svg
7 points, 7 regions, 12 borders, 4 of them between classes; drawn in fewer.svg
$ cleave index @dogs -o index.model -q; cleave voronoi index.model -o index.svg
10 points, 10 regions, 18 borders, 8 of them between classes; drawn in index.svg

# What cannot be drawn.
$ cleave voronoi @spam6 -o z.svg
cleave: @spam6: expected 2 columns of numbers, found 5
hint: cleave convert --transform pca:dimensions=2 makes two of more; regions of those are of a flattened space
? 2
$ cleave train perceptron three.libsvm -o p.model -q; cleave voronoi p.model -o z.svg
cleave: a model of 'perceptron' keeps no training points, which regions are made of
hint: give a model of knn, or data
? 2
$ cleave train knn @dogs --distance manhattan -o m.model -q; cleave voronoi m.model -o z.svg
cleave: the model's distance is manhattan, and regions are drawn by the Euclidean
hint: train it without --distance
? 2
$ cleave voronoi three.libsvm
cleave: voronoi needs -o FILE, the file to write
hint: see 'cleave voronoi --help'
? 2
$ cleave voronoi three.libsvm -o three.libsvm
cleave: -o 'three.libsvm' is also an input, and an input is never written: name another file
? 2
