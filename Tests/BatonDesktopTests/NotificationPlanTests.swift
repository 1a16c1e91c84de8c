// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

/// Tests which notifications are shown for offers, for hand-overs, and for laptops that fetch
/// without acceptance.
@Suite struct NotificationPlanTests {
    private var plan = NotificationPlan()
    private var uptime = Duration.zero
    /// The offers that are on the screen.
    private var screen: Set<NotificationKey> = []
    private let failure = HandoverNotice.failure(from: "desk", nil, "out of range")

    @Test(
        "75 offers of a device in 15 s cause four notifications in one place, and the last one is shown after the minute"
    )
    mutating func floodOfOffers() {
        for number in 1...75 {
            let former = number == 1 ? nil : NotificationKey(.offer, "\(number - 1)")
            let isNew = number <= NotificationPace.limit
            #expect(show("\(number)") == [isNew ? shown("\(number)", replacing: former) : removed("\(number)")])
            _ = plan.withdrawn(offer("\(number - 1)"))
            uptime += .milliseconds(200)
        }
        #expect(plan.deadline == NotificationPace.interval)
        uptime = NotificationPace.interval
        let due = plan.timePassed(at: uptime)
        #expect(due == ["75"])
        #expect(show("75") == [shown("75")])
        #expect(plan.deadline == nil)
    }

    @Test("A postponed offer stops waiting when it is withdrawn or no longer wanted", arguments: [true, false])
    mutating func leftOutAndGone(isWithdrawn: Bool) {
        for number in 1...5 { _ = show("\(number)") }
        let change = isWithdrawn ? plan.withdrawn(offer("5")) : show("5", isWanted: false)
        #expect(change == [removed("5")] && plan.deadline == nil)
        uptime = NotificationPace.interval
        let due = plan.timePassed(at: uptime)
        #expect(due.isEmpty)
        #expect(show("6") == [shown("6", replacing: NotificationKey(.offer, "4"))])
    }

    @Test("Even among many devices, one from which the user has continued gets a place and a turn")
    mutating func manyDevices() {
        plan.continued(from: "desk")
        for round in 1...3 {
            for number in 1...126 {
                _ = show("\(number)-\(round)", of: "phone \(number)")
                put(plan.withdrawn(offer("\(number)-\(round - 1)", of: "phone \(number)")))
            }
            uptime += NotificationPace.interval
        }
        #expect(show("mine").last == shown("mine"))
        for number in 1...126 { _ = show("\(number)-4", of: "phone \(number)") }
        #expect(screen.count <= NotificationPace.maximumShown && screen.contains(NotificationKey(.offer, "mine")))
    }

    @Test("The latest eight failures are kept, a repeated failure counts as the latest, and progress displaces none")
    mutating func undismissedFailures() {
        let coming = ComingActivity(type: "org.example.note", offer: "offer", deviceName: "desk")
        _ = plan.tell(.progress(coming, nil), of: "offer", in: NotificationStyle())
        for number in 0..<10_000 { _ = plan.tell(failure, of: "\(number)", in: NotificationStyle()) }
        #expect(keptFailures == Set((9_992..<10_000).map { "\($0)" }))
        _ = plan.tell(failure, of: "9992", in: NotificationStyle())
        let displaced = plan.tell(failure, of: "new", in: NotificationStyle()).first
        #expect(displaced == .remove(NotificationKey(.failure, "9993")))
        #expect(plan.restyled(NotificationStyle()).count == 9)
        _ = plan.withdraw(NotificationKey(.progress, "offer"))
        for failure in keptFailures { plan.closed(NotificationKey(.failure, failure)) }
        #expect(plan.restyled(NotificationStyle()).isEmpty)
    }

    @Test("At most four laptops that fetch without acceptance are shown at a time, and the next one after an answer")
    mutating func manyFetchInVain() {
        let phones = (1...126).map { "phone-\($0)" }
        for phone in phones + phones { plan.fetchesInVain(of: phone, named: phone, count: 10) }
        func asked(_ changes: [NotificationChange]) -> [String] {
            changes.compactMap { if case .show(_, let key, _) = $0 { key.subject } else { nil } }
        }
        #expect(asked(plan.showFetches(among: Set(phones))) == Array(phones[0...3]))
        #expect(plan.fetchesAreOver(of: phones[0]) == [.remove(NotificationKey(.fetches, phones[0]))])
        #expect(asked(plan.showFetches(among: Set(phones))) == Array(phones[1...4]))
        // Questions about devices that have left the circle are removed.
        let changes = plan.showFetches(among: ["phone-126"])
        #expect(asked(changes) == ["phone-126"] && changes.contains(.remove(NotificationKey(.fetches, "phone-2"))))
    }

    private var keptFailures: Set<String> {
        Set(
            plan.restyled(NotificationStyle()).compactMap {
                if case .show(_, let key, _) = $0, key.kind == .failure { key.subject } else { nil }
            })
    }

    private func offer(_ id: String, of device: String = "desk") -> OfferSummary {
        OfferSummary(offer: id, device: device, deviceName: device)
    }

    private func shown(_ id: String, replacing former: NotificationKey? = nil) -> NotificationChange {
        .show(Notification(summary: id), NotificationKey(.offer, id), replacing: former)
    }

    private func removed(_ id: String) -> NotificationChange { .remove(NotificationKey(.offer, id)) }

    private mutating func show(_ id: String, of device: String = "desk", isWanted: Bool = true) -> [NotificationChange]
    {
        put(
            plan.show(
                isWanted ? Notification(summary: id) : nil, of: offer(id, of: device),
                OfferedActivity(isFromHere: false, number: 1, account: device), at: uptime))
    }

    @discardableResult private mutating func put(_ changes: [NotificationChange]) -> [NotificationChange] {
        for change in changes {
            switch change {
            case .show(_, let key, let replaced):
                if let replaced { screen.remove(replaced) }
                screen.insert(key)
            case .remove(let key): screen.remove(key)
            }
        }
        return changes
    }
}
