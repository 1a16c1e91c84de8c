// SPDX-License-Identifier: Apache-2.0

/// Decides which offers are on the screen and limits how often new ones appear.
///
/// Any member of the circle can make any number of offers. A member can also add other devices that
/// do the same, and that share its account. Each new notification takes the user's attention.
///
/// A notification is new if it is about another activity than the device's last notification. A
/// changed text is not new. The same activity after a pause or a locked screen is not new either.
/// An offer waits while a limit is reached or the screen has no place for it. Devices that the user
/// has continued from come first, then the offers that have waited longest. This type has no clock,
/// so callers pass the time.
struct NotificationPace: Sendable {
    /// The maximum number of new notifications from the devices of one account in an ``interval``.
    static let limit = 4
    /// The maximum number of new notifications from all devices in an ``interval``.
    static let limitOfAll = 8
    static let interval = Duration.seconds(60)
    /// The maximum number of offers on the screen. If there are more offers, a new offer takes the
    /// place of the offer that has been there longest.
    static let maximumShown = 12
    /// The maximum number of remembered devices that the user continued from. The latest devices
    /// are kept.
    static let maximumTrusted = 16

    /// An activity that a device offers.
    struct Activity: Hashable, Sendable {
        var offer: String
        /// A number that distinguishes activities of the same type.
        var number: UInt32
    }

    /// The decision about an activity's notification.
    enum Verdict: Hashable, Sendable {
        /// The notification is shown and is not new.
        case known
        /// The notification is shown and is new, and replaces the notification of the device's
        /// previous activity, if there is one. The activity of another device that has to make
        /// room is removed.
        case new(replacing: Activity?, removing: Activity? = nil)
        /// The notification waits until ``NotificationPace/due(at:)`` returns its offer.
        case later
    }

    private struct Device: Sendable {
        var account: String
        var shown: Activity?
        /// A higher number means that ``shown`` came to the screen later.
        var shownOrder: UInt64 = 0
        /// The activity that waits for a turn or a place, or nil if none waits.
        var waiting: Activity?
        /// A higher number means that the device began to wait later.
        var waitingOrder: UInt64 = 0
        /// Whether ``waiting`` was on the screen before and made room. Such an activity takes no
        /// other device's place.
        var hasGivenWay = false
    }

    private var devices: [String: Device] = [:]
    /// The new notifications of the last ``interval``, the oldest first.
    private var times: [(account: String, time: Duration)] = []
    /// The devices that the user has continued from, the latest last.
    private var trusted: [String] = []
    private var lastOrder: UInt64 = 0

    var count: Int { devices.count }
    /// The number of offers on the screen.
    var shownCount: Int { devices.values.count { $0.shown != nil } }

    /// The earliest time at which a waiting offer may be shown, or nil if none has a place.
    var deadline: Duration? {
        placeable.values.map { max(turn(in: times, Self.limitOfAll), turn(of: $0.account)) }.min()
    }

    /// Returns the earliest time for the next new notification of an account.
    private func turn(of account: String) -> Duration { turn(in: times.filter { $0.account == account }, Self.limit) }

    private func turn(in times: [(account: String, time: Duration)], _ limit: Int) -> Duration {
        times.count < limit ? .zero : times[times.count - limit].time + Self.interval
    }

    /// Decides whether a device's activity is shown now. A new notification counts against the
    /// account's limit.
    mutating func show(
        _ activity: Activity, of device: String, account: String, at uptime: Duration
    ) -> Verdict {
        forgetTimes(at: uptime)
        var entry = devices[device] ?? Device(account: account)
        entry.account = account
        guard entry.shown != activity else {
            entry.waiting = nil
            devices[device] = entry
            return .known
        }
        lastOrder += 1
        if entry.waiting == nil { entry.waitingOrder = lastOrder }
        if entry.waiting != activity { entry.hasGivenWay = false }
        entry.waiting = activity
        devices[device] = entry
        guard next.contains(device) else { return .later }
        let removed = entry.shown == nil ? makeRoom() : nil
        times.append((account, uptime))
        defer {
            (entry.shown, entry.shownOrder) = (activity, lastOrder)
            (entry.waiting, entry.hasGivenWay) = (nil, false)
            devices[device] = entry
        }
        return .new(replacing: entry.shown, removing: removed)
    }

    /// Records that the user has continued an activity from a device.
    mutating func continued(from device: String) {
        trusted = Array((trusted.filter { $0 != device } + [device]).suffix(Self.maximumTrusted))
    }

    /// Removes an offer from the waiting ones, because it must not be shown now.
    mutating func isUnwanted(_ offer: String, of device: String) {
        if devices[device]?.waiting?.offer == offer { devices[device]?.waiting = nil }
        forgetUnused()
    }

    mutating func withdrawn(_ offer: String, of device: String) {
        if devices[device]?.shown?.offer == offer { devices[device]?.shown = nil }
        isUnwanted(offer, of: device)
    }

    /// Returns the waiting offers that may be shown now, in the order of their turns.
    mutating func due(at uptime: Duration) -> [String] {
        forgetTimes(at: uptime)
        return next.compactMap { devices[$0]?.waiting?.offer }
    }

    /// The devices whose turn it is now, in order.
    private var next: [String] {
        var left = Dictionary(grouping: times, by: \.account).mapValues { Self.limit - $0.count }
        let waiting = placeable.sorted { (rank($0.key), $0.value.waitingOrder) < (rank($1.key), $1.value.waitingOrder) }
        let due = waiting.filter { _, device in
            left[device.account, default: Self.limit] -= 1
            return left[device.account, default: 0] >= 0
        }
        return due.prefix(Self.limitOfAll - times.count).map(\.key)
    }

    /// The waiting devices for which there is a place: their own place, a free place, or the place
    /// of another device.
    private var placeable: [String: Device] {
        let shown = devices.filter { $0.value.shown != nil }
        let lowest = shown.count < Self.maximumShown ? Int.max : shown.keys.map(rank).max() ?? 0
        return devices.filter { name, entry in
            guard entry.waiting != nil else { return false }
            return entry.shown != nil || lowest == .max || !entry.hasGivenWay && rank(name) <= lowest
        }
    }

    /// Returns 0 for a device that the user has continued from, and 1 for any other. Devices of
    /// rank 1 give way first, and a device never gives way to one with a higher rank.
    private func rank(_ device: String) -> Int { trusted.contains(device) ? 0 : 1 }

    /// Removes an offer from the screen if all places are taken. Returns its activity, or nil if
    /// there was a free place. Among the offers with the highest rank, the one that has been there
    /// longest is removed.
    private mutating func makeRoom() -> Activity? {
        guard shownCount >= Self.maximumShown,
            let (name, device) = devices.filter({ $0.value.shown != nil })
                .min(by: { (-rank($0.key), $0.value.shownOrder) < (-rank($1.key), $1.value.shownOrder) })
        else { return nil }
        var former = device
        former.shown = nil
        if former.waiting == nil {
            lastOrder += 1
            (former.waiting, former.waitingOrder, former.hasGivenWay) = (device.shown, lastOrder, true)
        }
        devices[name] = former
        return device.shown
    }

    private mutating func forgetTimes(at uptime: Duration) {
        times.removeAll { $0.time + Self.interval <= uptime }
        forgetUnused()
    }

    private mutating func forgetUnused() {
        devices = devices.filter { $0.value.shown != nil || $0.value.waiting != nil }
    }
}
