#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs tshark (or the program named in $TQ_PROGRAM) with the plugin of a build tree.
#   tools/tshark.sh [ARGUMENTS OF TSHARK]
# TQ_BUILD: the build tree, by default "build" beside this script's folder.
#
# Wireshark ignores WIRESHARK_PLUGIN_DIR when it runs as root. So as root the program is run as
# nobody, who keeps root's right to read and write files, with a configuration folder of its own.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${TQ_BUILD:-$here/build}" && pwd)
program=${TQ_PROGRAM:-tshark}
export WIRESHARK_PLUGIN_DIR="$build/plugins"

# A build with AddressSanitizer needs its library before all others.
if [ -n "${TQ_PRELOAD:-}" ]; then
    set -- env LD_PRELOAD="$TQ_PRELOAD" "$program" "$@"
else
    set -- "$program" "$@"
fi

[ "$(id -u)" -eq 0 ] || [ "$(id -g)" -eq 0 ] || exec "$@"

if [ -z "${TQ_HOME:-}" ]; then
    TQ_HOME=$(mktemp -d)
    trap 'rm -rf "$TQ_HOME"' EXIT
fi
chmod 0777 "$TQ_HOME"
rights=+dac_read_search,+dac_override
setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=$rights --ambient-caps=$rights \
    env HOME="$TQ_HOME" XDG_CONFIG_HOME="$TQ_HOME/.config" "$@"
