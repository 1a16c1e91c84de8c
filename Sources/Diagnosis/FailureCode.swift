// SPDX-License-Identifier: Apache-2.0

/// The kinds of failures that a person is told about. A code has the same meaning in every version.
/// `Wording` has the words.
public enum FailureCode: String, CaseIterable, Sendable {
    // Reaching another laptop.
    case unanswered
    case hungUp = "hung-up"
    case connectionBroke = "connection-broke"
    case laptopSilent = "laptop-silent"
    case outOfReach = "out-of-reach"
    case notNear = "not-near"
    case recentlyUnreached = "recently-unreached"
    case noLongerMember = "no-longer-member"
    case attemptStopped = "attempt-stopped"
    case descriptorsUsedUp = "descriptors-used-up"
    case notUnderstood = "not-understood"
    case otherType = "other-type"
    case tooManyRequests = "too-many-requests"
    case radioUnusable = "radio-unusable"
    case addressUnknown = "address-unknown"
    case networkSilent = "network-silent"
    case calledInVain = "called-in-vain"
    case callWaits = "call-waits"
    case probeUnanswered = "probe-unanswered"
    case probedTooOften = "probed-too-often"
    case alreadyAsked = "already-asked"
    case circleChanged = "circle-changed"
    case ending
    // What another laptop reports, and what is reported to it.
    case handoverFailed = "handover-failed"
    case laptopUnavailable = "laptop-unavailable"
    case laptopAppSilent = "laptop-app-silent"
    case contentsTooLarge = "contents-too-large"
    case contentsUnsendable = "contents-unsendable"
    case stopped
    case activityEnded = "activity-ended"
    case streamsUnsupported = "streams-unsupported"
    case laptopBusy = "laptop-busy"
    case notFetched = "not-fetched"
    // Continuing an offer.
    case offerGone = "offer-gone"
    case ownActivity = "own-activity"
    case cancelled
    case alreadyContinuing = "already-continuing"
    case tooManyContinuing = "too-many-continuing"
    case tooManyStreams = "too-many-streams"
    case pageGone = "page-gone"
    case pageRefused = "page-refused"
    case noBrowserChosen = "no-browser-chosen"
    case browserFailed = "browser-failed"
    case noBrowser = "no-browser"
    case pageOpeningLate = "page-opening-late"
    case portalMissing = "portal-missing"
    case portalFailed = "portal-failed"
    // Apps of this laptop.
    case noApp = "no-app"
    case noAppOfTeam = "no-app-of-team"
    case appUnfit = "app-unfit"
    case appSandboxed = "app-sandboxed"
    case appGone = "app-gone"
    case appNotTaken = "app-not-taken"
    case takenByNone = "taken-by-none"
    case appEnded = "app-ended"
    case appSilent = "app-silent"
    case appWithoutInterface = "app-without-interface"
    case appWithoutCommand = "app-without-command"
    case appWithoutService = "app-without-service"
    case appEndedAtOnce = "app-ended-at-once"
    case appEndedEarly = "app-ended-early"
    case appCrashed = "app-crashed"
    case appLate = "app-late"
    case programMissing = "program-missing"
    case programUnexecutable = "program-unexecutable"
    case noTerminal = "no-terminal"
    // Pairing by digits and by code.
    case digitsDifferHere = "digits-differ-here"
    case digitsDifferThere = "digits-differ-there"
    case pairingStopped = "pairing-stopped"
    case pairingClosed = "pairing-closed"
    case pairingBroken = "pairing-broken"
    case pairingForeign = "pairing-foreign"
    case pairingMalformed = "pairing-malformed"
    case commitmentBroken = "commitment-broken"
    case pairingReflected = "pairing-reflected"
    case tooManyPairing = "too-many-pairing"
    case nobodyPairing = "nobody-pairing"
    case pairingUnreachable = "pairing-unreachable"
    case pairingUnanswered = "pairing-unanswered"
    case notPairing = "not-pairing"
    case digitsUncompared = "digits-uncompared"
    case noKnock = "no-knock"
    case pairedAlready = "paired-already"
    case circlesDiffer = "circles-differ"
    case circleLost = "circle-lost"
    case otherWithoutCircle = "other-without-circle"
    case pairingBrokeOff = "pairing-broke-off"
    case pairingFailed = "pairing-failed"
    case pairingWaits = "pairing-waits"
    case pairingUnderWay = "pairing-under-way"
    case codeShown = "code-shown"
    case codeWithdrawn = "code-withdrawn"
    case codeWorthless = "code-worthless"
    case tcpOff = "tcp-off"
    // The user's laptops.
    case alreadyInCircle = "already-in-circle"
    case unreachableHere = "unreachable-here"
    case invitationsReplaced = "invitations-replaced"
    case invitationMalformed = "invitation-malformed"
    case invitationOfOtherVersion = "invitation-of-other-version"
    case invitationOver = "invitation-over"
    case invitationOwn = "invitation-own"
    case inOtherCircle = "in-other-circle"
    case inThatCircle = "in-that-circle"
    case stillInCircle = "still-in-circle"
    case waysUnknown = "ways-unknown"
    case waysUnused = "ways-unused"
    case invitationUnanswered = "invitation-unanswered"
    case joiningBroke = "joining-broke"
    case joiningFailed = "joining-failed"
    case inviteeFailed = "invitee-failed"
    case invitationUnused = "invitation-unused"
    case leftMeanwhile = "left-meanwhile"
    case cameElsewhere = "came-elsewhere"
    case returning
    case circleFull = "circle-full"
    case thisLaptop = "this-laptop"
    case removesThisLaptop = "removes-this-laptop"
    case laptopUnknown = "laptop-unknown"
    case laptopAmbiguous = "laptop-ambiguous"
    case noLocalNetwork = "no-local-network"
    case circleNotKept = "circle-not-kept"
    // The daemon and the session bus.
    case batonStopped = "baton-stopped"
    case batonNotStarted = "baton-not-started"
    case busGone = "bus-gone"
    case noBus = "no-bus"
    case noAnswer = "no-answer"
    case tooManyCalls = "too-many-calls"
    case tooManyActivities = "too-many-activities"
    case activitiesTooLarge = "activities-too-large"
    case unsupported
    case sandboxedCaller = "sandboxed-caller"
    case tooManyFollowers = "too-many-followers"

