// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import FoundationEssentials

/// The file format of grants, with a record for each app.
enum GrantCodec {
    private static let header = "baton grants 1"
    /// The maximum size of the file, in bytes. The limit leaves room for all apps with their
    /// answers and ids.
    static let largest = header.utf8.count + Grants.maximumApps * (Grants.maximumSize + 1_024)

    private struct Record: Codable {
        var sandbox: String
        var application: String
        var answers: Grants.Answers
    }

    static func encode(_ grants: Grants) throws -> Data {
        let encoder = RecordLines.encoder
        let records = grants.answers.sorted { $0.key.description < $1.key.description }.map {
            Record(sandbox: $0.key.sandbox.rawValue, application: $0.key.identifier, answers: $0.value)
        }
        return RecordLines.data(header, try records.map { try encoder.encode($0) })
    }

    /// Decodes a file.
    ///
    /// - Returns: The grants, and the number of lines that cannot be read.
    /// - Throws: ``RecordLines/Damage`` if the data is not a file of grants.
    static func decode(_ data: Data) throws -> (grants: Grants, unreadable: Int) {
        let lines = try RecordLines.lines(header, of: data)
        guard lines.count <= Grants.maximumApps else { throw RecordLines.Damage(description: "it has too many apps") }
        var grants = Grants()
        let unreadable = lines.count { !read($0, into: &grants) }
        return (grants, unreadable)
    }

    /// Adds the answers in a line to the grants. Returns whether the line can be read and is the
    /// first one about its app.
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
