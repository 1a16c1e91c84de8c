# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters. The air falls silent many times while streams are open, and each time the laptops find each other again.
. /lab/guest/library.sh
. /lab/guest/baton.sh

LOSSES=10
SILENCE=${LAB_SILENCE:-6} # longer than the link lives: 4 s by the drop-in
FOUND_WITHIN=5            # seconds after the silence, in the median

now() { read -r uptime _ </proc/uptime && echo "${uptime/./}0"; }
answers() { baton_within 40 sofa ping desk >>"$LOGS/pings" 2>&1; }

two_daemons

# Offer streams that neither end closes.
mkfifo /run/from-desk /run/from-sofa
exec 8<>/run/from-desk 9<>/run/from-sofa
head -c 4096 /dev/zero >&8
publish desk /run/from-desk /dev/null
see_offer sofa desk
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/sofa/bus "$BATON_BIN/baton" continue --type "$TYPE" --wait "$(limit 120)" --stream-from /run/from-sofa \
    --stream-to - >/run/came 2>"$LOGS/continue-sofa" &
until_true 120 "the stream begins" test -s /run/came

took=()
for ((loss = 1; loss <= LOSSES; loss++)); do
    until_true 60 "the laptops are in touch" answers
    air "silence $SILENCE"
    pause "$SILENCE"
    begun=$(now)
    until_true 60 "they find each other" answers
    took+=($(($(now) - begun)))
    say "loss $loss: found after ${took[-1]} ms"
done
read -rd '' -a sorted <<<"$(printf '%s\n' "${took[@]}" | sort -n)" || true
fact "found again after a silence of $SILENCE s: ${sorted[LOSSES / 2]} ms, from ${sorted[0]} to ${sorted[-1]}, $LOSSES times in a row"
[ "${sorted[LOSSES / 2]}" -le $((FOUND_WITHIN * 1000)) ] || die "that is more than $FOUND_WITHIN s"
stop_daemon sofa
stop_daemon desk
