// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// The reason why two devices were not paired.
public enum PairingFailure: Error, Hashable, Sendable {
    /// This device's user said that the digits differ.
    case declinedHere
    /// The other device's user said that the digits differ.
    case declinedThere
    /// The time ran out, or the user stopped the pairing.
    case abandoned
    /// The other device closed the channel.
    case closed
    /// The connection broke before both users had confirmed the digits.
    case broken
    /// The peer is not a Baton that is pairing, or is another version of Baton.
    case foreign
    /// The peer sent bytes that no honest device sends.
    case malformed
    /// The initiator's share does not match its commitment.
    case brokenCommitment
    /// This device received its own bytes.
    case reflected
    /// More than two devices are pairing nearby.
    case tooManyDevices
    /// No other device was found in time.
    case nobodyFound
    /// The dialled device cannot be reached, for the given reason.
    case unreachable(String)
    /// The peer at the address does not answer.
    case noAnswer
    /// The peer at the address closes the channel before it sends anything.
    case notPairing
    /// The digits were not compared in time.
    case undecided
    /// Both users confirmed the digits, but the devices did not prove their keys to each other in
    /// time.
    case noKnock
    /// Both users confirmed the digits, but neither device can add the other.
    case bothInCircles(areSame: Bool)
    /// Both users confirmed the digits, but this device cannot return to its former circle.
    ///
    /// Either this device was removed from its circle before it could return (`isOwnLost`), or the
    /// other device is in no circle.
    case noCircleToReturnTo(isOwnLost: Bool)

    /// Whether ``PairingLimiter`` counts the failure as an attempt to guess digits.
    ///
    /// The value is false only if both users confirmed the digits and the devices' circles prevent
    /// the pairing.
    public var isAttempt: Bool {
        switch self {
        case .bothInCircles, .noCircleToReturnTo: false
        default: true
        }
    }
}

extension PairingFailure {
    /// The code of the failure. `Wording` has the sentence for users, and what they can do.
    public var reason: FailureCode {
        switch self {
        case .declinedHere: .digitsDifferHere
        case .declinedThere: .digitsDifferThere
        case .abandoned: .pairingStopped
        case .closed: .pairingClosed
        case .broken: .pairingBroken
        case .foreign: .pairingForeign
        case .malformed: .pairingMalformed
        case .brokenCommitment: .commitmentBroken
        case .reflected: .pairingReflected
        case .tooManyDevices: .tooManyPairing
        case .nobodyFound: .nobodyPairing
        case .unreachable: .pairingUnreachable
        case .noAnswer: .pairingUnanswered
        case .notPairing: .notPairing
        case .undecided: .digitsUncompared
        case .noKnock: .noKnock
        case .bothInCircles(let areSame): areSame ? .pairedAlready : .circlesDiffer
        case .noCircleToReturnTo(let isOwnLost): isOwnLost ? .circleLost : .otherWithoutCircle
        }
    }
}

extension PairingFailure: CustomStringConvertible {
    /// A description of the failure in one line of English, for logs.
    public var description: String {
        if case .unreachable(let cause) = self { "\(reason.meaning) (\(cause))" } else { reason.meaning }
    }
}
