// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Testing
import UserActivity

/// What the browser, or whoever pretends to be it, says that cannot be taken, and the ends of both.
@Suite(.timeLimit(.minutes(5))) struct BrowserHostMessageTests {
    @Test("The end of the session bus is told, and ends the browser host")
    func endOfSessionBus() async throws {
        try await PrivateBus.with { bus in
            let program = try await BrowserProgram(on: bus)
            var messages = program.messages.makeAsyncIterator()
            try program.say(#"{"type":"hello","version":1}"#)
            _ = try await messages.next("offers")
            await bus.stop()
            while try await messages.next("offers")["reason"]?.contains("session has ended") != true {}
            #expect(await program.status == 0)
        }
    }

    @Test("Without a session bus the reason is told, and the browser host ends")
    func withoutSessionBus() async throws {
        let program = try await BrowserProgram(on: nil)
        var messages = program.messages.makeAsyncIterator()
        #expect(try await messages.next("offers")["reason"]?.contains("session bus") == true)
        #expect(await program.status == 0)
    }

    @Test("The end of its input ends the browser host and its activity")
    func endOfInput() async throws {
        try await FakeDaemon.with { _, bus in
            // A profile may start one twice: each is its own.
            for _ in 0..<2 {
                let program = try await BrowserProgram(on: bus)
                try program.close()
                #expect(await program.status == 0)
            }
        }
    }

    @Test("Nothing is done before a hello of the right version")
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

    @Test("A message that is none has a defined answer, an error with a reason, and the next is read")
    func messageThatIsNone() async throws {
        try await BrowserProgram.with { _, program, messages in
            for text in ["", "x", #"{"type":"else"}"#, #"{"type":"page"}"#, String(repeating: "x", count: 70_000)] {
                try program.say(text)
                #expect(try await messages.next("error")["reason"]?.isEmpty == false)
            }
            // Nobody asked.
            try program.say(#"{"type":"opened","id":9,"opened":true}"#)
            try program.say(BrowserProgram.page)
            while try await messages.next("page").isOffered != true {}
        }
    }

    @Test("Garbage in place of messages ends the browser host, which says to reload the extension")
    func garbageEndsIt() async throws {
        try await FakeDaemon.with { _, bus in
            let program = try await BrowserProgram(on: bus)
            var messages = program.messages.makeAsyncIterator()
            try program.write(Data("GET / HTTP/1.1\r\n\r\n".utf8))
            #expect(try await messages.required()["reason"]?.contains("reload") == true)
            #expect(await program.status == 0)
        }
    }

    @Test(
        "Callers other than the browser's extension are turned away",
        arguments: [[], ["--help"], ["chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh/"]])
    func otherCallersAreTurnedAway(_ arguments: [String]) async throws {
        try await PrivateBus.with { bus in
            let program = try await BrowserProgram(on: bus, arguments)
            #expect(await program.status == 1)
        }
    }
}
