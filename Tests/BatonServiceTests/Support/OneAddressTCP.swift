// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

/// TCP of a device that tells one address, whatever interfaces this machine has: no dial waits for
/// the next address on a clock that stands still.
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
