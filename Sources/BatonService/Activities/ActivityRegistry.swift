// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import Diagnosis
import FoundationEssentials

/// The activities of this device's apps, and the choice of the one that is advertised.
///
/// Each app has at most one current activity. The advertised activity is the last one that became
/// current. A background activity is advertised only if no other activity can be. When the
/// advertised activity resigns or ends, or its program leaves the bus, the activity before it is
/// advertised again.
struct ActivityRegistry: Sendable {
    /// An activity of an app.
    struct Entry: Hashable, Sendable {
        /// The activity's name on the bus.
        let id: String
        /// The activity's name in the protocol, 16 random bytes.
        let instance: [UInt8]
        /// The instance with which the activity began, on this or another device.
        fileprivate(set) var origin: [UInt8]
        let client: ClientID
        let team: String
        /// The app's id, or nil if it is unknown.
        let application: String?
        /// The connection of the program for which the client acts as an adapter, or nil.
        let speaker: ClientID?
        let program: ClientProgram
        /// Whether this is a background activity, which is advertised only if no other activity can
        /// be.
        let isBackground: Bool
        /// The encoded contents, which fit into one message.
        fileprivate(set) var encoded: EncodedActivity
        /// Whether the app has newer contents than ``state``.
        var needsSave: Bool
        /// The uptime until which a device that continues the activity can open streams to it.
        ///
        /// The activity need not still be current. Nil before a device has continued the activity.
        fileprivate(set) var reachableUntil: Duration?

        var state: ActivityState { encoded.state }

        /// Returns whether a device that continues the activity can open streams to it.
        func isReachable(at uptime: Duration) -> Bool { reachableUntil.map { $0 > uptime } ?? false }
    }

    static let maximumPerClient = 64
    static let maximumPerApplication = 256
    static let maximumPrograms = 256
    /// The maximum total size of one program's contents (``EncodedActivity/size``), in bytes.
    static let maximumBytesPerProgram = 4 << 20
    /// The maximum total size of all contents, in bytes. The decoded contents take several times as
    /// much memory.
    static let maximumBytes = 16 << 20

    private var entries: [String: Entry] = [:]
    /// The apps' current activities. Background activities come first, and the latest of each kind
    /// last.
    private var current: [String] = []
    /// The activities in `current` that ``placesChanged(advertised:)`` has reported as displaced.
    private var displaced: Set<String> = []
    /// The activity of the last call of ``advertises(_:)``.
    private var lastAdvertised: String?
    private var identifiers: @Sendable () -> (id: String, instance: [UInt8])

    init(identifiers: @escaping @Sendable () -> (id: String, instance: [UInt8])) {
        self.identifiers = identifiers
    }

    /// Returns the activity to advertise now, which has not expired and which `isAdvertisable`
    /// allows; nil if there is none.
    func advertised(at unixTime: Int64, where isAdvertisable: (Entry) -> Bool = { _ in true }) -> Entry? {
        current.reversed().lazy.compactMap { entries[$0] }
            .first { !$0.hasExpired(at: unixTime) && isAdvertisable($0) }
    }

    /// Returns the activities that have lost or regained their place since the last call.
    ///
    /// An activity loses its place when another program's activity is advertised instead.
    ///
    /// - Parameter advertised: The activity that is advertised now. If nil, the result is empty.
    mutating func placesChanged(advertised: String?) -> [(entry: Entry, isCurrent: Bool)] {
        displaced.formIntersection(current)
        guard let advertised, let place = current.firstIndex(of: advertised) else { return [] }
        let lost = current[..<place].filter { displaced.insert($0).inserted }
        let regained = displaced.remove(advertised).map { [$0] } ?? []
        return lost.compactMap { id in entries[id].map { ($0, false) } }
            + regained.compactMap { id in entries[id].map { ($0, true) } }
    }

    /// Records which activity is advertised now; nil for none.
    ///
    /// - Returns: Whether another activity is advertised than at the last call. False if no
    ///   activity is advertised.
    mutating func advertises(_ id: String?) -> Bool {
        defer { lastAdvertised = id }
        return id != nil && id != lastAdvertised
    }

    /// Returns when the next current activity expires, in Unix seconds; nil if none will.
    func nextExpiry(after unixTime: Int64) -> Int64? {
        current.compactMap { entries[$0]?.expiry }.filter { $0 > unixTime }.min()
    }

    var all: some Collection<Entry> { entries.values }

    func entry(_ id: String, of client: ClientID) throws -> Entry {
        guard let entry = entries[id], entry.client == client else {
            throw BatonError(.notFound, .activityUnknown, ["id": .text(id)])
        }
        return entry
    }

    func entry(instance: [UInt8]) -> Entry? { entries.values.first { $0.instance == instance } }

