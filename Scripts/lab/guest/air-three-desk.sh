# SPDX-License-Identifier: Apache-2.0
# The first of three laptops on one air. It makes the circle and offers an activity. Both others see the offer,
# and one takes it.
. /lab/guest/library.sh
. /lab/guest/baton.sh

adapters 1
laptop hci0
daemon desk hci0 --tcp off
create_circle desk /run/invitation
put /run/invitation invitation-sofa
wait_for_file sofa-joined 240
baton_within 60 desk circle invite /run/invitation-bed || die "baton circle invite"
put /run/invitation-bed invitation-bed
wait_for_file bed-joined 240

file_of 10240 /run/from-desk
tell sum-desk "$(sum /run/from-desk)"
publish desk /run/from-desk /run/to-desk
tell desk-published
published desk 300
same_sum /run/to-desk "$(hear sum-sofa)"
wait_for_file bed-done 300
stop_daemon desk
wait_until_off sofa 300
wait_until_off bed
