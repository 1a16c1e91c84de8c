# SPDX-License-Identifier: Apache-2.0
# The app Examples/Contacts on a laptop: what its user types, and what it shows.

# contacts NAME: starts the app on the device NAME, with its contacts in /run/NAME/contacts.json.
contacts() {
    APP_OUTPUT=$LOGS/contacts-$1
    mkfifo "/run/$1/keyboard"
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/$1/bus" "$BATON_BIN/contacts" --store "/run/$1/contacts.json" \
        <"/run/$1/keyboard" >"$APP_OUTPUT" 2>&1 &
    APP=$!
    exec {KEYBOARD}>"/run/$1/keyboard"
    SEEN=0
}

# type_in TEXT...: one line; what is waited for afterwards must come after it.
type_in() {
    SEEN=$(wc -l <"$APP_OUTPUT")
    printf '%s\n' "$*" >&"$KEYBOARD"
}

# shows SECONDS LINE: waits until the app has shown just this line since the last one typed; what it calls an error fails at once.
shows() {
    until_true "$1" "contacts shows \"$2\"" shown_or_failed "$2"
    shown "$2" || die "contacts: $(tail -n 1 "$APP_OUTPUT"), not \"$2\""
}

# No pipe: a reader that has found its line would end the writer, and with it the script.
shown() { LINE=$1 awk -v seen="$SEEN" 'NR > seen && $0 == ENVIRON["LINE"] { found = 1 } END { exit !found }' "$APP_OUTPUT"; }

complained() { awk -v seen="$SEEN" 'NR > seen && /^error:/ { found = 1 } END { exit !found }' "$APP_OUTPUT"; }

shown_or_failed() { shown "$1" || complained || ended "$APP"; }

# quit_contacts: the app must end by itself, and with status 0.
quit_contacts() {
    type_in quit
    until_true 30 "contacts ends" ended "$APP"
    wait "$APP" || die "contacts ended with status $?"
}

# stored NAME: what the device NAME has stored, in a form that can be compared.
stored() { /usr/bin/python3 "$GUEST/contacts.py" show "/run/$1/contacts.json"; }
