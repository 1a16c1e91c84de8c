// SPDX-License-Identifier: Apache-2.0

/// The reason why two devices were not paired.
public enum PairingFailure: Error, Hashable, Sendable {
    /// This device's user said that the digits differ.
    case declinedHere
    /// The other device's user said that the digits differ.
    case declinedThere
    /// The time ran out, or the user stopped.
    case abandoned
    /// The other device closed the channel.
    case closed
    /// The connection broke before both users had confirmed the digits.
    case broken
    /// The peer is not a Baton that is pairing, or has another version.
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
    /// Both users confirmed the digits, but the other device did not return.
    case noKnock
    /// Both users confirmed the digits, but neither device can add the other.
    case bothInCircles(areSame: Bool)
    /// Both users confirmed the digits, but there is no circle to return to.
    ///
    /// The device that should return is now in no circle, or the other device is in none.
    case noCircleToReturnTo(isOwnLost: Bool)

    /// Whether ``PairingLimiter`` counts the failure as an attempt to guess digits.
    ///
    /// It is false only if both users confirmed and the devices' circles prevent the pairing.
    public var isAttempt: Bool {
        switch self {
        case .bothInCircles, .noCircleToReturnTo: false
        default: true
        }
    }
}

extension PairingFailure: CustomStringConvertible {
    /// The message for the user.
    public var description: String {
        switch self {
        case .declinedHere: "it was not said that the digits are the same, so the devices were not paired"
        case .declinedThere:
            "on the other device it was not said that the digits are the same, so the devices were not paired"
        case .abandoned: "pairing was given up"
        case .closed:
            "the other device broke pairing off, or nobody compared the digits there in time"
        case .broken:
            "the connection to the other device broke while the digits were compared; bring the two nearer, and run 'baton pair' again on both"
        case .foreign:
            "what answers is no Baton, or one of another version; run 'baton pair' there, and update Baton on both"
        case .malformed: "the other device does not pair as Baton does, or somebody is between the two"
        case .brokenCommitment: "somebody is between the two devices: the commitment was broken"
        case .reflected: "somebody sends this device's own messages back to it"
        case .tooManyDevices:
            "more than two devices are pairing near here; see to it that only yours are, and try again"
        case .nobodyFound: "no other device was found; run 'baton pair' on it within two minutes, and keep it near"
        case .unreachable(let reason): "\(reason); see that 'baton pair' runs on the other device"
        case .noAnswer: "what is reached at the address does not answer; is 'baton pair' running there?"
        case .notPairing: "the other device does not pair; run 'baton pair' on it first, and then this again"
        case .undecided: "nobody compared the digits in time, so the devices were not paired"
        case .noKnock: "the other device broke off after the digits were compared; run 'baton pair' again on both"
        case .bothInCircles(areSame: true):
            "the two devices are in the same circle already, see 'baton devices'; one that it does not list there was removed: run 'baton pair --anew' on it, and 'baton pair' on the other"
        case .bothInCircles(areSame: false):
            "the two devices are in different circles; run 'baton leave' on one of them first"
        case .noCircleToReturnTo(isOwnLost: true):
            "this device has just learnt that it is in no circle any more; run 'baton pair' again, without --anew"
        case .noCircleToReturnTo(isOwnLost: false):
            "the other device is in no circle, so there is none to come back to; run 'baton pair --anew' with one of this device's circle"
        }
    }
}
