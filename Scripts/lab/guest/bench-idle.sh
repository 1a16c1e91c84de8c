#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with one adapter, in a circle, with no other device near: counts how often batond wakes it, for
# Benchmarks/run.
. /lab/guest/library.sh
. /lab/guest/baton.sh

SETTLING=30 WATCHED=120

# wakeups PROCESS: how often all of its threads together have waited and woken up.
wakeups() { awk '/^voluntary_ctxt_switches/ { sum += $2 } END { print sum }' "/proc/$1/task/"*/status; }

system_bus
adapters 1
bluetooth hci0
daemon desk hci0
baton_within 60 desk circle create --name desk || die "baton circle create"
sleep "$SETTLING"
before=$(wakeups "${DAEMON[desk]}")
sleep "$WATCHED"
after=$(wakeups "${DAEMON[desk]}")
fact "batond on BlueZ wakes: $(((after - before) * 60 / WATCHED)) times a minute"
stop_daemon desk
