// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// A stream that turns the readiness of its socket into an event, on the thread of its run loop.
protocol EventfulStream: Stream {
    func eventOfReadiness() -> Stream.Event?
}

/// Delivers a stream's events to its delegate, in the run loops and modes of the stream.
///
/// Foundation's own streams send no events on Linux. To reach a run loop from another thread, this
/// class uses a source and a timer. The source makes `run(mode:before:)` return, as on Apple's
/// systems, and the timer wakes the loop. If the main thread does not run its RunLoop, as in an
/// async `main`, it is reached through the main queue.
///
/// - Note: `@unchecked Sendable`: `lock` guards the variables.
final class StreamEvents: @unchecked Sendable {
    private struct Place {
        let loop: RunLoop
        let mode: RunLoop.Mode
        let source: Source
        /// The timer, which each event reschedules.
        ///
        /// A new timer for each event would stay forever in a run loop that never runs.
        let timer: Timer
    }

    /// Counts one timer for as long as a run loop holds it.
    final class TimerCount: Sendable {
        /// The number of timers that run loops hold, for tests.
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
    /// Whether the main queue already has a delivery that has not begun. A second delivery would be
    /// useless.
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

    /// Creates a timer that fires each time its fire date is set, and at no other time.
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

    /// Leaves all run loops and drops undelivered events, because no event may follow a close.
    func stop() {
        let gone = lock.withLock {
            pending = []
            isReady = false
            return places
        }
        for place in gone { remove(from: place.loop, mode: place.mode) }
    }

    /// Delivers an event the next time that one of the run loops runs.
    func send(_ event: Stream.Event) {
        lock.withLock { if !pending.contains(event) { pending.append(event) } }
        wake()
    }

    /// Makes the stream check its socket and send the matching event. May be called from any
    /// thread.
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
