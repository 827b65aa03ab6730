# Features of text: words by Unicode's rules, in lower case, counted.
$ printf 'ham\tThe runners were running home, RUNNING fast\nspam\tA runner runs to the bank: caf\351 \303\211t\303\251 3.14\n' > a.txt
$ cleave convert a.txt -o - --to csv --quiet
the,runners,were,running,home,fast,a,runner,runs,to,bank,café,été,3.14,label
1,1,1,2,1,1,0,0,0,0,0,0,0,0,ham
1,0,0,0,0,0,1,1,1,1,1,1,1,1,spam
$ cleave convert a.txt -o - --to csv --quiet --transform tfidf:idf=none:norm=none:tf=presence > of-file.csv; cat a.txt | cleave convert - --format text -o - --to csv --transform tfidf:idf=none:norm=none:tf=presence | cmp - of-file.csv
note: pipeline: --transform tfidf:tf=presence:idf=none:norm=none
Wrote 2 rows, 14 features, 2 classes to standard output (145 bytes from 96 bytes)*. (glob)
$ cleave convert a.txt -o - --to csv --quiet --stop-words english
runners,running,home,fast,runner,runs,bank,café,été,3.14,label
1,2,1,1,0,0,0,0,0,0,ham
0,0,0,0,1,1,1,1,1,1,spam
$ cleave convert a.txt -o - --to csv --quiet --stop-words english --stem english --ngrams 1-2
runner,run,runner run,home,run home,home run,fast,run fast,bank,run bank,café,bank café,été,café été,3.14,été 3.14,label
1,2,1,1,1,1,1,1,0,0,0,0,0,0,0,0,ham
1,1,1,0,0,0,0,0,1,1,1,1,1,1,1,1,spam
$ cleave convert a.txt -o - --to csv --quiet --chars 6-7
chars:_the_,chars:_runne,chars:runner,chars:unners,chars:nners_,chars:_runner,chars:runners,chars:unners_,chars:_were_,chars:_runni,chars:runnin,chars:unning,chars:nning_,chars:_runnin,chars:running,chars:unning_,chars:_home_,chars:_fast_,chars:_a_,chars:unner_,chars:runner_,chars:_runs_,chars:_to_,chars:_bank_,chars:_café_,chars:_été_,chars:_3.14_,label
1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,1,1,0,0,0,0,0,0,0,0,0,ham
1,1,1,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,spam
$ cleave convert a.txt -o - --to csv --quiet --keep-case
The,runners,were,running,home,RUNNING,fast,A,runner,runs,to,the,bank,café,Été,3.14,label
1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,ham
0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,spam
$ cleave convert a.txt -o - --to csv --hash-bits 4
note: --hash-bits 4: 11 of 16 columns are in use, 3 of them by several words
x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,label
0,0,0,0,0,2,1,1,1,0,0,0,1,0,0,1,ham
1,1,0,1,0,0,1,1,1,0,2,1,0,0,0,0,spam
Wrote 2 *, 16 *, 2 * (133 * 96 *)* (glob)
$ cleave convert a.txt -o - --to csv --hash-bits 3 --hash-names
note: --hash-bits 3: 8 * 8 *, 4 * (glob)
the,runners,were,running,home,a,runs,été,label
1,1,1,2,2,0,0,0,ham
1,0,2,0,1,2,2,1,spam
Wrote 2 *, 8 *, 2 * (90 * 96 *). (glob)

# Stop words from a file.
$ printf '# mine\nRunners bank\n' > stop.txt; cleave convert a.txt -o - --to csv --quiet --stop-words stop.txt
the,were,running,home,fast,a,runner,runs,to,café,été,3.14,label
1,1,2,1,1,0,0,0,0,0,0,0,ham
1,0,0,0,0,1,1,1,1,1,1,1,spam

