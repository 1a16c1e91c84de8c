#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters and BlueZ's privacy: at an epoch the advertisement's bytes and address change together, and the offer stays.
. /lab/guest/library.sh
. /lab/guest/baton.sh

# The clock is set so that an epoch of 600 s begins soon after all is up.
boundary=$((($(date +%s) / 600 + 1) * 600))
date -s "@$((boundary - 90))" >/dev/null
epoch_begins() { [ "$(date +%s)" -ge "$boundary" ]; }
# What the log holds; a recording that is being written may end in the middle of a record.
changed() { /usr/bin/python3 "$GUEST/epochs.py" "$LOGS/btmon" hci1 "$public" "$boundary"; }

system_bus
adapters 2
monitor btmon
bluetooth hci0 hci1
public=$(address hci0)
daemon desk hci0 --tcp off
daemon sofa hci1 --tcp off
if grep -q 'always shows its own address' "$LOGS/status-desk"; then die "baton status says that hci0 has no privacy"; fi
create_circle desk /run/invitation
join_circle sofa /run/invitation
file_of 1024 /run/from-desk
file_of 1024 /run/from-sofa
publish desk /run/from-desk /run/to-desk
see_offer sofa desk
! epoch_begins || die "the epoch began before the offer was seen: this machine is too slow"
until_true 200 "the next epoch" epoch_begins
until_true 120 "new bytes by a new address" changed
fact "with privacy: $(changed)"
continue_offer sofa /run/from-sofa /run/to-sofa 300 device=desk transport=l2cap streamTransport=l2cap
published desk 60
same_sum /run/to-sofa "$(sum /run/from-desk)"
fact "after the epoch the offer was continued as before"
stop_daemon sofa
stop_daemon desk
