// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Logging

extension Journal {
    /// A logger that adds each line to the journal, except those for debugging.
    var logger: Logger {
        let handler = ClosureLogHandler(.info) { self.add("\($0.message)") }
        return Logger(label: "test") { _ in handler }
    }
}
