# Sourced by bench/linear: runs of the programs compared, each under a key, and the measurements of
# each: seconds, memory, primal, test error. A run's output is appended to $dir/linear-KEY.out. Its
# model is $dir/linear-KEY.model, and its weights, as bench/primal.c reads them, are
# $dir/linear-KEY.weights. A key without results is a program that is absent.
declare -A read_of train_of whole_of wall_of memory_of resident_of primal_of error_of tolerance_of
primal_program=$(tool primal)

fresh() { # key...: removes the results of earlier runs
    local key

    for key in "$@"; do
        rm -f "$dir/times-linear-$key" "$dir/linear-$key".{out,model,weights,clock,failed}
    done
}
once() { # [-m] key command...: one run
    local watch=()

    if [[ $1 == -m ]]; then
        watch=(-m)
        shift
    fi
    local key=$1

    shift
    times=$dir/times-linear-$key
    run "${watch[@]}" "$@"
    cat "$dir/out" >>"$dir/linear-$key.out"
}
least_in() { # file name: the least number with that name in the JSON lines of the file, or nothing
    { grep -o "\"$2\":[^],}]*" "$1" 2>/dev/null || true; } | cut -d: -f2 | sort -g | head -n 1
}
gather() { # key: the least times and the largest memory of its runs
    times=$dir/times-linear-$1
    best
    whole_of[$1]=$cpu
    wall_of[$1]=$wall
    if holds "$anon_mb > 0"; then
        memory_of[$1]=$anon_mb
    fi
    resident_of[$1]=$(awk '$5 > most { most = $5 } END { printf "%.1f", most * 1024 / 1e6 }' "$times")
}
known() { # key...: the keys that have weights
    local key

    for key in "$@"; do
        [[ ! -s $dir/linear-$key.weights ]] || echo "$key"
    done
}

# ---- cleave
has_svm=$("$CLEAVE" methods --json | grep -c '"name":"svm"' || true)
[[ $has_svm -gt 0 ]] || wrong "$CLEAVE has no method svm"
dataset() { # text name: makes $dir/NAME.cleave of it
    "$CLEAVE" convert "$1" -o "$dir/$2.cleave" --quiet
    cat "$1" "$dir/$2.cleave" >/dev/null # reads it into the page cache
}
cleave_run() { # [-m] key data option...
    local watch=()

    [[ $has_svm -gt 0 ]] || return 0
    if [[ $1 == -m ]]; then
        watch=(-m)
        shift
    fi
    local key=$1

    shift
    [[ ! -e $dir/linear-$key.failed ]] || return 0
    # In a subshell: if a run fails, the others of the table continue.
    if ! (once "${watch[@]}" "$key" "$CLEAVE" train svm "$@" --threads 1 -o "$dir/linear-$key.model" --json); then
        wrong "train svm $*: failed"
        rm -f "$dir/times-linear-$key" "$dir/linear-$key".{out,model}
        touch "$dir/linear-$key.failed"
    fi
}
cleave_once() { cleave_run "$@"; }
cleave_memory() { cleave_run -m "$@"; }
cleave_times() { # key
    gather "$1"
    read_of[$1]=$(least_in "$dir/linear-$1.out" read_cpu_seconds)
    train_of[$1]=$(least_in "$dir/linear-$1.out" train_cpu_seconds)
}
cleave_weights() { # key
    local model=$dir/linear-$1.model

    [[ -s $model ]] || return 0
    cleave_times "$1"
    # {"positive":"+1",…,"weights":{"1":0.5,…},"intercept":0.1,…}, with more classes {"weights":{"5":{"1":0.5,…},…},"intercept":{"5":0.1,…},…}
    "$CLEAVE" explain "$model" --json | tr '{},' '\n\n\n' | tr -d '"' | awk -F: '
        $1 == "positive" { positive = $2 }
        $1 == "weights" { part = "weights"; next }
        $1 == "intercept" { part = "bias"; if ($2 != "") print "bias", positive, $2; next }
        $1 == "threshold" { part = "" }
        part == "weights" && NF == 2 && $2 == "" { print "output", $1; open = 1; next }
        part == "weights" && NF == 2 { if (!open) { print "output", positive; open = 1 } if ($2 != 0) print $1, $2 }
        part == "bias" && NF == 2 { print "bias", $1, $2 }' >"$dir/linear-$1.weights"
}
percent_wrong() { { grep -o '"error_rate":[^,}]*' || true; } | awk -F: '{ printf "%.3f", 100 * $2 }'; }
cleave_error() { # key test: its times, and its evaluation of the test rows
    [[ -s $dir/linear-$1.model ]] || return 0
    cleave_times "$1"
    error_of[$1]=$("$CLEAVE" test "$dir/linear-$1.model" "$2" --json 2>/dev/null | percent_wrong)
}
rounds_after_first() { # key: the least seconds of its second and later epochs
    { grep -o '"epoch_seconds":\[[^]]*\]' "$dir/linear-$1.out" 2>/dev/null || true; } | tr -d '[]' | cut -d: -f2 |
        awk -F, '{ for (i = 2; i <= NF; i++) print $i }' | sort -g | head -n 1
}
cpu_of_more() { # key more-key epochs: CPU seconds of an epoch, from a second training with `epochs` more epochs
    local few more

    few=$(least_in "$dir/linear-$1.out" train_cpu_seconds)
    more=$(least_in "$dir/linear-$2.out" train_cpu_seconds)
    [[ -z $few || -z $more ]] || calc "($more - $few) / $3"
}
has_passes() { # key epochs: that every run of the key had this number of epochs
    local made

    [[ -s $dir/linear-$1.out ]] || return 0
    made=$(grep -o '"epochs":[0-9]*' "$dir/linear-$1.out" | cut -d: -f2 | sort -u | paste -sd ' ')
    [[ $made == "$2" ]] || wrong "$1: asked for $2 passes, made: ${made:-none}"
}
relative_gap() { # key
    local primal dual

    primal=$(least_in "$dir/linear-$1.out" primal)
    dual=$(least_in "$dir/linear-$1.out" dual)
    [[ -z $primal || -z $dual ]] || awk "BEGIN { printf \"%.3g\", ($primal - $dual) / $primal }"
}
said_auto() { # key: the solver that auto chose
    [[ -s $dir/linear-$1.model ]] || return 0
    echo "auto took $(least_in "$dir/linear-$1.out" solver), epochs: $(least_in "$dir/linear-$1.out" epochs)"
}

