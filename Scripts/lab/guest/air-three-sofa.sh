# SPDX-License-Identifier: Apache-2.0
# The second of three laptops on one air. It takes desk's offer, and then offers an activity
# itself.
. /lab/guest/library.sh
. /lab/guest/baton.sh

adapters 1
laptop hci0
daemon sofa hci0 --tcp off
get invitation-sofa /run/invitation 240
chmod 600 /run/invitation
join_circle sofa /run/invitation
tell sofa-joined
file_of 10240 /run/from-sofa
tell sum-sofa "$(sum /run/from-sofa)"

wait_for_file bed-saw-desk 600
see_offer sofa desk
begun=$SECONDS
continue_offer sofa /run/from-sofa /run/to-sofa 300 deviceName=desk transport=l2cap streamTransport=l2cap
same_sum /run/to-sofa "$(hear sum-desk)"
fact "10 KB each way from desk to sofa beside a third laptop in $((SECONDS - begun)) s"
publish sofa /dev/null /dev/null
tell sofa-published
published sofa 300
wait_for_file bed-done 60
stop_daemon sofa
