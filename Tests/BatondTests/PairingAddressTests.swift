// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Glibc
import Testing

/// Tests `baton pair --address` with a server that is not Baton.
@Suite(.timeLimit(.minutes(3))) struct PairingAddressTests {
    /// Runs a closure with a TCP server on this host that greets some callers and closes their
    /// connections.
    private func serving(_ greeting: String, callers: Int32, _ body: (UInt16) async throws -> Void) async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, callers) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        try #require(isListening)
        Thread.detachNewThread {
            while case let caller = accept(listener, nil, nil), caller >= 0 {
                _ = Array(greeting.utf8).withUnsafeBytes {
                    send(caller, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                // Read until the caller has closed, because unread bytes would reset the
                // connection.
                var byte: UInt8 = 0
                while recv(caller, &byte, 1, 0) > 0 {}
                close(caller)
            }
        }
        try await body(UInt16(bigEndian: address.sin_port))
        shutdown(listener, Int32(SHUT_RDWR))
    }

    @Test("If no server listens, the error says so and what to do")
    func nobody() async throws {
        try await withDirectory { root in
            let desk = try await RunningDaemon.serving(in: root)
            let refused = try await desk.baton(["pair", "--address", "127.0.0.1:1"])
            #expect(refused.status == 68, "\(refused.text)")
            let line = "baton: The other laptop cannot be reached at this address. Check the address, "
            #expect(refused.text.contains(line), "\(refused.text)")
            _ = await desk.end()
        }
    }

    @Test(
        "With a server that is not Baton no digits are shown, and the error differs from that for an unreachable laptop",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n"])
    func noBaton(greeting: String) async throws {
        try await withDirectory { root in
            let desk = try await RunningDaemon.serving(in: root)
            try await serving(greeting, callers: 8) { port in
                let refused = try await desk.baton(["pair", "--address", "127.0.0.1:\(port)"])
                #expect(refused.status == 68, "\(refused.text)")
                #expect(
                    refused.text.contains("baton: The other side is not Baton, or another version of it."),
                    "\(refused.text)")
                #expect(!refused.text.contains("digits: "), "\(refused.text)")
            }
            // The attempt does not count as a failed pairing, so the next pairing may begin at
            // once.
            #expect(try await desk.baton(["status", "--json"]).text.contains(#""circle" : null"#))
            _ = await desk.end()
        }
    }
}
