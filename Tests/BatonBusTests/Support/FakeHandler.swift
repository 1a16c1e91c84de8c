// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DBus
import Diagnosis
import Foundation
import Synchronization
import Testing

/// A recorded call, with its client.
struct Recorded: Sendable {
    var call: String
    var client: ClientID
}

/// A fake daemon without a service. It records its calls, and answers with samples.
final class FakeHandler: BatonBusHandler {
    struct State {
        var calls: [Recorded] = []
        var activities: [String: ActivityState] = [:]
        var options = PublishOptions()
        var needsSave: Bool?
        var failure: BatonError?
        /// The failures of single calls, by the text that is recorded.
        var failures: [String: BatonError] = [:]
        var continued: ContinuedActivity?
        var pages: [OpenedPage] = []
        var timeout: Duration?
        var descriptor: Int32 = -1
        /// The descriptor that a client has returned.
        var closed: OwnedDescriptor?
        var saved: [String: SavedActivities] = [:]
        /// Called to admit a client. If the closure is nil, every client is admitted.
        var admission: (@Sendable (ClientID) async throws -> Admission)?
        /// Called at the beginning of each call.
        var onCall: @Sendable () -> Void = {}
        /// The task for which the handler waits after a departure.
        var departureHold: Task<Void, Never>?
        /// The task for which `BecomeCurrent` waits.
        var callHold: Task<Void, Never>?
    }

