// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Refuse all requests of another laptop for an hour.",
        discussion: """
            Use it for a laptop of your circle that keeps asking for your activities but does not continue them. \
            Baton notifies you of such a laptop. A stopped laptop still sees that there is an offer, and you can \
            still continue its activities here. The stop ends after an hour, with --undo, or when batond \
            restarts. To remove a laptop for good, run: baton remove
            """)

    @Argument(help: "The device's id, or its name if no other has the same; see baton devices.", completion: .device)
    var device: String

    @Flag(help: "Answer the laptop's requests again.")
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
