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
        func method(
            _ name: String, _ inputs: [(String, String)], _ outputs: [(String, String)] = [],
            _ body: @escaping @Sendable ([DBusValue]) async throws -> [DBusValue]
        ) -> DBusMethod {
            func arguments(_ pairs: [(String, String)]) -> [DBusArgument] { pairs.map { DBusArgument($0.0, $0.1) } }
            return DBusMethod(name, inputs: arguments(inputs), outputs: arguments(outputs)) { [client] call in
                do {
                    try await Self.checkSender(call.sender, on: client.connection)
                    return try await body(call.arguments)
                } catch {
                    throw BatonError.onTheBus(error)
                }
            }
        }
        return DBusObject(interfaces: [
            DBusInterface(
                BatonBusName.application,
                methods: [
                    method("WillContinue", [("type", "s"), ("details", "a{sv}")], [("shown", "b")]) { arguments in
                        let coming = try ComingActivity(type: arguments[0].stringValue ?? "", bus: arguments[1])
                        return [.bool(try await handler.willContinue(coming))]
                    },
                    method("Continue", [("continuation", "s"), ("activity", "a{sv}")], [("taken", "b")]) { arguments in
                        let activity = try ContinuedActivity(
                            continuation: arguments[0].stringValue ?? "", bus: arguments[1])
                        return [.bool(try await handler.continueActivity(activity))]
                    },
                    method("DidFail", [("type", "s"), ("error", "s"), ("message", "s")]) { arguments in
                        let texts = arguments.map { $0.stringValue ?? "" }
                        let error = BatonError(BatonError.Code(rawValue: texts[1]), texts[2])
                        try await handler.didFail(type: texts[0], error: error)
                        return []
                    },
                ])
        ])
    }

    /// Another program of the user's is not to hand the app activities of its own making.
    private static func checkSender(_ sender: String, on connection: DBusConnection) async throws {
        guard try await connection.owner(of: BatonBusName.bus) == sender else {
            throw DBusError(name: DBusError.accessDenied, message: "only \(BatonBusName.bus) may call this")
        }
    }
}
