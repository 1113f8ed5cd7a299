#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the tests and the seeds of the fuzz targets, and prints how many of the lines they reach.
#   tools/coverage.sh [ARGUMENTS OF CTEST]
# TQ_CORPUS: a corpus of tools/fuzz.sh, which is then run too.
#
# Lines that were not reached are marked in build-coverage/lines.txt.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
"$here/tools/setup.sh" coverage clang llvm python3 wireshark-common
build=$here/build-coverage
profiles=$build/profiles
version=$(clang --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
find_tool() { command -v "$1" || command -v "$1-$version" || echo "/usr/lib/llvm-$version/bin/$1"; }

rm -rf "$profiles"
mkdir -p "$profiles"
chmod 0777 "$profiles"
export LLVM_PROFILE_FILE="$profiles/%m_%p.profraw"
# A test that takes time or fails for being slowed down says nothing about lines.
ctest --test-dir "$build" -LE slow -E 'startup|packaging|emulated' -j 2 "$@" >"$build/tests.log" ||
    tail -n 20 "$build/tests.log" >&2
for folder in "${TQ_CORPUS:-/nonexistent}"/*/; do
    [ ! -d "$folder" ] || "$build/tests/fuzz/fuzz_$(basename "$folder")" "$folder" >/dev/null
done

"$(find_tool llvm-profdata)" merge -sparse -o "$build/all.profdata" "$profiles"/*.profraw
set -- "$(echo "$build"/plugins/*/epan/tq.so)"
for program in "$build"/tests/*/*; do
    if [ -f "$program" ] && [ -x "$program" ]; then
        set -- "$@" -object "$program"
    fi
done
cov=$(find_tool llvm-cov)
ignored='(/tests/|/bench/|/build-coverage/|/usr/)'
"$cov" show -instr-profile "$build/all.profdata" -ignore-filename-regex "$ignored" "$@" \
    >"$build/lines.txt" 2>/dev/null
"$cov" report -instr-profile "$build/all.profdata" -ignore-filename-regex "$ignored" "$@" \
    2>/dev/null | awk 'NF == 13 { print $1, $8, $9, $10 }' | column -t
