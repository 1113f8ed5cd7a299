#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds with clang, and checks the sources with clang-format and clang-tidy, and with doxygen that the
# library's public headers leave nothing out.
#   tools/lint.sh
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
"$here/tools/setup.sh" clang clang clang-format clang-tidy libjson-glib-dev python3 \
    doxygen
cd "$here"

sources=$(git ls-files '*.c' '*.h')
echo "clang-format: $(echo "$sources" | wc -l) files"
# shellcheck disable=SC2086 # one word a file
clang-format --dry-run -Werror $sources

headers=$(sed -n 's/^set(TQCIPHER_HEADERS \(.*\))/\1/p' cipher/CMakeLists.txt)
echo "doxygen: $headers"
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
# Parameters are checked only where pages are made.
(cd cipher && doxygen - >/dev/null) <<EOF
INPUT = $headers
OUTPUT_DIRECTORY = $pages
GENERATE_LATEX = NO
HAVE_DOT = NO
QUIET = YES
OPTIMIZE_OUTPUT_FOR_C = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = TQ_API=
WARN_NO_PARAMDOC = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
EOF

# Headers are checked where they are included; what is not built here is not in the database.
units=$(python3 - <<'EOF'
import json, os
top = os.getcwd() + "/"
names = {entry["file"] for entry in json.load(open("build-clang/compile_commands.json"))}
# What is shipped: the plugin and the cipher library.
print("\n".join(sorted(n[len(top):] for n in names
                       if os.path.dirname(n) + "/" in (top, top + "cipher/"))))
EOF
)
echo "clang-tidy: $(echo "$units" | wc -l) files"
echo "$units" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build-clang
