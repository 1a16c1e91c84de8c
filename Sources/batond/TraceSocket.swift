// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import Glibc
import Synchronization
import TraceModel

/// Where a trace goes that a program has asked for: a socket of which it has the other end.
final class TraceSocket: TraceSink {
    fileprivate struct Writer {
        let descriptor: Int32
        /// The rest of a line that had no room.
        var rest: [UInt8] = []
    }

    private let writer: Mutex<Writer>

    private init(_ descriptor: Int32) { writer = Mutex(Writer(descriptor: descriptor)) }

    /// A socket, and the end that the program gets: the only one, so that its end is seen.
    ///
    /// - Throws: ``BatonError`` where there are no descriptors left.
    static func make() throws -> (socket: TraceSocket, reader: OwnedDescriptor) {
        guard let (own, reader) = OwnedDescriptor.socketPair(), let descriptor = own.take() else {
            throw BatonError(
                .limitReached, "no socket for the trace: \(String(cString: strerror(errno))); end a few programs")
        }
        return (TraceSocket(descriptor), reader)
    }

    deinit { _ = writer.withLock { close($0.descriptor) } }

    var isOver: Bool {
        writer.withLock { writer in
            var polled = pollfd(fd: writer.descriptor, events: 0, revents: 0)
            return poll(&polled, 1, 0) == 1
        }
    }

    func write(_ line: [UInt8]) -> TraceSinkOutcome {
        writer.withLock { writer in
            switch writer.send(writer.rest) {
            case nil: return .over
            case let count? where count < writer.rest.count:
                writer.rest.removeFirst(count)
                return .dropped
            default: writer.rest = []
            }
            guard let count = writer.send(line) else { return .over }
            guard count > 0 else { return .dropped }
            writer.rest = Array(line[count...])
            return .written
        }
    }
}

extension TraceSocket.Writer {
    /// - Returns: How many bytes had room; nil when nobody reads any more.
    fileprivate func send(_ bytes: [UInt8]) -> Int? {
        guard !bytes.isEmpty else { return 0 }
        while true {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: return nil
            }
        }
    }
}
