#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The first of two laptops: `make hil PEER=…` on emulated controllers, over ssh to the second laptop and as a user without privileges.
. /lab/guest/library.sh
. /lab/guest/baton.sh
. /lab/guest/hil.sh

cable "$FIRST"
adapters 2
lend_second_adapter
laptop hci0

printf '%s\n' "Host sofa" "HostName $SECOND" "User hil" "IdentityFile $OWN/key" "UserKnownHostsFile $OWN/known" "StrictHostKeyChecking accept-new" >"$OWN/ssh"
"${AS_USER[@]}" ssh-keygen -q -t ed25519 -N '' -f "$OWN/key"
# Strip the programs, because they go over ssh and this processor is emulated.
for program in batond baton; do strip -o "$OWN/$program" "$TOOLS/bin/$program"; done
AS_USER+=("BATON_BIN=$OWN")
PEER=(hci0 --peer sofa --ssh "ssh -F $OWN/ssh")
wait_for_file sshd 240
refused 'ssh sofa does not work without a question' "${PEER[@]}"
put "$OWN/key.pub" key.pub
wait_for_file key
refused "sofa: hci7 is not there: this machine has hci0" hci0,hci7 "${PEER[@]:1}"
nothing_left
say "what is missing is said, of the peer too"

begun=$SECONDS
hil 1400 "${PEER[@]}" --times 1 --bytes 102400 || die "$(hil_failure)"
whole_report samples.svg streams.svg logs/desk-batond.log logs/sofa-batond.log
if grep -q sofa: "$REPORT/report.md"; then die "the report names the peer"; fi
[ "$(grep -c ' passed ' "$LOGS/hil")" = 6 ] || die "$(hil_failure)"
fact "$(grep '^| Linux Foundation' "$REPORT/report.md"), in $((SECONDS - begun)) s"
tell ran
wait_for_file clean 120

# A killed run leaves nothing on the peer either.
"${AS_USER[@]}" "${HIL[@]}" "${PEER[@]}" --parts circle,hand-over --report "$OWN/cut" >"$LOGS/hil-cut" 2>&1 &
CUT=$!
until_true 240 "two daemons are a circle" grep -q '^hil: circle *passed' "$LOGS/hil-cut"
tell runs
wait_for_file seen 60
kill -KILL "$CUT"
wait "$CUT" || true
tell killed
wait_for_file clean-again 120
wait_until_off second
stop_monitor
