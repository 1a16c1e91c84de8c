// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonLoopback
import Foundation
import UserActivity

/// What Apple's systems do beside the app: two devices near each other, and a user who continues on
/// the second. The program's own host is the first.
struct TwoDevices {
    private let loopback = Loopback()
    private let sofa: LoopbackApp

    init() {
        UserActivity.defaultHost = loopback.app("desk")
        sofa = loopback.app("sofa")
    }

    /// The user continues what the first device offers; the app there accepts.
    func `continue`(_ activityType: String) async throws -> NSUserActivity {
        let continuation = try await sofa.continueOffer(await sofa.offer(ofType: activityType))
        await continuation.accept()
        return continuation.activity
    }
}
