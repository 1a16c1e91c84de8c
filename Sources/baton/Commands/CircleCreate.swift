// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient

struct CircleCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a circle with this device as its first member.")

    @Option(help: ArgumentHelp("The name of this device. The default is the machine's name.", valueName: "name"))
    var name: String?

    func validate() throws {
        if name?.isEmpty == true { throw ValidationError("--name is empty; leave it out to take the machine's name") }
    }

    func run() async throws {
        let name = name ?? ""
        let circle = try await Daemon.connected { try await $0.bus.createCircle(name: name) }
        try Output.standard.line("created circle \(circle.circle); this device is \(circle.deviceName)")
    }
}
