// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Foundation

/// How grants are written: a line that names the format, then a line of JSON for each app.
enum GrantCodec {
    private static let header = "baton grants 1"
    /// The largest file that is read, in bytes.
    static let largest = 16 << 20

    private struct Record: Codable {
        var sandbox: String
        var application: String
        var answers: Grants.Answers
    }

    /// Why a file cannot be read.
    struct Damage: Error, CustomStringConvertible {
        var description: String
    }

    static func encode(_ grants: Grants) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let records = grants.answers.sorted { $0.key.description < $1.key.description }.map {
            Record(sandbox: $0.key.sandbox.rawValue, application: $0.key.identifier, answers: $0.value)
        }
        let lines = try [Data(header.utf8)] + records.map { try encoder.encode($0) }
        return Data(lines.joined(separator: "\n".utf8))
    }

    static func decode(_ data: Data) throws -> Grants {
        var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        guard lines.popFirst().map({ Data($0) }) == Data(header.utf8) else {
            throw Damage(description: "it is of another version, or damaged")
        }
        guard lines.count <= Grants.maximumApps else { throw Damage(description: "it has too many apps") }
        var answers: [SandboxedApp: Grants.Answers] = [:]
        for line in lines {
            let record = try JSONDecoder().decode(Record.self, from: Data(line))
            guard let sandbox = SandboxedApp.Sandbox(rawValue: record.sandbox),
                CallerPolicy.isApplicationID(record.application), Self.isValid(record.answers),
                answers.updateValue(record.answers, forKey: SandboxedApp(sandbox, record.application)) == nil
            else { throw Damage(description: "no app is kept so: \(record.sandbox.prefix(100).debugDescription)") }
        }
        return try Grants(answers)
    }

    private static func isValid(_ answers: Grants.Answers) -> Bool {
        [answers.granted, answers.refused, answers.dismissed].joined().allSatisfy { team, types in
            (team.isEmpty || DesktopEntry.isName(team)) && types.allSatisfy(DesktopEntry.isName)
        }
    }
}
