// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How much may be there at once of what has come by streams, all of them together: the directory
/// for it is memory on many systems.
final class StreamRoom: Sendable {
    /// In bytes.
    static let size = 1 << 30

    private let size: Int
    private let taken = Mutex(0)

    init(_ size: Int = StreamRoom.size) { self.size = size }

    /// What one stream takes of it, and gives back when nobody holds this any more.
    final class Share: Sendable {
        private let room: StreamRoom
        private let count = Mutex(0)

        init(of room: StreamRoom) { self.room = room }

        /// Takes more.
        ///
        /// - Parameter more: In bytes.
        /// - Throws: ``ToolFailure`` when there is no more.
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
