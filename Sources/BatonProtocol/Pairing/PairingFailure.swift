// SPDX-License-Identifier: Apache-2.0

/// Why two devices were not paired.
public enum PairingFailure: Error, Hashable, Sendable {
    /// The user here said that the digits differ.
    case declinedHere
    /// The user of the other device said so.
    case declinedThere
    /// The time was over, or the user broke off.
    case abandoned
    /// The other device closed the channel.
    case closed
    /// The connection broke before both users had said yes.
    case broken
    /// What answers is no Baton that pairs, or one of another version.
    case foreign
    /// Bytes that no device of good will sends.
    case malformed
    /// The initiator showed another share than it had committed itself to.
    case brokenCommitment
    /// This device's own bytes came back to it.
    case reflected
    /// More than two devices pair near here.
    case tooManyDevices
    /// No other device was found in time.
    case nobodyFound
    /// What this side dialled cannot be reached, and why.
    case unreachable(String)
    /// What is reached at an address does not answer.
    case noAnswer
    /// What is reached at an address hangs up before it has said anything.
    case notPairing
    /// The digits were not compared in time.
    case undecided
    /// Both users said yes, and the other device did not come back.
    case noKnock
    /// Both users said yes, but neither device can take the other in.
    case bothInCircles(areSame: Bool)
    /// Both users said yes, but the device that was to come back to its circle is in none by now,
    /// or the other one is in none.
    case noCircleToReturnTo(isOwnLost: Bool)

    /// Whether it may have been a try at the digits, which ``PairingLimiter`` counts; false for
    /// what follows both users' yes.
    public var isAttempt: Bool {
        switch self {
        case .bothInCircles, .noCircleToReturnTo: false
        default: true
        }
    }
}

extension PairingFailure: CustomStringConvertible {
    /// What the user is told.
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
