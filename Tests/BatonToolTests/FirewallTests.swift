// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Testing
import TransportModel

@testable import baton

/// Tests the firewalls whose configuration every user can read.
@Suite struct FirewallTests {
    @Test(
        "ufw counts if it is on and blocks packets that match no rule",
        arguments: [
            ("ENABLED=yes\nLOGLEVEL=low\n", "IPV6=yes\nDEFAULT_INPUT_POLICY=\"DROP\"\n", true),
            ("ENABLED=yes", "DEFAULT_INPUT_POLICY='REJECT'", true),
            ("ENABLED=YES", "DEFAULT_INPUT_POLICY=\"DROP\"\n", true),
            ("ENABLED=no\n", "DEFAULT_INPUT_POLICY=\"DROP\"\n", false),
            ("ENABLED=yes\n", "DEFAULT_INPUT_POLICY=\"ACCEPT\"\n", false),
            ("ENABLED=yes\nENABLED=no\n", "DEFAULT_INPUT_POLICY=\"DROP\"\n", false),
            ("# ENABLED=yes\n", "DEFAULT_INPUT_POLICY=DROP", false), ("", "", false), ("ENABLED=yes", "", false),
            ("=\n==\nENABLED", "DEFAULT_INPUT_POLICY", false),
        ])
    func ufw(configuration: String, defaults: String, isOn: Bool) {
        #expect(Firewall.isOn(ufw: configuration, defaults: defaults) == isOn)
    }

    private func zone(
        _ name: String = "public (active)", target: String = "default", interfaces: String = "wlan0",
        services: String = "dhcpv6-client ssh", ports: String = "", more: String = ""
    ) -> String {
        """
        \(name)
          target: \(target)
          icmp-block-inversion: no
          interfaces: \(interfaces)
          sources:\u{20}
          services: \(services)
          ports: \(ports)
          protocols:\u{20}
          forward: yes
          rich rules:\u{20}\(more)

        """
    }

    private func closed(_ text: String) -> String? { FirewallZone.parse(text).closed(to: 40_000) }

    @Test("An active firewalld zone that does not open the port counts as closed")
    func closedZone() {
        #expect(closed(zone()) == "public")
        #expect(closed(zone("home (default, active)", ports: "22/tcp 1714-1764/tcp 30000-50000/udp")) == "home")
        #expect(closed(zone("drop (active)", target: "DROP") + zone("work", ports: "1-65535/tcp")) == "drop")
        #expect(closed(zone() + zone("docker (active)", target: "ACCEPT", interfaces: "docker0")) == "public")
    }

    @Test("A zone that opens the port, or might, is not reported")
    func openZones() {
        #expect(closed(zone(ports: "1025-65535/udp 1025-65535/tcp")) == nil)
        #expect(closed(zone(ports: "40000/tcp")) == nil)
        #expect(closed(zone("public")) == nil, "not in force")
        #expect(closed(zone(interfaces: "")) == nil)
        #expect(closed(zone(target: "ACCEPT")) == nil)
        #expect(closed(zone(services: "ssh my-own")) == nil)
        #expect(closed(zone(more: "\n\trule family=\"ipv4\" source address=\"192.168.0.0/16\" accept")) == nil)
        #expect(closed(zone() + zone("home (active)", interfaces: "eth0", ports: "1-65535/tcp")) == nil)
    }

    @Test(
        "An invalid description of zones, or a zone's name that a shell would interpret, gives no finding",
        arguments: [
            "", "\n", "  ports: 1/tcp\n", ":\n :\n", "x (active)\n", "$(reboot) (active)\n  interfaces: a\n",
            "-x (active)\n  interfaces: a\n",
        ])
    func noZones(text: String) { #expect(closed(text) == nil) }

    @Test(
        "Invalid ports open nothing",
        arguments: ["9-1/tcp", "-/tcp", "tcp", "1-2-3/tcp", "99999999999999999999/tcp"])
    func noPorts(ports: String) { #expect(closed(zone(ports: ports)) == "public") }

    @Test(
        "For a laptop that listens at one of the fixed ports, the commands open the fixed ports and that of datagrams")
    func commands() {
        for port in FixedPorts.all {
            #expect(
                Firewall.ufw.finding(port: Int(port), program: nil).command
                    == "sudo ufw allow 21740:21743/tcp && sudo ufw allow 21740/udp")
            #expect(
                Firewall.firewalld(zone: "home").finding(port: Int(port), program: nil).command
                    == "sudo firewall-cmd --permanent --zone=home --add-port=21740-21743/tcp --add-port=21740/udp "
                    + "&& sudo firewall-cmd --zone=home --add-port=21740-21743/tcp --add-port=21740/udp"
            )
        }
        #expect(Firewall.ufw.finding(port: 21_740).code == "firewall-on")
    }

    @Test("If the program is installed that allows the fixed ports, the command calls it for these ports only")
    func program() {
        for firewall in [Firewall.ufw, .firewalld(zone: "home")] {
            #expect(firewall.finding(port: 21_743, program: "/usr/lib/open").command == "sudo /usr/lib/open")
            #expect(firewall.finding(port: 40_000, program: "/usr/lib/open").command?.contains("allow") != nil)
        }
    }

    @Test("For a laptop that listens at another port, the commands open the range from which the kernel chooses")
    func kernelsPorts() {
        let ports = EphemeralPorts(parsing: "32768\t60999\n")
        for port in [21_739, 21_744, 40_000] {
            #expect(Firewall.ports(around: port, ports) == 32_768...60_999)
        }
        #expect(Firewall.ports(around: 21_743, ports) == 21_740...21_743)
    }

    @Test(
        "An invalid range of ports gives the kernel's default",
        arguments: ["", "9", "0 5", "9 8", "1 65536", "a b", "1 2 3"])
    func defaultPorts(text: String) {
        let ports = EphemeralPorts(parsing: text)
        #expect((ports.first, ports.last) == (32_768, 60_999))
    }
}
