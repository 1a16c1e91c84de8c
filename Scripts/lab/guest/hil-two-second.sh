#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second of two laptops: what `make hil PEER=…` on the first one finds here and leaves behind. The
# ssh server is dropbear.
. /lab/guest/library.sh
. /lab/guest/baton.sh
. /lab/guest/hil.sh

cable "$SECOND"
borrow_adapter
laptop hci0

printf 'hil:x:%s:%s::%s:/bin/sh\n' "$USER_ID" "$USER_ID" "$OWN" >/etc/passwd.new
grep -v ":$USER_ID:" /etc/passwd >>/etc/passwd.new
mv /etc/passwd.new /etc/passwd
mkdir -m 700 "$OWN/.ssh"
dropbearkey -t ed25519 -f /run/dropbear.key >"$LOGS/dropbearkey" 2>&1
dropbear -F -E -s -r /run/dropbear.key >"$LOGS/dropbear" 2>&1 &
until_true 30 "ssh is served" grep -q "Not backgrounding" "$LOGS/dropbear"
tell sshd
get key.pub "$OWN/.ssh/authorized_keys" 240
chown -R "$USER_ID:$USER_ID" "$OWN/.ssh"
tell key

gone() { ! programs_run && [ -z "$(find /tmp -maxdepth 1 -name 'baton-hil.*')" ]; }
programs_run() { busybox ps -o args | finds -E '^(/tmp/baton-hil[^ ]*/baton|dbus-daemon --config-file=/tmp/baton-hil)'; }

wait_for_file ran 1500
until_true 60 "all of the run has ended" gone
linked_not || die "a link is left"
tell clean
wait_for_file runs 300
programs_run || die "nothing runs"
tell seen
wait_for_file killed 120
until_true 60 "all of the killed run has ended" gone
say "it was killed, and nothing is left"
tell clean-again
