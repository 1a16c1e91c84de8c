// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Diagnosis

/// An app's handler for the daemon's calls, which ``ApplicationBusService`` receives.
public protocol ApplicationBusHandler: Sendable {
    /// Called when the user has chosen an activity, which Baton is fetching. If the app was started
    /// for the activity, this is called as soon as the app is on the bus.
    ///
    /// - Returns: Whether the app shows the user that a continuation is in progress. If not, Baton
    ///   shows it.
    /// - Throws: ``BatonError`` with `notReady` if the app cannot continue any activity. The user
    ///   sees the message, and no other call follows.
    func willContinue(_ coming: ComingActivity) async throws -> Bool
    /// Called when the activity has arrived. The continuation belongs to the app, which may open
    /// streams for it.
    ///
    /// - Returns: Whether the app has taken the activity over. This answer also accepts or declines
    ///   the continuation.
    func continueActivity(_ activity: ContinuedActivity) async throws -> Bool
    /// Called when the activity will not arrive. The error is `userCancelled` if the user cancelled
    /// the continuation.
    func didFail(type: String, error: BatonError) async throws
}

/// Serves the `org.batonproject.Application1` interface of an app.
public final class ApplicationBusService: Sendable {
    private let client: BatonBusClient
    private let identifier: String

    private init(client: BatonBusClient, identifier: String) {
        self.client = client
        self.identifier = identifier
    }

    /// Exports the object, and then requests the app's bus name, so that the object exists before
    /// the first call.
    ///
    /// - Parameters:
    ///   - client: The app's connection to the bus.
    ///   - identifier: The app's id: its desktop entry's name without `.desktop`.
    ///   - handler: The handler that answers the calls. Only the daemon's calls reach it.
    /// - Throws: ``BatonError``: `invalidArgument` if the id is not a valid bus name,
    ///   `alreadyRunning` if another program owns the name.
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
                throw BatonError(.alreadyRunning, .appRunning, ["app": .text(identifier)])
            }
        } catch let error as BatonError {
            throw error
        } catch {
            client.connection.unexport(path: path)
            throw BatonError.fromTheBus(error)
        }
    }

    /// Releases the name and withdraws the object. The connection stays open.
    public func stop() async {
        try? await client.connection.releaseName(identifier)
        client.connection.unexport(path: ApplicationBusClient.path(of: identifier))
    }

    private func object(_ handler: any ApplicationBusHandler) -> DBusObject {
        var router = BusRouter(otherwise: BatonError(.failed, .unsupported))
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

    /// Throws unless the daemon sent the call. Other programs of the user must not hand activities
    /// to the app.
    private static func checkSender(_ sender: String, on connection: DBusConnection) async throws {
        guard try await connection.owner(of: BatonBusName.bus) == sender else {
            throw DBusError(name: DBusError.accessDenied, message: BatonError(.notAllowed, .callerForeign).message)
        }
    }
}
