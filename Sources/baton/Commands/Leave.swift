// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus

/// `baton leave`
struct Leave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take this device out of its circle.",
        discussion: """
            The devices that are near are told. If none is, remove this one on another device with: baton remove DEVICE
            """)

    func run() async throws {
        let (others, told) = try await Daemon.connected { connection in
            let others = try await connection.bus.status().members.filter { !$0.isThisDevice }
            return (others, try await connection.bus.leaveCircle())
        }
        Output.standard.line(Self.outcome(anyOthers: !others.isEmpty, told: told))
    }

    /// What the user is told. In a circle of one, and in one from before keys were proved, which is used no more, nobody is left to be told.
    private static func outcome(anyOthers: Bool, told: [String]) -> String {
        if !told.isEmpty { return "left the circle; told \(told.joined(separator: ", "))" }
        guard anyOthers else { return "left the circle" }
        return "left the circle; no other device could be told, so remove this one there with: baton remove DEVICE"
    }
}
