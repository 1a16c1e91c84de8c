// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient

/// `baton rename`
struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give this device another name.",
        discussion:
            "One that another device of the circle has is taken, with a warning: where a name may mean several devices, commands want an id then."
    )

    @Argument(
        help:
            "The new name: 1 to 63 bytes, all of them visible, without blanks at its ends or a combining mark at its beginning; not eight hexadecimal digits, as ids are."
    )
    var name: String

    func run() async throws {
        let members = try await Daemon.connected { baton in
            try await baton.bus.rename(to: name)
            // The device is already renamed, so a failure to get the members must not count.
            return try? await baton.bus.status().members
        }
        try Output.standard.line("this device is \(name) now")
        if let members, let advice = CircleText.sameName(name, among: members) { Output.warn(advice) }
    }
}
