// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting

@testable import BatonService

/// A member's control channel, on which it says what it likes.
final class Speaker {
    /// What it says next, but for what a test changes.
    var hello: Hello
    private let channel: SecureChannel
    private var request: UInt64 = 0

    init(_ member: Device, at other: Device) async throws {
        channel = try await member.dial(other)
        hello = await member.service.hello()
    }

    /// Says hello, and returns when it was heard.
    ///
    /// - Returns: The hellos that came meanwhile.
    @discardableResult
    func say() async throws -> [Hello] {
        request += 1
        channel.send(.hello(hello))
        // What is answered comes after the hello.
        channel.send(.continueRequest(ContinueRequest(id: request, activity: [1, 2, 3, 4, 5])))
        var hellos: [Hello] = []
        while true {
            switch try await channel.nextFrame(within: .seconds(30)) {
            case .hello(let hello): hellos.append(hello)
            case .continueReply: return hellos
            case let frame: throw Missing(what: "a reply, not \(frame)")
            }
        }
    }

    /// Says something of the circle, and returns when it was heard.
    func say(_ circle: [UInt8]) async throws {
        hello.circle = circle
        try await say()
    }

    func close() { channel.close() }
}
