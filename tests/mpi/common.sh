# For the tests of cleave-mpi: sourced with the two programs as arguments. Skips (77) if MPI is
# missing; otherwise changes to an empty folder that is removed at the end.
set -u
[[ $# -ge 2 && -x $2 ]] || { echo "skipped: cleave-mpi was not built: CMake found no MPI" && exit 77; }
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun (on Debian: openmpi-bin)" && exit 77; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cleave=$(realpath "$1")
cleave_mpi=$(realpath "$2")

# Permits root to run Open MPI, and lets more ranks than cores yield. The last two suppress warnings in containers.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_base_warn_component_unused=0
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/clv-mpi.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Memory that Open MPI does not free is not checked, and its stack traces have no names at the end
# of the process. Leaks therefore do not end a rank with an error. They are logged, and the log is
# searched for our own function names at the end. (Ranks other than the first print nothing.)
mkdir sanitizer
export ASAN_OPTIONS="${ASAN_OPTIONS-}:log_path=$work/sanitizer/log" LSAN_OPTIONS="exitcode=0:suppressions=$here/lsan.txt:print_suppressions=0"
export UBSAN_OPTIONS="${UBSAN_OPTIONS-}:log_path=$work/sanitizer/log"

failures=0
fail() {
    echo "not ok  $*"
    failures=$((failures + 1))
}
ok() { echo "ok      $*"; }
finish() {
    local found

    found=$(grep -lE 'ERROR: AddressSanitizer|runtime error| in (clv_|cli_|cleave_)' sanitizer/* 2>/dev/null)
    [[ -z $found ]] || { fail "the sanitizers" && cat $found; }
    ((failures == 0)) || { echo "$failures failed" && exit 1; }
    exit 0
}

ranks() { # number, then the arguments of cleave-mpi
    local n=$1

    shift
    timeout -k 5 200 mpirun --oversubscribe -n "$n" "$cleave_mpi" "$@" </dev/null
}

number() { # member of the JSON object in a file
    sed -n "s/.*\"$2\": *\([-0-9.e+]*\).*/\1/p" "$1" | head -n 1
}
