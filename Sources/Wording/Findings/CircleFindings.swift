// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FindingCode {
    /// The words about the user's laptops and their clocks.
    var circleWords: [Words]? {
        let pairing = mark("Run \"baton pair\" here and on another laptop, or \"baton circle join FILE\".")
        let (adding, add) = (mark("Open Baton, and add a laptop."), mark("Add a laptop."))
        switch self {
        case .noCircle:
            return [
                Words(
                    mark("This laptop is not paired with another one."), terminal: pairing, window: adding,
                    ownWindow: add)
            ]
        case .removed:
            return [
                Words(mark("\"{laptop}\" has removed this laptop."), terminal: pairing, window: adding, ownWindow: add),
                Words(mark("Another laptop has removed this one."), terminal: pairing, window: adding, ownWindow: add),
            ]
        case .circleOutdated:
            return [
                Words(
                    mark("An earlier version of Baton paired this laptop, and this version cannot use that."),
                    terminal: mark("Run \"baton leave\" on each laptop, then \"baton pair\" on two of them."),
                    window: mark("Open Baton on each laptop, take it out, and add it again."),
                    ownWindow: mark("Take this laptop and the others out, and add them again."))
            ]
        case .alone:
            return [
                Words(
                    mark("No other laptop is paired with this one."),
                    terminal: mark("Run \"baton pair\" here and on another laptop."), window: adding, ownWindow: add)
            ]
        case .outOfTouch:
            return [
                Words(
                    mark(
                        "No other laptop has been in touch since {since}. This one may have been removed, or a clock is wrong."
                    ),
                    terminal: mark(
                        "See \"baton devices\" on another one. To pair again, run \"baton pair --anew\" here, \"baton pair\" there."
                    ),
                    window: mark("Turn on another laptop nearby, and see whether this one is still in its list."))
            ]
        case .sequenceUsedUp:
            return [
                Words(
                    mark("This laptop has used up the numbers for its offers."),
                    terminal: mark("Run \"baton pair --anew\" here, and \"baton pair\" on another laptop."),
                    window: mark("Open Baton, and add this laptop again."),
                    ownWindow: mark("Take this laptop out, and add it again."))
            ]
        case .clockWrong:
            return [
                Words(
                    mark("The clock of this laptop is wrong. It shows {clock}."),
                    window: mark("Set the clock in the settings."))
            ]
        case .clockDiffers:
            let advice = mark("Set the clock that is wrong.")
            return [
                Words(mark("The clock of \"{laptop}\" is {ahead} ahead. Its offers may not come."), advice),
                Words(mark("The clock of \"{laptop}\" is {behind} behind. Its offers may not come."), advice),
                Words(mark("The clock of \"{laptop}\" is {allowedAhead} ahead. Baton allows for that."), advice),
                Words(mark("The clock of \"{laptop}\" is {allowedBehind} behind. Baton allows for that."), advice),
            ]
        default: return nil
        }
    }
}
