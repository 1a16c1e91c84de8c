// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

struct ShownHandoverNoticesTests {
    private let failure = HandoverNotice.failure(from: "desk", nil, "out of range")
    private let progress = HandoverNotice.progress(
        ComingActivity(type: "org.example.note", offer: "offer", deviceName: "desk"), nil)

    @Test("Of failures the latest eight are kept")
    func latestEightFailures() {
        var notices = ShownHandoverNotices()
        var displaced: [NotificationKey] = []
        for number in 0..<10_000 {
            if let key = notices.insert(failure, key: .failure("\(number)")) { displaced.append(key) }
        }
        #expect(Set(notices.keys) == Set((9_992..<10_000).map { NotificationKey.failure("\($0)") }))
        #expect(displaced == (0..<9_992).map { NotificationKey.failure("\($0)") })
    }

    @Test("A failure that is told again is the latest")
    func failureToldAgain() {
        var notices = ShownHandoverNotices()
        for number in 0..<8 { #expect(notices.insert(failure, key: .failure("\(number)")) == nil) }
        #expect(notices.insert(failure, key: .failure("0")) == nil)
        #expect(notices.insert(failure, key: .failure("8")) == .failure("1"))
    }

    @Test("Progress makes room for nothing, however many failures come")
    func progressMakesRoomForNothing() {
        var notices = ShownHandoverNotices()
        #expect(notices.insert(progress, key: .progress("offer")) == nil)
        for number in 0..<20 { _ = notices.insert(failure, key: .failure("\(number)")) }
        #expect(notices[.progress("offer")] == progress && notices.keys.count == 9)
        notices.remove(.progress("offer"))
        #expect(notices.keys.count == 8)
    }

    @Test("A failure that has gone makes room")
    func failureThatHasGoneMakesRoom() {
        var notices = ShownHandoverNotices()
        for number in 0..<10_000 {
            #expect(notices.insert(failure, key: .failure("\(number)")) == nil)
            notices.remove(.failure("\(number)"))
        }
        #expect(notices.keys.isEmpty)
    }
}
