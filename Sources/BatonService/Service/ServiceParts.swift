// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import TraceModel

// The service's parts by concern. What each of them can do, and its state, is its own affair; what
// happens between them is the service's (Decisions/0054-the-service-has-parts.md).

/// What a service was given.
struct ServiceEnvironment: Sendable {
    let transports: Transports
    let clock: any DeviceClock
    /// Whether a program is still there.
    let isPresent: @Sendable (ClientID) async -> Bool
    /// Why an adapter may not speak for a program, which goes by the id of an app; nil when it may.
    let whyRefused: @Sendable (_ speaker: ClientID, _ application: String?) async -> String?
    let logger: Logger
    /// Who wants to know what happens.
    let trace: TraceRecorder
}

/// How far the service has begun, or come to its end.
struct Lifecycle: Sendable {
    let hasStarted = Waiters<Void>()
    var isStopping = false
    /// Resolved once there are no streams any more, where the service is to end after that.
    var drain: Waiters<Void>?
    /// Whether nothing new is taken any more.
    var isDraining: Bool { isStopping || drain != nil }
    /// What runs until the end.
    var tasks: [Task<Void, Never>] = []
    /// The last attempt to listen on the radio.
    var radioOpening: Task<Void, Never>?
}

/// How other devices reach this one.
struct Reachability: Sendable {
    var listeners = Listeners()
    /// Where hellos said last that this device listens.
    var told: [EndpointRecord] = []
    /// What the radio has said of itself; nil before it has said a word.
    var heardRadioStatus: RadioStatus?
}

/// What this device says by radio.
struct Advertising: Sendable {
    /// What the beacon is; nil without a circle.
    var advertiser: BeaconAdvertiser?
    var keys = BeaconKeys()
    var hails = HailSchedule()
    /// Which of all that is to be on the air is.
    var slot = AdvertisementSlot()
    /// How many calls of the radio are under way that put something on the air.
    var calls = 0
    /// Whether one of them has become out of date on its way, so that it may be what the radio has.
    var mayBeOld = false
    /// Why the log says that nothing is advertised; nil once something can be again.
    var loggedFailure: String?
}

/// What was heard by radio.
struct Sightings: Sendable {
    /// The circle's beacons, and what they offer.
    var book: OfferBook
    var hailListener = HailListener()
    /// What may be a beacon of a device whose clock is far from this one's.
    var clockSearch = ClockSearch()
    /// Who is pairing near here.
    var pairing = PairingSightings()
    var strangers = UnknownAdvertisers()
    /// Who waits for a device at another address.
    var reappearances = Reappearances()
}

/// What the apps of this device do, and want.
struct AppActivities: Sendable {
    var registry: ActivityRegistry
    var lineage = Lineage()
    var saves = SaveRequests()
    var saveTurns = SaveTurns()
    var unreported = UnreportedContinuations()
    var fetches = UnacceptedFetches()
    /// Who may open streams to what.
    var streamGrants = StreamGrants()
    /// What they continue, running or not.
    var declared: Set<ActivityKind> = []
    /// Whether any of their activities may be advertised: not while the user is away or wants it
    /// so.
    var mayAdvertise = true
    /// Why an activity is kept to this device; nil where it is not.
    var whyHidden: @Sendable (_ type: String, _ application: String?) -> String? = { _, _ in nil }
}

/// The other devices of the circle.
struct Peers {
    var directory = PeerDirectory()
    var networkFailures = NetworkFailures()
    var links = PeerLinks<PeerLink>()
    var dials = Dials<PeerLink>()
    /// Those that somebody waits for.
    var awaited = AwaitedDevices()
    var probes = Probes()
    var owedAcceptances = OwedAcceptances()
    var clocks = PeerClocks()
    var clockNews = ClockNews()
    var newsLimiter = NewsRateLimiter()
    /// The accounts of the members that have none of their own (``Roster/accounts(besides:)``).
    var accounts: [DeviceID: DeviceID] = [:]
    var renames = Renames()
    var helloPace = HelloPace()
}

/// How a device comes into a circle while its user waits.
struct Pairings {
    /// The last pairing by digits.
    var run: PairingRun?
    var limiter = PairingLimiter()
    /// The last code that was shown.
    var code: CodeRun?
    /// The device that this one becomes when it has come back to the circle from which it was
    /// removed.
    var returning: DeviceIdentity?
}
