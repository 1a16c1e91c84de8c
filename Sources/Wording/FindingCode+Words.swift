// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FindingCode {
    /// The possible words for a finding. Baton shows the first words for whose placeholders the
    /// finding has all values.
    var words: [Words] { daemonWords ?? radioWords ?? networkWords ?? circleWords ?? desktopWords }
}
