// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import UserActivity

/// An activity that was fetched from another device, until this program has accepted it and taken what it needs.
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

    init(_ continued: ContinuedActivity, connection: BatonConnection) throws {
        // What a search found is this device's own, and has no continuation.
        let origin =
            continued.continuation.isEmpty
            ? nil
            : DaemonOrigin(connection: connection, continuation: continued.continuation, device: continued.device)
        activity = UserActivity(state: try continued.activity.validated(), host: connection, origin: origin)
        device = continued.device
        deviceName = continued.deviceName
        transport = continued.transport
        identifier = continued.continuation
        self.connection = connection
    }

    /// Takes the activity over: the other device's app is told that it was continued.
    ///
    /// - Throws: ``BatonBusError`` when the other device could not be told.
    public func accept() async throws {
        try await connection.bus.accept(continuation: identifier, accepted: true)
    }

    /// Declines the activity: for the other device's app nothing has happened.
    ///
    /// - Throws: ``BatonBusError`` when the other device could not be told.
    public func decline() async throws {
        try await connection.bus.accept(continuation: identifier, accepted: false)
    }

    /// Opens a pair of streams to the other device's app, as a descriptor; ``activity`` has them as Foundation's objects.
    ///
    /// - Returns: The streams, which are the caller's.
    /// - Throws: ``BatonBusError`` when the activity has none, or the other device cannot be reached.
    public func openStreams() async throws -> ContinuationStreams {
        try await connection.openStreams(continuation: identifier, device: device)
    }
}

/// The app on another device that an activity came from, by way of the daemon.
private final class DaemonOrigin: ContinuationOrigin {
    private let connection: BatonConnection
    private let continuation: String
    private let device: String

    init(connection: BatonConnection, continuation: String, device: String) {
        self.connection = connection
        self.continuation = continuation
        self.device = device
    }

    func openStreams() async throws -> ContinuationPair {
        do {
            return connection.pair(of: try await connection.openStreams(continuation: continuation, device: device))
        } catch let error as BatonBusError {
            throw error.foundationError
        }
    }
}

extension BatonConnection {
    nonisolated func openStreams(continuation: String, device: String) async throws -> ContinuationStreams {
        let opened: OpenedStreams
        do {
            opened = try await bus.openStreams(continuation: continuation)
        } catch let error as BatonBusError where error.code == .notFound {
            // The daemon forgets a continuation when the other device does.
            throw BatonBusError(
                .connectionUnavailable, "the activity is no longer there for streams: it was continued too long ago")
        }
        guard let streams = streams.adopt(opened, device: device) else {
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
    /// - Throws: ``BatonBusError``, or ``UserActivityError`` for contents that no activity may have.
    public nonisolated func continueOffer(_ offer: String, timeout: Duration? = nil) async throws -> Continuation {
        try Continuation(try await bus.continueOffer(offer, timeout: timeout), connection: self)
    }
}
