// SPDX-License-Identifier: GPL-3.0-or-later

import Dispatch
import L2CAP
import Testing

@testable import BlueZTransport

/// Tests the closing of channels, in which a kernel bug may kill the calling thread
/// (Decisions/0090-closing-may-take-a-thread.md).
@Suite(.timeLimit(.minutes(2))) struct ChannelCloserTests {
    @Test("If the kernel blocks every thread that closes a channel, tasks still run")
    func threadsAreTaken() async {
        // This is more than the number of threads for tasks.
        let count = 64
        let gate = DispatchSemaphore(value: 0)
        let (closed, continuation) = AsyncStream.makeStream(of: CInt.self)
        for descriptor in 0..<CInt(count) {
            ChannelCloser.close(descriptor) {
                continuation.yield($0)
                gate.wait()
            }
        }
        var descriptors: Set<CInt> = []
        for await descriptor in closed {
            descriptors.insert(descriptor)
            if descriptors.count == count { break }
        }
        #expect(descriptors == Set(0..<CInt(count)))
        for _ in 0..<count { gate.signal() }
    }
}
