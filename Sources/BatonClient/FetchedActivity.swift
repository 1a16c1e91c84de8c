// SPDX-License-Identifier: Apache-2.0

package import ActivityModel
package import BatonBus
import Diagnosis

/// An activity that was fetched from another device, to be accepted or declined.
package struct FetchedActivity: Sendable {
    /// The validated state that the other device handed over.
    package let state: ActivityState
    /// The id of the other device.
    package let device: String
    /// The name of the other device.
    package let deviceName: String
    /// The transport that carried the activity: `l2cap`, `tcp` or `simulated`.
    package let transport: String

    private let identifier: String
    private let connection: DaemonConnection

    /// Wraps an activity that the daemon gave to this program.
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

    /// Whether the activity came from another device, and not from a search on this device.
    package var hasOrigin: Bool { !identifier.isEmpty }

    /// Takes the activity over, and tells the other device's app that it was continued.
    ///
    /// The daemon first receives the pending changes of this program's own activities. A device
    /// that continues one of them right after the acceptance therefore gets the latest state.
    ///
    /// - Throws: ``BatonError`` when the other device could not be told.
    package func accept() async throws {
        await connection.settle()
        try await connection.bus.accept(continuation: identifier, accepted: true)
    }

    /// Declines the activity. The other device's app learns nothing.
    ///
    /// - Throws: ``BatonError`` when the other device could not be told.
    package func decline() async throws {
        try await connection.bus.accept(continuation: identifier, accepted: false)
    }

    /// Opens a pair of streams to the other device's app.
    ///
    /// - Returns: The streams, which the caller owns.
    /// - Throws: ``BatonError`` when the activity has no streams, or the other device cannot be
    ///   reached.
    package func openStreams() async throws -> ContinuationStreams {
        let opened: OpenedStreams
        do {
            opened = try await connection.bus.openStreams(continuation: identifier)
        } catch let error as BatonError where error.code == .notFound {
            // The daemon forgets a continuation when the other device does.
            throw BatonError(.connectionUnavailable, .streamsLate)
        }
        guard let streams = connection.streams.adopt(opened, device: device, deviceName: deviceName) else {
            throw BatonError(.failed, .streamsUnknown)
        }
        return streams
    }
}

extension DaemonConnection {
    /// Fetches an activity that another device offers.
    ///
    /// - Parameters:
    ///   - offer: The offer's id.
    ///   - timeout: The longest time for the fetch, or nil for the daemon's own limit.
    /// - Returns: The activity, which must be accepted or declined.
    /// - Throws: ``BatonError``, or ``UserActivityError`` for contents that no activity may have.
    package nonisolated func continueOffer(_ offer: String, timeout: Duration? = nil) async throws -> FetchedActivity {
        try FetchedActivity(try await bus.continueOffer(offer, timeout: timeout), connection: self)
    }
}