# Dual coordinate descent with the loosest tolerance that gives a primal no higher than the given
# one. Without one, the default tolerance.
dcd_as_good() { # key lambda train test dataset primal
    local key=$1 lambda=$2 train=$3 test=$4 data=$5 asked=$6 tolerance i primal

    [[ $has_svm -gt 0 ]] || return 0
    for tolerance in 0.1 0.05 0.03 0.02 0.01 0.005 0.003 0.002 0.001 5e-4 2e-4 1e-4 3e-5 1e-5 1e-6; do
        fresh "$key"
        [[ -n $asked ]] || tolerance=0.001
        cleave_once "$key" "$data" --lambda "$lambda" --solver dcd --tolerance $tolerance
        [[ -e $dir/linear-$key.model ]] || return 0
        primal=$(least_in "$dir/linear-$key.out" primal)
        if [[ -z $asked ]] || holds "${primal:-inf} <= $asked"; then
            break
        fi
    done
    tolerance_of[$key]=$tolerance
    for ((i = 1; i < reps; i++)); do
        cleave_once "$key" "$data" --lambda "$lambda" --solver dcd --tolerance $tolerance
    done
    cleave_memory "$key" "$data" --lambda "$lambda" --solver dcd --tolerance $tolerance
    cleave_weights "$key"
    evaluate_models "$lambda" "$train" "$test" "$key"
}

# ---- LIBLINEAR: a preloaded function times its library's train(), so that training is measured
# without reading.
liblinear_once() { # key argument...
    local key=$1 clock

    shift
    have_liblinear || return 0
    clock=$(realpath "$dir")/clock_train.so
    [[ $clock -nt bench/clock_train.c ]] || "${CC:-cc}" -O2 -shared -fPIC -o "$clock" bench/clock_train.c -ldl
    once -m "$key" env BENCH_MARKER="$dir/linear-$key.clock" LD_PRELOAD="$clock" liblinear-train -q "$@" "$dir/linear-$key.model"
}
liblinear_weights() { # key; 1 when it is absent
    local key=$1

    [[ -s $dir/linear-$key.model ]] || return 1
    gather "$key"
    if [[ -s $dir/linear-$key.clock ]]; then
        read_of[$key]=$(sort -g "$dir/linear-$key.clock" | head -n 1 | cut -d' ' -f1)
        train_of[$key]=$(cut -d' ' -f2 "$dir/linear-$key.clock" | sort -g | head -n 1)
    fi
    # A line per feature, with a number per output. The last line has the intercepts (-B 1). Two
    # classes have one output, for the first label.
    awk '
        $1 == "label" { for (k = 2; k <= NF; k++) label[k - 1] = $k }
        $1 == "nr_feature" { features = $2 }
        body { outputs = NF; for (k = 1; k <= NF; k++) w[k, ++row_of[k]] = $k }
        $1 == "w" { body = 1 }
        END {
            for (k = 1; k <= outputs; k++) {
                print "output", label[k]
                for (i = 1; i <= features; i++) if (w[k, i] != 0) print i, w[k, i]
                print "bias", label[k], w[k, features + 1]
            }
        }' "$dir/linear-$key.model" >"$dir/linear-$key.weights"
}

