// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonLoopback
import Foundation
import Synchronization
import Testing
import UserActivity

private final class Noter: UserActivityDelegate, Sendable {
    let notes = Mutex<[String]>([])

    func userActivityWillSave(_ userActivity: UserActivity) {
        notes.withLock { $0.append("save") }
        userActivity.userInfo = ["draft": "half a wo"]
    }

    func userActivityWasContinued(_ userActivity: UserActivity) { notes.withLock { $0.append("continued") } }
}

@Suite(.timeLimit(.minutes(5))) struct LoopbackTests {
    private let loopback = Loopback()

    @Test("An activity is offered, saved and continued")
    func offeredAndContinued() async throws {
        let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
        let noter = Noter()
        let activity = UserActivity(activityType: "org.example.edit", host: desk)
        activity.delegate = noter
        activity.becomeCurrent()
        let offer = await sofa.offer(ofType: "org.example.edit")
        #expect(offer.app == "desk")
        #expect(desk.offers.isEmpty)
        let continuation = try await sofa.continueOffer(offer)
        #expect(continuation.activity.userInfo?["draft"] as? String == "half a wo")
        #expect(noter.notes.withLock { $0 } == ["save"])
        await continuation.accept()
        #expect(noter.notes.withLock { $0 } == ["save", "continued"])
        activity.invalidate()
        await sofa.noOffer(ofType: "org.example.edit")
        let gone = await #expect(throws: CocoaError.self) { try await sofa.continueOffer(offer) }
        #expect(gone?.code == .userActivityConnectionUnavailable)
    }

    @Test("Waiting for an offer ends when its task is cancelled")
    func waitsEndWithTheirTask() async throws {
        let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
        let activity = UserActivity(activityType: "org.example.edit", host: desk)
        activity.becomeCurrent()
        let coming = Task { await sofa.offer(ofType: "org.example.never") }
        let going = Task { await sofa.noOffer(ofType: "org.example.edit") }
        coming.cancel()
        going.cancel()
        await going.value
        let none = await coming.value
        #expect(none.activityType == "org.example.never")
        let error = await #expect(throws: CocoaError.self) { try await sofa.continueOffer(none) }
        #expect(error?.code == .userActivityConnectionUnavailable)
        activity.invalidate()
    }

    @Test("A continued activity may become current here")
    func continuedBecomesCurrent() async throws {
        let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
        let activity = UserActivity(activityType: "org.example.edit", host: desk)
        activity.becomeCurrent()
        let continued = try await sofa.continueOffer(await sofa.offer(ofType: "org.example.edit")).activity
        continued.becomeCurrent()
        #expect(desk.offers.map(\.app) == ["sofa"])
        continued.invalidate()
        activity.invalidate()
    }

    @Test("A delegate that never answers times out")
    func delegateTimesOut() async throws {
        let desk = loopback.app("desk", delivery: CallbackDelivery { _ in })
        let sofa = loopback.app("sofa")
        let noter = Noter()
        let activity = UserActivity(activityType: "org.example.edit", host: desk)
        activity.delegate = noter
        activity.becomeCurrent()
        let offer = await sofa.offer(ofType: "org.example.edit")
        let error = await #expect(throws: CocoaError.self) {
            try await sofa.continueOffer(offer, timeout: .milliseconds(1))
        }
        #expect(error?.code == .userActivityRemoteApplicationTimedOut)
        activity.invalidate()
    }

    @Test("Two simultaneous continuations both get the saved state, which is saved once")
    func twoContinueAtOnce() async throws {
        let (held, hold) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        let desk = loopback.app("desk", delivery: CallbackDelivery { hold.yield($0) })
        let (sofa, bed) = (loopback.app("sofa"), loopback.app("bed"))
        let noter = Noter()
        let activity = UserActivity(activityType: "org.example.edit", host: desk)
        activity.delegate = noter
        activity.becomeCurrent()
        let offer = await sofa.offer(ofType: "org.example.edit")
        async let first = sofa.continueOffer(offer, timeout: .seconds(3_600))
        var work = held.makeAsyncIterator()
        let save = await work.next()
        // The second continuation comes while the app is being asked for the first. If it comes
        // later, it finds the saved state.
        async let second = bed.continueOffer(offer, timeout: .seconds(3_600))
        for _ in 0..<20 { await Task.yield() }
        save?()
        for continuation in try await [first, second] {
            #expect(continuation.activity.userInfo?["draft"] as? String == "half a wo")
        }
        #expect(noter.notes.withLock { $0 } == ["save"])
        activity.invalidate()
    }

    @Test("An activity that is invalidated while it is saved is not handed over")
    func invalidatedWhileSaved() async throws {
        final class Ender: UserActivityDelegate {
            func userActivityWillSave(_ userActivity: UserActivity) { userActivity.invalidate() }
        }
        let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
        let activity = UserActivity(activityType: "org.example.edit", host: desk)
        let ender = Ender()
        activity.delegate = ender
        activity.becomeCurrent()
        let offer = await sofa.offer(ofType: "org.example.edit")
        let error = await #expect(throws: CocoaError.self) { try await sofa.continueOffer(offer) }
        #expect(error?.code == .userActivityHandoffFailed)
        await sofa.noOffer(ofType: "org.example.edit")
    }

    @Test("An empty userInfo is offered and delivered")
    func emptyUserInfo() async throws {
        let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
        let activity = UserActivity(activityType: "org.example.empty", host: desk)
        activity.becomeCurrent()
        let continuation = try await sofa.continueOffer(await sofa.offer(ofType: "org.example.empty"))
        #expect(continuation.activity.userInfo?.isEmpty == true)
        activity.invalidate()
    }

    @Test("An activity that has expired is not offered")
    func expiredActivityIsNotOffered() async {
        let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
        let activity = UserActivity(activityType: "org.example.edit", host: desk)
        activity.expirationDate = Date(timeIntervalSinceNow: -1)
        activity.becomeCurrent()
        #expect(sofa.offers.isEmpty)
        activity.expirationDate = nil
        #expect(sofa.offers.count == 1)
        activity.resignCurrent()
        #expect(sofa.offers.isEmpty)
    }

    @Test("Streams without a delegate are rejected, and streams that a delegate does not take are released")
    func streamsWithoutReceiver() async throws {
        let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
        let activity = UserActivity(activityType: "org.example.edit", host: desk)
        activity.supportsContinuationStreams = true
        activity.becomeCurrent()
        let continuation = try await sofa.continueOffer(await sofa.offer(ofType: "org.example.edit"))
        let error = await #expect(throws: CocoaError.self) {
            _ = try await continuation.activity.continuationPair()
        }
        #expect(error?.code == .userActivityHandoffFailed)
        // As on a device, streams without a recipient are not offered.
        #expect(!continuation.activity.supportsContinuationStreams)
        let noter = Noter()
        activity.delegate = noter
        let next = try await sofa.continueOffer(await sofa.offer(ofType: "org.example.edit"))
        let channel = try await next.activity.continuationChannel()
        #expect(try await channel.bytes.collect(upTo: 0).isEmpty)
        activity.invalidate()
    }
}
