// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Testing
import Wording

@testable import baton

/// Tests the names of a circle's devices, and the texts when one joins, is removed or leaves.
@Suite struct CircleTextTests {
    @Test("A name that several devices have is refused as ambiguous")
    func nameOfSeveralDevices() throws {
        let names = DeviceNames([
            CircleMember(device: "0a1b2c3d", name: "desk"), CircleMember(device: "11111111", name: "desk"),
            CircleMember(device: "22222222", name: "sofa"), CircleMember(device: "33333333", name: "0a1b2c3d"),
            CircleMember(device: "44444444", name: "99999999"),
        ])
        #expect(try names.device(called: "sofa").device == "22222222")
        for id in ["0a1b2c3d", "0A1B2C3D"] { #expect(try names.device(called: id).name == "desk") }
        let several = #expect(throws: BatonError.self) { try names.device(called: "desk") }
        #expect(
            several?.code == .invalidArgument && several?.reason?.values["others"] == .list(["0a1b2c3d", "11111111"]))
        // A name in the form of an id does not count as a name.
        for text in ["nobody", "99999999"] {
            let none = #expect(throws: BatonError.self) { try names.device(called: text) }
            #expect(none?.code == .notFound && none?.text(on: .terminal).contains("22222222 (sofa)") == true)
        }
    }

    @Test("If two devices have the same name, the text advises renaming one")
    func devicesOfTheSameName() {
        func circle(_ other: String) -> CircleSummary {
            CircleSummary(
                circle: "c", device: "aa", deviceName: "vm",
                members: [
                    CircleMember(device: "aa", name: "vm", isThisDevice: true),
                    CircleMember(device: "bb", name: other, isThisDevice: false),
                ])
        }
        #expect(CircleText.sameName("vm", among: circle("sofa").members) == nil)
        #expect(CircleText.sameName("vm", among: circle("vm").members)?.contains("baton rename NAME") == true)
        #expect(CircleText.others(circle("so\u{1B}fa")) == "so\u{1B}fa")
    }

    @Test("Removing a device names the devices that it added")
    func removedDeviceTookIn() {
        let rest = [
            CircleMember(device: "aa", name: "desk", isThisDevice: true),
            CircleMember(device: "bb", name: "sofa", takenInBy: ["aa", "cc"]),
            CircleMember(device: "dd", name: "thief\u{1B}", takenInBy: ["cc"]),
        ]
        #expect(
            Remove.advice(on: ["dd"], of: rest) == [
                "thief\u{1B} (dd) came into the circle by way of it, and stays; if that was not you: baton remove dd"
            ])
        #expect(
            Devices.lines(rest) == [
                "aa  desk  (this laptop)", "bb  sofa  not seen yet  (taken in by desk, cc, which is gone)",
                "dd  thief\u{1B}  not seen yet  (taken in by cc, which is gone)",
            ])
    }

    @Test("Leaving names the devices that were told, and says that the others will be")
    func leaving() {
        let others = ["sofa", "attic"]
        #expect(Leave.outcome(others: others, told: others) == "left the circle; told sofa, attic")
        #expect(
            Leave.outcome(others: others, told: ["sofa"])
                == "left the circle; told sofa; attic, not reached, will hear of it from there")
        #expect(Leave.outcome(others: [], told: []) == "left the circle")
        #expect(Leave.outcome(others: others, told: []).contains("baton remove"))
    }

    @Test("A QR code that is larger than the terminal is not drawn")
    func codeTooLargeToDraw() throws {
        let text = String(repeating: "code", count: 60)
        let lines = try Pair.picture(of: text, on: Terminal(columns: nil, showsColours: false))
        let (columns, rows) = (try #require(lines.first).count, lines.count)
        #expect(rows > 20 && columns > 40)
        #expect(try Pair.picture(of: text, on: Terminal(columns: columns, rows: rows, showsColours: false)) == lines)
        for (columns, rows) in [(columns - 1, rows), (columns, rows - 1)] {
            let told = try Pair.picture(of: text, on: Terminal(columns: columns, rows: rows, showsColours: false))
            #expect(told.count == 1 && told[0].contains("make the terminal larger"))
        }
    }
}
