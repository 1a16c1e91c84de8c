// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A limit for the data received by all streams together.
///
/// Without a limit, streams could fill the memory, because many systems keep temporary files in
/// memory.
final class StreamRoom: Sendable {
    /// The limit in bytes.
    static let size = 1 << 30

    private let size: Int
    private let taken = Mutex(0)

    init(_ size: Int = StreamRoom.size) { self.size = size }

    /// The part of the limit that one stream uses. This part becomes free when this object is
    /// released.
    final class Share: Sendable {
        private let room: StreamRoom
        private let count = Mutex(0)

        init(of room: StreamRoom) { self.room = room }

        /// Reserves more bytes for the stream.
        ///
        /// - Parameter more: The number of bytes.
        /// - Throws: ``ToolFailure`` when the limit is reached.
        func take(_ more: Int) throws {
            try room.taken.withLock { taken in
                guard room.size - taken >= more else {
                    throw ToolFailure(
                        "there is room for \(room.size) bytes from streams, with those that other commands still have",
                        status: .badContents)
                }
                taken += more
            }
            count.withLock { $0 += more }
        }

        deinit {
            let count = count.withLock(\.self)
            room.taken.withLock { $0 -= count }
        }
    }
}
