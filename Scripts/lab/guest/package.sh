# SPDX-License-Identifier: Apache-2.0
# A laptop with systemd as process 1, the Debian package, and a user without privileges.

PACKAGE=/lab/bin/baton.deb
USER_NAME=ada
# The type that the installed app continues.
TYPE=org.example.note
REPORT=/home/$USER_NAME/report

# as_user COMMAND...: runs it as the user, on the user's own session bus.
as_user() {
    runuser -u "$USER_NAME" -- env -i "HOME=/home/$USER_NAME" "USER=$USER_NAME" "PATH=/usr/bin:/bin" LANG=C.UTF-8 \
        "XDG_RUNTIME_DIR=/run/user/$USER_ID" "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$USER_ID/bus" "$@"
}

# user_within SECONDS COMMAND...: the same with a time limit.
user_within() {
    local seconds
    seconds=$(limit "$1")
    shift
    as_user timeout -k 5 "$seconds" "$@"
}

# install_package: installs the file without recommended packages, which would need the network, and without triggers of other packages. The
# administrator accepts the drop-in.
install_package() {
    echo baton baton/bluetooth-drop-in boolean true | debconf-set-selections
    dpkg --no-triggers -i "$PACKAGE" >"$LOGS/dpkg" 2>&1 || die "dpkg -i: $(tail -1 "$LOGS/dpkg")"
    # Only root can read the lab's own directory.
    install -m 755 /lab/bin/notes /lab/bin/app-program "$GUEST/confined.py" /usr/local/bin/
    mkdir -p /usr/local/share/applications
    printf '[Desktop Entry]\nType=Application\nName=Letters\nExec=/usr/local/bin/app-program org.example.Letters %s\nX-Baton-ActivityTypes=%s;\n' \
        "$REPORT" "$TYPE" >/usr/local/share/applications/org.example.Letters.desktop
    dpkg-query --show --showformat='${Version}, installed ${Installed-Size} KiB\n' baton >"$LOGS/version"
    say "installed baton $(cat "$LOGS/version")"
}

# bluetooth_service ADAPTER: starts bluetooth.service with the package's drop-in, which is activated as its documentation says.
bluetooth_service() {
    systemctl daemon-reload
    systemctl start bluetooth || die "bluetooth.service: $(systemctl status bluetooth --no-pager | tail -3 | tr '\n' ' ')"
    until_true 60 "bluetoothd has $1" property "$1" Address
    until_true 120 "$1 takes power" power "$1" true
    until_true 60 "$1 is powered" powered "$1"
    tr '\0' ' ' <"/proc/$(systemctl show --property=MainPID --value bluetooth)/cmdline" | finds -- '--experimental --noplugin=[a-z,]* --configfile=/run/baton-bluetooth/main.conf' ||
        die "bluetoothd runs without the drop-in's options"
    dbus-send --system --print-reply --dest=org.bluez / org.freedesktop.DBus.ObjectManager.GetManagedObjects |
        grep -q AdvertisementMonitorManager1 || die "bluetoothd has no advertisement monitors"
    say "bluetooth.service with the drop-in, $1"
}

# user: creates a user without privileges, with a systemd of their own, as after a login.
user() {
    useradd --create-home --shell /bin/bash "$USER_NAME"
    USER_ID=$(id -u "$USER_NAME")
    loginctl enable-linger "$USER_NAME"
    until_true 300 "the user's session bus" test -S "/run/user/$USER_ID/bus"
    say "user $USER_NAME ($USER_ID)"
}

# unit PROPERTY: prints a property of the user's batond.service.
unit() { as_user systemctl --user show --property="$1" --value batond.service; }

running() { [ "$(unit ActiveState)/$(unit SubState)" = active/running ]; }

# activate: checks that the daemon starts at login, and that the first call starts it through the session bus and systemd.
activate() {
    until_true 90 "batond runs from login on" running
    as_user systemctl --user stop batond.service
    ! running || die "batond does not stop"
    user_within 90 baton status >"$LOGS/status" 2>&1 || die "baton status: $(tail -1 "$LOGS/status")"
    running || die "batond answers, but not as the user's service"
    grep -q 'bluez' "$LOGS/status" || die "batond does not use Bluetooth: $(tr '\n' ' ' <"$LOGS/status")"
    ! { user_within 90 baton doctor radio 2>&1 || true; } | finds '^address-public: ' || die "the drop-in's privacy is not in force"
    unit StatusText | finds '^Serving; radio: BlueZ' || die "batond's status for systemd is \"$(unit StatusText)\""
    say "D-Bus has started batond.service: $(unit StatusText)"
}

# confined: checks that the unit's directives are in force, for the daemon itself and for a program that tries forbidden actions.
confined() {
    local process
    process=$(unit MainPID)
    [ "$(stat -c %U "/proc/$process")" = "$USER_NAME" ] || die "batond runs as $(stat -c %U "/proc/$process")"
    /usr/bin/python3 /usr/local/bin/confined.py daemon "$process" || die "batond is not confined as its unit says"
    # The same unit runs another program. Forbidden actions must fail, and necessary ones must work.
    user_within 60 /usr/bin/python3 /usr/local/bin/confined.py free || die "what the probe tries fails without the unit, too"
    mkdir -p "/home/$USER_NAME/.config/systemd/user"
    sed -e "s#^ExecStart=.*#ExecStart=/usr/bin/python3 /usr/local/bin/confined.py probe#" -e 's/^Type=.*/Type=oneshot/' \
        -e '/^BusName=/d;/^WatchdogSec=/d;/^Restart/d;/^NotifyAccess=/d' /usr/lib/systemd/user/batond.service \
        >"/home/$USER_NAME/.config/systemd/user/lab-probe.service"
    chown -R "$USER_NAME:" "/home/$USER_NAME/.config"
    as_user systemctl --user daemon-reload
    user_within 90 systemctl --user start lab-probe.service ||
        die "a directive is not in force: $(journalctl --no-pager -o cat _SYSTEMD_USER_UNIT=lab-probe.service | tail -5 | tr '\n' ' ')"
    say "each directive of the unit is in force"
}

