// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Synchronization

/// The channels that only test a transport, whichever side dialled (Session.md, "Probe").
final class TrialChannels: Sendable {
    private let open = Mutex<[SecureChannel]>([])

    var all: [SecureChannel] { open.withLock(\.self) }
    var count: Int { open.withLock(\.count) }

    /// Exchanges a frame in each direction, and closes the channel. Returns the other device's
    /// frame when the channel has closed, because a radio has only one link to a device.
    ///
    /// The device that dialled closes the channel when it has the answer, because queued frames are
    /// lost when a channel closes. The other device waits for that. Until then the accepted channel
    /// counts as pending (``PendingChannels``).
    ///
    /// - Throws: ``ChannelFailure`` when no frame has come in time.
    func exchange(
        on channel: SecureChannel, within timeout: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Frame {
        open.withLock { $0.append(channel) }
        defer { open.withLock { $0.removeAll { $0 === channel } } }
        channel.send(.trial)
        let answer: Result<Frame, any Error>
        do { answer = .success(try await channel.nextFrame(within: timeout)) } catch { answer = .failure(error) }
        channel.close()
        _ = await channel.failure()
        return try answer.get()
    }
}
