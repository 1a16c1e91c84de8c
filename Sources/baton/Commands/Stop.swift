// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials

/// `baton stop`
struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give another laptop nothing of this one for an hour.",
        discussion: """
            For a laptop of your circle that asks again and again for what you do here, and does not go on with it; Baton tells you of one. It still sees \
            that there is something, and can be continued from. It ends after an hour, with --undo, or when batond is started again. To take a laptop out \
            for good, run: baton remove
            """)

    @Argument(help: "The device's id, or its name if no other has the same; see baton devices.", completion: .device)
    var device: String

    @Flag(help: "Give it again what it asks for.")
    var undo = false

    func run() async throws {
        if undo {
            let (member, wasStopped) = try await Daemon.connected { [device] in try await $0.bus.allowDevice(device) }
            let outcome = wasStopped ? "gets again what it asks for" : "was not stopped"
            return try Output.standard.line("\(member.name) (\(member.device)) \(outcome)")
        }
        let member = try await Daemon.connected { [device] in try await $0.bus.stopDevice(device) }
        try Output.standard.line("\(member.name) (\(member.device)) \(member.stop(at: Date()) ?? "is stopped")")
    }
}
