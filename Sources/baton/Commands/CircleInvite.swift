// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials
import Glibc

struct CircleInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Write an invitation for one more device into a new file.",
        discussion: """
            Carry FILE to the other device in a way that only you can read. Then run there: baton circle join \
            FILE. Until then, the daemon must run on this device, and the two devices must be near each other. \
            The invitation works once, within ten minutes. At most eight invitations are open. A ninth one \
            revokes the oldest.
            """)

    @Argument(help: "The file to write; it must not exist yet.", completion: .file())
    var file: String

    func validate() throws {
        guard !["", "-"].contains(file) else {
            throw ValidationError("an invitation is a secret: give a file to write it into")
        }
    }

    func run() async throws {
        // Check the file first, so that the daemon makes no invitation that cannot be written.
        try NewFile.checkFree(file)
        let new = try NewFile(path: file, mode: 0o600)
        let invitation: CircleInvitation
        do {
            invitation = try await Daemon.connected { try await $0.bus.invite() }
            try Descriptor.writeAll(Array(invitation.text.utf8)[...], to: new.descriptor.number, called: file)
        } catch {
            new.discard()
            throw error
        }
        try new.createExclusively()
        let until = LocalTime(invitation.expires)
        try Output.standard.line("wrote \(file), valid until \(until.day) \(until.clock)\(until.zone)")
    }
}
