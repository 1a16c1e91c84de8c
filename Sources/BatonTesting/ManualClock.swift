// SPDX-License-Identifier: Apache-2.0

public import BatonTransport
import Synchronization

/// A clock that stands still until a test advances it.
///
/// ``advance(by:)`` wakes the sleepers whose time has come, in the order of their wake-up times.
/// Sleepers with the same time are woken in the order in which they began to sleep.
public final class ManualClock: DeviceClock {
    private struct Sleeper {
        var id: UInt64
        var moment: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        var id: UInt64
        var isContent: @Sendable ([Duration]) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var unixTime: Int64
        var fraction: Duration = .zero
        var uptime: Duration
        var nextID: UInt64 = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var watchers: [Watcher] = []

        mutating func makeID() -> UInt64 {
            nextID += 1
            return nextID
        }

        /// Removes and returns the watchers whose condition the present sleepers satisfy.
        mutating func takeContent() -> [Watcher] {
            let moments = sleepers.map(\.moment)
            let split = watchers.partition { $0.isContent(moments) }
            defer { watchers.removeSubrange(split...) }
            return Array(watchers[split...])
        }
    }

    private let state: Mutex<State>

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - unixTime: The wall clock's time, in seconds since 1970.
    ///   - uptime: The monotonic time.
    public init(unixTime: Int64 = 1_700_000_000, uptime: Duration = .zero) {
        self.state = Mutex(State(unixTime: unixTime, uptime: uptime))
    }

    /// The wall clock's time, in seconds since 1970.
    public var unixTime: Int64 { state.withLock { $0.unixTime } }

    /// The monotonic time.
    public var uptime: Duration { state.withLock { $0.uptime } }

    /// The number of tasks that sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The uptimes at which the sleeping tasks wake up. Tests use these times to see what is
    /// scheduled.
    public var moments: Set<Duration> { state.withLock { Set($0.sleepers.map(\.moment)) } }

    /// Advances both times, and wakes the sleepers whose time has come.
    ///
    /// - Parameter duration: The duration. If it is zero or negative, nothing changes.
    public func advance(by duration: Duration) {
        guard duration > .zero else { return }
        let (due, watchers) = state.withLock { state -> ([Sleeper], [Watcher]) in
            state.uptime += duration
            state.fraction += duration
            let whole = state.fraction.components.seconds
            state.unixTime += whole
            state.fraction -= .seconds(whole)
            let due = state.sleepers.filter { $0.moment <= state.uptime }
            state.sleepers.removeAll { $0.moment <= state.uptime }
            return (due.sorted { ($0.moment, $0.id) < ($1.moment, $1.id) }, state.takeContent())
        }
        for sleeper in due { sleeper.continuation.resume() }
        for watcher in watchers { watcher.continuation.resume() }
    }

    /// Sets only the wall clock's time, as a person or NTP does. Sleepers are not affected.
    public func setUnixTime(_ time: Int64) { state.withLock { $0.unixTime = time } }

    /// Waits until at least `count` tasks sleep, so that the next ``advance(by:)`` affects them.
    /// Also returns when the calling task is cancelled, so that a test can end.
    public func waitForSleepers(_ count: Int = 1) async { await waitForMoments { $0.count >= count } }

    /// Waits until the wake-up times of the sleeping tasks, one for each task, satisfy a condition.
    /// Also returns when the calling task is cancelled.
    public func waitForMoments(_ areRight: @escaping @Sendable ([Duration]) -> Bool) async {
        let id = state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state in
                    if areRight(state.sleepers.map(\.moment)) || state.cancelled.remove(id) != nil { return true }
                    state.watchers.append(Watcher(id: id, isContent: areRight, continuation: continuation))
                    return false
                }
                if ready { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state -> Watcher? in
                guard let index = state.watchers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.watchers.remove(at: index)
            }
            watcher?.continuation.resume()
        }
    }

    /// Sleeps until the clock is advanced to an uptime.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until uptime: Duration) async throws {
        let id = state.withLock { $0.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(Sleeper(id: id, moment: uptime, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func begin(_ sleeper: Sleeper) {
        enum Outcome { case sleeping, past, cancelled }
        var watchers: [Watcher] = []
        let outcome = state.withLock { state -> Outcome in
            if state.cancelled.remove(sleeper.id) != nil { return .cancelled }
            if sleeper.moment <= state.uptime { return .past }
            state.sleepers.append(sleeper)
            watchers = state.takeContent()
            return .sleeping
        }
        switch outcome {
        case .sleeping: break
        case .past: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
        for watcher in watchers { watcher.continuation.resume() }
    }

    private func cancel(_ id: UInt64) {
        let (sleeper, watchers) = state.withLock { state -> (Sleeper?, [Watcher]) in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return (nil, [])
            }
            return (state.sleepers.remove(at: index), state.takeContent())
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        for watcher in watchers { watcher.continuation.resume() }
    }
}
