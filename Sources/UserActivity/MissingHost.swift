// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Tells the app's developer, once, that an activity became current which nothing carries to other
/// devices.
enum MissingHost {
    private static let isTold = Atomic(false)

    static func warn(of activityType: String) {
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        NSLog(
            "%@",
            "Baton: an activity of type \(activityType) became current, and no other device sees it: set UserActivity.defaultHost first, "
                + "as in UserActivity.defaultHost = try await BatonConnection.open()")
    }
}
