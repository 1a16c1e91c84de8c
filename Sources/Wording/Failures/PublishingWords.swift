// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about what becomes of an app's activity.
    var publishingWords: Words? {
        switch self {
        case .hiddenByRule:
            Words(
                mark("No other laptop shows this, because the rule \"{rule}\" keeps it on this laptop."),
                terminal: mark("Run \"baton rules\" to see the rules."), window: mark("Look at the rules."))
        case .expired:
            Words(
                mark("No other laptop shows this, because its expiration date has passed."),
                mark("Let the app set a later date, or none."))
        case .unhidden:
            Words(
                mark("No rule keeps this on this laptop any more."), mark("You can continue it on your other laptops."))
        case .contentsSlow:
            Words(
                mark(
                    "The contents have {size} bytes. With more than {limit}, it takes noticeably longer to continue this."
                ), mark("Let the app put less into userInfo."))
        case .notTakenThere:
            Words(mark("No app on the other laptop continued it."), mark("Try again there."))
        case .reportMissing:
            Words(
                mark("The connection broke before an app on the other laptop had continued it."),
                mark("Try again there."))
        case .typeTakenBack:
            Words(
                mark("You no longer allow this app to offer \"{type}\"."),
                terminal: mark("To allow it again, run \"baton grants\"."),
                window: mark("Allow it again in the settings."))
        default: nil
        }
    }
}
