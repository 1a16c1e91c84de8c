// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import Diagnosis
import Foundation
@_spi(Reported) import HandoffModel
import Logging
import Synchronization

@testable import BatonDesktop

/// A fake daemon, whose behaviour a test chooses.
final class FakeHost: DesktopHost, @unchecked Sendable {
    // Guards all variables, so the class is safe to share.
    private let lock = NSLock()
    private var advertisingHold: Task<Void, Never>?
    private var holds = false
    private var isOwn = false
    private var attended: [Attendance] = []
    private var number: UInt32? = 1
    private var circle = [
        CircleMember(device: "0a1b2c3d", name: "desk"),
        CircleMember(device: "ffffffff", name: "sofa", isThisDevice: true),
    ]
    private var failed: BatonError?
    private var page: URL?
    private var isBrowsing = false
    private var refused: Set<String> = []
    private var isAway = false
    private let isAdvertisable = Watched<@Sendable (String) -> Bool>({ _ in true })
    /// The signal strength that was requested of each device, in dBm, or nil for any transport.
    let askedNear = Watched<[Int?]>([])
    /// The types that apps here continue, as last declared.
    private let declared = Watched<Set<String>>([])
    /// The reported progress of offers, in order.
    let progress = Watched<[OfferProgress]>([])
    /// The lines of the log.
    let logged = Watched<[String]>([])
    private let journal: Journal
    /// The number of calls, including log lines.
    private let calls = Watched(0)

    init(journal: Journal) { self.journal = journal }

    /// Waits until a condition on the desktop's side holds. Checks the condition at the start, and
    /// after each call or log line from that side.
    ///
    /// The desktop's side must fulfil the condition before it makes the call, or in the same job of
    /// its actor.
    func until(
        _ what: String, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
    ) async throws {
        try await calls.until(what, isolation: isolation, condition)
    }

    private func noteCall() { calls.change { $0 += 1 } }

    /// The log of the desktop's side.
    var logger: Logger {
        let handler = ClosureLogHandler { event in
            self.logged.change { $0.append("\(event.message)") }
            self.noteCall()
        }
        return Logger(label: "test") { _ in handler }
    }

    /// Waits until the desktop's side declares that no app continues any type.
    func hearsOfNoApp() async throws { try await declared.wait("no app") { $0.isEmpty ? () : nil } }

    var holdsFetches: Bool {
        get { lock.withLock { holds } }
        set { lock.withLock { holds = newValue } }
    }

    /// Delays the next call about advertising until a task ends.
    func holdAdvertising(until task: Task<Void, Never>) { lock.withLock { advertisingHold = task } }

    /// Whether this device handed the offered activity over.
    var offersWhatItGaveAway: Bool {
        get { lock.withLock { isOwn } }
        set { lock.withLock { isOwn = newValue } }
    }

    /// The error of fetching, or nil for success.
    var failure: BatonError? {
        get { lock.withLock { failed } }
        set { lock.withLock { failed = newValue } }
    }

    /// The web page of the fetched activity.
    var webpage: URL? {
        get { lock.withLock { page } }
        set { lock.withLock { page = newValue } }
    }

    /// Whether the fetched activity is a browser's page.
    var fetchesPages: Bool {
        get { lock.withLock { isBrowsing } }
        set { lock.withLock { isBrowsing = newValue } }
    }

    /// The types that no program may have.
    var refusedTypes: Set<String> {
        get { lock.withLock { refused } }
        set { lock.withLock { refused = newValue } }
    }

    /// Whether there is no answer at the address where the offer's device is heard.
    var isNotReached: Bool {
        get { lock.withLock { isAway } }
        set { lock.withLock { isAway = newValue } }
    }

    func advertises(_ type: String) -> Bool { isAdvertisable.value(type) }

    /// Waits until a type is advertised, or until it no longer is.
    func advertises(_ type: String, becomes isAdvertised: Bool) async throws {
        try await isAdvertisable.wait("\(type) to be advertised: \(isAdvertised)") {
            $0(type) == isAdvertised ? () : nil
        }
    }

    /// The devices of the circle.
    var devices: [CircleMember] {
        get { lock.withLock { circle } }
        set { lock.withLock { circle = newValue } }
    }

    func stop(_ device: String) async throws {
        journal.add("stop \(device)")
        noteCall()
    }

    func members() async -> [CircleMember] {
        noteCall()
        return devices
    }

