#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters, by BlueZ's own tools: the emulated air carries advertisements and credit-based channels.
. /lab/guest/library.sh

system_bus
adapters 2
bluetooth hci0 hci1
monitor btmon
say "hci0 $(address hci0), hci1 $(address hci1)"
