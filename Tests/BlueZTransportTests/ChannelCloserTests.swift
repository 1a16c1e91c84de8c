// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import L2CAP
import Testing

@testable import BlueZTransport

/// Closing may take a thread (Decisions/0090-closing-may-take-a-thread.md).
@Suite(.timeLimit(.minutes(1))) struct ChannelCloserTests {
    @Test("A kernel that takes each thread that closes a channel takes none that tasks run on")
    func threadsAreTaken() async {
        // More than there are threads for tasks.
        let count = 64
        let (closed, continuation) = AsyncStream.makeStream(of: CInt.self)
        await withTaskGroup { group in
            for descriptor in 0..<CInt(count) {
                group.addTask {
                    ChannelCloser.close(descriptor) {
                        continuation.yield($0)
                        pthread_exit(nil)
                    }
                }
            }
        }
        var descriptors: Set<CInt> = []
        for await descriptor in closed {
            descriptors.insert(descriptor)
            if descriptors.count == count { break }
        }
        #expect(descriptors == Set(0..<CInt(count)))
    }
}
