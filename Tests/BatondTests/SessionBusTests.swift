// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import DBus
import Foundation
import Testing

/// Tests how a real daemon reacts to the session bus and to programs on it.
@Suite(.timeLimit(.minutes(2))) struct SessionBusTests {
    @Test("A message that is too large or whose keys are costly to compare is refused, and others are served")
    func largeMessages() async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.serving(in: root)
            let values: [DBusValue] = [
                .string(String(repeating: "x", count: 2 << 20)), .bytes([UInt8](repeating: 1, count: 1 << 20)),
                .array(elementSignature: "b", [DBusValue](repeating: .bool(true), count: 1 << 18)),
                .properties(["a" + String(repeating: "\u{301}", count: 65): .bool(true)]),
            ]
            for value in values {
                // Use another program for each message, because the calls of a program are counted.
                let program = try await DBusConnection.open(address: daemon.bus.address)
                let error = await #expect(throws: DBusError.self) {
                    try await program.call(
                        destination: "org.batonproject.Baton", path: "/org/batonproject/Baton",
                        interface: "org.batonproject.Baton1.Activities", member: "Publish",
                        arguments: [.string("org.example.note"), .properties(["userInfo": value])])
                }
                #expect(error?.name == DBusError.limitsExceeded)
                program.close()
            }
            #expect(try await daemon.baton(["status"]).status == 0)
            _ = await daemon.end()
        }
    }

    @Test("Calls that wait until their program is identified do not keep the daemon from identifying it")
    func manyLargeFirstCalls() async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.serving(in: root)
            let program = try await DBusConnection.open(address: daemon.bus.address)
            // Send more bytes than the daemon reads at once, without waiting for an answer.
            let title = DBusValue.string(String(repeating: "x", count: 900_000))
            let calls = (0..<30).map { _ in
                Task.immediate {
                    try await program.call(
                        destination: "org.batonproject.Baton", path: "/org/batonproject/Baton",
                        interface: "org.batonproject.Baton1.Activities", member: "Publish",
                        arguments: [.string("org.example.note"), .properties(["title": title])])
                }
            }
            for call in calls {
                let error = await #expect(throws: DBusError.self) { try await call.value }
                // The calls are refused for their contents, or for their number.
                let refusals = ["InvalidArgument", "LimitReached"].map { "org.batonproject.Baton1.Error.\($0)" }
                #expect(error.map { refusals.contains($0.name) } == true)
            }
            #expect(try await daemon.baton(["status"]).status == 0)
            program.close()
            _ = await daemon.end()
        }
    }

    @Test("When its session bus ends, the daemon reports that in one line and ends, and it can start on the next bus")
    func busThatGoes() async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.serving(in: root)
            #expect(try await daemon.baton(["circle", "create", "--name", "desk"]).status == 0)
            await daemon.bus.stop()
            let end = await daemon.gone()
            #expect(end.signal == 0 && end.status == 1)
            let last = end.log.split(separator: "\n").last ?? ""
            #expect(
                last.hasPrefix("batond: the session bus went away") && last.hasSuffix("batond ends with it"), "\(last)")
            let next = try await RunningDaemon.serving(in: root)
            #expect(try await next.baton(["status"]).text.contains("desk"))
            _ = await next.end()
        }
    }
}
