// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides when one adapter's advertisement is replaced: at most once in a pause, the newest
/// payload wins, failures are retried ever more slowly.
///
/// An advertisement is never changed in place: bluetoothd before 5.74 can abort when such a refresh
/// fails.
struct AdvertisingPlan {
    /// What to do next. Register and unregister are followed by one of the `did…` calls before the
    /// plan is asked again.
    enum Action: Equatable {
        /// Register an advertisement with this payload at a new path.
        case register([UInt8])
        /// Unregister the advertisement that is on the air.
        case unregister
        /// Ask again at this time, or when something was fed in before.
        case wait(until: Duration)
        /// Nothing, until something is fed in.
        case rest
    }

    /// The least time between two registrations.
    let pause: Duration
    /// What is wanted on the air.
    private(set) var wanted: [UInt8]?
    /// What bluetoothd has taken; `nil` for silence.
    private(set) var onAir: [UInt8]?
    /// How often in a row registering has failed.
    private(set) var failures = 0
    private var isBusy = false
    private var isRefused = false
    private var isFull = false
    /// Whether what is registered is not on the air any more.
    private var isSilenced = false
    private var pauseEnds: Duration = .zero
    private var retryBegins: Duration = .zero

    /// Silence is wanted, and is what there is.
    init(pause: Duration) { self.pause = pause }

    /// Whether what is wanted is so, or cannot be had for now.
    var isSettled: Bool { !isBusy && (wanted == onAir || failures > 0) }

    /// Changes what is wanted.
    mutating func want(_ payload: [UInt8]?) {
        if payload != wanted { isRefused = false }
        wanted = payload
    }

    /// What to do at this time.
    mutating func next(now: Duration) -> Action {
        guard !isBusy, wanted != onAir || isSilenced else { return .rest }
        guard let wanted else {
            isBusy = true
            return .unregister
        }
        guard !isRefused else { return .rest }
        let next = max(pauseEnds, retryBegins)
        guard now >= next else { return .wait(until: next) }
        isBusy = true
        guard onAir == nil else { return .unregister }
        pauseEnds = now + pause
        isSilenced = false
        return .register(wanted)
    }

    /// bluetoothd has taken the advertisement.
    mutating func didRegister(_ payload: [UInt8]) {
        isBusy = false
        failures = 0
        onAir = payload
    }

    /// bluetoothd has not taken the advertisement.
    ///
    /// - Parameters:
    ///   - isFinal: Whether this payload need not be tried again.
    ///   - isFull: Whether there was no room, which may be told to be there.
    mutating func didFail(now: Duration, isFinal: Bool, isFull: Bool = false) {
        isBusy = false
        isRefused = isFinal
        self.isFull = isFull
        failures += 1
        guard !isFinal else { return }
        let delay = Duration.seconds(1 << min(failures, 6))
        retryBegins = now + min(delay, .seconds(60))
    }

    /// There is room for another advertisement: what found none is tried again after the pause.
    mutating func roomIsFree() {
        guard isFull else { return }
        isFull = false
        retryBegins = .zero
    }

    /// The advertisement is off the air.
    mutating func didUnregister() {
        isBusy = false
        onAir = nil
        isSilenced = false
    }

    /// bluetoothd has dropped the advertisement on its own.
    mutating func wasReleased() {
        onAir = nil
        isSilenced = false
    }

    /// The controller has ended the advertisement, of which bluetoothd tells nothing.
    mutating func wasSilenced() { isSilenced = onAir != nil || isBusy }
}
