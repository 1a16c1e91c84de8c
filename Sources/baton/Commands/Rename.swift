// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus

/// `baton rename`
struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give this device another name.")

    @Argument(help: "The new name: 1 to 63 bytes, all of them visible.")
    var name: String

    func run() async throws {
        try await Daemon.connected { try await $0.bus.rename(to: name) }
        Output.standard.line("this device is \(name) now")
    }
}
