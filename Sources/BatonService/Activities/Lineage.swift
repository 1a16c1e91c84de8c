// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// A record of where activities came from and where they went.
///
/// Rules that continue activities automatically need these records. Without these records, two
/// laptops would hand one activity back and forth for ever. An activity's *origin* is the instance
/// with which it began, no matter which devices and apps have continued it since.
struct Lineage: Sendable {
    /// A place where an activity may be: a device and a hash.
    typealias Place = Offer.ID

    private struct Taken: Sendable {
        var origin: [UInt8]
        var place: Place
        /// The ``Offer/since`` of the activity. This time distinguishes the activities that a place
        /// offers one after another.
        var since: UInt32
        var type: String
        /// The uptime until which the app may publish this activity as its own.
        ///
        /// Nil before the app has accepted it.
        var until: Duration?
    }

    /// The maximum number of entries in each table except `fetched`. The oldest entries are
    /// forgotten first.
    static let maximum = 1_024
    /// How long an app has to publish an accepted activity as its own.
    static let adoption = Duration.seconds(60)
    /// How long the other device has to offer an activity that it took over.
    ///
    /// This is longer than ``adoption``, because the offer must also arrive at this device. The
    /// last activity that the place offers within this time counts as the one that was handed over.
    static let settling = adoption + .seconds(10)

    /// The origins of the activities that this device handed over, the latest last.
    private var given: [[UInt8]] = []
    /// The places to which activities were handed over, the latest last. `since` is nil until the
    /// place offers an activity.
    private var givenTo: [(place: Place, since: UInt32?, settles: Duration)] = []
    /// The activities that this device took over from other places, the latest last.
    private var takenFrom: [(place: Place, since: UInt32, origin: [UInt8])] = []
    /// The fetched activities, by continuation.
    private var fetched: [String: Taken] = [:]
    /// The activities that programs have accepted.
    private var accepted: [(client: ClientID, taken: Taken)] = []

    /// The number of entries in all tables.
    var count: Int { given.count + givenTo.count + takenFrom.count + fetched.count + accepted.count }

    /// Records that an app of this device has fetched an activity.
    ///
    /// - Parameter live: The continuations that exist. All others are forgotten.
    mutating func fetched(
        _ continuation: String, origin: [UInt8], type: String, from offer: Offer, live: some Collection<String>
    ) {
        fetched = fetched.filter { live.contains($0.key) }
        fetched[continuation] = Taken(origin: origin, place: offer.id, since: offer.since, type: type)
    }

    /// Records that the app took the fetched activity over.
    mutating func accepted(_ continuation: String, by client: ClientID, at uptime: Duration) {
        guard var taken = fetched.removeValue(forKey: continuation) else { return }
        taken.until = uptime + Self.adoption
        accepted.removeAll { $0.taken.until.map { $0 <= uptime } ?? true }
        accepted.append((client, taken))
        takenFrom.removeAll { $0.place == taken.place }
        takenFrom.append((taken.place, taken.since, taken.origin))
        accepted = accepted.suffix(Self.maximum)
        takenFrom = takenFrom.suffix(Self.maximum)
    }

    /// Returns the origin of the activity that an app took over and now publishes or continues; nil
    /// if the app took over no activity.
    ///
    /// The activity must have the given type. The app must have accepted the activity within the
    /// last ``adoption``, or still have it in `pending`. A pending activity comes first, because it
    /// arrived later.
    ///
    /// - Parameter pending: The app's continuations that it has not accepted yet.
    func origin(
        ofType type: String, by client: ClientID, pending: some Collection<String>, at uptime: Duration
    ) -> [UInt8]? {
        if let coming = pending.lazy.compactMap({ fetched[$0] }).first(where: { $0.type == type }) {
            return coming.origin
        }
        return accepted.last {
            $0.client == client && $0.taken.type == type && ($0.taken.until.map { $0 > uptime } ?? false)
        }?.taken.origin
    }

    /// Records that another device took over an activity of this device.
    mutating func gave(_ origin: [UInt8], to place: Place, at uptime: Duration) {
        given.removeAll { $0 == origin }
        given.append(origin)
        givenTo.removeAll { $0.place == place }
        givenTo.append((place, nil, uptime + Self.settling))
        given = given.suffix(Self.maximum)
        givenTo = givenTo.suffix(Self.maximum)
    }

    /// Records that a place offers an activity.
    ///
    /// An activity that the place offers within ``settling`` counts as the one that was handed
    /// over. The other app may publish the activity late, or continue it in an activity that it
    /// already had. An activity that is offered after that time counts as a different activity.
    mutating func offered(_ offer: Offer, at uptime: Duration) {
        guard let index = givenTo.firstIndex(where: { $0.place == offer.id }), uptime < givenTo[index].settles
        else { return }
        givenTo[index].since = offer.since
    }

    /// Records that a place offers nothing. The next offer of that place may be another activity.
    mutating func ended(_ place: Place) {
        givenTo.removeAll { $0.place == place }
        takenFrom.removeAll { $0.place == place }
    }

    /// Returns whether this device handed an activity over.
    func hasGiven(_ origin: [UInt8]) -> Bool { given.contains(origin) }

    /// Returns whether this device handed an offer's activity over to the offer's place.
    func hasGiven(_ offer: Offer) -> Bool { givenTo.contains { $0.place == offer.id && $0.since == offer.since } }

    /// Returns the origin of an offer's activity; nil unless this device took the activity over
    /// from the offer's place.
    func taken(_ offer: Offer) -> [UInt8]? {
        takenFrom.last { $0.place == offer.id && $0.since == offer.since }?.origin
    }
}
