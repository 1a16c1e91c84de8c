// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import UserActivity

extension Application {
    /// Has the daemon hand activities to this app when the user chooses an offer, wherever that is;
    /// by then the app may have been started for it.
    ///
    /// Call it as soon as the delegate can answer. The delegate gets `willContinue` at once, then
    /// `continue` or `didFail`.
    ///
    /// - Parameters:
    ///   - identifier: The app's id, its desktop entry's name without `.desktop`. The app owns it
    ///     as a name on the session bus.
    ///   - connection: The connection to the daemon.
    /// - Returns: What withdraws the app again.
    /// - Throws: ``BatonError``: `invalidArgument` when the id is not a bus name,
    ///   `alreadyRunning` when another program has it.
    public func serve(as identifier: String, on connection: BatonConnection) async throws -> ApplicationBusService {
        try await ApplicationBusService.start(
            on: connection.bus, identifier: identifier,
            handler: ServedApplication(application: self, connection: connection))
    }
}

/// The daemon's calls, as the delegate gets them.
private struct ServedApplication: ApplicationBusHandler {
    let application: Application
    let connection: BatonConnection

    func willContinue(_ coming: ComingActivity) async throws -> Bool {
        guard application.declaration.continues(coming.type) else {
            throw BatonError(.notReady, "the app does not continue activities of the type \(coming.type)")
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
            throw BatonError(.failed, "the app leaves it to Baton to say so")
        }
    }
}