    let state = Mutex(State())
    let departures: AsyncStream<ClientID>
    private let departed: AsyncStream<ClientID>.Continuation
    /// A stream with a value for each `Continue` of the offer "endless", which ends only when it is
    /// cancelled.
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
            if let failure = state.failures[call] ?? state.failure { throw failure }
        }
    }

    func admit(_ client: ClientID) async throws -> Admission {
        guard let admission = state.withLock({ $0.admission }) else { return .managing }
        return try await admission(client)
    }

    func account(of client: ClientID) async -> String? { nil }

    func clientLeft(_ client: ClientID) async {
        departed.yield(client)
        await state.withLock { $0.departureHold }?.value
    }

    var router: BusRouter {
        var router = BusRouter(otherwise: BatonError(.failed, .unsupported))
        addCircle(to: &router)
        addDevices(to: &router)
        addActivities(to: &router)
        addOffers(to: &router)
        addSaved(to: &router)
        addDecisions(to: &router)
        return router
    }

    static let status = DaemonStatus(
        version: "1.2.3", radio: "simulated", radioCondition: "ready", radioProblem: Finding(.adapterOff),
        radioReason: "asked for", adapters: ["hci0", "hci1"], device: "d1", deviceName: "Läptop", circle: "c1",
        pairingRefusedUntil: Date(timeIntervalSince1970: 1_700_000_000),
        members: [
            CircleMember(device: "d1", name: "Läptop", isThisDevice: true),
            CircleMember(
                device: "d2", name: "b", takenInBy: ["d1"], isNear: true,
                lastSeen: Date(timeIntervalSince1970: 2_000_000_000),
                transports: ["l2cap"]),
        ],
        tcp: true, endpoints: ["tcp:127.0.0.1:1"], isPaused: true,
        pausedUntil: Date(timeIntervalSince1970: 1_800_000_000),
        findings: [
            Finding(
                .clockDiffers, ["laptop": "b", "ahead": .duration(.seconds(90)), "at": .time(5), "times": .count(2)],
                command: "c"),
            Finding(Reason(code: "newer"), command: nil, reported: "v"),
        ],
        offered: OwnOffer(type: "org.example.edit", title: "T", application: "org.example.App"),
        withheld: [WithheldItem(name: "report.pdf", reason: "it is temporary")].compactMap(\.self),
        counts: ["tasks": 3])
    static let settings = UserSettings(values: ["notifications": "off", "history": "60m"], rules: ["ask", "never"])
    static let circle = CircleSummary(circle: "c1", device: "d1", deviceName: "me", members: status.members)
    static let full = OfferSummary(
        offer: "o1", device: "d2", deviceName: "b", type: "org.example.edit", title: "T", signal: -60, hasWebpage: true,
        supportsStreams: true)
    static let bare = OfferSummary(offer: "o2", device: "d3", deviceName: "c")

    static let progress = StreamProgress(sent: 1 << 40, received: 7, transport: "tcp", isWaiting: true)

    static let history = [
        HistoryEntry(
            first: Date(timeIntervalSince1970: 1_700_000_000), last: Date(timeIntervalSince1970: 1_700_000_300),
            device: "d2", deviceName: "b", application: "org.example.Notes", type: "org.example.note", count: 3),
        HistoryEntry(
            first: Date(timeIntervalSince1970: 1_600_000_000), last: Date(timeIntervalSince1970: 1_600_000_000),
            device: "d2", deviceName: "b", application: nil, type: "org.example.note"),
    ]
    static let probe = DeviceProbe(
        answer: DeviceAnswer(device: "d2", deviceName: "b", transport: "l2cap", roundTrip: .milliseconds(12)),
        here: DeviceProbe.Side(
            hears: true, signal: -52,
            ways: [
                DeviceProbe.Way(transport: "l2cap", time: .milliseconds(250)),
                DeviceProbe.Way(transport: "tcp", time: nil, reason: "nobody answers"),
            ]),
        there: DeviceProbe.Side(hears: false, isMuted: true))
    static let grants = [
        AppGrant(
            sandbox: "flatpak", application: "org.example.App", state: .pending, team: "example",
            types: ["a.b", "c.d"]),
        AppGrant(sandbox: "snap", application: "x_y", state: .granted, team: "team"),
    ]
    static let domains = [
        DomainStatus(
            application: "org.example.App", claim: "activitycontinuation:*.example.com", domain: "example.com",
            identifier: "TEAM.org.example.App", state: .agreed,
            reason: Finding(Reason(.domainLate, ["domain": "example.com"]), command: nil, reported: nil),
            answered: Date(timeIntervalSince1970: 1_800_000_000), next: Date(timeIntervalSince1970: 1_800_086_400)),
        DomainStatus(application: "org.example.Other", claim: "x", state: .refused),
    ]
    static let apps = [
        AppStatus(
            application: "mpv", name: "mpv Media Player", state: .missing, adapter: "a.b", goesOn: "file, second",
            package: "mpv-mpris"), AppStatus(application: "org.example.App", name: "App", state: .on, types: ["c.d"]),
    ]
    static let files = UserFiles(
        folders: [SharedFolder(name: "Notes", path: "/home/me/Notes")],
        copies: [DocumentCopy(path: "/a/b.pdf", size: 1 << 40, changed: Date(timeIntervalSince1970: 1_800_000_000))])
    static let adapters = [
        AdapterStatus(
            adapter: "a.b", name: "Music", state: .pending, isOfUser: true, applications: ["mpv", "vlc"],
            types: ["c.d"]), AdapterStatus(adapter: "a.c", name: "Documents", state: .on, applications: ["*"]),
    ]
}

/// The routes of the fake daemon.
extension FakeHandler {
    private func addCircle(to router: inout BusRouter) {
        router.on(CircleInterface.create) { name, _ in
            var circle = Self.circle
            circle.deviceName = name
            return circle
        }
        router.on(CircleInterface.invite) { _ in
            CircleInvitation(text: "secret", expires: Date(timeIntervalSince1970: 1_800_000_000))
        }
        router.on(CircleInterface.join) { invitation, _ in
            guard invitation == "secret" else { throw BatonError(.invitationInvalid, .invitationMalformed) }
            return Self.circle
        }
        router.on(CircleInterface.pair) { address, anew, client in
            try self.note("pair \(address ?? "")\(anew ? " anew" : "")", client)
            return PairingDigits(pairing: "p1", digits: "012345")
        }
        router.on(CircleInterface.pairByCode) { client in
            try self.note("pairByCode", client)
            return PairingCode(pairing: "p2", code: "c", expires: Date(timeIntervalSince1970: 1_800_000_000))
        }
        router.on(CircleInterface.confirm) { try self.note("confirm \($0) \($1)", $2) }
        router.on(CircleInterface.paired) { pairing, client in
            try self.note("paired \(pairing)", client)
            return Self.circle
        }
        router.on(CircleInterface.rename) { try self.note("rename \($0)", $1) }
        router.on(CircleInterface.leave) { client in
            try self.note("leave", client)
            return ["b", "Läptop"]
        }
    }

