// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Where activities came from, and where they went: what keeps rules that continue by themselves
/// from handing one over for ever.
///
/// An activity's *origin* is the instance that it began as, whatever devices and apps it went
/// through since.
struct Lineage: Sendable {
    /// Where an activity may be: on a device, under a hash.
    typealias Place = Offer.ID

    private struct Taken: Sendable {
        var origin: [UInt8]
        var place: Place
        /// Which of the place's activities it is: ``Offer/since``.
        var since: UInt32
        var type: String
        /// Until when an activity of this type that the app publishes is this one; nil while the
        /// app has yet to accept it.
        var until: Duration?
    }

    /// How many activities, places and continuations are remembered; those longest known go first.
    static let maximum = 1_024
    /// How long after it has accepted an activity an app may publish it as its own.
    static let adoption = Duration.seconds(60)
    /// How long after that its offer may be heard: for which of a place's activities is the one
    /// that was given there.
    static let settling = adoption + .seconds(10)

    /// Given away, the latest last.
    private var given: [[UInt8]] = []
    /// Where what was given away is now, as far as it is known, the latest last.
    private var givenTo: [(place: Place, since: UInt32?, settles: Duration)] = []
    /// What each place's activity is here, the latest last.
    private var takenFrom: [(place: Place, since: UInt32, origin: [UInt8])] = []
    /// By continuation.
    private var fetched: [String: Taken] = [:]
    /// What programs have accepted.
    private var accepted: [(client: ClientID, taken: Taken)] = []

    /// How much is remembered in all.
    var count: Int { given.count + givenTo.count + takenFrom.count + fetched.count + accepted.count }

    /// An app here has fetched an activity.
    ///
    /// - Parameter live: The continuations that there are; the others are forgotten.
    mutating func fetched(
        _ continuation: String, origin: [UInt8], type: String, from offer: Offer, live: some Collection<String>
    ) {
        fetched = fetched.filter { live.contains($0.key) }
        fetched[continuation] = Taken(origin: origin, place: offer.id, since: offer.since, type: type)
    }

    /// It took the activity over.
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

    /// What an activity that an app publishes, or goes on with, began as, if the app has just taken
    /// one of this type over, or is about to.
    ///
    /// What it is about to take over counts before what it has taken: that came later.
    ///
    /// - Parameter pending: The app's continuations that it has yet to accept.
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

    /// Another device took an activity of this one over.
    mutating func gave(_ origin: [UInt8], to place: Place, at uptime: Duration) {
        given.removeAll { $0 == origin }
        given.append(origin)
        givenTo.removeAll { $0.place == place }
        givenTo.append((place, nil, uptime + Self.settling))
        given = given.suffix(Self.maximum)
        givenTo = givenTo.suffix(Self.maximum)
    }

    /// A place offers something. What it offers within ``settling`` is taken for what was given
    /// there: the app there may publish that only now, or go on in an activity that it had. What
    /// comes later is another activity.
    mutating func offered(_ offer: Offer, at uptime: Duration) {
        guard let index = givenTo.firstIndex(where: { $0.place == offer.id }), uptime < givenTo[index].settles
        else { return }
        givenTo[index].since = offer.since
    }

    /// A place offers nothing any more; what it offers later may be another activity.
    mutating func ended(_ place: Place) {
        givenTo.removeAll { $0.place == place }
        takenFrom.removeAll { $0.place == place }
    }

    /// Whether this device gave an activity away.
    func hasGiven(_ origin: [UInt8]) -> Bool { given.contains(origin) }

    /// Whether what a place offers was given there by this device.
    func hasGiven(_ offer: Offer) -> Bool { givenTo.contains { $0.place == offer.id && $0.since == offer.since } }

    /// What a place's activity is here, if it was taken over from there.
    func taken(_ offer: Offer) -> [UInt8]? {
        takenFrom.last { $0.place == offer.id && $0.since == offer.since }?.origin
    }
}
