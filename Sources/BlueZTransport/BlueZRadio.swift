// SPDX-License-Identifier: GPL-3.0-or-later

public import BatonProtocol
public import BatonTransport
public import Logging
public import NIOCore

/// Bluetooth LE through bluetoothd (advertising, scanning, adapters) and the kernel (credit-based channels).
///
/// Endpoint addresses are written `C0:FF:EE:00:00:01/public`; an endpoint's port is an LE PSM.
public actor BlueZRadio: Radio {
    private let configuration: BlueZConfiguration
    private let group: any EventLoopGroup
    private let logger: Logger
    private let stream: AsyncStream<RadioEvent>
    private let continuation: AsyncStream<RadioEvent>.Continuation

    /// A radio at rest; ``start()`` begins work.
    ///
    /// - Parameters:
    ///   - configuration: which adapters, and how.
    ///   - group: what the channels run on.
    ///   - logger: told at trace and debug what happens.
    public init(configuration: BlueZConfiguration = BlueZConfiguration(), group: any EventLoopGroup, logger: Logger) {
        self.configuration = configuration
        self.group = group
        self.logger = logger
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
    }

    public nonisolated var kind: TransportKind { .l2cap }

    public nonisolated func events() -> AsyncStream<RadioEvent> { stream }

    public func start() async throws {
        throw TransportError(.radioUnavailable, "BlueZ is not connected yet")
    }

    public func stop() async { continuation.finish() }

    public func advertise(_ payload: [UInt8]?) async throws {}

    public func disconnect(_ endpoint: Endpoint) async {}

    public func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        throw TransportError(.radioUnavailable, "BlueZ is not connected yet")
    }

    public func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        throw TransportError(.radioUnavailable, "BlueZ is not connected yet")
    }
}