# ---- scikit-learn and Vowpal Wabbit: timed around the calls, so that starting Python does not count
sklearn_once() { # key sgd|svc train argument...
    local key=$1

    shift
    fresh "$key"
    have_python sklearn scikit-learn || return 0
    once -m "$key" "$python" bench/peer.py "$@" "$dir/linear-$key.weights"
    gather "$key"
    read -r "read_of[$key]" "train_of[$key]" "wall_of[$key]" <"$dir/linear-$key.out"
    whole_of[$key]=$(calc "${read_of[$key]} + ${train_of[$key]}")
}
have_vw() { have_python vowpalwabbit vowpalwabbit; }
vw_file() { # text vw-text: the same rows in the format of Vowpal Wabbit
    have_vw || return 0
    [[ $2 -nt $1 ]] && return
    sed -E 's/^([^ ]+)/\1 |/' "$1" >"$2.part"
    mv "$2.part" "$2"
}
vw_once() { # key argument...
    local key=$1

    shift
    have_vw || return 0
    once -m "$key" "$python" bench/peer.py vw "$@" -f "$dir/linear-$key.model"
}
vw_evaluate_models() { # key test: its times, and its evaluation of the test rows
    local key=$1 test=$2 binary=--binary errors rows

    [[ -s $dir/linear-$key.model ]] || return 0
    gather "$key"
    whole_of[$key]=$(cut -d' ' -f1 "$dir/linear-$key.out" | sort -g | head -n 1)
    wall_of[$key]=$(cut -d' ' -f2 "$dir/linear-$key.out" | sort -g | head -n 1)
    [[ $key != many-* ]] || binary=
    # shellcheck disable=SC2086 # nothing, or one word
    "$python" bench/peer.py vw -t $binary -i "$dir/linear-$key.model" -d "$test" -p "$dir/predictions" >/dev/null
    read -r errors rows < <("$python" bench/peer.py vw-errors "$dir/predictions" "$test")
    error_of[$key]=$(calc "100 * $errors / $rows")
}

