// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

/// TCP that reports only one address, so that no dial waits for the next address on a stopped
/// clock.
struct OneAddressTCP: TransportProxy {
    let proxied: any ChannelTransport

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        OneAddress(listener: try await proxied.listen(initializer: initializer))
    }

    private struct OneAddress: Listener {
        let listener: any Listener

        func endpoints() async -> [Endpoint] { Array(await listener.endpoints().prefix(1)) }

        func close() async { await listener.close() }
    }
}
