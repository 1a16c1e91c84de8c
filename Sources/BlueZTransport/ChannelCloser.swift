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
    static func close(_ descriptor: CInt) {
        do {
            try OwnThread.start { L2CAPSocket.close(descriptor) }
        } catch {
            L2CAPSocket.close(descriptor)
        }
    }
}
