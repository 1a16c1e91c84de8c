// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words for a failure. The first ones whose sentence has all its values are shown.
    var words: [Words] { [reaching ?? told ?? continuing ?? apps ?? pairing ?? circle ?? daemon].compactMap(\.self) }

    private var reaching: Words? {
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

    private var told: Words? {
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

    private var continuing: Words? {
        switch self {
        case .offerGone:
            Words(
                mark("This is not offered any more."), terminal: mark("Run \"baton nearby\" to see what is offered."),
                window: mark("Open it again on the other laptop."))
        case .ownActivity:
            Words(
                mark("It was not continued by itself, because this laptop gave it away or has it open."),
                mark("Continue it yourself if you want it back."))
        case .cancelled:
            Words(mark("It was cancelled."), mark("Start it again if you still want it."))
        case .alreadyContinuing:
            Words(mark("This is being continued already."), mark("Wait, or cancel it first."))
        case .tooManyContinuing:
            Words(mark("Too much is being continued at once."), mark("Wait, or cancel some of it first."))
        case .tooManyStreams:
            Words(mark("Too many files or pages are open from other laptops."), mark("Close some of them first."))
        case .pageGone:
            Words(mark("The web page is not there any more."), mark("Open it again on the other laptop."))
        case .pageRefused:
            Words(
                mark("This laptop does not open the page ({reason})."),
                mark("Open the page in the browser yourself, if you trust it."))
        case .noBrowserChosen:
            Words(mark("No browser was chosen for the web page."), mark("Choose one, and try again."))
        case .browserFailed:
            Words(
                mark("The browser did not open the web page ({reason})."),
                terminal: mark("Run \"xdg-settings get default-web-browser\" to see which browser is the default."),
                window: mark("Choose a default browser in the settings."))
        case .noBrowser:
            Words(
                mark("There is no browser for the web page."),
                mark("Install a browser, or choose a default one in the settings."))
        case .pageOpeningLate:
            Words(
                mark("The desktop did not answer in time when it was asked to open the web page."), mark("Try again."))
        case .portalMissing:
            Words(mark("Nothing here can open web pages."), mark("Install the package xdg-utils."))
        case .portalFailed:
            Words(mark("The desktop could not open the web page ({reason})."), mark("Try again."))
        default: nil
        }
    }

    private var apps: Words? {
        switch self {
        case .noApp:
            Words(
                mark("No app on this laptop can continue this ({type})."),
                terminal: mark("Install such an app, or run \"baton continue\" to see the contents."),
                window: mark("Install such an app."))
        case .noAppOfTeam:
            Words(
                mark("{app} could continue this, but it belongs to another team than the app that offers it."),
                mark("Install an app of the same maker."))
        case .appUnfit:
            Words(mark("{app} cannot continue this."), mark("Choose another app."))
        case .appSandboxed:
            Words(
                mark("{app} runs in a sandbox, and may not have this yet."),
                terminal: mark("To allow it, run \"baton grants allow {app}\"."),
                window: mark("Allow it in Baton's notification, and try again."))
        case .appGone:
            Words(mark("{app} is not installed any more."), mark("Install it again, or choose another app."))
        case .appNotTaken:
            Words(mark("{app} did not continue it."), mark("Try again, or choose another app."))
        case .takenByNone:
            Words(mark("The app did not continue it."), mark("Try again, or choose another app."))
        case .appEnded:
            Words(mark("{app} ended before it continued this."), mark("Try again."))
        case .appSilent:
            Words(mark("{app} did not answer in time."), mark("Try again, or start the app again."))
        case .appWithoutInterface:
            Words(
                mark("{app} is running, but cannot receive anything from Baton."),
                mark("Report this to the maker of the app."))
        case .appWithoutCommand:
            Words(
                mark("{app} could not be started, because its desktop entry has no command."),
                mark("Install the app again."))
        case .appWithoutService:
            Words(mark("{app} could not be started, because it has no D-Bus service."), mark("Install the app again."))
        case .appEndedAtOnce:
            Words(mark("{app} ended as soon as it was started."), mark("Start it yourself to see why."))
        case .appEndedEarly:
            Words(
                mark("{app} ended before Baton could reach it."),
                terminal: mark("Run \"journalctl --user -u '{unit}'\" to see why."),
                window: mark("Start it yourself to see why."))
        case .appCrashed:
            Words(mark("{app} could not be started ({reason})."), mark("Start it yourself to see why."))
        case .appLate:
            Words(
                mark("{app} was started, but Baton could not reach it in time."),
                mark("Try again. If that does not help, report this to the maker of the app."))
        case .programMissing:
            Words(
                mark("{app} could not be started, because the program {program} is missing."),
                mark("Install the app again."))
        case .programUnexecutable:
            Words(
                mark("{app} could not be started, because the program {program} cannot be run."),
                mark("Install the app again."))
        case .noTerminal:
            Words(
                mark("{app} could not be started, because there is no terminal program."),
                mark("Install the package xdg-terminal-exec, or another terminal."))
        default: nil
        }
    }

    private var pairing: Words? {
        switch self {
        case .digitsDifferHere:
            Words(
                mark("The laptops were not paired, because you did not confirm that the digits are the same."),
                terminal: mark("Run \"baton pair\" again on both laptops."),
                window: mark("Choose Add a Laptop again in Baton on both laptops."))
        case .digitsDifferThere:
            Words(
                mark("The laptops were not paired, because the digits were not confirmed on the other laptop."),
                terminal: mark("Run \"baton pair\" again on both laptops."),
                window: mark("Choose Add a Laptop again in Baton on both laptops."))
        case .pairingStopped:
            Words(
                mark("Pairing was stopped."), terminal: mark("Run \"baton pair\" again on both laptops."),
                window: mark("Choose Add a Laptop again in Baton on both laptops."))
        case .pairingClosed:
            Words(
                mark("The other laptop stopped pairing, or nobody confirmed the digits there in time."),
                terminal: mark("Run \"baton pair\" again on both laptops."),
                window: mark("Choose Add a Laptop again in Baton on both laptops."))
        case .pairingBroken:
            Words(
                mark("The connection to the other laptop broke while you compared the digits."),
                terminal: mark("Bring the laptops closer together, and run \"baton pair\" again on both."),
                window: mark("Bring the laptops closer together, and add the laptop again."))
        case .pairingForeign:
            Words(
                mark("The other side is not Baton, or another version of it."),
                mark("Install the same version of Baton on both laptops."))
        case .pairingMalformed:
            Words(
                mark("The other laptop does not pair as Baton does, or somebody is between the two."),
                mark("Try again in another place, or with a code."))
        case .commitmentBroken:
            Words(
                mark("Somebody tried to get between the two laptops."),
                mark("Try again in another place, or with a code."))
        case .pairingReflected:
            Words(
                mark("Somebody sends this laptop's own messages back to it."),
                mark("Try again in another place, or with a code."))
        case .tooManyPairing:
            Words(
                mark("More than two laptops are pairing nearby."), mark("Make sure that only yours are, and try again.")
            )
        case .nobodyPairing:
            Words(
                mark("No other laptop was found."),
                terminal: mark("Run \"baton pair\" on it within two minutes, and keep it near."),
                window: mark("Choose Add a Laptop there within two minutes, and keep it near."))
        case .pairingUnreachable:
            Words(
                mark("The other laptop cannot be reached at this address."),
                terminal: mark("Check the address, and that \"baton pair\" runs there."),
                window: mark("Check the address, and choose Add a Laptop there."))
        case .pairingUnanswered:
            Words(
                mark("The other laptop does not answer at this address."),
                terminal: mark("Check that \"baton pair\" runs there."), window: mark("Choose Add a Laptop there."))
        case .notPairing:
            Words(
                mark("The other laptop is not pairing."),
                terminal: mark("Run \"baton pair\" there first, and then here again."),
                window: mark("Choose Add a Laptop there first, and then here again."))
        case .digitsUncompared:
            Words(
                mark("The laptops were not paired, because nobody confirmed the digits in time."),
                terminal: mark("Run \"baton pair\" again on both laptops."),
                window: mark("Choose Add a Laptop again in Baton on both laptops."))
        case .noKnock:
            Words(
                mark("The other laptop ended the connection after you compared the digits."),
                terminal: mark("Run \"baton pair\" again on both laptops."),
                window: mark("Choose Add a Laptop again in Baton on both laptops."))
        case .pairedAlready:
            Words(
                mark("The two laptops are paired already."),
                terminal: mark(
                    "See \"baton devices\". If this laptop was removed, run \"baton pair --anew\" on it, and \"baton pair\" on the other."
                ), window: mark("Look at the list of laptops on both."))
        case .circlesDiffer:
            Words(
                mark("Both laptops already work together with others."),
                terminal: mark("Run \"baton leave\" on one of them first."), window: mark("Take one of them out first.")
            )
        case .circleLost:
            Words(
                mark("This laptop was removed by another one."),
                terminal: mark("Run \"baton pair\" again, without \"--anew\"."),
                window: mark("Choose Add a Laptop again."))
        case .otherWithoutCircle:
            Words(
                mark("The other laptop has no laptops to come back to."),
                terminal: mark("Run \"baton pair --anew\" with another one of your laptops."),
                window: mark("Choose another one of your laptops."))
        case .pairingBrokeOff:
            Words(
                mark("The other laptop ended the connection."), terminal: mark("See what it says, and pair again."),
                window: mark("See what it says, and add it again."))
        case .pairingFailed:
            Words(
                mark("The laptops were not paired ({reason})."),
                terminal: mark("Run \"baton pair\" again on both laptops."),
                window: mark("Choose Add a Laptop again in Baton on both laptops."))
        case .pairingWaits:
            Words(
                mark("Pairing failed too often. You can compare digits again in {wait}."),
                terminal: mark("Until then, use \"baton pair --qr\"."), window: mark("Until then, show a code."))
        case .pairingUnderWay:
            Words(mark("This laptop is pairing already."), mark("End that first."))
        case .codeShown:
            Words(mark("This laptop shows a code already."), mark("End that first."))
        case .codeWithdrawn:
            Words(mark("The code was taken back."), mark("Show a new one."))
        case .codeWorthless:
            Words(mark("Your list of laptops has changed, so the code is not valid any more."), mark("Show a new one."))
        case .tcpOff:
            Words(
                mark("This laptop does not use the network."), terminal: mark("Run \"baton pair\" without an address."),
                window: mark("Add the laptop without an address."))
        default: nil
        }
    }

    private var circle: Words? {
        switch self {
        case .alreadyInCircle:
            Words(
                mark("This laptop already works together with others."), terminal: mark("See \"baton status\"."),
                window: mark("Look at the list of laptops."))
        case .unreachableHere:
            Words(
                mark(
                    "No other laptop could reach this one, because it has neither Bluetooth nor a network ({reason})."),
                mark("Turn Bluetooth on, or connect to a network."))
        case .invitationsReplaced:
            Words(mark("Newer invitations have replaced this one."), mark("Use a newer one."))
        case .invitationMalformed:
            Words(
                mark("This is not an invitation of Baton, or it is damaged."),
                terminal: mark("Make a new one on the other laptop with \"baton pair --qr\"."),
                window: mark("Show a new code on the other laptop."))
        case .invitationOfOtherVersion:
            Words(
                mark("The invitation was made by another version of Baton."),
                mark("Install the same version of Baton on both laptops."))
        case .invitationOver:
            Words(
                mark("The invitation is too old, by this laptop's clock, which shows {clock}."),
                terminal: mark(
                    "Make a new one on the other laptop with \"baton pair --qr\". If the clock is wrong, set it."),
                window: mark("Show a new code on the other laptop. If the clock is wrong, set it."))
        case .invitationOwn:
            Words(mark("This laptop made the invitation itself."), mark("Use it on another laptop."))
        case .inOtherCircle:
            Words(
                mark("This laptop already works together with others."),
                terminal: mark("Invite the other laptop with \"baton pair --qr\" here, or run \"baton leave\" first."),
                window: mark("Show a code here, or take this laptop out first."))
        case .inThatCircle:
            Words(
                mark(
                    "This laptop already works together with that one. If it was removed there, it could not come back."
                ), terminal: mark("Invite others with \"baton pair --qr\"."),
                window: mark("Show a code here to add others."))
        case .stillInCircle:
            Words(
                mark("This laptop was not removed from your laptops, so nothing has changed."),
                terminal: mark("See \"baton devices\"."), window: mark("Look at the list of laptops."))
        case .waysUnknown:
            Words(
                mark("The invitation comes from a newer version of Baton."),
                mark("Install the same version of Baton on both laptops."))
        case .waysUnused:
            Words(
                mark("\"{laptop}\" can be reached by {ways} only, which this laptop does not use."),
                terminal: mark("Compare \"baton status\" on both laptops."),
                window: mark("Turn Bluetooth on, or connect both laptops to the same network."))
        case .invitationUnanswered:
            Words(
                mark(
                    "\"{laptop}\" does not accept this invitation. It may be used already, or the laptop is not near."),
                terminal: mark("Bring the laptops closer together, and make a new one there with \"baton pair --qr\"."),
                window: mark("Bring the laptops closer together, and show a new code there."))
        case .joiningBroke:
            Words(
                mark("The connection to \"{laptop}\" broke before this laptop was added."),
                terminal: mark(
                    "Bring the laptops closer together, see \"baton status\" there, and make a new invitation if this one is used up."
                ), window: mark("Bring the laptops closer together, and show a new code there."))
        case .joiningFailed:
            Words(
                mark("This laptop could not be added by \"{laptop}\" ({reason})."),
                terminal: mark("See \"baton status\" there, and make a new invitation if this one is used up."),
                window: mark("Show a new code there."))
        case .inviteeFailed:
            Words(
                mark("Another laptop used the invitation, but was not added ({reason})."),
                terminal: mark("Make a new invitation."), window: mark("Show a new code."))
        case .invitationUnused:
            Words(
                mark("No laptop used the invitation within ten minutes."), terminal: mark("Make a new one."),
                window: mark("Show a new code."))
        case .leftMeanwhile:
            Words(mark("Your list of laptops has changed meanwhile, so no laptop was added."), mark("Try again."))
        case .cameElsewhere:
            Words(
                mark("This laptop was added by others meanwhile, so it was not added here."),
                terminal: mark("See \"baton status\"."), window: mark("Look at the list of laptops."))
        case .returning:
            Words(mark("This laptop is coming back to your laptops already."), mark("Wait until that has ended."))
        case .circleFull:
            Words(
                mark("No more laptops can be added ({reason})."),
                terminal: mark("Take one out with \"baton remove\", or start again with \"baton leave\"."),
                window: mark("Take one out first."))
        case .thisLaptop:
            Words(
                mark("\"{laptop}\" is this laptop."), terminal: mark("Choose another one from \"baton devices\"."),
                window: mark("Choose another one."))
        case .removesThisLaptop:
            Words(
                mark("\"{laptop}\" is this laptop."), terminal: mark("To take it out, run \"baton leave\"."),
                window: mark("Take it out on its own page."))
        case .laptopUnknown:
            Words(
                mark("None of your laptops is called \"{laptop}\"."), terminal: mark("Choose one of these: {others}."),
                window: mark("Choose one from the list."))
        case .laptopAmbiguous:
            Words(
                mark("Several laptops are called \"{laptop}\"."),
                terminal: mark("Use the id of one of them: {others}."), window: mark("Choose one from the list."))
        case .noLocalNetwork:
            Words(
                mark("This laptop is in no network that it can recognise."),
                mark("Connect it to one, and use the network for a moment."))
        case .circleNotKept:
            Words(mark("Your laptops could not be saved ({reason})."), mark("Make room on the disk, and try again."))
        default: nil
        }
    }

    private var daemon: Words? {
        switch self {
        case .batonStopped:
            Words(
                mark("Baton is not running."), terminal: mark("Run \"systemctl --user start batond\"."),
                window: mark("Log out, and log in again."))
        case .batonNotStarted:
            Words(
                mark("Baton could not be started ({reason})."),
                terminal: mark("Run \"journalctl --user -u batond\" to see why."),
                window: mark("Log out, and log in again."))
        case .busGone:
            Words(mark("The session bus has gone ({reason})."), mark("Log in again."))
        case .noBus:
            Words(
                mark("There is no session bus ({reason})."),
                terminal: mark("Run this in a desktop session, or set DBUS_SESSION_BUS_ADDRESS."),
                window: mark("Log out, and log in again."))
        case .noAnswer:
            Words(
                mark("Baton ended, or did not answer in time."), terminal: mark("Run \"baton doctor\", and try again."),
                window: mark("Try again."))
        case .tooManyCalls:
            Words(mark("A program asks Baton too much at once."), mark("Wait a second, and try again."))
        case .tooManyActivities:
            Words(mark("A program offers too much at once."), mark("Close some of what it offers."))
        case .activitiesTooLarge:
            Words(mark("What the programs offer takes too much room."), mark("Close some of it."))
        case .unsupported:
            Words(
                mark("This version of Baton cannot do that."), mark("Install the same version of all parts of Baton."))
        case .sandboxedCaller:
            Words(
                mark("A program in a sandbox may not do this."), terminal: mark("Use \"baton\" in a terminal."),
                window: mark("Use Baton's window."))
        case .tooManyFollowers:
            Words(mark("Too many programs watch Baton already."), mark("Close one of them."))
        default: nil
        }
    }
}
