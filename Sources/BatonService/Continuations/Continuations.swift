// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol

/// What programs here continue: from when an offer's activity is fetched until its app has accepted
/// it and opened its streams.
///
/// `Link` is what owes the other device a report.
struct Continuations<Link: Sendable> {
    /// An activity that came from another device.
    struct Entry {
        let id: String
        fileprivate(set) var client: ClientID
        /// Whom it counts for, and its streams.
        fileprivate(set) var program: ClientProgram
        let device: DeviceID
        let link: Link
        /// The link's request that is to be reported.
        let request: UInt64
        /// The activity, for its streams.
        let instance: [UInt8]
        let supportsStreams: Bool
        fileprivate(set) var isReported = false
        /// The uptime at which it is forgotten: a report is awaited, and then streams can be asked
        /// for, as long as by the other side.
        fileprivate var until: Duration
    }

    /// A program fetches an offer's activity once at a time.
    struct FetchID: Hashable {
        let offer: String
        let client: ClientID
    }

    /// What a fetch brings.
    struct Fetched: Sendable {
        let link: Link
        let request: UInt64
        let grant: ContinueGrant
    }

    private struct Fetch {
        let program: ClientProgram
        let device: DeviceID
        let task: Task<Fetched, any Error>
    }

    private var fetches: [FetchID: Fetch] = [:]
    private var entries: [String: Entry] = [:]

    /// How many fetches are under way.
    var fetchCount: Int { fetches.count }
    /// How many activities are being fetched, or have come and have yet to be accepted.
    var pendingCount: Int { fetches.count + entries.values.count { !$0.isReported } }
    /// How many activities have come and are not forgotten.
    var count: Int { entries.count }
    /// Their ids.
    var ids: [String] { Array(entries.keys) }
    /// The uptime at which the first of them is forgotten.
    var deadline: Duration? { entries.values.map(\.until).min() }

    /// Begins a fetch, where there is room for what it brings; ``fetchEnded(_:)`` follows.
    ///
    /// - Throws: ``BatonError/Code/limitReached``.
    mutating func fetch(
        _ id: FetchID, from device: DeviceID, for program: ClientProgram, _ begin: () -> Task<Fetched, any Error>
    ) throws -> Task<Fetched, any Error> {
        try checkRoom(for: id.client, of: program)
        try checkShare(of: program, from: device)
        guard fetches[id] == nil else {
            throw BatonError(.limitReached, "this offer is being continued already; wait for that, or cancel it")
        }
        let task = begin()
        fetches[id] = Fetch(program: program, device: device, task: task)
        return task
    }

    private func checkRoom(for client: ClientID, of program: ClientProgram) throws {
        let pending = entries.values.filter { !$0.isReported }
        let own = pending.count { $0.client == client } + fetches.keys.count { $0.client == client }
        let shared = pending.count { $0.program == program } + fetches.values.count { $0.program == program }
        guard own < ContinuedActivity.maximumPerClient, shared < ContinuationLimits.perProgram else {
            throw BatonError(.limitReached, "too many activities are being continued; accept or cancel one first")
        }
        guard pending.count + fetches.count < ContinuationLimits.total else {
            throw BatonError(
                .limitReached, "all programs together continue too many activities; try again in a minute")
        }
    }

    private func checkShare(of program: ClientProgram, from device: DeviceID) throws {
        let fetched = entries.values.count { !$0.isReported && $0.program == program && $0.device == device }
        let share = fetched + fetches.values.count { $0.program == program && $0.device == device }
        guard share < ContinuationLimits.perDevice else {
            throw BatonError(
                .limitReached,
                "a program continues at most \(ContinuationLimits.perDevice) activities of one device at once; accept "
                    + "or cancel one first")
        }
    }

    mutating func fetchEnded(_ id: FetchID) { fetches[id] = nil }

    /// Gives a fetch up.
    func cancelFetch(_ id: FetchID) { fetches[id]?.task.cancel() }

    /// Takes in what a fetch has brought.
    ///
    /// - Returns: Its id.
    mutating func insert(
        _ fetched: Fetched, from device: DeviceID, for client: ClientID, of program: ClientProgram,
        at uptime: Duration
    ) -> String {
        let id = String(randomBytes: 8)
        entries[id] = Entry(
            id: id, client: client, program: program, device: device, link: fetched.link, request: fetched.request,
            instance: fetched.grant.instance, supportsStreams: fetched.grant.activity.state.supportsContinuationStreams,
            until: uptime + ContinuationLimits.acceptance)
        return id
    }

    /// A program's continuation.
    ///
    /// - Throws: ``BatonError/Code/notFound``, for any other program, too.
    func entry(_ id: String, of client: ClientID) throws -> Entry {
        guard let entry = entries[id], entry.client == client else {
            throw BatonError(.notFound, "there is no continuation \(id) of this program")
        }
        return entry
    }

    /// The app took an activity over, or did not.
    ///
    /// - Returns: What is to be reported; nil when it was reported before.
    /// - Throws: As ``entry(_:of:)``.
    mutating func accept(
        _ id: String, accepted: Bool, client: ClientID, at uptime: Duration
    ) throws -> Entry? {
        var entry = try entry(id, of: client)
        guard !entry.isReported else { return nil }
        entry.isReported = true
        entry.until = uptime + ContinuationLimits.reachableAfterwards
        entries[id] = accepted ? entry : nil
        forgetOldest(of: entry.program)
        return entry
    }

    /// What was taken over stays within reach for streams, and takes no place from what is still to
    /// be: of a program's, and of all, only the latest do.
    private mutating func forgetOldest(of program: ClientProgram) {
        func forget(_ reported: [Entry], beyond maximum: Int) {
            for entry in reported.sorted(by: { $0.until < $1.until }).dropLast(maximum) { entries[entry.id] = nil }
        }
        forget(entries.values.filter { $0.isReported && $0.program == program }, beyond: ContinuationLimits.perProgram)
        forget(entries.values.filter(\.isReported), beyond: ContinuationLimits.total)
    }

    /// Forgets a continuation.
    ///
    /// - Returns: It, where it has still to be reported.
    mutating func remove(_ id: String, of client: ClientID) -> Entry? {
        guard let entry = try? entry(id, of: client) else { return nil }
        entries[id] = nil
        return entry.isReported ? nil : entry
    }

    /// Gives what is still to be accepted to another program.
    ///
    /// - Throws: As ``entry(_:of:)``.
    mutating func transfer(
        _ id: String, from client: ClientID, to app: ClientID, of program: ClientProgram
    ) throws {
        _ = try entry(id, of: client)
        entries[id]?.client = app
        entries[id]?.program = program
    }

    /// Forgets a program.
    ///
    /// - Returns: What has still to be reported.
    mutating func clientLeft(_ client: ClientID) -> [Entry] {
        for (id, fetch) in fetches where id.client == client { fetch.task.cancel() }
        let own = entries.values.filter { $0.client == client }
        for entry in own { entries[entry.id] = nil }
        return own.filter { !$0.isReported }
    }

    /// What a program has yet to accept.
    func pending(of client: ClientID) -> [String] {
        entries.values.filter { $0.client == client && !$0.isReported }.map(\.id)
    }

    /// Forgets what is over.
    mutating func timePassed(at uptime: Duration) { entries = entries.filter { $0.value.until > uptime } }
}