# ---- evaluation
evaluate_models() { # lambda train test key...: primal on the training rows, per cent of errors on the test rows
    local lambda=$1 train=$2 test=$3 key files=() keys own primal errors rows

    shift 3
    [[ $# -gt 0 ]] || return 0
    keys=("$@")
    for key in "$@"; do
        files+=("$dir/linear-$key.weights")
    done
    "$primal_program" "$lambda" "$train" "${files[@]}" >"$dir/evaluated"
    "$primal_program" "$lambda" "$test" "${files[@]}" | paste -d' ' "$dir/evaluated" - >"$dir/evaluated-test"
    while read -r primal _ _ _ errors rows; do
        key=${keys[0]}
        keys=("${keys[@]:1}")
        primal_of[$key]=$primal
        error_of[$key]=$(calc "100 * $errors / $rows")
        own=$(least_in "$dir/linear-$key.out" primal)
        if [[ -n $own && $key != *joint ]] && ! holds "$own < $primal * 1.00002 && $own > $primal * 0.99998"; then
            wrong "$key: cleave reports primal $own, bench/primal.c $primal"
        fi
    done <"$dir/evaluated-test"
}

# ---- tables and claims
table() { # title
    printf '\n%s\n%-52s %8s %8s %8s %8s %10s %10s %8s\n' "$1" 'program' 'read s' 'train s' 'CPU s' 'wall s' 'RssAnon' primal 'error %'
}
shown() { # format number: the number, or a dash
    if [[ -n $2 ]]; then printf "$1" "$2"; else printf -; fi
}
line() { # key label
    if [[ -z ${whole_of[$1]:-} ]]; then
        printf '%-52s %8s\n' "$2" absent
        return
    fi
    printf '%-52s %8s %8s %8s %8s %10s %10s %8s\n' "$2" "$(shown %.3f "${read_of[$1]:-}")" "$(shown %.3f "${train_of[$1]:-}")" \
        "$(shown %.3f "${whole_of[$1]}")" "$(shown %.3f "${wall_of[$1]:-}")" "$(shown '%.1f MB' "${memory_of[$1]:-}")" \
        "$(shown %.6f "${primal_of[$1]:-}")" "$(shown %.2f "${error_of[$1]:-}")"
}
unknown() { remark "$1" - "${2:--}" "not measured: a program is absent, or failed"; }
share_of() { # title part whole [fraction]: part / whole; the target is at most the fraction, which may be written 1/8
    local value

    if [[ -z $2 || -z $3 ]]; then
        unknown "$1" ${4:+"<= $4"}
        return
    fi
    value=$(printf %.3f "$(calc "$2 / ($3)")")
    if [[ -n ${4:-} ]]; then
        claim "$1" "$value" "<= $4" "$2 <= ($4) * ($3)"
    else
        remark "$1" "$value"
    fi
}
most() { # title value [limit]
    if [[ -z $2 ]]; then
        unknown "$1" ${3:+"<= $3"}
    elif [[ -n ${3:-} ]]; then
        claim "$1" "$(printf %.4g "$2")" "<= $3" "$2 <= $3"
    else
        remark "$1" "$(printf %.4g "$2")"
    fi
}
primal_against() { # title key other [factor]
    local value

    if [[ -z ${primal_of[$2]:-} || -z ${primal_of[$3]:-} ]]; then
        unknown "$1" ${4:+"<= $4"}
        return
    fi
    value=$(printf %.6f "$(awk "BEGIN { printf \"%.9f\", ${primal_of[$2]} / ${primal_of[$3]} }")")
    if [[ -n ${4:-} ]]; then
        claim "$1" "$value" "<= $4" "${primal_of[$2]} <= $4 * ${primal_of[$3]}"
    else
        remark "$1" "$value"
    fi
}
error_against() { # title key other [points]
    if [[ -z ${error_of[$2]:-} || -z ${error_of[$3]:-} ]]; then
        unknown "$1" ${4:+"<= $4"}
    elif [[ -n ${4:-} ]]; then
        claim "$1" "$(printf %.3f "$(calc "${error_of[$2]} - ${error_of[$3]}")")" "<= $4" "${error_of[$2]} - ${error_of[$3]} <= $4"
    else
        remark "$1" "$(printf %.3f "$(calc "${error_of[$2]} - ${error_of[$3]}")")"
    fi
}
lesser() { # numbers, some of them empty
    printf '%s\n' "$@" | grep . | sort -g | head -n 1 || true
}
note_part() { # part name...: adds all results of PART-NAME to the JSON line
    local part=$1 name key

    shift
    for name in "$@"; do
        key=$part-$name
        [[ -n ${whole_of[$key]:-} ]] || continue
        json+=",\"$key\":{\"cpu\":${whole_of[$key]},\"wall\":${wall_of[$key]:-null},\"read_cpu\":${read_of[$key]:-null}"
        json+=",\"train_cpu\":${train_of[$key]:-null},\"anonymous_mb\":${memory_of[$key]:-null},\"resident_mb\":${resident_of[$key]:-null}"
        json+=",\"primal\":${primal_of[$key]:-null},\"error_percent\":${error_of[$key]:-null}}"
    done
}

# ---- the plain epoch
floor_program() {
    local prototype=../shared/prototypes/floor.c

    if [[ -e $prototype ]]; then
        [[ -x $dir/floor-prototype ]] || "${CC:-cc}" -O2 -w -o "$dir/floor-prototype" "$prototype" -lm >&2
        echo "$dir/floor-prototype"
    else
        tool floor
    fi
}
floor_figure() { # pattern: the least CPU seconds of lines that match
    awk -v pattern="$1" '$0 ~ pattern { for (i = 2; i <= NF; i++) if ($i == "cpu") print $(i - 1) }' "$dir/floor.txt" | sort -g | head -n 1
}

machine_and_versions() {
    echo "machine: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(uname -sr), load $(cut -d' ' -f1 /proc/loadavg)"
    echo "cleave: $("$CLEAVE" --version | head -n 1)"
    if have_liblinear; then
        echo "LIBLINEAR: $(dpkg-query -W -f '${Package} ${Version}' liblinear-tools 2>/dev/null || echo 'version unknown')"
    fi
    if have_python sklearn scikit-learn; then
        "$python" -c 'import sklearn; print("scikit-learn:", sklearn.__version__)'
    fi
    if have_vw; then
        "$python" -c 'import vowpalwabbit; print("Vowpal Wabbit:", vowpalwabbit.__version__)'
    fi
}
