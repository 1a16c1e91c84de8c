// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonTesting
import Foundation
import Glibc
import Synchronization
import Testing
import UserActivity

private final class App: UserActivityDelegate, Sendable {
    let saves = Atomic(0)
    let streams: AsyncStream<ContinuationStreams>
    private let sink: AsyncStream<ContinuationStreams>.Continuation
    private let takes: Bool

    init(takes: Bool = true) {
        self.takes = takes
        (streams, sink) = AsyncStream.makeStream(of: ContinuationStreams.self)
    }

    func userActivityWillSave(_ userActivity: UserActivity) {
        userActivity.addUserInfoEntries(from: ["saves": saves.add(1, ordering: .relaxed).newValue])
    }

    func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool {
        if takes { sink.yield(streams) }
        return takes
    }
}

@Suite(.timeLimit(.minutes(1))) struct PublishingTests {
    @Test func activityIsSavedPublishedAndMadeCurrent() async throws {
        try await FakeDaemon.with { daemon, bus in
            let connection = try await BatonConnection.open(address: bus.address)
            let app = App()
            let activity = UserActivity(activityType: "t", host: connection)
            activity.delegate = app
            var events = connection.events(of: activity).makeAsyncIterator()
            var calls = daemon.calls.makeAsyncIterator()
            activity.becomeCurrent()
            guard case .becameCurrent = try await events.required() else { throw BatonBusError(.failed, "event") }
            #expect(try await calls.required() == .published("a1", needsSave: false))
            #expect(try await calls.required() == .becameCurrent("a1"))
            #expect(await daemon.activities["a1"]?.userInfo == ["saves": .int(1)])

            activity.needsSave = true
            guard case .updated("a1", _, needsSave: true) = try await calls.required() else {
                throw BatonBusError(.failed, "update")
            }
            await daemon.askToSave("a1")
            guard case .updated("a1", let saved, needsSave: false) = try await calls.required() else {
                throw BatonBusError(.failed, "save")
            }
            #expect(saved.userInfo == ["saves": .int(2)])
            #expect(!activity.needsSave)

            activity.resignCurrent()
            #expect(try await calls.required() == .resigned("a1"))
            activity.invalidate()
            #expect(try await calls.required() == .invalidated("a1"))
            await connection.close()
        }
    }

    @Test func aWillSaveWithNothingNewIsAnsweredToo() async throws {
        try await FakeDaemon.with { daemon, bus in
            let connection = try await BatonConnection.open(address: bus.address)
            let activity = UserActivity(activityType: "t", host: connection)
            var calls = daemon.calls.makeAsyncIterator()
            activity.becomeCurrent()
            _ = try await calls.required()
            _ = try await calls.required()
            await daemon.askToSave("a1")
            guard case .updated("a1", _, needsSave: false) = try await calls.required() else {
                throw BatonBusError(.failed, "save")
            }
            await connection.close()
        }
    }

    @Test func streamsReachTheDelegateAndTheirEndWhoeverWaits() async throws {
        try await FakeDaemon.with { daemon, bus in
            let connection = try await BatonConnection.open(address: bus.address)
            let app = App()
            let activity = UserActivity(activityType: "t", host: connection)
            activity.delegate = app
            var events = connection.events(of: activity).makeAsyncIterator()
            activity.becomeCurrent()
            _ = try await events.required()
            let end = try await daemon.openStreams("s1", to: "a1", device: "bb")
            var arrivals = app.streams.makeAsyncIterator()
            let streams = try await arrivals.required()
            #expect(streams.device == "bb")
            #expect(streams.transport == "tcp")
            await daemon.endStream("s1")
            try await connection.waitForEnd(of: streams)
            close(streams.descriptor)
            close(end)
            let other = try await daemon.openStreams("s2", to: "a1", device: "bb")
            let broken = try await arrivals.required()
            await daemon.endStream("s2", error: "gone")
            let error = await #expect(throws: BatonBusError.self) { try await connection.waitForEnd(of: broken) }
            #expect(error?.message == "gone")
            close(broken.descriptor)
            close(other)
            await connection.close()
        }
    }

    @Test func streamsThatNobodyTakesAreClosed() async throws {
        try await FakeDaemon.with { daemon, bus in
            let connection = try await BatonConnection.open(address: bus.address)
            let app = App(takes: false)
            let activity = UserActivity(activityType: "t", host: connection)
            activity.delegate = app
            var events = connection.events(of: activity).makeAsyncIterator()
            activity.becomeCurrent()
            _ = try await events.required()
            let end = try await daemon.openStreams("s1", to: "a1", device: "bb")
            let count = await withCheckedContinuation { waiting in
                Thread.detachNewThread {
                    var byte: UInt8 = 0
                    waiting.resume(returning: read(end, &byte, 1))
                }
            }
            #expect(count == 0)
            close(end)
            await connection.close()
        }
    }

    @Test func daemonThatGoesFailsActivitiesAndStreams() async throws {
        try await FakeDaemon.with { daemon, bus in
            let connection = try await BatonConnection.open(address: bus.address)
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
            guard case .failed(let error) = try await events.required() else { throw BatonBusError(.failed, "event") }
            #expect(error.code == .daemonNotRunning)
            let ended = await #expect(throws: BatonBusError.self) { try await connection.waitForEnd(of: streams) }
            #expect(ended?.code == .daemonNotRunning)
            close(streams.descriptor)
            close(end)
            await connection.close()
        }
    }

    @Test func withoutADaemonAnActivityFails() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.leave()
            let connection = try await BatonConnection.open(address: bus.address)
            let activity = UserActivity(activityType: "t", host: connection)
            var events = connection.events(of: activity).makeAsyncIterator()
            activity.becomeCurrent()
            guard case .failed(let error) = try await events.required() else { throw BatonBusError(.failed, "event") }
            #expect(error.code == .daemonNotRunning)
            await connection.close()
        }
    }
}
