// SPDX-License-Identifier: Apache-2.0

package import BatonBus
public import UserActivity

/// An activity that was fetched from another device, until this program has accepted it and taken
/// what it needs.
public struct Continuation: Sendable {
    /// What the other device handed over.
    public let activity: UserActivity
    /// The other device's id.
    public let device: String
    /// The other device's name.
    public let deviceName: String
    /// What carried the activity: `l2cap`, `tcp` or `simulated`.
    public let transport: String

    private let identifier: String
    private let connection: BatonConnection

    /// What the daemon has handed over to this program.
    ///
    /// - Throws: ``UserActivityError`` for contents that no activity may have.
    package init(_ continued: ContinuedActivity, connection: BatonConnection) throws {
        // What a search found is this device's own, and has no continuation.
        let origin =
            continued.continuation.isEmpty
            ? nil
            : DaemonOrigin(connection: connection, continued)
        activity = UserActivity(state: try continued.activity.validated(), host: connection, origin: origin)
        device = continued.device
        deviceName = continued.deviceName
        transport = continued.transport
        identifier = continued.continuation
        self.connection = connection
    }

    /// Takes the activity over: the other device's app is told that it was continued.
    ///
    /// What this app's activities were before is told to the daemon first: who continues from here
    /// as soon as this is known gets it.
    ///
    /// - Throws: ``BatonBusError`` when the other device could not be told.
    public func accept() async throws {
        await connection.settle()
        try await connection.bus.accept(continuation: identifier, accepted: true)
    }

    /// Declines the activity: for the other device's app nothing has happened.
    ///
    /// - Throws: ``BatonBusError`` when the other device could not be told.
    public func decline() async throws {
        try await connection.bus.accept(continuation: identifier, accepted: false)
    }

    /// Opens a pair of streams to the other device's app, as a descriptor; ``activity`` has them as
    /// Foundation's objects.
    ///
    /// End of file on the descriptor does not mean whole: ``BatonConnection/waitForEnd(of:)`` says
    /// whether what came is all.
    ///
    /// - Returns: The streams, which are the caller's.
    /// - Throws: ``BatonBusError`` when the activity has none, or the other device cannot be
    ///   reached.
    public func openStreams() async throws -> ContinuationStreams {
        try await connection.openStreams(continuation: identifier, device: device, deviceName: deviceName)
    }
}

/// The app on another device that an activity came from, by way of the daemon.
private final class DaemonOrigin: ContinuationOrigin {
    private let connection: BatonConnection
    private let continuation: String
    private let device: String
    private let deviceName: String

    init(connection: BatonConnection, _ continued: ContinuedActivity) {
        self.connection = connection
        continuation = continued.continuation
        device = continued.device
        deviceName = continued.deviceName
    }

    func openStreams() async throws -> ContinuationPair {
        do {
            return connection.pair(
                of: try await connection.openStreams(
                    continuation: continuation, device: device, deviceName: deviceName))
        } catch let error as BatonBusError {
            throw error.foundationError
        }
    }
}

extension BatonConnection {
    nonisolated func openStreams(
        continuation: String, device: String, deviceName: String
    ) async throws -> ContinuationStreams {
        let opened: OpenedStreams
        do {
            opened = try await bus.openStreams(continuation: continuation)
        } catch let error as BatonBusError where error.code == .notFound {
            // The daemon forgets a continuation when the other device does.
            throw BatonBusError(
                .connectionUnavailable, "the activity is no longer there for streams: it was continued too long ago")
        }
        guard let streams = streams.adopt(opened, device: device, deviceName: deviceName) else {
            throw BatonBusError(.failed, "the daemon gave streams without a descriptor")
        }
        return streams
    }

    /// Fetches an activity that another device offers.
    ///
    /// - Parameters:
    ///   - offer: The offer's id.
    ///   - timeout: How long it may take; nil leaves it to the daemon.
    /// - Returns: The activity, to be accepted or declined.
    /// - Throws: ``BatonBusError``, or ``UserActivityError`` for contents that no activity may
    ///   have.
    public nonisolated func continueOffer(_ offer: String, timeout: Duration? = nil) async throws -> Continuation {
        try Continuation(try await bus.continueOffer(offer, timeout: timeout), connection: self)
    }
}
