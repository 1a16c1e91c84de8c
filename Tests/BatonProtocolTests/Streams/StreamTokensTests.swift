// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@Suite struct StreamTokensTests {
    private let instance: [UInt8] = [1]

    /// Returns the results of some attempts to use the only token, which was issued to device 1 at
    /// time 0.
    private func redeem(_ attempts: (peer: Int, at: Duration)...) throws -> [[UInt8]?] {
        var tokens = StreamTokens<Int>()
        let issued = tokens.issue(to: 1, of: 1, instance: instance, at: .zero)
        let token = try #require(issued)
        #expect(token.count == 16)
        return attempts.map { tokens.redeem(token, by: $0.peer, at: $0.at) }
    }

    @Test("A token can be used once")
    func aTokenWorksOnce() throws {
        #expect(try redeem((1, .seconds(59)), (1, .seconds(59))) == [instance, nil])
    }

    @Test("A token expires after sixty seconds")
    func tokenExpires() throws { #expect(try redeem((1, .seconds(60)), (1, .zero)) == [nil, nil]) }

    @Test("Another device can neither use a token nor use it up")
    func tokenOfAnotherDevice() throws {
        #expect(try redeem((2, .zero), (1, .zero)) == [nil, instance])
    }

    @Test("A token that was never issued does not work")
    func tokenNeverIssued() {
        var tokens = StreamTokens<Int>()
        let instance = tokens.redeem([UInt8](repeating: 0, count: 16), by: 1, at: .zero)
        #expect(instance == nil)
    }

    @Test("Devices with one account share its limit of tokens")
    func tokensOfAnAccount() {
        var tokens = StreamTokens<Int>()
        let issued = (0..<256).compactMap { tokens.issue(to: $0, of: 0, instance: instance, at: .zero) }
        let other = tokens.issue(to: 999, of: 999, instance: instance, at: .zero)
        #expect(issued.count == 32 && other != nil)
    }

    @Test("No device has more than 32 tokens, and there are at most 256 in total")
    func tokensAreBounded() {
        var tokens = StreamTokens<Int>()
        for peer in 0..<8 {
            let issued = (0..<33).map { _ in tokens.issue(to: peer, of: peer, instance: instance, at: .zero) }
            #expect(Set(issued.compactMap(\.self)).count == 32)
            #expect(issued.last == .some(nil))
        }
        let early = tokens.issue(to: 8, of: 8, instance: instance, at: .seconds(59))
        #expect(early == nil)
        let late = tokens.issue(to: 8, of: 8, instance: instance, at: .seconds(60))
        #expect(late != nil)
    }
}
