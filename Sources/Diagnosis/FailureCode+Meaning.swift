// SPDX-License-Identifier: Apache-2.0

extension FailureCode {
    /// The meaning in one phrase, in English, for logs and for other laptops. Failures that only
    /// people at this laptop see have no such phrase, and return their code.
    public var meaning: String {
        reachingMeaning ?? toldMeaning ?? continuingMeaning ?? appsMeaning ?? pairingMeaning ?? circleMeaning
            ?? daemonMeaning ?? rawValue
    }

    private var reachingMeaning: String? {
        switch self {
        case .unanswered: "the other device does not answer"
        case .hungUp:
            "the other device closed the connection: it is busy, has just ended, or does not have this device in its circle any more"
        case .connectionBroke: "the connection to the other device broke"
        case .laptopSilent: "the other device did not answer in time; it may be asleep or busy"
        case .outOfReach: "the other device is out of reach"
        case .notNear: "the other device is not near any more"
        case .recentlyUnreached: "the other device could not be reached a short while ago"
        case .noLongerMember: "the other device is not in the circle any more"
        case .attemptStopped: "the attempt was stopped, because this device left its circle or batond is ending"
        case .descriptorsUsedUp: "no file descriptor is free"
        case .notUnderstood: "the other device sent something that is not understood here"
        case .otherType: "the other device handed over another type of activity than it had offered"
        case .tooManyRequests: "all programs here together have too many requests to the other device"
        case .radioUnusable: "the radio cannot be used"
        case .addressUnknown: "no address of the other device is known"
        case .networkSilent:
            "no device answers; a firewall may block the port, or the network may keep its devices apart"
        case .calledInVain: "the other device did not answer a call by radio"
        case .callWaits: "the other device could not be called by radio, because this device advertises other things"
        case .probeUnanswered: "the other device answers pings, but did not answer this request in time"
        case .probedTooOften: "the other device was asked too often"
        case .alreadyAsked: "the other device is being asked already"
        case .circleChanged: "the circle has changed meanwhile"
        case .ending: "batond is ending"
        default: nil
        }
    }

    private var toldMeaning: String? {
        switch self {
        case .handoverFailed: "the other device could not hand the activity over"
        case .laptopUnavailable: "the other device has no connection for this"
        case .laptopAppSilent: "the app on the other device did not answer in time"
        case .contentsTooLarge: "the activity's contents are too large to be handed over"
        case .contentsUnsendable: "the activity has contents that cannot be handed over"
        case .stopped: "the user of the other device has stopped this one"
        case .activityEnded: "the activity has ended on the other device"
        case .streamsUnsupported: "the activity does not support continuation streams"
        case .laptopBusy: "the other device is busy"
        case .notFetched: "this device has not fetched the activity"
        default: nil
        }
    }

    private var continuingMeaning: String? {
        switch self {
        case .offerGone: "the offer is gone"
        case .ownActivity: "this device handed the activity over, or has it open"
        case .cancelled: "it was cancelled"
        case .alreadyContinuing: "the offer is being continued already"
        case .tooManyContinuing: "too many activities are being continued"
        case .tooManyStreams: "too many streams are open"
        case .pageGone: "the activity has no web page any more"
        case .pageRefused: "the activity's page is not opened here"
        case .noBrowserChosen: "no browser was chosen"
        case .browserFailed: "xdg-open failed"
        case .noBrowser: "no browser was found"
        case .pageOpeningLate: "the desktop's portal did not answer in time"
        case .portalMissing: "there is neither xdg-open nor a desktop portal"
        case .portalFailed: "the desktop's portal failed"
        default: nil
        }
    }

    private var appsMeaning: String? {
        switch self {
        case .noApp: "no app here continues this type of activity"
        case .noAppOfTeam: "the app that continues this type belongs to another team"
        case .appUnfit: "the app does not continue this activity"
        case .appSandboxed: "the app is sandboxed, and may not have this activity"
        case .appGone: "the app is not installed any more"
        case .appNotTaken: "the app did not take the activity over"
        case .takenByNone: "the app did not take the activity over"
        case .appEnded: "the app ended before it had taken the activity over"
        case .appSilent: "the app did not answer in time"
        case .appWithoutInterface: "the app does not have org.batonproject.Application1 on the session bus"
        case .appWithoutCommand: "the app's desktop entry has no Exec line that can be run"
        case .appWithoutService: "the app's desktop entry says DBusActivatable=true, and no D-Bus service file names it"
        case .appEndedAtOnce: "the app ended as soon as it was started"
        case .appEndedEarly: "the app ended before it was on the session bus"
        case .appCrashed: "the app failed before it was on the session bus"
        case .appLate: "the app was not on the session bus in time"
        case .programMissing: "the program to start does not exist"
        case .programUnexecutable: "the program cannot be executed"
        case .noTerminal: "there is no terminal for the app"
        default: nil
        }
    }

