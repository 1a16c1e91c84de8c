// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import UserActivity

private final class Noter: UserActivityDelegate, Sendable {
    let notes = Mutex<[String]>([])
    private func note(_ text: String) { notes.withLock { $0.append(text + (Thread.isMainThread ? " main" : "")) } }

    func userActivityWillSave(_ userActivity: UserActivity) { note("save") }
    func userActivityWasContinued(_ userActivity: UserActivity) { note("continued") }
    func userActivity(_ activity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        note("streams")
    }
}

@Suite(.timeLimit(.minutes(5))) struct DeliveryTests {
    @Test("Callbacks run where the host delivers them")
    func callbacksRunWhereTheHostSays() async {
        let count = Mutex(0)
        let host = Recorder(
            delivery: CallbackDelivery { work in
                count.withLock { $0 += 1 }
                work()
            })
        let activity = UserActivity(activityType: "org.example.a", host: host)
        let noter = Noter()
        activity.delegate = noter
        activity.becomeCurrent()
        _ = await activity.saved()
        // If there is nothing to save, the delegate is not called.
        _ = await activity.saved()
        await activity.wasContinued()
        let streams = ContinuationStreams(
            identifier: "1", descriptor: -1, device: "", deviceName: "", transport: "tcp")
        let isTaken = await activity.receive(streams) { _ in
            ContinuationPair(input: InputStream(data: Data()), output: OutputStream(toMemory: ()))
        }
        #expect(isTaken)
        #expect(noter.notes.withLock { $0 } == ["save", "continued", "streams"])
        #expect(count.withLock { $0 } == 3)
    }

    @Test("Main-actor delivery runs on the main actor")
    func mainActorDelivery() async {
        let result = await CallbackDelivery.mainActor.result { MainActor.assumeIsolated { 7 } }
        #expect(result == 7)
    }

    @Test("An activity can be used from any thread")
    func anyThread() async {
        let activity = UserActivity(activityType: "org.example.a", host: Recorder())
        activity.becomeCurrent()
        await withTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    activity.addUserInfoEntries(from: ["k\(number)": number])
                    activity.needsSave = true
                    _ = activity.savedState()
                }
            }
        }
        #expect(activity.userInfo?.count == 64)
        activity.invalidate()
    }

    @Test("Streams fail at once for an activity that does not support them or came from no other device")
    func noSupportOrOrigin() async {
        final class Counting: ContinuationOrigin {
            let calls = Atomic(0)
            func openStreams() async throws -> ContinuationPair {
                calls.add(1, ordering: .relaxed)
                return ContinuationPair(input: InputStream(data: Data()), output: OutputStream(toMemory: ()))
            }
        }
        let own = UserActivity(activityType: "org.example.a", host: nil)
        own.supportsContinuationStreams = true
        let nowhere = await #expect(throws: CocoaError.self) { _ = try await own.continuationPair() }
        #expect(nowhere?.code == .featureUnsupported)

        let origin = Counting()
        let received = UserActivity(state: ActivityState(activityType: "org.example.a"), host: nil, origin: origin)
        let error: (any Error)? = await withCheckedContinuation { waiting in
            received.getContinuationStreams { input, output, error in
                #expect(input == nil && output == nil)
                waiting.resume(returning: error)
            }
        }
        #expect((error as? CocoaError)?.code == .userActivityHandoffFailed)
        #expect(origin.calls.load(ordering: .relaxed) == 0)

        var state = ActivityState(activityType: "org.example.a")
        state.supportsContinuationStreams = true
        let streaming = UserActivity(state: state, host: nil, origin: origin)
        let arrived: Bool = await withCheckedContinuation { waiting in
            streaming.getContinuationStreams { input, output, error in
                waiting.resume(returning: input != nil && output != nil && error == nil)
            }
        }
        #expect(arrived)
    }
}
