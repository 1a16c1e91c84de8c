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
        activity = UserActivity(state: try continued.activity.validated())
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

    /// Opens a pair of streams to the other device's app.
    ///
    /// - Returns: The streams, which are the caller's.
    /// - Throws: ``BatonBusError`` when the activity has none, or the other device cannot be reached.
    public func openStreams() async throws -> ContinuationStreams {
        let opened = try await connection.bus.openStreams(continuation: identifier)
        guard let streams = connection.streams.adopt(opened, device: device) else {
            throw BatonBusError(.failed, "the daemon gave streams without a descriptor")
        }
        return streams
    }
}

extension BatonConnection {
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
