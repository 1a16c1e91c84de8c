// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import DBus
public import DesktopEntries
import Diagnosis

/// Finds an app on the session bus, and starts it if it is not running.
public struct AppLauncher: Sendable {
    private let bus: DBusConnection
    private let starter: ProgramStarter
    private let limits: ApplicationTimeLimits

    /// Creates a launcher on the session bus.
    ///
    /// - Parameters:
    ///   - limits: The time limits for apps.
    ///   - session: The session, whose `PATH` is searched for programs.
    public init(
        bus: DBusConnection, limits: ApplicationTimeLimits = ApplicationTimeLimits(),
        session: SessionEnvironment = SessionEnvironment()
    ) {
        self.bus = bus
        self.limits = limits
        starter = ProgramStarter(bus: bus, session: session)
    }

    /// Returns a running app. An app that is not running is started by D-Bus activation or by its
    /// command line.
    ///
    /// - Parameters:
    ///   - app: The app. Its id is its bus name.
    ///   - activationToken: The token that lets the app's window come to the front.
    /// - Throws: ``BatonError`` with `applicationFailed`. Its message says why the app could not be
    ///   started.
    public func reach(_ app: DesktopEntry, activationToken: String?) async throws -> ApplicationBusClient {
        do {
            // Subscribe before asking for the owner, so that no change is missed.
            let changes = try await bus.nameOwnerChanges(of: app.identifier)
            if let owner = try await bus.owner(of: app.identifier) { return client(app, owner) }
            if app.isDBusActivatable, let owner = try await activate(app, token: activationToken) {
                return client(app, owner)
            }
            guard var arguments = app.arguments else {
                throw BatonError(.applicationFailed, .appWithoutCommand)
            }
            if app.needsTerminal { arguments = try await Terminal.running(arguments, isThere: starter.has) }
            let started = try await starter.start(
                arguments, identifier: app.identifier, directory: app.workingDirectory,
                environment: ProgramStarter.environment(activationToken))
            return client(app, try await firstOwner(changes, of: started, called: arguments[0]))
        } catch let error as BatonError {
            throw error.with("app", .text(app.name))
        } catch let error as DBusError {
            throw BatonError(.applicationFailed, .appCrashed, ["app": .text(app.name)], because: error)
        }
    }

    /// Shows a window of an app that D-Bus activates, or brings it to the front.
    ///
    /// - Parameters:
    ///   - action: The app's action that shows a page, or nil for the usual window.
    ///   - activationToken: The token that lets the window come to the front.
    /// - Throws: ``DBusError``.
    ///
    /// Source: Desktop Entry Specification 1.5, "D-Bus Activation".
    func show(_ app: DesktopEntry, action: String?, activationToken: String?) async throws {
        let platformData = DBusValue.properties(Self.platformData(activationToken))
        let parameters = DBusValue.array(elementSignature: "v", [])
        try await bus.call(
            destination: app.identifier, path: ApplicationBusClient.path(of: app.identifier),
            interface: Self.interface, member: action == nil ? "Activate" : "ActivateAction",
            arguments: action.map { [.string($0), parameters, platformData] } ?? [platformData],
            timeout: limits.start)
    }

    private static let interface = "org.freedesktop.Application"

    private static func platformData(_ token: String?) -> [String: DBusValue] {
        guard let token else { return [:] }
        return ["activation-token": .string(token), "desktop-startup-id": .string(token)]
    }

    /// Returns the connection of a running app, or nil if the app is not running.
    func owner(of identifier: String) async -> ClientID? {
        try? await bus.owner(of: identifier).map { ClientID(rawValue: $0) }
    }

    private func client(_ app: DesktopEntry, _ owner: String) -> ApplicationBusClient {
        ApplicationBusClient(
            identifier: app.identifier, name: app.name, isAdapter: app.isAdapter, owner: ClientID(rawValue: owner),
            connection: bus, limits: limits)
    }

    /// Starts an app by D-Bus activation.
    ///
    /// Source: Desktop Entry Specification 1.5, "D-Bus Activation".
    ///
    /// - Returns: The app's connection, or nil if D-Bus knows no such service and the entry has a
    ///   command line.
    private func activate(_ app: DesktopEntry, token: String?) async throws -> String? {
        do {
            try await show(app, action: nil, activationToken: token)
        } catch let error as DBusError where Self.isAnswered(error) {
            // The app answered, so it is running. Baton does not need its `Activate` method.
        } catch let error as DBusError where error.name == DBusError.serviceUnknown {
            if app.exec != nil { return nil }
            throw BatonError(.applicationFailed, .appWithoutService, cause: error.name)
        }
        guard let owner = try await bus.owner(of: app.identifier) else {
            throw BatonError(.applicationFailed, .appEndedAtOnce)
        }
        return owner
    }

    /// Returns whether an error is an answer of the app itself, which proves that the app is
    /// running.
    private static func isAnswered(_ error: DBusError) -> Bool {
        [DBusError.unknownObject, DBusError.unknownInterface, DBusError.unknownMethod].contains(error.name)
    }

    private func firstOwner(
        _ changes: AsyncStream<DBusNameOwnerChange>, of started: ProgramStarter.Started, called program: String
    ) async throws -> String {
        let limit = limits.start
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask {
                for await change in changes { if let owner = change.newOwner { return owner } }
                return nil
            }
            group.addTask {
                for await end in started.ends {
                    switch end {
                    // A process that the program started may still claim the name.
                    case .well: return nil
                    case .withAll(let unit):
                        throw BatonError(.applicationFailed, .appEndedEarly, ["unit": .text(unit)])
                    case .failed(let how, let unit):
                        var values = ["reason": Reason.Value.reason(how.with("program", .text(program)))]
                        values["unit"] = unit.map(Reason.Value.text)
                        throw BatonError(.applicationFailed, .appCrashed, values)
                    }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: limit)
                throw BatonError(.applicationFailed, .appLate)
            }
            defer { group.cancelAll() }
            while let first = try await group.next() { if let first { return first } }
            throw CancellationError()
        }
    }
}
