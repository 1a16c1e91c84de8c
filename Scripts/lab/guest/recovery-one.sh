#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters and a daemon on each. The radio goes and comes back twenty times, in four ways. Then both daemons dial at once and
# ping each other each way. Then a stream is open while Bluetooth is off, for a moment and for good.
. /lab/guest/library.sh
. /lab/guest/baton.sh

ROUNDS=${LAB_ROUNDS:-5}

# offer NAME: publishes an activity of its own type until the end.
offer() {
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/$1/bus" "$BATON_BIN/baton" publish --type "$TYPE.$1" >"$LOGS/publish-$1" 2>&1 &
    OFFERING+=($!)
    until_true 60 "baton publishes" grep -q publishing "$LOGS/publish-$1"
}

sees() { baton_within 30 "$1" nearby --json | finds "\"$TYPE.$2\""; }
sees_not() { ! sees "$@"; }
is_ready() { baton_within 20 "$1" status 2>&1 | finds 'ready'; }
answers() { baton_within 60 "$1" ping "$2" >"$LOGS/ping-$1" 2>&1; }

# sees_anew NAME OTHER ADAPTER: like `sees`, with another scan, because bluetoothd forgets devices if it hangs for longer than its 30 s.
sees_anew() { sees "$1" "$2" || { scan_anew "$3" && sees "$1" "$2"; }; }

# is_back: waits until each laptop sees the other's offer and reaches it.
is_back() {
    until_true 150 "desk sees sofa's offer" sees_anew desk sofa hci0
    until_true 150 "sofa sees desk's offer" sees_anew sofa desk hci1
    until_true 90 "desk reaches sofa" answers desk sofa
    until_true 90 "sofa reaches desk" answers sofa desk
}

# held NAME: prints how many descriptors and threads a daemon has.
held() { echo "$(find "/proc/${DAEMON[$1]}/fd" -mindepth 1 | wc -l) $(awk '/^Threads:/ { print $2 }' "/proc/${DAEMON[$1]}/status")"; }
resident() { awk '/^VmRSS:/ { print $2 }' "/proc/${DAEMON[$1]}/status"; }
# holds_no_more NAME BEFORE: whether a daemon holds at most what it held before. It may hold less, because a link may
# have ended meanwhile.
holds_no_more() { awk -v now="$(held "$1")" -v before="$2" 'BEGIN { split(now, n); split(before, b); exit !(n[1] <= b[1] && n[2] <= b[2]) }'; }

# --- Ways in which the radio goes ------------------------------------------------------------------------------------

switched_off() {
    power hci0 false
    until_true 30 "desk is told that its Bluetooth is off" has_finding desk adapter-off
    until_true 30 "desk hears nobody" sees_not desk sofa
    power hci0 true
}

# hung: stops bluetoothd, and publishes another activity, so that batond waits for bluetoothd's answer.
hung() {
    local other
    kill -STOP "$BLUETOOTHD"
    DBUS_SESSION_BUS_ADDRESS=unix:path=/run/desk/bus "$BATON_BIN/baton" publish --type "$TYPE.other" >>"$LOGS/publish-other" 2>&1 &
    other=$!
    until_true 90 "desk is told that bluetoothd does not answer" has_finding desk bluetoothd-silent
    kill -CONT "$BLUETOOTHD"
    until_true 90 "desk's radio is ready" is_ready desk
    kill -TERM "$other"
    until_true 30 "baton publish ends" ended "$other"
}

killed() {
    kill -KILL "$BLUETOOTHD"
    wait "$BLUETOOTHD" || true
    until_true 30 "desk is told that bluetoothd does not run" has_finding desk bluetoothd-stopped
    bluetooth hci0 hci1
}

unplugged() {
    kill "$BTVIRT"
    wait "$BTVIRT" || true
    until_true 30 "desk is told that its adapter has gone" has_finding desk adapter-missing
    until_true 30 "desk hears nobody" sees_not desk sofa
    adapters 2
    powered_on hci0 hci1
}

# --- The twenty times ------------------------------------------------------------------------------------------------

OFFERING=()
adapters 2
laptop hci0 hci1
for name in desk sofa; do daemon "$name" "$([ "$name" = desk ] && echo hci0 || echo hci1)" --tcp off; done
create_circle desk /run/invitation
join_circle sofa /run/invitation
baton_within 30 sofa rename sofa || die "baton rename"
offer desk
offer sofa
is_back

for ((round = 1; round <= ROUNDS; round++)); do
    for way in switched_off hung killed unplugged; do
        begun=$SECONDS
        "$way"
        away=$((SECONDS - begun))
        is_back
        say "$round: $way: away for $away s, back $((SECONDS - begun - away)) s later"
    done
    # The first round is a warm-up for sockets, threads and caches that are made once.
    if [ "$round" = 1 ]; then
        for name in desk sofa; do
            eval "held_$name='$(held "$name")' resident_$name=$(resident "$name")"
        done
    fi
