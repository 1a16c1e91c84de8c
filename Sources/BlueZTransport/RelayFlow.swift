// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import L2CAP

/// One direction of ``SDURelay``: what one descriptor gives, the other takes, and nothing is read
/// before it has.
struct RelayFlow {
    /// What must happen first for bytes to move on.
    enum State {
        /// Nothing but its turn.
        case moves
        case waitsToRead
        case waitsToWrite
        /// All that came has been written, and no more comes.
        case ended
        /// No more can be read.
        case failed(L2CAPError)
        /// The other side takes no more.
        case refused(L2CAPError)
    }

    let source: CInt
    let sink: CInt
    private(set) var state = State.moves
    private var buffer: [UInt8]
    private var pending = 0..<0
    /// How many bytes were written since ``takeMoved()``.
    private var moved = 0

    /// How many reads and writes one turn has, so that the other direction has its own.
    private static let turn = 16

    /// - Parameter capacity: The most that is read, and written, at once, in bytes.
    init(from source: CInt, to sink: CInt, capacity: Int) {
        self.source = source
        self.sink = sink
        buffer = [UInt8](repeating: 0, count: capacity)
    }

    /// Whether it has ended, in one way or another.
    var isOver: Bool {
        switch state {
        case .moves, .waitsToRead, .waitsToWrite: false
        case .ended, .failed, .refused: true
        }
    }

    /// What poll(2) is to look for on a descriptor.
    func events(on descriptor: CInt) -> CInt {
        switch state {
        case .waitsToRead where descriptor == source: POLLIN
        case .waitsToWrite where descriptor == sink: POLLOUT
        default: 0
        }
    }

    /// Moves what can be moved without waiting.
    ///
    /// - Parameter hungUp: The descriptors that have: where such a one makes wait, no more comes or
    ///   goes.
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

    /// How many bytes have moved since this was asked last.
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
        // So the kernel tells that the peer has closed the channel.
        case ECONNRESET: .ended
        default: .failed(L2CAPError(errno: errno, "receive"))
        }
    }

    /// Writes what is pending; to a channel it goes as one SDU.
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
