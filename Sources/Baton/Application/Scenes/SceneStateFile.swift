// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import UserActivity

/// A file that stores the state of one activity, readable only by this user.
struct SceneStateFile {
    /// The largest file to read and write, in bytes.
    ///
    /// The limit is far above the size of any activity that can be handed over.
    static let largest = 1 << 20

    private struct Contents: Codable {
        var version = Self.current
        var state: ActivityState
        static let current = 1
    }

    private let file: URL

    init(_ file: URL) { self.file = file }

    /// Returns the state, or nil if the file has no usable state or the state has expired.
    func read(at date: Date = Date()) -> ActivityState? {
        // Use `O_NONBLOCK`, so that a pipe in place of the file cannot block the app's start.
        let descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? handle.read(upToCount: Self.largest),
            let contents = try? decoder.decode(Contents.self, from: data), contents.version == Contents.current,
            let state = try? contents.state.validated(), state.expirationDate.map({ $0 > date }) ?? true
        else { return nil }
        return state
    }

    /// Replaces the file atomically, so that after a crash it contains either the old state or the
    /// new one.
    func write(_ state: ActivityState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // JSON has no numbers for infinity and NaN.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let data = try encoder.encode(Contents(state: state))
        guard data.count <= Self.largest else { throw CocoaError(.userActivityHandoffUserInfoTooLarge) }
        let directory = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let new = directory.appending(component: ".\(UUID().uuidString).new")
        do {
            try writeNew(data, to: new)
            guard rename(new.path, file.path) == 0 else { throw Self.failure(file) }
        } catch {
            unlink(new.path)
            throw error
        }
    }

    func remove() throws {
        guard unlink(file.path) == 0 || errno == ENOENT else { throw Self.failure(file) }
    }

    private func writeNew(_ data: Data, to new: URL) throws {
        let descriptor = open(new.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(new) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        try handle.synchronize()
        try handle.close()
    }

    private static func failure(_ file: URL) -> CocoaError {
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        return CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path, NSUnderlyingErrorKey: cause])
    }
}
