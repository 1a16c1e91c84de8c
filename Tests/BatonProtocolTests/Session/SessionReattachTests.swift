// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// Requests for another channel for streams (Streams.md, "Stalls").
@Suite struct SessionReattachTests {
    private static let reattach = Reattach(token: [UInt8](repeating: 3, count: 16), generation: 2)
    private static let hello = Hello(name: "peer", unixTime: 0, sequence: 1)

    /// Returns a session whose peer has said hello.
    private static func session() -> Session {
        var session = Session(hello: hello)
        _ = session.handle(.opened, at: .zero)
        _ = session.handle(.received(.hello(hello)), at: .zero)
        return session
    }

    @Test("A Reattach is sent at once, but not after this side has begun to drain")
    func told() {
        var session = Self.session()
        #expect(session.handle(.tellReattach(Self.reattach), at: .zero) == [.send(.reattach(Self.reattach))])
        _ = session.handle(.drain(.idle), at: .zero)
        #expect(session.handle(.tellReattach(Self.reattach), at: .zero) == [])
    }

    @Test("A peer that sends more than 64 Reattach at once, and then more than one in 100 ms, is cut off")
    func tooManyReattaches() {
        var session = Self.session()
        for _ in 1...64 {
            #expect(session.handle(.received(.reattach(Self.reattach)), at: .zero) == [.reattach(Self.reattach)])
        }
        let later = Duration.milliseconds(100)
        #expect(session.handle(.received(.reattach(Self.reattach)), at: later) == [.reattach(Self.reattach)])
        #expect(session.handle(.received(.reattach(Self.reattach)), at: later) == [.close(.tooManyReattaches)])
    }
}
