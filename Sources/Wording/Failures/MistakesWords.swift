// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about mistakes in a rule, or in a line of baton.conf.
    var mistakesWords: Words? {
        switch self {
        case .lineMistaken: Words(mark("Line {line}: {mistake}."), correction)
        case .linesMistaken:
            Words(mark("Line {line}: {mistake}. There are more mistakes in these lines: {others}."), correction)
        case .manyLinesMistaken:
            Words(
                counted(
                    "Line {line}: {mistake}. There are more mistakes in these lines: {others}, and in {more} other.",
                    "Line {line}: {mistake}. There are more mistakes in these lines: {others}, and in {more} others.",
                    by: "more"), terminal: correction, window: correction)
        case .commentBehind: Words(mark("{mistake}. A comment needs a line of its own."), correction)
        case .pairForm: Words(mark("\"{word}\" is not of the form KEY=VALUE."), correction)
        case .keyUnknown: Words(mark("There is no key \"{key}\", only these: {others}."), correction)
        case .keyTwice: Words(mark("The key {key} is already in line {first}."), correction)
        case .keyUnfinished: Words(mark("A name is missing after \"{argument}\"."), correction)
        case .idSpaces: Words(mark("{argument} needs one id, which has no spaces."), correction)
        case .domainsCount:
            Words(mark("{argument} must have 1 to {greatest} domains, separated by spaces."), correction)
        case .domainForm: Words(mark("\"{word}\" is not a domain such as wiki.example.com."), correction)
        case .historyForm:
            Words(mark("{argument} must be \"off\", or at most 30 days in a form such as 30m, 12h or 7d."), correction)
        case .tooManyLines: Words(mark("Only {limit} lines may have the key {key}."), correction)
        case .ruleUnreadable: Words(mark("The rule has a line break, or another invisible character."), correction)
        case .ruleAction: Words(mark("The rule must begin with one of these words: {choices}."), correction)
        case .patternStar: Words(mark("\"{word}\" has a * before its end."), correction)
        case .valueQuotes: Words(mark("Each value needs its own quotation marks: {word}."), correction)
        case .quoteOpen: Words(mark("A quotation mark is not closed."), correction)
        case .nameTakenLater:
            Words(
                mark("The laptop {id} took the name \"{laptop}\" later, so it may not be the one that you mean."),
                correction)
        default: nil
        }
    }
}

private let correction = mark("Correct it, and try again.")
