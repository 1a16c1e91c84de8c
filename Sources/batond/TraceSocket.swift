// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import Diagnosis
import Glibc
import Synchronization
import TraceModel

/// The destination of a trace: a socket whose other end belongs to the program that asked for the
/// trace.
final class TraceSocket: TraceSink {
    fileprivate struct Writer {
        let descriptor: Int32
        /// The rest of a line that did not fit into the socket.
        var rest: [UInt8] = []
    }

    private let writer: Mutex<Writer>

    private init(_ descriptor: Int32) { writer = Mutex(Writer(descriptor: descriptor)) }

    /// Returns a socket and the reader's end. The program gets the only descriptor of that end, so
    /// that the daemon notices when the program closes it.
    ///
    /// - Throws: ``BatonError`` if there are no descriptors left.
    static func make() throws -> (socket: TraceSocket, reader: OwnedDescriptor) {
        guard let (own, reader) = OwnedDescriptor.socketPair(), let descriptor = own.take() else {
            throw BatonError(.limitReached, .descriptorsUsedUp)
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
    /// Sends bytes without waiting.
    ///
    /// - Returns: The number of bytes that fit, or nil if the reader has closed its end.
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
