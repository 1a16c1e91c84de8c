// SPDX-License-Identifier: Apache-2.0

import Diagnosis

private let correction = mark("Correct it, and try again.")

extension FailureCode {
    /// The words about what a program may do, and what it has.
    var callersWords: Words? {
        switch self {
        case .otherUser:
            Words(mark("Baton works only for the user who started it."), mark("Use it in your own session."))
        case .sandboxUnnamed:
            Words(
                mark("This program runs in a sandbox that does not tell its name."),
                mark("Use the program outside its sandbox."))
        case .teamUnallowed:
            Words(
                mark("{app} runs in a sandbox, and you have not allowed it the team \"{team}\"."),
                terminal: mark("Answer the notification that asks, or run \"baton grants allow {app}\"."),
                window: mark("Answer the notification that asks."))
        case .teamForeign:
            Words(
                mark("{app} runs in a sandbox, and is not of the team \"{team}\"."),
                mark("Report this to the maker of the app."))
        case .typeUnallowed:
            Words(
                mark(
                    "{app} runs in a sandbox, and may not offer \"{type}\" yet. Its desktop entry must declare that, and you must allow it."
                ), terminal: mark("Answer the notification that asks, or run \"baton grants allow {app}\"."),
                window: mark("Answer the notification that asks."))
        case .appForeign:
            Words(
                mark("{app} runs in a sandbox, and cannot act for another app."),
                mark("Report this to the maker of the app."))
        case .appUnidentified:
            Words(
                mark("Baton cannot find out which app this is."),
                mark("Let the program give its id, which is the name of its desktop entry."))
        case .adapterUnused:
            Words(
                mark("This program is not an adapter that is in use."),
                terminal: mark("Run \"baton adapters\" to see the adapters."),
                window: mark("Look at the list of adapters."))
        case .adapterForeign:
            Words(
                mark("This program is not an adapter for {app}."),
                terminal: mark("Run \"baton adapters\" to see the adapters."),
                window: mark("Look at the list of adapters."))
        case .adapterOfSandbox:
            Words(
                mark("{app} runs in a sandbox, and no adapter can act for it."),
                mark("Use the app outside its sandbox."))
        case .programSandboxed:
            Words(
                mark("The program runs in a sandbox, and no adapter can act for it."),
                mark("Use the program outside its sandbox."))
        case .programGone:
            Words(mark("The program has ended."), mark("Start it again."))
        case .programUnknown:
            Words(
                mark("Baton cannot find out which program this is."),
                terminal: mark("Run \"baton doctor\" to see what to do."), window: mark("Start the program again."))
        case .programForeign:
            Words(mark("The program is not {app}."), mark("Report this to the maker of the adapter."))
        case .activityUnknown:
            Words(mark("This program has no activity {id}."), correction)
        case .continuationUnknown:
            Words(mark("This program has no continuation {id}."), correction)
        case .pairingUnknown:
            Words(mark("This program is not pairing."), correction)
        case .pageUnknown:
            Words(
                mark("This page is no longer available, or another browser has opened it."),
                mark("Open the page again."))
        case .savedTooLarge:
            Words(
                mark("The activity has {size} bytes, and only {limit} can be saved."),
                mark("Let the app use a smaller thumbnail, and list what it needs in requiredUserInfoKeys."))
        case .activityUnsendable:
            Words(mark("This activity cannot be continued on other laptops ({reason})."), correction)
        case .activityForm: Words(mark("It has a value that cannot be sent."), correction)
        case .callerForeign: Words(mark("Only Baton may do this."), mark("Use Baton for it."))
        case .resultGone: Words(mark("This search result no longer exists."), mark("Search again."))
        default: nil
        }
    }
}
