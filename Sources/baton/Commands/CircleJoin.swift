// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus
import Foundation
import Glibc

/// `baton circle join`
struct CircleJoin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join the circle that an invitation comes from.")

    /// The longest invitation that is read, in bytes.
    static let maximumSize = 64 << 10

    @Argument(help: "The file that baton circle invite wrote on the other device.")
    var file: String

    @Option(help: ArgumentHelp("What to call this device from now on.", valueName: "name"))
    var name: String?

    func run() async throws {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolFailure("cannot read \(file)", errno: errno) }
        defer { close(descriptor) }
        let data = try Descriptor.readAll(from: descriptor, called: file, limit: Self.maximumSize)
        guard data.count <= Self.maximumSize, !data.isEmpty, !data.contains(0),
            let text = String(bytes: data, encoding: .utf8)
        else {
            throw ToolFailure(
                "\(file) is not an invitation; make one on the other device with: baton circle invite FILE")
        }
        let name = name
        let circle = try await Daemon.connected { baton in
            if let name { try await baton.bus.rename(to: name) }
            return try await baton.bus.joinCircle(invitation: text)
        }
        let others = CircleText.others(circle)
        Output.standard.line(
            "joined circle \(circle.circle) as \(circle.deviceName)"
                + (others.isEmpty ? "" : ", with \(others)"))
        if let advice = CircleText.sameName(circle) { Output.standard.line(advice) }
    }
}
