// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Dispatch
import Glibc

/// Streams that this program has closed, until the daemon has them: from then on the daemon sees to
/// it that what was written goes over. The program's end waits for that.
enum ClosedStreams {
    /// How long the daemon may take to answer; it only has to note the streams.
    private static let patience = Duration.seconds(2)

    private static let underWay = DispatchGroup()
    /// exit(3) is called by the end of `main`, too.
    private static let waitsAtExit: Void = {
        atexit { _ = ClosedStreams.underWay.wait(timeout: .now() + ClosedStreams.patience / .seconds(1)) }
    }()

    /// Gives streams back to the daemon, beginning before this returns.
    ///
    /// - Returns: A task that says whether the daemon has them.
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

    /// Returns once the daemon has all that were closed until now, or has not answered in time.
    static func settle() async {
        await withCheckedContinuation { settled in underWay.notify(queue: .global()) { settled.resume() } }
    }
}
