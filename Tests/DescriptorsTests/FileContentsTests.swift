// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Foundation
import Glibc
import Testing

/// Tests the limits for reading small files.
@Suite(.timeLimit(.minutes(1))) final class FileContentsTests {
    private let directory: URL
    private let file: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "contents-\(UUID().uuidString)")
        file = directory.appending(path: "file")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Returns the error for a file that cannot be read, otherwise `nil`.
    private func failure(_ path: String, limit: Int = 64, followsLink: Bool = true) -> Int32? {
        do {
            _ = try FileContents.read(path, limit: limit, followsLink: followsLink)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A file is read up to the limit, and a larger one is refused", arguments: [0, 1, 65_535, 65_536, 100_000])
    func limit(_ count: Int) throws {
        try Data(repeating: UInt8(ascii: "a"), count: count).write(to: file)
        #expect(try FileContents.read(file.path, limit: count) == [UInt8](repeating: UInt8(ascii: "a"), count: count))
        if count > 0 { #expect(failure(file.path, limit: count - 1) == EFBIG) }
        #expect((FileContents.text(file.path)?.utf8.count == count) == (count <= 65_536))
    }

    @Test("Files of /proc, which have no size, are limited as well")
    func withoutSize() {
        #expect(FileContents.text("/proc/self/cmdline")?.isEmpty == false)
        #expect(failure("/proc/self/cmdline", limit: 1) == EFBIG)
    }

    @Test("Pipes, directories and devices are refused without blocking")
    func notRegular() {
        let pipe = directory.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, directory.path, "/dev/zero"] {
            #expect(failure(path) == EINVAL, "\(path)")
            #expect(FileContents.text(path) == nil, "\(path)")
        }
        #expect(failure(file.path) == ENOENT)
    }

    @Test("A link is followed unless the caller forbids it")
    func link() throws {
        try Data("a".utf8).write(to: file)
        let link = directory.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(failure(link.path) == nil)
        #expect(failure(link.path, followsLink: false) == ELOOP)
    }
}
