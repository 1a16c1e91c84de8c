// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import DBus
import Diagnosis
import Foundation
@_spi(Reported) import HandoffModel
import Synchronization
import Testing

@testable import BatonBus

@Suite(.timeLimit(.minutes(5)))
struct ErrorTests {
    @Test("Errors keep their code and message across the bus")
    func errorsKeepTheirCodes() async throws {
        let codes: [BatonError.Code] = [
            .invalidArgument, .notFound, .noCircle, .alreadyInCircle, .handoffFailed, .connectionUnavailable,
            .remoteApplicationTimedOut, .userInfoTooLarge, .userCancelled, .limitReached, .radioUnavailable,
            .invitationInvalid, .failed, BatonError.Code(rawValue: "OfALaterVersion"),
        ]
        try await Ends.with { ends in
            for code in codes {
                let failure = BatonError(code, reported: "what to do: \(code)")
                ends.handler.state.withLock { $0.failure = failure }
                await #expect(throws: failure) { try await ends.client.becomeCurrent(activity: "a1") }
            }
        }
    }

    @Test("Only a client that asks for them gets the code and the values of an error's reason")
    func explained() async throws {
        let values: [String: Reason.Value] = [
            "laptop": "desk", "count": .count(3), "time": .time(1_700_000_000), "wait": .duration(.seconds(90)),
            "others": .list(["desk", "sofa"]), "reason": .reason(Reason(.unanswered, ["laptop": "desk"])),
        ]
        let failure = BatonError(.limitReached, .pairingWaits, values)
        let finding = BatonError(.radioUnavailable, Finding(.adapterOff, command: "bluetoothctl power on"))
        try await Ends.with { ends in
            let asking = try await BatonBusClient.connect(address: ends.bus.address)
            asking.explainErrors()
            for error in [failure, finding] {
                ends.handler.state.withLock { $0.failure = error }
                let known = await #expect(throws: BatonError.self) { try await asking.becomeCurrent(activity: "a1") }
                #expect(known == error)
                let other = await #expect(throws: BatonError.self) {
                    try await ends.client.becomeCurrent(activity: "a1")
                }
                #expect(other == BatonError(error.code, reported: error.message) && other?.reason == nil)
            }
            asking.close()
        }
    }

    @Test("Reasons inside each other are read to a depth of eight, and deeper ones are left out")
    func depth() {
        var value = Reason.Value.reason(Reason(code: "innermost"))
        for _ in 0..<20 { value = .reason(Reason(code: "outer", values: ["reason": value])) }
        var (read, depth) = (Reason.Value(bus: value.bus), 0)
        while case .reason(let reason) = read { (read, depth) = (reason.values["reason"], depth + 1) }
        #expect(depth == Reason.Value.maximumDepth)
    }

    @Test("Gdbus shows the sentence of each failure")
    func shownByGDBus() async throws {
        try await Ends.with { ends in
            let places = [
                "adapter", "app", "argument", "choices", "clock", "command", "count", "domain", "errno", "example",
                "file", "first", "folder", "format", "greatest", "id", "key", "laptop", "least", "limit", "line",
                "message", "mistake", "more", "name", "number", "others", "path", "process", "program", "reason",
                "result", "rule", "signal", "size", "status", "team",
                "type", "unit", "value", "wait", "word",
            ]
            let values = Dictionary(uniqueKeysWithValues: places.map { ($0, Reason.Value.text("<\($0)>")) })
            let failures = FailureCode.allCases.map { ($0.rawValue, BatonError(.failed, $0, values)) }
            ends.handler.state.withLock {
                $0.failures = Dictionary(uniqueKeysWithValues: failures.map { ("current \($0)", $1) })
            }
            // One shell calls gdbus for all failures, because hundreds of sandboxes take long to
            // make.
            let script = """
                for code do
                    gdbus call --session --dest \(BatonBusName.bus) --object-path \(BatonBusName.path) \
                        --method org.batonproject.Baton1.Activities.BecomeCurrent "$code" && exit 0
                done
                """
            let shown = try await Sandbox.run(
                ["sh", "-c", script, "sh"] + failures.map(\.0), information: .absent, bus: ends.bus.address)
            #expect(shown.status == 1)
            for (code, failure) in failures {
                #expect(failure.message != code)
                #expect(shown.text.contains("org.batonproject.Baton1.Error.Failed: \(failure.message)"), "\(code)")
            }
        }
    }

    @Test("An error's text becomes one visible line of at most 2,048 bytes, whatever the app wrote")
    func oneLine() {
        let error = BatonError(.applicationFailed, reported: "There is\nno paper \u{1B}[31mleft, \u{202E}ada's Fußnote")
        #expect(error.message == "There is\\u{a}no paper \\u{1b}[31mleft, \\u{202e}ada's Fußnote")
        // Perl's die and shells end messages like this.
        #expect(BatonError(.failed, reported: " there is no text in it\n\n").message == "there is no text in it")
        let value = BatonError(.applicationFailed, .appFailed, ["app": "Notes", "message": "no\n\u{1B}[31mpaper"])
        #expect("\(value)".contains("\"no\\u{a}\\u{1b}[31mpaper\""), "\(value)")
        let long = BatonError(.notFound, reported: String(repeating: "ä", count: 100_000)).message
        #expect(long.utf8.count <= BatonError.maximumMessage && long.hasSuffix("ä…"))
    }

    @Test("A quotation of another program is one line of at most 200 characters, and no character in it can end it")
    func quotation() {
        func shown(_ text: String) -> Reason.Value { .quotation(text) }
        #expect(shown(" The disk is full.\n") == "The disk is full")
        #expect(shown("Wait...") == "Wait...")
        #expect(shown("no\u{1B}[31m\npaper") == "no\\u{1b}[31m paper")
        #expect(shown("it failed\". Pay “now” at «example»") == "it failed'. Pay 'now' at 'example'")
        #expect(shown("a\"\u{FE0F}. Pay “\u{301}b") == "a'\u{FE0F}. Pay '\u{301}b", "each is one character")
        let marks = String(repeating: "\u{301}", count: 100_000)
        #expect(shown("a" + marks) == .text("a" + marks.unicodeScalars.prefix(198).map(String.init).joined() + "…"))
        let quoted = Reason(quoting: "Kein Platz", of: "systemd")
        #expect(quoted == Reason(.programReports, ["program": "systemd", "message": "Kein Platz"]))
        #expect(BatonError.reason(BatonError(.failed, reported: "why")) == .reason(Reason(quoting: "why")))
    }

    @Test("If no daemon runs, the error says how to start one")
    func noDaemonIsSaid() async throws {
        try await PrivateBus.with { bus in
            let client = try await BatonBusClient.connect(address: bus.address)
            do {
                _ = try await client.status()
                Issue.record("there is no daemon")
            } catch let error as BatonError {
                #expect(error.code == .daemonNotRunning)
                #expect(error.reason?.failure == .batonStopped)
            }
            client.close()
        }
        #expect(
            await code { _ = try await BatonBusClient.connect(address: "unix:path=/nonexistent") } == .busUnavailable)
    }

    @Test("If the bus cannot start the daemon, it counts as not running, and the error says where to look")
    func failedStartIsSaid() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        let services = home.appending(path: "dbus-1/services")
        try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        for (program, failure) in [("/bin/false", FailureCode.serviceEnded), ("/nonexistent", .serviceUnrunnable)] {
            try Data("[D-BUS Service]\nName=org.batonproject.Baton\nExec=\(program)\n".utf8).write(
                to: services.appending(path: "org.batonproject.Baton.service"))
            let bus = try await PrivateBus.start(dataHome: home)
            let client = try await BatonBusClient.connect(address: bus.address)
            let error = await #expect(throws: BatonError.self) { try await client.status() }
            #expect(error?.code == .daemonNotRunning && error?.cause?.contains(".Spawn.") == true, "\(error as Any)")
            #expect(error?.reason?.failure == .batonNotStarted)
            // The bus's own text is only for the log.
            #expect(error?.reason?.values["reason"] == .reason(Reason(failure, ["program": "D-Bus"])))
            let detail = try #require(error?.detail)
            #expect(detail.contains(".Spawn.") && error?.description.hasSuffix("(\(detail))") == true)
            client.close()
            await bus.stop()
        }
    }

    @Test("When the session bus disconnects, calls report it in one line, and streams of events finish")
    func busThatGoes() async throws {
        let bus = try await PrivateBus.start()
        let client = try await BatonBusClient.connect(address: bus.address)
        let (events, presence) = (try await client.offerEvents(), try await client.daemonPresence())
        await bus.stop()
        for await _ in events {}
        for await isThere in presence { #expect(!isThere) }
        let error = await #expect(throws: BatonError.self) { try await client.status() }
        #expect(error?.code == .busUnavailable && error?.reason?.failure == .busGone)
    }

    @Test("A second daemon on the bus gets an error")
    func aSecondDaemonIsTold() async throws {
        try await Ends.with { ends in
            let second = try await DBusConnection.open(address: ends.bus.address)
            do {
                _ = try await BatonBusService.start(on: second, version: "2", handler: FakeHandler())
                Issue.record("two daemons on one bus")
            } catch let error as BatonError {
                #expect(error.code == .alreadyRunning)
                #expect(error.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
            }
            #expect(try await ends.client.status() == FakeHandler.status)
            second.close()
        }
    }

    @Test("The daemon's arrivals and departures are reported")
    func daemonPresenceIsSeen() async throws {
        try await Ends.with { ends in
            var presence = try await ends.client.daemonPresence().makeAsyncIterator()
            #expect(await presence.next() == true)
            await ends.service.stop()
            #expect(await presence.next() == false)
            #expect(await code { _ = try await ends.client.status() } == .daemonNotRunning)
            _ = try await BatonBusService.start(on: ends.daemon, version: "1", handler: ends.handler)
            #expect(await presence.next() == true)
            ends.client.close()
            #expect(await presence.next() == nil)
        }
    }

    @Test("A client's departure is reported once, after its calls have been cancelled and have ended")
    func clientLeavingIsSeen() async throws {
        try await Ends.with { ends in
            var departures = ends.handler.departures.makeAsyncIterator()
            var endless = ends.handler.endless.makeAsyncIterator()
            let leaving = try await BatonBusClient.connect(address: ends.bus.address)
            let silent = try await BatonBusClient.connect(address: ends.bus.address)
            let call = Task { try await leaving.continueOffer("endless") }
            #expect(await endless.next() == "begun")
            silent.close()
            leaving.close()
            #expect(await endless.next() == "ended")
            #expect(await departures.next() == leaving.id)
            _ = try? await call.value
            let id = ends.client.id
            _ = try await ends.client.publish(ActivityState(activityType: "t"))
            ends.client.close()
            #expect(await departures.next() == id)
        }
    }

    @Test("Cancelling a task that continues an offer cancels the continuation in the daemon")
    func cancellingContinueTellsTheDaemon() async throws {
        try await Ends.with { ends in
            var endless = ends.handler.endless.makeAsyncIterator()
            let call = Task { try await ends.client.continueOffer("endless") }
            #expect(await endless.next() == "begun")
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await endless.next() == "cancelled")
        }
    }
}
