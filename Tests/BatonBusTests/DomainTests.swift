// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DomainTests {
    @Test("Claims to domains arrive unchanged, and a client can make the daemon ask a domain")
    func roundTrip() async throws {
        try await Ends.with { ends in
            let listed = try await ends.client.domains()
            #expect(listed == FakeHandler.domains)
            let checked = try await ends.client.checkDomain("example.com")
            #expect(checked == Array(FakeHandler.domains.prefix(1)))
            #expect(ends.handler.calls == ["check example.com"])
        }
    }
}
