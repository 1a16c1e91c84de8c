// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP
internal import Threads

/// Closes the kernel's channels, each on its own thread.
///
/// If a link ends at the same moment, Linux 6.1.192 crashes in close(2) and kills the calling
/// thread. The reason is that the kernel empties a list twice when it drops a channel's last
/// reference. libdispatch does not survive the loss of a thread that runs tasks, and would end the
/// process (Decisions/0090-closing-may-take-a-thread.md).
enum ChannelCloser {
    /// Closes a channel soon.
    ///
    /// - Parameter body: Called to close the descriptor. This function may never return.
    static func close(_ descriptor: CInt, body: @escaping @Sendable (CInt) -> Void = L2CAPSocket.close) {
        do {
            try OwnThread.start { body(descriptor) }
        } catch {
            body(descriptor)
        }
    }
}
