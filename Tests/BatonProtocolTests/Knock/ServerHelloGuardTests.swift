// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Crypto
import Foundation
import Testing

@Suite struct ServerHelloGuardTests {
    /// RFC 8446, section 4.1.3: the SHA-256 of "HelloRetryRequest".
    let retry = Array(SHA256.hash(data: Array("HelloRetryRequest".utf8)))

    func message(random: [UInt8]) -> [UInt8] { [2, 0, 0, 72, 3, 3] + random + [UInt8](repeating: 0, count: 38) }

    func record(_ content: [UInt8], type: UInt8 = 22) -> [UInt8] {
        [type, 3, 3, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    @Test("A HelloRetryRequest is detected")
    func helloRetryRequestIsSeen() {
        var watcher = ServerHelloGuard()
        #expect(watcher.inspect(record(message(random: retry))) == .helloRetryRequest)
        #expect(watcher.inspect([1, 2, 3]) == .helloRetryRequest)
    }

    @Test("A HelloRetryRequest in many pieces and records is detected")
    func retryRequestInPieces() {
        var watcher = ServerHelloGuard()
        var verdicts: [ServerHelloGuard.Verdict] = []
        for byte in message(random: retry) { for piece in record([byte]) { verdicts.append(watcher.inspect([piece])) } }
        #expect(verdicts.last == .helloRetryRequest)
        #expect(verdicts.prefix(38 * 6 - 1).allSatisfy { $0 == .undecided })
    }

    @Test("An ordinary ServerHello passes")
    func ordinaryServerHelloPasses() {
        var watcher = ServerHelloGuard()
        let bytes = record(message(random: [UInt8](repeating: 7, count: 32)))
        #expect(watcher.inspect(bytes.prefix(42)) == .undecided)
        #expect(watcher.inspect(bytes.dropFirst(42)) == .passed)
    }

    @Test("A fatal alert passes")
    func fatalAlertPasses() {
        var watcher = ServerHelloGuard()
        let alert = record([2, 40], type: 21)
        #expect(watcher.inspect(alert.prefix(5)) == .undecided)
        #expect(watcher.inspect(alert.dropFirst(5)) == .passed)
    }

    /// TLS ignores a few warnings, and would follow a HelloRetryRequest after them.
    @Test("A warning before a HelloRetryRequest is malformed")
    func warningBeforeARetryRequest() {
        for description: UInt8 in [0, 90] {
            var watcher = ServerHelloGuard()
            let warning = record([1, description], type: 21)
            #expect(watcher.inspect(warning.prefix(5)) == .undecided)
            #expect(watcher.inspect(warning.dropFirst(5) + record(message(random: retry))) == .malformed)
        }
    }

    @Test("Anything but a ServerHello or a fatal alert is malformed")
    func anythingElseIsMalformed() {
        for bytes in [
            record([1], type: 20), record([1], type: 23), record([1]), record([]), [22, 2, 0, 0, 1, 2],
            [22, 3, 3, 0xFF, 0xFF], record([], type: 21), record([2], type: 21), record([2, 40, 0], type: 21),
            record([0, 40], type: 21), [21, 2, 3, 0, 2, 2, 40], Array("HTTP/1.1 200 OK".utf8),
            record([2]) + record([2, 40], type: 21),
        ] {
            var watcher = ServerHelloGuard()
            #expect(watcher.inspect(bytes) == .malformed)
        }
    }
}
