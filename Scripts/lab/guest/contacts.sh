# SPDX-License-Identifier: Apache-2.0
# Functions for the app Examples/Contacts on a laptop: its user's input, and its output.

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

# type_in TEXT...: types one line. `shows` looks only at output after it.
type_in() {
    SEEN=$(wc -l <"$APP_OUTPUT")
    printf '%s\n' "$*" >&"$KEYBOARD"
}

# shows SECONDS LINE: waits until the app has printed exactly this line since the last typed one. An error of the app fails at
# once.
shows() {
    until_true "$1" "contacts shows \"$2\"" shown_or_failed "$2"
    shown "$2" || die "contacts: $(tail -n 1 "$APP_OUTPUT"), not \"$2\""
}

# Use no pipe here. A reader that stops early would make the writer fail, and so the script.
shown() { LINE=$1 awk -v seen="$SEEN" 'NR > seen && $0 == ENVIRON["LINE"] { found = 1 } END { exit !found }' "$APP_OUTPUT"; }

complained() { awk -v seen="$SEEN" 'NR > seen && /^error:/ { found = 1 } END { exit !found }' "$APP_OUTPUT"; }

shown_or_failed() { shown "$1" || complained || ended "$APP"; }

# quit_contacts: quits the app, which must end by itself with status 0.
quit_contacts() {
    type_in quit
    until_true 30 "contacts ends" ended "$APP"
    wait "$APP" || die "contacts ended with status $?"
}

# stored NAME: prints the stored contacts of the device NAME in a form that can be compared.
stored() { /usr/bin/python3 "$GUEST/contacts.py" show "/run/$1/contacts.json"; }
