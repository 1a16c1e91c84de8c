#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters: `make hil` on emulated controllers, without the suites (conformance-one.sh). It reports missing things, it
# leaves nothing behind when interrupted, and its other parts pass.
. /lab/guest/library.sh
. /lab/guest/baton.sh
. /lab/guest/hil.sh

switch() {
    dbus-send --system --print-reply --dest=org.bluez "/org/bluez/$1" org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Powered "variant:boolean:$2" >/dev/null
}
off() { ! powered hci1; }
runs() { busybox ps -o args | finds "^$TOOLS/bin/baton"; }
advertisements() {
    dbus-send --system --print-reply=literal --dest=org.bluez /org/bluez/hci0 org.freedesktop.DBus.Properties.Get \
        string:org.bluez.LEAdvertisingManager1 string:ActiveInstances | awk '{ print $NF }'
}

adapters 2
system_bus
refused 'bluetoothd does not run' hci0,hci7
said 'hci7 is not there: this machine has hci0, hci1'
monitor btmon
bluetooth hci0 hci1
switch hci1 false
until_true 30 "hci1 is off" off
refused 'hci1 is off' hci0,hci1
off || die "it has switched an adapter on that its user had switched off"
switch hci1 true
until_true 30 "hci1 is on" powered hci1
say "what is missing is said"

# A link between the two, such as a run makes, keeps another run from starting. The first run is then interrupted and must leave nothing
# behind.
"${AS_USER[@]}" "${HIL[@]}" hci0,hci1 --parts circle,hand-over --report "$OWN/cut" >"$LOGS/hil-cut" 2>&1 &
CUT=$!
until_true 120 "two daemons are a circle" grep -q '^hil: circle *passed' "$LOGS/hil-cut"
refused 'hci0 has 1 connection' hci0,hci1
runs || die "no daemon runs"
kill -TERM "$CUT"
until_true 60 "it ends" ended "$CUT"
status=0
wait "$CUT" || status=$?
[ "$status" = 130 ] || die "it has ended with status $status: $(tail -1 "$LOGS/hil-cut")"
if runs; then die "something of it runs on"; fi
[ "$(advertisements)" = 0 ] || die "something is advertised"
until_true 30 "the link has ended" linked_not
nothing_left
grep -q '^| hand-over .* failed .* was interrupted' "$OWN/cut/report.md" || die "its report does not say that it was interrupted"
say "it was interrupted, and nothing is left"

begun=$SECONDS
hil 840 hci0,hci1 --parts circle,hand-over,streams,failures,left --times 1 --bytes 102400 || die "$(hil_failure)"
whole_report samples.svg streams.svg logs/desk-batond.log
nothing_left
[ "$(grep -c ' passed ' "$LOGS/hil")" = 5 ] || die "$(hil_failure)"
fact "$(grep '^| Linux Foundation' "$REPORT/report.md"), in $((SECONDS - begun)) s"
stop_monitor
