// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import BusTesting
import DBus
import Diagnosis
import Foundation
import Synchronization
import Testing
import TraceModel

/// What a call was, and by whom.
struct Recorded: Sendable {
    var call: String
    var client: ClientID
}

/// A daemon without anything behind it: it remembers what it is told, and answers with samples.
final class FakeHandler: PartialBusHandler {
    struct State {
        var calls: [Recorded] = []
        var activities: [String: ActivityState] = [:]
        var options = PublishOptions()
        var needsSave: Bool?
        var failure: BatonError?
        var continued: ContinuedActivity?
        var pages: [OpenedPage] = []
        var timeout: Duration?
        var descriptor: Int32 = -1
        /// What a client has given back.
        var closed: OwnedDescriptor?
        var saved: [String: SavedActivities] = [:]
        /// Who is let in; nil for everybody.
        var admission: (@Sendable (ClientID) async throws -> Admission)?
        /// Called at the beginning of each call.
        var onCall: @Sendable () -> Void = {}
        /// What the handler waits for when it has been told of a departure.
        var departureHold: Task<Void, Never>?
        /// Until its end no activity becomes current.
        var callHold: Task<Void, Never>?
    }

    let state = Mutex(State())
    let departures: AsyncStream<ClientID>
    private let departed: AsyncStream<ClientID>.Continuation
    /// Waits of `Continue` for the offer "endless", which end by cancellation only.
    let endless: AsyncStream<String>
    private let endlessEvents: AsyncStream<String>.Continuation

    init() {
        (departures, departed) = AsyncStream.makeStream(of: ClientID.self)
        (endless, endlessEvents) = AsyncStream.makeStream(of: String.self)
    }

    var calls: [String] { state.withLock { $0.calls.map(\.call) } }

    private func note(_ call: String, _ client: ClientID) throws {
        state.withLock { $0.onCall }()
        try state.withLock { state in
            state.calls.append(Recorded(call: call, client: client))
            if let failure = state.failure { throw failure }
        }
    }

    func admit(_ client: ClientID) async throws -> Admission {
        guard let admission = state.withLock({ $0.admission }) else { return .managing }
        return try await admission(client)
    }

    static let status = DaemonStatus(
        version: "1.2.3", radio: "simulated", radioCondition: "ready", radioSummary: "one adapter",
        radioReason: "asked for", adapters: ["hci0", "hci1"], device: "d1", deviceName: "Läptop", circle: "c1",
        members: [
            CircleMember(device: "d1", name: "Läptop", isThisDevice: true),
            CircleMember(
                device: "d2", name: "b", takenInBy: ["d1"], isNear: true,
                lastSeen: Date(timeIntervalSince1970: 2_000_000_000),
                transports: ["l2cap"]),
        ],
        tcp: true, endpoints: ["tcp:127.0.0.1:1"], isPaused: true,
        pausedUntil: Date(timeIntervalSince1970: 1_800_000_000),
        findings: [Finding(.adapterOff, "w", command: "c"), Finding(code: "newer", text: "v", command: nil)],
        withheld: [WithheldItem(name: "report.pdf", reason: "it is temporary")].compactMap(\.self),
        counts: ["tasks": 3])
    static let circle = CircleSummary(circle: "c1", device: "d1", deviceName: "me", members: status.members)
    static let full = OfferSummary(
        offer: "o1", device: "d2", deviceName: "b", type: "org.example.edit", title: "T", signal: -60, hasWebpage: true,
        supportsStreams: true)
    static let bare = OfferSummary(offer: "o2", device: "d3", deviceName: "c")

