// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import Synchronization

/// A UNIX stream socket to which programs connect.
final class ListeningSocket: Sendable {
    struct Failure: Error { let what: String }

    let path: String
    let descriptor: Int32
    private let reason = Mutex("")

    init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(descriptor, 8) == 0 else { throw Failure(what: "\(path): errno \(errno)") }
    }

    /// Returns the next connection. The caller must close it.
    func accept() async throws -> Int32 {
        let accepted = await withCheckedContinuation { waiting in
            Thread.detachNewThread { [descriptor] in
                waiting.resume(returning: Glibc.accept(descriptor, nil, nil))
            }
        }
        guard accepted >= 0 else { throw Failure(what: "nobody connects to \(path): \(reason.withLock { $0 })") }
        return accepted
    }

    /// Ends all waiting.
    func close(because reason: String) {
        self.reason.withLock { $0 = reason }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    deinit {
        Glibc.close(descriptor)
        unlink(path)
    }
}
