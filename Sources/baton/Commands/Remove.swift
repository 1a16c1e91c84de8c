// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Glibc

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove a device from your circle.",
        discussion: """
            Use it for a laptop that was sold, lost or stolen. This device refuses the removed one from now on, \
            and the others do so when they hear of the removal. The removed device can come back only as a new \
            device. Devices that only it has taken into the circle stay, and are listed. To take this device \
            out, run: baton leave

            It asks first on a terminal, but not elsewhere, for example in a script.
            """)

    @Argument(help: "The device's id, or its name if no other has the same; see baton devices.", completion: .device)
    var device: String

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func run() async throws {
        let command = self
        let (removal, rest) = try await Termination.cancels(
            saying: "interrupted; see in 'baton devices' whether it is removed"
        ) {
            try await Daemon.connected { connection in
                let removal = try await connection.bus.removeDevice(try await command.meant(connection.bus))
                return (removal, try await connection.bus.status().members)
            }
        }
        try Output.standard.line("removed \(removal.member.name) (\(removal.member.device))")
        for line in Self.advice(on: removal.unvouched, of: rest) { try Output.standard.line(line) }
    }

    /// Asks the user to confirm the device, and returns its id. The device is removed by id,
    /// because another device may take its name in the meantime.
    private func meant(_ bus: BatonBusClient) async throws -> String {
        let status = try await bus.status()
        // Without a circle, pass the text on. The daemon then reports why there is no circle.
        guard status.circle != nil else { return device }
        let others = status.members.filter { !$0.isThisDevice }
        let isThisDevice = status.members.contains { $0.isThisDevice && $0.isCalled(device) }
        // If the text means this device, pass it on. The daemon then says what to do instead.
        guard !isThisDevice else { return device }
        let member = try DeviceNames(others).device(called: device)
        try await Confirmation.ask("remove \(member.name) (\(member.device)) from the circle, for good?", unless: yes)
        return member.device
    }

    /// Returns advice about the devices that the removed device took into the circle. These devices
    /// stay in the circle.
    ///
    /// A thief may have added them with the removed device. Only the user knows whose devices they
    /// are.
    static func advice(on unvouched: [String], of members: [CircleMember]) -> [String] {
        members.filter { unvouched.contains($0.device) }.map {
            "\($0.name) (\($0.device)) came into the circle by way of it, and stays; if that was not you: baton remove \($0.device)"
        }
    }
}
