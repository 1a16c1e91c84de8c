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
            It cannot come back but as a new device. Devices that came in only by way of it stay, and are named. To take this device out, run: baton leave
            """)

    @Argument(help: "The device's id, or its name if no other has the same; see baton devices.")
    var device: String

    func run() async throws {
        let (removal, rest) = try await Daemon.connected {
            (try await $0.bus.removeDevice(device), try await $0.bus.status().members)
        }
        Output.standard.line(
            "removed \(removal.member.name) (\(removal.member.device))")
        for line in Self.advice(on: removal.unvouched, of: rest) { Output.standard.line(line) }
    }

    /// Whoever had the device may have used it to take in others, and they stay: only the user knows whose they are.
    static func advice(on unvouched: [String], of members: [CircleMember]) -> [String] {
        members.filter { unvouched.contains($0.device) }.map {
            "\($0.name) (\($0.device)) came into the circle by way of it, and stays; if that was not you: baton remove \($0.device)"
        }
    }
}
