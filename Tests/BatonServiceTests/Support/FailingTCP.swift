// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import Synchronization

/// A TCP transport that fails in a chosen way, for example as on a network that isolates its
/// guests.
final class FailingTCP: TransportProxy {
    enum Failure {
        /// Dials are refused at once.
        case refused
        /// Dials get no answer.
        case silent
        /// Dials wait until ``release()``.
        case held
    }

    /// A stream with one value for each dial that fails.
    let failures: AsyncStream<Void>
    private let failing: AsyncStream<Void>.Continuation
    let proxied: any ChannelTransport
    private let failure = Mutex<Failure?>(nil)
    private let isReleased = Watched(false)
    private let isFar = Mutex(false)

    init(_ tcp: any ChannelTransport) {
        proxied = tcp
        (failures, failing) = AsyncStream.makeStream()
    }

    func fail(by failure: Failure) { self.failure.withLock { $0 = failure } }

    /// Makes dials work from now on.
    func works() { failure.withLock { $0 = nil } }

    /// Makes every address belong to another network from now on.
    func isElsewhere() { isFar.withLock { $0 = true } }

    func isNearby(_ endpoint: Endpoint) -> Bool { !isFar.withLock(\.self) }

    /// Continues the dials that wait.
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
            // Wait until the dial is cancelled.
            let (nothing, end) = AsyncStream.makeStream(of: Void.self)
            for await _ in nothing {}
            end.finish()
        }
        throw TransportError(.unreachable, "no answer: move closer", cause: "ECONNREFUSED")
    }
}
