// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import LocalNetworks

/// Tests a real netlink socket.
@Suite struct NetlinkSocketTests {
    @Test("Only the kernel's messages are received")
    func othersSend() throws {
        let (socket, other) = (try #require(NetlinkSocket()), try #require(NetlinkSocket()))
        defer {
            close(socket.descriptor)
            close(other.descriptor)
        }
        // struct sockaddr_nl: without CAP_NET_ADMIN the kernel refuses to send this.
        var address = FakeKernel.bytes(UInt16(AF_NETLINK)) + [0, 0] + FakeKernel.bytes(socket.port) + [0, 0, 0, 0]
        let length = socklen_t(address.count)
        let forged = FakeKernel.message(FakeKernel.newLink, port: 0, [UInt8](repeating: 1, count: 40))
        let sent = address.withUnsafeMutableBytes { address in
            address.withMemoryRebound(to: sockaddr.self) {
                sendto(other.descriptor, forged, forged.count, 0, $0.baseAddress, length)
            }
        }
        #expect(sent == forged.count || errno == EPERM)
        var reception = socket.receive()
        while case .datagram(let datagram) = reception {
            #expect(datagram != forged)
            reception = socket.receive()
        }
        #expect(reception == .nothing)
    }

    @Test("The kernel sends its answers to the socket's port")
    func answers() throws {
        let socket = try #require(NetlinkSocket())
        defer { close(socket.descriptor) }
        var survey = NetworkSurvey()
        guard case .send(let request) = survey.begin(port: socket.port).first else {
            Issue.record("nothing is asked")
            return
        }
        #expect(socket.send(request))
        // The kernel answers before `send` returns.
        guard case .datagram(let datagram) = socket.receive() else {
            Issue.record("no answer came")
            return
        }
        let messages = try #require(NetlinkMessage.messages(in: datagram))
        #expect(messages.contains { $0.type == Int(FakeKernel.newLink) && $0.port == socket.port })
    }
}
