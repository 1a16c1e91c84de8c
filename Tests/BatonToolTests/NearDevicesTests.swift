// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Testing

@testable import baton

/// Tests the findings of `baton doctor` about two devices.
@Suite struct NearDevicesTests {
    private typealias Side = DeviceProbe.Side
    private typealias Way = DeviceProbe.Way

    private let l2cap = Way(transport: "l2cap", time: .milliseconds(200))
    private let tcp = Way(transport: "tcp", time: .milliseconds(8))

    private func codes(here: Side, there: Side) -> [String] {
        let answer = DeviceAnswer(device: "bb", deviceName: "sofa", transport: "tcp", roundTrip: .milliseconds(8))
        return NearDevices.findings(of: DeviceProbe(answer: answer, here: here, there: there)).map(\.code)
    }

    @Test("Devices that hear and reach each other give no finding")
    func fine() {
        let side = Side(hears: true, ways: [l2cap, tcp])
        #expect(codes(here: side, there: side) == [])
    }

    @Test("A device that does not hear the other gives one finding, unless the other is muted")
    func deaf() {
        let (fine, deaf) = (Side(hears: true, ways: [l2cap]), Side(hears: false, ways: [l2cap]))
        #expect(codes(here: deaf, there: fine) == ["radio-one-way"])
        #expect(codes(here: fine, there: deaf) == ["radio-one-way"])
        let muted = Side(hears: true, isMuted: true, ways: [l2cap])
        #expect(codes(here: muted, there: deaf) == [])
        let off = Way(transport: "l2cap", time: nil, reason: "Bluetooth is off")
        #expect(codes(here: fine, there: Side(hears: false, ways: [off])) == ["radio-one-way"])
        #expect(codes(here: Side(hears: false, ways: [off]), there: muted) == [])
    }

    @Test("A failed Bluetooth direction is found, and a failed TCP direction if the other works")
    func lost() {
        let (noL2CAP, noTCP) = (
            Way(transport: "l2cap", time: nil, reason: "a"), Way(transport: "tcp", time: nil, reason: "b")
        )
        let fine = Side(hears: true, ways: [l2cap, tcp])
        #expect(codes(here: Side(hears: true, ways: [noL2CAP, tcp]), there: fine) == ["transport-one-way"])
        #expect(codes(here: fine, there: Side(hears: true, ways: [l2cap, noTCP])) == ["transport-one-way"])
        let unheard = Way(transport: "simulated", time: nil, reason: "a")
        #expect(codes(here: Side(hears: true, ways: [unheard]), there: fine) == ["transport-one-way"])
        // On separate networks TCP works in neither direction, which gives no finding.
        let apart = Side(hears: true, ways: [l2cap, noTCP])
        #expect(codes(here: apart, there: apart) == [])
    }

    @Test("The other device's reason, which is in English, is not shown, and muting is named as the reason")
    func speaker() {
        let answer = DeviceAnswer(device: "bb", deviceName: "sofa", transport: "tcp", roundTrip: .milliseconds(3))
        let lost = Way(transport: "l2cap", time: nil, reason: "the other device does not answer")
        let fine = Side(hears: true, ways: [l2cap])
        func told(_ here: Side, _ there: Side) -> [String] {
            ProbeText.lines(DeviceProbe(answer: answer, here: here, there: there))
        }
        let there = Side(hears: true, ways: [lost])
        #expect(told(fine, there).last == "l2cap does not reach this laptop from \"sofa\".")
        #expect(
            NearDevices.findings(of: DeviceProbe(answer: answer, here: fine, there: there)) == [
                Finding(.transportOneWay, ["from": "sofa"], command: "baton ping --each-way bb")
            ])
        let muted = Side(hears: true, isMuted: true, ways: [l2cap])
        #expect(
            told(muted, Side(hears: false, ways: [lost])).last
                == "l2cap does not reach this laptop from \"sofa\", "
                + "because Baton is paused here, the screen is locked or the disk is full.")
    }
}
