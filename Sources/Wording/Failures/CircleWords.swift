// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about the user's laptops.
    var circleWords: Words? {
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
                mark("\"{laptop}\" can be reached only over connections that this laptop does not use."),
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
        case .circleMembersFull: Words(mark("Baton works with at most {limit} laptops."), takeOut)
        case .circleAddsFull: Words(mark("One laptop can add at most {limit} others."), takeOut)
        case .circleRoomFull: Words(mark("The list of your laptops is full."), takeOut)
        case .circleIDTaken: Words(mark("Two of your laptops would have the same id."), takeOut)
        case .dataInvalid:
            Words(
                mark("Something that the laptops sent each other is not valid."),
                mark("Install the same version of Baton on both laptops."))
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
            Words(mark("Your laptops could not be saved ({reason})."), mark("Free some disk space, and try again."))
        case .addressUnusable:
            Words(
                mark("This address does not belong to a single laptop."),
                mark(
                    "Use the address that the other laptop shows. If it begins with fe80, add this laptop's interface, such as %wlan0."
                ))
        case .nameUnusable:
            Words(
                mark(
                    "This name cannot be used. A name has 1 to {limit} bytes, all of them visible, has no spaces at its ends, and does not look like the id of a laptop."
                ), mark("Choose another name."))
        default: nil
        }
    }
}

private let takeOut = mark("Take one out first.")