    private func addDevices(to router: inout BusRouter) {
        router.on(CircleInterface.remove) { device, client in
            try self.note("remove \(device)", client)
            return (Self.status.members[1], ["d1"])
        }
        router.on(CircleInterface.stop) { device, client in
            try self.note("stop \(device)", client)
            var member = Self.status.members[1]
            member.stoppedUntil = Date(timeIntervalSince1970: 1_800_000_000)
            return member
        }
        router.on(CircleInterface.allow) { device, client in
            try self.note("allow \(device)", client)
            return (Self.status.members[1], true)
        }
        router.on(CircleInterface.ping) { device, client in
            try self.note("ping \(device)", client)
            return DeviceAnswer(
                device: "d2", deviceName: "b", transport: "l2cap", roundTrip: .milliseconds(12),
                connecting: device == "near" ? nil : .milliseconds(1_500))
        }
        router.on(CircleInterface.probe) { device, client in
            try self.note("probe \(device)", client)
            return Self.probe
        }
    }

    private func addActivities(to router: inout BusRouter) {
        router.on(ActivitiesInterface.publish) { publication, client in
            try self.note("publish", client)
            return self.state.withLock { state in
                let id = "a\(state.activities.count + 1)"
                state.activities[id] = publication.activity
                state.options = publication.options
                state.needsSave = publication.needsSave
                return id
            }
        }
        router.on(ActivitiesInterface.update) { activity, change, client in
            let properties = try change.get()
            try self.note("update", client)
            try self.state.withLock { state in
                guard let old = state.activities[activity] else {
                    throw BatonError(.notFound, .activityUnknown, ["id": .text(activity)])
                }
                state.activities[activity] = properties.applied(to: old)
                state.needsSave = properties.needsSave
            }
        }
        router.on(ActivitiesInterface.becomeCurrent) { activity, client in
            await self.state.withLock { $0.callHold }?.value
            try self.note("current \(activity)", client)
        }
        router.on(ActivitiesInterface.resignCurrent) { try self.note("resign \($0)", $1) }
        router.on(ActivitiesInterface.invalidate) { try self.note("invalidate \($0)", $1) }
        router.on(ActivitiesInterface.takeStreams) { stream, client in
            try self.note("take \(stream)", client)
            return ("l2cap", OwnedDescriptor(adopting: self.state.withLock { $0.descriptor }))
        }
        router.on(ActivitiesInterface.closeStreams) { stream, discards, end, client in
            try self.note("close \(stream) \(discards)", client)
            self.state.withLock { $0.closed = end }
        }
        router.on(ActivitiesInterface.followStreams) { stream, client in
            try self.note("follow \(stream)", client)
            return Self.progress
        }
    }

    private func addOffers(to router: inout BusRouter) {
        router.on(OffersInterface.list) { _ in [Self.full, Self.bare] }
        router.on(OffersInterface.look) { try self.note("look", $0) }
        router.on(OffersInterface.continue) { offer, timeout, client in
            try await self.continueOffer(offer, timeout: timeout, client: client)
        }
        router.on(OffersInterface.open) { offer, options, client in
            try self.note("open \(offer) \(options.activationToken ?? "-") \(options.timeout ?? .zero)", client)
            return offer == "page"
                ? .webpage("https://example.org/") : .application(options.application ?? "org.example.App")
        }
        router.on(OffersInterface.accept) { try self.note("accept \($0) \($1)", $2) }
        router.on(OffersInterface.openStreams) { continuation, client in
            try self.note("open \(continuation)", client)
            return OpenedStreams(
                stream: "s1", transport: "tcp",
                descriptor: OwnedDescriptor(adopting: self.state.withLock { $0.descriptor }))
        }
        router.on(OffersInterface.cancel) { continuationOrOffer, client in
            try self.note("cancel \(continuationOrOffer)", client)
            if continuationOrOffer == "endless" { self.endlessEvents.yield("cancelled") }
        }
        router.on(OffersInterface.followPages) { client in
            try self.note("followPages", client)
            return self.state.withLock { $0.pages }
        }
        router.on(OffersInterface.takePage) { page, client in
            try self.note("takePage \(page)", client)
            guard let found = self.state.withLock({ $0.continued }) else {
                throw BatonError(.notFound, .pageUnknown)
            }
            return found
        }
    }

