# SPDX-License-Identifier: Apache-2.0
# Pairing as two people do it: each sees the other laptop's digits, and confirms them if they are the
# same.

# pair NAME OTHER: runs `baton pair` on NAME, while the other laptop does the same on OTHER.
pair() {
    local name=$1 other=$2 log="$LOGS/pair-$1" digits pairing
    mkfifo /run/answer
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/$name/bus" "$BATON_BIN/baton" pair </run/answer >"$log" 2>&1 &
    pairing=$!
    exec 9>/run/answer
    until_true 120 "baton pair shows digits" grep -q '^the digits: ' "$log"
    digits=$(sed -n 's/^the digits: //p' "$log")
    tell "digits-$name" "$digits"
    [ "$digits" = "$(hear "digits-$other")" ] || die "$name shows $digits, $other $(hear "digits-$other")"
    echo yes >&9
    until_true 90 "baton pair ends" ended "$pairing"
    wait "$pairing" || die "baton pair: $(tail -1 "$log")"
    exec 9>&-
    grep -q "^paired: .*$other" "$log" || die "baton pair does not name $other: $(tail -1 "$log")"
    say "$name has paired with $other"
}

# know NAME OTHER: checks that both devices are in NAME's list.
know() {
    baton_within 30 "$1" devices >"$LOGS/devices-$1" || die "baton devices"
    grep -q "$1" "$LOGS/devices-$1" && grep -q "$2" "$LOGS/devices-$1" || die "baton devices: $(tr '\n' ' ' <"$LOGS/devices-$1")"
}
