// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Glibc
import Testing

@testable import baton

/// Tests the file that an invitation or a trace is written to.
@Suite struct NewFileTests {
    @Test("A new file is private, and never replaces another or follows a link")
    func newFileIsPrivate() throws {
        try withDirectory { directory in
            let path = directory.appending(path: "invitation").path()
            let file = try NewFile(path: path, mode: 0o600)
            try Descriptor.writeAll([65], to: file.descriptor.number, called: path)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory.path()).allSatisfy { $0 != "invitation" })
            try file.createExclusively()
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(throws: ToolFailure.self) { try NewFile(path: path, mode: 0o600).createExclusively() }
            let link = directory.appending(path: "link").path()
            try #require(symlink(directory.appending(path: "elsewhere").path(), link) == 0)
            #expect(throws: ToolFailure.self) { try NewFile(path: link, mode: 0o600).createExclusively() }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted() == [
                    "invitation", "link",
                ])
        }
    }
    @Test("A name that is too long is refused before anything is written")
    func nameThatIsTooLong() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: String(repeating: "z", count: 256)).path()
        let failure = #expect(throws: ToolFailure.self) { try NewFile(path: path, mode: 0o600) }
        #expect(failure?.status == .cannotWrite && failure?.description.contains("File name too long") == true)
    }

    @Test("A trace whose files exist is refused before it is recorded", arguments: ["jsonl", "html"])
    func traceIsThere(suffix: String) throws {
        try withDirectory { directory in
            let name = directory.appending(path: "slow").path()
            try Data().write(to: URL(filePath: "\(name).\(suffix)"))
            let failure = #expect(throws: ToolFailure.self) { try TraceFiles(named: name) }
            #expect(failure?.status == .cannotWrite && failure?.description.contains("exists already") == true)
        }
    }
}
