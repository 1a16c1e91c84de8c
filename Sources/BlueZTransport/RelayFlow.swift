// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import L2CAP

/// One direction of ``SDURelay``, which copies bytes from one descriptor to the other.
///
/// The flow reads only when nothing waits to be written.
struct RelayFlow {
    /// The state of the flow, which says when the next bytes can move.
    enum State {
        /// The bytes can move now.
        case moves
        case waitsToRead
        case waitsToWrite
        /// The source has ended, and all its bytes were written.
        case ended
        /// The source cannot be read any more.
        case failed(L2CAPError)
        /// The sink accepts no more bytes.
        case refused(L2CAPError)
    }

    let source: CInt
    let sink: CInt
    private(set) var state = State.moves
    private var buffer: [UInt8]
    private var pending = 0..<0
    /// The number of bytes written since ``takeMoved()``.
    private var moved = 0

    /// The largest number of reads and writes in a turn. The limit ensures that the other direction
    /// gets turns, too.
    private static let turn = 16

    /// Creates a flow between two descriptors.
    ///
    /// - Parameter capacity: The largest number of bytes read or written at once.
    init(from source: CInt, to sink: CInt, capacity: Int) {
        self.source = source
        self.sink = sink
        buffer = [UInt8](repeating: 0, count: capacity)
    }

    /// Whether the flow has ended or failed.
    var isOver: Bool {
        switch state {
        case .moves, .waitsToRead, .waitsToWrite: false
        case .ended, .failed, .refused: true
        }
    }

    /// Whether the sink takes no more bytes now.
    var waitsToWrite: Bool { if case .waitsToWrite = state { true } else { false } }

    /// Returns the events to wait for on a descriptor with poll(2).
    func events(on descriptor: CInt) -> CInt {
        switch state {
        case .waitsToRead where descriptor == source: POLLIN
        case .waitsToWrite where descriptor == sink: POLLOUT
        default: 0
        }
    }

    /// Moves the bytes that can be moved without waiting, for at most one turn.
    ///
    /// - Parameter hungUp: The descriptors that have hung up. A flow that would have to wait for
    ///   one of them ends instead.
    mutating func move(hungUp: Set<CInt>) {
        for _ in 0..<Self.turn {
            state = pending.isEmpty ? read() : write()
            switch state {
            case .moves: continue
            case .waitsToRead where hungUp.contains(source): state = .ended
            case .waitsToWrite where hungUp.contains(sink): state = .refused(L2CAPError(errno: EPIPE, "send"))
            default: break
            }
            return
        }
    }

    /// Returns the number of bytes moved since the last call.
    mutating func takeMoved() -> Int {
        defer { moved = 0 }
        return moved
    }

    private mutating func read() -> State {
        let count = Glibc.read(source, &buffer, buffer.count)
        guard count < 0 else {
            pending = 0..<count
            return count == 0 ? .ended : .moves
        }
        return switch errno {
        case EINTR: .moves
        case EAGAIN: .waitsToRead
        // The kernel reports with this error that the peer has closed the channel.
        case ECONNRESET: .ended
        default: .failed(L2CAPError(errno: errno, "receive"))
        }
    }

    /// Writes the pending bytes. To a channel, one write sends one SDU.
    private mutating func write() -> State {
        let count = buffer[pending].withUnsafeBytes {
            Glibc.send(sink, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        guard count < 0 else {
            pending.removeFirst(count)
            moved += count
            return .moves
        }
        return switch errno {
        case EINTR: .moves
        case EAGAIN: .waitsToWrite
        default: .refused(L2CAPError(errno: errno, "send"))
        }
    }
}
