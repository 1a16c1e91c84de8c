#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop sleeps so deeply that its clocks stop: its kernel suspends all but the processor itself (pm_test). As the disks that it has from the
# host do not outlive that, what runs then runs in memory alone (asleep.sh), and says all that is to be said on the console.
. /lab/guest/library.sh

WORLD=/run/world
mkdir -p "$WORLD"/bin "$WORLD"/dev "$WORLD"/proc "$WORLD"/sys
for directory in dev proc sys; do mount --bind "/$directory" "$WORLD/$directory"; done
cp /bin/busybox "$WORLD/bin"
cp /lab/bin/clock-program /lab/guest/asleep.sh "$WORLD"
# The libraries' paths, the loader's among them.
ldd "$WORLD/clock-program" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$WORLD$(dirname "$library")"
    cp -L "$library" "$WORLD$library"
done
say "to sleep"
exec chroot "$WORLD" /bin/busybox sh /asleep.sh
