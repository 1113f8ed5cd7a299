#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs what is missing, builds, and runs all tests.
#   tools/test.sh [PRESET [ARGUMENTS OF CTEST]]
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
preset=${1:-debug}
[ $# -eq 0 ] || shift
"$here/tools/setup.sh" "$preset" clang wireshark-common python3 libxml2-utils libjson-glib-dev \
    openssl dpkg-dev lintian mono-mcs qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross \
    wireshark xvfb openbox xdotool imagemagick fonts-dejavu-core at-spi2-core dbus-daemon \
    python3-gi chromium parallel sqlite3
cd "$here"
exec ctest --preset "$preset" -j 2 "$@"
