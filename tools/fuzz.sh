#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the fuzz targets with clang, libFuzzer and the sanitizers, and runs them one after another.
#   tools/fuzz.sh [SECONDS [TARGET]...]
# SECONDS: for each target, by default 7, which makes a minute in all. A long run: tools/fuzz.sh 3600
# TARGET: of tests/fuzz/fuzz_TARGET.c, by default all of them.
# TQ_CORPUS: where inputs are kept between runs, by default build-fuzz/corpus.
#
# Prints how often each target was run. An input that is a finding is left in build-fuzz/found; put
# it into tests/fuzz/regressions/TARGET with the change that mends it.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
seconds=${1:-7}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- cipher recovery handshake keylog dictionary servers conquer transport
"$here/tools/setup.sh" fuzz clang python3

build=$here/build-fuzz
corpus=${TQ_CORPUS:-$build/corpus}
found=$build/found
mkdir -p "$found"

# longest TARGET: the longest input worth while, in bytes.
longest() {
    case $1 in
    cipher) echo 96 ;;
    conquer | transport) echo 2048 ;;
    *) echo 4096 ;;
    esac
}

# Wireshark's engine leaks, and a dictionary is never freed, so that only a process's end bounds
# memory: a long run is several. What is freed stays out of use for longer than an input takes; more
# would only fill the processor's cache.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8:malloc_context_size=4

# run TARGET SECONDS: one process of a target, whose output is added to its log.
run() {
    nice -n 15 "$build/tests/fuzz/fuzz_$1" \
        -dict="$here/tests/fuzz/tokens.dict" -max_len="$(longest "$1")" \
        -max_total_time="$2" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$found/$1-" "$corpus/$1" \
        "$build/tests/fuzz/seeds/$1" "$here/tests/fuzz/regressions/$1" >>"$build/fuzz-$1.log" 2>&1
}

status=0
for target in "$@"; do
    mkdir -p "$corpus/$target"
    log=$build/fuzz-$target.log
    : >"$log"
    left=$seconds
    while [ "$left" -gt 0 ]; do
        slice=$((left < 600 ? left : 600))
        run "$target" "$slice" || {
            status=1
            echo "$target: a finding, see $log" >&2
        }
        left=$((left - slice))
    done
    awk -v target="$target" '/^stat::number_of_executed_units:/ { sum += $2 }
        END { printf "%s: %d executions\n", target, sum }' "$log"
done
exit $status
