// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Foundation
import Testing

@testable import baton

/// Tests the labels of devices with the same name.
@Suite struct DeviceLabelTests {
    private static let members = [
        CircleMember(device: "11111111", name: "desk", isThisDevice: true),
        CircleMember(device: "0a1b2c3d", name: "desk", takenInBy: ["11111111"]),
        CircleMember(device: "22222222", name: "sofa", takenInBy: ["0a1b2c3d"]),
    ]

    @Test("Only devices with a shared name are shown with their id")
    func sameNames() {
        let names = DeviceNames(Self.members)
        #expect(Self.members.map(names.label) == ["desk (11111111)", "desk (0a1b2c3d)", "sofa"])
    }

    @Test(
        "Capitals, spaces and invisible characters do not make two names different",
        arguments: [
            "DESK", "desk ", "de sk", "\u{A0}desk", "desk\u{FE0F}", "de\u{FE00}sk", "desk\u{34F}", "desk\u{180B}",
            "desk\u{2800}", "desk\u{3164}", "\u{115F}desk", "de\u{200D}sk",
        ])
    func almostSameNames(name: String) {
        #expect(DeviceLabel.text("desk", device: "0a1b2c3d", among: [name]) == "desk (0a1b2c3d)")
        #expect(DeviceLabel.text(name, device: "11111111", among: ["desk"]) == "\(name) (11111111)")
    }

    @Test(
        "A name that looks like another device's id, or ends like it, is shown with its own id",
        arguments: ["0a1b2c3d", "desk (0a1b2c3d)", "desk (0A1B2C3D) ", "desk 0a1b2c3d"])
    func namesLikeIDs(name: String) {
        #expect(DeviceLabel.text(name, device: "11111111", among: ["desk"]) == "\(name) (11111111)")
        #expect(DeviceLabel.text("desk (old)", device: "11111111", among: ["desk"]) == "desk (old)")
    }

    @Test("The tool's messages label devices with a shared name by id")
    func tool() {
        let circle = CircleSummary(circle: "c", device: "11111111", deviceName: "desk", members: Self.members)
        #expect(CircleText.others(circle) == "desk (0a1b2c3d), sofa")
        #expect(Devices.lines(Self.members)[2].hasSuffix("(taken in by desk (0a1b2c3d))"))
        var status = DaemonStatus(version: "1", radio: "bluez", device: "11111111", deviceName: "desk")
        status.circle = "c"
        status.members = Self.members
        let lines = Overview(status: status, offers: [], now: Date()).lines
        #expect(lines.contains { $0.hasPrefix("  desk (0a1b2c3d)  ") } && lines.contains { $0.hasPrefix("  sofa  ") })
    }
}
