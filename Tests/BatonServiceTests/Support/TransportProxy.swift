// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

/// A transport that passes all calls on to another one. A test's transport implements only the
/// calls that differ.
protocol TransportProxy: ChannelTransport {
    var proxied: any ChannelTransport { get }
}

extension TransportProxy {
    var traits: TransportTraits { proxied.traits }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        try await proxied.connect(to: endpoint, timeout: timeout, initializer: initializer)
    }

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        try await proxied.listen(initializer: initializer)
    }

    func isDialable(_ endpoint: Endpoint) -> Bool { proxied.isDialable(endpoint) }
    func isNearby(_ endpoint: Endpoint) -> Bool { proxied.isNearby(endpoint) }
    func network(of endpoint: Endpoint) -> String? { proxied.network(of: endpoint) }
    func delivery(on channel: any Channel) -> EventLoopFuture<ChannelDelivery?> { proxied.delivery(on: channel) }
}

/// A radio that passes all calls on to another one.
protocol RadioProxy: Radio, TransportProxy {
    var radio: any Radio { get }
}

extension RadioProxy {
    var proxied: any ChannelTransport { radio }

    func events() -> AsyncStream<RadioEvent> { radio.events() }
    func advertise(_ payload: [UInt8]?) async throws { try await radio.advertise(payload) }
    func scan(_ listening: Listening) async { await radio.scan(listening) }
    func disconnect(_ endpoint: Endpoint) async { await radio.disconnect(endpoint) }
    func start() async throws { try await radio.start() }
    func stop() async { await radio.stop() }
}
