// SPDX-License-Identifier: Apache-2.0

/// Which offers are on the screen, and how often they may pop up: any member of the circle can
/// offer without end, and take in other devices that do so too, on its account, while each new
/// notification takes the user's attention.
///
/// A notification is new when it is of another activity than the device's last one. A change of its
/// text is not new, nor is the same activity after a pause or a locked screen. What has no turn or
/// no place waits. First comes what is offered by devices that the user has continued from, then
/// what has waited longest. No clock: times are told.
struct NotificationPace: Sendable {
    /// How many notifications of devices with one account may be new in an ``interval``.
    static let limit = 4
    /// How many of all devices together may be new in an ``interval``.
    static let limitOfAll = 8
    static let interval = Duration.seconds(60)
    /// The most offers on the screen at a time. If there are more, a new one takes the place of
    /// the one that has been there longest.
    static let maximumShown = 12
    /// How many devices count as those that the user has continued from: the last ones.
    static let maximumTrusted = 16

    /// An activity that a device offers.
    struct Activity: Hashable, Sendable {
        var offer: String
        /// Which activity of its type it is.
        var number: UInt32
    }

    /// What is to become of an activity's notification.
    enum Verdict: Hashable, Sendable {
        /// It is shown; it is not new.
        case known
        /// It is shown in place of the one of another activity of its device, if there was one; the
        /// other device's activity that it makes room for is not shown any more.
        case new(replacing: Activity?, removing: Activity? = nil)
        /// It is not shown before it is ``NotificationPace/due(at:)``.
        case later
    }

    private struct Device: Sendable {
        var account: String
        var shown: Activity?
        /// The higher, the later ``shown`` came to the screen.
        var shownOrder: UInt64 = 0
        /// What was left out.
        var waiting: Activity?
        /// The higher, the later the device began to wait.
        var waitingOrder: UInt64 = 0
        /// ``waiting`` was on the screen before, and made room there: it takes nobody's place.
        var hasGivenWay = false
    }

    private var devices: [String: Device] = [:]
    /// What was newly shown in the last ``interval``, the oldest first.
    private var times: [(account: String, time: Duration)] = []
    /// The devices that the user has continued from, the last one last.
    private var trusted: [String] = []
    private var lastOrder: UInt64 = 0

    /// How many devices are remembered.
    var count: Int { devices.count }
    /// How many offers are on the screen.
    var shownCount: Int { devices.values.count { $0.shown != nil } }

    /// The earliest time at which an offer that waits may be shown; nil while none has a place.
    var deadline: Duration? {
        placeable.values.map { max(turn(in: times, Self.limitOfAll), turn(of: $0.account)) }.min()
    }

    /// When the next notification of an account may be new.
    private func turn(of account: String) -> Duration { turn(in: times.filter { $0.account == account }, Self.limit) }

    private func turn(in times: [(account: String, time: Duration)], _ limit: Int) -> Duration {
        times.count < limit ? .zero : times[times.count - limit].time + Self.interval
    }

    /// A device's activity is to be shown; what that costs is on the account.
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

    /// The user has continued what a device offered.
    mutating func continued(from device: String) {
        trusted = Array((trusted.filter { $0 != device } + [device]).suffix(Self.maximumTrusted))
    }

    /// An offer is not to be shown now: it is not waited for.
    mutating func isUnwanted(_ offer: String, of device: String) {
        if devices[device]?.waiting?.offer == offer { devices[device]?.waiting = nil }
        forgetUnused()
    }

    /// An offer is gone.
    mutating func withdrawn(_ offer: String, of device: String) {
        if devices[device]?.shown?.offer == offer { devices[device]?.shown = nil }
        isUnwanted(offer, of: device)
    }

    /// The offers that wait and may be shown now, the first one first.
    mutating func due(at uptime: Duration) -> [String] {
        forgetTimes(at: uptime)
        return next.compactMap { devices[$0]?.waiting?.offer }
    }

    /// The devices whose turn it is now, the first one first.
    private var next: [String] {
        var left = Dictionary(grouping: times, by: \.account).mapValues { Self.limit - $0.count }
        let waiting = placeable.sorted { (rank($0.key), $0.value.waitingOrder) < (rank($1.key), $1.value.waitingOrder) }
        let due = waiting.filter { _, device in
            left[device.account, default: Self.limit] -= 1
            return left[device.account, default: 0] >= 0
        }
        return due.prefix(Self.limitOfAll - times.count).map(\.key)
    }

    /// The devices that wait and for which there is a place: their own, a free one, or that of
    /// another device.
    private var placeable: [String: Device] {
        let shown = devices.filter { $0.value.shown != nil }
        let lowest = shown.count < Self.maximumShown ? Int.max : shown.keys.map(rank).max() ?? 0
        return devices.filter { name, entry in
            guard entry.waiting != nil else { return false }
            return entry.shown != nil || lowest == .max || !entry.hasGivenWay && rank(name) <= lowest
        }
    }

    /// 0 for a device that the user has continued from, 1 for any other: that gives way first, and
    /// to its like alone.
    private func rank(_ device: String) -> Int { trusted.contains(device) ? 0 : 1 }

    /// Takes an offer from the screen if there is no place, of the lowest rank the one that has
    /// been there longest.
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
