# SPDX-License-Identifier: Apache-2.0
"""Tests the programs that change the system as root (Packaging/setup), in an isolated copy of this system: with the real polkitd, pkexec and ufw."""

import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from copied_system import CHANGES, DROP_IN, LINK, ROOT, Copied, inside, needs_root, programs, run

SETUP = "/usr/lib/baton/setup"
INSTALL, REMOVE, OPEN, CLOSE = (f"{SETUP}/{name}" for name in ("install-bluetooth-settings", "remove-bluetooth-settings", "open-firewall", "close-firewall"))
STEPS = (INSTALL, REMOVE, OPEN, CLOSE)
POLICY = "usr/share/polkit-1/actions/org.batonproject.Baton.policy"
UFW_PROFILE = "etc/ufw/applications.d/baton"
PORTS = "21740:21743"
# A user whom polkit does not know as an administrator.
USER = "setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all"


# A polkit agent for the programs that it starts. It writes the action and the question, and closes the question. Source: polkit's reference manual,
# org.freedesktop.PolicyKit1.AuthenticationAgent.
AGENT = """#!/usr/bin/python3
import os, subprocess, sys, threading
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
node = Gio.DBusNodeInfo.new_for_xml("<node><interface name='org.freedesktop.PolicyKit1.AuthenticationAgent'><method name='BeginAuthentication'>"
    + "".join(f"<arg type='{kind}' direction='in'/>" for kind in ("s", "s", "s", "a{ss}", "s", "a(sa{sv})")) + "</method></interface></node>")
def asked(_bus, _sender, _path, _interface, _method, arguments, call):
    print(*arguments.unpack()[:2], flush=True)
    call.return_dbus_error("org.freedesktop.PolicyKit1.Error.Cancelled", "closed")
bus.register_object("/agent", node.interfaces[0], asked)
start = int(open("/proc/self/stat").read().rpartition(") ")[2].split()[19])
subject = ("unix-process", {"pid": GLib.Variant("u", os.getpid()), "start-time": GLib.Variant("t", start), "uid": GLib.Variant("i", os.getuid())})
bus.call_sync("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority", "RegisterAuthenticationAgent",
              GLib.Variant("((sa{sv})ss)", (subject, "de_DE.UTF-8", "/agent")), None, 0, -1, None)
loop, statuses = GLib.MainLoop(), []
threading.Thread(target=lambda: (statuses.append(subprocess.run(sys.argv[1:]).returncode), loop.quit())).start()
loop.run()
sys.exit(statuses[0])
"""


class Declared(unittest.TestCase):
    """Compares the declarations of the steps."""

    def test_policy_has_an_action_for_each_program_and_always_asks_for_the_password(self):
        policy = ElementTree.parse(ROOT / "Packaging/org.batonproject.Baton.policy")
        found = {}
        for action in policy.iter("action"):
            self.assertEqual({part.text for part in action.find("defaults")}, {"auth_admin"})
            annotations = {part.get("key"): part.text for part in action.iter("annotate")}
            self.assertEqual(set(annotations), {"org.freedesktop.policykit.exec.path"})
            found[action.get("id")] = annotations["org.freedesktop.policykit.exec.path"]
        self.assertEqual(found, {f"org.batonproject.Baton.{path.rpartition('/')[2]}": path for path in STEPS})

    def test_window_knows_each_program_and_each_status(self):
        swift = (ROOT / "Sources/SystemSetup/SetupStep.swift").read_text(encoding="utf-8")
        outcomes = (ROOT / "Sources/SystemSetup/SetupOutcome.swift").read_text(encoding="utf-8")
        names = {path.rpartition("/")[2] for path in programs()} - {"steps"}
        self.assertEqual(set(re.findall(r'"([a-z]+-[a-z-]+)"', swift)), names)
        refused = re.findall(r"refuse (\d+) ", (ROOT / "Packaging/setup/steps").read_text(encoding="utf-8"))
        # 1, 64 and 77 are not expected, and count as a failure.
        self.assertEqual(set(map(int, refused)) - {1, 64, 77}, {int(value) for value in re.findall(r"case \w+ = (\d\d)\n", outcomes)})

    def test_ports_of_the_steps_agree_with_the_firewall_profile(self):
        steps = (ROOT / "Packaging/setup/steps").read_text(encoding="utf-8")
        ports = [f"{port.get('port')}/{port.get('protocol')}" for port in ElementTree.parse(ROOT / "Packaging/firewalld.xml").iter("port")]
        self.assertIn(f'PORTS="{" ".join(ports)}"', steps)


