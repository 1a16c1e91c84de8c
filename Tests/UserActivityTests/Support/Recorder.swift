// SPDX-License-Identifier: Apache-2.0

import Synchronization
import UserActivity

/// Records an activity's calls to its host.
final class Recorder: UserActivityHost {
    let callbackDelivery: CallbackDelivery
    private let log = Mutex<[String]>([])

    init(delivery: CallbackDelivery = .immediate) { callbackDelivery = delivery }

    var calls: [String] { log.withLock { $0 } }

    func activityBecameCurrent(_ activity: UserActivity) { add("became") }
    func activityResignedCurrent(_ activity: UserActivity) { add("resigned") }
    func activityChanged(_ activity: UserActivity) { add("changed") }
    func activityInvalidated(_ activity: UserActivity) { add("invalidated") }
    func activityReleased(_ identity: UserActivity.Identity) { add("released") }
    func activityWarning(_ text: String) { add("warning: \(text)") }

    private func add(_ call: String) { log.withLock { $0.append(call) } }
}
