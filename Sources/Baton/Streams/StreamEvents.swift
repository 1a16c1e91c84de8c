// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// A stream that is asked, on its run loop's thread, what its socket's readiness means.
protocol EventfulStream: Stream {
    func eventOfReadiness() -> Stream.Event?
}

/// Delivers a stream's events to its delegate, on the run loops and in the modes in which the
/// stream is scheduled.
///
/// Foundation's own streams on Linux have no events. What reaches a run loop from another thread is
/// a source together with a timer: the source makes `run(mode:before:)` return, as it does on
/// Apple's systems; the timer wakes the loop. A main thread that does not run its RunLoop (an async
/// `main`) is reached through the main queue.
///
/// - Note: `@unchecked Sendable`: what changes is under `lock`.
final class StreamEvents: @unchecked Sendable {
    private struct Place {
        let loop: RunLoop
        let mode: RunLoop.Mode
        let source: Source
        /// Set off anew by each event: one more timer for each would stay for ever in a loop that
        /// never runs.
        let timer: Timer
    }

    /// Stands for a timer that a run loop holds.
    final class TimerCount: Sendable {
        /// How many there are; for tests.
        static let living = Atomic(0)
        init() { Self.living.add(1, ordering: .relaxed) }
        deinit { Self.living.subtract(1, ordering: .relaxed) }
    }

    private final class Source: RunLoop._Source {
        weak var events: StreamEvents?
        override func perform() { events?.deliver() }
    }

    private let lock = NSLock()
    private var places: [Place] = []
    private var pending: [Stream.Event] = []
    private var isReady = false
    /// The main queue has a delivery that has not begun; one is enough.
    private var isInMainQueue = false
    private weak var stream: (any EventfulStream)?
    private weak var receiver: (any StreamDelegate)?

    func belong(to stream: any EventfulStream) { lock.withLock { self.stream = stream } }

    var delegate: (any StreamDelegate)? {
        get { lock.withLock { receiver } }
        set { lock.withLock { receiver = newValue } }
    }

    var isScheduled: Bool { lock.withLock { !places.isEmpty } }

    func schedule(in loop: RunLoop, mode: RunLoop.Mode) {
        let source = Source()
        source.events = self
        let timer = Self.timer()
        lock.withLock { places.append(Place(loop: loop, mode: mode, source: source, timer: timer)) }
        loop._add(source, forMode: mode)
        loop.add(timer, forMode: mode)
        wake()
    }

    /// One that fires when it is told to, as often as that is.
    private static func timer() -> Timer {
        let count = TimerCount()
        return Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in
            withExtendedLifetime(count) {}
        }
    }

    func remove(from loop: RunLoop, mode: RunLoop.Mode) {
        let gone = lock.withLock {
            let gone = places.filter { $0.loop === loop && $0.mode == mode }
            places.removeAll { $0.loop === loop && $0.mode == mode }
            return gone
        }
        for place in gone {
            place.loop._remove(place.source, for: place.mode)
            place.timer.invalidate()
        }
    }

    /// Leaves all run loops and forgets what was not delivered: nothing comes after a close.
    func stop() {
        let gone = lock.withLock {
            pending = []
            isReady = false
            return places
        }
        for place in gone { remove(from: place.loop, mode: place.mode) }
    }

    /// Delivers an event as soon as one of the run loops runs.
    func send(_ event: Stream.Event) {
        lock.withLock { if !pending.contains(event) { pending.append(event) } }
        wake()
    }

    /// Has the stream asked what the readiness of its socket means; from any thread.
    func becameReady() {
        lock.withLock { isReady = true }
        wake()
    }

    private func wake() {
        let places = lock.withLock { pending.isEmpty && !isReady ? [] : self.places }
        for place in places {
            place.source.signal()
            place.timer.fireDate = Date()
            if place.loop === RunLoop.main, place.mode == .default || place.mode == .common { deliverInMainQueue() }
        }
    }

    private func deliverInMainQueue() {
        let isNew = lock.withLock {
            defer { isInMainQueue = true }
            return !isInMainQueue
        }
        guard isNew else { return }
        DispatchQueue.main.async {
            self.lock.withLock { self.isInMainQueue = false }
            self.deliver()
        }
    }

    private func deliver() {
        while let stream = lock.withLock({ places.isEmpty ? nil : stream }) {
            let told: Stream.Event? = lock.withLock { pending.isEmpty ? nil : pending.removeFirst() }
            if let told {
                delegate?.stream(stream, handle: told)
            } else if lock.withLock({ takeReadiness() }) {
                if let event = stream.eventOfReadiness() { delegate?.stream(stream, handle: event) }
            } else {
                return
            }
        }
    }

    private func takeReadiness() -> Bool {
        defer { isReady = false }
        return isReady
    }
}
