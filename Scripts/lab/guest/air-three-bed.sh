# SPDX-License-Identifier: Apache-2.0
# The third of three laptops on one air. It sees desk's offer, which sofa takes. Then it takes sofa's offer, although sofa did not invite
# it.
. /lab/guest/library.sh
. /lab/guest/baton.sh

adapters 1
laptop hci0
daemon bed hci0 --tcp off
get invitation-bed /run/invitation 480
chmod 600 /run/invitation
join_circle bed /run/invitation
tell bed-joined

wait_for_file desk-published 120
see_offer bed desk
tell bed-saw-desk
wait_for_file sofa-published 480
see_offer bed sofa
continue_offer bed /dev/null /dev/null 300 deviceName=sofa transport=l2cap streamTransport=l2cap
fact "bed has continued what sofa offers, which did not invite it"
tell bed-done
stop_daemon bed
