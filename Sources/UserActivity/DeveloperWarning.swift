// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One line for the app's developer, where the app has its host write such lines.
enum DeveloperWarning {
    /// - Parameter host: Who is told; without one the line goes where `NSLog` writes.
    static func tell(_ text: String, host: (any UserActivityHost)? = nil) {
        if let host { host.activityWarning(text) } else { NSLog("%@", "Baton: \(text)") }
    }
}
