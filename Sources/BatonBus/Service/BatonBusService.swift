// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import Diagnosis
internal import Synchronization

/// Serves the daemon's interface on the session bus.
///
/// A signal for one client is sent only to that client. After the bus has disconnected, signals are
/// dropped, and ``DBusConnection/disconnected`` reports the disconnection.
package final class BatonBusService: Sendable {
    let connection: DBusConnection
    private let handler: any BatonBusHandler
    /// The routes that answer the calls.
    let router: BusRouter
    let clients = Mutex(ClientTable())
    /// The state that was last published to panels.
    let panelStatus = Mutex(PanelStatus(state: .starting))
    /// The ids of the active adapters that were last published.
    let activeAdapters = Mutex<[String]>([])
    /// The apps that can take part, as they were last published.
    let apps = Mutex(InstalledApps(apps: [], adapters: []))
    /// The limits for the calls of each program.
    let rates = Mutex(CallRates())
    /// The subscription to clients' departures.
    private let departures = Mutex<DBusSubscription?>(nil)

    private init(connection: DBusConnection, handler: any BatonBusHandler) {
        self.connection = connection
        self.handler = handler
        router = handler.router
    }

    /// Exports the object, and then requests the bus name, so that the object exists before the
    /// first call.
    ///
    /// - Parameters:
    ///   - connection: A connection to the session bus. The caller remains its owner.
    ///   - version: The daemon's version, as a property.
    ///   - handler: The handler that admits clients and answers their calls.
    /// - Throws: ``BatonError/Code/alreadyRunning`` with a process id if another daemon owns the
    ///   name, or ``BatonError/Code/busUnavailable`` if the connection has ended.
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
            // Subscribe before any client can call, so that no departure is missed.
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

    /// Releases the name and withdraws the object. The connection stays open.
    package func stop() async {
        // Release the name first, so that no caller reaches a daemon without objects.
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
        return BatonError(.alreadyRunning, .daemonRunning, ["process": .text(process.map { "\($0)" } ?? "?")])
    }

    /// Handles a client's departure. Ignores well-known names, which can also lose their owner.
    ///
    /// This function runs on the connection's thread, so it does not wait for the handler.
    private func left(_ name: String) {
        guard name.hasPrefix(":") else { return }
        let client = ClientID(rawValue: name)
        connection.cancelCalls(from: name)
        rates.withLock { $0.leave(client, at: Self.uptime) }
        if clients.withLock({ $0.leave(client) }) { forget(client) }
    }

    /// Reports a departure to the handler in a separate task, so that other departures and calls do
    /// not wait for the handler.
    private func forget(_ client: ClientID) { Task { [handler] in await handler.clientLeft(client) } }

    /// Answers a call of a client. Errors are converted to their form on the bus.
    ///
    /// - Parameter needs: The rights that the client must have. Other clients are refused.
    func answer(
        _ call: DBusInvocation, needs: Admission = [],
        _ body: @escaping @Sendable (ClientID, Admission) async throws -> [DBusValue]
    ) async throws -> [DBusValue] {
        let client = ClientID(rawValue: call.sender)
        let answered: HeldCall.Body = { [self] admission in
            do {
                let admission = try admission.get()
                guard admission.isSuperset(of: needs) else {
                    throw BatonError(.notAllowed, .sandboxedCaller)
                }
                return .success(try await body(client, admission))
            } catch {
                let isExplained = clients.withLock { $0.isExplained(client) }
                return .failure(BatonError.onTheBus(error, isExplained: isExplained))
            }
        }
        clients.withLock { $0.begin(client) }
        // The connection's thread may have seen the client leave before this task began. In that
        // case record the departure now.
        if !rates.withLock({ $0.isPresent(client) }) { clients.withLock { _ = $0.leave(client) } }
        let result = await hold(client, answered)
        if clients.withLock({ $0.end(client) }) { forget(client) }
        return try result.get()
    }

    private static let start = ContinuousClock.now
    private static var uptime: Duration { start.duration(to: .now) }

    /// Returns the reason to refuse a call, or nil to answer the call. This function runs on the
    /// connection's thread for each call to any of the daemon's objects.
    private func refusal(of client: ClientID) -> DBusError? {
        rates.withLock { $0.take(client, at: Self.uptime) ? nil : BatonError.onTheBus($0.refusal) }
    }

    /// Begins a call after all earlier calls of its client have begun, and returns the answer. The
    /// arguments are decoded in a task of that client, because the connection's thread serves all
    /// clients.
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

    /// Begins a client's waiting calls in their order, including calls that arrive meanwhile.
    private func giveTurns(_ client: ClientID, _ rights: Admission) {
        while case let calls = clients.withLock({ $0.take(client, admitting: rights) }), !calls.isEmpty {
            for call in calls { call.begin(.success(rights)) }
        }
    }

    /// Asks the handler whether to admit a client. Then begins or refuses the client's calls in
    /// their order, including calls that arrive meanwhile.
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

/// The signals that the daemon sends, to all clients or to one.
extension BatonBusService {
    /// Emits a signal. Returns false if the bus has disconnected, or has not read earlier signals
    /// for a long time.
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

    /// Sends an event about a client's activities and streams to that client. Returns whether the
    /// bus accepted it.
    @discardableResult
    package func send(_ event: ActivityEvent, to client: ClientID) -> Bool {
        let (member, arguments) = event.bus
        return emit(BatonBusName.activities, member, arguments, to: client)
    }

    /// Sends a change of the offers to all clients.
    package func send(_ event: OfferEvent) {
        let (member, arguments) = event.bus
        emit(BatonBusName.offers, member, arguments)
    }

    /// Sends the progress of an offer that is being opened or fetched.
    ///
    /// - Parameter client: The only recipient, or nil for all clients.
    package func sendProgress(_ progress: OfferProgress, to client: ClientID? = nil) {
        emit(
            BatonBusName.offers, "Progress",
            [plain(progress.offer), plain(progress.phase.rawValue), .properties(progress.details)], to: client)
    }

    /// Sends the progress of a pair of streams to the client that follows it. Returns whether the
    /// bus accepted it.
    @discardableResult
    package func send(_ progress: StreamProgress, of stream: String, to client: ClientID) -> Bool {
        emit(BatonBusName.activities, "StreamProgress", [plain(stream), .properties(progress.bus)], to: client)
    }

    /// Sends the changed status to a client that follows it.
    package func send(_ status: DaemonStatus, to client: ClientID) {
        emit(BatonBusName.daemon, "StatusChanged", [.properties(status.bus)], to: client)
    }

    /// Sends the changed settings to a client that follows them.
    package func send(_ settings: UserSettings, to client: ClientID) {
        emit(BatonBusName.settings, "Changed", [.properties(settings.bus)], to: client)
    }

    /// Sends the changed grants to a client that follows them.
    package func send(_ grants: [AppGrant], to client: ClientID) {
        emit(BatonBusName.grants, "Changed", [.list(grants)], to: client)
    }

    /// Sends the changed history to a client that follows it.
    package func send(_ history: [HistoryEntry], to client: ClientID) {
        emit(BatonBusName.daemon, "HistoryChanged", [.list(history)], to: client)
    }

    /// Sends the changed files to a client that follows them.
    package func send(_ files: UserFiles, to client: ClientID) {
        emit(BatonBusName.files, "Changed", [.properties(files.bus)], to: client)
    }

    /// Sends a page that is being opened to a browser's extension.
    package func sendPageOpened(_ page: OpenedPage, to client: ClientID) {
        emit(BatonBusName.offers, "PageOpened", [plain(page.page), plain(page.address)], to: client)
    }
}
