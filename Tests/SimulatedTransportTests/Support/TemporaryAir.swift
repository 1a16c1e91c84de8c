// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Foundation

/// A directory for one test's radios, short enough for the sockets' paths. It is removed with its
/// last reference.
final class TemporaryAir: Sendable {
    let path: String

    init() throws {
        path = "/tmp/air-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"), options: .atomic)
    }
}

/// Returns the next wanted event of a stream, or `nil` if the stream ends first.
func next(_ events: AsyncStream<RadioEvent>, _ isWanted: (RadioEvent) -> Bool) async -> RadioEvent? {
    for await event in events where isWanted(event) { return event }
    return nil
}
