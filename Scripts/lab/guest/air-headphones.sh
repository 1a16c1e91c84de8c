# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters. One of them plays music on headphones, which use its radio half of the time.
. /lab/guest/library.sh
. /lab/guest/baton.sh

two_daemons
file_of 102400 /run/from-desk
publish desk /run/from-desk /dev/null
see_offer sofa desk
begun=$SECONDS
continue_offer sofa /dev/null /run/to-sofa 300 deviceName=desk transport=l2cap streamTransport=l2cap
published desk 60
same_sum /run/to-sofa "$(sum /run/from-desk)"
fact "a hand-over with 100 KB beside headphones in $((SECONDS - begun)) s"
stop_daemon sofa
stop_daemon desk
