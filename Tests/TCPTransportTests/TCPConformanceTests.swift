// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Glibc
import NIOCore
import TCPTransport
import Testing

/// The channel suite over loopback; one at a time, for one of its checks counts descriptors.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TCPConformanceTests {
    @Test(
        "TCP over loopback conforms, by each check of channel transports", arguments: ChannelTransportConformance.checks
    )
    func conforms(_ check: ChannelTransportConformance.Check) async throws {
        let silent = try SilentPort()
        let suite = ChannelTransportConformance {
            ChannelTransportConformance.Ends(
                listening: TCPTransport(sharesMachine: true), dialling: TCPTransport(sharesMachine: true),
                nobody: Endpoint(transport: .tcp, address: "127.0.0.1", port: silent.number))
        }
        try await suite.run(check)
        withExtendedLifetime(silent) {}
    }
}

/// A port of this machine's that is taken, so that nobody else listens there, and does not listen.
private final class SilentPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        try #require(isBound)
    }

    deinit { close(descriptor) }
}
