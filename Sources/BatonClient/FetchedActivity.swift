// SPDX-License-Identifier: Apache-2.0

package import ActivityModel
package import BatonBus

/// An activity that was fetched from another device, until this program has accepted or declined
/// it.
package struct FetchedActivity: Sendable {
    /// What the other device handed over; what no activity may have is not in it.
    package let state: ActivityState
    /// The other device's id.
    package let device: String
    /// The other device's name.
    package let deviceName: String
    /// What carried the activity: `l2cap`, `tcp` or `simulated`.
    package let transport: String

    private let identifier: String
    private let connection: DaemonConnection

    /// What the daemon has handed over to this program.
    ///
    /// - Throws: ``UserActivityError`` for contents that no activity may have.
    package init(_ continued: ContinuedActivity, connection: DaemonConnection) throws {
        state = try continued.activity.validated()
        device = continued.device
        deviceName = continued.deviceName
        transport = continued.transport
        identifier = continued.continuation
        self.connection = connection
    }

    /// Whether there is a device that it came from: what a search found is this device's own.
    package var hasOrigin: Bool { !identifier.isEmpty }

    /// Takes the activity over: the other device's app is told that it was continued.
    ///
    /// What this program's activities were before is told to the daemon first: who continues from
    /// here as soon as this is known gets it.
    ///
    /// - Throws: ``BatonError`` when the other device could not be told.
    package func accept() async throws {
        await connection.settle()
        try await connection.bus.accept(continuation: identifier, accepted: true)
    }

    /// Declines the activity: for the other device's app nothing has happened.
    ///
    /// - Throws: ``BatonError`` when the other device could not be told.
    package func decline() async throws {
        try await connection.bus.accept(continuation: identifier, accepted: false)
    }

    /// Opens a pair of streams to the other device's app.
    ///
    /// - Returns: The streams, which are the caller's.
    /// - Throws: ``BatonError`` when the activity has none, or the other device cannot be
    ///   reached.
    package func openStreams() async throws -> ContinuationStreams {
        let opened: OpenedStreams
        do {
            opened = try await connection.bus.openStreams(continuation: identifier)
        } catch let error as BatonError where error.code == .notFound {
            // The daemon forgets a continuation when the other device does.
            throw BatonError(
                .connectionUnavailable, "the activity is no longer there for streams: it was continued too long ago")
        }
        guard let streams = connection.streams.adopt(opened, device: device, deviceName: deviceName) else {
            throw BatonError(.failed, "the daemon gave streams without a descriptor")
        }
        return streams
    }
}

extension DaemonConnection {
    /// Fetches an activity that another device offers.
    ///
    /// - Parameters:
    ///   - offer: The offer's id.
    ///   - timeout: How long it may take; nil leaves it to the daemon.
    /// - Returns: The activity, to be accepted or declined.
    /// - Throws: ``BatonError``, or ``UserActivityError`` for contents that no activity may
    ///   have.
    package nonisolated func continueOffer(_ offer: String, timeout: Duration? = nil) async throws -> FetchedActivity {
        try FetchedActivity(try await bus.continueOffer(offer, timeout: timeout), connection: self)
    }
}