    mutating func publish(
        _ state: ActivityState, team: String, application: String? = nil, speaker: ClientID? = nil,
        account: String? = nil, isBackground: Bool = false, needsSave: Bool, origin: [UInt8]? = nil, by client: ClientID
    ) throws -> Entry {
        try Self.check(team: team)
        let program = ClientProgram(account: account ?? application, client: client)
        let own = entries.values.count { $0.program == program }
        let limit = program == .connection(client) ? Self.maximumPerClient : Self.maximumPerApplication
        guard entries.values.count(where: { $0.client == client }) < Self.maximumPerClient, own < limit else {
            throw BatonError(.limitReached, .tooManyActivities)
        }
        guard own > 0 || Set(entries.values.map(\.program)).count < Self.maximumPrograms else {
            throw BatonError(.limitReached, .tooManyActivities)
        }
        let encoded = try encode(state, for: program)
        let (id, instance) = identifiers()
        let entry = Entry(
            id: id, instance: instance, origin: origin ?? instance, client: client, team: team,
            application: application, speaker: speaker, program: program, isBackground: isBackground,
            encoded: encoded, needsSave: needsSave)
        entries[id] = entry
        return entry
    }

    @discardableResult
    mutating func update(
        _ id: String, of client: ClientID, to state: ActivityState, needsSave: Bool
    ) throws -> Entry {
        var entry = try entry(id, of: client)
        guard state.activityType == entry.state.activityType else {
            throw BatonError(argument: "type", .argumentFixed)
        }
        entry.encoded = try encode(state, for: entry.program, inPlaceOf: entry.encoded.size)
        entry.needsSave = needsSave
        entries[id] = entry
        return entry
    }

    /// Records that an app's current activity continues an activity that began elsewhere.
    ///
    /// Does nothing if the activity is not current, or if another activity of the client already
    /// has the same origin.
    mutating func adopt(_ origin: [UInt8], for id: String, of client: ClientID) {
        guard current.contains(id), !entries.values.contains(where: { $0.client == client && $0.origin == origin })
        else { return }
        entries[id]?.origin = origin
    }

    /// Records that another device continues an activity.
    ///
    /// - Returns: The activity, or nil if none has this instance.
    mutating func continued(_ instance: [UInt8], reachableUntil uptime: Duration) -> Entry? {
        guard let id = entry(instance: instance)?.id else { return nil }
        entries[id]?.reachableUntil = uptime
        return entries[id]
    }

    mutating func becomeCurrent(_ id: String, of client: ClientID) throws {
        let entry = try entry(id, of: client)
        current.removeAll { entries[$0]?.client == client }
        let foreground = current.firstIndex { entries[$0]?.isBackground == false } ?? current.endIndex
        current.insert(id, at: entry.isBackground ? foreground : current.endIndex)
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

    /// Forgets a program that left the bus, with all its activities.
    mutating func clientLeft(_ client: ClientID) {
        let own = entries.values.filter { $0.client == client }.map(\.id)
        current.removeAll { own.contains($0) }
        for id in own { entries[id] = nil }
    }

    /// Encodes contents, and checks that there is room for them.
    private func encode(
        _ state: ActivityState, for program: ClientProgram, inPlaceOf old: Int = 0
    ) throws -> EncodedActivity {
        let encoded: EncodedActivity
        do { encoded = try EncodedActivity(state) } catch {
            throw BatonError(
                error.code == .userInfoTooLarge ? .userInfoTooLarge : .invalidArgument, .activityUnsendable,
                ["reason": .reason(error.explanation)])
        }
        func bytes(where isCounted: (Entry) -> Bool) -> Int {
            entries.values.reduce(encoded.size - old) { $0 + (isCounted($1) ? $1.encoded.size : 0) }
        }
        guard bytes(where: { $0.program == program }) <= Self.maximumBytesPerProgram else {
            throw BatonError(.limitReached, .activitiesTooLarge)
        }
        guard bytes(where: { _ in true }) <= Self.maximumBytes else {
            throw BatonError(.limitReached, .activitiesTooLarge)
        }
        return encoded
    }

    private static func check(team: String) throws {
        guard team.utf8.count <= ActivityState.maximumIdentifierLength, VisibleText.isVisible(team) else {
            throw BatonError(
                argument: "team", .argumentText,
                ["least": .count(0), "greatest": .count(ActivityState.maximumIdentifierLength)])
        }
    }
}

extension ActivityRegistry.Entry {
    fileprivate var expiry: Int64? { state.expirationDate.map { Int64(clamping: $0.timeIntervalSince1970) } }

    func hasExpired(at unixTime: Int64) -> Bool { expiry.map { $0 <= unixTime } ?? false }
}

extension Int64 {
    /// Creates an integer from seconds without their fraction, limited to ±9e15; 0 for NaN.
    fileprivate init(clamping seconds: Double) {
        self = seconds.isNaN ? 0 : Int64(Swift.max(-9e15, Swift.min(9e15, seconds)))
    }
}
