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
        case .ruleOfNobody:
            Words(
                mark("None of your laptops has the id {id}, so this rule does nothing."),
                terminal: mark("Run \"baton devices\" to see the ids."), window: mark("Choose one of your laptops."))
        case .ruleNameKept:
            Words(
                mark("The name \"{name}\" could not be replaced by an id."),
                terminal: mark("Run \"baton status\" to see why."), window: mark("Choose one of your laptops."))
        case .ruleNameUnknown:
            Words(
                mark("None of your laptops is called \"{name}\", so this rule does nothing."),
                terminal: mark("Run \"baton devices\" to see the names."), window: mark("Choose one of your laptops."))
        case .ruleOfStartedApp:
            Words(
                mark(
                    "This rule hides the app when the desktop starts it, when it runs in a sandbox, and when an adapter acts for it, but not when you start it in a terminal."
                ), mark("To hide that too, make a rule about its type."))
        case .ruleTwice:
            Words(
                mark("This rule is there twice, and the second one does nothing."), window: mark("Remove one of them."))
        default: nil
        }
    }
}

private let correction = mark("Correct it, and try again.")
