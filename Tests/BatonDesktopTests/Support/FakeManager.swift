// SPDX-License-Identifier: Apache-2.0

import DBus
import Synchronization

/// A fake systemd manager of the user on a test's bus. It has only an environment.
final class FakeManager: Sendable {
    private struct State: Sendable {
        var environment: [String]?
        var questions = 0
    }

    private let connection: DBusConnection
    private let state: Mutex<State>

    /// The number of requests for the environment.
    var questions: Int { state.withLock(\.questions) }

    /// Takes the manager's name.
    ///
    /// - Parameter environment: The manager's environment, or nil for a manager that refuses the
    ///   request.
    init(bus address: String, environment: [String]?) async throws {
        state = Mutex(State(environment: environment))
        connection = try await .open(address: address)
        let property = DBusProperty(
            "Environment", "as",
            get: { [weak self] in
                guard let self else { throw DBusError(name: DBusError.failed, message: "the manager has gone") }
                return try state.withLock { state in
                    state.questions += 1
                    guard let environment = state.environment else {
                        throw DBusError(name: DBusError.failed, message: "the manager does not say it")
                    }
                    return .strings(environment)
                }
            })
        try connection.export(
            DBusObject(interfaces: [DBusInterface("org.freedesktop.systemd1.Manager", properties: [property])]),
            at: "/org/freedesktop/systemd1")
        _ = try await connection.requestName("org.freedesktop.systemd1")
    }

    /// Sets the environment, as `systemctl --user set-environment` and
    /// dbus-update-activation-environment do.
    func set(_ environment: [String]?) { state.withLock { $0.environment = environment } }

    func close() { connection.close() }
}
