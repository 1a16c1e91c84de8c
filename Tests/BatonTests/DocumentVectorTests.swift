// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

@testable import Baton

/// Tests the cases of Tests/Vectors/documents.json, which also test libbaton.
///
/// The cases are rows of texts. An empty text means that a value is missing.
@Suite struct DocumentVectorTests {
    private let cases: [String: [[String]]]

    init() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "Vectors/documents.json")
        cases = try JSONDecoder().decode([String: [[String]]].self, from: Data(contentsOf: file))
    }

    private func rows(_ name: String) throws -> [[String]] {
        let rows = try #require(cases[name])
        #expect(!rows.isEmpty)
        return rows
    }

    private func folders(_ name: String) throws -> SharedFolders {
        try SharedFolders(configuration: #require(rows(name).first)[0].utf8) { Issue.record($0) }
    }

    /// Returns a URL exactly as received, without corrections.
    private func url(_ text: String) -> URL? { URL(string: text, encodingInvalidCharacters: false) }

    @Test("Shared folders are read from a configuration, and mistakes name their line")
    func foldersAndMistakes() throws {
        let wanted = try Dictionary(uniqueKeysWithValues: rows("folders").map { ($0[0], $0[1]) })
        #expect(try folders("configuration").folders.mapValues(\.path) == wanted)
        for row in try rows("mistakes") {
            var mistakes: [String] = []
            let folders = SharedFolders(configuration: row[0].utf8) { mistakes.append($0.path) }
            #expect(mistakes == ["[line \(row[1])]"], "\(row)")
            #expect(folders.folders.keys.sorted().joined(separator: " ") == row[2], "\(row)")
        }
    }

    @Test("Files in shared folders get names that lead back to the files on another device")
    func namesOfSharedFiles() throws {
        let folders = try folders("shared")
        for row in try rows("paths to URLs") {
            #expect((folders.travelling(URL(filePath: row[0]))?.absoluteString ?? "") == row[1], "\(row)")
        }
        for row in try rows("URLs to paths") {
            #expect((url(row[0]).flatMap(folders.local)?.path ?? "") == row[1], "\(row)")
        }
    }

    @Test("A file name that is not UTF-8 is refused, and never taken for another file")
    func nameThatIsNotUTF8LeadsNowhere() throws {
        let folders = try folders("shared")
        for row in try rows("URLs to paths in bytes") {
            let address = try #require(url(row[0]))
            #expect(folders.local(address) == nil, "\(row)")
        }
    }

    @Test("Names of documents outside of shared folders become URLs, and the URLs become names again")
    func otherDocumentsHaveNames() throws {
        for row in try rows("names to URLs") {
            #expect((DocumentStream.url(name: row[0])?.absoluteString ?? "") == row[1], "\(row)")
        }
        for row in try rows("URLs to names") {
            #expect((url(row[0]).flatMap(DocumentStream.name) ?? "") == row[1], "\(row)")
        }
    }

    @Test("A copy of a document is not hidden")
    func copyIsNotHidden() throws {
        for row in try rows("names to names of copies") {
            #expect(ReceivedDocuments.nameOfCopy(row[0]) == row[1], "\(row)")
        }
    }

    @Test("The length of a document has eight bytes and a limit")
    func lengthHasEightBytesAndALimit() throws {
        for row in try rows("lengths") {
            let number = try #require(UInt64(row[0], radix: 16))
            let header = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
            let length = DocumentStream.length(header: header, limit: 64 * 1_024 * 1_024)
            #expect((length.map(String.init) ?? "") == row[1], "\(row)")
        }
    }

    @Test("No name leads out of a shared folder, whatever links are in it")
    func nothingLeadsOutOfAFolder() throws {
        try withDirectory { root in
            for row in try rows("tree") {
                let place = root.appending(path: row[1]).path
                switch row[0] {
                case "directory": #expect(mkdir(place, 0o700) == 0)
                case "link": #expect(symlink(row[2], place) == 0)
                case "pipe": #expect(mkfifo(place, 0o600) == 0)
                default: try Data(row[1].utf8).write(to: URL(filePath: place))
                }
            }
            let folders = SharedFolders(["in": root.appending(path: "in")])
            for row in try rows("files in the tree") {
                let wanted = row[1].isEmpty ? nil : root.appending(path: row[1]).path
                #expect(url(row[0]).flatMap(folders.localFile)?.file.path == wanted, "\(row)")
            }
        }
    }
}
