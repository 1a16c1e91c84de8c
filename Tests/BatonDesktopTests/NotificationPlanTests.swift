// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

/// What is on the screen of offers, hand-overs, and laptops that fetch in vain.
@Suite struct NotificationPlanTests {
    private var plan = NotificationPlan()
    private var uptime = Duration.zero
    private let failure = HandoverNotice.failure(from: "desk", nil, "out of range")

    @Test("Four offers of a device are new in a minute, in one place; the one left out comes when the minute is over")
    mutating func paceOfOffers() {
        #expect(show("1") == [.show(Notification(summary: "1"), .offer("1"))])
        for number in 2...4 {
            #expect(show("\(number)") == [shown("\(number)", replacing: .offer("\(number - 1)"))])
        }
        // A change of its text is not new.
        #expect(show("4") == [shown("4")])
        #expect(show("5") == [.remove(.offer("5"))])
        #expect(plan.deadline == NotificationPace.interval)
        uptime = NotificationPace.interval
        let due = plan.timePassed(at: uptime)
        #expect(due == ["5"])
        #expect(show("5") == [shown("5", replacing: .offer("4"))])
        #expect(plan.deadline == nil)
    }

    @Test("An offer that was left out is not waited for once it has gone or is not wanted", arguments: [true, false])
    mutating func leftOutAndGone(isWithdrawn: Bool) {
        for number in 1...5 { _ = show("\(number)") }
        let change = isWithdrawn ? plan.withdrawn(offer("5")) : show("5", isWanted: false)
        #expect(change == [.remove(.offer("5"))] && plan.deadline == nil)
        uptime = NotificationPace.interval
        let due = plan.timePassed(at: uptime)
        #expect(due.isEmpty)
        #expect(show("6") == [shown("6", replacing: .offer("4"))])
    }

    @Test("A new offer takes the place of the oldest, unless the user has continued from that device")
    mutating func places() {
        plan.continued(from: "0")
        for number in 0..<NotificationPace.maximumShown {
            uptime += NotificationPace.interval
            _ = show("\(number)", of: "\(number)")
        }
        uptime += NotificationPace.interval
        #expect(show("new", of: "new") == [.remove(.offer("1")), shown("new")])
    }

    @Test("Failures that nobody dismisses make room for later ones")
    mutating func undismissedFailures() {
        var onScreen: Set<NotificationKey> = []
        for number in 1...20 {
            for change in plan.tell(failure, .failure("\(number)"), in: NotificationStyle()) {
                switch change {
                case .show(_, let key, _): onScreen.insert(key)
                case .remove(let key): onScreen.remove(key)
                }
            }
        }
        #expect(onScreen == Set((13...20).map { .failure("\($0)") }))
    }

    @Test("A locked screen may hide a failure, which comes back with the user, and not when it was dismissed")
    mutating func lockedScreen() {
        let hidden = NotificationStyle(onLockScreen: .hide, isLocked: true)
        let key = NotificationKey.failure("1")
        #expect(plan.tell(failure, key, in: hidden) == [.remove(key)])
        guard case .show(let notification, key, nil)? = plan.restyled(NotificationStyle()).first else {
            Issue.record("it is not shown")
            return
        }
        #expect(notification.summary == "Baton could not continue from desk" && notification.body == "out of range")
        plan.closed(key)
        #expect(plan.restyled(NotificationStyle()).isEmpty)
    }

    @Test("Of many laptops that fetch in vain four are told of at a time, and the next when one was answered")
    mutating func manyFetchInVain() {
        let phones = (1...126).map { "phone-\($0)" }
        for phone in phones { plan.fetchesInVain(of: phone, named: phone, count: 10) }
        func asked(_ changes: [NotificationChange]) -> [NotificationKey] {
            changes.compactMap { if case .show(_, let key, _) = $0 { key } else { nil } }
        }
        #expect(asked(plan.showFetches(among: Set(phones))) == phones.prefix(4).map { .fetches($0) })
        #expect(plan.fetchesAreOver(of: phones[0]) == [.remove(.fetches(phones[0]))])
        #expect(asked(plan.showFetches(among: Set(phones))) == phones[1...4].map { .fetches($0) })
        // Those that have left the circle are not asked about.
        let changes = plan.showFetches(among: ["phone-126"])
        #expect(asked(changes) == [.fetches("phone-126")] && changes.contains(.remove(.fetches("phone-2"))))
    }

    @Test("What a key on the board says is what the notification is about")
    func keys() {
        for key in [
            NotificationKey.offer("0a1b2c3d-1"), .progress("org.example.Notes/a:b"), .failure("x"), .fetches("y"),
            .grant("1"),
        ] { #expect(NotificationKey(key.text) == key) }
        #expect(NotificationKey("another:1") == nil && NotificationKey("offer") == nil)
    }

    private func offer(_ id: String, of device: String = "desk") -> OfferSummary {
        OfferSummary(offer: id, device: device, deviceName: device)
    }

    private func shown(_ id: String, replacing former: NotificationKey? = nil) -> NotificationChange {
        .show(Notification(summary: id), .offer(id), replacing: former)
    }

    private mutating func show(_ id: String, of device: String = "desk", isWanted: Bool = true) -> [NotificationChange]
    {
        plan.show(
            isWanted ? Notification(summary: id) : nil, of: offer(id, of: device),
            OfferedActivity(isFromHere: false, number: 1, account: device), at: uptime)
    }
}
