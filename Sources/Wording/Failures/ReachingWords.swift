// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about reaching another laptop.
    var reachingWords: Words? {
        switch self {
        case .unanswered:
            Words(mark("\"{laptop}\" does not answer."), mark("Bring the laptops closer together, and try again."))
        case .hungUp:
            Words(
                mark("\"{laptop}\" closed the connection. It may be busy, or this laptop is not in its list any more."),
                terminal: mark("Try again. If that does not help, compare \"baton devices\" on both laptops."),
                window: mark("Try again. If that does not help, look at the list of laptops on both."))
        case .connectionBroke:
            Words(
                mark("The connection to \"{laptop}\" broke."), mark("Bring the laptops closer together, and try again.")
            )
        case .laptopSilent:
            Words(mark("\"{laptop}\" did not answer in time. It may be asleep or busy."), mark("Try again."))
        case .outOfReach:
            Words(mark("\"{laptop}\" is out of reach."), mark("Bring the laptops closer together, and try again."))
        case .notNear:
            Words(mark("\"{laptop}\" is not near any more."), mark("Bring the laptops closer together, and try again."))
        case .recentlyUnreached:
            Words(
                mark("\"{laptop}\" could not be reached a short while ago."),
                mark("Baton tries again within ten minutes."))
        case .noLongerMember:
            Words(
                mark("\"{laptop}\" is not one of your laptops any more."),
                terminal: mark("Run \"baton pair\" on both laptops to add it again."),
                window: mark("Add it again in Baton on both laptops."))
        case .attemptStopped:
            Words(
                mark(
                    "Baton stopped trying to reach \"{laptop}\", because Baton is ending or your list of laptops has changed."
                ), mark("Try again."))
        case .descriptorsUsedUp:
            Words(
                mark("Baton has too many connections open."),
                mark("Close some of the files and pages that your laptops share, and try again."))
        case .notUnderstood:
            Words(
                mark("\"{laptop}\" sent something that this laptop does not understand."),
                mark("Install the same version of Baton on both laptops."))
        case .otherType:
            Words(
                mark("\"{laptop}\" sent something other than it had offered, so nothing was continued."),
                mark("Try again."))
        case .tooManyRequests:
            Words(
                mark("This laptop is asking \"{laptop}\" for too much at once."), mark("Wait a moment, and try again."))
        case .radioUnusable:
            Words(
                mark("\"{laptop}\" cannot be reached, because Bluetooth cannot be used here."),
                terminal: mark("Turn Bluetooth on."), window: mark("Turn Bluetooth on in the settings."))
        case .addressUnknown:
            Words(
                mark("This laptop does not know where to reach \"{laptop}\"."),
                mark("Bring the laptops closer together, and try again."))
        case .networkSilent:
            Words(
                mark("\"{laptop}\" does not answer over the network."),
                mark("Check the firewalls of both laptops, or use another network."))
        case .calledInVain:
            Words(
                mark("\"{laptop}\" does not answer, and did not come when it was called over Bluetooth."),
                mark("Turn it on, and bring it closer. If it is on, wait ten minutes, and try again."))
        case .callWaits:
            Words(
                mark("\"{laptop}\" does not answer, and could not be called over Bluetooth yet."),
                mark("Try again in half a minute."))
        case .probeUnanswered:
            Words(
                mark("\"{laptop}\" answers, but did not answer this question in time."),
                mark("Install the same version of Baton on both laptops."))
        case .probedTooOften:
            Words(mark("\"{laptop}\" was asked too often."), mark("Try again in ten minutes."))
        case .alreadyAsked:
            Words(mark("\"{laptop}\" is being asked already."), mark("Wait a moment, and try again."))
        case .circleChanged:
            Words(
                mark("Your list of laptops has changed meanwhile."), terminal: mark("See \"baton devices\"."),
                window: mark("Look at the list, and try again."))
        case .ending:
            Words(mark("Baton is ending."), mark("Try again when it runs again."))
        default: nil
        }
    }
}
