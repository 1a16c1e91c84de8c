# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters: links without channels are ended many times, and the kernel must survive it.
. /lab/guest/library.sh
. /lab/guest/baton.sh

two_daemons
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
baton_within 60 sofa rename sofa || die "baton rename"
/usr/bin/python3 "$GUEST/unlinks.py" "${LAB_ROUNDS:-20}" || die "they did not find each other"
stop_daemon sofa
stop_daemon desk
! dmesg | grep 'kernel BUG' || die "the kernel has broken"
