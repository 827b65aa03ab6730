# stream --follow of a folder, with inotify and with polling: each complete new document is learned once.
$ cat > follow <<'EOF'
> mkdir -p $1/ham $1/spam $1/box/new $1/box/cur $1/box/tmp
> echo "lunch noon" > $1/ham/1; echo "cheap pills" > $1/spam/1; : > $1.txt
> cleave stream perceptron --follow $1 -m $1.model --predictions $1.txt --quiet $2 $3 & run=$!
> wait_for() { for i in $(seq 300); do (($(wc -l < $1.txt) >= $2)) && return; sleep 0.1; done; echo "timeout at $2"; }
> wait_for $1 2
> echo "dinner noon" > $1/ham/2; wait_for $1 3; echo created
> exec 3> $1/spam/slow; for i in 1 2 3 4 5 6 7 8; do echo "cheap" >&3; sleep 0.2; done; wc -l < $1.txt; exec 3>&-; wait_for $1 4; echo closed
> echo "mail lunch" > $1/box/tmp/m1; sleep 0.2; mv $1/box/tmp/m1 $1/box/new/m1; wait_for $1 5; echo delivered
> mv $1/box/new/m1 $1/box/cur/m1:2,S; sleep 1.5; wc -l < $1.txt
> echo "mail linked" > $1/box/tmp/m2; ln $1/box/tmp/m2 $1/box/new/m2; rm $1/box/tmp/m2; wait_for $1 6; echo linked
> mkdir $1/eggs; echo "eggs" > $1/eggs/1; wait_for $1 7; echo class
> echo "plain" > $1/plain; wait_for $1 8; echo unlabeled
> kill -TERM $run; wait $run; echo "status $?"
> echo "pills" > $1/spam/later
> cleave stream perceptron $1 -m $1.model --predictions $1.txt --json --quiet | tail -n 1 | grep -o '"examples":[0-9]*,"unlabeled":[0-9]*'
> wc -l < $1.txt
> EOF
$ bash follow inotify
created
3
closed
delivered
5
linked
class
unlabeled
status 0
"examples":8,"unlabeled":1
9
$ bash follow polling --poll-seconds 0.2
created
3
closed
delivered
5
linked
class
unlabeled
status 0
"examples":8,"unlabeled":1
9

# The stream waits for documents in an empty folder.
$ mkdir none; (sleep 0.5; mkdir none/a; echo x > none/a/1) & timeout --preserve-status -s TERM 4 cleave stream perceptron --follow none --json 2>&1 | grep -o 'waiting for them\|"examples":1,"unlabeled":0' | sort -u; wait
"examples":1,"unlabeled":0
waiting for them

# Entries of a followed folder that cannot be listed are skipped with a warning.
$ cat > odd.sh <<'EOF'
> mkdir -p odd/ham odd/spam; echo "lunch noon" > odd/ham/1; echo "cheap pills" > odd/spam/1; : > odd.txt
> cleave stream perceptron --follow odd --predictions odd.txt --skip-bad --json > odd.json 2> odd.err & run=$!
> wait_for() { for i in $(seq 300); do (($(wc -l < odd.txt) >= $1)) && return; sleep 0.1; done; echo "timeout at $1"; }
> wait_for 2
> ln -s nowhere odd/spam/dangling; mkfifo odd/ham/pipe; ln -s .. odd/ham/up; ln -s self odd/ham/self
> mkdir odd/short; rm -r odd/short
> echo "dinner" > odd/ham/2; wait_for 3
> ln -s /proc/self/mem odd/spam/broken; echo "watches" > odd/spam/2; wait_for 4
> rm -r odd/spam; echo "tea" > odd/ham/3; wait_for 5
> kill -TERM $run; wait $run; echo "status $?"
> tail -n 1 odd.json | grep -o '"examples":[0-9]*\|"skipped":[0-9]*'
> EOF
$ bash odd.sh
status 0
"examples":5
"skipped":1
$ grep -c '^warning: odd/.*: skipped' odd.err
[1-4] (re)
$ grep -c '^warning: odd/spam/broken: cannot be read' odd.err
1
# Without --skip-bad a document that cannot be read ends the stream, and the hint names the option.
$ rm odd/ham/pipe odd/ham/up odd/ham/self; ln -s /proc/self/mem odd/ham/broken; cleave stream perceptron odd --quiet
odd/ham/broken: cannot be read: Input/output error
hint: pass --skip-bad to skip documents that cannot be read
? 1
