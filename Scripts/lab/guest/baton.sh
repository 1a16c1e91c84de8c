# SPDX-License-Identifier: Apache-2.0
# Functions for daemons, circles and hand-overs, with the two commands that users have. A daemon is named after its
# device.

BATON_BIN=/lab/bin
TYPE=org.batonproject.lab.edit
TITLE='Grüße aus dem Labor'
PAGE='https://example.org/lab?page=2#here'
declare -A DAEMON

# daemon NAME ADAPTER OPTION...: starts batond with a session bus and a state directory of its own, and waits until
# it answers.
daemon() {
    local name=$1 adapter=$2
    shift 2
    [ -e "/run/$name/bus" ] || session_bus "$name" >/dev/null
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/$name/bus" "$BATON_BIN/batond" --radio bluez --adapter "$adapter" \
        --log-level debug --state-directory "/run/$name/state" "$@" >>"$LOGS/batond-$name" 2>&1 &
    DAEMON[$name]=$!
    until_true 60 "batond $name on its bus" owned "$name"
    baton_within 60 "$name" status >>"$LOGS/status-$name" 2>&1 || die "baton status: $(tail -1 "$LOGS/status-$name")"
    say "batond $name on $adapter $*"
}

owned() {
    alive "${DAEMON[$1]}" "batond $1"
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/$1/bus" dbus-send --session --print-reply --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.GetNameOwner string:org.batonproject.Baton
}

# stop_daemon NAME: asks the daemon to end, as systemd does. It must end by itself with status 0.
stop_daemon() {
    kill -TERM "${DAEMON[$1]}"
    until_true 30 "batond $1 ends" ended "${DAEMON[$1]}"
    wait "${DAEMON[$1]}" || die "batond $1 ended with status $?"
}

# baton_within SECONDS NAME ARGUMENT...: runs baton as a user of the device NAME, with a time limit.
baton_within() {
    local seconds=$1 name=$2
    shift 2
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/$name/bus" within "$seconds" "$BATON_BIN/baton" "$@"
}

# has_finding NAME CODE: tells whether baton doctor finds this about the radio of the device NAME. With findings, baton
# doctor ends with status 2.
has_finding() { { baton_within 20 "$1" doctor radio 2>&1 || true; } | finds "^$2: "; }

# create_circle NAME FILE: makes a circle with NAME as its first device, and writes an invitation.
create_circle() {
    baton_within 60 "$1" circle create --name "$1" || die "baton circle create"
    baton_within 60 "$1" circle invite "$2" || die "baton circle invite"
    [ "$(stat -c %a "$2")" = 600 ] || die "the invitation is readable by others: $(stat -c %A "$2")"
}

# join_circle NAME FILE: joins the circle with the invitation in FILE.
join_circle() {
    baton_within 150 "$1" circle join "$2" || die "baton circle join"
    say "$1 has joined"
}

# two_daemons: starts desk on hci0 and sofa on hci1, in one circle, by radio alone. It records no packets, because that
# would disturb measurements.
two_daemons() {
    system_bus
    adapters 2
    bluetooth hci0 hci1
    daemon desk hci0 --tcp off
    daemon sofa hci1 --tcp off
    create_circle desk /run/invitation
    join_circle sofa /run/invitation
}

# file_of BYTES FILE: writes that many bytes that do not compress.
file_of() { head -c "$1" /dev/urandom >"$2"; }

# publish NAME SEND RECEIVE: offers an activity with every type of userInfo and streams. PUBLISHER is its process.
publish() {
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/$1/bus" "$BATON_BIN/baton" publish --type "$TYPE" --title "$TITLE" \
        --info-json "$GUEST/userinfo.json" --webpage "$PAGE" --stream-from "$2" --stream-to "$3" --force --once \
        >"$LOGS/publish-$1" 2>&1 &
    PUBLISHER=$!
    until_true 60 "baton publishes" grep -q publishing "$LOGS/publish-$1"
}

# published NAME SECONDS: waits until the publication has ended by itself, successfully.
published() {
    until_true "$2" "baton publish --once ends" ended "$PUBLISHER"
    wait "$PUBLISHER" || die "baton publish: $(tail -1 "$LOGS/publish-$1")"
}

# see_offer NAME DEVICE: waits for the offer, and until its type is known, which needs a dial of its own.
see_offer() {
    baton_within 120 "$1" nearby --json --wait "$(limit 90)" >"$LOGS/nearby-$1" || die "baton nearby sees no offer"
    until_true 90 "the offer of $2 with its type" offer_is_right "$1" "$2"
    say "$1 sees the offer of $2"
}

offer_is_right() {
    baton_within 30 "$1" nearby --json >"$LOGS/nearby-$1"
    /usr/bin/python3 "$GUEST/check.py" offer "$LOGS/nearby-$1" "type=$TYPE" "deviceName=$2"
}

# continue_offer NAME SEND RECEIVE SECONDS EXPECTED...: continues with streams. EXPECTED is, for example,
# transport=l2cap.
continue_offer() {
    local name=$1 send=$2 receive=$3 seconds=$4
    shift 4
    baton_within "$seconds" "$name" continue --type "$TYPE" --wait "$(limit 60)" --json \
        --stream-from "$send" --stream-to "$receive" --force >"$LOGS/continue-$name" 2>"$LOGS/continue-$name.errors" ||
        die "baton continue: $(tail -1 "$LOGS/continue-$name.errors")"
    /usr/bin/python3 "$GUEST/check.py" continued "$LOGS/continue-$name" "$GUEST/userinfo.json" \
        "type=$TYPE" "title=$TITLE" "webpageURL=$PAGE" "$@" || die "what was continued is wrong"
}

# same_sum FILE SUM: checks that the received file is the one that was sent.
same_sum() { [ "$(sum "$1")" = "$2" ] || die "$1 ($(stat -c %s "$1") bytes) is not what was sent"; }

sum() { sha256sum <"$1" | cut -d' ' -f1; }
