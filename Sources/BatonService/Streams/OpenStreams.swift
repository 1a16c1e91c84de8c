// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// How a pair of streams is attached again.
struct StreamWay: Sendable {
    /// The other device.
    let device: DeviceID
    /// What it was opened with, and is known by.
    let token: [UInt8]
    /// Where the other device said that it listens, beside the radio; for the side that dials.
    var endpoints: [Endpoint] = []
}

/// The pairs of streams with other devices, from when a place is taken for them until they have
/// ended.
///
/// `Channel` is what they run over.
struct OpenStreams<Channel: Sendable>: Sendable {
    /// A pair of streams under way.
    struct Pair: Sendable {
        let id: String
        let client: ClientID
        let way: StreamWay
        /// What they run over, or ran over last.
        fileprivate(set) var channel: Channel
        let handle: StreamEngine.Handle
        /// Whether the activity is this device's own.
        let isOrigin: Bool
        /// Given back when they end.
        let place: Int
        /// The app's end until the app has taken it. None is kept after that: one would hide that
        /// the app has closed its own.
        fileprivate(set) var untaken: OwnedDescriptor?
        /// The app's end, by which it is known again.
        let appEnd: SocketIdentity?
        /// Whether the app here has closed both directions, and given its end back.
        fileprivate(set) var isClosed = false
        /// Whether the app here has said that it does not want them any more.
        fileprivate(set) var isGivenUp = false
        /// The uptime by which the app is to have taken it; nil when it has, or is too late.
        fileprivate(set) var takenUntil: Duration?
    }

    private var tokens = StreamTokens<DeviceID>()
    private var places = StreamPlaces()
    private var pairs: [String: Pair] = [:]
    /// Of those to activities of this device that have ended, the last: the other side may not
    /// know.
    private var ended: [(way: StreamWay, handle: StreamEngine.Handle)] = []
    /// How many are kept of these.
    static var maximumEnded: Int { 64 }

    /// How many are open.
    var count: Int { pairs.count }
    /// How many places are taken, for those too that are being opened.
    var placeCount: Int { places.count }
    /// How many tokens nobody has come back with.
    var tokenCount: Int { tokens.count }
    /// All of them.
    var all: [Pair] { Array(pairs.values) }
    /// What they run over.
    var channels: [Channel] { pairs.values.map(\.channel) }
    /// Whether any belongs to an activity of this device.
    var haveOrigin: Bool { pairs.values.contains(where: \.isOrigin) }
    /// The uptime by which the first of those that wait is to be taken.
    var deadline: Duration? { pairs.values.compactMap(\.takenUntil).min() }

    /// Lets a device open a pair to an activity; nil when it has been let too often.
    mutating func issueToken(
        to device: DeviceID, of account: DeviceID, for instance: [UInt8], at uptime: Duration
    ) -> [UInt8]? {
        tokens.issue(to: device, of: account, instance: instance, at: uptime)
    }

    /// The activity to which a device opens a pair, where there is room for it.
    ///
    /// - Parameter account: To whose account its place goes.
    mutating func redeem(
        _ token: [UInt8], by device: DeviceID, of account: DeviceID, at uptime: Duration
    ) -> [UInt8]? {
        guard places.isFree(for: account) else { return nil }
        return tokens.redeem(token, by: device, at: uptime)
    }

    /// Takes a place, if there is one; it is given back by ``leave(_:)``, or when the pair has
    /// ended.
    mutating func takePlace(with account: DeviceID, for program: ClientProgram) -> Int? {
        places.take(for: account, by: program)
    }

    /// Gives a place back, once or again.
    mutating func leave(_ place: Int) { places.leave(place) }

    /// Takes in a pair that has begun.
    mutating func insert(_ pair: Pair) { pairs[pair.id] = pair }

    /// A pair that has not ended.
    subscript(id: String) -> Pair? { pairs[id] }

    /// A pair goes over another channel from now on.
    mutating func moved(_ id: String, to channel: Channel) { pairs[id]?.channel = channel }

