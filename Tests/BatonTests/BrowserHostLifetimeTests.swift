// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Testing
import UserActivity

/// Tests how long a browser host runs, alone or beside another.
@Suite(.timeLimit(.minutes(5))) struct BrowserHostLifetimeTests {
    @Test("Two simultaneous browser hosts each have their own page until they end")
    func twoAtOnce() async throws {
        try await FakeDaemon.with { daemon, bus in
            var calls = daemon.calls.makeAsyncIterator()
            var programs: [BrowserProgram] = []
            // The two programs stand for two profiles, or for one that starts its host twice.
            for number in 1...2 {
                let program = try await BrowserProgram(on: bus)
                try program.say(#"{"type":"hello","version":1}"#)
                try program.say(#"{"type":"page","url":"https://example.org/\#(number)"}"#)
                while try await calls.required() != .becameCurrent("a\(number)") {}
                #expect(await daemon.activities["a\(number)"]?.webpageURL?.path() == "/\(number)")
                programs.append(program)
            }
            try programs[0].close()
            #expect(await programs[0].status == 0)
            try programs[1].say(#"{"type":"page","url":"https://example.org/3"}"#)
            while true {
                if case .updated("a2", let state, _) = try await calls.required(), state.webpageURL?.path() == "/3" {
                    break
                }
            }
            #expect(await daemon.activities["a1"]?.webpageURL?.path() == "/1")
            try programs[1].close()
            #expect(await programs[1].status == 0)
        }
    }

    @Test("A browser that has closed its end does not block the browser host")
    func browserClosedItsEnd() async throws {
        try await BrowserProgram.with { _, program, _ in
            try program.stopReading()
            for _ in 0..<10 { try program.say(BrowserProgram.page) }
        }
    }

    @Test("If a browser stops reading, the browser host ends after 4 MiB of output are waiting")
    func browserReadsNoMore() async throws {
        try await PrivateBus.with { bus in
            let program = try await BrowserProgram(on: bus, isRead: false)
            // The answer to an empty message. Some answers are already in the pipe, and so do not
            // count as waiting.
            let answer = 4 + #"{"type":"error","reason":"a message is a JSON object with a type"}"#.utf8.count
            let waiting = (4 << 20) / answer
            try program.write(Data(count: 4 * (waiting - 1_000)))
            // The browser host runs until the waiting output exceeds the limit.
            for _ in 0..<(1_000 + (128 << 10) / answer) { try program.write(Data(count: 4)) }
            #expect(await program.status == 1)
        }
    }
}
