// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import Synchronization

/// The daemon's end of the session-bus interface.
///
/// Signals to one client are addressed to it alone. A signal that cannot be sent, because the bus
/// has gone, is dropped: ``DBusConnection/disconnected`` tells of that.
package final class BatonBusService: Sendable {
    let connection: DBusConnection
    private let handler: any BatonBusHandler
    /// What answers the calls.
    let router: BusRouter
    let clients = Mutex(ClientTable())
    /// What panels have been told.
    let panelStatus = Mutex(PanelStatus(state: .starting))
    /// The adapters that count, as was told last.
    let activeAdapters = Mutex<[String]>([])
    /// How many calls each program may still make.
    let rates = Mutex(CallRates())
    /// Departures are heard of while it is held.
    private let departures = Mutex<DBusSubscription?>(nil)

    private init(connection: DBusConnection, handler: any BatonBusHandler) {
        self.connection = connection
        self.handler = handler
        router = handler.router
    }

    /// Exports the object, then takes the bus name, so that the first call finds everything.
    ///
    /// - Parameters:
    ///   - connection: A connection to the session bus, which stays the caller's.
    ///   - version: The daemon's version, as a property.
    ///   - handler: What lets clients in, and answers their calls.
    /// - Throws: ``BatonError/Code/alreadyRunning`` when another daemon has the name, with its
    ///   process id; ``BatonError/Code/busUnavailable`` when the connection has ended.
    package static func start(
        on connection: DBusConnection, version: String, handler: any BatonBusHandler
    ) async throws -> BatonBusService {
        let service = BatonBusService(connection: connection, handler: handler)
        do {
            connection.setGate { [weak service] sender in
                service?.refusal(of: ClientID(rawValue: sender))
            } meter: { [weak service] sender, size in
                service?.rates.withLock { $0.charge(ClientID(rawValue: sender), size: size) }
            }
            // Asked for before anybody can call, so that no departure is missed.
            let departures = try await connection.onDeparture { [weak service] in service?.left($0.name) }
            service.departures.withLock { $0 = departures }
            try connection.export(service.object(version: version), at: BatonBusName.path)
            switch try await connection.requestName(BatonBusName.bus, flags: [.doNotQueue]) {
            case .primaryOwner, .alreadyOwner: return service
            case .exists, .inQueue: throw await service.alreadyRunning()
            }
        } catch {
            service.withdraw()
            throw BatonError.fromTheBus(error)
        }
    }

    /// Gives the name back and withdraws the object; the connection stays open.
    package func stop() async {
        // First the name: to who calls meanwhile the daemon has ended, and is not one that lacks
        // its objects.
        try? await connection.releaseName(BatonBusName.bus)
        withdraw()
    }

    private func withdraw() {
        departures.withLock { $0 = nil }
        connection.setGate(nil)
        connection.unexport(path: BatonBusName.path)
    }

    private func alreadyRunning() async -> BatonError {
        let process = try? await connection.credentials(of: BatonBusName.bus).processID
        let who = process.map { " (process \($0))" } ?? ""
        return BatonError(
            .alreadyRunning, "another batond\(who) already serves this session bus; stop it first")
    }

    /// A client has left, or another name has lost its owner. On the connection's thread: however
    /// long the handler takes for one, the others are forgotten at once.
    private func left(_ name: String) {
        guard name.hasPrefix(":") else { return }
        let client = ClientID(rawValue: name)
        connection.cancelCalls(from: name)
        rates.withLock { $0.leave(client, at: Self.uptime) }
        if clients.withLock({ $0.leave(client) }) { forget(client) }
    }

    /// Nothing waits for what the handler has to do: not the other departures, and no call, of
    /// which only so many are answered at once.
    private func forget(_ client: ClientID) { Task { [handler] in await handler.clientLeft(client) } }

    /// Answers a call for a client, with its errors as they stand on the bus.
    ///
    /// - Parameter needs: What the client must be let do; others are refused.
    func answer(
        _ call: DBusInvocation, needs: Admission = [],
        _ body: @escaping @Sendable (ClientID, Admission) async throws -> [DBusValue]
    ) async throws -> [DBusValue] {
        let client = ClientID(rawValue: call.sender)
        let answered: HeldCall.Body = { admission in
            do {
                let admission = try admission.get()
                guard admission.isSuperset(of: needs) else {
                    throw BatonError(
                        .notAllowed,
                        "\(call.member): a sandboxed program cannot do this; use 'baton', outside of the sandbox")
                }
                return .success(try await body(client, admission))
            } catch {
                return .failure(BatonError.onTheBus(error))
            }
        }
        clients.withLock { $0.begin(client) }
        // It may have left before this began: the connection's thread, which has seen the call, has
        // seen that too.
        if !rates.withLock({ $0.isPresent(client) }) { clients.withLock { _ = $0.leave(client) } }
        let result = await hold(client, answered)
        if clients.withLock({ $0.end(client) }) { forget(client) }
        return try result.get()
    }

    private static let start = ContinuousClock.now
    private static var uptime: Duration { start.duration(to: .now) }

    /// Why a call is not answered; nil when it is. On the connection's thread, for each call to any
    /// object of the daemon's.
    private func refusal(of client: ClientID) -> DBusError? {
        rates.withLock { $0.take(client, at: Self.uptime) ? nil : BatonError.onTheBus($0.refusal) }
    }

    /// Answers a call after all that its client called before, and off the connection's thread,
    /// which serves all of them: what arguments mean is found out in a task of the client's own.
    private func hold(_ client: ClientID, _ body: @escaping HeldCall.Body) async -> Result<[DBusValue], any Error> {
        let call = HeldCall(body)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.wait(continuation)
                switch clients.withLock({ $0.hold(call, of: client) }) {
                case .first(let admission?): Task { giveTurns(client, admission) }
                case .first(nil): Task { await admit(client) }
                case .behindOthers: break
                }
            }
        } onCancel: {
            call.cancel()
        }
    }

    /// Begins a client's calls in their order, those that come meanwhile too.
    private func giveTurns(_ client: ClientID, _ rights: Admission) {
        while case let calls = clients.withLock({ $0.take(client, admitting: rights) }), !calls.isEmpty {
            for call in calls { call.begin(.success(rights)) }
        }
    }

    /// Asks the handler whether a client is let in, then begins its calls in their order, those
    /// that come meanwhile too.
    private func admit(_ client: ClientID) async {
        do {
            let rights = try await handler.admit(client)
            if let account = await handler.account(of: client),
                !rates.withLock({ $0.identify(client, as: account, at: Self.uptime) })
            {
                throw rates.withLock { $0.refusal }
            }
            giveTurns(client, rights)
        } catch {
            for call in clients.withLock({ $0.dismiss(client) }) { call.begin(.failure(error)) }
        }
    }
}

