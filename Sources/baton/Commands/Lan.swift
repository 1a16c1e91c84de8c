// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient

struct Lan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Use local networks beside Bluetooth.", subcommands: [LanHere.self])
}

struct LanHere: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "here",
        abstract: "Let Baton look for the circle's other devices in this network.",
        discussion: """
            Baton looks for them by itself in networks in which it has met one of them. In all others it only answers. The network is remembered \
            for 90 days after its last use. 'lan' in baton.conf changes this for all networks.
            """)

    func run() async throws {
        let added = try await Daemon.connected { try await $0.bus.knowNetworks() }
        try Output.standard.line(added == 0 ? "this network was known already" : "this network is known now")
    }
}
