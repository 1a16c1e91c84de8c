#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# Suspends the machine while clock-program waits. A thread that waits for a point in time must wake up then, or with
# the machine if it sleeps longer, because the time of the suspend counts.
SLEEPS="15 60"
b=/bin/busybox
exec >/dev/ttyS0 2>&1

# finish STATUS: reports the machine's exit status and powers off.
finish() {
    echo "lab: status $1"
    $b sleep 1
    echo o >/proc/sysrq-trigger
    while :; do :; done
}
die() {
    echo "fact: FAILED: $*"
    finish 1
}

# shellcheck disable=SC2086
/clock-program $SLEEPS >/slept &
program=$!
until $b grep -q sleeping /slept; do $b usleep 10000; done
echo core >/sys/power/pm_test
echo 20 >/sys/module/suspend/parameters/pm_test_delay
echo mem >/sys/power/state || die "the kernel does not suspend"
wait "$program" || die "clock-program has failed"
while read -r seconds all awake; do
    [ "$seconds" != sleeping ] || continue
    echo "fact: until $seconds s from then: $all s in all, $awake s awake"
    [ "$all" -ge "$seconds" ] || die "woken too early"
    [ "$awake" -lt "$seconds" ] || die "the time of the suspend did not count"
done </slept
[ "$($b wc -l </slept)" -eq 3 ] || die "not all have woken"
finish 0
