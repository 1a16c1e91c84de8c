// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct GrantTests {
    @Test("Grants are listed, and are allowed and refused in the form in which they were listed")
    func roundTrip() async throws {
        try await Ends.with { ends in
            let grants = try await ends.client.grants()
            #expect(grants == FakeHandler.grants)
            try await ends.client.allow(grants[0])
            try await ends.client.refuse(grants[1])
            #expect(
                ends.handler.calls == [
                    "allow flatpak org.example.App example [\"a.b\", \"c.d\"]", "refuse snap x_y team []",
                ])
        }
    }
}
