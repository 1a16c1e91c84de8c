// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop

/// Tests the decisions of the desktop side without a bus. The test sets the times, and carries out
/// the actions on a set of notifications.
@Suite struct DesktopCoreTests {
    private var core = DesktopCore(
        presence: Presence(),
        apps: UsableApps(
            grants: GrantKeeper(store: GrantStore()), adapters: AdapterKeeper(store: AdapterStore()),
            domains: DomainKeeper(store: AgreementStore())),
        welcome: WelcomeNotice(directory: nil))
    private var uptime = Duration.zero
    /// The notifications on the screen.
    private var screen: Set<NotificationKey> = []
    /// The offer that panels show, or nil for none.
    private var panelOffer: String?
    /// The offers that rules are about to continue.
    private var near: [String] = []
    private var hasReadSettings = false
    private var endedPauses = 0

    private static let start = Date(timeIntervalSince1970: 1_700_000_000)
    private static let type = "org.example.note"
    private let key = NotificationKey(.offer, "offer-1")

    init() throws { try install("") }

    /// Installs one app, which continues ``type``, with further lines in its desktop entry.
    private mutating func install(_ lines: String) throws {
        let text = "[Desktop Entry]\nType=Application\nName=Notes\nExec=true\nX-Baton-ActivityTypes=\(Self.type)\n"
        let app = try #require(DesktopEntry(identifier: "org.example.Notes", text: text + lines))
        core.apps.grants.install(DesktopEntryIndex([app]))
        core.apps.update(AdapterSwitches())
    }

    private mutating func configure(_ text: String) throws {
        _ = core.inForce.wasRead((try Settings(text), []), naming: DeviceNames([]))
        carryOut(core.refreshAll(at: uptime))
    }

    private mutating func carryOut(_ actions: [DesktopCore.Action]) {
        for action in actions {
            switch action {
            case .notify(.show(_, let key, let replaced)):
                if let replaced { screen.remove(replaced) }
                screen.insert(key)
            case .notify(.remove(let key)): screen.remove(key)
            case .tellPanels(let status): panelOffer = status.bestOffer?.offer
            case .continueByRule(let offer, _): near.append(offer)
            case .readSettings: hasReadSettings = true
            case .endPause:
                endedPauses += 1
                carryOut(core.refreshAll(at: uptime))
            case .ask: break
            }
        }
    }

    private mutating func offer(
        _ id: String = "offer-1", from device: String = "desk", signal: Int = -90, number: UInt32 = 1
    ) {
        let offer = core.decorated(
            OfferSummary(
                offer: id, device: device, deviceName: device, team: "", type: Self.type, signal: signal))
        let activity = OfferedActivity(isFromHere: false, number: number, account: device)
        carryOut(core.offered(offer, of: activity, at: uptime))
    }

    private mutating func pass(_ time: Duration) {
        uptime += time
        carryOut(core.timePassed(at: uptime, Self.start + uptime / .seconds(1)))
    }

    private mutating func lock(_ isLocked: Bool) {
        core.presence.session.isLocked = isLocked
        carryOut(core.refreshAll(at: uptime))
    }

    private mutating func pause(_ pause: Pause?) {
        core.presence.setPause(pause, at: uptime, Self.start + uptime / .seconds(1))
        carryOut(core.refreshAll(at: uptime))
    }

    private mutating func begin(_ id: String, to receiver: Openings.Receiver? = nil) {
        let task = Task<OpenedOffer, any Error> {
            try await Task.sleep(for: .seconds(86_400))
            return .webpage("")
        }
        carryOut(core.began(id, task, to: receiver, at: uptime))
    }

    private mutating func end(_ id: String) {
        core.openings.cancel(id)
        carryOut(core.ended(id, at: uptime))
    }

    @Test("An offer is on the screen and in panels from its appearance to its withdrawal")
    mutating func shownAndWithdrawn() {
        offer()
        #expect(screen == [key] && panelOffer == "offer-1")
        carryOut(core.withdrawn("offer-1"))
        #expect(screen.isEmpty && panelOffer == nil)
        let again = core.withdrawn("offer-1")
        #expect(again.isEmpty)
    }

    @Test("An offer is hidden by a rule, during a pause, and without an app that continues it")
    mutating func hidden() throws {
        offer()
        pause(Pause())
        #expect(screen.isEmpty && panelOffer == nil)
        pause(nil)
        #expect(screen == [key] && panelOffer == "offer-1")
        try configure("rule = never type=org.example.*")
        #expect(screen.isEmpty && panelOffer == nil)
        try configure("")
        core.apps.grants.install(DesktopEntryIndex())
        core.apps.update(AdapterSwitches())
        let changed = chooseApp()
        #expect(changed != nil && changed?.application == nil && screen.isEmpty)
        #expect(chooseApp() == nil)
    }

    private mutating func chooseApp() -> OfferSummary? {
        guard let (offer, actions) = core.chooseApp(for: "offer-1", at: uptime) else { return nil }
        carryOut(actions)
        return offer
    }

    @Test("A pause ends by itself, and Baton shows the hidden offers again")
    mutating func pauseEnds() {
        offer()
        pause(Pause(until: Self.start + 10))
        #expect(screen.isEmpty && core.deadline == .seconds(10))
        pass(.seconds(10))
        #expect(screen == [key] && endedPauses == 1 && core.deadline == nil)
    }

    @Test("A rule continues a near offer once its device has answered, and only while the user can see that")
    mutating func nearRule() throws {
        try configure("rule = near signal=-60")
        lock(true)
        offer(signal: -55)
        #expect(core.deadline == NearTrigger.delay)
        pass(NearTrigger.delay)
        #expect(near.isEmpty)
        lock(false)
        #expect(near == ["offer-1"])
        lock(true)
        #expect(answer() == false)
        lock(false)
        #expect(near == ["offer-1", "offer-1"])
        #expect(answer() == true)
        lock(false)
        #expect(near.count == 2)
    }

