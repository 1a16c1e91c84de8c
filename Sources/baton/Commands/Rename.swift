// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient

struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give this device another name.",
        discussion:
            "If another device of the circle has the same name, you get a warning. Commands then need an id instead of the name."
    )

    @Argument(
        help:
            "The new name: 1 to 63 bytes of visible characters, without blanks at its ends or a combining mark at its beginning. It must not be eight hexadecimal digits, because ids are."
    )
    var name: String

    func run() async throws {
        let members = try await Daemon.connected { baton in
            try await baton.bus.rename(to: name)
            // The device is already renamed, so ignore a failure to get the members.
            return try? await baton.bus.status().members
        }
        try Output.standard.line("this device is \(name) now")
        if let members, let advice = CircleText.sameName(name, among: members) { Output.warn(advice) }
    }
}