    /// The pair to an activity of this device that a device has opened with a token, also one that
    /// has ended.
    func opened(with token: [UInt8], by device: DeviceID) -> StreamEngine.Handle? {
        let isMeant = { (way: StreamWay) in way.token == token && way.device == device }
        return pairs.values.first { $0.isOrigin && isMeant($0.way) }?.handle ?? ended.first { isMeant($0.way) }?.handle
    }

    /// Hands a pair that another device has opened over to the app that was told of it, once.
    ///
    /// - Throws: ``BatonError/Code/notFound`` for any other program, for the second time, and
    ///   when it is too late.
    mutating func take(_ id: String, by client: ClientID) throws -> (descriptor: OwnedDescriptor, channel: Channel) {
        guard let pair = pairs[id], pair.client == client, pair.takenUntil != nil, let descriptor = pair.untaken else {
            throw BatonError(
                .notFound,
                "no streams \(id) wait for this program: they are handed over once, within 30 s after StreamsOpened")
        }
        pairs[id]?.untaken = nil
        pairs[id]?.takenUntil = nil
        return (descriptor, pair.channel)
    }

    /// Takes a pair's end back from the app, once, which has closed both directions.
    ///
    /// - Throws: ``BatonError/Code/notFound`` for any other program, for the second time, and
    ///   before the app has the pair; ``BatonError/Code/invalidArgument`` for another descriptor.
    mutating func close(_ id: String, _ end: OwnedDescriptor, by client: ClientID) throws -> Pair {
        guard let pair = pairs[id], pair.client == client, pair.untaken == nil, !pair.isClosed else {
            throw BatonError(.notFound, "no open streams \(id) are this program's")
        }
        guard let appEnd = pair.appEnd, SocketIdentity(end) == appEnd else {
            throw BatonError(.invalidArgument, "descriptor: this is not the one of the streams \(id)")
        }
        pairs[id]?.isClosed = true
        return pair
    }

    /// Gives a program's pair up.
    ///
    /// - Returns: Whether there is one.
    mutating func giveUp(_ id: String, of client: ClientID) -> Bool {
        guard let pair = pairs[id], pair.client == client else { return false }
        pairs[id]?.isGivenUp = true
        pair.handle.giveUp()
        return true
    }

    /// A program that has gone takes nothing any more.
    func giveUpUntaken(of client: ClientID) {
        for pair in pairs.values where pair.client == client && pair.takenUntil != nil { pair.handle.giveUp() }
    }

    /// A pair has ended.
    ///
    /// - Returns: It; nil if that was known.
    mutating func ended(_ id: String) -> Pair? {
        guard let pair = pairs.removeValue(forKey: id) else { return nil }
        places.leave(pair.place)
        if pair.isOrigin { ended = ended.suffix(Self.maximumEnded - 1) + [(pair.way, pair.handle)] }
        return pair
    }

    /// Ends what its app has not taken in time.
    mutating func timePassed(at uptime: Duration) {
        for (id, pair) in pairs where pair.takenUntil.map({ $0 <= uptime }) == true {
            // The descriptor stays until they have ended: closed before, it would pass for an app
            // that has failed.
            pairs[id]?.takenUntil = nil
            pair.handle.expire()
        }
    }
}

extension OpenStreams.Pair {
    /// How long streams that another device has opened wait for the app here to take them.
    static var taking: Duration { .seconds(30) }

    /// A pair that begins.
    ///
    /// - Parameters:
    ///   - appEnd: The app's end.
    ///   - waiting: For streams to an activity of this device: the app's end, and the
    ///   uptime from which it waits to be taken.
    init(
        id: String, client: ClientID, way: StreamWay, channel: Channel, handle: StreamEngine.Handle, place: Int,
        appEnd: SocketIdentity? = nil, waiting: (descriptor: OwnedDescriptor, since: Duration)?
    ) {
        self.init(
            id: id, client: client, way: way, channel: channel, handle: handle, isOrigin: waiting != nil,
            place: place, untaken: waiting?.descriptor, appEnd: appEnd,
            takenUntil: waiting.map { $0.since + Self.taking })
    }
}
