// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The input stream of a continuation, a Foundation stream whose events work on Linux.
///
/// Like every Foundation stream, it belongs to one thread at a time. Its events arrive on the run
/// loops in which it is scheduled.
final class ContinuationInputStream: InputStream, EventfulStream {
    let socket: StreamSocket
    private let events = StreamEvents()
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?
    private var isWaiting = false
    private var wait: ReadinessPoller.Token?

    init(_ socket: StreamSocket) {
        self.socket = socket
        super.init(data: Data())
        events.belong(to: self)
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

    override var hasBytesAvailable: Bool {
        guard status == .open, case .bytes = socket.readiness() else { return false }
        return true
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    /// Reads the available bytes. If no bytes are available, waits for the first bytes.
    ///
    /// Returns 0 at the end, and -1 when the stream is not open or has failed.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        if status == .atEnd { return 0 }
        guard status == .open, len > 0 else { return -1 }
        while true {
            switch socket.read(buffer, len) {
            case .count(let count):
                watch()
                return count
            case .notYet: socket.blockUntilReadable()
            case .end:
                status = .atEnd
                events.send(.endEncountered)
                return 0
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
        switch socket.readiness() {
        case .notYet, .undecided:
            watch()
            return nil
        case .bytes: return .hasBytesAvailable
        case .end:
            status = .atEnd
            return .endEncountered
        case .broken(let error):
            failure = error
            status = .error
            return .errorOccurred
        }
    }

    /// Waits for the next event, unless a wait is already under way.
    private func watch() {
        guard status == .open, !isWaiting, events.isScheduled else { return }
        isWaiting = true
        let events = events
        wait = socket.whenReadable { events.becameReady() }
    }

    private func finish() {
        guard status != .closed else { return }
        status = .closed
        events.stop()
        if let wait { socket.cancel(wait) }
        socket.endInput()
    }
}
