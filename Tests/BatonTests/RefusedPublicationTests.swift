// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonTesting
import Testing
import UserActivity

/// Tests activities that the daemon rejects, at first or later.
@Suite(.timeLimit(.minutes(5))) struct RefusedPublicationTests {
    @Test("If contents are rejected, the app loses only those contents")
    func refusedContents() async throws {
        try await FakeDaemon.with { daemon, bus in
            let (warnings, warning) = AsyncStream.makeStream(of: String.self)
            let connection = try await BatonConnection.open(address: bus.address) { warning.yield($0) }
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var (calls, told) = (daemon.calls.makeAsyncIterator(), warnings.makeAsyncIterator())
            activity.becomeCurrent()
            try await calls.expectPublication()
            activity.title = "too large"
            #expect(await told.next() == "the contents are too large")
            activity.title = "small"
            let state = try await calls.requiredUpdate()
            #expect(state.title == "small")
            activity.invalidate()
            #expect(try await calls.required() == .invalidated("a1"))
            await connection.close()
        }
    }

    @Test("An activity that the daemon ends is not published again automatically")
    func endedByTheDaemon() async throws {
        try await FakeDaemon.with { daemon, bus in
            let (warnings, warning) = AsyncStream.makeStream(of: String.self)
            let connection = try await BatonConnection.open(address: bus.address) { warning.yield($0) }
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var (calls, told) = (daemon.calls.makeAsyncIterator(), warnings.makeAsyncIterator())
            activity.becomeCurrent()
            try await calls.expectPublication()
            await daemon.end("a1", "the user has taken it back")
            #expect(await told.next() == "the user has taken it back")
            // Further changes do not reach the daemon. The app may publish the activity again.
            activity.title = "later"
            activity.becomeCurrent()
            while let call = try? await calls.required(), call != .published("a2", needsSave: false) {
                #expect(call == .invalidated("a1"))
            }
            await connection.close()
        }
    }

    @Test("Rejected contents do not leave the former activity on offer")
    func refusedTakeThePlace() async throws {
        try await FakeDaemon.with { daemon, bus in
            let (warnings, warning) = AsyncStream.makeStream(of: String.self)
            let connection = try await BatonConnection.open(address: bus.address) { warning.yield($0) }
            let (first, second) = (
                UserActivity(activityType: "org.example.t", host: connection),
                UserActivity(activityType: "org.example.t", host: connection)
            )
            var (calls, told) = (daemon.calls.makeAsyncIterator(), warnings.makeAsyncIterator())
            first.becomeCurrent()
            try await calls.expectPublication()
            second.title = "too large"
            second.becomeCurrent()
            #expect(await told.next() == "the contents are too large")
            #expect(try await calls.required() == .resigned("a1"))
            // The next contents are accepted.
            second.title = "small"
            try await calls.expectPublication(of: "a2")
            // A known activity with rejected contents becomes current with its former contents.
            first.title = "too large"
            first.becomeCurrent()
            #expect(await told.next() == "the contents are too large")
            #expect(try await calls.required() == .becameCurrent("a1"))
            withExtendedLifetime((first, second)) {}
            await connection.close()
        }
    }

    @Test("If there are more activities than the daemon allows, the oldest makes room")
    func oldestGivesWay() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            await daemon.keep(2)
            let tabs = (0..<3).map { _ in UserActivity(activityType: "org.example.tab", host: connection) }
            var calls = daemon.calls.makeAsyncIterator()
            for (number, tab) in tabs.enumerated() {
                tab.becomeCurrent()
                if number == 2 { #expect(try await calls.required() == .invalidated("a1")) }
                try await calls.expectPublication(of: "a\(number + 1)")
            }
            // The app still has the activity.
            tabs[0].becomeCurrent()
            #expect(try await calls.required() == .invalidated("a2"))
            try await calls.expectPublication(of: "a4")
        }
    }

    @Test("An activity is published again to a restarted daemon, which does not know it")
    func anotherDaemonGetsIt() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var calls = daemon.calls.makeAsyncIterator()
            activity.becomeCurrent()
            try await calls.expectPublication()
            await daemon.forget()
            activity.title = "changed"
            try await calls.expectPublication(of: "a2")
            #expect(await daemon.activities["a2"]?.title == "changed")
        }
    }

    @Test("A call that the daemon rejects because it is full is repeated")
    func daemonWithoutRoom() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var calls = daemon.calls.makeAsyncIterator()
            await daemon.refuse(1)
            activity.becomeCurrent()
            try await calls.expectPublication()
            await daemon.refuse(1)
            activity.title = "changed"
            let state = try await calls.requiredUpdate()
            #expect(state.title == "changed")
            await daemon.refuse(1)
            activity.resignCurrent()
            #expect(try await calls.requiredButUpdates() == .resigned("a1"))
        }
    }

    @Test("An activity whose update was rejected can still end")
    func endsAfterRefusedUpdate() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var (calls, events) = (
                daemon.calls.makeAsyncIterator(), connection.events(of: activity).makeAsyncIterator()
            )
            activity.becomeCurrent()
            try await calls.expectPublication()
            try await events.expectCurrent()
            await daemon.refuse(.max)
            activity.title = "changed"
            try await events.expectWarning()
            activity.invalidate()
            await daemon.refuse(0)
            #expect(try await calls.requiredButUpdates() == .invalidated("a1"))
            #expect(await daemon.activities.isEmpty)
        }
    }

    @Test("Resigning does not wait for rejected contents")
    func resigningDoesNotWait() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var (calls, events) = (
                daemon.calls.makeAsyncIterator(), connection.events(of: activity).makeAsyncIterator()
            )
            activity.becomeCurrent()
            try await calls.expectPublication()
            try await events.expectCurrent()
            // The daemon will never have room for the activity's present contents.
            await daemon.fill(with: "large")
            activity.title = "large"
            try await events.expectWarning()
            activity.resignCurrent()
            #expect(try await calls.required() == .resigned("a1"))
        }
    }

    @Test("An activity ends if the app releases it while the daemon rejects it")
    func releasedWhileRefused() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            var calls = daemon.calls.makeAsyncIterator()
            try await {
                let activity = UserActivity(activityType: "org.example.t", host: connection)
                var events = connection.events(of: activity).makeAsyncIterator()
                activity.becomeCurrent()
                try await calls.expectPublication()
                try await events.expectCurrent()
                await daemon.fill(with: "large")
                activity.title = "large"
                try await events.expectWarning()
            }()
            #expect(try await calls.required() == .invalidated("a1"))
        }
    }

    @Test("A retry sends the activity's present state")
    func takenAfterAWhile() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var (calls, events) = (
                daemon.calls.makeAsyncIterator(), connection.events(of: activity).makeAsyncIterator()
            )
            activity.becomeCurrent()
            try await calls.expectPublication()
            try await events.expectCurrent()
            await daemon.refuse(.max)
            activity.title = "first"
            try await events.expectWarning()
            activity.title = "second"
            await daemon.refuse(0)
            while true {
                guard case .updated("a1", let state, _) = try await calls.required() else { continue }
                if state.title == "second" { break }
            }
            withExtendedLifetime(activity) {}
        }
    }

    @Test("If an activity becomes current often and is rejected each time, it is retried once")
    func becomingCurrentOften() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var (calls, events) = (
                daemon.calls.makeAsyncIterator(), connection.events(of: activity).makeAsyncIterator()
            )
            // Each call is rejected, and all of them are repeated as one call.
            await daemon.refuse(6)
            for _ in 0..<5 { activity.becomeCurrent() }
            try await events.expectWarning()
            try await events.expectCurrent()
            activity.invalidate()
            var made: [FakeDaemon.Call] = []
            while made.last != .invalidated("a1") { made.append(try await calls.requiredButUpdates()) }
            #expect(made.first == .published("a1", needsSave: false))
            #expect(made.count { if case .published = $0 { true } else { false } } == 1)
        }
    }

    @Test("If there is no room for an activity's new contents, the activity becomes current with its former contents")
    func contentsFindNoRoom() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let (first, second) = (
                UserActivity(activityType: "org.example.t", host: connection),
                UserActivity(activityType: "org.example.u", host: connection)
            )
            var calls = daemon.calls.makeAsyncIterator()
            for (activity, name) in [(first, "a1"), (second, "a2")] {
                activity.becomeCurrent()
                try await calls.expectPublication(of: name)
            }
            await daemon.fill(with: "large")
            first.title = "large"
            first.becomeCurrent()
            #expect(try await calls.required() == .becameCurrent("a1"))
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("A deletion that was rejected once is repeated")
    func deletionRefusedOnce() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            await daemon.refuse(1)
            try await connection.delete(persistentIdentifiers: ["7"])
            #expect(await daemon.refused == 1)
        }
    }
}

extension AsyncStream<FakeDaemon.Call>.Iterator {
    /// Returns the next call that is not an update. The number of updates depends on when the
    /// daemon has room.
    fileprivate mutating func requiredButUpdates() async throws -> Element {
        while true {
            let call = try await required()
            if case .updated = call { continue }
            return call
        }
    }
}
