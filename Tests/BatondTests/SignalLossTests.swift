// SPDX-License-Identifier: GPL-3.0-or-later

import Logging
import Testing

@testable import batond

/// What the log says when the session bus takes no more signals.
@Suite struct SignalLossTests {
    @Test("A loss is told once for as long as it lasts, and again after it was over")
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
