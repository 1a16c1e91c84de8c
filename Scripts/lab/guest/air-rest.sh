# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters: measures how much of the time the radios are in use while nothing is handed over. The figures are in the
# air's log.
. /lab/guest/library.sh
. /lab/guest/baton.sh

WATCHED=60 SETTLING=40 # seconds; a session without work ends after 30 s

note() {
    pause "$SETTLING"
    air "note before: $1"
    pause "$WATCHED"
    air "note $1"
}

system_bus
adapters 2
bluetooth hci0 hci1
daemon desk hci0 --tcp off
daemon sofa hci1 --tcp off
note "no circle"
create_circle desk /run/invitation
join_circle sofa /run/invitation
note waiting
publish desk /dev/null /dev/null
see_offer sofa desk
note "desk on hci0 offers"
baton_within 60 sofa pause || die "baton pause"
note "sofa on hci1 is paused"
stop_daemon sofa
stop_daemon desk
