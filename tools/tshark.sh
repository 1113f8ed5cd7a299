#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs tshark (or the program named in $TQ_PROGRAM) with the plugin of a build tree.
#   tools/tshark.sh [ARGUMENTS OF TSHARK]
# TQ_BUILD: the build tree, by default "build" beside this script's folder.
# TQ_HOME: a home folder to take Wireshark's configuration from, instead of the user's.
#
# Wireshark ignores WIRESHARK_PLUGIN_DIR when it runs as root. So as root the program is run as
# nobody, who keeps root's right to read and write files; the configuration stays root's.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${TQ_BUILD:-$here/build}" && pwd)
program=${TQ_PROGRAM:-tshark}
export WIRESHARK_PLUGIN_DIR="$build/plugins"
if [ -n "${TQ_HOME:-}" ]; then
    export HOME="$TQ_HOME" XDG_CONFIG_HOME="$TQ_HOME/.config"
fi

# A build with AddressSanitizer needs its library before all others.
if [ -n "${TQ_PRELOAD:-}" ]; then
    set -- env LD_PRELOAD="$TQ_PRELOAD" "$program" "$@"
else
    set -- "$program" "$@"
fi

[ "$(id -u)" -eq 0 ] || [ "$(id -g)" -eq 0 ] || exec "$@"

rights=+dac_read_search,+dac_override
exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=$rights --ambient-caps=$rights "$@"
