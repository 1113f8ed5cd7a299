#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the pictures of docs/images anew, with the tests that look at Wireshark's window and at the
# protocol reference.
#   tools/screenshots.sh [BUILD]
# BUILD: the build tree, by default "build".
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
TQ_BUILD=$(cd "${1:-$here/build}" && pwd)
TQ_PICTURES=$(mktemp -d)
trap 'rm -rf "$TQ_PICTURES"' EXIT
chmod 0777 "$TQ_PICTURES"
export TQ_BUILD TQ_PICTURES

python3 "$here/tests/gui/test_window.py"
python3 "$here/tests/docs/test_reference.py"
mkdir -p "$here/docs/images"
for picture in "$TQ_PICTURES"/*.png; do
    # 256 colours are enough for a window, and a third of the size.
    convert "$picture" -dither None -colors 256 "$here/docs/images/$(basename "$picture")"
done
