// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore

/// A radio whose dialled channels lose every Attach, as in a network that accepts connections and
/// then drops their data.
final class SwallowingRadio: RadioProxy {
    let radio: any Radio
    /// The number of lost frames.
    let swallowed = Watched(0)

    init(_ radio: any Radio) { self.radio = radio }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        try await radio.connect(to: endpoint, timeout: timeout) { [swallowed] channel in
            initializer(channel).flatMapThrowing {
                try channel.pipeline.syncOperations.addHandler(Swallower(counting: swallowed))
            }
        }
    }

    /// Takes the frames of the service before they are encoded.
    private final class Swallower: ChannelOutboundHandler {
        typealias OutboundIn = Frame

        private let swallowed: Watched<Int>

        init(counting swallowed: Watched<Int>) { self.swallowed = swallowed }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard case .attach = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
            swallowed.change { $0 += 1 }
            promise?.succeed()
        }
    }
}
