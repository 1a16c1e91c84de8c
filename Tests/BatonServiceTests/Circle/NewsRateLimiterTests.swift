// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// ``NewsRateLimiter`` by itself.
struct NewsRateLimiterTests {
    @Test("Devices of one account share what news of theirs are judged; another has its own")
    func sharedByAnAccount() {
        var limiter = NewsRateLimiter()
        let (thief, honest) = (DeviceIdentity().id, DeviceIdentity().id)
        let phantoms = (0..<126).map { _ in DeviceIdentity().id }
        let judged = phantoms.enumerated().count { number, phantom in
            limiter.spend(phantom, of: thief, on: [UInt8(number)], against: [], at: .zero)
        }
        #expect(judged == NewsRateLimiter.limit.burst)
        let isJudged = limiter.spend(honest, of: honest, on: [1], against: [], at: .zero)
        #expect(isJudged)
    }
}
