// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Testing

@testable import BatonService

/// Tests ``PeerDirectory`` alone, without devices.
struct PeerDirectoryTests {
    private static let (hail, replay) = (endpoint("hail"), endpoint("replay"))

    private let device: DeviceID
    private var subject = PeerDirectory()

    init() throws { device = try #require(DeviceID(bytes: [UInt8](repeating: 7, count: 32))) }

    private static func endpoint(_ address: String) -> Endpoint {
        Endpoint(transport: .simulated, address: address, port: 0x80)
    }

    @Test("A hail's address is tried for a minute, before an address that was heard with another clock")
    mutating func radio() {
        _ = subject.foundByClock(device, at: Self.replay, uptime: .seconds(10))
        subject.hailed(by: device, from: Self.hail, at: .zero)
        #expect(subject.radioEndpoints(of: device, at: .seconds(59)) == [Self.hail, Self.replay])
        #expect(subject.radioEndpoints(of: device, at: .seconds(60)) == [Self.replay])
        #expect(subject.radioEndpoints(of: device, at: .seconds(70)).isEmpty)
    }

    @Test("A device's announced addresses are tried for a day, and the latest announcement counts")
    mutating func told() {
        subject.told(device, [Self.hail], at: .zero)
        #expect(subject.toldEndpoints(of: device, at: .seconds(86_399)) == [Self.hail])
        #expect(subject.toldEndpoints(of: device, at: .seconds(86_400)).isEmpty)
        subject.told(device, [], at: .zero)
        #expect(subject.toldEndpoints(of: device, at: .zero).isEmpty)
    }

    @Test("Among a device's announced addresses, the one at which it last proved itself comes first")
    mutating func ownFirst() {
        let told = (1...3).map { Endpoint(transport: .tcp, address: "192.0.2.\($0)", port: 7) }
        #expect(subject.ownFirst(told, of: device) == told)
        subject.proved(device, at: Endpoint(transport: .tcp, address: "192.0.2.2", port: 0))
        #expect(subject.ownFirst(told, of: device) == [told[1], told[0], told[2]])
    }

    @Test("A beacon that is heard with another clock causes one dial in ten minutes, and delays no other")
    mutating func byClock() {
        let found = [0, 599, 600].map { subject.foundByClock(device, at: Self.replay, uptime: .seconds($0)) }
        #expect(found == [true, false, true])
        let syncs = subject.beginSync(with: device, at: .zero)
        #expect(syncs)
    }

    @Test("A device gets the circle once in ten minutes, and again after a change")
    mutating func syncs() {
        let begun = [0, 599, 600].map { subject.beginSync(with: device, at: .seconds($0)) }
        #expect(begun == [true, false, true])
        subject.forgetSyncs()
        let again = subject.beginSync(with: device, at: .seconds(601))
        #expect(again)
    }

    @Test("A hail is answered once in ten minutes, despite earlier tries, and again when the circle has changed")
    mutating func hails() {
        _ = subject.beginSync(with: device, at: .zero)
        let heeded = [0, 599, 600].map { subject.heedHail(of: device, at: .seconds($0)) }
        #expect(heeded == [true, false, true])
        subject.forgetSyncs()
        let again = subject.heedHail(of: device, at: .seconds(601))
        #expect(again)
    }

    @Test("A dial that failed for lack of a descriptor is repeated after half a minute")
    mutating func withoutDescriptors() {
        let hailed = subject.heedHail(of: device, at: .zero)
        let synced = subject.beginSync(with: device, at: .zero)
        subject.wasNotDialled(device, at: .seconds(1))
        let hails = [30, 31, 32].map { subject.heedHail(of: device, at: .seconds($0)) }
        let syncs = [30, 31, 32].map { subject.beginSync(with: device, at: .seconds($0)) }
        #expect(hailed && synced)
        #expect(hails == [false, true, false])
        #expect(syncs == [false, true, false])
    }

    @Test("A lost device may be dialled again after 0, 1, 2, 4 … 60 s, eight times in ten minutes")
    mutating func losses() {
        let pauses: [Duration] = [0, 1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }
        var mayBeDialled: [[Bool]] = []
        for pause in pauses {
            _ = subject.beginSync(with: device, at: .seconds(1))
            _ = subject.heedHail(of: device, at: .seconds(1))
            let due = subject.lost(device, at: .seconds(2))
            #expect(due == .seconds(2) + pause)
            var later = subject
            let early = later.beginSync(with: device, at: .seconds(2) + pause - .milliseconds(1))
            let dials = [
                later.beginSync(with: device, at: .seconds(2) + pause),
                later.heedHail(of: device, at: .seconds(2) + pause),
            ]
            mayBeDialled.append([early] + dials)
            subject.forgetSyncs()
        }
        #expect(mayBeDialled == .init(repeating: [false, true, true], count: pauses.count))
        #expect(subject.lost(device, at: .seconds(601)) == nil)
        #expect(subject.lost(device, at: .seconds(602)) == .seconds(602))
    }

    @Test("A device that seems near is dialled for that after pauses, which end when it was near")
    mutating func nearDials() {
        let dials = [0, 0].map { subject.beginNearDial(to: device, at: .seconds($0)) }
        #expect(dials == [true, false])
        subject.nearDialSucceeded(device)
        let again = subject.beginNearDial(to: device, at: .zero)
        subject.forgetDials()
        let anew = subject.beginNearDial(to: device, at: .zero)
        #expect(again && anew)
    }

    @Test("Nothing is kept of devices that are not members")
    mutating func strangers() {
        subject.seen(device, at: 5)
        subject.keep { _ in true }
        #expect(subject.lastSeen(device) == 5)
        subject.keep { _ in false }
        #expect(subject.lastSeen(device) == nil && subject.count == 0)
    }
}
