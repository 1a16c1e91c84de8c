// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP
internal import Threads

/// Closes the kernel's channels, each on a thread of its own.
///
/// Where a link ends at the same moment, Linux 6.1.192 breaks in close(2), and takes the thread
/// with it: a channel's last reference has a list emptied twice. Of a thread that tasks run on
/// libdispatch would not stand the loss, and end the process
/// (Decisions/0090-closing-may-take-a-thread.md).
enum ChannelCloser {
    /// Closes a channel, soon.
    ///
    /// - Parameter body: What closes it; it may never return.
    static func close(_ descriptor: CInt, body: @escaping @Sendable (CInt) -> Void = L2CAPSocket.close) {
        do {
            try OwnThread.start { body(descriptor) }
        } catch {
            body(descriptor)
        }
    }
}
