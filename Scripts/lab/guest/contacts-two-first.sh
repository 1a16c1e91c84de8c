#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The first of two laptops. Its user has 500 contacts, shows the list, types half a contact, and looks at
# another one.
. /lab/guest/library.sh
. /lab/guest/baton.sh
. /lab/guest/contacts.sh

cable "$FIRST"
adapters 2
lend_second_adapter
laptop hci0

daemon desk hci0 --tcp off
create_circle desk /run/invitation
put /run/invitation invitation
wait_for_file joined 240

/usr/bin/python3 "$GUEST/contacts.py" make 500 /run/desk/contacts.json
wait_for_file started
contacts desk
shows 60 "screen list (500 contacts)"
tell on-list
shows 300 "sent 500 contacts"
stored desk >/run/stored
put /run/stored stored
wait_for_file has-list

type_in add
type_in first Ada
type_in email ada@exam
shows 60 "> email: ada@exam"
tell on-edit
wait_for_file has-edit 240

type_in back
type_in view 2
shows 60 "screen view"
tell on-view
wait_for_file has-view 240

quit_contacts
stop_daemon desk
wait_until_off second
