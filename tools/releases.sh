#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds with warnings as errors and runs all tests on several Debian releases, each in a root of
# its own with that release's Wireshark; makes the package there and tries it in a root that has
# only tshark. Prints a table.
#   tools/releases.sh [RELEASE]...
# RELEASE: bookworm (Wireshark 4.0), trixie (4.4), sid (4.6); by default all of them.
# TQ_ROOTS: where the roots are kept between runs, 3 GB each; by default /var/tmp/tq-roots.
# TQ_MIRROR: a Debian mirror; by default the one that this machine's apt uses.
#
# Runs as root, or with sudo. What a run printed is in $TQ_ROOTS/RELEASE.log.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
if [ "$(id -u)" -ne 0 ]; then
    exec sudo TQ_ROOTS="${TQ_ROOTS:-}" TQ_MIRROR="${TQ_MIRROR:-}" "$0" "$@"
fi
[ $# -gt 0 ] || set -- bookworm trixie sid
roots=${TQ_ROOTS:-/var/tmp/tq-roots}
mkdir -p "$roots"
. "$here/packaging/roots.sh"

# version_of PROGRAM: the version that a program in $root says it has.
version_of() {
    in_root "$root" / "$1" --version 2>/dev/null | grep -Eom1 '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1
}

# count_tests RESULT [NAME]: tests of which ctest says so in $log, those whose name starts so.
count_tests() {
    grep -Ec "^ *[0-9]+/[0-9]+ Test +#[0-9]+: ${2:-}.*$1" "$log" || true
}

# tests_cell [NAME]: how many of the tests passed, and how many could not be run there.
tests_cell() {
    skipped=$(count_tests Skipped "${1:-}")
    echo "$(count_tests Passed "${1:-}") of $(($(count_tests '' "${1:-}") - skipped)), $skipped skipped"
}

# try_release: all of it for $release; ends at the first thing that fails.
try_release() {
    # No test is run by the first command in the root: -N lists them.
    make_root "$release" "$root" &&
        copy_source "$here" "$root/src" &&
        in_root "$root" / apt-get update &&
        in_root "$root" /src nice tools/test.sh debug -N &&
        builds=yes &&
        in_root "$root" /src nice ctest --preset debug -j 2 &&
        in_root "$root" /src nice tools/setup.sh release dpkg-dev file &&
        in_root "$root" /src/build cpack -G DEB &&
        "$here/packaging/try_package.sh" "$release" "$root"/src/build/*.deb &&
        package=yes
}

status=0
table="| Debian | Wireshark | gcc | builds with -Werror | tests | capture tests | package |
|---|---|---|---|---|---|---|"
for release in "$@"; do
    root=$roots/$release
    log=$roots/$release.log
    builds=no package=no
    echo "$release: see $log" >&2
    try_release >"$log" 2>&1 || status=1
    table="$table
| $release | $(version_of tshark) | $(version_of gcc) | $builds | $(tests_cell) | $(tests_cell captures) | $package |"
done
echo "$table"
exit $status