done
for name in desk sofa; do
    before=held_$name resident=resident_$name
    until_true 60 "$name holds no more descriptors and threads than after the first round, ${!before}, and not $(held "$name")" \
        holds_no_more "$name" "${!before}"
    grown=$(($(resident "$name") - ${!resident}))
    [ "$grown" -lt 4096 ] || die "batond $name has grown by $grown kB in $((4 * ROUNDS - 4)) events"
    fact "$name after $((4 * ROUNDS)) events: no more than ${!before} descriptors and threads as before, $grown kB more resident"
done

# --- Both dial at once, and ping each way -----------------------------------------------------------------------------

# A laptop that dials before the other advertises again tries a second time. btvirt forgets such a dial, but a real controller would keep
# listening.

for ((round = 1; round <= ROUNDS; round++)); do
    switched_off
    until_true 150 "desk sees sofa's offer" sees_anew desk sofa hci0
    until_true 120 "desk reaches sofa as it is dialled" answers desk sofa &
    other=$!
    until_true 120 "sofa reaches desk as it is dialled" answers sofa desk
    wait "$other" || die "desk does not reach sofa: $(tail -1 "$LOGS/ping-desk")"
done
fact "both dialled at once, $ROUNDS times: $(tail -1 "$LOGS/ping-desk"); $(tail -1 "$LOGS/ping-sofa")"

baton_within 150 sofa ping desk --each-way >"$LOGS/each-way" 2>&1 || die "baton ping --each-way: $(tail -1 "$LOGS/each-way")"
for line in 'This laptop hears "desk"' '"desk" hears this laptop' 'l2cap reaches "desk" from here' 'l2cap reaches this laptop from "desk"'; do
    grep -q "^$line" "$LOGS/each-way" || die "baton ping --each-way does not say '$line': $(tr '\n' ';' <"$LOGS/each-way")"
done
# Each laptop has only one link, although the laptop that is the link's peripheral also dials.
one_link() { [ "$(hcitool -i "$1" con | tee "$LOGS/links-$1" | grep -c handle)" = 1 ]; }
for adapter in hci0 hci1; do
    # A dial that was given up a moment ago may still be listed as a link that connects.
    until_true 30 "$adapter has one link" one_link "$adapter"
done
fact "each way: $(grep reaches "$LOGS/each-way" | tr '\n' ';')"

# --- A stream ---------------------------------------------------------------------------------------------------------

mkfifo /run/endless
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/desk/bus "$BATON_BIN/baton" publish --type "$TYPE.endless" --stream-from /run/endless >"$LOGS/endless-desk" 2>&1 &
OFFERING+=($!)
exec 8<>/run/endless
head -c 4096 /dev/zero >&8
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/sofa/bus "$BATON_BIN/baton" continue --type "$TYPE.endless" --wait "$(limit 120)" --stream-to - \
    >/run/streamed 2>"$LOGS/endless-sofa" &
continuer=$!
has_come() { [ "$(stat -c %s /run/streamed)" -ge "$1" ]; }
until_true 180 "the stream begins" has_come 4096
switched_off
head -c 4096 /dev/zero >&8
until_true 90 "the stream goes on once Bluetooth is on again" has_come 8192
say "a stream went on after Bluetooth was off"

# Pretends that the controller has not heard the other one for its supervision timeout.
silent() {
    local handle
    handle=$(hcitool -i "$1" con | sed -n 's/.* handle \([0-9]*\) .*/\1/p' | head -1)
    [ -n "$handle" ] && hcitool -i "$1" ledc "$handle" 8
}
for adapter in hci1 hci0; do
    silent "$adapter" || die "$adapter has no link: $(hcitool -i "$adapter" con | tr '\n' ';')"
    before=$(stat -c %s /run/streamed)
    head -c 4096 /dev/zero >&8
    until_true 90 "the stream goes on after a supervision timeout" has_come $((before + 4096))
done
say "a stream went on after two supervision timeouts"

power hci0 false
head -c 4096 /dev/zero >&8
until_true 200 "baton continue ends" ended "$continuer"
if wait "$continuer"; then die "a stream that was cut short passes for whole"; fi
until_true 60 "baton publish says that the stream was cut" grep -qi 'stream' "$LOGS/endless-desk"
fact "Bluetooth went off for good: there $(tail -1 "$LOGS/endless-sofa"); here $(tail -1 "$LOGS/endless-desk")"
exec 8>&-
for process in "${OFFERING[@]}"; do
    kill -TERM "$process"
    until_true 30 "baton publish ends" ended "$process"
done
stop_daemon sofa
stop_daemon desk
