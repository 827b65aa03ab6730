# bash bench/page.sh [SCRIPT]... runs the benchmarks (all, or those named) and writes
# bench/results.md from their output. For a script that is not run, its last output is used, which
# page.sh keeps in the folder of the benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${BENCH_DIR:-build/bench}
mkdir -p "$dir"
[[ $# -gt 0 ]] || set -- read csv perceptron linear kernel-svm kernels memory generate
for name in "$@"; do
    {
        LC_ALL=C date -u '+%Y-%m-%d %H:%M UTC'
        "bench/$name" 2>&1 || true
    } | tee "$dir/page-$name.txt"
done
{
    echo "# Benchmark results"
    echo
    echo "\`bash bench/page.sh\` writes this page. [README.md](README.md) describes the measurements. Seconds apply to this machine,"
    echo "and ratios compare programs within one run."
    echo
    echo "- machine: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(awk '/MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo) of memory, $(uname -sr)"
    echo "- compiler: $("${CC:-cc}" --version | head -n 1)"
    echo "- program: $("${CLEAVE:-build/cleave}" --version | tr '\n' ',' | sed 's/,$//; s/,\([^ ]\)/, \1/g')"
    if command -v liblinear-train >/dev/null && command -v dpkg-query >/dev/null; then
        echo "- LIBLINEAR: $(dpkg-query -W -f '${Package} ${Version}' liblinear-tools 2>/dev/null || echo 'version unknown')"
    fi
    "$dir/venv/bin/python" -c 'import sklearn, pandas; print(f"- scikit-learn {sklearn.__version__}, pandas {pandas.__version__}")' 2>/dev/null || true
    "$dir/venv/bin/python" -c 'import vowpalwabbit; print(f"- Vowpal Wabbit {vowpalwabbit.__version__}")' 2>/dev/null || true
    for name in read csv perceptron linear kernel-svm kernels memory generate; do
        [[ -s $dir/page-$name.txt ]] || continue
        printf '\n## bench/%s, %s\n```\n' "$name" "$(head -n 1 "$dir/page-$name.txt")"
        tail -n +2 "$dir/page-$name.txt" | sed "s|$dir|build/bench|g"
        printf '```\n'
    done
} >bench/results.md
