# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters. One is carried away and comes back: its offer disappears and appears again. Then a
# hand-over succeeds.
. /lab/guest/library.sh
. /lab/guest/baton.sh

two_daemons
publish desk /dev/null /dev/null
see_offer sofa desk

sees() { baton_within 30 sofa nearby --json | finds "\"$TYPE\""; }
sees_not() { ! sees; }
air "attenuation 55..110 over 20"
until_true 90 "the offer goes" sees_not
begun=$SECONDS
air "attenuation 110..55 over 20"
until_true 60 "the offer comes again" sees
fact "seen again $((SECONDS - begun)) s after it began to come back, which took 20 s"
continue_offer sofa /dev/null /dev/null 120 deviceName=desk transport=l2cap streamTransport=l2cap
published desk 60
stop_daemon sofa
stop_daemon desk