# scopes: checks that a caller is identified by the scope that systemd-run made, and by nothing that the program says of itself.
scopes() {
    local saved=(gdbus call --session --dest org.batonproject.Baton --object-path /org/batonproject/Baton --method)
    local find=("${saved[@]}" org.batonproject.Baton1.Saved.Find "''" '{}')
    in_scope app-org.example.Poems-1 "${saved[@]}" org.batonproject.Baton1.Saved.Save org.example.poem "{'title':<'Ode'>,'persistentIdentifier':<'p1'>}" '{}' |
        grep -qF '()' || die "an app in its scope cannot save"
    in_scope app-org.example.Poems-2 "${find[@]}" | finds -F "Ode" || die "another scope of the same app does not find what it saved"
    in_scope app-org.example.Other-1 "${find[@]}" | finds -F '(@aa{sv} [],)' || die "another app's scope finds it"
    in_scope run-1 "${find[@]}" | finds -F 'Baton cannot find out which app this is' || die "a scope that is no app's is somebody"
    say "an app is known by its scope"
}

# in_scope NAME COMMAND...: runs it in a scope of the user's manager, as desktops start apps, and prints its output and errors.
in_scope() {
    local name=$1
    shift
    user_within 60 systemd-run --quiet --user --scope --unit="$name.scope" -- "$@" 2>&1 || true
}

# purge: removes the package, and checks that nothing of it stays.
purge() {
    as_user systemctl --user stop batond.service
    [ "$(unit Result)" = success ] || die "batond ended with $(unit Result)"
    rm /etc/systemd/system/bluetooth.service.d/baton.conf
    dpkg --listfiles baton | while read -r file; do if [ ! -d "$file" ]; then echo "$file"; fi; done >/run/files
    [ -s /run/files ] || die "the package has no files"
    dpkg --no-triggers --purge baton >>"$LOGS/dpkg" 2>&1 || die "dpkg --purge: $(tail -1 "$LOGS/dpkg")"
    ! dpkg-query --show baton >/dev/null 2>&1 || die "baton is still known to dpkg"
    while read -r file; do [ ! -e "$file" ] || die "$file has stayed"; done </run/files
    for file in /usr/share/baton /usr/share/doc/baton /etc/systemd/user/default.target.wants/batond.service \
        /var/lib/systemd/deb-systemd-user-helper-enabled/batond.service.dsh-also; do
        [ ! -e "$file" ] && [ ! -L "$file" ] || die "$file has stayed"
    done
    [ -s "/home/$USER_NAME/.local/state/baton/state" ] || die "the user's own keys went with the package"
    say "purged: nothing has stayed but the user's own"
}

# circle_of NAME: makes a circle with this laptop as its first device.
circle_of() { user_within 60 baton circle create --name "$1" || die "baton circle create"; }

# file_for_user BYTES FILE: writes that many bytes that do not compress, for the user.
file_for_user() {
    head -c "$1" /dev/urandom >"$2"
    chown "$USER_NAME:" "$2"
}

# app NAME COMMAND...: starts an app of the user that reads and prints lines.
app() {
    APP_OUTPUT=$LOGS/$1
    shift
    mkfifo -m 666 "/tmp/keyboard"
    as_user "$@" </tmp/keyboard >"$APP_OUTPUT" 2>&1 &
    APP=$!
    exec {KEYBOARD}>/tmp/keyboard
    SEEN=0
}

# type_in LINE: types the line into the app.
type_in() { printf '%s\n' "$1" >&"$KEYBOARD"; }

# shows SECONDS LINE: waits until the app has printed exactly this line, after the line of the last wait.
shows() {
    until_true "$1" "the app shows \"$2\"" shown "$2"
    SEEN=$(LINE=$2 awk -v seen="$SEEN" 'NR > seen && $0 == ENVIRON["LINE"] { print NR; exit }' "$APP_OUTPUT")
}

shown() { LINE=$1 awk -v seen="$SEEN" 'NR > seen && $0 == ENVIRON["LINE"] { found = 1 } END { exit !found }' "$APP_OUTPUT"; }

# continues LINE: types `continue`; whether the app answers with LINE and not with an error.
continues() {
    SEEN=$(wc -l <"$APP_OUTPUT")
    type_in continue
    until_true 90 "the app answers" answered "$1"
    shown "$1"
}

answered() { shown "$1" || awk -v seen="$SEEN" 'NR > seen && /^error:/ { found = 1 } END { exit !found }' "$APP_OUTPUT"; }

# quit_app: quits the app, which must end by itself with status 0.
quit_app() {
    type_in quit
    until_true 30 "the app ends" ended "$APP"
    wait "$APP" || die "the app ended with status $?"
}
