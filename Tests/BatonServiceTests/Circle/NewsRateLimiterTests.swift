// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``NewsRateLimiter`` alone.
struct NewsRateLimiterTests {
    @Test("Devices of one account share the limit for judged news, and each account has its own limit")
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

    @Test("Devices that come and leave endlessly leave nothing behind")
    func whoLeft() {
        var limiter = NewsRateLimiter()
        let stays = DeviceIdentity().id
        limiter.judged([1], of: stays, leadingTo: [])
        for number in 0..<1_000 {
            limiter.judged([UInt8(number & 0xFF)], of: DeviceIdentity().id, leadingTo: [])
            limiter.keep { $0 == stays }
        }
        #expect(limiter.count == 1)
    }
}