/// The signals. What is for one program returns whether the bus takes it.
extension BatonBusService {
    /// Whether the bus takes the signal: it does not when it has not read those before for a long
    /// while, or has ended.
    @discardableResult
    private func emit(
        _ interface: String, _ member: String, _ arguments: [DBusValue], to client: ClientID? = nil
    ) -> Bool {
        do {
            try connection.emit(
                path: BatonBusName.path, interface: interface, member: member, arguments: arguments,
                destination: client?.rawValue)
            return true
        } catch {
            return false
        }
    }

    /// Tells a program what has become of its activities and streams.
    @discardableResult
    package func send(_ event: ActivityEvent, to client: ClientID) -> Bool {
        let (member, arguments) = event.bus
        return emit(BatonBusName.activities, member, arguments, to: client)
    }

    /// Tells everyone how offers change.
    package func send(_ event: OfferEvent) {
        let (member, arguments) = event.bus
        emit(BatonBusName.offers, member, arguments)
    }

    /// Tells how far an offer has come that is being opened, or fetched.
    ///
    /// - Parameter client: Whom alone to tell; nil for everyone.
    package func sendProgress(_ progress: OfferProgress, to client: ClientID? = nil) {
        emit(
            BatonBusName.offers, "Progress",
            [plain(progress.offer), plain(progress.phase.rawValue), .properties(progress.details)], to: client)
    }

    /// Tells a browser's extension of a page that is being opened.
    package func sendPageOpened(_ page: OpenedPage, to client: ClientID) {
        emit(BatonBusName.offers, "PageOpened", [plain(page.page), plain(page.address)], to: client)
    }
}
