// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Glibc
import NIOCore
import TCPTransport
import Testing

/// Runs the channel suite over loopback, one check at a time, because a check counts
/// descriptors.
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

/// A port of this machine that is bound but not listened on, so that dials to it are refused.
private final class SilentPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        var bytes = [UInt8](repeating: 0, count: 16)
        var length = socklen_t(bytes.count)
        let descriptor = descriptor
        let isBound = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) } == 0
        let isTold = bytes.withUnsafeMutableBytes {
            getsockname(descriptor, $0.bindMemory(to: sockaddr.self).baseAddress, &length)
        }
        // The port comes after the address family, in network byte order.
        number = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        try #require(isBound && isTold == 0)
    }

    deinit { close(descriptor) }
}
