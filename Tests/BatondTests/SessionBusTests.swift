// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import DBus
import Foundation
import Testing

/// What the session bus may do to a real daemon, and what programs on it may.
@Suite(.timeLimit(.minutes(2))) struct SessionBusTests {
    @Test("A message that is far too large, or costly to look up, is refused, and the others are served")
    func largeMessages() async throws {
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.isServing())
            let values: [DBusValue] = [
                .string(String(repeating: "x", count: 2 << 20)), .bytes([UInt8](repeating: 1, count: 1 << 20)),
                .array(elementSignature: "b", [DBusValue](repeating: .bool(true), count: 1 << 18)),
                .properties(["a" + String(repeating: "\u{301}", count: 65): .bool(true)]),
            ]
            for value in values {
                // Each is a program of its own: what one has called by then is counted.
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

    @Test("Calls that wait until their program is known do not keep the daemon from reading who that is")
    func manyLargeFirstCalls() async throws {
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.isServing())
            let program = try await DBusConnection.open(address: daemon.bus.address)
            // More than the daemon reads at a stretch, sent before anything is answered.
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
                // Refused for what they are, or for their number.
                let refusals = ["InvalidArgument", "LimitReached"].map { "org.batonproject.Baton1.Error.\($0)" }
                #expect(error.map { refusals.contains($0.name) } == true)
            }
            #expect(try await daemon.baton(["status"]).status == 0)
            program.close()
            _ = await daemon.end()
        }
    }

    @Test("A daemon whose session bus goes ends with it, says so in one line, and starts again with the next")
    func busThatGoes() async throws {
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.isServing())
            #expect(try await daemon.baton(["circle", "create", "--name", "desk"]).status == 0)
            await daemon.bus.stop()
            let end = await daemon.gone()
            #expect(end.signal == 0 && end.status == 1)
            let last = end.log.split(separator: "\n").last ?? ""
            #expect(
                last.hasPrefix("batond: the session bus went away") && last.hasSuffix("batond ends with it"), "\(last)")
            let next = try await RunningDaemon.start(in: root)
            #expect(await next.isServing())
            #expect(try await next.baton(["status"]).text.contains("desk"))
            _ = await next.end()
        }
    }
}
