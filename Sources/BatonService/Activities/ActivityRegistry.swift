// SPDX-License-Identifier: Apache-2.0

import Foundation
import UserActivity

/// A program that uses the service: its unique name on the session bus.
public struct ClientID: Hashable, Sendable {
    /// The name.
    public let name: String

    /// The client of a name.
    public init(_ name: String) { self.name = name }
}

/// The activities of this device's apps, and which of them is advertised: the last to become current.
///
/// Each app has at most one current activity; when the advertised one resigns, ends or leaves the bus, the one before it counts again.
struct ActivityRegistry: Sendable {
    /// An activity of an app.
    struct Entry: Hashable, Sendable {
        /// Names the activity on the bus.
        let id: String
        /// Names the activity on the wire, 16 random bytes.
        let instance: [UInt8]
        /// The instance that the activity began as, here or on another device.
        let origin: [UInt8]
        let client: ClientID
        let team: String
        /// The app's id, where it is known.
        let application: String?
        var state: ActivityState
        /// Whether the app has more to say than `state` does.
        var needsSave: Bool
    }

    static let maximumPerClient = 64
    static let maximumClients = 256
    static let maximumTypeLength = 255
    static let maximumTeamLength = 255
    static let maximumTitleLength = 1_024

    private var entries: [String: Entry] = [:]
    private var current: [String] = []
    private var identifiers: @Sendable () -> (id: String, instance: [UInt8])

    init(identifiers: @escaping @Sendable () -> (id: String, instance: [UInt8])) {
        self.identifiers = identifiers
    }

    /// What is advertised now, leaving out what has expired and what is not to be.
    func advertised(at unixTime: Int64, where isAdvertisable: (Entry) -> Bool = { _ in true }) -> Entry? {
        current.reversed().lazy.compactMap { entries[$0] }
            .first { !$0.hasExpired(at: unixTime) && isAdvertisable($0) }
    }

    /// When what is advertised changes by itself, in Unix seconds.
    func nextExpiry(after unixTime: Int64) -> Int64? {
        current.compactMap { entries[$0]?.expiry }.filter { $0 > unixTime }.min()
    }

    var all: some Collection<Entry> { entries.values }

    func entry(_ id: String, of client: ClientID) throws -> Entry {
        guard let entry = entries[id], entry.client == client else {
            throw ServiceError(.notFound, "there is no activity \(id) of this program")
        }
        return entry
    }

    func entry(instance: [UInt8]) -> Entry? { entries.values.first { $0.instance == instance } }

    mutating func publish(
        _ state: ActivityState, team: String, application: String? = nil, needsSave: Bool, origin: [UInt8]? = nil,
        by client: ClientID
    ) throws -> Entry {
        try Self.check(state, team: team)
        let own = entries.values.count { $0.client == client }
        guard own < Self.maximumPerClient else {
            throw ServiceError(
                .limitReached, "a program has at most \(Self.maximumPerClient) activities; invalidate one first")
        }
        guard own > 0 || Set(entries.values.map(\.client)).count < Self.maximumClients else {
            throw ServiceError(.limitReached, "too many programs publish activities; close one first")
        }
        let (id, instance) = identifiers()
        let entry = Entry(
            id: id, instance: instance, origin: origin ?? instance, client: client, team: team,
            application: application, state: state,
            needsSave: needsSave)
        entries[id] = entry
        return entry
    }

    mutating func update(_ id: String, of client: ClientID, to state: ActivityState, needsSave: Bool) throws {
        var entry = try entry(id, of: client)
        guard state.activityType == entry.state.activityType else {
            throw ServiceError(.invalidArgument, "an activity's type cannot change; invalidate it and publish another")
        }
        try Self.check(state, team: entry.team)
        entry.state = state
        entry.needsSave = needsSave
        entries[id] = entry
    }

    mutating func becomeCurrent(_ id: String, of client: ClientID) throws {
        _ = try entry(id, of: client)
        current.removeAll { entries[$0]?.client == client }
        current.append(id)
    }

    mutating func resignCurrent(_ id: String, of client: ClientID) throws {
        _ = try entry(id, of: client)
        current.removeAll { $0 == id }
    }

    mutating func invalidate(_ id: String, of client: ClientID) throws {
        _ = try entry(id, of: client)
        current.removeAll { $0 == id }
        entries[id] = nil
    }

    /// Forgets a program that left the bus, with all that it published.
    mutating func clientLeft(_ client: ClientID) {
        let own = entries.values.filter { $0.client == client }.map(\.id)
        current.removeAll { own.contains($0) }
        for id in own { entries[id] = nil }
    }

    private static func check(_ state: ActivityState, team: String) throws {
        guard (1...maximumTypeLength).contains(state.activityType.utf8.count), !state.activityType.utf8.contains(0)
        else {
            throw ServiceError(
                .invalidArgument, "an activity's type has 1 to \(maximumTypeLength) bytes, none of them zero")
        }
        guard team.utf8.count <= maximumTeamLength, !team.utf8.contains(0) else {
            throw ServiceError(.invalidArgument, "a team has at most \(maximumTeamLength) bytes, none of them zero")
        }
        guard (state.title?.utf8.count ?? 0) <= maximumTitleLength else {
            throw ServiceError(.invalidArgument, "a title has at most \(maximumTitleLength) bytes")
        }
        if let scheme = state.webpageURL.map({ $0.scheme?.lowercased() }), scheme != "http", scheme != "https" {
            throw ServiceError(.invalidArgument, "webpageURL must be an http or https address")
        }
    }
}

extension ActivityRegistry.Entry {
    fileprivate var expiry: Int64? { state.expirationDate.map { Int64(clamping: $0.timeIntervalSince1970) } }

    func hasExpired(at unixTime: Int64) -> Bool { expiry.map { $0 <= unixTime } ?? false }
}

extension Int64 {
    /// The nearest value that fits; 0 for what is not a number.
    fileprivate init(clamping seconds: Double) {
        self = seconds.isNaN ? 0 : Int64(Swift.max(-9e15, Swift.min(9e15, seconds)))
    }
}
