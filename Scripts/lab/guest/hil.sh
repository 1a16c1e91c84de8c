# SPDX-License-Identifier: Apache-2.0
# Hardware in the loop, on emulated controllers: the command that `make hil` runs, for a user without privileges.

TOOLS=/run/tools # /lab is root's alone
OWN=/run/own     # the user's
USER_ID=65534
AS_USER=(setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups env "HOME=$OWN" "BATON_BIN=$TOOLS/bin")
HIL=(/usr/bin/python3 "$TOOLS/hil/run" --patience "${LAB_PATIENCE:-1}" --adapters)

mkdir -p "$TOOLS/hil" "$TOOLS/bin"
mount --bind /lab/hil "$TOOLS/hil"
mount --bind /lab/bin "$TOOLS/bin"
cp /lab/own_session.py /lab/own-session.conf "$TOOLS"
mkdir -m 700 "$OWN"
chown "$USER_ID:$USER_ID" "$OWN"

# hil SECONDS ADAPTERS OPTION...: what it says is in the log hil, its report in the log report.
hil() {
    local status=0
    within "$1" "${AS_USER[@]}" "${HIL[@]}" "${@:2}" --report "$OWN/report" >"$LOGS/hil" 2>&1 || status=$?
    [ ! -e "$OWN/report" ] || cp -r "$OWN/report" "$LOGS"
    return "$status"
}

# hil_failure: why it failed.
hil_failure() { grep -E '^hil: .* (failed|not run) ' "$LOGS/hil" | head -3 || tail -3 "$LOGS/hil"; }
