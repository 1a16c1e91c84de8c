// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The bytes that were written to an app's Unix socket and that the app has not read yet.
///
/// This class owns a copy of the daemon's file descriptor, because the channel closes its own
/// descriptor as soon as both directions have ended.
final class UnreadBytes {
    /// The state of the bytes.
    enum State {
        /// The app has not read all bytes yet.
        case waiting
        /// The app has read all bytes.
        case read
        /// The app closed its socket, or crashed, before it had read all bytes.
        case lost
    }

    private let descriptor: Int32

    /// Creates a copy of the descriptor, or nil if no descriptor is free.
    ///
    /// - Parameter socket: The daemon's socket. The caller remains its owner.
    init?(_ socket: Int32) {
        descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Ends the app's input, after the bytes that were written.
    ///
    /// An explicit shutdown is needed because this copy keeps the socket open. If the other
    /// direction has ended, the channel only closes its own descriptor.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether both directions have ended, which the channel may notice later than the kernel.
    var hasHungUp: Bool {
        var socket = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&socket, 1, 0) == 1 && socket.revents & Int16(POLLHUP) != 0
    }

    /// The state of the bytes now.
    ///
    /// Source: unix_outq_len and unix_release_sock of net/unix/af_unix.c. When the app closes its
    /// socket, the kernel sets the error on the daemon's socket before it drops the unread bytes.
    var state: State {
        var (count, error) = (Int32(0), Int32(0))
        guard ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0, count == 0 else { return .waiting }
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error == ECONNRESET ? .lost : .read
    }
}