    private var pairingMeaning: String? {
        switch self {
        case .digitsDifferHere: "the user here did not confirm the digits"
        case .digitsDifferThere: "the user of the other device did not confirm the digits"
        case .pairingStopped: "pairing was cancelled"
        case .pairingClosed: "the other device stopped pairing, or nobody compared the digits there in time"
        case .pairingBroken: "the connection broke while the digits were compared"
        case .pairingForeign: "the peer is not Baton, or a different version of it"
        case .pairingMalformed: "the peer does not pair as Baton does, or an attacker is between the two devices"
        case .commitmentBroken: "an attacker is between the two devices: the share does not match the commitment"
        case .pairingReflected: "an attacker sends this device's own messages back to it"
        case .tooManyPairing: "more than two devices are pairing nearby"
        case .nobodyPairing: "no other device was found"
        case .pairingUnreachable: "the address cannot be reached"
        case .pairingUnanswered: "the host at the address does not answer"
        case .notPairing: "the other device is not pairing"
        case .digitsUncompared: "the digits were not compared in time"
        case .noKnock: "the other device stopped after the digits were compared"
        case .pairedAlready: "the two devices are in the same circle already"
        case .circlesDiffer: "the two devices are in different circles"
        case .circleLost: "this device has just learnt that it is in no circle any more"
        case .otherWithoutCircle: "the other device is in no circle"
        case .pairingBrokeOff: "the other device broke off"
        case .pairingFailed: "pairing failed"
        case .pairingWaits: "pairing by digits failed too often"
        case .pairingUnderWay: "this device is pairing already"
        case .codeShown: "this device shows a code already"
        case .codeWithdrawn: "the code was withdrawn"
        case .codeWorthless: "this device's circle changed, so the code is no longer valid"
        case .tcpOff: "TCP is off"
        default: nil
        }
    }

    private var circleMeaning: String? {
        switch self {
        case .alreadyInCircle: "this device is in a circle already"
        case .unreachableHere: "no device could reach this one"
        case .invitationsReplaced: "newer invitations are open"
        case .invitationMalformed: "the invitation is malformed"
        case .invitationOfOtherVersion: "the invitation was made by another version of Baton"
        case .invitationOver: "the invitation is too old"
        case .invitationOwn: "this device made the invitation itself"
        case .inOtherCircle: "this device is in another circle already"
        case .inThatCircle: "this device is in that circle already, and could not come back"
        case .stillInCircle: "this device is in that circle, and was not removed"
        case .waysUnknown: "this version does not know the transports in the invitation"
        case .waysUnused: "the inviter can be reached only by transports that this device does not use"
        case .invitationUnanswered: "the inviter does not answer to this invitation"
        case .joiningBroke: "the inviter closed the connection without an answer"
        case .joiningFailed: "joining failed"
        case .inviteeFailed: "a device came with the invitation, but did not join"
        case .invitationUnused: "no device used the invitation within ten minutes"
        case .leftMeanwhile: "this device left its circle meanwhile, or joined another one"
        case .cameElsewhere: "this device joined another circle meanwhile"
        case .returning: "this device is coming back to its circle already"
        case .circleFull: "a limit of the circle is reached"
        case .thisLaptop: "the device is this one"
        case .removesThisLaptop: "the device is this one"
        case .laptopUnknown: "there is no such device in the circle"
        case .laptopAmbiguous: "several devices have that name"
        case .noLocalNetwork: "this device is in no local network that it can recognise"
        case .circleNotKept: "the circle could not be saved"
        default: nil
        }
    }

    private var daemonMeaning: String? {
        switch self {
        case .batonStopped: "batond is not running"
        case .batonNotStarted: "batond could not be started"
        case .busGone: "the session bus has gone"
        case .noBus: "cannot connect to the session bus"
        case .noAnswer: "batond ended, or did not answer in time"
        case .tooManyCalls: "too many calls, or too large ones"
        case .tooManyActivities: "too many activities are published"
        case .activitiesTooLarge: "the activities have too many bytes"
        case .unsupported: "this version of batond does not do this"
        case .sandboxedCaller: "a sandboxed program cannot do this"
        case .tooManyFollowers: "too many programs follow this"
        default: nil
        }
    }
}
