// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import LocalNetworks
import Logging
import NIOCore
import Synchronization
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests a service that is stopped before it has started.
    struct StartTests {
        /// A TCP transport that counts how often it has begun to listen.
        private final class CountingTCP: TransportProxy {
            let proxied: any ChannelTransport = TCPTransport(sharesMachine: true, connectionsPerSecond: .max)
            private let count = Mutex(0)

            var timesListened: Int { count.withLock(\.self) }

            func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
                count.withLock { $0 += 1 }
                return try await proxied.listen(initializer: initializer)
            }
        }

        /// Creates a service that uses a radio, TCP and local networks.
        private func service(_ world: World, _ radio: SwitchedRadio, _ tcp: CountingTCP) throws -> HandoffService {
            let (networks, _) = AsyncStream.makeStream(of: [LocalNetwork].self)
            return try HandoffService(
                configuration: .init(stateDirectory: world.stateDirectory("anna"), deviceName: "anna"),
                transports: Transports(radio: radio, others: [tcp]), clock: ManualClock(), networks: networks,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        @Test("A service that is stopped while its radio starts opens nothing more")
        func stoppedMeanwhile() async throws {
            try await World.with { world in
                let (gate, open) = AsyncStream.makeStream(of: Void.self)
                let hasBegun = Watched(false)
                let radio = SwitchedRadio {
                    hasBegun.change { $0 = true }
                    for await _ in gate {}
                }
                let tcp = CountingTCP()
                let service = try service(world, radio, tcp)
                let start = Task { try await service.start { _ in } }
                try await hasBegun.wait("the start of the radio") { $0 ? () : nil }
                let tasks = await service.lifecycle.tasks.count
                await service.stop()
                open.finish()
                try await start.value
                #expect(tcp.timesListened == 0)
                #expect(await service.lifecycle.tasks.count == tasks)
            }
        }

        @Test("A service that was stopped does not start")
        func stoppedBefore() async throws {
            try await World.with { world in
                let hasBegun = Watched(false)
                let radio = SwitchedRadio { hasBegun.change { $0 = true } }
                let tcp = CountingTCP()
                let service = try service(world, radio, tcp)
                await service.stop()
                try await service.start { _ in }
                #expect(!hasBegun.value && tcp.timesListened == 0)
                #expect(await service.lifecycle.tasks.isEmpty)
            }
        }
    }
}
