// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonLoopback
import Foundation
import UserActivity

/// Two nearby devices, and a user who continues activities on the second. The two devices stand in
/// for two with Apple's systems.
///
/// The program's default host is the first device.
struct TwoDevices {
    private let loopback = Loopback()
    private let sofa: LoopbackApp

    init() {
        UserActivity.defaultHost = loopback.app("desk")
        sofa = loopback.app("sofa")
    }

    /// Continues an activity of the first device. The app on the second device accepts the
    /// activity.
    func `continue`(_ activityType: String) async throws -> NSUserActivity {
        let continuation = try await sofa.continueOffer(await sofa.offer(ofType: activityType))
        await continuation.accept()
        return continuation.activity
    }
}
