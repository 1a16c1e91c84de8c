// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonClient
import BatonTesting
import DBus
import Diagnosis
import UserActivity

/// A fake daemon that the test controls, on a bus that only this test uses.
///
/// Each part's file also has the calls that the daemon answers with that part.
actor FakeDaemon: BatonBusHandler {
    /// The calls of clients, in order.
    enum Call: Hashable, Sendable {
        case published(String, needsSave: Bool)
        case updated(String, ActivityState, needsSave: Bool?)
        case becameCurrent(String)
        case resigned(String)
        case invalidated(String)
        case continued(String)
        case accepted(String, Bool)
        case openedStreams(String)
        case closedStreams(String, discards: Bool)
        case saved(ActivityState, application: String?)
    }

    nonisolated let calls: AsyncStream<Call>
    /// A stream or continuation that a client has given up.
    nonisolated let cancelled: AsyncStream<String>
    private let cancellations: AsyncStream<String>.Continuation
    private let sink: AsyncStream<Call>.Continuation

    private let connection: DBusConnection
    private(set) var service: BatonBusService?
    /// The client that published or continued last.
    var client: ClientID?

    var faults = FakeFaults()
    var circle = FakeCircle()
    let pairing = FakePairing()
    var published = FakeActivities()
    var offered = FakeOffers()
    var pages = FakePages()
    var streams = FakeStreams()
    var saved = FakeSaved()

    private var version = "1.0"
    private var endpoints: [String] = []
    private var findings: [Finding] = []

    private init(_ connection: DBusConnection) {
        self.connection = connection
        (calls, sink) = AsyncStream.makeStream(of: Call.self)
        (cancelled, cancellations) = AsyncStream.makeStream(of: String.self)
    }

    /// Runs a closure with a bus and a daemon on it.
    static func with(_ body: @Sendable (FakeDaemon, PrivateBus) async throws -> Void) async throws {
        try await PrivateBus.with { bus in
            let connection = try await DBusConnection.open(address: bus.address)
            let daemon = FakeDaemon(connection)
            try await daemon.comeBack()
            do {
                try await body(daemon, bus)
                await daemon.end()
            } catch {
                await daemon.end()
                throw error
            }
        }
    }

    /// Runs a closure with a daemon and an app's connection to it, which is closed afterwards.
    static func withConnection(_ body: @Sendable (FakeDaemon, BatonConnection) async throws -> Void) async throws {
        try await with { daemon, bus in
            let connection = try await BatonConnection.open(address: bus.address)
            try await body(daemon, connection)
            await connection.close()
        }
    }

    /// Takes the bus name, like a daemon that starts.
    func comeBack() async throws {
        service = try await BatonBusService.start(on: connection, version: "1.0", handler: self)
    }

    /// Leaves the bus name, like a daemon that ends.
    func leave() async { await service?.stop() }

    /// Ends permanently, and releases the service.
    private func end() async {
        await leave()
        service = nil
        connection.close()
    }

    /// Reports a call to the test.
    func record(_ call: Call) { sink.yield(call) }

    /// Sends a signal to the client that published or continued last.
    func tellClient(_ send: (BatonBusService, ClientID) -> Void) {
        guard let service, let client else { return }
        send(service, client)
    }

    func admit(_ client: ClientID) async throws -> Admission { .managing }

    func account(of client: ClientID) async -> String? { nil }

    nonisolated var router: BusRouter {
        var router = BusRouter(otherwise: BatonError(.failed, appMessage: "this daemon has nothing of it"))
        addDecisions(to: &router)
        addCircle(to: &router)
        addPairing(to: &router)
        addActivities(to: &router)
        addOffers(to: &router)
        addPages(to: &router)
        addSaved(to: &router)
        addStreams(to: &router)
        return router
    }

    fileprivate func cancel(_ continuationOrOffer: String) {
        streams.giveUp(continuationOrOffer)
        cancellations.yield(continuationOrOffer)
    }

    func clientLeft(_ client: ClientID) async {}

    fileprivate func trace() async throws -> OwnedDescriptor {
        try await faults.hangIfItShould()
        throw BatonError(.limitReached, appMessage: "4 traces are being recorded")
    }
}

/// The user's decisions, and the daemon's own state.
extension FakeDaemon {
    nonisolated private func addDecisions(to router: inout BusRouter) {
        router.on(DaemonInterface.status) { _ in try await self.status() }
        router.on(DaemonInterface.trace) { _, _ in try await self.trace() }
        router.on(RulesInterface.list) { _ in ["ask", "near signal=-50"] }
        router.on(RulesInterface.add) { _, _ in try await self.check() }
        router.on(RulesInterface.insert) { _, _, _ in try await self.check() }
        router.on(RulesInterface.remove) { _, _ in try await self.check() }
        router.on(RulesInterface.pause) { _, _ in try await self.check() }
        router.on(RulesInterface.resume) { _ in try await self.check() }
        router.on(OffersInterface.cancel) { continuationOrOffer, _ in await self.cancel(continuationOrOffer) }
        router.on(GrantsInterface.list) { _ in
            [AppGrant(sandbox: "flatpak", application: "org.example.Mail", state: .pending, types: ["t"])]
        }
        router.on(DomainsInterface.list) { _ in [] }
        router.on(AdaptersInterface.list) { _ in [] }
        router.on(AdaptersInterface.apps) { _ in [] }
    }
}

/// The daemon's status.
extension FakeDaemon {
    /// Sets the version in the status.
    func be(ofVersion version: String) { self.version = version }

    /// Sets the endpoints in the status.
    func listen(at endpoints: [String]) { self.endpoints = endpoints }

    /// Sets the findings in the status.
    func warn(of findings: [Finding]) { self.findings = findings }

    /// Publishes the status for panels.
    func show(_ status: PanelStatus) { service?.publish(status) }

    private func status() async throws -> DaemonStatus {
        try await faults.hangIfItShould()
        if faults.endsWhenAsked {
            connection.close()
            for await _ in connection.disconnected {}
        }
        try check()
        return DaemonStatus(
            version: version, radio: "simulated", device: "aa", deviceName: "desk", circle: circle.id,
            withoutCircle: circle.absence, pairingRefusal: circle.pairingRefusal, members: circle.members,
            tcp: !endpoints.isEmpty, endpoints: endpoints, findings: findings)
    }
}