# Invalid values.
$ cleave convert a.txt -o - --stem klingon
cleave: --stem: no stemmer exists for 'klingon'
hint: use the English name of a language, for example --stem german; docs/guide/text.md lists the languages
? 2
$ cleave convert a.txt -o - --ngrams 3-2
cleave: --ngrams: expected a number or a range within 1-8, found '3-2'
hint: for example: --ngrams 2 or --ngrams 1-3
? 2
$ cleave convert a.txt -o - --chars 99
cleave: --chars: * 1-16, * '99' (glob)
hint: *: --chars 2 * --chars 1-3 (glob)
? 2
$ cleave convert a.txt -o - --hash-names
cleave: --hash-names has no effect without --hash-bits
hint: for example: --hash-bits 18 --hash-names; words that are not hashed always have names
? 2
$ cleave convert a.txt -o - --hash-bits 40
cleave: --hash-bits: * 0 * 28, * '40' (glob)
hint: Hash words to 2^N columns instead of building a vocabulary.
? 2
$ cleave convert a.txt -o - --stop-words nowhere.txt
nowhere.txt: * opened: No such file or directory (glob)
hint: --stop-words takes english, none, or a file of words
? 1
$ printf '1 1:1\n' > n.libsvm; cleave convert n.libsvm -o - --stem english
cleave: --stem *: n.libsvm * (glob)
hint: it applies to: text folder document csv tsv 
? 2

# The model stores the text options and the stop words; the file of stop words may be deleted.
$ cleave generate spam --rows 400 --test-rows 100 -o mail.tsv --quiet
$ cleave train svm mail.tsv --stem english --ngrams 1-2 --stop-words stop.txt -o m.model --quiet; rm stop.txt
$ cleave test m.model mail-test.tsv | head -n 1
Error 0.00% (0 * 100 *, 95% * 0.00% * 3.70%), * 100.00%. (glob)
$ mkdir elsewhere; mv m.model elsewhere; cat mail-test.tsv | cleave test elsewhere/m.model - | head -n 1
Error 0.00% (0 * 100 *, 95% * 0.00% * 3.70%), * 100.00%. (glob)
$ cleave test elsewhere/m.model mail-test.tsv --stem english --ngrams 1-2 | head -n 1
Error 0.00% (0 * 100 *, 95% * 0.00% * 3.70%), * 100.00%. (glob)
$ cleave test elsewhere/m.model mail-test.tsv --stem german
cleave: --stem german: the model was trained with other text options (stem=english:ngrams=1-2)
hint: * (glob)
? 2
$ cleave test elsewhere/m.model mail-test.tsv --stop-words english
cleave: --stop-words english: the model was trained with other stop words
hint: * (glob)
? 2

# So do datasets.
$ cleave convert mail.tsv -o mail.cleave --ngrams 2 --quiet; cleave train svm mail.cleave -o d.model --quiet
$ cleave test d.model mail-test.tsv | head -n 1
Error 0.00% (0 * 100 *, 95% * 0.00% * 3.70%), * 100.00%. (glob)
$ cleave test elsewhere/m.model mail.cleave
mail.cleave: the text was read with other options (ngrams=2-2) than the training data (stem=english:ngrams=1-2)
hint: convert the text again with the options of the model, or pass the original text
? 1

# Hashing: no words are stored, or only the first word of each column.
$ cleave train svm mail.tsv --hash-bits 16 -o h.model 2>&1 | grep -E 'hash|read'
note: mail.tsv: *<*>* (--format) (glob)
note: --hash-bits 16: 386 * 65536 *, 4 * (glob)
$ cleave test h.model mail-test.tsv | head -n 1
Error 0.00% (0 * 100 *, 95% * 0.00% * 3.70%), * 100.00%. (glob)
$ cleave train svm mail.tsv --hash-bits 16 --hash-names -o hn.model --quiet; cleave explain hn.model | sed -n '/^Features for spam/,/^$/p' | head -n 4
Features for spam (10 of 189)
  of        0.849432  ████████████▌
  singles   0.806258  ███████████▉
  near      0.806258  ███████████▉
$ cleave test hn.model mail-test.tsv | head -n 1
Error 0.00% (0 * 100 *, 95% * 0.00% * 3.70%), * 100.00%. (glob)
