// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Runs a closure with a new directory for the user only, and removes the directory afterwards.
public func withDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory)
}

/// Runs a closure with a new directory for the user only, and removes the directory afterwards.
///
/// - Parameter isolation: The actor on which the closure runs, which is the caller's.
public func withDirectory<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}

/// A new directory for the user only, which is removed with its last reference. A suite may keep
/// one: each of its tests then has a directory of its own.
public final class TemporaryDirectory: Sendable {
    /// The location of the directory.
    public let url: URL

    /// Creates a directory.
    public init() throws { url = try makeDirectory() }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Creates a directory with a short path, because the path of a Unix socket must be short.
private func makeDirectory() throws -> URL {
    let name = "baton-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let directory = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return directory
}
