// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``Continuations`` alone, without devices. Links are represented by numbers.
struct ContinuationsTests {
    private typealias Subject = Continuations<Int>
    private static let devices = (0..<32).map { DeviceID(bytes: [UInt8](repeating: UInt8($0), count: 32)) }
    private static let (app, other) = (ClientID(rawValue: ":1.1"), ClientID(rawValue: ":1.2"))

    private var subject = Subject()

    private static func fetched(_ link: Int = 1) throws -> Subject.Fetched {
        let activity = try EncodedActivity(ActivityState(activityType: "org.example.note"))
        return .init(link: link, request: 5, grant: ContinueGrant(instance: [1, 2], activity: activity))
    }

    private mutating func insert(
        for client: ClientID = Self.app, account: String? = nil, from device: Int = 0
    ) throws -> String {
        try subject.insert(
            Self.fetched(), from: #require(Self.devices[device]), for: client,
            of: ClientProgram(account: account, client: client), at: .zero)
    }

    private mutating func fetch(
        _ offer: String, for client: ClientID = Self.app, account: String? = nil, from device: Int = 0
    ) throws {
        _ = try subject.fetch(
            .init(offer: offer, client: client), from: #require(Self.devices[device]),
            for: ClientProgram(account: account, client: client)
        ) { Task { try Self.fetched() } }
    }

    @Test("An unaccepted continuation is forgotten after 120 s, and an accepted one can open streams for 60 s")
    mutating func times() throws {
        let (first, second) = (try insert(), try insert())
        #expect(subject.deadline == .seconds(120))
        let reported = try subject.accept(first, accepted: true, client: Self.app, at: .seconds(100))
        #expect(reported?.link == 1 && reported?.request == 5)
        subject.timePassed(at: .seconds(120))
        #expect(subject.ids == [first])
        #expect(throws: BatonError.self) { try subject.entry(second, of: Self.app) }
        #expect(subject.deadline == .seconds(160))
        subject.timePassed(at: .seconds(160))
        #expect(subject.count == 0 && subject.deadline == nil)
    }

    @Test("The outcome of an activity is reported once, whatever happens later")
    mutating func reportedOnce() throws {
        let id = try insert()
        let first = try subject.accept(id, accepted: true, client: Self.app, at: .zero)
        let second = try subject.accept(id, accepted: false, client: Self.app, at: .zero)
        #expect(first != nil && second == nil)
        let removed = subject.remove(id, of: Self.app)
        #expect(removed == nil && subject.count == 0)
    }

    @Test("A declined, removed or abandoned continuation is forgotten, and its caller must report that")
    mutating func unreported() throws {
        let declined = try insert()
        let afterwards = try subject.accept(declined, accepted: false, client: Self.app, at: .zero)
        let second = try insert()
        let removed = subject.remove(second, of: Self.app)
        #expect([afterwards?.id, removed?.id] == [declined, second])
        let (left, accepted) = (try insert(), try insert())
        _ = try subject.accept(accepted, accepted: true, client: Self.app, at: .zero)
        let others = try insert(for: Self.other)
        let unreported = subject.clientLeft(Self.app).map(\.id)
        #expect(unreported == [left] && subject.ids == [others])
    }

    @Test("Another program's continuation cannot be accepted, removed or transferred")
    mutating func others() throws {
        let id = try insert()
        #expect(throws: BatonError.self) {
            try subject.accept(id, accepted: true, client: Self.other, at: .zero)
        }
        #expect(throws: BatonError.self) {
            try subject.transfer(id, from: Self.other, to: Self.other, of: .connection(Self.other))
        }
        let removed = subject.remove(id, of: Self.other)
        #expect(removed == nil && subject.count == 1)
    }

    @Test("A transferred continuation belongs to the other program, and counts against that program's limit")
    mutating func transferred() throws {
        let id = try insert()
        try subject.transfer(id, from: Self.app, to: Self.other, of: .account("org.example.Notes"))
        #expect(subject.pending(of: Self.app).isEmpty && subject.pending(of: Self.other) == [id])
        #expect(try subject.entry(id, of: Self.other).program == .account("org.example.Notes"))
    }

    @Test("A program may have 16 continuations at once, an app 32, and all programs 256, including running fetches")
    mutating func limits() throws {
        for device in 1..<16 { _ = try insert(account: "app", from: device) }
        try fetch("a", account: "app")
        #expect(throws: BatonError.self) { try fetch("b", account: "app") }
        for device in 1...16 { _ = try insert(for: Self.other, account: "app", from: device) }
        #expect(throws: BatonError.self) { try fetch("b", for: ClientID(rawValue: ":1.3"), account: "app") }
        subject.fetchEnded(.init(offer: "a", client: Self.app))
        try fetch("b", account: "app")
        var number = 10
        while subject.count + subject.fetchCount < 256 {
            _ = try insert(for: ClientID(rawValue: ":1.\(number)"))
            number += 1
        }
        #expect(throws: BatonError.self) { try fetch("c", for: ClientID(rawValue: ":1.5")) }
    }

    @Test(
        "An app may have 8 continuations from one device on all its connections, and this does not limit other apps"
    )
    mutating func deviceShare() throws {
        let first = try insert(account: "app")
        for _ in 0..<5 { _ = try insert(account: "app") }
        _ = try insert(for: Self.other, account: "app")
        try fetch("a", for: Self.other, account: "app")
        let error = #expect(throws: BatonError.self) { try fetch("b", account: "app") }
        #expect(error?.code == .limitReached)
        try fetch("b", account: "app", from: 1)
        try fetch("b", for: ClientID(rawValue: ":1.3"), account: "another")
        subject.fetchEnded(.init(offer: "a", client: Self.other))
        try fetch("c", account: "app")
        _ = try subject.accept(first, accepted: true, client: Self.app, at: .zero)
        try fetch("d", account: "app")
    }

    @Test("Accepted continuations do not use up the limit, and an app's newest 32 are kept for streams")
    mutating func accepted() throws {
        var ids: [String] = []
        for number in 0..<100 {
            ids.append(try insert(account: "app"))
            _ = try subject.accept(ids[number], accepted: true, client: Self.app, at: .seconds(number))
        }
        #expect(Set(subject.ids) == Set(ids.suffix(32)))
        for device in 1...16 { _ = try insert(account: "app", from: device) }
        #expect(throws: BatonError.self) { try fetch("b", account: "app") }
        for program in 0..<20 {
            for _ in 0..<32 {
                let id = try insert(for: Self.other, account: "\(program)")
                _ = try subject.accept(id, accepted: true, client: Self.other, at: .seconds(200))
            }
        }
        #expect(subject.count == 256 + 16)
        try fetch("c", for: ClientID(rawValue: ":1.5"))
    }

    @Test("A program can fetch an offer only once at a time, and cancelling the offer cancels the fetch")
    mutating func fetches() async throws {
        try fetch("a")
        #expect(throws: BatonError.self) { try fetch("a") }
        try fetch("a", for: Self.other)
        let task = try subject.fetch(
            .init(offer: "b", client: Self.app), from: #require(Self.devices[0]), for: .connection(Self.app)
        ) {
            Task {
                try await Task.sleep(for: .seconds(3_600))
                return try Self.fetched()
            }
        }
        subject.cancelFetch(.init(offer: "b", client: Self.app))
        try #require(task.isCancelled)
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(subject.fetchCount == 3)
    }
}
