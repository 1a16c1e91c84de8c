// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// What an app does when the daemon calls it; ``ApplicationBusService`` does the rest.
public protocol ApplicationBusHandler: Sendable {
    /// The user chose an activity, which is being fetched; called once the app runs, started for it
    /// or not.
    ///
    /// - Returns: Whether the app shows that something is under way; if not, Baton does.
    /// - Throws: ``BatonError`` with `notReady` when the app cannot continue anything; the user
    ///   sees the message, and nothing follows.
    func willContinue(_ coming: ComingActivity) async throws -> Bool
    /// The activity is there; the continuation is the app's, for its streams.
    ///
    /// - Returns: Whether the app has taken it over. There is nothing else to accept or decline.
    func continueActivity(_ activity: ContinuedActivity) async throws -> Bool
    /// The activity does not come; `userCancelled` when the user did not want it any more.
    func didFail(type: String, error: BatonError) async throws
}

/// An app's end of `org.batonproject.Application1`.
public final class ApplicationBusService: Sendable {
    private let client: BatonBusClient
    private let identifier: String

    private init(client: BatonBusClient, identifier: String) {
        self.client = client
        self.identifier = identifier
    }

    /// Exports the object, then takes the app's name, so that the first call finds everything.
    ///
    /// - Parameters:
    ///   - client: The app's connection to the bus.
    ///   - identifier: The app's id: its desktop entry's name without `.desktop`.
    ///   - handler: What answers the calls. Only the daemon's reach it.
    /// - Throws: ``BatonError``: `invalidArgument` when the id is not a bus name,
    ///   `alreadyRunning` when another program has it.
    public static func start(
        on client: BatonBusClient, identifier: String, handler: any ApplicationBusHandler
    ) async throws -> ApplicationBusService {
        let path = ApplicationBusClient.path(of: identifier)
        let service = ApplicationBusService(client: client, identifier: identifier)
        do {
            try client.connection.export(service.object(handler), at: path)
            switch try await client.connection.requestName(identifier) {
            case .primaryOwner, .alreadyOwner: return service
            case .exists, .inQueue:
                client.connection.unexport(path: path)
                throw BatonError(.alreadyRunning, "another program already is \(identifier) on this session bus")
            }
        } catch let error as BatonError {
            throw error
        } catch {
            client.connection.unexport(path: path)
            throw BatonError.fromTheBus(error)
        }
    }

    /// Gives the name back and withdraws the object; the connection stays open.
    public func stop() async {
        try? await client.connection.releaseName(identifier)
        client.connection.unexport(path: ApplicationBusClient.path(of: identifier))
    }

    private func object(_ handler: any ApplicationBusHandler) -> DBusObject {
        var router = BusRouter(otherwise: BatonError(.failed, "this app does not do that"))
        router.on(ApplicationInterface.willContinue) { coming, _ in try await handler.willContinue(coming) }
        router.on(ApplicationInterface.continue) { activity, _ in try await handler.continueActivity(activity) }
        router.on(ApplicationInterface.didFail) { type, error, _ in try await handler.didFail(type: type, error: error)
        }
        return DBusObject(interfaces: [
            DBusInterface(ApplicationInterface.self) { [client, router] method, call in
                do {
                    try await Self.checkSender(call.sender, on: client.connection)
                    return try await router.answer(
                        method, call.arguments, client: ClientID(rawValue: call.sender), admission: .managing)
                } catch {
                    throw BatonError.onTheBus(error)
                }
            }
        ])
    }

    /// Another program of the user's is not to hand the app activities of its own making.
    private static func checkSender(_ sender: String, on connection: DBusConnection) async throws {
        guard try await connection.owner(of: BatonBusName.bus) == sender else {
            throw DBusError(name: DBusError.accessDenied, message: "only \(BatonBusName.bus) may call this")
        }
    }
}
