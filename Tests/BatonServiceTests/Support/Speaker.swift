// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting

@testable import BatonService

/// A member's control channel that can send any hello.
final class Speaker {
    /// The next hello to send: the member's own hello with the changes of a test.
    var hello: Hello
    private let channel: SecureChannel
    private var request: UInt64 = 0

    init(_ member: Device, at other: Device) async throws {
        channel = try await member.dial(other)
        hello = await member.service.hello()
    }

    /// Sends the hello, and returns when the other device has read it.
    ///
    /// - Returns: The hellos that arrived meanwhile.
    @discardableResult
    func say() async throws -> [Hello] {
        request += 1
        channel.send(.hello(hello))
        // The reply to this request shows that the hello was handled.
        channel.send(.continueRequest(ContinueRequest(id: request, activity: [1, 2, 3, 4, 5])))
        var hellos: [Hello] = []
        while true {
            switch try await channel.nextFrame(within: .seconds(30)) {
            case .hello(let hello): hellos.append(hello)
            case .continueReply: return hellos
            case .continueRequest: continue  // a ping, which this member does not answer
            case let frame: throw Missing(what: "a reply, not \(frame)")
            }
        }
    }

    /// Sends a hello with circle data, and returns when the other device has read it.
    func say(_ circle: [UInt8]) async throws {
        hello.circle = circle
        try await say()
    }

    func send(_ frame: Frame) { channel.send(frame) }

    func close() { channel.close() }
}
