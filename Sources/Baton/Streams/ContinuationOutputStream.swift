// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The output stream of a continuation, a Foundation stream whose events work on Linux.
///
/// Writing 0 bytes ends the stream, as with `CFWriteStream`. Closing ends it too. Like every
/// Foundation stream, it belongs to one thread at a time. Its events arrive on the run loops in
/// which it is scheduled.
final class ContinuationOutputStream: OutputStream, EventfulStream {
    let socket: StreamSocket
    private let events = StreamEvents()
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?
    private var isWaiting = false
    private var wait: ReadinessPoller.Token?

    init(_ socket: StreamSocket) {
        self.socket = socket
        super.init(toMemory: ())
        events.belong(to: self)
    }

    /// Creates a stream that writes nowhere. Foundation requires this initializer.
    required init(toMemory: ()) {
        socket = StreamSocket(adopting: -1, outcome: nil)
        super.init(toMemory: ())
    }

    deinit { finish() }

    override var delegate: (any StreamDelegate)? {
        get { events.delegate }
        set { events.delegate = newValue }
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failure }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard status != .closed else { return }
        events.schedule(in: aRunLoop, mode: mode)
        watch()
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        events.remove(from: aRunLoop, mode: mode)
    }

    override func open() {
        guard status == .notOpen else { return }
        status = .open
        events.send(.openCompleted)
        watch()
    }

    override func close() { finish() }

    override var hasSpaceAvailable: Bool { status == .open && socket.isWritable }

    /// Writes as many bytes as fit into the buffer. If nothing fits, waits for free space.
    ///
    /// Writing 0 bytes ends the stream. Returns -1 when the stream is not open, has ended or has
    /// failed.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard status == .open, len >= 0 else { return -1 }
        guard len > 0 else {
            status = .atEnd
            if let wait { socket.cancel(wait) }
            socket.endOutput()
            events.send(.endEncountered)
            return 0
        }
        while true {
            switch socket.write(buffer, len) {
            case .count(let count):
                watch()
                return count
            case .notYet: socket.blockUntilWritable()
            case .end: return -1
            case .broken(let error):
                failure = error
                status = .error
                events.send(.errorOccurred)
                return -1
            }
        }
    }

    func eventOfReadiness() -> Stream.Event? {
        isWaiting = false
        guard status == .open else { return nil }
        if let error = socket.writeFailure {
            failure = error
            status = .error
            return .errorOccurred
        }
        guard socket.isWritable else {
            watch()
            return nil
        }
        return .hasSpaceAvailable
    }

    /// Waits for the next event, unless a wait is already under way.
    private func watch() {
        guard status == .open, !isWaiting, events.isScheduled else { return }
        isWaiting = true
        let events = events
        wait = socket.whenWritable { events.becameReady() }
    }

    private func finish() {
        guard status != .closed else { return }
        status = .closed
        events.stop()
        if let wait { socket.cancel(wait) }
        socket.endOutput()
    }
}
