// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct PublishingTests {
    @Test("Settling also waits until the daemon knows of an activity's end")
    func settlingWaitsForTheEnd() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            for _ in 0..<20 {
                let activity = UserActivity(activityType: "t", host: connection)
                activity.becomeCurrent()
                await connection.settle()
                #expect(await daemon.activities.count == 1)
                activity.invalidate()
                await connection.settle()
                #expect(await daemon.activities.isEmpty)
            }
        }
    }

    @Test("An activity is saved, published and made current")
    func savedPublishedAndCurrent() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let app = App()
            let activity = UserActivity(activityType: "t", host: connection)
            activity.delegate = app
            var events = connection.events(of: activity).makeAsyncIterator()
            var calls = daemon.calls.makeAsyncIterator()
            activity.becomeCurrent()
            try await events.expectCurrent()
            try await calls.expectPublication()
            #expect(await daemon.activities["a1"]?.userInfo == ["saves": .int(1)])

            activity.needsSave = true
            try await calls.requiredUpdate(needsSave: true)
            await daemon.askToSave("a1")
            let saved = try await calls.requiredUpdate(needsSave: false)
            #expect(saved.userInfo == ["saves": .int(2)])
            #expect(!activity.needsSave)

            activity.resignCurrent()
            #expect(try await calls.required() == .resigned("a1"))
            activity.invalidate()
            #expect(try await calls.required() == .invalidated("a1"))
            withExtendedLifetime(activity) {}
        }
    }

    @Test("An invalidation does not wait for the delegate, and nothing is saved after it")
    func invalidationDoesNotWait() async throws {
        try await FakeDaemon.with { daemon, bus in
            let (held, hold) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
            let connection = try await BatonConnection.open(
                address: bus.address, delivery: CallbackDelivery { hold.yield($0) })
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            var calls = daemon.calls.makeAsyncIterator()
            var work = held.makeAsyncIterator()
            activity.becomeCurrent()
            try await calls.expectPublication()
            let app = App()
            activity.delegate = app
            activity.needsSave = true
            try await calls.requiredUpdate(needsSave: true)
            await daemon.askToSave("a1")
            // The delegate is being asked, and does not answer.
            let asking = try #require(await work.next())
            activity.invalidate()
            #expect(try await calls.required() == .invalidated("a1"))
            asking()
            let next = UserActivity(activityType: "org.example.t", host: connection)
            next.becomeCurrent()
            #expect(try await calls.required() == .published("a2", needsSave: false))
            withExtendedLifetime(app) {}
            await connection.close()
        }
    }

    @Test("A file in a shared folder is handed over by its place in that folder")
    func sharedFileTravelsByPlace() async throws {
        try await withDirectory { directory in
            let folders = directory.appending(path: "folders")
            try "notes = /home/ada/Notes".write(to: folders, atomically: true, encoding: .utf8)
            try await FakeDaemon.with { daemon, bus in
                let connection = try await BatonConnection.open(address: bus.address, folders: folders)
                let activity = UserActivity(activityType: "org.example.t", host: connection)
                let file = URL(filePath: "/home/ada/Notes/in.txt")
                activity.userInfo = [UserActivityDocumentURLKey: file]
                var calls = daemon.calls.makeAsyncIterator()
                activity.becomeCurrent()
                try await calls.expectPublication()
                let place = try #require(URL(string: "baton-folder:/notes/in.txt"))
                #expect(await daemon.activities["a1"]?.userInfo == [.string(UserActivityDocumentURLKey): .url(place)])
                activity.title = "changed"
                let state = try await calls.requiredUpdate()
                #expect(state.userInfo == [.string(UserActivityDocumentURLKey): .url(place)])
                // On this device the activity keeps the URL that the app set.
                #expect(activity.documentURL == file)
                await connection.close()
            }
        }
    }

    @Test("An activity that is not eligible for hand-over replaces the current one")
    func ineligibleTakesThePlace() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let (first, second) = (
                UserActivity(activityType: "t", host: connection), UserActivity(activityType: "u", host: connection)
            )
            second.isEligibleForHandoff = false
            var calls = daemon.calls.makeAsyncIterator()
            first.becomeCurrent()
            try await calls.expectPublication()
            second.becomeCurrent()
            #expect(try await calls.required() == .resigned("a1"))
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("The daemon's last message is about the activity that became current last")
    func lastToBecomeCurrent() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let (first, second) = (
                UserActivity(activityType: "org.example.t", host: connection),
                UserActivity(activityType: "org.example.t", host: connection)
            )
            var calls = daemon.calls.makeAsyncIterator()
            first.becomeCurrent()
            #expect(try await calls.required() == .published("a1", needsSave: false))
            for _ in 0..<200 {
                first.becomeCurrent()
                second.becomeCurrent()
            }
            await connection.settle()
            first.invalidate()
            var current = ""
            while case let call = try await calls.required() {
                if case .becameCurrent(let activity) = call { current = activity }
                if case .invalidated = call { break }
            }
            #expect(await daemon.activities.keys.sorted() == [current])
            withExtendedLifetime(second) {}
        }
    }

    @Test("The daemon's WillSave is answered even if the app has no new contents")
    func willSaveWithNothingNew() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "t", host: connection)
            var calls = daemon.calls.makeAsyncIterator()
            activity.becomeCurrent()
            _ = try await calls.required()
            _ = try await calls.required()
            await daemon.askToSave("a1")
            try await calls.requiredUpdate(needsSave: false)
            withExtendedLifetime(activity) {}
        }
    }

    @Test("If a connection does not reattach to a new daemon, its activities and streams fail when the daemon ends")
    func daemonThatGoes() async throws {
        try await FakeDaemon.with { daemon, bus in
            let connection = try await BatonConnection.open(address: bus.address, reattaches: false)
            let app = App()
            let activity = UserActivity(activityType: "t", host: connection)
            activity.delegate = app
            var events = connection.events(of: activity).makeAsyncIterator()
            activity.becomeCurrent()
            _ = try await events.required()
            let end = try await daemon.openStreams("s1", to: "a1", device: "bb")
            var arrivals = app.streams.makeAsyncIterator()
            let streams = try await arrivals.required()
            await daemon.leave()
            let error = try await events.requiredFailure()
            #expect(error.code == .daemonNotRunning)
            let ended = await #expect(throws: BatonError.self) { try await connection.waitForEnd(of: streams) }
            #expect(ended?.code == .daemonNotRunning)
            close(streams.descriptor)
            close(end)
            withExtendedLifetime(activity) {}
            await connection.close()
        }
    }

    @Test("Without a daemon an activity fails, unless its connection reattaches")
    func withoutADaemon() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.leave()
            let connection = try await BatonConnection.open(address: bus.address, reattaches: false)
            let activity = UserActivity(activityType: "t", host: connection)
            var events = connection.events(of: activity).makeAsyncIterator()
            activity.becomeCurrent()
            let error = try await events.requiredFailure()
            #expect(error.code == .daemonNotRunning)
            withExtendedLifetime(activity) {}
            await connection.close()
        }
    }

    @Test("When the daemon is back, the current activity is published with its changes")
    func publishesAgain() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let (current, other) = (
                UserActivity(activityType: "org.example.a", host: connection),
                UserActivity(activityType: "org.example.b", host: connection)
            )
            current.title = "first"
            var events = connection.events(of: current).makeAsyncIterator()
            var calls = daemon.calls.makeAsyncIterator()
            other.becomeCurrent()
            current.becomeCurrent()
            while true { if case .becameCurrent = try await events.required() { break } }
            await daemon.leave()
            while true { if case .detached = try await events.required() { break } }
            // Changes that were made meanwhile are part of the new publication.
            current.title = "second"
            try await daemon.comeBack()
            while true {
                guard case .becameCurrent(let name) = try await calls.required() else { continue }
                if await daemon.activities[name]?.title == "second" { break }
            }
            current.invalidate()
            other.invalidate()
        }
    }

    @Test("An activity that became current before the daemon ran is published when it runs")
    func appearedBeforeTheDaemon() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.leave()
            let connection = try await BatonConnection.open(address: bus.address)
            let activity = UserActivity(activityType: "org.example.a", host: connection)
            var events = connection.events(of: activity).makeAsyncIterator()
            activity.becomeCurrent()
            while true { if case .detached = try await events.required() { break } }
            try await daemon.comeBack()
            var calls = daemon.calls.makeAsyncIterator()
            while try await calls.required() != .becameCurrent("a1") {}
            activity.invalidate()
            await connection.close()
        }
    }

    @Test("An activity that the app releases ends")
    func activityThatTheAppLetGoEnds() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            var calls = daemon.calls.makeAsyncIterator()
            do {
                let activity = UserActivity(activityType: "org.example.a", host: connection)
                activity.becomeCurrent()
                while try await calls.required() != .becameCurrent("a1") {}
                withExtendedLifetime(activity) {}
            }
            #expect(try await calls.required() == .invalidated("a1"))
        }
    }

    @Test("A slow delegate delays no other activity")
    func slowDelegate() async throws {
        try await FakeDaemon.with { daemon, bus in
            let (held, hold) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
            let connection = try await BatonConnection.open(
                address: bus.address, delivery: CallbackDelivery { work in hold.yield(work) })
            let app = App()
            let slow = UserActivity(activityType: "org.example.slow", host: connection)
            slow.delegate = app
            let quick = UserActivity(activityType: "org.example.quick", host: connection)
            var calls = daemon.calls.makeAsyncIterator()
            var waiting = held.makeAsyncIterator()
            slow.becomeCurrent()
            let work = try await waiting.required()
            quick.becomeCurrent()
            _ = try await calls.required()
            #expect(try await calls.required() == .becameCurrent("a1"))
            #expect(await daemon.activities["a1"]?.activityType == "org.example.quick")
            // The slow answer comes while another activity is current. That activity stays
            // current.
            work()
            #expect(try await calls.required() == .published("a2", needsSave: false))
            quick.title = "still"
            try await calls.requiredUpdate()
            slow.invalidate()
            quick.invalidate()
            await connection.close()
        }
    }
}
