# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters that dial each other at the same moment, many times, with no link between them before.
. /lab/guest/library.sh
. /lab/guest/baton.sh

two_daemons
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
baton_within 60 sofa rename sofa || die "baton rename"
/usr/bin/python3 "$GUEST/both-dial.py" "${LAB_ROUNDS:-10}" || die "not all were answered"
stop_daemon sofa
stop_daemon desk
