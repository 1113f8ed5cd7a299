#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds what is missing, then prints the messages of a capture, one line a message frame: time,
# direction, and the messages with their main fields.
#   tools/decrypt.sh [CAPTURE [ARGUMENTS OF TSHARK]]
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
"$here/tools/setup.sh" release 2>"$here/.setup.log" || { cat "$here/.setup.log" >&2; exit 1; }
rm -f "$here/.setup.log"

capture=${1:-$here/captures/login_5017.pcapng}
[ $# -eq 0 ] || shift
"$here/tools/tshark.sh" -r "$capture" -Y tq -t r "$@" -o 'gui.column.format:"Time","%t","From","%s","Port","%S","To","%d","Port","%D","Messages","%i"'
