// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials

struct CircleJoin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a circle with an invitation from one of its devices.")

    /// The largest size of an invitation, in bytes.
    static let maximumSize = 64 << 10

    @Argument(
        help: "The file that baton circle invite wrote on the other device, or - for standard input.",
        completion: .file())
    var file: String

    @Option(help: ArgumentHelp("A new name for this device.", valueName: "name"))
    var name: String?

    func validate() throws {
        if file.isEmpty { throw ValidationError("FILE is empty; give what 'baton circle invite FILE' wrote, or -") }
    }

    func run() async throws {
        let descriptor = try Descriptor.opened(file)
        let data = try Descriptor.readAll(from: descriptor.number, called: file, limit: Self.maximumSize)
        guard data.count <= Self.maximumSize, !data.isEmpty, !data.contains(0),
            let text = String(bytes: data, encoding: .utf8)
        else {
            throw ToolFailure(
                "\(file == "-" ? "standard input" : file) is not an invitation; make one on the other device with: baton circle invite FILE",
                status: .badContents)
        }
        let name = name
        let circle = try await Daemon.connected { try await Self.join(text, as: name, on: $0.bus) }
        let others = CircleText.others(circle)
        try Output.standard.line(
            "joined circle \(circle.circle) as \(circle.deviceName)"
                + (others.isEmpty ? "" : ", with \(others)"))
        if let advice = CircleText.sameName(circle.deviceName, among: circle.members) { Output.warn(advice) }
    }

    /// Joins a circle. If a name is given, renames this device first, because the request to join
    /// contains the name. If joining fails, restores the old name.
    private static func join(
        _ invitation: String, as name: String?, on bus: BatonBusClient
    ) async throws -> CircleSummary {
        guard let name else { return try await bus.joinCircle(invitation: invitation) }
        let former = try await bus.status().deviceName
        try await bus.rename(to: name)
        do {
            return try await bus.joinCircle(invitation: invitation)
        } catch {
            try? await bus.rename(to: former)
            throw error
        }
    }
}
