#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs what is missing on Debian, then configures and builds.
#   tools/setup.sh PRESET [PACKAGE]...
# PRESET: see CMakePresets.json; PACKAGE: wanted besides what the build needs.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
preset=$1
shift

missing=
for package in gcc cmake ninja-build pkg-config libwireshark-dev wireshark-dev libgcrypt20-dev \
    libglib2.0-dev tshark "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
done
if [ -n "$missing" ]; then
    echo "Installing$missing" >&2
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    # No word of apt's matters unless it fails. What a release does not have is left out: the build
    # says what it cannot do without, and tests that miss something are skipped.
    log=$(mktemp)
    # shellcheck disable=SC2046,SC2086 # one word a package
    { $sudo env DEBIAN_FRONTEND=noninteractive apt-get update &&
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
            $(apt-cache madison $missing | awk '{ print $1 }' | sort -u); } >"$log" 2>&1 ||
        { cat "$log" >&2; exit 1; }
    rm -f "$log"
fi

cd "$here"
{ cmake --preset "$preset" && cmake --build --preset "$preset"; } >&2
