// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis

/// The data that is needed to attach a pair of streams to another channel.
struct StreamWay: Sendable {
    let device: DeviceID
    /// The token that opened the pair and identifies it.
    let token: [UInt8]
    /// The endpoints at which the other device said that it listens, without the radio's endpoints.
    ///
    /// Only the side that dials needs these endpoints.
    var endpoints: [Endpoint] = []
}

/// The pairs of streams with other devices.
///
/// A place is taken before a pair is opened, and returned when the pair has ended. `Channel` is the
/// type of the pairs' channels.
struct OpenStreams<Channel: Sendable>: Sendable {
    /// A pair of streams that is open.
    struct Pair: Sendable {
        let id: String
        let client: ClientID
        let way: StreamWay
        /// The channel that the pair uses, or used last.
        fileprivate(set) var channel: Channel
        let handle: StreamEngine.Handle
        /// The addresses that are not dialled for a while.
        fileprivate(set) var stalls = StalledAddresses()
        /// Whether the activity is this device's own.
        let isOrigin: Bool
        /// The number of the pair's place among the open streams, which becomes free when the pair
        /// ends.
        let place: Int
        /// The app's end until the app has taken it; nil afterwards, and for a pair that this
        /// device's app opened.
        ///
        /// No copy is kept afterwards, because it would hide that the app has closed its own.
        fileprivate(set) var untaken: OwnedDescriptor?
        /// The identity of the app's end, by which the daemon recognises it later.
        let appEnd: SocketIdentity?
        /// Whether this device's app has closed both directions and returned its end.
        fileprivate(set) var isClosed = false
        /// Whether this device's app has abandoned the pair.
        fileprivate(set) var isGivenUp = false
        /// The uptime by which the app must take the pair; nil if the app has taken the pair, was
        /// too late, or opened the pair itself.
        fileprivate(set) var takenUntil: Duration?
    }

    /// A pair that another device opens, until the pair has begun or was refused.
    private struct Opening: Sendable {
        let device: DeviceID
        /// The device's last further attachment, which waits for the pair.
        var later: (attach: Attach, channel: Channel)?
    }

    private var tokens = StreamTokens<DeviceID>()
    /// The pairs that other devices open, by their tokens.
    private var openings: [[UInt8]: Opening] = [:]
    private var places = StreamPlaces()
    private var pairs: [String: Pair] = [:]
    /// The pairs to activities of this device that ended last. The other side perhaps does not know
    /// that these pairs have ended.
    private var ended: [(way: StreamWay, handle: StreamEngine.Handle)] = []
    /// The maximum number of ended pairs that are kept.
    static var maximumEnded: Int { 64 }

    var count: Int { pairs.count }
    /// The number of taken places, including the places of pairs that are being opened.
    var placeCount: Int { places.count }
    /// The number of pairs that other devices are opening.
    var openingCount: Int { openings.count }
    /// The number of tokens that no device has used.
    var tokenCount: Int { tokens.count }
    var all: [Pair] { Array(pairs.values) }
    var channels: [Channel] { pairs.values.map(\.channel) }
    /// Whether any open pair belongs to an activity of this device.
    var haveOrigin: Bool { pairs.values.contains(where: \.isOrigin) }
    /// The uptime by which an app must take the first of the waiting pairs, or nil if none waits.
    var deadline: Duration? { pairs.values.compactMap(\.takenUntil).min() }

    /// Returns a token with which a device can open a pair to an activity.
    ///
    /// Returns nil if the device got too many tokens.
    mutating func issueToken(
        to device: DeviceID, of account: DeviceID, for instance: [UInt8], at uptime: Duration
    ) -> [UInt8]? {
        tokens.issue(to: device, of: account, instance: instance, at: uptime)
    }

    /// Returns the activity to which a device opens a pair; nil if there is no room, or the token
    /// is not valid for the device.
    ///
    /// After that, the pair is being opened until ``openingEnded(_:)``.
    ///
    /// - Parameter account: The device whose limit the place counts against.
    mutating func redeem(
        _ token: [UInt8], by device: DeviceID, of account: DeviceID, at uptime: Duration
    ) -> [UInt8]? {
        guard places.isFree(for: account), let instance = tokens.redeem(token, by: device, at: uptime) else {
            return nil
        }
        openings[token] = Opening(device: device)
        return instance
    }

    /// Returns whether a device's pair with a token is being opened.
    func isOpening(_ token: [UInt8], by device: DeviceID) -> Bool { openings[token]?.device == device }

    /// Keeps an attachment until its pair is open. Only the last one is kept.
    ///
    /// - Returns: The channel of the attachment that was kept before.
    mutating func postpone(_ attach: Attach, on channel: Channel) -> Channel? {
        let older = openings[attach.token]?.later?.channel
        openings[attach.token]?.later = (attach, channel)
        return older
    }

    /// Records that a pair has begun or was refused, and returns the attachment that waits for it.
    mutating func openingEnded(_ token: [UInt8]) -> (attach: Attach, channel: Channel)? {
        openings.removeValue(forKey: token)?.later
    }

    /// Takes a place, or returns nil if none is free.
    ///
    /// The place is returned by ``leave(_:)`` or at the end of the pair.
    mutating func takePlace(with account: DeviceID, for program: ClientProgram) -> Int? {
        places.take(for: account, by: program)
    }

