// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries

/// What the user is told of a hand-over; the app is nil for the browser, and where there is none.
enum HandoverNotice: Hashable, Sendable {
    /// It is under way.
    case progress(ComingActivity, DesktopEntry?)
    /// It came to nothing, because of what the last text says. The device's name is nil when the
    /// offer has gone.
    case failure(from: String?, DesktopEntry?, String)
}
