#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds with clang, and checks the sources with clang-format and clang-tidy.
#   tools/lint.sh
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
"$here/tools/setup.sh" clang clang clang-format clang-tidy libjson-glib-dev python3
cd "$here"

sources=$(git ls-files '*.c' '*.h')
echo "clang-format: $(echo "$sources" | wc -l) files"
# shellcheck disable=SC2086 # one word a file
clang-format --dry-run -Werror $sources

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
