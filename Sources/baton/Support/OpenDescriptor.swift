// SPDX-License-Identifier: Apache-2.0

import ChildProcesses
import Glibc
import Synchronization

/// A file descriptor that stays open while something holds this object.
///
/// A thread holds the object while it reads or writes. Otherwise the descriptor could be closed
/// during the call, and its number could stand for another file.
final class OpenDescriptor: Sendable {
    let number: Int32

    private let isToBeClosed: Mutex<Bool>

    /// Takes a file descriptor.
    ///
    /// - Parameter isOwned: Whether this object closes the descriptor when it is released. The
    ///   value is false for a standard stream.
    init(_ number: Int32, isOwned: Bool = true) {
        self.number = number
        isToBeClosed = Mutex(isOwned)
    }

    deinit { close() }

    /// Creates a pipe.
    ///
    /// - Throws: ``ToolFailure`` when there are no descriptors left.
    static func pipe() throws -> (reader: OpenDescriptor, writer: OpenDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw ToolFailure("cannot make a pipe", errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (OpenDescriptor(ends[0]), OpenDescriptor(ends[1]))
    }

    /// The stream for a child process. This process closes its copy once the child has its own.
    var forChild: ChildProcess.Stream { .descriptor(number) { self.close() } }

    /// Makes reads and writes wait.
    func makeBlocking() {
        let flags = fcntl(number, F_GETFL)
        if flags >= 0 { _ = fcntl(number, F_SETFL, flags & ~O_NONBLOCK) }
    }

    private func close() {
        let isFirst = isToBeClosed.withLock { isToBeClosed in
            defer { isToBeClosed = false }
            return isToBeClosed
        }
        if isFirst { Glibc.close(number) }
    }
}
