// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient

struct Leave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take this device out of its circle.",
        discussion: """
            It tells the other devices that it finds within ten seconds, and they tell the rest. If it finds \
            none, remove this device on another one with: baton remove DEVICE

            It asks first on a terminal, but not elsewhere, for example in a script.
            """)

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func run() async throws {
        let command = self
        let (others, told) = try await Termination.cancels(saying: "interrupted; see in 'baton status' whether it left")
        {
            try await Daemon.connected { try await command.run($0.bus) }
        }
        try Output.standard.line(Self.outcome(others: others, told: told))
    }

    private func run(_ bus: BatonBusClient) async throws -> (others: [String], told: [String]) {
        let status = try await bus.status()
        let names = DeviceNames(status.members)
        let others = status.members.filter { !$0.isThisDevice }.map(names.label)
        if status.circle != nil { try await Confirmation.ask(Self.question(others), unless: yes) }
        return (others, try await bus.leaveCircle())
    }

    private static func question(_ others: [String]) -> String {
        others.isEmpty ? "leave the circle?" : "leave the circle of \(others.joined(separator: ", "))?"
    }

    /// Returns the message about the circle that this device left.
    ///
    /// `told` is empty if there is no other device, if none was found, or if the circle dates from
    /// before devices proved their keys.
    static func outcome(others: [String], told: [String]) -> String {
        if !told.isEmpty {
            let rest = others.filter { !told.contains($0) }.joined(separator: ", ")
            return "left the circle; told \(told.joined(separator: ", "))"
                + (rest.isEmpty ? "" : "; \(rest), not reached, will hear of it from there")
        }
        guard !others.isEmpty else { return "left the circle" }
        return "left the circle; no other device could be told, so remove this one there with: baton remove DEVICE"
    }
}
