// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc

/// systemd's notification socket: a datagram socket in the file system, or an abstract one.
final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    let name: String
    /// The datagrams in the order in which they arrived.
    let messages: AsyncStream<String>

    private let descriptor: Int32

    struct Failure: Error { let code: Int32 }

    /// Creates the socket.
    ///
    /// - Parameter name: An absolute path, or `@` and an abstract name.
    init(_ name: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(name.utf8).enumerated().map { $0 == 0 && $1 == UInt8(ascii: "@") ? 0 : $1 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0 else {
            close(descriptor)
            throw Failure(code: errno)
        }
        self.name = name
        self.descriptor = descriptor
        let (messages, message) = AsyncStream.makeStream(of: String.self)
        self.messages = messages
        Thread.detachNewThread { self.read(to: message) }
    }

    /// Reads until ``stop()``. The thread retains this object, so that the descriptor stays open
    /// until the last `recv`. After a close, `recv` could read from another socket with the same
    /// number.
    private func read(to message: AsyncStream<String>.Continuation) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            message.yield(String(decoding: buffer[..<count], as: UTF8.self))
        }
        message.finish()
        withExtendedLifetime(self) {}
    }

    /// Ends the stream, which still delivers datagrams that arrived earlier.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RD))
        if name.hasPrefix("/") { unlink(name) }
    }

    deinit { close(descriptor) }
}
