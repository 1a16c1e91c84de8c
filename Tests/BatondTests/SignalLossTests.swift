// SPDX-License-Identifier: GPL-3.0-or-later

import Logging
import Testing

@testable import batond

/// The log lines when the session bus does not accept signals.
@Suite struct SignalLossTests {
    @Test("A loss is logged once for its duration, and again after it had ended")
    func toldOnce() {
        let records = Records()
        let loss = SignalLoss(logger: Logger(label: "t") { _ in records })
        func told(_ signals: [Bool]) -> Int {
            let before = records.lines.count
            for wasSent in signals { loss.note(wasSent: wasSent) }
            return records.lines.count - before
        }
        #expect(told([true, true]) == 0)
        #expect(told([false]) == 1)
        #expect(told([false, false]) == 0)
        #expect(told([true, true]) == 0)
        #expect(told([false, false]) == 1)
        #expect(records.lines.allSatisfy { $0.contains("takes no more signals") })
    }
}
