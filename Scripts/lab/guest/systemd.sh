# SPDX-License-Identifier: Apache-2.0
# Process 1 sources this file and becomes systemd. Its target has the services of a laptop and the lab's own
# service.
#
# Leave out units that would wait for hardware, write to the host's state, or empty /tmp.

mkdir -p /run/systemd/system
cd /run/systemd/system || exit 1
for unit in systemd-tmpfiles-setup.service systemd-tmpfiles-setup-dev.service systemd-tmpfiles-clean.timer systemd-udevd.service \
    systemd-udev-trigger.service systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-firstboot.service systemd-repart.service \
    systemd-binfmt.service systemd-machine-id-commit.service systemd-update-utmp.service systemd-journal-flush.service \
    systemd-network-generator.service systemd-timesyncd.service systemd-networkd.service systemd-resolved.service systemd-sysusers.service \
    systemd-pcrphase.service systemd-pcrphase-sysinit.service ldconfig.service proc-sys-fs-binfmt_misc.automount \
    sys-kernel-config.mount sys-kernel-debug.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount dev-hugepages.mount \
    modprobe@configfs.service modprobe@drm.service modprobe@fuse.service modprobe@efi_pstore.service apt-daily.timer \
    apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer getty.target; do
    ln -s /dev/null "$unit"
done
cat >lab.target <<'END'
[Unit]
Requires=basic.target dbus.service systemd-logind.service lab.service
After=basic.target
AllowIsolate=yes
END
cat >lab.service <<END
[Unit]
After=basic.target dbus.service systemd-logind.service
[Service]
Type=oneshot
TimeoutStartSec=infinity
Environment=LAB_SYSTEMD=1
ExecStart=/bin/sh /lab/guest/start
StandardOutput=file:$LOGS/start
StandardError=inherit
END
# Emulation is slow and hosts are busy, so the limits are long. The script has limits of its own.
mkdir -p /run/systemd/system.conf.d user@.service.d
printf '[Manager]\nDefaultTimeoutStartSec=900\n' >/run/systemd/system.conf.d/lab.conf
printf '[Service]\nTimeoutStartSec=900\n' >user@.service.d/lab.conf
# Two laptops on one host's root need different machine ids.
rm -f /etc/machine-id
tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
: >/etc/fstab
# On some hosts, these files mark the host as a container.
rm -f /.dockerenv /run/.containerenv
exec /lib/systemd/systemd --system --unit=lab.target systemd.log_level=info systemd.journald.forward_to_console=0
