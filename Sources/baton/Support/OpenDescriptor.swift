// SPDX-License-Identifier: Apache-2.0

import ChildProcesses
import Glibc
import Synchronization

/// A descriptor that stays open as long as somebody holds this: a thread that reads or writes it
/// does, so that its number cannot become another file's meanwhile.
final class OpenDescriptor: Sendable {
    let number: Int32

    private let isToBeClosed: Mutex<Bool>

    /// - Parameter isOwned: Whether it is closed at the end; not a standard stream.
    init(_ number: Int32, isOwned: Bool = true) {
        self.number = number
        isToBeClosed = Mutex(isOwned)
    }

    deinit { close() }

    /// A pipe.
    ///
    /// - Throws: ``ToolFailure`` when there are no descriptors left.
    static func pipe() throws -> (reader: OpenDescriptor, writer: OpenDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw ToolFailure("cannot make a pipe", errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (OpenDescriptor(ends[0]), OpenDescriptor(ends[1]))
    }

    /// One that a child gets, and this program closes as soon as the child has it.
    var forChild: ChildProcess.Stream { .descriptor(number) { self.close() } }

    private func close() {
        let isFirst = isToBeClosed.withLock { isToBeClosed in
            defer { isToBeClosed = false }
            return isToBeClosed
        }
        if isFirst { Glibc.close(number) }
    }
}