    func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        throw BatonError(.limitReached, "4 traces are being recorded")
    }

    func status() async throws -> DaemonStatus { Self.status }
    func createCircle(name: String) async throws -> CircleSummary {
        var circle = Self.circle
        circle.deviceName = name
        return circle
    }
    func invite() async throws -> CircleInvitation {
        CircleInvitation(text: "secret", expires: Date(timeIntervalSince1970: 1_800_000_000))
    }
    func joinCircle(invitation: String) async throws -> CircleSummary {
        guard invitation == "secret" else { throw BatonError(.invitationInvalid, "not an invitation") }
        return Self.circle
    }
    func pair(address: String?, anew: Bool, client: ClientID) async throws -> PairingDigits {
        try note("pair \(address ?? "")\(anew ? " anew" : "")", client)
        return PairingDigits(pairing: "p1", digits: "012345")
    }
    func pairByCode(client: ClientID) async throws -> PairingCode {
        try note("pairByCode", client)
        return PairingCode(pairing: "p2", code: "c", expires: Date(timeIntervalSince1970: 1_800_000_000))
    }
    func confirm(pairing: String, same: Bool, client: ClientID) async throws {
        try note("confirm \(pairing) \(same)", client)
    }
    func paired(_ pairing: String, client: ClientID) async throws -> CircleSummary {
        try note("paired \(pairing)", client)
        return Self.circle
    }
    func rename(to name: String) async throws { try note("rename \(name)", ClientID(rawValue: "")) }
    func removeDevice(_ device: String) async throws -> (member: CircleMember, unvouched: [String]) {
        try note("remove \(device)", ClientID(rawValue: ""))
        return (Self.status.members[1], ["d1"])
    }
    static let history = [
        HistoryEntry(
            first: Date(timeIntervalSince1970: 1_700_000_000), last: Date(timeIntervalSince1970: 1_700_000_300),
            device: "d2", deviceName: "b", application: "org.example.Notes", type: "org.example.note", count: 3),
        HistoryEntry(
            first: Date(timeIntervalSince1970: 1_600_000_000), last: Date(timeIntervalSince1970: 1_600_000_000),
            device: "d2", deviceName: "b", application: nil, type: "org.example.note"),
    ]
    func history() async throws -> [HistoryEntry] {
        try note("history", ClientID(rawValue: ""))
        return Self.history
    }
    func forgetHistory() async throws { try note("forget history", ClientID(rawValue: "")) }
    func stopDevice(_ device: String) async throws -> CircleMember {
        try note("stop \(device)", ClientID(rawValue: ""))
        var member = Self.status.members[1]
        member.stoppedUntil = Date(timeIntervalSince1970: 1_800_000_000)
        return member
    }
    func allowDevice(_ device: String) async throws -> (member: CircleMember, wasStopped: Bool) {
        try note("allow \(device)", ClientID(rawValue: ""))
        return (Self.status.members[1], true)
    }
    func ping(_ device: String) async throws -> DeviceAnswer {
        try note("ping \(device)", ClientID(rawValue: ""))
        return DeviceAnswer(
            device: "d2", deviceName: "b", transport: "l2cap", roundTrip: .milliseconds(12),
            connecting: device == "near" ? nil : .milliseconds(1_500))
    }
    static let probe = DeviceProbe(
        answer: DeviceAnswer(device: "d2", deviceName: "b", transport: "l2cap", roundTrip: .milliseconds(12)),
        here: DeviceProbe.Side(
            hears: true, signal: -52,
            ways: [
                DeviceProbe.Way(transport: "l2cap", time: .milliseconds(250)),
                DeviceProbe.Way(transport: "tcp", time: nil, reason: "nobody answers"),
            ]),
        there: DeviceProbe.Side(hears: false, isMuted: true))

    func probe(_ device: String) async throws -> DeviceProbe {
        try note("probe \(device)", ClientID(rawValue: ""))
        return Self.probe
    }
    func leaveCircle() async throws -> [String] {
        try note("leave", ClientID(rawValue: ""))
        return ["b", "Läptop"]
    }
    func publish(
        _ activity: ActivityState, options: PublishOptions, needsSave: Bool, client: ClientID
    ) async throws -> String {
        try note("publish", client)
        return state.withLock { state in
            let id = "a\(state.activities.count + 1)"
            state.activities[id] = activity
            state.options = options
            state.needsSave = needsSave
            return id
        }
    }
    func update(activity: String, properties: ActivityProperties, client: ClientID) async throws {
        try note("update", client)
        try state.withLock { state in
            guard let old = state.activities[activity] else { throw BatonError(.notFound, "no \(activity)") }
            state.activities[activity] = properties.applied(to: old)
            state.needsSave = properties.needsSave
        }
    }
    func becomeCurrent(activity: String, client: ClientID) async throws {
        await state.withLock { $0.callHold }?.value
        try note("current \(activity)", client)
    }
    func resignCurrent(activity: String, client: ClientID) async throws { try note("resign \(activity)", client) }
    func invalidate(activity: String, client: ClientID) async throws { try note("invalidate \(activity)", client) }
    func offers() async throws -> [OfferSummary] { [Self.full, Self.bare] }
    func continueOffer(_ offer: String, timeout: Duration?, client: ClientID) async throws -> ContinuedActivity {
        try note("continue \(offer)", client)
        if offer == "endless" {
            endlessEvents.yield("begun")
            let (never, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            endlessEvents.yield("ended")
            throw CancellationError()
        }
        let continued = state.withLock { state in
            state.timeout = timeout
            return state.continued
        }
        guard let continued else { throw BatonError(.notFound, "no offer \(offer)") }
        return continued
    }
    func openOffer(_ offer: String, options: OpenOptions, client: ClientID) async throws -> OpenedOffer {
        try note("open \(offer) \(options.activationToken ?? "-") \(options.timeout ?? .zero)", client)
        return offer == "page"
            ? .webpage("https://example.org/") : .application(options.application ?? "org.example.App")
    }
    func followPages(client: ClientID) async throws -> [OpenedPage] {
        try note("followPages", client)
        return state.withLock { $0.pages }
    }
    func takePage(_ page: String) async throws -> ContinuedActivity {
        try note("takePage \(page)", ClientID(rawValue: ":0.0"))
        guard let found = state.withLock({ $0.continued }) else { throw BatonError(.notFound, "no page \(page)") }
        return found
    }
    func rules() async throws -> [String] { ["ask", "near signal=-50"] }
    func addRule(_ rule: String, at number: Int?) async throws {
        try note("add \(rule)" + (number.map { " at \($0)" } ?? ""), ClientID(rawValue: ":0.0"))
    }
    func removeRule(_ number: Int) async throws { try note("remove \(number)", ClientID(rawValue: ":0.0")) }
    func pause(for duration: Duration?) async throws {
        try note("pause \(duration.map { "\($0)" } ?? "-")", ClientID(rawValue: ":0.0"))
    }
    func resume() async throws { try note("resume", ClientID(rawValue: ":0.0")) }
    static let grants = [
        AppGrant(
            sandbox: "flatpak", application: "org.example.App", state: .pending, team: "example",
            types: ["a.b", "c.d"]),
        AppGrant(sandbox: "snap", application: "x_y", state: .granted, team: "team"),
    ]
    func grants() async throws -> [AppGrant] { Self.grants }
    static let domains = [
        DomainStatus(
            application: "org.example.App", claim: "activitycontinuation:*.example.com", domain: "example.com",
            identifier: "TEAM.org.example.App", state: .agreed, reason: "r",
            answered: Date(timeIntervalSince1970: 1_800_000_000), next: Date(timeIntervalSince1970: 1_800_086_400)),
        DomainStatus(application: "org.example.Other", claim: "x", state: .refused),
    ]
    func domains() async throws -> [DomainStatus] { Self.domains }
    func checkDomain(_ domain: String) async throws -> [DomainStatus] {
        try note("check \(domain)", ClientID(rawValue: ":0.0"))
        return Array(Self.domains.prefix(1))
    }
    static let adapters = [
        AdapterStatus(
            adapter: "a.b", name: "Music", state: .pending, isOfUser: true, applications: ["mpv", "vlc"],
            types: ["c.d"]), AdapterStatus(adapter: "a.c", name: "Documents", state: .on, applications: ["*"]),
    ]
    func adapters() async throws -> [AdapterStatus] { Self.adapters }
    func allowAdapter(_ adapter: String) async throws {
        try note("allow adapter \(adapter)", ClientID(rawValue: ":0.0"))
    }
    func refuseAdapter(_ adapter: String) async throws {
        try note("refuse adapter \(adapter)", ClientID(rawValue: ":0.0"))
    }
    func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        try note("switch \(adapter ?? "nil") \(isOn)", ClientID(rawValue: ":0.0"))
    }
    func withhold(_ item: WithheldItem?, client: ClientID) async throws {
        try note("withhold \(item.map { "\($0.name): \($0.reason)" } ?? "nothing")", client)
    }
    func allow(_ grant: AppGrant) async throws {
        try note("allow \(grant.sandbox) \(grant.application) \(grant.team) \(grant.types)", ClientID(rawValue: ":0.0"))
    }
    func refuse(_ grant: AppGrant) async throws {
        try note(
            "refuse \(grant.sandbox) \(grant.application) \(grant.team) \(grant.types)", ClientID(rawValue: ":0.0"))
    }
    func accept(continuation: String, accepted: Bool, client: ClientID) async throws {
        try note("accept \(continuation) \(accepted)", client)
    }
    func openStreams(continuation: String, client: ClientID) async throws -> OpenedStreams {
        try note("open \(continuation)", client)
        return OpenedStreams(
            stream: "s1", transport: "tcp", descriptor: OwnedDescriptor(adopting: state.withLock { $0.descriptor }))
    }
    func takeStreams(_ stream: String, client: ClientID) async throws -> OpenedStreams {
        try note("take \(stream)", client)
        return OpenedStreams(
            stream: stream, transport: "l2cap", descriptor: OwnedDescriptor(adopting: state.withLock { $0.descriptor })
        )
    }
    func closeStreams(_ stream: String, end: OwnedDescriptor, discards: Bool, client: ClientID) async throws {
        try note("close \(stream) \(discards)", client)
        state.withLock { $0.closed = end }
    }
    func cancel(_ continuationOrOffer: String, client: ClientID) async throws {
        try note("cancel \(continuationOrOffer)", client)
        if continuationOrOffer == "endless" { endlessEvents.yield("cancelled") }
    }
    func save(_ activity: SavedUserActivity, application: String?, client: ClientID) async throws {
        state.withLock { $0.saved[application ?? "", default: SavedActivities()].save(activity) }
    }
    func deleteSaved(persistentIdentifiers: Set<String>, application: String?, client: ClientID) async throws {
        state.withLock { $0.saved[application ?? ""]?.delete(persistentIdentifiers: persistentIdentifiers) }
    }
    func deleteAllSaved(application: String?, client: ClientID) async throws {
        state.withLock { $0.saved[application ?? ""] = nil }
    }
    func savedActivities(
        matching query: String?, application: String?, client: ClientID
    ) async throws -> [SavedUserActivity] {
        let saved = state.withLock { $0.saved[application ?? ""] ?? SavedActivities() }
        return query.map { saved.activities(matching: $0) } ?? saved.activities().reversed()
    }
    func clientLeft(_ client: ClientID) async {
        departed.yield(client)
        await state.withLock { $0.departureHold }?.value
    }
}

