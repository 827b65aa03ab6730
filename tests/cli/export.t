# A model as C code, which compiles without warnings and predicts as cleave does.
$ cleave train tree @dogs -o dogs.model --quiet
$ cleave export dogs.model dogs.c --prefix dogs --quiet
% cc
$ cat > main.c <<'C'
> #include "dogs.c"
> #include <stdio.h>
> int main(void)
> {
>     float inputs[dogs_input_count] = {0};
>     dogs_set(inputs, "weight", 4);
>     dogs_set(inputs, "height", 5);
>     return puts(dogs_labels[dogs_predict(inputs)]) < 0;
> }
> C
$ cc -std=c99 -Wall -Werror -pedantic main.c -o main && ./main
Dachshund
$ cleave export dogs.model - --format c --prefix dogs | cmp - dogs.c
$ cleave export dogs.model again.c --prefix dogs --json
{"output":"again.c","method":"tree","warnings":[]}
$ cmp dogs.c again.c

# The format must be known, and have such models.
$ cleave export dogs.model -
cleave: standard output: * (glob)
hint: * (glob)
? 2
$ cleave export dogs.model dogs.txt --format pmml
cleave: unknown model format 'pmml'
hint: * (glob)
? 2
$ cleave export dogs.model dogs.c --prefix 1st
cleave: --prefix '1st' is not a C identifier
hint: use letters, digits and '_', beginning with a letter
? 2
$ cleave train knn @dogs -o knn.model --quiet; cleave export knn.model knn.c
cleave: a model of 'knn' cannot be exported as c: it has no weights and no trees
hint: train a linear method, a tree, a forest or boosted trees
? 2
$ cleave train svm @points5 --transform polynomial -o polynomial.model --quiet; cleave export polynomial.model p.c
cleave: a model of 'svm' cannot be exported as c: its pipeline has the step 'polynomial'
hint: train with --transform none, or with the steps scale, impute, rare, select, weigh and ordinal only
? 2
$ cleave export dogs.model dogs.model
cleave: FILE 'dogs.model' is also an input; use another file
? 2
$ cleave export dogs.model nowhere/dogs.c
nowhere/dogs.c: * written: No such file or directory (glob)
? 1
$ ls
again.c
dogs.c
dogs.model
knn.model
main
main.c
polynomial.model
