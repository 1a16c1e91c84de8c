// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FindingCode {
    /// The words for a finding. The first ones whose sentence has all its values are shown.
    var words: [Words] { daemonWords ?? radioWords ?? networkWords ?? circleWords ?? desktopWords }
}
