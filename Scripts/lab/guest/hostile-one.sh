#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with four controllers. desk has hci0 and sofa hci2. A hostile device, Tests/ForeignPeer/attack.py on Bumble's Bluetooth stack, has
# hci1 and hci3. It attacks desk. desk and sofa are one circle, and must hand over before, during and after each attack.
. /lab/guest/library.sh
. /lab/guest/baton.sh

SIGNALLING="commands_cut_short commands_of_wrong_length oversized_commands unknown_commands unasked_responses packets_of_wrong_length late_answers
    flood_of_channels flood_of_enhanced_channels wrong_psms wrong_channel_ids channel_ids_in_use too_small"
SDUS="sdus_cut_short sdus_longer_than_announced sdus_longer_than_agreed frames_larger_than_agreed frames_without_length frames_without_credits
    garbage_for_knocks"
CREDITS="credits_that_overflow credits_of_none credits_for_nobody"
LOOPS="links_in_a_loop channels_in_a_loop"
GROWTH=8192 # KiB that batond may have grown by

# record: records all packets, as btmon does. btmon itself also decodes packets at once, and crashes on some of the hostile ones.
record() {
    RECORDING=$LOGS/recording
    /usr/bin/python3 "$GUEST/recorder.py" "$RECORDING" &
    MONITOR=$!
    until_true 30 "the recorder records" recording "$RECORDING"
}

# --- The hostile device -----------------------------------------------------------------------------------------------

begin_hostile() {
    # Start the hostile device before bluetoothd takes its controllers.
    hciconfig hci1 down
    hciconfig hci3 down
    mkfifo /run/attacks
    exec 9<>/run/attacks
    "$BATON_BIN/bumble/bin/python" "$BATON_BIN/ForeignPeer/attack.py" hci-socket:1 hci-socket:3 </run/attacks >"$LOGS/hostile" 2>&1 9>&- &
    HOSTILE=$!
    until_true 120 "the hostile device is on the air" grep -q "^on the air" "$LOGS/hostile"
}

# outcome NAME: prints the hostile device's report of its last attack; fails while there is none.
outcome() { tail -n "+$((TOLD + 1))" "$LOGS/hostile" | grep "^$1[: ]"; }

# attack NAME [MEANWHILE]: runs one attack. Meanwhile, and at least once, the honest laptops do MEANWHILE: ping or hand_over.
attack() {
    local name=$1 meanwhile=${2:-ping} rounds=0 end=$((SECONDS + $(limit 260)))
    TOLD=$(wc -l <"$LOGS/hostile")
    echo "$name" >&9
    while [ "$rounds" = 0 ] || ! outcome "$name" >/dev/null; do
        alive "$HOSTILE" "the hostile device"
        [ "$SECONDS" -lt "$end" ] || die "$name does not end"
        "$meanwhile" "during $name"
        rounds=$((rounds + 1))
    done
    if outcome "$name failed" >/dev/null; then die "$(outcome "$name")"; fi
    say "$(outcome "$name"); meanwhile $meanwhile, $rounds times"
}

# --- The honest laptops -----------------------------------------------------------------------------------------------

# ping WHEN: sofa pings desk.
ping() {
    baton_within 60 sofa ping desk >>"$LOGS/pings" 2>&1 && return
    alive "${DAEMON[desk]}" "batond desk, $1,"
    die "sofa cannot ping desk $1: $(tail -1 "$LOGS/pings")"
}

# sees: whether sofa sees desk's offer.
sees() { baton_within 30 sofa nearby --json | finds "\"$TYPE\""; }
# sees_anew: like `sees`, but tries again with another scan, because sofa may have begun to listen only after desk had begun to advertise.
sees_anew() { sees || { scan_anew hci2 && sees; }; }

# begin_offer: starts an offer of desk. OFFER is its process.
begin_offer() {
    DBUS_SESSION_BUS_ADDRESS=unix:path=/run/desk/bus "$BATON_BIN/baton" publish --type "$TYPE" --info-json "$GUEST/userinfo.json" \
        >"$LOGS/publish-desk" 2>&1 &
    OFFER=$!
    until_true 60 "baton publishes" grep -q publishing "$LOGS/publish-desk"
}

end_offer() {
    kill -TERM "$OFFER"
    until_true 30 "baton publish ends" ended "$OFFER"
}

# hand_over WHEN: desk starts another activity, because btvirt reports each advertisement once. sofa sees and continues it.
hand_over() {
    end_offer
    begin_offer
    until_true 60 "sofa sees desk's offer $1" sees
    baton_within 120 sofa continue --type "$TYPE" --wait "$(limit 30)" --json >"$LOGS/continue-sofa" 2>"$LOGS/continue-sofa.errors" ||
        die "sofa cannot continue $1: $(tail -1 "$LOGS/continue-sofa.errors")"
    /usr/bin/python3 "$GUEST/check.py" continued "$LOGS/continue-sofa" "$GUEST/userinfo.json" "type=$TYPE" transport=l2cap ||
        die "what was continued $1 is wrong"
}

