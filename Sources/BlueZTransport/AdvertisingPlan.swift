// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides when one adapter's advertisement is replaced.
///
/// There is at most one replacement in each pause, with the newest payload. Failed attempts are
/// repeated at growing intervals. An advertisement is never changed in place, because bluetoothd
/// before 5.74 can abort when such a change fails.
struct AdvertisingPlan {
    /// The next step. After `register` and `unregister` the caller must call one of the `did…`
    /// methods before it asks for the next step.
    enum Action: Equatable {
        /// Register an advertisement with this payload at a new path.
        case register([UInt8])
        /// Unregister the advertisement that is on the air.
        case unregister
        /// Ask for the next step again at this time, or earlier after any other call.
        case wait(until: Duration)
        /// Do nothing until another call changes the plan.
        case rest
    }

    /// The minimum time between two registrations.
    let pause: Duration
    /// The payload that is wanted on the air, or `nil` for none.
    private(set) var wanted: [UInt8]?
    /// The payload that bluetoothd has accepted, or `nil` for none.
    private(set) var onAir: [UInt8]?
    /// The number of failed registrations in a row.
    private(set) var failures = 0
    private var isBusy = false
    private var isRefused = false
    private var isFull = false
    /// Whether the registered advertisement is no longer on the air.
    private var isSilenced = false
    private var pauseEnds: Duration = .zero
    private var retryBegins: Duration = .zero

    /// Creates a plan in which no advertisement is wanted and none is registered.
    init(pause: Duration) { self.pause = pause }

    /// Whether the wanted payload is on the air, or the last attempt failed.
    var isSettled: Bool { !isBusy && (wanted == onAir || failures > 0) }

    mutating func want(_ payload: [UInt8]?) {
        if payload != wanted { isRefused = false }
        wanted = payload
    }

    /// Returns the next step at a time.
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

    /// Records that bluetoothd has taken the advertisement.
    mutating func didRegister(_ payload: [UInt8]) {
        isBusy = false
        failures = 0
        onAir = payload
    }

    /// Records that bluetoothd has refused the advertisement.
    ///
    /// - Parameters:
    ///   - isFinal: Whether it is pointless to try this payload again.
    ///   - isFull: Whether bluetoothd had no free slot. In this case bluetoothd may announce a
    ///     free slot later.
    mutating func didFail(now: Duration, isFinal: Bool, isFull: Bool = false) {
        isBusy = false
        isRefused = isFinal
        self.isFull = isFull
        failures += 1
        guard !isFinal else { return }
        let delay = Duration.seconds(1 << min(failures, 6))
        retryBegins = now + min(delay, .seconds(60))
    }

    /// Records that bluetoothd has a free slot again. An advertisement for which no slot was free
    /// is tried again after the pause.
    mutating func roomIsFree() {
        guard isFull else { return }
        isFull = false
        retryBegins = .zero
    }

    /// Records that the advertisement is off the air.
    mutating func didUnregister() {
        isBusy = false
        onAir = nil
        isSilenced = false
    }

    /// Records that bluetoothd has released the advertisement by itself.
    mutating func wasReleased() {
        onAir = nil
        isSilenced = false
    }

    /// Records that the controller has stopped advertising, which bluetoothd does not report.
    mutating func wasSilenced() { isSilenced = onAir != nil || isBusy }
}