/// A bus with a service and a client on it.
struct Ends: Sendable {
    var bus: PrivateBus
    var daemon: DBusConnection
    var handler: FakeHandler
    var service: BatonBusService
    var client: BatonBusClient

    static func with(_ body: @Sendable (Ends) async throws -> Void) async throws {
        try await PrivateBus.with { bus in
            var limits = DBusLimits()
            limits.combiningMarks = CombiningMarks.maximum
            let daemon = try await DBusConnection.open(address: bus.address, limits: limits)
            let handler = FakeHandler()
            let service = try await BatonBusService.start(on: daemon, version: "1.2.3", handler: handler)
            let client = try await BatonBusClient.connect(address: bus.address)
            try await body(Ends(bus: bus, daemon: daemon, handler: handler, service: service, client: client))
            client.close()
            daemon.close()
        }
    }

    /// Calls the daemon as a program in another language would.
    func raw(_ interface: String, _ member: String, _ arguments: [DBusValue]) async throws -> [DBusValue] {
        let connection = try await DBusConnection.open(address: bus.address)
        defer { connection.close() }
        return try await connection.call(
            destination: BatonBusName.bus, path: BatonBusName.path, interface: interface, member: member,
            arguments: arguments)
    }
}

/// Runs what must fail with an error of the daemon's, and gives its code.
func code(_ body: () async throws -> Void) async -> BatonError.Code? {
    do {
        try await body()
        return nil
    } catch let error as BatonError {
        return error.code
    } catch {
        return BatonError.Code(rawValue: "\(error)")
    }
}
