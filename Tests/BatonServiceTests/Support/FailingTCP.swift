// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import Synchronization
import TCPTransport

/// TCP that works until it is told how to fail, as on a network that keeps its guests apart.
final class FailingTCP: TransportProxy {
    enum Failure {
        /// Dials are refused at once.
        case refused
        /// Nothing ever answers.
        case silent
        /// What answers is kept back until ``release()``.
        case held
    }

    /// A value for each dial that fails.
    let failures: AsyncStream<Void>
    private let failing: AsyncStream<Void>.Continuation
    let proxied: any ChannelTransport
    private let failure = Mutex<Failure?>(nil)
    private let isReleased = Watched(false)
    private let isFar = Mutex(false)

    init(_ tcp: TCPTransport) {
        proxied = tcp
        (failures, failing) = AsyncStream.makeStream()
    }

    func fail(by failure: Failure) { self.failure.withLock { $0 = failure } }

    /// From now on it works.
    func works() { failure.withLock { $0 = nil } }

    /// From now on every address is in another network.
    func isElsewhere() { isFar.withLock { $0 = true } }

    func isNearby(_ endpoint: Endpoint) -> Bool { !isFar.withLock(\.self) }

    /// Dials that are held go on.
    func release() { isReleased.change { $0 = true } }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        guard let failure = failure.withLock(\.self) else {
            return try await proxied.connect(to: endpoint, timeout: timeout, initializer: initializer)
        }
        failing.yield()
        if failure == .held {
            try await isReleased.wait("the dial's release") { $0 ? () : nil }
            return try await proxied.connect(to: endpoint, timeout: timeout, initializer: initializer)
        }
        if failure == .silent {
            // Until the dial is given up.
            let (nothing, end) = AsyncStream.makeStream(of: Void.self)
            for await _ in nothing {}
            end.finish()
        }
        throw TransportError(.unreachable, "no answer: move closer", cause: "ECONNREFUSED")
    }
}
