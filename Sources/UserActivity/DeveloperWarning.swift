// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes one-line warnings to the app's developer.
enum DeveloperWarning {
    /// Writes a warning to the app's developer.
    ///
    /// - Parameter host: The host that receives the warning; nil writes it with `NSLog`.
    static func tell(_ text: String, host: (any UserActivityHost)? = nil) {
        if let host { host.activityWarning(text) } else { NSLog("%@", "Baton: \(text)") }
    }
}
