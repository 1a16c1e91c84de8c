// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import FoundationEssentials

/// How grants are written: a line that names the format, then a line of JSON for each app.
enum GrantCodec {
    private static let header = "baton grants 1"
    /// The largest file that is written and read, in bytes: all apps with all that is kept about
    /// each, its id and the words around it.
    static let largest = header.utf8.count + Grants.maximumApps * (Grants.maximumSize + 1_024)

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
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let records = grants.answers.sorted { $0.key.description < $1.key.description }.map {
            Record(sandbox: $0.key.sandbox.rawValue, application: $0.key.identifier, answers: $0.value)
        }
        let lines = try [Data(header.utf8)] + records.map { try encoder.encode($0) }
        return Data(lines.joined(separator: "\n".utf8))
    }

    /// Reads what was written.
    ///
    /// - Returns: The grants, and how many apps were left out, for their lines cannot be read.
    /// - Throws: ``Damage`` for what is not a file of grants.
    static func decode(_ data: Data) throws -> (grants: Grants, unreadable: Int) {
        var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        guard lines.popFirst().map({ Data($0) }) == Data(header.utf8) else {
            throw Damage(description: "it is of another version, or damaged")
        }
        guard lines.count <= Grants.maximumApps else { throw Damage(description: "it has too many apps") }
        var grants = Grants()
        let unreadable = lines.count { !read(Data($0), into: &grants) }
        return (grants, unreadable)
    }

    /// Whether a line can be read, and is about an app that no line before it is about.
    private static func read(_ line: Data, into grants: inout Grants) -> Bool {
        guard let record = try? JSONDecoder().decode(Record.self, from: line),
            let sandbox = SandboxedApp.Sandbox(rawValue: record.sandbox),
            ApplicationID.isValid(record.application), isValid(record.answers)
        else { return false }
        let app = SandboxedApp(sandbox, record.application)
        return grants.answers[app] == nil && grants.keep(record.answers, of: app)
    }

    private static func isValid(_ answers: Grants.Answers) -> Bool {
        [answers.granted, answers.refused, answers.dismissed].joined().allSatisfy { team, types in
            (team.isEmpty || DesktopEntry.isName(team)) && types.allSatisfy(DesktopEntry.isName)
        }
    }
}
