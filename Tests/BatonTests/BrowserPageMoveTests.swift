// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting
import Foundation
import Testing
import UserActivity

/// Tests a page that was handed over, in either direction, and the page after it.
@Suite(.timeLimit(.minutes(5))) struct BrowserPageMoveTests {
    private static let next = #"{"type":"page","url":"https://example.org/next","title":"Next"}"#

    private func expect(
        _ wanted: FakeDaemon.Call, in calls: inout AsyncStream<FakeDaemon.Call>.Iterator
    ) async throws {
        while try await calls.required() != wanted {}
    }

    /// Expects that the next page ends the former activity and starts a new one.
    private func nextIsAnother(
        _ program: BrowserProgram, _ daemon: FakeDaemon, _ calls: inout AsyncStream<FakeDaemon.Call>.Iterator
    ) async throws {
        try program.say(Self.next)
        var left: Set<FakeDaemon.Call> = [.invalidated("a1"), .becameCurrent("a2")]
        while !left.isEmpty { left.remove(try await calls.required()) }
        #expect(await daemon.activities["a2"]?.title == "Next")
    }

    @Test("After a page was handed over to another laptop, the next page is a new activity")
    func pageAfterOneThatWentOn() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            try await expect(.becameCurrent("a1"), in: &calls)
            await daemon.beContinued("a1", on: "dd", called: "sofa")
            let taken = try await messages.next("taken")
            #expect((taken["url"], taken["deviceName"]) == ("https://example.org/", "sofa"))
            // While the user stays on the page, its activity stays the same.
            try program.say(#"{"type":"page","url":"https://example.org/","title":"Another title"}"#)
            let state = try await calls.requiredUpdate(needsSave: true)
            #expect(state.title == "A page" || state.title == "Another title")
            try await nextIsAnother(program, daemon, &calls)
            // The new page was not handed over, so the following one changes its activity.
            try program.say(BrowserProgram.page)
            while await daemon.activities["a2"]?.title != "A page" { _ = try await calls.required() }
            #expect(await daemon.activities["a3"] == nil)
            await daemon.beContinued("a2", on: "dd", called: "sofa")
            #expect(try await messages.next("taken")["deviceName"] == "sofa")
        }
    }

    @Test("The page after one from another laptop is a new activity")
    func pageAfterOneThatCame() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            let page = ActivityState(
                activityType: NSUserActivityTypeBrowsingWeb, title: "A page",
                webpageURL: URL(string: "https://example.org/"))
            await daemon.open("p1", page)
            _ = try await messages.next("coming")
            try program.say(#"{"type":"take","page":"p1"}"#)
            _ = try await messages.next("place")
            try program.say(BrowserProgram.page)
            try await expect(.becameCurrent("a1"), in: &calls)
            try await nextIsAnother(program, daemon, &calls)
        }
    }
}
