// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// Tests requests for another channel for streams (Streams.md, "Stalls").
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

    @Test("A peer may send 64 Reattach at once and then one in 100 ms, and the others are ignored")
    func tooManyReattaches() {
        var session = Self.session()
        let received = Session.Event.received(.reattach(Self.reattach))
        let results = (1...128).map { _ in session.handle(received, at: .zero) }
        #expect(results == Array(repeating: [.reattach(Self.reattach)], count: 64) + Array(repeating: [], count: 64))
        let later = Duration.milliseconds(100)
        #expect(session.handle(received, at: later) == [.reattach(Self.reattach)])
        #expect(session.handle(received, at: later) == [])
        #expect(!session.isClosed && session.acceptsRequests)
    }

    @Test("A side sends 32 Reattach at once, one for each pair of streams, and then one a second")
    func pace() {
        var session = Self.session()
        let sent = (1...64).count { _ in session.handle(.tellReattach(Self.reattach), at: .zero) != [] }
        #expect(sent == 32)
        #expect(session.handle(.tellReattach(Self.reattach), at: .milliseconds(999)) == [])
        #expect(session.handle(.tellReattach(Self.reattach), at: .seconds(1)) == [.send(.reattach(Self.reattach))])
        #expect(session.handle(.tellReattach(Self.reattach), at: .seconds(1)) == [])
    }
}
