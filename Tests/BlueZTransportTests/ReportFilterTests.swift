// SPDX-License-Identifier: GPL-3.0-or-later

import L2CAP
import Testing

@testable import BlueZTransport

@Suite struct ReportFilterTests {
    private var filter = ReportFilter(prefix: [1])
    private let address = BluetoothAddress(value: 1, kind: .public)

    @Test("A new payload passes at once, and the same payload once a second")
    mutating func newPayloadAndTheSame() {
        #expect(filter.passes([1, 1], from: address, at: .seconds(10)) == true)
        #expect(filter.passes([1, 1], from: address, at: .seconds(10.9)) == false)
        #expect(filter.passes([1, 2], from: address, at: .seconds(10.9)) == true)
        #expect(filter.passes([1, 2], from: address, at: .seconds(11.8)) == false)
        #expect(filter.passes([1, 2], from: address, at: .seconds(11.9)) == true)
    }

    @Test("A payload with another prefix does not pass")
    mutating func anotherPrefixDoesNotPass() {
        #expect(filter.passes([2, 1], from: address, at: .zero) == false)
        #expect(filter.passes([], from: address, at: .zero) == false)
        #expect(filter.count == 0)
    }

    @Test("Each advertiser is filtered separately")
    mutating func eachAdvertiser() {
        #expect(filter.passes([1], from: address, at: .zero) == true)
        #expect(filter.passes([1], from: BluetoothAddress(value: 1, kind: .random), at: .zero) == true)
    }

    @Test("A lost advertiser is new when it is heard again")
    mutating func whoWasLostIsNew() {
        #expect(filter.passes([1], from: address, at: .zero) == true)
        filter.forget(address)
        #expect(filter.passes([1], from: address, at: .zero) == true)
    }

    @Test("Forgotten advertisers take no memory")
    mutating func whatIsForgottenTakesNoRoom() {
        for number in 0..<100_000 {
            let address = BluetoothAddress(value: UInt64(number), kind: .random)
            #expect(filter.passes([1], from: address, at: .zero) == true)
            filter.forget(address)
        }
        #expect(filter.count == 0)
    }
}