class Systems(Copied):
    """A copy of this system in which the programs are installed."""

    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory(prefix="baton-setup-")
        cls.addClassCleanup(work.cleanup)
        cls.make(Path(work.name))
        files = programs() | {DROP_IN[1:]: ROOT / "Systemd/bluetooth.service.d/baton.conf", POLICY: ROOT / "Packaging/org.batonproject.Baton.policy",
                              UFW_PROFILE: ROOT / "Packaging/ufw"}
        for path, source in files.items():
            (cls.before / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, cls.before / path)

    def status(self, script: str, expected: int, *own: str) -> str:
        """Runs a script that must end with this status, and returns what it wrote."""
        done = inside(self.work, self.upper, script, *own)
        self.assertEqual(done.returncode, expected, f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def put(self, path: str, text: str):
        """Replaces a program."""
        (self.upper / path).parent.mkdir(parents=True, exist_ok=True)
        (self.upper / path).write_text(text, encoding="utf-8")
        (self.upper / path).chmod(0o755)


@needs_root
class Bluetooth(Systems):
    def test_drop_in_is_linked_and_removed_without_a_restart_of_bluetoothd(self):
        self.put("usr/bin/systemctl", '#!/bin/sh\necho "$@" >>/systemctl.said\n')
        said = self.status(f"{INSTALL}; {INSTALL}", 0)
        self.assertTrue(self.is_linked())
        self.assertIn("takes effect when the computer restarts", said)
        self.assertIn("already set up", said)
        self.status(f"{REMOVE}; {REMOVE}", 0)
        self.assertFalse(os.path.lexists(self.upper / LINK))
        self.assertFalse((self.upper / LINK).parent.exists())
        self.assertFalse((self.upper / "systemctl.said").exists())

    def test_other_files_of_the_unit_stay(self):
        self.status(f"{INSTALL}; touch /{os.path.dirname(LINK)}/mine.conf; {REMOVE}", 0)
        self.assertEqual([path.name for path in (self.upper / LINK).parent.iterdir()], ["mine.conf"])

    def test_changed_configuration_or_unit_is_refused_with_the_reason(self):
        for change, status in CHANGES.items():
            with self.subTest(change):
                self.setUp()
                said = self.status(f"{change}; {SETUP}/check-bluetooth-settings && exit 99; {INSTALL}", status)
                self.assertRegex(said, "baton: (/etc|/lib)/.* (is not as in its package|changes bluetooth.service)")
                self.assertFalse(self.is_linked())

    def test_laptop_without_bluetoothd_gets_an_error(self):
        self.status(f"rm /lib/systemd/system/bluetooth.service; {INSTALL}", 10)

    def test_links_in_place_of_files_are_not_followed(self):
        directory = os.path.dirname(LINK)
        for change in (f"ln -s /elsewhere /{directory}", f"mkdir -p /{directory}; ln -s /elsewhere/x /{LINK}", f"mkdir -p /{directory}; echo mine >/{LINK}"):
            for program in (INSTALL, REMOVE):
                with self.subTest(change, program=program):
                    self.setUp()
                    # The link to a directory without a file has nothing to remove.
                    status = 0 if program == REMOVE and "-p" not in change else 13
                    if program == INSTALL:  # Nobody is asked for a password in vain.
                        program = f"(! {SETUP}/check-bluetooth-settings); {INSTALL}"
                    said = self.status(f"mkdir /elsewhere; {change}; find /elsewhere /{directory} -printf '%p %y %l %s\\n' >/before; {program}", status)
                    self.assertEqual("is not Baton's" in said, status == 13)
                    self.status(f"find /elsewhere /{directory} -printf '%p %y %l %s\\n' | diff /before -", 0)

    def test_a_linked_directory_that_contains_batons_link_is_not_followed(self):
        self.status(f"mkdir /elsewhere; ln -s {DROP_IN} /elsewhere/baton.conf; ln -s /elsewhere /{os.path.dirname(LINK)}; {REMOVE}", 13)
        self.assertTrue((self.upper / "elsewhere/baton.conf").is_symlink())

    def test_killed_program_leaves_nothing_half_done(self):
        for program, command, before, is_linked in ((INSTALL, "ln", "true", False), (INSTALL, "mkdir", "true", False), (REMOVE, "rmdir", INSTALL, False),
                                                    (REMOVE, "rm", INSTALL, True)):
            with self.subTest(program, command=command):
                self.setUp()
                kill = f"mv /usr/bin/{command} /kept; printf '#!/bin/sh\\nkill -KILL $PPID\\n' >/usr/bin/{command}; chmod 755 /usr/bin/{command}"
                self.status(f"{before}; {kill}; status=0; {program} || status=$?; /kept -f /usr/bin/{command} || true; exit $status"
                            if command == "rm" else f"{before}; {kill}; {program}", 137)
                self.assertEqual(self.is_linked(), is_linked)
                shutil.move(self.upper / "kept", self.upper / "usr/bin" / command)
                self.status(program, 0)
                self.assertEqual(self.is_linked(), program == INSTALL)

    def test_arguments_are_refused(self):
        for name in programs():
            if not name.endswith("/steps"):
                self.status(f"/{name} --help", 64)
                self.status(f"/{name} ''", 64)
        self.status(f"cp {INSTALL} {SETUP}/other; {SETUP}/other", 64)
        self.assertFalse(self.is_linked())

    def test_only_root_changes_anything(self):
        self.status(f"{USER} {INSTALL}", 77)
        self.status(f"{USER} {SETUP}/check-bluetooth-settings", 0)
        self.assertFalse(self.is_linked())

    def test_variables_input_and_umask_of_the_caller_are_ignored(self):
        self.put("evil/ln", "#!/bin/sh\ntouch /evil.ran\n")
        for command in ("mkdir", "dpkg-query", "md5sum", "id", "readlink", "ufw"):
            shutil.copy(self.upper / "evil/ln", self.upper / "evil" / command)
        self.put("evil/sitecustomize.py", "open('/evil.ran', 'w')\n")
        self.put("evil/rc", "touch /evil.ran\n")
        variables = "PATH=/evil:$PATH ENV=/evil/rc BASH_ENV=/evil/rc PYTHONPATH=/evil PYTHONSTARTUP=/evil/rc IFS=/ CDPATH=/evil LINK=/evil/x DROP_IN=/etc/shadow"
        self.status(f"umask 0; cd /evil; yes | env {variables} {INSTALL}; env {variables} {OPEN} || [ $? = 14 ]", 0, "--net")
        self.assertTrue(self.is_linked())
        self.assertFalse((self.upper / "evil.ran").exists())
        self.assertEqual((self.upper / LINK).parent.stat().st_mode & 0o777, 0o755)

    def test_file_size_limit_of_the_caller_is_ignored(self):
        self.status(f"ulimit -f 0; {INSTALL} >/dev/null", 0)
        self.assertTrue(self.is_linked())


@needs_root
class Firewalls(Systems):
    ENABLE = "printf 'ENABLED=no\\nLOGLEVEL=off\\n' >/etc/ufw/ufw.conf; ufw --force enable >/dev/null; "

    def test_without_a_firewall_nothing_is_changed(self):
        for program in (OPEN, CLOSE):
            self.assertIn("no firewall is on", self.status(program, 14, "--net"))

    @unittest.skipUnless(shutil.which("ufw", path="/usr/sbin"), "ufw is not installed")
    def test_ufw_admits_the_fixed_ports_until_they_are_closed(self):
        said = self.status(f"{self.ENABLE} {OPEN} && {OPEN}; iptables -S ufw-user-input; {CLOSE}; echo closed; iptables -S ufw-user-input", 0, "--net")
        opened, closed = said.split("\nclosed\n")
        self.assertRegex(opened, f"(?m)^-A ufw-user-input -p tcp .*--dports {PORTS} .*ACCEPT$")
        self.assertRegex(opened, "(?m)^-A ufw-user-input -p udp .*21740 .*ACCEPT$")
        self.assertNotIn("21740", closed)

    @unittest.skipUnless(shutil.which("ufw", path="/usr/sbin"), "ufw is not installed")
    def test_rule_is_removed_while_ufw_is_off_and_does_not_return(self):
        said = self.status(f"{self.ENABLE} {OPEN}; ufw disable; {CLOSE}; cat /etc/ufw/user*.rules; ufw --force enable; iptables -S", 0, "--net")
        self.assertIn("Removing Baton's rule from ufw.", said)
        self.assertNotIn("21740", said.split("Removing Baton's rule")[1])

    @unittest.skipUnless(shutil.which("ufw", path="/usr/sbin"), "ufw is not installed")
    def test_other_rules_of_ufw_stay(self):
        others = "ufw allow 21740/udp; ufw allow OpenSSH || ufw allow 22/tcp; ufw allow from 192.0.2.0/24 to any app Baton"
        said = self.status(f"{self.ENABLE} {others}; ufw show added >/before; {OPEN}; {CLOSE}; {CLOSE}; ufw show added | diff /before -", 0, "--net")
        self.assertIn("The firewall has no rule for Baton.", said)

    @unittest.skipUnless(shutil.which("ufw", path="/usr/sbin"), "ufw is not installed")
    def test_firewall_check_needs_no_password(self):
        check = f"{USER} {SETUP}/check-firewall"
        for configuration, status in (("ENABLED=no", 14), ("# ENABLED=yes", 14), ("LOGLEVEL=low", 14), ("ENABLED=yes", 0), ('ENABLED="YES"', 0)):
            with self.subTest(configuration):
                self.status(f"echo '{configuration}' >/etc/ufw/ufw.conf; {check}", status, "--net")
        # If a user cannot read ufw's configuration, root must check it.
        self.status(f"echo ENABLED=no >/etc/ufw/ufw.conf; chmod 600 /etc/ufw/ufw.conf; {check}", 0, "--net")
        # A user does not ask firewalld itself, which may ask for a password.
        self.put("usr/bin/firewall-cmd", "#!/bin/sh\nexit 252\n")
        for status, expected in ((3, 14), (0, 0)):
            self.put("usr/bin/systemctl", f'#!/bin/sh\n[ "$*" = "is-active --quiet firewalld.service" ] && exit {status}\nexit 1\n')
            self.status(f"chmod 644 /etc/ufw/ufw.conf; {check}", expected, "--net")

    @unittest.skipUnless(shutil.which("ufw", path="/usr/sbin"), "ufw is not installed")
    def test_failure_of_ufw_is_reported(self):
        self.assertIn("ufw has refused", self.status(f"{self.ENABLE} rm /{UFW_PROFILE}; {OPEN}", 15, "--net"))

    @unittest.skipUnless(shutil.which("ufw", path="/usr/sbin"), "ufw is not installed")
    def test_file_size_limit_of_the_caller_does_not_truncate_ufws_rules(self):
        rules = "/etc/ufw/user.rules"
        # The limit ends in the last line. A root that may not lift it is refused.
        self.status(f"{self.ENABLE} {OPEN}; size=$(stat --format=%s {rules}); {CLOSE}; prlimit --fsize=$((size - 4)) {OPEN} || [ $? = 1 ]; "
                    f"[ \"$(tail -n 1 {rules})\" = COMMIT ]", 0, "--net")

    def test_unresponsive_firewalld_is_reported(self):
        self.put("usr/bin/firewall-cmd", '#!/bin/sh\n[ "$*" = --state ]\n')
        for program in (OPEN, CLOSE):
            self.assertIn("firewalld has refused", self.status(program, 15, "--net"))

    def test_rules_are_removed_while_firewalld_does_not_run(self):
        """Stand-ins for firewalld's programs, which answer like firewalld 1.3 and 2.3."""
        self.put("usr/bin/firewall-cmd", "#!/bin/sh\nexit 252\n")
        self.put("usr/bin/firewall-offline-cmd", """#!/bin/sh
            echo "$@" >>/said
            case "$*" in
            --list-all-zones) printf 'home\\n  services: ssh baton\\n  ports: 21740-21743/tcp 21740/udp\\nwork\\n  ports: 22/tcp\\n' ;;
            *--list-ports) echo '21740-21743/tcp 21740/udp' ;;
            esac
            """)
        self.status(OPEN, 14, "--net")
        self.assertFalse((self.upper / "said").exists())
        self.status(CLOSE, 0, "--net")
        said = (self.upper / "said").read_text(encoding="utf-8").splitlines()
        changes = ("--remove-service-from-zone=baton", "--remove-port=21740/udp", "--remove-port=21740-21743/tcp")
        self.assertEqual([line for line in said if "-remove-" in line], [f"--zone=home {change}" for change in changes])

    def test_only_zones_in_use_of_firewalld_admit_the_ports(self):
        """A stand-in for firewall-cmd, because installing firewalld turns it on. It answers as firewalld 1.3 and 2.3."""
        self.put("usr/bin/firewall-cmd", """#!/bin/sh
            echo "$@" >>/said
            case "$*" in
            --get-active-zones) printf 'home (default)\\n  interfaces: wlan0 eth0\\ndocker\\n  interfaces: docker0\\ndrop\\n  sources: 10.0.0.0/8\\n' ;;
            *--zone=docker*--get-target) echo ACCEPT ;;
            *--get-target) echo default ;;
            *--list-all-zones) printf 'block\\n  services: ssh\\n  ports: 21740/udp\\nhome (active)\\n  services: ssh baton\\nwork\\n  ports: 22/tcp 21740-21743/tcp\\n' ;;
            *--zone=home*--query-service=baton | *--query-port=*) ;;
            *--query-*) exit 1 ;;
            *--zone=home*--list-ports) echo '21000-22000/tcp 21000-22000/udp' ;;
            *--zone=work*--list-ports) echo '22/tcp 21740-21743/tcp 21740/udp' ;;
            esac
            """)
        changes = lambda: [line for line in (self.upper / "said").read_text(encoding="utf-8").splitlines() if "-add-" in line or "-remove-" in line]  # noqa: E731
        ports = [f"--zone=home --add-port={port}" for port in ("21740-21743/tcp", "21740/udp")]
        self.status(OPEN, 0)
        # The service is not added, because firewalld could not read a zone with a missing service after Baton's removal.
        self.assertEqual(changes(), [f"--permanent {line}" for line in ports] + ports)
        self.status(f"rm /said; {CLOSE}", 0)
        removed = ["--zone=home --remove-service=baton"], [f"--zone=work --remove-port={port}" for port in ("21740/udp", "21740-21743/tcp")]
        self.assertEqual(changes(), [f"{life}{line}" for lines in removed for life in ("--permanent ", "") for line in lines])


@needs_root
@unittest.skipUnless(os.path.exists("/usr/bin/pkexec"), "pkexec is not installed")
class Authorised(Systems):
    """Tests with the real polkitd on a separate system bus. polkitd asks nobody for a password."""

    START = """
        mkdir -p /run/dbus
        dbus-daemon --system --nofork --nopidfile --address=unix:path=/run/dbus/system_bus_socket &
        call="dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus"
        until $call.GetId >/dev/null 2>&1; do sleep 0.05; done
        $(ls /usr/lib/polkit-1/polkitd /usr/libexec/polkitd 2>/dev/null | head -1) --no-debug >/polkitd.log 2>&1 &
        until $call.NameHasOwner string:org.freedesktop.PolicyKit1 | grep -q true; do sleep 0.05; done
        """

    def rule(self, result: str, action: str = "install-bluetooth-settings"):
        """Makes polkit give this answer about an action, and refuse all others."""
        rules = self.upper / "etc/polkit-1/rules.d/00-test.rules"
        rules.parent.mkdir(parents=True, exist_ok=True)
        # Other rules and the policy do not count.
        rules.write_text("polkit.addRule(function(action, subject) { return action.id == 'org.batonproject.Baton."
                         f"{action}' ? polkit.Result.{result} : polkit.Result.NO; }});\n", encoding="utf-8")
        rules.parent.chmod(0o755)

    def test_closed_password_question_changes_nothing_and_is_translated(self):
        with tempfile.TemporaryDirectory() as made:
            run("Scripts/catalogues", "entries", made)
            shutil.copy(Path(made) / Path(POLICY).name, self.upper / POLICY)
        self.put("agent", AGENT)
        said = self.status(f"{self.START} {USER} /agent pkexec {INSTALL}", 126)
        self.assertIn("org.batonproject.Baton.install-bluetooth-settings Legitimierung ist erforderlich, um Bluetooth für Baton einzurichten "
                      "(LE Audio bleibt aus)\n", said)
        self.assertFalse(self.is_linked())

    def ask(self, program: str, expected: int, more: str = "", *own: str) -> str:
        return self.status(f"{self.START} {more} {USER} pkexec --disable-internal-agent {program}", expected, *own)

    def test_each_action_authorises_only_its_own_program(self):
        self.rule("YES")
        self.ask(INSTALL, 0)
        self.assertTrue(self.is_linked())
        self.ask(REMOVE, 127)
        self.assertTrue(self.is_linked())
        self.rule("YES", "remove-bluetooth-settings")
        self.ask(REMOVE, 0)
        self.assertFalse(self.is_linked())
        for program in (OPEN, CLOSE):
            self.rule("YES", program.rpartition("/")[2])
            self.ask(program, 14, "", "--net")
            self.ask(INSTALL, 127)

    def test_without_authorisation_nothing_is_changed(self):
        # With one status for both, the window tells them apart by pkexec's message. No program here asks for a password.
        swift = (ROOT / "Sources/SystemSetup/SetupOutcome.swift").read_text(encoding="utf-8")
        message = re.search(r'message\.contains\("(.+)"\)', swift)[1]
        for result, has_no_agent in (("NO", False), ("AUTH_ADMIN", True)):
            self.rule(result)
            self.assertEqual(message in self.ask(INSTALL, 127), has_no_agent)
            self.assertFalse(self.is_linked())

    def test_policy_without_a_rule_authorises_nobody(self):
        for program in STEPS:
            self.ask(program, 127, "", "--net")
        self.assertFalse(self.is_linked())

    def test_hostile_arguments_are_refused_and_variables_ignored(self):
        self.rule("YES")
        self.ask(f"{INSTALL} --help", 64)
        self.assertFalse(self.is_linked())
        self.put("evil/ln", "#!/bin/sh\ntouch /evil.ran\n")
        self.put("evil/rc", "touch /evil.ran\n")
        self.ask(INSTALL, 0, "export PATH=/evil:$PATH ENV=/evil/rc LINK=/etc/shadow IFS=/; umask 0; ulimit -f 0; exec >/dev/null 2>&1;")
        self.assertTrue(self.is_linked())
        self.assertFalse((self.upper / "evil.ran").exists())

    def test_refusal_of_the_program_reaches_the_caller(self):
        self.rule("YES")
        self.ask(INSTALL, 12, "echo '[LE]' >>/etc/bluetooth/main.conf;")
