# Sourced by every script of bench/: the folders of files, the measurement of commands, and the output of tables and of the JSON line. The script sets bench=NAME first. Settings, from the environment:
#   CLEAVE       the command measured (build/cleave)      BENCH_DIR    the folder of all files (build/bench)
#   BENCH_REPS   repetitions of cleave (5)                BENCH_PEERS  `no` omits the other programs
#   CLEAVE_DATA  the folder of real data sets (../shared/data)
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
CLEAVE=${CLEAVE:-build/cleave}
dir=${BENCH_DIR:-build/bench}
reps=${BENCH_REPS:-5}
data=${CLEAVE_DATA:-../shared/data}
mkdir -p "$dir"
if [[ ! -x $CLEAVE ]]; then
    echo "bench/$bench: $CLEAVE is not there; run make first, or set CLEAVE" >&2
    exit 1
fi

json="\"bench\":\"$bench\""
failed=0

calc() { # expression: prints its value, by awk
    awk "BEGIN { printf \"%.6g\", $1 }"
}
holds() { # comparison: whether it is true
    awk "BEGIN { exit !($1) }"
}
note() { # key value: adds a number, or text in quotes, to the JSON line
    json+=",\"$1\":$2"
}
wrong() { # text: reports a wrong result; the script continues and fails at its end
    echo "WRONG: $1" >&2
    failed=1
}
finish() { # prints the JSON line; the exit status is 1 if a result was wrong or a target was missed
    local met=true

    [[ $failed -eq 0 ]] || met=false
    printf '{%s,"all_met":%s}\n' "$json" $met
    exit $failed
}

tool() { # name [compiler argument]...: builds bench/NAME.c and prints its path
    local name=$1 out=$dir/$1

    shift
    if [[ ! -x $out || bench/$name.c -nt $out ]]; then
        "${CC:-cc}" -std=gnu17 -O2 -o "$out" "bench/$name.c" "$@" >&2
    fi
    echo "$out"
}
measure=$(tool measure)

# Measuring. `run [-m] COMMAND...` adds a line to the file $times. `best` sets cpu, user, sys and
# wall to the least times, and anon_mb to the largest anonymous memory, over these lines. -m watches
# the memory. The command's output is written to $dir/out.
times=$dir/times
run() {
    local watch=()

    if [[ $1 == -m ]]; then
        watch=(-m)
        shift
    fi
    if ! "$measure" "${watch[@]}" "$times" "$@" >"$dir/out" 2>"$dir/err"; then
        echo "bench/$bench: failed: $*" >&2
        cat "$dir/err" >&2
        exit 1
    fi
}
best() {
    read -r cpu user sys wall anon_mb < <(awk '
        NR == 1 || $1 + $2 < cpu { user = $1; sys = $2; cpu = user + sys }
        NR == 1 || $3 < wall { wall = $3 }
        $4 > anon { anon = $4 }
        END { printf "%.3f %.3f %.3f %.3f %.1f\n", cpu, user, sys, wall, anon * 1024 / 1e6 }' "$times")
}
start() { # name: lines of the following runs are written to a separate file
    times=$dir/times-$bench-$1
    rm -f "$times"
}

mb_of() { # file: prints its size in MB of 10^6 bytes
    calc "$(stat -c %s "$1") / 1e6"
}
field() { # key file: prints a number of the JSON text in the file
    grep -o "\"$1\":[^,}]*" "$2" | head -n 1 | cut -d: -f2-
}

# Tables.
timing_head() { printf '%-46s %8s %8s %8s %8s %9s %9s\n' "$1" 'CPU s' 'user s' 'sys s' 'wall s' 'MB/CPU s' 'RssAnon'; }
timing() { # title megabytes: prints a line with the results of best
    local memory=-

    holds "$anon_mb > 0" && memory="$anon_mb MB"
    printf '%-46s %8.3f %8.3f %8.3f %8.3f %9.0f %9s\n' "$1" "$cpu" "$user" "$sys" "$wall" "$(calc "$2 / $cpu")" "$memory"
}
absent() { printf '%-46s %8s\n' "$1" absent; }
claim_head() { printf '\n%-58s %12s %12s  %s\n' claim measured asked ''; }
claim() { # title measured target comparison: prints a line; the comparison decides between met and MISSED
    local result=met

    if ! holds "$4"; then
        result=MISSED
        failed=1
    fi
    printf '%-58s %12s %12s  %s\n' "$1" "$2" "$3" "$result"
}
remark() { printf '%-58s %12s %12s  %s\n' "$1" "$2" "${3:--}" "${4:-}"; } # a line without a target

# Data: the file with the shape of RCV1 and its test rows, made once.
sparse_rows=${BENCH_ROWS:-781265}
sparse() { # sets svm to its path
    svm=$dir/sparse-$sparse_rows.svm
    if [[ ! -s $svm || ! -s ${svm%.svm}-test.svm ]]; then
        "$CLEAVE" generate sparse --rows "$sparse_rows" --features 47236 --nonzeros 75 --test-rows 23149 -o "$svm" --quiet
    fi
    cat "$svm" >/dev/null # reads it into the page cache
}
need_space() { # gigabytes: whether the disk of the folder has this much free space
    local free

    free=$(df -Pk "$dir" | awk 'NR == 2 { print $4 * 1024 / 1e9 }')
    holds "$free >= $1"
}

# Whether two cores of the machine are free: measurements of two threads or processes are void
# otherwise.
spin() { # processes: prints how many loops, in units of a hundred thousand, they run together in a second
    local i total=0

    for ((i = 0; i < $1; i++)); do
        timeout 1 awk 'BEGIN { while (1) if (++n % 100000 == 0) { printf "x"; fflush() } }' >"$dir/spin.$i" &
    done
    wait
    for ((i = 0; i < $1; i++)); do total=$((total + $(stat -c %s "$dir/spin.$i"))); done
    echo $total
}

# Other programs: fetched if missing, `absent` if that fails.
peers_wanted() { [[ ${BENCH_PEERS:-yes} != no ]]; }
as_root() {
    if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo -n "$@"; fi
}
have_liblinear() {
    peers_wanted || return 1
    command -v liblinear-train >/dev/null && return
    as_root apt-get install -y --no-install-recommends liblinear-tools >"$dir/apt.log" 2>&1 </dev/null
    command -v liblinear-train >/dev/null
}
python=$dir/venv/bin/python
have_python() { # module package
    peers_wanted || return 1
    "$python" -c "import $1" >/dev/null 2>&1 && return
    {
        [[ -x $python ]] || python3 -m venv "$dir/venv"
        "$python" -m pip install --quiet "$2"
    } >"$dir/pip.log" 2>&1 </dev/null
    "$python" -c "import $1" >/dev/null 2>&1
}
