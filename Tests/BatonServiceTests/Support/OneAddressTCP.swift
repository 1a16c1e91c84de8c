// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

/// TCP of a device that tells one address, whatever interfaces this machine has: no dial waits for
/// the next address on a clock that stands still.
struct OneAddressTCP: ChannelTransport {
    let transport: any ChannelTransport

    var kind: TransportKind { transport.kind }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        try await transport.connect(to: endpoint, timeout: timeout, initializer: initializer)
    }

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        OneAddress(listener: try await transport.listen(initializer: initializer))
    }

    func isDialable(_ endpoint: Endpoint) -> Bool { transport.isDialable(endpoint) }

    func isNearby(_ endpoint: Endpoint) -> Bool { transport.isNearby(endpoint) }

    private struct OneAddress: Listener {
        let listener: any Listener

        func endpoints() async -> [Endpoint] { Array(await listener.endpoints().prefix(1)) }

        func close() async { await listener.close() }
    }
}
