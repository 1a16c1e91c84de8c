// SPDX-License-Identifier: GPL-3.0-or-later

import Logging
import Synchronization

/// Logs that the session bus does not accept signals, once for each period of loss.
final class SignalLoss: Sendable {
    private let isLosing = Atomic(false)
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// Records whether the bus accepted a signal.
    func note(wasSent: Bool) {
        guard isLosing.exchange(!wasSent, ordering: .relaxed) == wasSent, !wasSent else { return }
        logger.warning("the session bus takes no more signals: apps are not told what becomes of their activities")
    }
}
