// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// How an activity was offered before the circle's secret changed: another device may just ask for it by that hash, and has not seen the new one yet.
struct FormerOffer {
    /// How long: what a device offers anew is seen much sooner.
    static let lifetime = Duration.seconds(60)

    private let activity: ActivityHash
    private let instance: [UInt8]
    private let until: Duration

    /// Nil for what had no hash.
    init?(_ entry: ActivityRegistry.Entry, hash: ActivityHash?, at now: Duration) {
        guard let hash else { return nil }
        activity = hash
        instance = entry.instance
        until = now + Self.lifetime
    }

    /// Whether an activity was offered so.
    func isOf(_ entry: ActivityRegistry.Entry, as activity: [UInt8], at now: Duration) -> Bool {
        now < until && entry.instance == instance && self.activity.bytes == activity
    }
}
