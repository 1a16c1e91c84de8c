// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Limits how often another device's new names are accepted.
///
/// Each new name is written to a file and sent to every connected device. A new name takes effect
/// at once if the device was not renamed in the last ten minutes. Otherwise the name waits until
/// that time is over. If several names wait, only the last takes effect.
struct NamePace: Sendable {
    static let limit = RateLimit(burst: 1, interval: .seconds(600))

    private var use = LimitUse(limit)
    /// The news with the name that waits, or nil if none waits.
    private var waiting: CircleNews?

    /// The uptime at which ``takeDue(at:)`` returns a name; nil if none waits.
    var deadline: Duration? { waiting.map { _ in use.due(at: .zero) } }

    /// Returns whether the device's next name has to wait.
    func isHeld(at uptime: Duration) -> Bool { waiting != nil || use.due(at: uptime) > uptime }

    /// Records that the device has changed its name.
    mutating func renamed(at uptime: Duration) { _ = use.take(at: uptime) }

    /// Keeps a newer name until it is due.
    ///
    /// - Parameters:
    ///   - naming: The news that the device is said to have signed.
    ///   - circle: The circle, which checks the signature.
    mutating func keep(_ naming: CircleNews, for circle: Circle, by identity: DeviceIdentity) {
        var later = circle
        if let waiting { _ = try? later.merge(waiting, by: identity) }
        if (try? later.merge(naming, by: identity)) == true { waiting = naming }
    }

    /// Removes and returns the waiting name if it is due; otherwise returns nil.
    mutating func takeDue(at uptime: Duration) -> CircleNews? {
        guard use.due(at: uptime) <= uptime else { return nil }
        defer { waiting = nil }
        return waiting
    }
}
