// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import Foundation
import Logging
import Synchronization

@testable import BatonDesktop

/// The daemon, as a test plays it.
final class FakeHost: DesktopHost, @unchecked Sendable {
    // Safe: the lock guards all.
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
    /// How near each device had to be that was asked, in dBm; nil: on whatever way.
    let askedNear = Watched<[Int?]>([])
    /// The types that apps here continue, as they were declared last.
    private let declared = Watched<Set<String>>([])
    /// What was told of how far offers had come, in order.
    let progress = Watched<[OfferProgress]>([])
    /// The lines of the log.
    let logged = Watched<[String]>([])
    private let journal: Journal
    /// How often it was told or asked something, lines of the log among them.
    private let calls = Watched(0)

    init(journal: Journal) { self.journal = journal }

    /// Returns once a condition on the desktop's side holds; looks at the beginning, and whenever
    /// that side has told or asked something, or written to the log.
    ///
    /// It must be a condition that the desktop's side fulfils before it does so, or in the same job
    /// of its actor.
    func until(
        _ what: String, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
    ) async throws {
        try await calls.until(what, isolation: isolation, condition)
    }

    private func noteCall() { calls.change { $0 += 1 } }

    /// The log of the desktop's side.
    var logger: Logger { Logger(label: "test") { _ in Log(host: self) } }

    private struct Log: LogHandler {
        let host: FakeHost
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(host: FakeHost) { self.host = host }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            host.logged.change { $0.append("\(event.message)") }
            host.noteCall()
        }
    }

    /// Returns when the desktop's side declares that no app continues any type.
    func hearsOfNoApp() async throws { try await declared.wait("no app") { $0.isEmpty ? () : nil } }

    var holdsFetches: Bool {
        get { lock.withLock { holds } }
        set { lock.withLock { holds = newValue } }
    }

    /// Has the next news of what is to be advertised arrive only after a task.
    func holdAdvertising(until task: Task<Void, Never>) { lock.withLock { advertisingHold = task } }

    /// Whether what is offered was given away by this device.
    var offersWhatItGaveAway: Bool {
        get { lock.withLock { isOwn } }
        set { lock.withLock { isOwn = newValue } }
    }

    /// What fetching fails with; nil for success.
    var failure: BatonError? {
        get { lock.withLock { failed } }
        set { lock.withLock { failed = newValue } }
    }

    /// The web page of what is fetched.
    var webpage: URL? {
        get { lock.withLock { page } }
        set { lock.withLock { page = newValue } }
    }

    /// Whether what is fetched is what a browser has open.
    var fetchesPages: Bool {
        get { lock.withLock { isBrowsing } }
        set { lock.withLock { isBrowsing = newValue } }
    }

    /// Types that no program may have.
    var refusedTypes: Set<String> {
        get { lock.withLock { refused } }
        set { lock.withLock { refused = newValue } }
    }

    /// Whether nobody answers where the offer's device is heard.
    var isNotReached: Bool {
        get { lock.withLock { isAway } }
        set { lock.withLock { isAway = newValue } }
    }

    func advertises(_ type: String) -> Bool { isAdvertisable.value(type) }

    /// Returns once a type is advertised, or is not any more.
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

    /// Which activity of its type is offered; nil when nothing is any more.
    var activityNumber: UInt32? {
        get { lock.withLock { number } }
        set { lock.withLock { number = newValue } }
    }

    func attend(_ attendance: Attendance) async { lock.withLock { attended.append(attendance) } }

    /// What it was told of the user.
    var attendances: [Attendance] { lock.withLock { attended } }

    func activity(of offer: String) async -> OfferedActivity? {
        noteCall()
        // An offer's id begins with that of its device.
        let account = offer.split(separator: "-").dropLast().joined(separator: "-")
        return lock.withLock { number.map { OfferedActivity(isFromHere: isOwn, number: $0, account: account) } }
    }

    func reach(_ offer: String, near signal: Int) async throws {
        noteCall()
        guard !isNotReached else {
            journal.add("not reached near \(signal)")
            throw BatonError(.connectionUnavailable, "the other device does not answer")
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

    func tellAdapters(_ active: [String]) async { if !active.isEmpty { journal.add("adapters \(active)") } }

    func give(_ continuation: String, of offer: OfferSummary, to app: ClientID) async throws {}

    func givePage(_ continuation: String, to app: ClientID, called identifier: String, of team: String) async throws {
        journal.add("page for \(identifier) of \(team)")
    }

    func check(type: String, team: String, for app: ClientID) async throws {
        guard refusedTypes.contains(type) else { return }
        throw BatonError(.notAllowed, "the app runs in a sandbox")
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
        _ isWanted: Bool, hidden whyHidden: @escaping @Sendable (_ type: String, _ app: String?) -> String?
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

    /// Returns when the desktop's side has told that an offer was continued.
    func waitForDone(_ offer: String) async throws {
        try await progress.wait("the end of \(offer)") { progress in
            progress.contains { $0.offer == offer && $0.phase == .done } ? () : nil
        }
    }

    func tellOpened(_ page: OpenedPage, to follower: ClientID) async {
        journal.add("opened \(page.page) \(page.address) for \(follower)")
    }
}
