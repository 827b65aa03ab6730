# Functions shared by tests/accuracy/*: $1 is the command; work is a new folder, removed at the end.
# Sourced.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=${CLEAVE_DATA:-$here/../shared/data}
cleave=$(realpath "${1:-$here/build/cleave}")
work=$(mktemp -d "${TMPDIR:-/tmp}/cleave-accuracy.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

need() { # file: skips the test with a message if the file is missing
    if [[ ! -r $data/$1 ]]; then
        echo "SKIPPED: no $data/$1; CLEAVE_DATA names the folder of the real data sets"
        exit 77
    fi
}

wrong_and_rows() { # model data...: "WRONG ROWS" of cleave test
    "$cleave" test "$@" --quiet --json | sed -n 's/.*"rows":\([0-9]*\),.*"errors":\([0-9]*\),.*/\2 \1/p' | head -n 1
}

at_least() { # title percent wrong rows: fails below
    awk -v what="$1" -v least="$2" -v wrong="$3" -v rows="$4" 'BEGIN {
        accuracy = rows ? 100 * (rows - wrong) / rows : 0
        printf "%s: accuracy %.2f %%, %d of %d wrong; expected %s %% or more\n", what, accuracy, wrong, rows, least
        exit accuracy < least
    }'
}
