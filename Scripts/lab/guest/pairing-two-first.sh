#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The first of two laptops that do not know each other. It pairs with six digits, then
# publishes.
. /lab/guest/library.sh
. /lab/guest/baton.sh
. /lab/guest/pairing.sh

cable "$FIRST"
adapters 2
lend_second_adapter
laptop hci0

daemon desk hci0 --tcp off
baton_within 30 desk rename desk || die "baton rename"
tell ready-desk
wait_for_file ready-sofa 240
pair desk sofa
know desk sofa
file_of 10240 /run/from-desk
tell sum-desk "$(sum /run/from-desk)"
publish desk /run/from-desk /run/to-desk
tell published
published desk 300
same_sum /run/to-desk "$(hear sum-sofa)"
wait_for_file done 240
stop_daemon desk
wait_until_off second
