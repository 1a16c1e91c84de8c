#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters: measures in turn how long an offer takes, and how long BlueZ takes to report an advertisement, for
# Benchmarks/run.
. /lab/guest/library.sh
. /lab/guest/baton.sh

ROUNDS=20

two_daemons
/usr/bin/python3 "$GUEST/offer-times.py" "$(address hci0)" "$ROUNDS" || die "offers take too long, or do not go in time"
stop_daemon sofa
stop_daemon desk
