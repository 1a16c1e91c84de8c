#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second of two laptops that do not know each other. It pairs with six digits, then
# continues.
. /lab/guest/library.sh
. /lab/guest/baton.sh
. /lab/guest/pairing.sh

cable "$SECOND"
borrow_adapter
laptop hci0

daemon sofa hci0 --tcp off
baton_within 30 sofa rename sofa || die "baton rename"
tell ready-sofa
wait_for_file ready-desk 240
begun=$SECONDS
pair sofa desk
fact "paired over L2CAP in $((SECONDS - begun)) s, the same digits on both"
know sofa desk
file_of 10240 /run/from-sofa
tell sum-sofa "$(sum /run/from-sofa)"
wait_for_file published 120
see_offer sofa desk
continue_offer sofa /run/from-sofa /run/to-sofa 300 deviceName=desk transport=l2cap streamTransport=l2cap
same_sum /run/to-sofa "$(hear sum-desk)"
fact "and handed over at once"
tell "done"
stop_daemon sofa
