// SPDX-License-Identifier: GPL-3.0-or-later

import Logging
import Synchronization

/// Says that programs are not told what is for them, once for as long as that lasts.
final class SignalLoss: Sendable {
    private let isLosing = Atomic(false)
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// A signal was sent, or was not.
    func note(wasSent: Bool) {
        guard isLosing.exchange(!wasSent, ordering: .relaxed) == wasSent, !wasSent else { return }
        logger.warning("the session bus takes no more signals: apps are not told what becomes of their activities")
    }
}