    private mutating func answer() -> Bool { core.answered("offer-1", isReached: true, at: uptime) }

    @Test("Rules wait until the radio has listened again after the user was away")
    mutating func rulesWait() throws {
        try configure("rule = near signal=-60")
        for isActive in [false, true] {
            core.presence.session.isActive = isActive
            let attendance = core.attend(at: uptime)
            #expect(attendance == (isActive ? .present : .away))
        }
        offer(signal: -55)
        pass(NearTrigger.delay)
        #expect(near.isEmpty && core.deadline == NearRules.listeningTime)
        pass(NearRules.listeningTime - NearTrigger.delay)
        #expect(near == ["offer-1"])
    }

    @Test("An offer that is being opened is hidden, and is shown again unless it was continued")
    mutating func opening() throws {
        offer()
        begin("offer-1")
        #expect(screen.isEmpty && panelOffer == nil)
        end("offer-1")
        #expect(screen == [key] && panelOffer == "offer-1")
        begin("offer-1")
        let offered = try #require(core.known["offer-1"])
        core.continued(offered, byRule: false)
        end("offer-1")
        // Panels still show the offer, because the user may want to continue it again.
        #expect(screen.isEmpty && panelOffer == "offer-1")
        offer(number: 2)
        #expect(screen == [key])
    }

    @Test("A new attempt removes the notice of the last failure")
    mutating func failure() {
        offer()
        carryOut(core.tell(.failure(from: "desk", nil, "out of range"), of: "offer-1"))
        #expect(screen == [key, NotificationKey(.failure, "offer-1")])
        begin("offer-1")
        #expect(screen.isEmpty)
        end("offer-1")
    }

    @Test("A brief notification that has left the screen does not come back")
    mutating func expired() {
        offer()
        screen.remove(key)
        core.hasExpired(key)
        offer(signal: -50)
        #expect(screen.isEmpty && panelOffer == "offer-1")
    }

    @Test("A hand-over to a sandboxed app is cancelled when the app may not have the activity any more")
    mutating func revoked() throws {
        try install("X-Flatpak=org.example.Notes\n")
        let grant = AppGrant(
            sandbox: "flatpak", application: "org.example.Notes", state: .granted, types: [Self.type])
        try core.apps.grants.allow(grant)
        core.apps.update(AdapterSwitches())
        let app = try #require(core.apps.index.entries["org.example.Notes"])
        begin("offer-1", to: Openings.Receiver(app: app, type: Self.type, team: ""))
        core.cancelWhatIsNotPermitted()
        #expect(core.openings["offer-1"]?.isCancelled == false)
        try core.apps.grants.refuse(grant)
        core.cancelWhatIsNotPermitted()
        #expect(core.openings["offer-1"]?.isCancelled == true)
        end("offer-1")
    }

    @Test("The settings are read again when this laptop is in a circle, because they may name its devices")
    mutating func inCircle() {
        carryOut(core.serviceChanged(to: .noCircle, because: Finding(.noCircle)))
        #expect(!hasReadSettings)
        carryOut(core.serviceChanged(to: .running, because: nil))
        #expect(hasReadSettings)
        hasReadSettings = false
        carryOut(core.serviceChanged(to: .noRadio, because: Finding(.adapterOff)))
        #expect(!hasReadSettings)
    }

    @Test("A name in the sentence for panels moves nothing around it")
    mutating func isolatesNamesForPanels() {
        let removed = Finding(.removed, ["laptop": "דנה"])
        let actions = core.serviceChanged(to: .noCircle, because: removed)
        let reasons = actions.compactMap { action -> String? in
            if case .tellPanels(let status) = action { status.reason } else { nil }
        }
        #expect(reasons.count == 1 && reasons[0].hasPrefix("\"\u{2068}דנה\u{2069}\" has removed this laptop."))
    }

    @Test("In any order of events, the screen has no offer that was withdrawn, is being opened, or must be hidden")
    mutating func anyOrder() throws {
        try configure("rule = near signal=-60")
        var state: UInt64 = 0x5eed
        func random(_ limit: Int) -> Int {
            // Knuth's linear congruential generator. Only its high bits are random enough.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for step in 1...5_000 {
            let number = random(6)
            let id = "offer-\(number)"
            switch random(8) {
            case 0, 1:
                offer(id, from: "laptop \(number % 3)", signal: -90 + random(60), number: UInt32(random(3)))
            case 2: carryOut(core.withdrawn(id))
            case 3: if core.openings[id] == nil { begin(id) } else { end(id) }
            case 4: lock(random(2) == 0)
            case 5: pause(random(2) == 0 ? Pause(until: Self.start + uptime / .seconds(1) + 5) : nil)
            case 6: if let offer = core.known[id] { core.continued(offer, byRule: random(2) == 0) }
            default: pass(.milliseconds(random(3_000)))
            }
            let wrong = screen.filter { $0.kind == .offer }.map(\.subject).filter {
                core.known[$0] == nil || core.openings[$0] != nil || !core.presence.showsOffers
            }
            try #require(wrong.isEmpty, "step \(step): \(wrong)")
            try #require(screen.count <= NotificationBoard.maximumEntries)
            for id in near { _ = core.answered(id, isReached: random(2) == 0, at: uptime) }
            near = []
        }
        for number in 0..<6 {
            end("offer-\(number)")
            carryOut(core.withdrawn("offer-\(number)"))
        }
        pause(nil)
        pass(NotificationPace.interval)
        #expect(screen.isEmpty && panelOffer == nil && core.deadline == nil)
        #expect(core.openings.count == 0)
    }
}
