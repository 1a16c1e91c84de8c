// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Diagnosis
import Testing

@testable import BatonDesktop

/// Tests how systemd reports the end of a user's service. Scripts/user-manager tests this with a
/// real systemd.
@Suite(.timeLimit(.minutes(1))) struct UnitNewsTests {
    private static let unit = "app-org.example.Notes@7.service"

    @Test("A unit's object has the path that systemd uses")
    func objectOfAUnit() {
        #expect(
            UnitNews.objectPath(of: Self.unit)
                == "/org/freedesktop/systemd1/unit/app_2dorg_2eexample_2eNotes_407_2eservice")
        #expect(UnitNews.objectPath(of: "7z.service") == "/org/freedesktop/systemd1/unit/_37z_2eservice")
    }

    @Test(
        "The end of a unit is reported with its reason",
        arguments: [
            ([:], ProgramStarter.End.withAll(unit: unit)),
            (
                ["Result": DBusValue.string("exit-code"), "ExecMainStatus": .int32(3)],
                .failed(.exited(3), unit: unit)
            ),
            (
                ["Result": .string("signal"), "ExecMainStatus": .int32(11)],
                .failed(.killed(11), unit: unit)
            ),
            (["Result": .string("oom-kill")], .failed(Reason(.memoryFull), unit: unit)),
            (["Result": .string("timeout")], .failed(Reason(.serviceLate), unit: unit)),
            (["Result": .string("resources")], .failed(Reason(.programFailed, ["result": "resources"]), unit: unit)),
        ] as [([String: DBusValue], ProgramStarter.End)])
    func endIsToldWithItsReason(values: [String: DBusValue], end: ProgramStarter.End) async throws {
        try await PrivateBus.with { bus in
            let systemd = try await DBusConnection.open(address: bus.address)
            _ = try await systemd.requestName("org.freedesktop.systemd1")
            let connection = try await DBusConnection.open(address: bus.address)
            let news = try await UnitNews.follow(Self.unit, on: connection)
            func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) throws {
                try systemd.emit(path: path, interface: interface, member: member, arguments: arguments)
            }
            let (service, manager) = ("org.freedesktop.systemd1.Service", "org.freedesktop.systemd1.Manager")
            for changed in [["MainPID": DBusValue.uint32(7)], values] {
                try emit(
                    UnitNews.objectPath(of: Self.unit), "org.freedesktop.DBus.Properties", "PropertiesChanged",
                    [.string(service), .properties(changed), .strings([])])
            }
            for name in ["other.service", Self.unit] {
                try emit(
                    "/org/freedesktop/systemd1", manager, "UnitRemoved",
                    [.string(name), .objectPath(UnitNews.objectPath(of: name))])
            }
            var told: [ProgramStarter.End] = []
            for await one in news.ends(of: Self.unit) { told.append(one) }
            #expect(told == [end])
            connection.close()
            systemd.close()
        }
    }
}
