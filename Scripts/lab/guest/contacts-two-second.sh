#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second of two laptops. Its user continues the list, which replaces the local one, then the half-typed contact, and then the
# shown one.
. /lab/guest/library.sh
. /lab/guest/baton.sh
. /lab/guest/contacts.sh

cable "$SECOND"
borrow_adapter
laptop hci0

daemon sofa hci0 --tcp off
get invitation /run/invitation 240
chmod 600 /run/invitation
join_circle sofa /run/invitation
tell joined

/usr/bin/python3 "$GUEST/contacts.py" make 1 /run/sofa/contacts.json
contacts sofa
shows 60 "screen list (1 contacts)"
tell started

wait_for_file on-list 120
begun=$SECONDS
type_in continue list
shows 120 "500 contacts are coming"
shows 300 "received 500 contacts"
shows 30 "screen list (500 contacts)"
hear stored 120 >/run/expected
stored sofa >/run/stored
cmp /run/expected /run/stored || die "the list that came is not the list that was sent"
fact "list-contacts: 500 contacts through the streams over L2CAP, equal on both sides, in $((SECONDS - begun)) s"
tell has-list

wait_for_file on-edit 120
begun=$SECONDS
type_in continue edit
shows 120 "screen edit"
shows 30 "  first: Ada"
shows 30 "> email: ada@exam"
type_in email ada@example.org
type_in save
shows 30 "screen list (501 contacts)"
stored sofa | tail -n 1 | grep -Fxq '{"email": "ada@example.org", "firstname": "Ada"}' || die "the contact that went on here was not saved as typed"
fact "edit-contact: half a contact, continued where it was left, in $((SECONDS - begun)) s"
tell has-edit

wait_for_file on-view 120
begun=$SECONDS
type_in continue view
shows 120 "screen view"
for line in "  first: First 2" "  last: Last é 2" "  phone: +49 2" "  email: 2@example.org"; do shows 30 "$line"; done
fact "view-contact: the contact that was looked at, in $((SECONDS - begun)) s"
tell has-view

quit_contacts
stop_daemon sofa
