// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus

/// `baton remove`
struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove a device from your circle.",
        discussion: """
            For a laptop that was sold, lost or stolen. The device here has nothing to do with it from now on, the others as soon as they hear of it. \
            It cannot come back but as a new device. To take this device out, run: baton leave
            """)

    @Argument(help: "The device's id, or its name if no other has the same; see baton devices.")
    var device: String

    func run() async throws {
        let member = try await Daemon.connected { try await $0.bus.removeDevice(device) }
        Output.standard.line("removed \(Output.printable(member.name)) (\(Output.printable(member.device)))")
    }
}
