// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Foundation
import Testing

@testable import baton

/// Two devices of one name are told apart wherever people read it.
@Suite struct DeviceLabelTests {
    private static let members = [
        CircleMember(device: "11111111", name: "desk", isThisDevice: true),
        CircleMember(device: "0a1b2c3d", name: "desk", takenInBy: ["11111111"]),
        CircleMember(device: "22222222", name: "sofa", takenInBy: ["0a1b2c3d"]),
    ]

    @Test("The id stands beside a name that two devices have, and beside no other")
    func sameNames() {
        let names = DeviceNames(Self.members)
        #expect(Self.members.map(names.label) == ["desk (11111111)", "desk (0a1b2c3d)", "sofa"])
    }

    @Test(
        "Capitals, spaces and what shows nothing make no two names",
        arguments: [
            "DESK", "desk ", "de sk", "\u{A0}desk", "desk\u{FE0F}", "de\u{FE00}sk", "desk\u{34F}", "desk\u{180B}",
            "desk\u{2800}", "desk\u{3164}", "\u{115F}desk", "de\u{200D}sk",
        ])
    func almostSameNames(name: String) {
        #expect(DeviceLabel.text("desk", device: "0a1b2c3d", among: [name]) == "desk (0a1b2c3d)")
        #expect(DeviceLabel.text(name, device: "11111111", among: ["desk"]) == "\(name) (11111111)")
    }

    @Test(
        "A name that is like another's id, or ends like it, has its own id beside it",
        arguments: ["0a1b2c3d", "desk (0a1b2c3d)", "desk (0A1B2C3D) ", "desk 0a1b2c3d"])
    func namesLikeIDs(name: String) {
        #expect(DeviceLabel.text(name, device: "11111111", among: ["desk"]) == "\(name) (11111111)")
        #expect(DeviceLabel.text("desk (old)", device: "11111111", among: ["desk"]) == "desk (old)")
    }

    @Test("So the tool names them, also where the id does not stand in the line anyway")
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