    /// The meaning in one phrase, in English, for logs and for other laptops.
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
        case .tooManyRequests: "too many requests to the other device at once, of all programs here"
        case .radioUnusable: "the radio cannot be used"
        case .addressUnknown: "no address of the other device is known"
        case .networkSilent: "nobody answers; a firewall may be between, or a network that keeps devices apart"
        case .calledInVain: "the other device did not come when it was called by radio"
        case .callWaits: "the other device could not be called by radio, where this device advertises other things"
        case .probeUnanswered: "the other device answers pings, but did not answer this in time"
        case .probedTooOften: "it was asked too often"
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
        case .ownActivity: "the activity was given away by this device, or is open on it"
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
        case .noAppOfTeam: "the app that continues this type is of another team"
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
        case .programMissing: "there is no such program to start"
        case .programUnexecutable: "the program cannot be executed"
        case .noTerminal: "there is no terminal for the app"
        default: nil
        }
    }

    private var pairingMeaning: String? {
        switch self {
        case .digitsDifferHere: "the user here did not confirm the digits"
        case .digitsDifferThere: "the user of the other device did not confirm the digits"
        case .pairingStopped: "pairing was given up"
        case .pairingClosed: "the other device broke pairing off, or nobody compared the digits there in time"
        case .pairingBroken: "the connection broke while the digits were compared"
        case .pairingForeign: "the peer is no Baton, or one of another version"
        case .pairingMalformed: "the peer does not pair as Baton does, or somebody is between the two"
        case .commitmentBroken: "somebody is between the two devices: the commitment was broken"
        case .pairingReflected: "somebody sends this device's own messages back to it"
        case .tooManyPairing: "more than two devices are pairing nearby"
        case .nobodyPairing: "no other device was found"
        case .pairingUnreachable: "the address cannot be reached"
        case .pairingUnanswered: "what is reached at the address does not answer"
        case .notPairing: "the other device does not pair"
        case .digitsUncompared: "the digits were not compared in time"
        case .noKnock: "the other device broke off after the digits were compared"
        case .pairedAlready: "the two devices are in the same circle already"
        case .circlesDiffer: "the two devices are in different circles"
        case .circleLost: "this device has just learnt that it is in no circle any more"
        case .otherWithoutCircle: "the other device is in no circle"
        case .pairingBrokeOff: "the other device broke off"
        case .pairingFailed: "pairing failed"
        case .pairingWaits: "pairing by digits failed too often"
        case .pairingUnderWay: "this device is pairing already"
        case .codeShown: "this device shows a code already"
        case .codeWithdrawn: "the code was taken back"
        case .codeWorthless: "this device's circle changed, so the code is worth nothing"
        case .tcpOff: "TCP is off"
        default: nil
        }
    }

    private var circleMeaning: String? {
        switch self {
        case .alreadyInCircle: "this device is in a circle already"
        case .unreachableHere: "nobody could reach this device"
        case .invitationsReplaced: "newer invitations are open"
        case .invitationMalformed: "the invitation is malformed"
        case .invitationOfOtherVersion: "the invitation was made by another version of Baton"
        case .invitationOver: "the invitation is over"
        case .invitationOwn: "this device made the invitation itself"
        case .inOtherCircle: "this device is in another circle already"
        case .inThatCircle: "this device is in that circle already, and could not come back"
        case .stillInCircle: "this device is in that circle, and was not removed"
        case .waysUnknown: "the invitation's ways of connecting are unknown here"
        case .waysUnused: "the inviter can be reached only in ways that this device does not use"
        case .invitationUnanswered: "the inviter does not answer to this invitation"
        case .joiningBroke: "the inviter closed the connection without an answer"
        case .joiningFailed: "joining failed"
        case .inviteeFailed: "a device came with the invitation, but did not join"
        case .invitationUnused: "no device used the invitation within ten minutes"
        case .leftMeanwhile: "this device left its circle meanwhile, or came into another one"
        case .cameElsewhere: "this device came into another circle meanwhile"
        case .returning: "this device is coming back to its circle already"
        case .circleFull: "a limit of the circle is reached"
        case .thisLaptop: "the device is this one"
        case .removesThisLaptop: "the device is this one"
        case .laptopUnknown: "there is no such device in the circle"
        case .laptopAmbiguous: "several devices have that name"
        case .noLocalNetwork: "this device is in no local network that it can recognise"
        case .circleNotKept: "the circle could not be kept"
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
