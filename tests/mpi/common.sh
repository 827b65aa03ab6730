# For the tests of cleave-mpi: sourced with the two programs as arguments. Skips (77) where there is no MPI; otherwise in an empty
# folder that is removed at the end.
set -u
[[ $# -ge 2 && -x $2 ]] || { echo "skipped: cleave-mpi was not built: CMake found no MPI" && exit 77; }
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun (on Debian: openmpi-bin)" && exit 77; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cleave=$(realpath "$1")
cleave_mpi=$(realpath "$2")

# Open MPI does not run for root unasked, and more ranks than cores must not spin. The last two keep it quiet in containers.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_base_warn_component_unused=0
export LC_ALL=C
# What Open MPI does not free is none of our business.
export LSAN_OPTIONS="${LSAN_OPTIONS-}:suppressions=$here/lsan.txt:print_suppressions=0"

work=$(mktemp -d "${TMPDIR:-/tmp}/clv-mpi.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

failures=0
fail() {
    echo "not ok  $*"
    failures=$((failures + 1))
}
ok() { echo "ok      $*"; }
finish() {
    ((failures == 0)) || { echo "$failures failed" && exit 1; }
    exit 0
}

ranks() { # number, then the words of cleave-mpi
    local n=$1

    shift
    timeout -k 5 200 mpirun --oversubscribe -n "$n" "$cleave_mpi" "$@" </dev/null
}

number() { # member of the JSON object in a file
    sed -n "s/.*\"$2\": *\([-0-9.e+]*\).*/\1/p" "$1" | head -n 1
}