    /// The number of the offered activity, or nil if the offer has ended.
    var activityNumber: UInt32? {
        get { lock.withLock { number } }
        set { lock.withLock { number = newValue } }
    }

    /// The last settings of local networks: when this laptop uses them, whether it sends titles
    /// there, and whether its screen is locked.
    let localNetworks = Watched<[String]>([])

    func useLocalNetworks(_ use: LanUse, tellsTitles: Bool, isLocked: Bool) async {
        localNetworks.change { $0 = [use.rawValue, tellsTitles ? "tell" : "ask", isLocked ? "locked" : "unlocked"] }
        noteCall()
    }

    /// Whether a rule waits until another laptop is near; nil before the first report.
    let needsSignals = Watched<Bool?>(nil)

    func attend(_ attendance: Attendance, needsSignals: Bool) async {
        lock.withLock { attended.append(attendance) }
        self.needsSignals.change { $0 = needsSignals }
    }

    /// The reported states of the user's attendance.
    var attendances: [Attendance] { lock.withLock { attended } }

    func activity(of offer: String) async -> OfferedActivity? {
        noteCall()
        // An offer's id begins with its device's id.
        let account = offer.split(separator: "-").dropLast().joined(separator: "-")
        return lock.withLock { number.map { OfferedActivity(isFromHere: isOwn, number: $0, account: account) } }
    }

    func reach(_ offer: String, near signal: Int) async throws {
        noteCall()
        guard !isNotReached else {
            journal.add("not reached near \(signal)")
            throw BatonError(.connectionUnavailable, reported: "the other device does not answer")
        }
    }

    func fetch(_ offer: String, timeout: Duration?, near signal: Int?) async throws -> ContinuedActivity {
        noteCall()
        askedNear.change { $0.append(signal) }
        if holdsFetches {
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
            try Task.checkCancellation()
        }
        if let failure { throw failure }
        var fetched = try await FakeFetcher(journal: journal) {}.fetch()
        fetched.activity.webpageURL = webpage
        if fetchesPages { fetched.activity.activityType = ActivityState.browsingWeb }
        return fetched
    }

    func tellApps(_ apps: InstalledApps) async {}
    func tellAdapters(_ active: [String]) async { if !active.isEmpty { journal.add("adapters \(active)") } }

    func give(_ continuation: String, of offer: OfferSummary, to app: ClientID) async throws {}

    func givePage(_ continuation: String, to app: ClientID, called identifier: String, of team: String) async throws {
        journal.add("page for \(identifier) of \(team)")
    }

    func check(type: String, team: String, for app: ClientID) async throws {
        guard refusedTypes.contains(type) else { return }
        throw BatonError(.notAllowed, reported: "the app runs in a sandbox")
    }

    func endWhatIsNotPermitted() async { journal.add("ends what is not permitted") }

    func accept(_ continuation: String, by app: ClientID?, accepted: Bool) async {
        journal.add("accepted \(accepted) by \(app == nil ? "batond" : "app")")
    }

    func declare(_ kinds: [String: Set<String>]) async {
        noteCall()
        declared.change { $0 = kinds.values.reduce([]) { $0.union($1) } }
        journal.add(kinds.values.joined().map { "declared \($0)" })
    }

    func advertise(
        _ isWanted: Bool, hidden whyHidden: @escaping @Sendable (_ type: String, _ app: String?) -> Reason?
    ) async {
        let hold = lock.withLock {
            defer { advertisingHold = nil }
            return advertisingHold
        }
        if let hold {
            journal.add("advertising held")
            await hold.value
        }
        noteCall()
        isAdvertisable.change { $0 = { isWanted && whyHidden($0, nil) == nil } }
    }

    func tellChanged(_ offer: OfferSummary) async {
        noteCall()
        journal.add("changed \(offer.application ?? "-")\(offer.isHidden ? ", hidden" : "")")
    }

    func tellProgress(_ progress: OfferProgress) async {
        noteCall()
        self.progress.change { $0.append(progress) }
    }

    /// Waits until the desktop's side has reported that an offer was continued.
    func waitForDone(_ offer: String) async throws {
        try await progress.wait("the end of \(offer)") { progress in
            progress.contains { $0.offer == offer && $0.phase == .done } ? () : nil
        }
    }

    func tellOpened(_ page: OpenedPage, to follower: ClientID) async {
        journal.add("opened \(page.page) \(page.address) for \(follower)")
    }
}
