// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Dispatch
import Glibc

/// Streams that this program has closed and the daemon does not have yet.
///
/// Once the daemon has the streams, it delivers the written bytes. A program that is about to end
/// waits until the daemon has them.
enum ClosedStreams {
    /// The longest time for the daemon's answer. The daemon only has to record the streams.
    private static let patience = Duration.seconds(2)

    private static let underWay = DispatchGroup()
    /// Waits for the daemon when exit(3) is called. The end of `main` calls exit(3) too.
    private static let waitsAtExit: Void = {
        atexit { _ = ClosedStreams.underWay.wait(timeout: .now() + ClosedStreams.patience / .seconds(1)) }
    }()

    /// Gives streams back to the daemon. The work has begun when this returns.
    ///
    /// - Returns: A task that returns whether the daemon has the streams.
    static func giveBack(
        _ stream: String, end: OwnedDescriptor, discards: Bool, to bus: BatonBusClient
    ) -> Task<Bool, Never> {
        waitsAtExit
        underWay.enter()
        return Task {
            defer { underWay.leave() }
            do {
                try await bus.closeStreams(stream, end: end, discards: discards, timeout: patience)
                return true
            } catch {
                return false
            }
        }
    }

    /// Waits until the daemon has all streams that were closed so far, or until ``patience`` is
    /// over.
    static func settle() async {
        await withCheckedContinuation { settled in underWay.notify(queue: .global()) { settled.resume() } }
    }
}
