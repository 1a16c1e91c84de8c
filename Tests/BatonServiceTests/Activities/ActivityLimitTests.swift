// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Foundation
import Testing

@testable import BatonService

/// Tests the limits on published activities. The limits apply to each app, if the app is known. So
/// an app cannot publish more by opening more connections.
@Suite struct ActivityLimitTests {
    private func makeRegistry() -> ActivityRegistry {
        ActivityRegistry { (UUID().uuidString, Array(UUID().uuidString.utf8.prefix(16))) }
    }

    private func state(bytes: Int = 0) -> ActivityState {
        var state = ActivityState(activityType: "org.example.note")
        if bytes > 0 { state.userInfo = ["data": .data(Data(repeating: 1, count: bytes))] }
        return state
    }

    private func publish(
        _ registry: inout ActivityRegistry, by client: String, app: String? = nil, account: String? = nil,
        bytes: Int = 0
    ) -> BatonError.Code? {
        do {
            _ = try registry.publish(
                state(bytes: bytes), team: "", application: app, account: account, needsSave: false,
                by: ClientID(rawValue: client))
            return nil
        } catch {
            return (error as? BatonError)?.code
        }
    }

    @Test("An app with many connections counts as one program")
    func appIsOneProgram() {
        var registry = makeRegistry()
        for number in 0..<256 { #expect(publish(&registry, by: ":1.\(number)", app: "org.example.Many") == nil) }
        #expect(publish(&registry, by: ":1.256", app: "org.example.Many") == .limitReached)
        #expect(publish(&registry, by: ":2.1", app: "org.example.Other") == nil)
        #expect(publish(&registry, by: ":2.2") == nil)
        // When a connection closes, its activities no longer count.
        registry.clientLeft(ClientID(rawValue: ":1.0"))
        #expect(publish(&registry, by: ":1.256", app: "org.example.Many") == nil)
    }

    @Test("A program beyond the limit is refused, and the programs within the limit can still publish")
    func programsBeyondTheLimit() {
        var registry = makeRegistry()
        for number in 0..<256 { #expect(publish(&registry, by: ":1.\(number)") == nil) }
        #expect(publish(&registry, by: ":1.256") == .limitReached)
        #expect(publish(&registry, by: ":1.0") == nil)
    }

    @Test("All sandboxed programs without a name count as one program")
    func namelessSandboxes() {
        var registry = makeRegistry()
        for number in 0..<256 { #expect(publish(&registry, by: ":1.\(number)", account: "/unidentified") == nil) }
        #expect(publish(&registry, by: ":1.256", account: "/unidentified") == .limitReached)
        #expect(publish(&registry, by: ":2.1", app: "org.example.Other", account: "org.example.Other") == nil)
        #expect(publish(&registry, by: ":2.2") == nil)
    }

    @Test("A connection has at most 64 activities, and another connection of the same app can have more")
    func connectionHas64Activities() {
        var registry = makeRegistry()
        for _ in 0..<64 { #expect(publish(&registry, by: ":1.1", app: "org.example.A") == nil) }
        #expect(publish(&registry, by: ":1.1", app: "org.example.A") == .limitReached)
        #expect(publish(&registry, by: ":1.2", app: "org.example.A") == nil)
    }

    /// Publishes 30,000 bytes repeatedly from several connections of an app until the registry
    /// refuses. Returns the number of accepted activities.
    private func fill(_ registry: inout ActivityRegistry, as app: String) -> Int {
        var count = 0
        while publish(&registry, by: "\(app) \(count / 64)", app: app, bytes: 30_000) == nil { count += 1 }
        return count
    }

    @Test("There is a limit for the contents of one program and one for the contents of all programs together")
    func contentsHaveALimit() {
        var registry = makeRegistry()
        // The limit for an app is 4 MiB. Each activity counts a few bytes more than its data.
        #expect((135...139).contains(fill(&registry, as: "org.example.A")))
        // Smaller contents, and the contents of other apps, still fit.
        #expect(publish(&registry, by: "org.example.A 3", app: "org.example.A") == nil)
        for app in ["org.example.B", "org.example.C", "org.example.D"] {
            #expect((135...139).contains(fill(&registry, as: app)))
        }
        // The limit for all apps together is 16 MiB.
        #expect(fill(&registry, as: "org.example.E") < 20)
        registry.clientLeft(ClientID(rawValue: "org.example.A 0"))
        #expect(publish(&registry, by: "org.example.E 0", app: "org.example.E", bytes: 30_000) == nil)
    }

    @Test("An update with larger contents counts against the limit, and one with smaller contents frees part of it")
    func contentsThatGrow() throws {
        var registry = makeRegistry()
        _ = fill(&registry, as: "org.example.A")
        let client = ClientID(rawValue: "org.example.A 0")
        let own = registry.all.filter { $0.client == client }.map(\.id)
        let larger = state(bytes: 60_000)
        let error = #expect(throws: BatonError.self) {
            try registry.update(own[0], of: client, to: larger, needsSave: false)
        }
        #expect(error?.code == .limitReached)
        #expect(try registry.entry(own[0], of: client).state == state(bytes: 30_000))
        try registry.update(own[1], of: client, to: state(), needsSave: false)
        try registry.update(own[0], of: client, to: larger, needsSave: false)
        #expect(try registry.entry(own[0], of: client).state == larger)
    }
}
