// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting
import DBus
import Foundation
import Glibc
import Testing
import UserActivity

/// Tests `baton serve`, which the daemon calls. The test acts as the daemon.
@Suite(.timeLimit(.minutes(5))) struct ToolServeTests {
    private static let app = "org.example.Notes"

    /// Runs a closure with a served command and the daemon's view of it.
    private func withServed(
        _ command: String, _ body: @Sendable (Tool, ApplicationBusClient, URL) async throws -> Void
    ) async throws {
        try await PrivateBus.with { bus in
            try await withDirectory { directory in
                let daemon = try await DBusConnection.open(address: bus.address)
                defer { daemon.close() }
                _ = try await daemon.requestName(BatonBusName.bus)
                let script = command.replacing("DIRECTORY", with: directory.path)
                let tool = try await Tool(on: bus, ["serve", "--app", Self.app, "--exec", script])
                var errors = tool.errors.makeAsyncIterator()
                #expect(try await errors.required() == "serving \(Self.app)")
                let owner = try #require(try await daemon.owner(of: Self.app))
                var limits = ApplicationTimeLimits()
                limits.willContinue = .seconds(60)
                limits.didFail = .seconds(60)
                let client = ApplicationBusClient(
                    identifier: Self.app, owner: ClientID(rawValue: owner), connection: daemon, limits: limits)
                try await body(tool, client, directory)
                tool.interrupt()
                #expect(await tool.result.status == 0)
            }
        }
    }

    private func activity(_ title: String) -> ContinuedActivity {
        var state = ActivityState(activityType: "org.example.note", title: title, userInfo: ["text": "milk\u{1b}"])
        state.webpageURL = URL(string: "https://example.org/a?b=c")
        return ContinuedActivity(
            continuation: "c1", activity: state, device: "0a1b2c3d", deviceName: "desk", transport: "l2cap")
    }

    private let coming = ComingActivity(type: "org.example.note", offer: "o", deviceName: "desk")

    @Test("The command of serve gets the activity as the JSON of continue")
    func commandGetsTheActivity() async throws {
        try await withServed("cat >>'DIRECTORY/got'") { _, client, directory in
            // The served app shows no progress itself.
            #expect(try await !client.willContinue(coming))
            #expect(try await client.continueActivity(activity("Shopping")))
            #expect(try await client.continueActivity(activity("Shopping")))
            let lines = try String(contentsOf: directory.appending(path: "got"), encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 2)
            let object = try #require(JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
            #expect(object["type"] as? String == "org.example.note" && object["title"] as? String == "Shopping")
            #expect(object["userInfo"] as? [String: String] == ["text": "milk\u{1b}"])
            #expect(object["webpageURL"] as? String == "https://example.org/a?b=c")
            #expect(object["device"] as? String == "0a1b2c3d" && object["deviceName"] as? String == "desk")
            #expect(try Set(object.keys) == JSONFieldsTests.documented("CONTINUE"))
        }
    }

    @Test("A name that another serve owns is not available")
    func nameTakenByAnotherServe() async throws {
        try await withServed("true") { tool, _, _ in
            let second = try await Tool.run(on: tool.bus, ["serve", "--app", Self.app, "--exec", "true"])
            #expect(second.status == 77 && second.failedInOneLine, "\(second)")
            #expect(second.error.contains("Another program already runs as \(Self.app)"), "\(second)")
        }
    }

    @Test("Failures go to standard error and to the daemon")
    func failuresAreTold() async throws {
        try await withServed("exit 3") { tool, client, _ in
            let error = await #expect(throws: BatonError.self) { try await client.continueActivity(activity("T")) }
            #expect(error?.code == .applicationFailed && error?.message.contains("ended with status 3") == true)
            // The daemon also reports this failure with DidFail, as it reports every failure.
            await #expect(throws: BatonError.self) {
                try await client.didFail(type: "org.example.note", error: try #require(error))
            }
            // DidFail throws because serve shows the user no failure. So Baton shows it.
            await #expect(throws: BatonError.self) {
                try await client.didFail(
                    type: "org.example.note",
                    error: BatonError(.connectionUnavailable, appMessage: "desk is out of range"))
            }
            tool.interrupt()
            let told = await tool.result.error
            #expect(
                told.contains("baton: org.example.note from desk was not continued: its command ended with status 3"),
                "\(told)")
            #expect(told.contains("baton: org.example.note was not continued: desk is out of range\n"), "\(told)")
            #expect(told.components(separatedBy: "ended with status 3").count == 2, "\(told)")
        }
    }

    @Test("A command that has not accepted an activity when serve ends is stopped")
    func commandEndsWithServe() async throws {
        try await withServed("echo $$ >DIRECTORY/number; exec sleep 1000") { tool, client, directory in
            async let taken = client.continueActivity(activity("T"))
            let file = directory.appending(path: "number")
            var number: Int32?
            try await untilFiles(in: directory, "the command has begun") {
                number = (try? String(contentsOf: file, encoding: .utf8)).flatMap { Int32($0.dropLast()) }
                return number != nil
            }
            tool.interrupt()
            #expect(await tool.result.status == 0)
            #expect(kill(try #require(number), 0) == -1 && errno == ESRCH)
            // On a slow machine the activity may have been accepted before serve ended.
            _ = try? await taken
        }
    }

    @Test("A command that fails later had accepted the activity")
    func commandThatFailsLater() async throws {
        let command = "until [ -e 'DIRECTORY/go' ]; do sleep 0.01; done; exit 3"
        try await withServed(command) { tool, client, directory in
            #expect(try await client.continueActivity(activity("T")))
            try Data().write(to: directory.appending(path: "go"))
            var errors = tool.errors.makeAsyncIterator()
            var line = try await errors.required()
            while !line.contains("org.example.note ") { line = try await errors.required() }
            #expect(
                line
                    == "baton: org.example.note from desk was taken over, but then: its command ended with status 3")
        }
    }

    @Test("An app that cannot receive activities causes a warning")
    func appWithoutEntry() async throws {
        try await withServed("true") { tool, _, _ in
            var errors = tool.errors.makeAsyncIterator()
            let line = try await errors.required()
            #expect(
                line.hasPrefix("baton: warning: there is no \(Self.app).desktop, so Baton hands nothing"), "\(line)")
        }
    }

    @Test("A daemon that is not running causes a warning")
    func serveWithoutDaemon() async throws {
        try await PrivateBus.with { bus in
            let tool = try await Tool(on: bus, ["serve", "--app", Self.app, "--exec", "true"])
            var errors = tool.errors.makeAsyncIterator()
            var line = try await errors.required()
            let end = "; nothing is handed to this app before it runs"
            while !line.hasSuffix(end) { line = try await errors.required() }
            #expect(line.hasPrefix("baton: warning: ") && line.contains("batond"), "\(line)")
            tool.interrupt()
            #expect(await tool.result.status == 0)
        }
    }

    @Test("A device in no circle causes a warning, because no other device can hand anything over")
    func serveWithoutCircle() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.loseCircle()
            let tool = try await Tool(on: bus, ["serve", "--app", Self.app, "--exec", "true"])
            var errors = tool.errors.makeAsyncIterator()
            var line = try await errors.required()
            let end = "; until then no other device hands anything to this app"
            while !line.hasSuffix(end) { line = try await errors.required() }
            #expect(line.hasPrefix("baton: warning: \(FakeDaemon.withoutCircleText)"), "\(line)")
            tool.interrupt()
            #expect(await tool.result.status == 0)
        }
    }

    @Test("A name that is taken or invalid is rejected")
    func namesThatAreRefused() async throws {
        try await PrivateBus.with { bus in
            let other = try await DBusConnection.open(address: bus.address)
            defer { other.close() }
            _ = try await other.requestName(Self.app)
            for (app, message) in [
                (Self.app, "Another program already runs as org.example.Notes in this session."),
                ("nodots", "--app takes an app's id"), ("", "not ''"), ("a/b.c", "not 'a/b.c'"), (":1.5", "not ':1.5'"),
                (String(repeating: "a.", count: 200) + "a", "--app takes an app's id"),
            ] {
                let refused = try await Tool.run(on: bus, ["serve", "--app", app, "--exec", "true"])
                #expect(refused.failedInOneLine && refused.error.contains(message), "\(refused)")
            }
            let empty = try await Tool.run(on: bus, ["serve", "--app", "a.b", "--exec", ""])
            #expect(empty.status == 64 && empty.failedInOneLine, "\(empty)")
        }
    }

    @Test("Serve refuses a call of any program but the daemon")
    func onlyTheDaemonIsServed() async throws {
        try await withServed("true") { tool, client, _ in
            let stranger = ApplicationBusClient(
                identifier: Self.app, owner: client.owner,
                connection: try await DBusConnection.open(address: tool.bus.address))
            await #expect(throws: BatonError.self) { try await stranger.continueActivity(activity("T")) }
        }
    }

    @Test("The end of the bus ends serve")
    func endOfTheBusEndsServe() async throws {
        let bus = try await PrivateBus.start()
        let tool = try await Tool(on: bus, ["serve", "--app", Self.app, "--exec", "true"])
        var errors = tool.errors.makeAsyncIterator()
        _ = try await errors.required()
        await bus.stop()
        let result = await tool.result
        #expect(result.status == 69 && result.error.hasSuffix("baton: the session bus has ended\n"), "\(result)")
    }
}
