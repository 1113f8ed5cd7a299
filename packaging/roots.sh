# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Debian installations in folders, for what includes this file. All of it needs root's rights.

# The Debian mirror that this machine's apt uses, or $TQ_MIRROR.
find_mirror() {
    if [ -n "${TQ_MIRROR:-}" ]; then
        echo "$TQ_MIRROR"
    else
        # shellcheck disable=SC2016 # apt expands it
        apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' |
            sort -u | head -n 1
    fi
}

# make_root RELEASE ROOT: a minimal Debian, made if it is not there yet.
make_root() {
    if [ -e "$2/.complete" ]; then
        # An earlier run may have been stopped in the middle of an installation.
        in_root "$2" / dpkg --configure -a
        return
    fi
    command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap
    eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
    [ -z "${http_proxy:-}" ] || export http_proxy
    rm -rf "$2"
    nice debootstrap --variant=minbase "$1" "$2" "$(find_mirror)" || return 1
    # The index may be older than apt likes where the mirror is a snapshot.
    echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/90snapshot"
    [ -z "${http_proxy:-}" ] ||
        echo "Acquire::http::Proxy \"$http_proxy\";" >"$2/etc/apt/apt.conf.d/90proxy"
    touch "$2/.complete"
}

# in_root ROOT FOLDER COMMAND...: runs a command in it; its /proc is gone with the command.
in_root() (
    top=$1 folder=$2
    shift 2
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        unshare --mount --pid --fork --kill-child --root="$top" --wd="$folder" --mount-proc "$@"
)

# copy_source SOURCE TARGET: what git knows of a working tree, in its present state.
copy_source() {
    rm -rf "$2"
    mkdir -p "$2"
    git -C "$1" ls-files -z | tar -C "$1" --null --ignore-failed-read -T - -cf - | tar -C "$2" -xf -
}
