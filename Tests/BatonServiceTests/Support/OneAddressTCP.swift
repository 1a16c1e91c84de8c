// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

/// A TCP transport that reports only one address of the device, so that no dial waits on a stopped
/// clock before it tries the next address.
struct OneAddressTCP: TransportProxy {
    let proxied: any ChannelTransport

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        OneAddress(listener: try await proxied.listen(initializer: initializer))
    }

    private struct OneAddress: Listener {
        let listener: any Listener

        var networkEndpoints: [Endpoint] { Array(listener.networkEndpoints.prefix(1)) }

        func endpoints() async -> [Endpoint] { Array(await listener.endpoints().prefix(1)) }

        func close() async { await listener.close() }
    }
}
