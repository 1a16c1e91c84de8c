// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import UserActivity

extension Application {
    /// Registers this app with the daemon, to receive the activities that the user continues.
    ///
    /// Call this function as soon as the delegate can answer. If the daemon started the app for an
    /// activity, the delegate gets `willContinue` at once, and then `continue` or `didFail`.
    ///
    /// - Parameters:
    ///   - identifier: The app's id: the name of its desktop entry without `.desktop`. The app owns
    ///     this name on the session bus.
    ///   - connection: The connection to the daemon.
    /// - Returns: An object that ends the registration.
    /// - Throws: ``BatonError`` with `invalidArgument` if the id is not a valid bus name, or with
    ///   `alreadyRunning` if another program owns it.
    public func serve(as identifier: String, on connection: BatonConnection) async throws -> ApplicationBusService {
        try await ApplicationBusService.start(
            on: connection.bus, identifier: identifier,
            handler: ServedApplication(application: self, connection: connection))
    }
}

/// Forwards the daemon's calls to the application and its delegate.
private struct ServedApplication: ApplicationBusHandler {
    let application: Application
    let connection: BatonConnection

    func willContinue(_ coming: ComingActivity) async throws -> Bool {
        guard application.declaration.continues(coming.type) else {
            throw BatonError(.notReady, appMessage: "This app does not continue activities of the type \(coming.type).")
        }
        return await application.announce(coming.type)
    }

    func continueActivity(_ activity: ContinuedActivity) async throws -> Bool {
        let continuation = Continuation(
            try FetchedActivity(activity, connection: connection.daemon), connection: connection)
        return try await application.take(continuation.activity)
    }

    func didFail(type: String, error: BatonError) async throws {
        guard await application.failForDaemon(type, Application.foundationError(error)) else {
            throw BatonError(.failed, appMessage: "This app lets Baton report the failure.")
        }
    }
}
