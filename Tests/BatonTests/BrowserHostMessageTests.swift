// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import ChildProcesses
import Foundation
import Testing

/// Tests invalid messages from a browser or an impostor, and the end of either side.
@Suite(.timeLimit(.minutes(5))) struct BrowserHostMessageTests {
    @Test("The end of the session bus is reported, and ends the browser host")
    func endOfSessionBus() async throws {
        try await PrivateBus.with { bus in
            let program = try await BrowserProgram(on: bus)
            var messages = program.messages.makeAsyncIterator()
            try program.say(#"{"type":"hello","version":1}"#)
            _ = try await messages.next("offers")
            await bus.stop()
            while try await messages.next("offers")["reason"]?.contains("The session bus has gone.") != true {}
            #expect(await program.status == 0)
        }
    }

    @Test("Without a session bus the browser host reports the reason, and ends")
    func withoutSessionBus() async throws {
        let program = try await BrowserProgram(on: nil)
        var messages = program.messages.makeAsyncIterator()
        #expect(try await messages.next("offers")["reason"]?.contains("session bus") == true)
        #expect(await program.status == 0)
    }

    @Test("The browser host reports reasons in the language of the session")
    func language() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let messages = directory.appending(path: "de/LC_MESSAGES")
        try FileManager.default.createDirectory(at: messages, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let catalogue = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../po/de.po")
        let msgfmt = try await ChildProcess(
            "/usr/bin/msgfmt", ["--output-file", messages.appending(path: "baton.mo").path, catalogue.path])
        try #require(try await msgfmt.end == .exited(0))
        try await PrivateBus.with { bus in
            let program = try await BrowserProgram(
                on: bus,
                environment: ["LC_ALL": "C.UTF-8", "LANGUAGE": "de", "TEXTDOMAINDIR": directory.path])
            var messages = program.messages.makeAsyncIterator()
            try program.say(#"{"type":"hello","version":1}"#)
            #expect(try await messages.next("offers")["reason"]?.hasPrefix("Baton läuft nicht.") == true)
            try program.close()
        }
    }

    @Test("When its input ends, the browser host ends, and so does its activity")
    func endOfInput() async throws {
        try await FakeDaemon.with { _, bus in
            // A profile may start two hosts. Each host is separate.
            for _ in 0..<2 {
                let program = try await BrowserProgram(on: bus)
                try program.close()
                #expect(await program.status == 0)
            }
        }
    }

    @Test("Messages before a hello of the right version have no effect")
    func nothingIsDoneBeforeHello() async throws {
        try await FakeDaemon.with { _, bus in
            let program = try await BrowserProgram(on: bus)
            var messages = program.messages.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            #expect(try await messages.required()["reason"] == "say hello first")
            try program.say(#"{"type":"hello","version":2}"#)
            #expect(try await messages.required()["reason"]?.contains("another version") == true)
            try program.say(BrowserProgram.page)
            #expect(try await messages.required()["reason"] == "say hello first")
            try program.close()
        }
    }

    @Test("An invalid message gets an error with a reason, and the next message is read")
    func messageThatIsNone() async throws {
        try await BrowserProgram.with { _, program, messages in
            for text in ["", "x", #"{"type":"else"}"#, #"{"type":"page"}"#, String(repeating: "x", count: 70_000)] {
                try program.say(text)
                #expect(try await messages.next("error")["reason"]?.isEmpty == false)
            }
            // This message answers a question that was never asked.
            try program.say(#"{"type":"opened","id":9,"opened":true}"#)
            try program.say(BrowserProgram.page)
            while try await messages.next("page").isOffered != true {}
        }
    }

    @Test("Bytes that are not messages end the browser host, which says to reload the extension")
    func garbageEndsIt() async throws {
        try await FakeDaemon.with { _, bus in
            let program = try await BrowserProgram(on: bus)
            var messages = program.messages.makeAsyncIterator()
            try program.write(Data("GET / HTTP/1.1\r\n\r\n".utf8))
            #expect(try await messages.required()["reason"]?.contains("Reload") == true)
            #expect(await program.status == 0)
        }
    }

    @Test(
        "Callers other than the browser's extension are rejected",
        arguments: [[], ["--help"], ["chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh/"]])
    func otherCallersAreTurnedAway(_ arguments: [String]) async throws {
        try await PrivateBus.with { bus in
            let program = try await BrowserProgram(on: bus, arguments)
            #expect(await program.status == 1)
        }
    }
}
