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
        let told = try await Daemon.connected { try await $0.bus.leaveCircle() }
        Output.standard.line(
            told.isEmpty
                ? "left the circle; no other device could be told, so remove this one there with: baton remove DEVICE"
                : "left the circle; told \(told.joined(separator: ", "))")
    }
}
