// SPDX-License-Identifier: Apache-2.0

import BatonBus
package import BatonClient
public import UserActivity

/// An activity that was fetched from another device.
///
/// The program accepts or declines it, and may open its streams.
public struct Continuation: Sendable {
    /// The activity that was handed over.
    public let activity: UserActivity
    private let fetched: FetchedActivity

    /// Wraps an activity that the daemon gave to this program.
    package init(_ fetched: FetchedActivity, connection: BatonConnection) {
        self.fetched = fetched
        let origin = fetched.hasOrigin ? DaemonOrigin(fetched, connection.daemon) : nil
        activity = UserActivity(state: fetched.state, host: connection, origin: origin)
    }

    /// The id of the other device.
    public var device: String { fetched.device }
    /// The name of the other device.
    public var deviceName: String { fetched.deviceName }
    /// The transport that carried the activity: `l2cap`, `tcp` or `simulated`.
    public var transport: String { fetched.transport }

    /// Takes the activity over, and tells the other device's app that it was continued.
    ///
    /// The daemon first receives the pending changes of this app's own activities. So a device that
    /// continues one of them right after the acceptance gets its latest state.
    ///
    /// - Throws: ``BatonError`` when the other device could not be told.
    public func accept() async throws { try await fetched.accept() }

    /// Declines the activity. The other device's app learns nothing.
    ///
    /// - Throws: ``BatonError`` when the other device could not be told.
    public func decline() async throws { try await fetched.decline() }

    /// Opens a pair of streams to the other device's app, as a file descriptor.
    ///
    /// ``activity`` offers the same streams as Foundation objects. End of file on the descriptor
    /// does not prove that all bytes have arrived. ``BatonConnection/waitForEnd(of:)`` does.
    ///
    /// - Returns: The streams, which the caller owns.
    /// - Throws: ``BatonError`` when the activity has no streams, or the other device cannot be
    ///   reached.
    public func openStreams() async throws -> ContinuationStreams { try await fetched.openStreams() }
}

/// The app that an activity came from, on another device, which is reached through the daemon.
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