# all_well WHEN: nothing has crashed, desk answers its own user, and sofa can ping it and continue its offer.
all_well() {
    alive "${DAEMON[desk]}" "batond desk, $1,"
    alive "$BLUETOOTHD" "bluetoothd, $1,"
    baton_within 20 desk status >"$LOGS/status-desk" 2>&1 || die "baton status $1: $(tail -1 "$LOGS/status-desk")"
    ping "$1"
    hand_over "$1"
}

# --- The resources of desk's daemon -----------------------------------------------------------------------------------

descriptors() { find "/proc/${DAEMON[desk]}/fd" -mindepth 1 | wc -l; }

status_of() { awk -v key="$1:" '$1 == key { print $2 }' "/proc/${DAEMON[desk]}/status"; }

figures() { echo "$(descriptors) descriptors, $(status_of Threads) threads, $(status_of VmRSS) KiB"; }

# at_rest: the channels of strangers have ended and left nothing behind.
at_rest() { [ "$(descriptors)" -le "$DESCRIPTORS" ] && [ "$(status_of Threads)" -le "$THREADS" ]; }

# flat WHEN: desk's daemon uses no more than after the warm-up.
flat() {
    until_true 60 "batond's descriptors and threads are $DESCRIPTORS and $THREADS again $1, not $(figures)" at_rest
    [ "$(status_of VmRSS)" -le $((MEMORY + GROWTH)) ] || die "batond has grown $1: from $MEMORY KiB to $(figures)"
}

# --------------------------------------------------------------------------------------------------------------------

adapters 4
begin_hostile
system_bus
record
bluetooth hci0 hci2
daemon desk hci0 --tcp off
daemon sofa hci2 --tcp off
create_circle desk /run/invitation
join_circle sofa /run/invitation
baton_within 20 desk status | awk '$1 == "reach" { print $2; exit }' >&9
begin_offer
all_well "before any attack"

# Warm up first, because some things are allocated once and stay.
attack garbage_for_knocks
all_well "after the warm-up"
DESCRIPTORS=$(descriptors) THREADS=$(status_of Threads) MEMORY=$(status_of VmRSS)
BEFORE=$(figures)

for name in $SIGNALLING $SDUS $CREDITS $LOOPS; do
    attack "$name"
    all_well "after $name"
    flat "after $name"
done

# Advertises from hundreds of addresses with data that looks like a beacon.
attack hundreds_of_advertisers hand_over
known=$(dbus-send --system --print-reply --dest=org.bluez / org.freedesktop.DBus.ObjectManager.GetManagedObjects |
    grep -c 'object path "/org/bluez/hci0/dev_[0-9A-F_]*"$' || true)
all_well "after hundreds_of_advertisers"
flat "after hundreds_of_advertisers"

# A stranger holds a link for a minute. Meanwhile sofa's daemon restarts. It must hear desk and dial it.
end_offer
begin_offer
until_true 60 "sofa sees desk's offer before a stranger holds a link" sees
attack hold_a_link
begun=$SECONDS
stop_daemon sofa
daemon sofa hci2 --tcp off
until_true 60 "sofa sees what desk offered before a stranger held a link" sees_anew
fact "while a stranger held a link, sofa saw $((SECONDS - begun)) s after its daemon was stopped what desk had offered before"
rounds=0
while [ "$((SECONDS - begun))" -lt 60 ]; do
    all_well "while a stranger holds a link"
    rounds=$((rounds + 1))
done
attack let_go
held=$(outcome let_go)
all_well "after let_go"
flat "after let_go"
fact "a stranger's link was ${held#let_go: }; sofa continued $rounds times meanwhile"

end_offer
file_of 20480 /run/from-desk
file_of 20480 /run/from-sofa
publish desk /run/from-desk /run/to-desk
see_offer sofa desk
continue_offer sofa /run/from-sofa /run/to-sofa 300 deviceName=desk transport=l2cap streamTransport=l2cap
published desk 60
same_sum /run/to-sofa "$(sum /run/from-desk)"
same_sum /run/to-desk "$(sum /run/from-sofa)"
flat "at the end"
fact "batond before: $BEFORE"
fact "batond after:  $(figures)"

echo >&9
until_true 60 "the hostile device ends" ended "$HOSTILE"
wait "$HOSTILE" || die "the hostile device ended with status $?"
stop_monitor
heard=$(/usr/bin/python3 "$GUEST/advertisers.py" "$RECORDING" hci0)
[ "$heard" -ge 300 ] || die "desk's adapter heard $heard addresses"
fact "desk's adapter heard $heard addresses, of which bluetoothd had $known at once"
stop_daemon sofa
stop_daemon desk
