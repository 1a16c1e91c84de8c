// SPDX-License-Identifier: Apache-2.0

import BatonDesktop
import Diagnosis

extension Desktop {
    /// What is wrong, a line each.
    var warnings: [String] {
        get async { await findings.map(\.text) }
    }
}
