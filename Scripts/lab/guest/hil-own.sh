#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters: `make hil OWN_BLUETOOTHD=1` on emulated controllers, as root. The system's bluetoothd is restored, even after
# a run was killed.
. /lab/guest/library.sh
. /lab/guest/baton.sh
. /lab/guest/hil.sh

adapters 2
laptop hci0 hci1
refused 'OWN_BLUETOOTHD needs root' hci0,hci1 --own-bluetoothd

AS_USER=(env "HOME=$OWN" "BATON_BIN=$TOOLS/bin") # root
how() { tr '\0' ' ' <"/proc/$(dbus-send --system --print-reply=literal --dest=org.freedesktop.DBus /org/freedesktop/DBus \
    org.freedesktop.DBus.GetConnectionUnixProcessID string:org.bluez | awk '{ print $NF }')/cmdline"; }
other() { [[ $(how) == *baton-hil* ]]; }
back() { [ "$(how)" = "$BEFORE" ] && powered hci0 && powered hci1; }
BEFORE=$(how)

begun=$SECONDS
hil 1800 hci0,hci1 --own-bluetoothd --parts circle,bluetoothd,left --bytes 102400 || die "$(hil_failure)"
back || die "the system's bluetoothd is not back: $(how), before $BEFORE"
nothing_left
fact "$(grep '^hil: bluetoothd' "$LOGS/hil"), of $((SECONDS - begun)) s"

"${AS_USER[@]}" "${HIL[@]}" hci0,hci1 --own-bluetoothd --parts circle,bluetoothd --report "$OWN/cut" >"$LOGS/hil-cut" 2>&1 &
CUT=$!
until_true 300 "another bluetoothd runs" other
kill -KILL "$CUT"
wait "$CUT" || true
until_true 120 "the system's bluetoothd is back" back
say "it was killed, and the system's bluetoothd is back"
stop_monitor