    private func continueOffer(
        _ offer: String, timeout: Duration?, client: ClientID
    ) async throws -> ContinuedActivity {
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
        guard let continued else { throw BatonError(.notFound, .offerGone) }
        return continued
    }

    private func addSaved(to router: inout BusRouter) {
        router.on(SavedInterface.save) { activity, application, _ in
            self.state.withLock { $0.saved[application ?? "", default: SavedActivities()].save(activity) }
        }
        router.on(SavedInterface.delete) { identifiers, application, _ in
            self.state.withLock { $0.saved[application ?? ""]?.delete(persistentIdentifiers: identifiers) }
        }
        router.on(SavedInterface.deleteAll) { application, _ in
            self.state.withLock { $0.saved[application ?? ""] = nil }
        }
        router.on(SavedInterface.find) { query, application, _ in
            let saved = self.state.withLock { $0.saved[application ?? ""] ?? SavedActivities() }
            return query.map { saved.activities(matching: $0) } ?? saved.activities().reversed()
        }
    }

    private func addDecisions(to router: inout BusRouter) {
        router.on(DaemonInterface.status) { _ in Self.status }
        router.on(DaemonInterface.follow) { client in
            try self.note("follow", client)
            return Self.status
        }
        router.on(SettingsInterface.follow) { client in
            try self.note("follow settings", client)
            return Self.settings
        }
        router.on(SettingsInterface.set) { try self.note("set \($0) \($1)", $2) }
        router.on(DaemonInterface.history) { client in
            try self.note("history", client)
            return Self.history
        }
        router.on(FilesInterface.follow) { _ in Self.files }
        router.on(FilesInterface.setFolder) { try self.note("folder \($0)=\($1)", $2) }
        router.on(CircleInterface.lookForPairing) { try self.note("look \($0)", $1) }
        router.on(DaemonInterface.followHistory) { _ in Self.history }
        router.on(GrantsInterface.follow) { _ in Self.grants }
        router.on(DaemonInterface.forgetHistory) { try self.note("forget history", $0) }
        router.on(RulesInterface.list) { _ in ["ask", "near signal=-50"] }
        router.on(RulesInterface.add) { try self.note("add \($0)", $1) }
        router.on(RulesInterface.insert) { try self.note("add \($1) at \($0)", $2) }
        router.on(RulesInterface.remove) { try self.note("remove \($0)", $1) }
        router.on(RulesInterface.pause) { duration, client in
            try self.note("pause \(duration.map { "\($0)" } ?? "-")", client)
        }
        router.on(RulesInterface.resume) { try self.note("resume", $0) }
        router.on(GrantsInterface.list) { _ in Self.grants }
        router.on(GrantsInterface.allow) {
            try self.note("allow \($0.sandbox) \($0.application) \($0.team) \($0.types)", $1)
        }
        router.on(GrantsInterface.refuse) {
            try self.note("refuse \($0.sandbox) \($0.application) \($0.team) \($0.types)", $1)
        }
        router.on(DomainsInterface.list) { _ in Self.domains }
        router.on(DomainsInterface.check) { domain, client in
            try self.note("check \(domain)", client)
            return Array(Self.domains.prefix(1))
        }
        router.on(AdaptersInterface.list) { _ in Self.adapters }
        router.on(AdaptersInterface.apps) { _ in Self.apps }
        router.on(AdaptersInterface.allow) { try self.note("allow adapter \($0)", $1) }
        router.on(AdaptersInterface.refuse) { try self.note("refuse adapter \($0)", $1) }
        router.on(AdaptersInterface.switch) { try self.note("switch \($0 ?? "nil") \($1)", $2) }
        router.on(AdaptersInterface.withhold) { item, client in
            try self.note("withhold \(item.map { "\($0.name): \($0.reason)" } ?? "nothing")", client)
        }
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

/// Runs a closure that must fail with the daemon's error, and returns the error's code.
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
