# SPDX-License-Identifier: Apache-2.0
# Functions for hardware in the loop on emulated controllers: they run the command of `make hil` as a user
# without privileges.

TOOLS=/run/tools # /lab is root's alone
OWN=/run/own     # the user's
USER_ID=65534
AS_USER=(setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups env "HOME=$OWN" "BATON_BIN=$TOOLS/bin")
HIL=(/usr/bin/python3 "$TOOLS/hil/run" --patience "${LAB_PATIENCE:-1}" --adapters)

REPORT=$LOGS/report

mkdir -p "$TOOLS/hil" "$TOOLS/bin" /run/Systemd/bluetooth.service.d
cp "$GUEST/bluetooth.conf" /run/Systemd/bluetooth.service.d/baton.conf
mount --bind /lab/hil "$TOOLS/hil"
mount --bind /lab/bin "$TOOLS/bin"
cp /lab/own_session.py /lab/own-session.conf "$TOOLS"
mkdir -m 700 "$OWN"
chown "$USER_ID:$USER_ID" "$OWN"

# hil SECONDS ADAPTERS OPTION...: runs the command. Its output is in the log hil, and its report in the log report.
hil() {
    local status=0
    within "$1" "${AS_USER[@]}" "${HIL[@]}" "${@:2}" --report "$OWN/report" >"$LOGS/hil" 2>&1 || status=$?
    [ ! -e "$OWN/report" ] || cp -r "$OWN/report" "$LOGS"
    return "$status"
}

# hil_failure: prints why the command failed.
hil_failure() { grep -E '^hil: [a-z-]+ +failed ' "$LOGS/hil" | head -3 || tail -3 "$LOGS/hil"; }

# refused WORDS ADAPTERS OPTION...: runs the command, which must end with status 2 and print WORDS, without running a part.
refused() {
    local words=$1 status=0
    shift
    hil 120 "$@" || status=$?
    [ "$status" = 2 ] || die "status $status, not 2: $(tail -1 "$LOGS/hil")"
    said "$words"
    grep -q '^hil: hand-over *not run' "$LOGS/hil" || die "it does not list what did not run"
}

said() { grep -q "missing: $1" "$LOGS/hil" || die "it does not say \"$1\": $(head -1 "$LOGS/hil")"; }

# whole_report FILE...: checks that the report has its pages and these files, and no address.
whole_report() {
    local file
    for file in report.md report.json "$@"; do [ -s "$REPORT/$file" ] || die "the report has no $file"; done
    if grep -rqiE '([0-9a-f]{2}:){5}[0-9a-f]{2}' "$REPORT"; then die "the report has an address"; fi
}

nothing_left() {
    local left
    left=$(find /tmp -maxdepth 1 -name 'baton-hil.*')
    [ -z "$left" ] || die "it has left $left"
}

linked_not() { ! compgen -G '/sys/class/bluetooth/hci*:*'; }
