// SPDX-License-Identifier: Apache-2.0

import BatonBus
package import BatonClient
public import UserActivity

/// An activity that was fetched from another device, until this program has accepted it and taken
/// what it needs.
public struct Continuation: Sendable {
    /// What the other device handed over.
    public let activity: UserActivity
    private let fetched: FetchedActivity

    /// What the daemon has handed over to this program.
    package init(_ fetched: FetchedActivity, connection: BatonConnection) {
        self.fetched = fetched
        let origin = fetched.hasOrigin ? DaemonOrigin(fetched, connection.daemon) : nil
        activity = UserActivity(state: fetched.state, host: connection, origin: origin)
    }

    /// The other device's id.
    public var device: String { fetched.device }
    /// The other device's name.
    public var deviceName: String { fetched.deviceName }
    /// What carried the activity: `l2cap`, `tcp` or `simulated`.
    public var transport: String { fetched.transport }

    /// Takes the activity over: the other device's app is told that it was continued.
    ///
    /// What this app's activities were before is told to the daemon first: who continues from here
    /// as soon as this is known gets it.
    ///
    /// - Throws: ``BatonError`` when the other device could not be told.
    public func accept() async throws { try await fetched.accept() }

    /// Declines the activity: for the other device's app nothing has happened.
    ///
    /// - Throws: ``BatonError`` when the other device could not be told.
    public func decline() async throws { try await fetched.decline() }

    /// Opens a pair of streams to the other device's app, as a descriptor; ``activity`` has them as
    /// Foundation's objects.
    ///
    /// End of file on the descriptor does not mean whole: ``BatonConnection/waitForEnd(of:)`` says
    /// whether what came is all.
    ///
    /// - Returns: The streams, which are the caller's.
    /// - Throws: ``BatonError`` when the activity has none, or the other device cannot be
    ///   reached.
    public func openStreams() async throws -> ContinuationStreams { try await fetched.openStreams() }
}

/// The app on another device that an activity came from, by way of the daemon.
private final class DaemonOrigin: ContinuationOrigin {
    private let fetched: FetchedActivity
    private let connection: DaemonConnection

    init(_ fetched: FetchedActivity, _ connection: DaemonConnection) {
        self.fetched = fetched
        self.connection = connection
    }

    func openStreams() async throws -> ContinuationPair {
        do {
            return ContinuationPair(adopting: try await fetched.openStreams(), of: connection)
        } catch let error as BatonError {
            throw error.foundationError
        }
    }
}
