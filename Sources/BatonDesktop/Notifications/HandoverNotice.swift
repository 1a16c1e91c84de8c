// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries

/// A notice for the user about a hand-over. The app is nil for the browser, or if no app is known.
enum HandoverNotice: Hashable, Sendable {
    /// The hand-over is in progress.
    case progress(ComingActivity, DesktopEntry?)
    /// The hand-over failed for the reason in the last text. The device's name is nil if the offer
    /// was withdrawn.
    case failure(from: String?, DesktopEntry?, String)
}
