// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport

/// What a radio does later: of each kind one thing at a time.
struct RadioTimers {
    /// What is done when the time has come.
    enum Kind: Hashable {
        /// Advertisers that were silent for long are forgotten.
        case expiry
        /// A bluetoothd that did not answer is asked again.
        case question
        /// A bluetoothd that was silent for a while is asked whether it lives.
        case pulse
        /// A listener that could not be opened is opened.
        case listener
    }

    private let clock: any DeviceClock
    private var tasks: [Kind: Task<Void, Never>] = [:]

    /// No timer is set.
    init(clock: any DeviceClock) { self.clock = clock }

    /// Whether a timer was set and has not been taken away since.
    func isSet(_ kind: Kind) -> Bool { tasks[kind] != nil }

    /// Sets a timer, in place of the one of its kind.
    mutating func set(_ kind: Kind, for moment: Duration, fire: @escaping @Sendable () async -> Void) {
        tasks[kind]?.cancel()
        tasks[kind] = Task { [clock] in
            guard (try? await clock.sleep(until: moment)) != nil else { return }
            await fire()
        }
    }

    /// Takes a timer away, as when it has fired.
    mutating func remove(_ kind: Kind) { tasks.removeValue(forKey: kind)?.cancel() }

    /// Takes every timer away.
    mutating func removeAll() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }
}
