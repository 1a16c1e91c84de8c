// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A stream that is asked, on its run loop's thread, what its socket's readiness means.
protocol EventfulStream: Stream {
    func eventOfReadiness() -> Stream.Event?
}

/// Delivers a stream's events to its delegate, on the run loops and in the modes in which the stream is scheduled.
///
/// Foundation's own streams on Linux have no events. What reaches a run loop from another thread is a source together with a timer:
/// the source makes `run(mode:before:)` return, as it does on Apple's systems; the timer wakes the loop. A main thread that does
/// not run its RunLoop (an async `main`) is reached through the main queue.
///
/// - Note: `@unchecked Sendable`: what changes is under `lock`.
final class StreamEvents: @unchecked Sendable {
    private struct Place {
        let loop: RunLoop
        let mode: RunLoop.Mode
        let source: Source
    }

    private final class Source: RunLoop._Source {
        weak var events: StreamEvents?
        override func perform() { events?.deliver() }
    }

    private let lock = NSLock()
    private var places: [Place] = []
    private var pending: [Stream.Event] = []
    private var isReady = false
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
        lock.withLock { places.append(Place(loop: loop, mode: mode, source: source)) }
        loop._add(source, forMode: mode)
        wake()
    }

    func remove(from loop: RunLoop, mode: RunLoop.Mode) {
        let gone = lock.withLock {
            let gone = places.filter { $0.loop === loop && $0.mode == mode }
            places.removeAll { $0.loop === loop && $0.mode == mode }
            return gone
        }
        for place in gone { place.loop._remove(place.source, for: place.mode) }
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
            place.loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in }, forMode: place.mode)
            if place.loop === RunLoop.main, place.mode == .default || place.mode == .common {
                DispatchQueue.main.async { self.deliver() }
            }
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
