# SPDX-License-Identifier: Apache-2.0
# Functions for all guest scripts, which source this file. Every wait has a limit, and no wait has a fixed time.
set -euo pipefail

EXCHANGE=/lab/exchange
GUEST=/lab/guest
# Functions that are called often start no other program, because an emulated processor needs a tenth of a second for that.
read -r started _ </proc/uptime

# say TEXT...: writes a line to the log, with the seconds since the script began.
say() {
    local now
    read -r now _ </proc/uptime
    now=$((10#${now/./} - 10#${started/./}))
    printf '%5d.%d %s\n' $((now / 100)) $((now / 10 % 10)) "$*"
}

# fact TEXT...: prints a line that the host shows in its summary.
fact() { printf 'fact: %s\n' "$*"; }

# die TEXT...: makes the scenario fail.
die() {
    say "FAILED: $*"
    exit 1
}

# limit SECONDS: prints the limit, adapted to the speed of this machine.
limit() {
    if [ "${LAB_PATIENCE:-1}" = 1 ]; then echo "$1"; else awk -v s="$1" -v p="$LAB_PATIENCE" 'BEGIN { printf "%d", s * p + 0.5 }'; fi
}

# pause SECONDS: waits on a pipe from which nothing ever comes.
mkfifo /run/never
exec {NEVER}<>/run/never
pause() { read -rt "$1" -u "$NEVER" || true; }

# until_true SECONDS WHAT COMMAND...: runs COMMAND until it succeeds. If COMMAND does not succeed in time, fails with WHAT as the reason.
until_true() {
    local seconds what end
    seconds=$(limit "$1") what=$2
    shift 2
    end=$((SECONDS + seconds))
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || die "$what: not within $seconds s"
        pause 0.1
    done
}

# finds PATTERN, with options of grep: whether standard input contains it. It reads all input, because a reader that stops early makes the writer and
# the whole pipe fail.
finds() {
    local input
    input=$(</proc/self/fd/0)
    grep -q "$@" <<<"$input"
}

# within SECONDS COMMAND...: runs COMMAND with a time limit.
within() {
    local seconds
    seconds=$(limit "$1")
    shift
    timeout -k 5 "$seconds" "$@" || {
        local status=$?
        [ "$status" -ne 124 ] || say "not done within $seconds s: $*"
        return "$status"
    }
}

# ended PID: whether a process has ended. A child of this shell stays a zombie until the shell has waited for it.
ended() {
    local stat
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
    stat=${stat##*) }
    [ "${stat%% *}" = Z ]
}

# alive PID WHAT: fails if a service of the scenario has ended.
alive() { ! ended "$1" || die "$2 has ended"; }

# --- Between the laptops: files that appear complete, at once --------------------------------------------------------

# put FILE NAME: gives FILE to the other laptop as NAME.
put() {
    cp "$1" "$EXCHANGE/.$2.$$"
    mv "$EXCHANGE/.$2.$$" "$EXCHANGE/$2"
}

# tell NAME [TEXT]: gives the other laptop a file with a line of text, as a barrier or a small fact.
tell() {
    printf '%s\n' "${2:-}" >"$EXCHANGE/.$1.$$"
    mv "$EXCHANGE/.$1.$$" "$EXCHANGE/$1"
}

# wait_for_file NAME [SECONDS]: waits until the other laptop has put NAME.
wait_for_file() { until_true "${2:-90}" "the other laptop's $1" test -e "$EXCHANGE/$1"; }

# get NAME FILE [SECONDS]: waits for NAME and copies it to FILE.
get() {
    wait_for_file "$1" "${3:-90}"
    cp "$EXCHANGE/$1" "$2"
}

# hear NAME [SECONDS]: waits for NAME and prints it.
hear() {
    wait_for_file "$1" "${2:-90}"
    cat "$EXCHANGE/$1"
}

# wait_until_off NAME [SECONDS]: waits until the host has seen that the machine NAME is off.
wait_until_off() { until_true "${2:-90}" "$1 powered off" test -e "/lab/$1.off"; }

# --- Buses ------------------------------------------------------------------------------------------------------------

system_bus() {
    mkdir -p /run/dbus
    dbus-daemon --system --fork --nopidfile
    say "system bus"
}

# session_bus NAME: starts a session bus for a daemon, and prints the address for DBUS_SESSION_BUS_ADDRESS.
session_bus() {
    mkdir -p "/run/$1"
    dbus-daemon --config-file="$GUEST/own-session.conf" --fork --nopidfile --address="unix:path=/run/$1/bus"
    echo "unix:path=/run/$1/bus"
}

# --- Bluetooth --------------------------------------------------------------------------------------------------------

# air_adapters NUMBER: connects controllers on the air outside of this machine (LAB_AIR), and waits until the kernel has set up each.
air_adapters() {
    local i
    modprobe -a virtio_console hci_vhci
    for ((i = 0; i < $1; i++)); do
        until_true 30 "the port hci$i" grep -qsx "hci$i" /sys/class/virtio-ports/*/name
        /usr/bin/python3 "$GUEST/hci-bridge.py" port "hci$i" >"$LOGS/bridge-hci$i" 2>&1 &
        until_true 60 "hci$i is made" grep -qs borrowed "$LOGS/bridge-hci$i"
        until_true 60 "the kernel sets hci$i up" address_known "$i"
    done
    say "$1 controllers of the air"
}

# air LINE: changes the air with a line in the form of a script (host/air/script.py).
air() {
    local port
    for port in /sys/class/virtio-ports/*; do
        if [ "$(<"$port/name")" = air ]; then printf '%s\n' "$*" >"/dev/${port##*/}"; fi
    done
    say "the air: $*"
}

# adapters NUMBER: starts emulated controllers on one emulated air, and waits until the kernel has set up each.
#
# The kernel gives a new controller 2 s for its first answer. btvirt creates the controller and then requests ciphers, which the kernel may have to
# load. So the ciphers are loaded in advance. If a controller is lost nevertheless, btvirt starts again.
adapters() {
    local attempt i
    if [ -n "${LAB_AIR:-}" ]; then
        air_adapters "$1"
        return
    fi
    /usr/bin/python3 "$GUEST/ciphers.py"
    for attempt in 1 2 3 4 5; do
        dmesg >>"$LOGS/dmesg.before"
        dmesg --clear
        btvirt "-l$1" >"$LOGS/btvirt" 2>&1 &
        BTVIRT=$!
        until_true 40 "the kernel sets the controllers up" decided "$1"
        alive "$BTVIRT" btvirt
        if set_up "$1"; then
            say "$1 controllers (attempt $attempt)"
            return
        fi
        kill "$BTVIRT"
        wait "$BTVIRT" || true
        for ((i = 0; i < $1; i++)); do until_true 30 "hci$i goes" test ! -e "/sys/class/bluetooth/hci$i"; done
    done
    die "btvirt gave no working controllers"
}

# set_up NUMBER: whether this many controllers have told the kernel their addresses.
set_up() {
    local i
    for ((i = 0; i < $1; i++)); do address_known "$i" || return 1; done
}

# address_known INDEX: whether the kernel knows the controller's address.
address_known() { hciconfig "hci$1" | finds "BD Address: [0-9A-F:]*[1-9A-F]"; }

# decided NUMBER: whether this many controllers are set up, or the kernel has given up on one.
decided() { set_up "$1" || dmesg | finds "Bluetooth: hci[0-9]: Opcode 0x.* failed"; }

# bluetooth_configuration: writes bluetoothd's main.conf from LAB_CHANNELS and LAB_PRIVACY. With LAB_LE its [LE] section is the drop-in's. Without
# these variables the file is as shipped.
bluetooth_configuration() {
    mkdir -p /etc/bluetooth
    if [ -n "${LAB_PRIVACY:-}" ]; then printf '[General]\nPrivacy = %s\n' "$LAB_PRIVACY"; fi >/etc/bluetooth/main.conf
    if [ -n "${LAB_CHANNELS:-}" ]; then printf '[GATT]\nChannels = %s\n' "$LAB_CHANNELS"; fi >>/etc/bluetooth/main.conf
    if [ -n "${LAB_LE:-}" ]; then sed -n '/^\[LE\]/,$p' "$GUEST/main.conf"; fi >>/etc/bluetooth/main.conf
}

bluetoothd_path() {
    local path
    for path in /usr/libexec/bluetooth/bluetoothd /usr/lib/bluetooth/bluetoothd /usr/sbin/bluetoothd; do
        if [ -x "$path" ]; then
            echo "$path"
            return
        fi
    done
    die "no bluetoothd: install bluez"
}

OTHER=/bluetoothd

# other_bluetoothd: prints the root of a bluetoothd that is not the host's. It shares the host's directories for communication, configuration and
# state. It runs under its usual name, so Baton recognises it as on a laptop.
other_bluetoothd() {
    local name
    [ ! -e "$OTHER" ] || return 0
    mkdir "$OTHER"
    mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro,cache=loose bluetoothd "$OTHER"
    for name in dev proc run sys tmp etc/bluetooth var/lib/bluetooth; do mount --rbind "/$name" "$OTHER/$name"; done
    fact "bluetoothd $(chroot "$OTHER" /usr/libexec/bluetooth/bluetoothd --version) of $LAB_OTHER_BLUETOOTHD, Linux $(uname -r)"
}

# drop_in_options: prints the options for bluetoothd in the drop-in for bluetooth.service, without the configuration file.
drop_in_options() { sed -n 's|^ExecStart=/[^ ]* \(.*\) --configfile=.*|\1|p' "$GUEST/bluetooth.conf"; }

# bluetooth ADAPTER...: starts bluetoothd with LAB_BLUETOOTHD (default: the drop-in's options), and powers each named adapter on.
bluetooth() {
    local daemon
    bluetooth_configuration
    if [ -n "${LAB_OTHER_BLUETOOTHD:-}" ]; then
        other_bluetoothd
        daemon="chroot $OTHER /usr/libexec/bluetooth/bluetoothd"
    else
        daemon=$(bluetoothd_path)
    fi
    # shellcheck disable=SC2086
    $daemon ${LAB_BLUETOOTHD-$(drop_in_options)} -n >"$LOGS/bluetoothd" 2>&1 &
    BLUETOOTHD=$!
    powered_on "$@"
    alive "$BLUETOOTHD" bluetoothd
    say "bluetoothd, adapters $*"
}

# powered_on ADAPTER...: waits until bluetoothd has each adapter, and powers it on.
powered_on() {
    local adapter
    for adapter in "$@"; do
        until_true 60 "bluetoothd has $adapter" property "$adapter" Address
        until_true 60 "$adapter takes power" power "$adapter" true
        until_true 60 "$adapter is powered" powered "$adapter"
    done
}

# laptop ADAPTER...: prepares a laptop with these adapters. btmon records everything that they send and receive.
laptop() {
    system_bus
    monitor btmon
    bluetooth "$@"
}

# property ADAPTER NAME: prints a property of org.bluez.Adapter1.
property() {
    dbus-send --system --print-reply=literal --dest=org.bluez "/org/bluez/$1" \
        org.freedesktop.DBus.Properties.Get string:org.bluez.Adapter1 "string:$2" | awk '{ print $NF }'
}

# power ADAPTER true|false: switches the adapter on or off, as users do. Its links end first.
power() {
    dbus-send --system --print-reply --dest=org.bluez "/org/bluez/$1" org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Powered "variant:boolean:$2" >/dev/null
}

# scan_anew ADAPTER: starts another scan, because btvirt reports an advertisement only when it or a scan begins. A real controller reports it all the
# time.
scan_anew() { timeout 30 script -qefc "btmgmt --index ${1#hci} find -l" /dev/null </dev/null >/dev/null 2>&1 || true; }

powered() { [ "$(property "$1" Powered)" = true ]; }

# address ADAPTER: prints its public address.
address() { property "$1" Address; }

# monitor NAME: starts btmon, which records every adapter in the log NAME. NAME.signalling gets a summary.
monitor() {
    RECORDING=$LOGS/$1
    btmon -w "$RECORDING" >/dev/null 2>&1 &
    MONITOR=$!
    until_true 30 "btmon records" recording "$LOGS/$1"
}

# The header has 16 bytes. A larger file also has the kernel's list of controllers.
recording() { [ "$(stat -c %s "$1")" -gt 64 ]; }

# stop_monitor: ends btmon, because the recording is complete only then.
stop_monitor() {
    [ -n "${MONITOR:-}" ] || return 0
    kill -TERM "$MONITOR" 2>/dev/null || true
    wait "$MONITOR" 2>/dev/null || true
    MONITOR=
    /usr/bin/python3 "$GUEST/signalling.py" "$RECORDING" >"$RECORDING.signalling" 2>&1 || true
}
trap stop_monitor EXIT

# --- Two laptops: a cable between them, and a controller that the first lends to the second ---------------------------

FIRST=10.9.0.1
SECOND=10.9.0.2
BRIDGE_PORT=4700

# cable ADDRESS: sets up this laptop's end of the cable.
cable() {
    local interface
    interface=$(basename "$(find /sys/class/net -mindepth 1 -maxdepth 1 ! -name lo | head -1)")
    busybox ip addr add "$1/24" dev "$interface"
    busybox ip link set "$interface" up
}

# lend_second_adapter: the first laptop lends hci1 before its bluetoothd takes it.
lend_second_adapter() {
    hciconfig hci1 down
    /usr/bin/python3 "$GUEST/hci-bridge.py" lend 1 "$FIRST" "$BRIDGE_PORT" >"$LOGS/bridge" 2>&1 &
    BRIDGE=$!
    until_true 60 "the bridge listens" grep -q listening "$LOGS/bridge"
    tell bridge
    until_true 90 "the second laptop takes hci1" grep -q lent "$LOGS/bridge"
    say "hci1 is lent"
}

# borrow_adapter: makes the second laptop's only controller, its hci0.
borrow_adapter() {
    wait_for_file bridge
    /usr/bin/python3 "$GUEST/hci-bridge.py" borrow "$FIRST" "$BRIDGE_PORT" >"$LOGS/bridge" 2>&1 &
    BRIDGE=$!
    until_true 60 "the bridge connects" grep -q borrowed "$LOGS/bridge"
    until_true 30 "hci0" test -e /sys/class/bluetooth/hci0
    say "hci0 is borrowed"
}
