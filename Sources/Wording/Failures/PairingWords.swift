// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about pairing by digits and by code.
    var pairingWords: Words? {
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
                ), window: mark("If this laptop is missing in the list of the other one, choose Come Back."))
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
}
