// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about streams between apps.
    var streamsWords: Words? {
        switch self {
        case .streamsUnknown:
            Words(mark("These streams are not open, or ended long ago."), mark("Continue the activity again."))
        case .streamsTaken:
            Words(
                mark("These streams cannot be taken any more. A program gets them once, within 30 seconds."),
                mark("Continue the activity again."))
        case .streamsBroken:
            Words(mark("The streams broke off before their end."), mark("Continue the activity again."))
        case .streamsEnded:
            Words(mark("Baton has ended, and the streams with it."), mark("Continue the activity again."))
        case .streamsLate:
            Words(
                mark("The activity was continued too long ago, so it has no streams any more."),
                mark("Continue the activity again."))
        case .streamsGivenUp:
            Words(mark("The program on this laptop cancelled the streams."), mark("Continue the activity again."))
        case .streamsClosedHere:
            Words(
                mark("The program on this laptop closed the streams before everything had arrived."),
                mark("Continue the activity again."))
        case .streamsClosedThere:
            Words(
                mark("The program on the other laptop closed the streams early, or refused them."),
                mark("Look at that program, and try again."))
        case .streamsStopped:
            Words(
                mark(
                    "Baton was stopped on one of the two laptops, or one of them was removed, before the streams had ended."
                ), mark("Continue the activity again."))
        case .streamsNotTaken:
            Words(
                mark("The program on this laptop did not take the streams within 30 seconds."),
                mark("Continue the activity again."))
        case .streamsNotTakenThere:
            Words(
                mark("The program on the other laptop did not take the streams."), mark("Continue the activity again."))
        case .streamsGivenUpThere:
            Words(mark("The other laptop cancelled the streams."), mark("Continue the activity again."))
        case .streamsSilent:
            Words(
                mark("The other laptop did not answer in time."),
                mark("Bring the laptops closer together, and try again."))
        case .streamsMalformed:
            Words(
                mark("The other laptop sent something that this laptop does not understand."),
                mark("Install the same version of Baton on both laptops."))
        default: nil
        }
    }
}
