#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop sleeps so deeply that its clocks stop: its kernel suspends everything except the processor (pm_test). Its disks are on the host and
# do not survive that. So the rest runs in memory alone (asleep.sh), and prints its results on the console.
. /lab/guest/library.sh

WORLD=/run/world
mkdir -p "$WORLD"/bin "$WORLD"/dev "$WORLD"/proc "$WORLD"/sys
for directory in dev proc sys; do mount --bind "/$directory" "$WORLD/$directory"; done
cp /bin/busybox "$WORLD/bin"
cp /lab/bin/clock-program /lab/guest/asleep.sh "$WORLD"
# The paths of the libraries, including the loader's.
ldd "$WORLD/clock-program" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$WORLD$(dirname "$library")"
    cp -L "$library" "$WORLD$library"
done
say "to sleep"
exec chroot "$WORLD" /bin/busybox sh /asleep.sh
