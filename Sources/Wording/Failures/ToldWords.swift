// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about what laptops report to each other.
    var toldWords: Words? {
        switch self {
        case .handoverFailed:
            Words(mark("\"{laptop}\" could not hand it over."), mark("Try again."))
        case .laptopUnavailable:
            Words(
                mark("\"{laptop}\" has ended this already, or could not be reached."),
                mark("Continue it again from there."))
        case .laptopAppSilent:
            Words(mark("The app on \"{laptop}\" did not answer in time."), mark("Try again."))
        case .contentsTooLarge:
            Words(
                mark("The contents are too large to continue on another laptop."),
                mark("Use a smaller document, or copy it in another way."))
        case .contentsUnsendable:
            Words(
                mark("The contents cannot be continued on another laptop."),
                mark("Report this to the maker of the app."))
        case .stopped:
            Words(
                mark("\"{laptop}\" hands nothing over to this laptop, because its user has stopped that for an hour."),
                terminal: mark("To allow it again, run \"baton stop --undo\" on that laptop."),
                window: mark("Allow it again on that laptop."))
        case .activityEnded:
            Words(mark("It has been closed on \"{laptop}\"."), mark("Open it there again."))
        case .streamsUnsupported:
            Words(
                mark("What comes from \"{laptop}\" has no stream of data."),
                mark("Report this to the maker of the app."))
        case .laptopBusy:
            Words(mark("\"{laptop}\" is busy."), mark("Wait a moment, and try again."))
        case .notFetched:
            Words(mark("This was not continued from \"{laptop}\" yet."), mark("Continue it first."))
        default: nil
        }
    }
}
