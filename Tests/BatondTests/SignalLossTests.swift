// SPDX-License-Identifier: GPL-3.0-or-later

import Logging
import Testing

@testable import batond

/// Tests log lines about signals that the session bus does not accept.
@Suite struct SignalLossTests {
    @Test("A loss of signals is logged once while it lasts, and a later loss is logged again")
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