    /// Returns a place. Returning the same place again has no effect.
    mutating func leave(_ place: Int) { places.leave(place) }

    /// Adds a pair that has begun.
    mutating func insert(_ pair: Pair) { pairs[pair.id] = pair }

    /// Returns a pair that has not ended, or nil if there is none with this id.
    subscript(id: String) -> Pair? { pairs[id] }

    /// Records that a pair uses another channel from now on.
    mutating func moved(_ id: String, to channel: Channel) { pairs[id]?.channel = channel }

    /// Records that a pair's channel to an address has stalled.
    mutating func stalled(_ id: String, at address: String, uptime: Duration) {
        pairs[id]?.stalls.stalled(at: address, uptime: uptime)
    }

    /// Records that a pair's channel to an address stalled because this device had lost its own
    /// address.
    mutating func pardon(_ id: String, _ address: String) { pairs[id]?.stalls.pardon(address) }

    /// Returns the open pair that this device has opened to a device with a token, or nil if there
    /// is none.
    func dialled(with token: [UInt8], to device: DeviceID) -> StreamEngine.Handle? {
        pairs.values.first { !$0.isOrigin && $0.way.token == token && $0.way.device == device }?.handle
    }

    /// Returns the pair to an activity of this device that another device has opened with a token,
    /// or nil if there is none.
    ///
    /// The pair may have ended.
    func opened(with token: [UInt8], by device: DeviceID) -> StreamEngine.Handle? {
        let isMeant = { (way: StreamWay) in way.token == token && way.device == device }
        return pairs.values.first { $0.isOrigin && isMeant($0.way) }?.handle ?? ended.first { isMeant($0.way) }?.handle
    }

    /// Gives an app the pair that another device has opened. Only the app that was notified gets
    /// it, and only once.
    ///
    /// - Throws: ``BatonError/Code/notFound`` for any other program, for a second call, and after
    ///   the app's time has run out.
    mutating func take(_ id: String, by client: ClientID) throws -> (descriptor: OwnedDescriptor, channel: Channel) {
        guard let pair = pairs[id], pair.client == client, pair.takenUntil != nil, let descriptor = pair.untaken else {
            throw BatonError(.notFound, .streamsTaken)
        }
        pairs[id]?.untaken = nil
        pairs[id]?.takenUntil = nil
        return (descriptor, pair.channel)
    }

    /// Takes a pair's end back from the app, once, after the app has closed both directions.
    ///
    /// - Throws: ``BatonError/Code/notFound`` for any other program, for a second call, and before
    ///   the app has the pair. ``BatonError/Code/invalidArgument`` for another descriptor.
    mutating func close(_ id: String, _ end: OwnedDescriptor, by client: ClientID) throws -> Pair {
        guard let pair = pairs[id], pair.client == client, pair.untaken == nil, !pair.isClosed else {
            throw BatonError(.notFound, .streamsUnknown)
        }
        guard let appEnd = pair.appEnd, SocketIdentity(end) == appEnd else {
            throw BatonError(argument: "descriptor", .argumentForeign)
        }
        pairs[id]?.isClosed = true
        return pair
    }

    /// Gives a program's pair up.
    ///
    /// - Returns: Whether the program has that pair.
    mutating func giveUp(_ id: String, of client: ClientID) -> Bool {
        guard let pair = pairs[id], pair.client == client else { return false }
        pairs[id]?.isGivenUp = true
        pair.handle.giveUp()
        return true
    }

    /// Gives up the pairs that a program has not taken, because the program has left the bus.
    func giveUpUntaken(of client: ClientID) {
        for pair in pairs.values where pair.client == client && pair.takenUntil != nil { pair.handle.giveUp() }
    }

    /// Ends the reports of progress to a program, because the program has left the bus.
    func unfollow(_ client: ClientID) {
        for pair in pairs.values where pair.client == client { _ = pair.handle.follow(nil) }
    }

    /// Removes a pair that has ended.
    ///
    /// - Returns: The pair, or nil if it was removed earlier.
    mutating func ended(_ id: String) -> Pair? {
        guard let pair = pairs.removeValue(forKey: id) else { return nil }
        places.leave(pair.place)
        if pair.isOrigin { ended = ended.suffix(Self.maximumEnded - 1) + [(pair.way, pair.handle)] }
        return pair
    }

    /// Ends the pairs that their apps have not taken in time.
    mutating func timePassed(at uptime: Duration) {
        for (id, pair) in pairs where pair.takenUntil.map({ $0 <= uptime }) == true {
            // Keep the descriptor until the pair has ended. Closing it earlier would look as if the
            // app had failed.
            pairs[id]?.takenUntil = nil
            pair.handle.expire()
        }
    }
}

extension OpenStreams.Pair {
    /// How long a pair that another device has opened waits for this device's app to take it.
    static var taking: Duration { .seconds(30) }

    /// Creates the record of a pair that has just been opened.
    ///
    /// - Parameters:
    ///   - appEnd: The identity of the app's end.
    ///   - waiting: For streams to an activity of this device: the app's end, and the uptime from
    ///     which that end waits for the app to take it.
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
