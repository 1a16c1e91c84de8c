// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials
import UserInfoJSON
import Wording

struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the devices of your circle.")

    @Flag(help: "Print one JSON array.")
    var json = false

    func run() async throws {
        let status = try await Daemon.connected { try await $0.bus.status() }
        if json {
            try Output.standard.json(Self.node(status.members), pretty: true)
        } else {
            for line in Self.lines(status.members) { try Output.standard.line(line) }
        }
        if status.circle == nil { throw Daemon.withoutCircle(status) }
    }

    /// Returns the JSON array of the devices, as described in baton-json(5).
    static func node(_ members: [CircleMember]) -> JSONNode {
        .array(
            members.map {
                .object(
                    [
                        "device": .string($0.device), "deviceName": .string($0.name),
                        "thisDevice": .bool($0.isThisDevice),
                        "takenInBy": .array($0.takenInBy.map(JSONNode.string)),
                    ].merging($0.presence) { $1 })
            })
    }

    static func lines(_ members: [CircleMember], at now: Date = Date()) -> [String] {
        let labels = DeviceNames(members).label
        let names = Dictionary(members.map { ($0.device, labels($0)) }) { first, _ in first }
        return members.map { member in
            let sponsors = member.takenInBy.map { names[$0] ?? tr("{device}, which is gone", ["device": $0]) }
            return "\(member.device)  \(member.name)  \(member.standing(at: now))"
                + (sponsors.isEmpty ? "" : "  " + tr("(taken in by {laptops})", ["laptops": JoinedText.list(sponsors)]))
        }
    }
}
