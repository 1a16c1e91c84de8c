// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DBus
import Diagnosis
import Foundation
@_spi(Reported) import HandoffModel
import Testing

@testable import BatonDesktop

/// Requirements 93-102, 147.
@Suite(.timeLimit(.minutes(3))) struct AppHandoverTests {
    /// Returns time limits, one of which is short.
    private static func short(
        _ limit: WritableKeyPath<ApplicationTimeLimits, Duration>, _ duration: Duration = .milliseconds(300)
    ) -> ApplicationTimeLimits {
        var limits = HandoverWorld.patientLimits
        limits[keyPath: limit] = duration
        return limits
    }

    @Test("A running app first learns of the hand-over, and then gets the activity")
    func toldAtOnce() async throws {
        try await HandoverWorld.with { world in
            let journal = world.journal
            try await world.runApp()
            // The activity arrives only after the app was told about it.
            try await world.handover(to: world.app("Exec=/bin/false")) {
                await journal.wait(for: "will org.example.note from desk")
            }.run()
            #expect(
                journal.all == [
                    "will org.example.note from desk", "fetched", "given c-1", "continue c-1 string(\"milk\")",
                    "accepted true",
                ])
            #expect(world.phases.all == ["fetching", "starting", "delivering"])
        }
    }

    @Test("An app that does not run is started by its Exec line")
    func startedByExecLine() async throws {
        try await HandoverWorld.with { world in
            try await world.handover(to: world.app("Exec=\(world.command())"), token: "token-1").run()
            #expect(world.reported == ["started token-1", "will org.example.note", "continue Shopping milk"])
            #expect(world.journal.all.last == "accepted true")
        }
    }

    @Test("An app that does not run is started by its bus name")
    func startedByBusName() async throws {
        try await HandoverWorld.with { world in
            let services = world.root.appending(path: "dbus-1/services")
            try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
            try Data("[D-BUS Service]\nName=\(HandoverWorld.identifier)\nExec=\(world.command())\n".utf8)
                .write(to: services.appending(path: "\(HandoverWorld.identifier).service"))
            try await world.connection.call(
                destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                member: "ReloadConfig")
            try await world.handover(to: world.app("DBusActivatable=true\nExec=/bin/false")).run()
            #expect(world.reported.suffix(2) == ["will org.example.note", "continue Shopping milk"])
        }
    }

    @Test("If D-Bus does not know an app that it should start, the app is started by its command line")
    func startedWithoutAService() async throws {
        try await HandoverWorld.with { world in
            try await world.handover(to: world.app("DBusActivatable=true\nExec=\(world.command())")).run()
            #expect(world.reported.suffix(2) == ["will org.example.note", "continue Shopping milk"])
        }
    }

    @Test(
        "An app that cannot be started gets no call, and the user sees why",
        arguments: [
            (
                "Exec=/bin/false", FailureCode.appCrashed,
                ["reason": .reason(Reason.exited(1).with("program", "/bin/false"))]
            ),
            ("Exec=/nonexistent/app", .programMissing, ["program": "/nonexistent/app"]),
            ("Exec=/etc/passwd", .programUnexecutable, ["program": "/etc/passwd"]),
            ("", .appWithoutCommand, [:]), ("DBusActivatable=true", .appWithoutService, [:]),
        ] as [(String, FailureCode, [String: Reason.Value])])
    func cannotBeStarted(lines: String, failure: FailureCode, values: [String: Reason.Value]) async throws {
        try await HandoverWorld.with { world in
            let error = await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app(lines)).run()
            }
            #expect(error?.code == .applicationFailed)
            #expect(error?.reason == Reason(failure, values.merging(["app": "Notes"]) { $1 }))
            #expect(world.journal.all.last == "user told: \(error?.message ?? "")")
            #expect(!world.journal.all.contains("accepted true"))
        }
    }

    @Test("Baton stops waiting for an app that does not appear on the session bus within the time limit")
    func notOnTheBusInTime() async throws {
        try await HandoverWorld.with { world in
            let error = await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app("Exec=/bin/true"), limits: Self.short(\.start)).run()
            }
            #expect(error?.reason?.failure == .appLate)
        }
    }

    @Test("An app that is not ready gets no further call, and the user sees why")
    func appNotReady() async throws {
        try await HandoverWorld.with { world in
            let journal = world.journal
            try await world.runApp(will: { throw BatonError(.notReady, reported: "the disk is being checked") })
            await #expect(throws: BatonError.self) { try await world.handover(to: world.app()).run() }
            #expect(journal.all.contains("will org.example.note from desk"))
            let told = BatonError(.notReady, .appFailed, ["app": "Notes", "message": "the disk is being checked"])
            #expect(journal.all.last == "user told: \(told.message)")
            #expect(!journal.all.contains { $0.hasPrefix("continue") || $0.hasPrefix("failed") })
        }
    }

    @Test("An adapter's error is shown in its own words, because it already says what to do")
    func adapterNotReady() async throws {
        try await HandoverWorld.with { world in
            let words = "\"desk\" does not hand it over. Try again."
            try await world.runApp(will: { throw BatonError(.notReady, reported: words) })
            let error = await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app("X-Baton-Adapter=*")).run()
            }
            #expect(error?.code == .notReady && error?.message == words)
            #expect(world.journal.all.last == "user told: \(words)")
        }
    }

    @Test("If the app shows nothing, Baton shows the progress")
    func batonShowsProgress() async throws {
        try await HandoverWorld.with { world in
            try await world.runApp(will: { false })
            let journal = world.journal
            try await world.handover(to: world.app()) { await journal.wait(for: "progress") }.run()
            #expect(journal.all.contains("progress"))
            #expect(journal.all.last == "progress over")
        }
    }

    @Test("Progress is shown while the app is slow, and disappears when the app shows it")
    func progressWhileAppIsSlow() async throws {
        try await HandoverWorld.with { world in
            let journal = world.journal
            try await world.runApp(
                will: {
                    await journal.wait(for: "progress")
                    return true
                })
            try await world.handover(to: world.app(), patience: .zero).run()
            #expect(journal.all.filter { $0.hasPrefix("progress") } == ["progress", "progress over"])
            #expect(journal.all.last == "accepted true")
        }
    }

    @Test("Progress is shown from the start of an app that never appears on the bus")
    func progressFromTheStart() async throws {
        try await HandoverWorld.with { world in
            await #expect(throws: BatonError.self) {
                try await world.handover(
                    to: world.app("Exec=/bin/true"), limits: Self.short(\.start, .seconds(3)), patience: .zero
                ).run()
            }
            #expect(world.journal.all.filter { $0.hasPrefix("progress") } == ["progress", "progress over"])
            #expect(world.journal.all.last?.hasPrefix("user told:") == true)
            #expect(world.phases.all.first == "fetching" && !world.phases.all.contains("delivering"))
        }
    }

    @Test("An app that never answers WillContinue still gets the activity")
    func silentOnWillContinue() async throws {
        try await HandoverWorld.with { world in
            let never = AsyncStream<Void> { _ in }
            try await world.runApp(
                will: {
                    for await _ in never {}
                    return true
                })
            try await world.handover(to: world.app(), limits: Self.short(\.willContinue)).run()
            #expect(world.journal.all.contains("progress"))
            #expect(world.journal.all.contains("accepted true"))
        }
    }

    /// Waits until its task is cancelled. A fake app that calls this method never answers.
    private static let never: @Sendable () async -> Void = {
        let nothing = AsyncStream<Void> { _ in }
        for await _ in nothing {}
    }

    @Test("An app that never answers Continue counts as failed, and is told so by DidFail")
    func silentOnContinue() async throws {
        try await HandoverWorld.with { world in
            try await world.runApp(
                take: {
                    await Self.never()
                    return true
                })
            let error = await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app(), limits: Self.short(\.continueActivity)).run()
            }
            // The error must not blame an app on the other device.
            #expect(error?.code == .applicationFailed)
            // The limit may pass before the app has received its call.
            await world.journal.wait(for: "failed ApplicationFailed")
            #expect(world.journal.all.contains("accepted false") && !world.journal.all.contains("accepted true"))
        }
    }

    @Test("If the app never answers DidFail, Baton shows the error")
    func silentOnDidFail() async throws {
        try await HandoverWorld.with { world in
            try await world.runApp(fail: { await Self.never() })
            await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app(), limits: Self.short(\.didFail)) {
                    throw BatonError(.connectionUnavailable, reported: "out of range")
                }
                .run()
            }
            await world.journal.wait(for: "failed ConnectionUnavailable")
            #expect(world.journal.all.contains("user told: out of range"))
        }
    }

    @Test("The time limits are the documented ones")
    func documentedLimits() {
        let limits = ApplicationTimeLimits()
        #expect(limits.start == .seconds(30) && limits.continueActivity == .seconds(60))
        #expect(limits.willContinue == .seconds(5) && limits.didFail == .seconds(5))
        #expect(limits.all == .seconds(100))
    }

    @Test("A failed fetch is reported to the app, and Baton shows nothing")
    func fetchThatFailsIsToldToTheApp() async throws {
        try await HandoverWorld.with { world in
            try await world.runApp()
            await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app()) {
                    throw BatonError(.connectionUnavailable, reported: "out of range")
                }
                .run()
            }
            #expect(world.journal.all == ["will org.example.note from desk", "failed ConnectionUnavailable"])
        }
    }

    @Test("If the activity does not arrive, the app that was started for it is told")
    func startedForNothing() async throws {
        try await HandoverWorld.with { world in
            await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app("Exec=\(world.command())")) {
                    throw BatonError(.connectionUnavailable, reported: "out of range")
                }
                .run()
            }
            let code = CocoaError.Code.userActivityConnectionUnavailable.rawValue
            #expect(world.reported == ["started -", "will org.example.note", "failed org.example.note \(code)"])
        }
    }

    @Test("If the user did not choose the app, it is started only when the activity has arrived")
    func nobodyAskedForTheApp() async throws {
        try await HandoverWorld.with { world in
            let app = try world.app("Exec=\(world.command())")
            await #expect(throws: BatonError.self) {
                try await world.handover(to: app, waitsForActivity: true) {
                    throw BatonError(.notFound, reported: "it has ended")
                }
                .run()
            }
            #expect(world.reported.isEmpty)
            #expect(world.journal.all == ["user told: it has ended"])
            try await world.handover(to: app, waitsForActivity: true) { #expect(world.reported.isEmpty) }.run()
            #expect(world.reported == ["started -", "will org.example.note", "continue Shopping milk"])
        }
    }

    @Test("If the app has no DidFail, Baton shows the error")
    func appWithoutDidFail() async throws {
        try await HandoverWorld.with { world in
            let app = try await DBusConnection.open(address: world.bus)
            let will = DBusMethod(
                "WillContinue", inputs: [DBusArgument("type", "s"), DBusArgument("details", "a{sv}")],
                outputs: [DBusArgument("shown", "b")]
            ) { _ in [.bool(true)] }
            try app.export(
                DBusObject(interfaces: [DBusInterface(BatonBusName.application, methods: [will])]),
                at: "/org/example/Notes")
            _ = try await app.requestName(HandoverWorld.identifier)
            await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app()) {
                    throw BatonError(.connectionUnavailable, reported: "out of range")
                }
                .run()
            }
            #expect(world.journal.all == ["user told: out of range"])
            app.close()
        }
    }

    @Test("If an app lacks the interface, the error says so")
    func appWithoutInterface() async throws {
        try await HandoverWorld.with { world in
            let app = try await DBusConnection.open(address: world.bus)
            _ = try await app.requestName(HandoverWorld.identifier)
            let error = await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app()).run()
            }
            #expect(error?.reason == Reason(.appWithoutInterface, ["app": "Notes"]))
            app.close()
        }
    }

    @Test("If the app declines, the activity does not count as continued, and the app gets the error")
    func appDeclines() async throws {
        try await HandoverWorld.with { world in
            try await world.runApp(take: { false })
            let error = await #expect(throws: BatonError.self) { try await world.handover(to: world.app()).run() }
            #expect(error?.reason == Reason(.appNotTaken, ["app": "Notes"]))
            #expect(world.journal.all.suffix(2) == ["accepted false", "failed ApplicationFailed"])
        }
    }

    @Test("If the app dies during a hand-over, the activity does not count as continued, and the user sees the reason")
    func appDiesInTheMiddle() async throws {
        try await HandoverWorld.with { world in
            let error = await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app("Exec=\(world.command("dies"))")).run()
            }
            #expect(error?.reason?.failure == .appEnded)
            #expect(world.journal.all.contains("accepted false"))
            #expect(world.journal.all.last == "user told: \(error?.message ?? "")")
        }
    }

    @Test(
        "The user's cancellation is reported only to the app, whether or not the app answers",
        arguments: [true, false])
    func userCancels(answers: Bool) async throws {
        try await HandoverWorld.with { world in
            let journal = world.journal
            // Baton shows the progress because the app answered WillContinue with false.
            try await world.runApp(will: { false }, fail: { if !answers { await Self.never() } })
            let limits = answers ? HandoverWorld.patientLimits : Self.short(\.didFail)
            let running = Task {
                try await world.handover(to: world.app(), limits: limits) {
                    await Self.never()
                    try Task.checkCancellation()
                }.run()
            }
            await journal.wait(for: "progress")
            running.cancel()
            let error = await #expect(throws: BatonError.self) { try await running.value }
            #expect(error?.code == .userCancelled)
            let told = ["will org.example.note from desk", "progress", "progress over", "failed UserCancelled"]
            // If the app does not answer, the time limit may pass before the app has received the
            // call.
            #expect(answers ? journal.all == told : told.starts(with: journal.all))
        }
    }

    @Test("Only the daemon may call an app")
    func onlyTheDaemonMayCallAnApp() async throws {
        try await HandoverWorld.with { world in
            try await world.runApp()
            let other = try await DBusConnection.open(address: world.bus)
            let error = await #expect(throws: DBusError.self) {
                try await other.call(
                    destination: HandoverWorld.identifier, path: "/org/example/Notes",
                    interface: BatonBusName.application, member: "DidFail",
                    arguments: [.string("t"), .string("e"), .string("m")])
            }
            #expect(error?.name == DBusError.accessDenied)
            #expect(world.journal.all.isEmpty)
            other.close()
        }
    }
}
