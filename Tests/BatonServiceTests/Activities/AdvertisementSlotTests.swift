// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``AdvertisementSlot`` alone.
struct AdvertisementSlotTests {
    private let anna = DeviceIdentity().id
    private let berta = DeviceIdentity().id
    private var subject = AdvertisementSlot()

    @Test("A pairing's advertisement takes precedence over a hail, and a hail over the ordinary advertisement")
    mutating func order() {
        #expect(subject.payload == nil)
        subject.advertise([1])
        #expect(subject.payload == [1])
        _ = subject.hail(.init(device: anna, bytes: [2]))
        #expect(subject.payload == [2])
        var isChanged = subject.pair([3])
        #expect(isChanged)
        isChanged = subject.pair([3])
        #expect(!isChanged)
        #expect(subject.payload == [3])
        subject.advertise(nil)
        isChanged = subject.pair(nil)
        #expect(isChanged)
        #expect(subject.payload == [2] && subject.ordinary == nil)
        _ = subject.hail(nil)
        #expect(subject.payload == nil)
    }

    @Test("A hail for another device or with other bytes, and the end of a hail, change the payload")
    mutating func changes() {
        let hails: [AdvertisementSlot.Hail?] = [
            .init(device: anna, bytes: [1]), .init(device: berta, bytes: [1]), .init(device: berta, bytes: [2]), nil,
        ]
        for hail in hails {
            let (isChange, isChangeAgain) = (subject.hail(hail), subject.hail(hail))
            #expect(isChange && !isChangeAgain)
        }
    }

    @Test("A device counts as hailed once the radio has accepted its hail, and while nothing replaces it")
    mutating func hailed() {
        _ = subject.hail(.init(device: anna, bytes: [1]))
        #expect(subject.hailed == nil)
        subject.took([1])
        #expect(subject.hailed == anna)
        subject.took([3])
        #expect(subject.hailed == nil, "a pairing took its place")
        subject.took([1])
        subject.took(nil)
        #expect(subject.hailed == nil, "the radio refused it")
        subject.took([1])
        _ = subject.hail(.init(device: berta, bytes: [2]))
        #expect(subject.hailed == nil)
    }
}
