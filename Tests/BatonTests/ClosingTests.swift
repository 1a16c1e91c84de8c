// SPDX-License-Identifier: Apache-2.0

import BatonClient
import BatonTesting
import DBus
import Testing

@testable import BatonBus

/// Tests the end of a program's connection to the daemon.
@Suite(.timeLimit(.minutes(5)))
struct ClosingTests {
    @Test("When a connection is closed, its thread has ended, although the program is being interrupted")
    func closedForGood() async throws {
        try await FakeDaemon.with { _, bus in
            let connection = try await DaemonConnection.open(address: bus.address, options: .init()) { _ in }
            let closing = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await connection.close()
                return connection.bus.connection.isClosed
            }
            #expect(await closing.value)
        }
    }
}
