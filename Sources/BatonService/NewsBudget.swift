// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// How often it is judged what a member says of the circle and is not known here: that costs signatures to be checked, and perhaps a file to be
/// written.
struct NewsBudget {
    /// What is judged at once, after a rest.
    static let burst = 32
    /// The time after which one more is.
    static let interval = Duration.seconds(5)

    /// When all that a member has spent will have come back.
    private var restored: [DeviceID: Duration] = [:]

    /// Takes news into account.
    ///
    /// - Returns: whether they are to be judged. Those that are not cost nothing.
    mutating func spend(_ device: DeviceID, at uptime: Duration) -> Bool {
        restored = restored.filter { $0.value > uptime }
        let next = max(restored[device] ?? uptime, uptime) + Self.interval
        guard next - uptime <= Self.interval * Self.burst else { return false }
        restored[device] = next
        return true
    }
}
