// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import SimulatedTransport

/// A radio whose dials wait until a test makes them fail.
final class HeldRadio: RadioProxy {
    /// Controls when the dials fail.
    final class Gate: Sendable {
        private let count = Watched(0)
        private let isOver = Watched(false)

        /// Waits until a dial has begun.
        func dialled() async throws { try await count.wait("a dial") { $0 > 0 ? () : nil } }

        /// Makes the dials fail.
        func fail() { isOver.change { $0 = true } }

        fileprivate func pass() async throws {
            count.change { $0 += 1 }
            try await isOver.wait("the dial's end") { $0 ? () : nil }
        }
    }

    let radio: any Radio
    private let gate: Gate

    init(_ radio: any Radio, gate: Gate) {
        self.radio = radio
        self.gate = gate
    }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        try await gate.pass()
        throw TransportError(.unreachable, "nobody answers there", cause: "EHOSTDOWN")
    }
}
