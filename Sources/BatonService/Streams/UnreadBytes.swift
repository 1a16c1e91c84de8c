// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What an app has not read yet of what was written to its Unix socket, and the end behind it.
///
/// The daemon's end once more: its channel closes its own as soon as both directions have ended.
final class UnreadBytes {
    /// What has become of them.
    enum State {
        /// There are some.
        case waiting
        /// There are none.
        case read
        /// The app closed its socket, or crashed, before it had read them.
        case lost
    }

    private let descriptor: Int32

    /// Nil when there is no free descriptor.
    ///
    /// - Parameter socket: The daemon's end, which stays the caller's.
    init?(_ socket: Int32) {
        descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Ends what the app reads, behind what was written. The channel leaves that to the close of
    /// the socket where the other direction has ended, and this keeps it open.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Source: unix_outq_len and unix_release_sock of net/unix/af_unix.c. What a closed socket had
    /// in its queue is dropped after its peer got the error.
    var state: State {
        var (count, error) = (Int32(0), Int32(0))
        guard ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0, count == 0 else { return .waiting }
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error == ECONNRESET ? .lost : .read
    }
}
