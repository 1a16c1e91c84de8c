// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words for a failure.
    var words: [Words] { [reachWords ?? programWords ?? daemonWords].compactMap(\.self) }

    /// The words about other laptops, and about what they continue.
    private var reachWords: Words? {
        reachingWords ?? toldWords ?? continuingWords ?? publishingWords ?? streamsWords ?? pairingWords
            ?? circleWords
    }

    /// The words about this laptop and its programs.
    private var programWords: Words? {
        appsWords ?? settingsWords ?? domainsWords ?? mistakesWords ?? stateWords ?? callersWords ?? argumentsWords
            ?? reportedWords
    }
}
