#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs a package in a Debian that has nothing but tshark, reads a capture there, removes the
# package, and looks for what it left.
#   packaging/try_package.sh RELEASE PACKAGE.deb
# RELEASE: the Debian release that the package is for. TQ_ROOTS, TQ_MIRROR: as for
# tools/releases.sh. Runs as root.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/packaging/roots.sh"
release=$1 package=$2
root=${TQ_ROOTS:-/var/tmp/tq-roots}/$release-clean

# fail WHAT: ends the script.
fail() {
    echo "failed: $*" >&2
    exit 1
}

# apt COMMAND...: apt-get in the root, silent unless it fails.
apt() {
    in_root "$root" / env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends "$@" \
        >"$root.log" 2>&1 || {
        cat "$root.log" >&2
        fail "apt-get $*"
    }
}

# All files but those that apt and dpkg keep for themselves.
list_files() {
    in_root "$root" / find / -xdev \( -path /proc -o -path /tmp -o -path /var/cache -o -path /var/log \
        -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /root \) -prune -o -print | sort
}

mkdir -p "$(dirname "$root")"
make_root "$release" "$root" >"$root.log" 2>&1 || { cat "$root.log" >&2; fail "no root"; }
apt update
apt install tshark
# What an earlier run that was stopped has left.
[ ! -e "$root/var/lib/dpkg/info/wireshark-tq.list" ] || apt purge wireshark-tq
before=$(list_files)

cp "$package" "$root/tmp/tq.deb"
cp "$here/captures/login_5017.pcapng" "$root/tmp/"
apt install /tmp/tq.deb
in_root "$root" / tshark -G plugins 2>/dev/null | grep -P '^tq\.so *\t' || fail "tq.so is not loaded"
in_root "$root" / tshark -r /tmp/login_5017.pcapng -Y tq 2>/dev/null | head -n 5
answers=$(in_root "$root" / tshark -r /tmp/login_5017.pcapng -T fields -e tq.type \
    -Y 'conquer.talk.words == "ANSWER_OK"' 2>/dev/null | wc -l)
[ "$answers" -eq 1 ] || fail "$answers messages say ANSWER_OK, not 1"

apt purge wireshark-tq
rm "$root/tmp/tq.deb" "$root/tmp/login_5017.pcapng"
after=$(list_files)
[ "$before" = "$after" ] || {
    printf '%s\n' "$after" | grep -vxF "$before" >&2
    fail "the package left these files"
}
echo "installed, used and removed: $(basename "$package")"
