#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters: the conformance checks of every radio and every transport, with the real bluetoothd and
# the real kernel.
. /lab/guest/library.sh

adapters 2
laptop hci0 hci1
begun=$SECONDS
within 840 /lab/bin/radio-conformance hci0 hci1 >"$LOGS/conformance" 2>"$LOGS/conformance.log" ||
    die "radio-conformance: $(grep ^FAILED "$LOGS/conformance" || tail -1 "$LOGS/conformance.log")"
grep -qx 'checks: [1-9][0-9]*, failed: 0' "$LOGS/conformance" || die "radio-conformance: $(tail -1 "$LOGS/conformance")"
fact "$(tail -1 "$LOGS/conformance"), in $((SECONDS - begun)) s"
