// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import Diagnosis

/// The continuations of this device's programs, from the fetch of an offer's activity to its
/// streams.
///
/// `Link` is the connection on which the other device expects a report.
struct Continuations<Link: Sendable> {
    /// An activity that came from another device.
    struct Entry {
        let id: String
        fileprivate(set) var client: ClientID
        /// The program whose limits the continuation and its streams count against.
        fileprivate(set) var program: ClientProgram
        let device: DeviceID
        let link: Link
        /// The number of the link's request whose outcome must be reported.
        let request: UInt64
        /// The instance of the activity, for its streams.
        let instance: [UInt8]
        let supportsStreams: Bool
        fileprivate(set) var isReported = false
        /// The uptime at which the continuation is forgotten.
        ///
        /// Before the outcome is reported, this is the time limit for the report. Afterwards it is
        /// the time until which the program can ask for streams.
        fileprivate var until: Duration
    }

    /// The identity of a fetch. A program fetches an offer's activity only once at a time.
    struct FetchID: Hashable {
        let offer: String
        let client: ClientID
    }

    /// The result of a fetch.
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

    /// The number of fetches under way.
    var fetchCount: Int { fetches.count }
    /// The number of activities that are being fetched or are not accepted yet.
    var pendingCount: Int { fetches.count + entries.values.count { !$0.isReported } }
    /// The number of fetched activities that are not forgotten.
    var count: Int { entries.count }
    /// The ids of the fetched activities.
    var ids: [String] { Array(entries.keys) }
    /// The uptime at which the first fetched activity is forgotten, or nil if there is none.
    var deadline: Duration? { entries.values.map(\.until).min() }

    /// Begins a fetch, if there is room for its activity. Call ``fetchEnded(_:)`` afterwards.
    ///
    /// - Throws: ``BatonError/Code/limitReached``.
    mutating func fetch(
        _ id: FetchID, from device: DeviceID, for program: ClientProgram, _ begin: () -> Task<Fetched, any Error>
    ) throws -> Task<Fetched, any Error> {
        try checkRoom(for: id.client, of: program)
        try checkShare(of: program, from: device)
        guard fetches[id] == nil else { throw BatonError(.limitReached, .alreadyContinuing) }
        let task = begin()
        fetches[id] = Fetch(program: program, device: device, task: task)
        return task
    }

    private func checkRoom(for client: ClientID, of program: ClientProgram) throws {
        let pending = entries.values.filter { !$0.isReported }
        let own = pending.count { $0.client == client } + fetches.keys.count { $0.client == client }
        let shared = pending.count { $0.program == program } + fetches.values.count { $0.program == program }
        guard own < ContinuedActivity.maximumPerClient, shared < ContinuationLimits.perProgram else {
            throw BatonError(.limitReached, .tooManyContinuing)
        }
        guard pending.count + fetches.count < ContinuationLimits.total else {
            throw BatonError(.limitReached, .tooManyContinuing)
        }
    }

    private func checkShare(of program: ClientProgram, from device: DeviceID) throws {
        let fetched = entries.values.count { !$0.isReported && $0.program == program && $0.device == device }
        let share = fetched + fetches.values.count { $0.program == program && $0.device == device }
        guard share < ContinuationLimits.perDevice else {
            throw BatonError(.limitReached, .tooManyContinuing)
        }
    }

    mutating func fetchEnded(_ id: FetchID) { fetches[id] = nil }

    func cancelFetch(_ id: FetchID) { fetches[id]?.task.cancel() }

    /// Adds a fetched activity.
    ///
    /// - Returns: The id of the continuation.
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

    /// Returns a program's continuation.
    ///
    /// - Throws: ``BatonError/Code/notFound``, also if the continuation belongs to another program.
    func entry(_ id: String, of client: ClientID) throws -> Entry {
        guard let entry = entries[id], entry.client == client else {
            throw BatonError(.notFound, .continuationUnknown, ["id": .text(id)])
        }
        return entry
    }

    /// Records whether the app took an activity over.
    ///
    /// - Returns: The entry to report, or nil if it was reported earlier.
    /// - Throws: The error of ``entry(_:of:)``.
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

    /// Forgets the oldest accepted continuations, to make room for new ones.
    ///
    /// Keeps the latest continuations for streams: ``ContinuationLimits/perProgram`` of the
    /// program, and ``ContinuationLimits/total`` of all programs.
    private mutating func forgetOldest(of program: ClientProgram) {
        func forget(_ reported: [Entry], beyond maximum: Int) {
            for entry in reported.sorted(by: { $0.until < $1.until }).dropLast(maximum) { entries[entry.id] = nil }
        }
        forget(entries.values.filter { $0.isReported && $0.program == program }, beyond: ContinuationLimits.perProgram)
        forget(entries.values.filter(\.isReported), beyond: ContinuationLimits.total)
    }

    /// Forgets a continuation.
    ///
    /// - Returns: The entry if its outcome must still be reported; otherwise nil.
    mutating func remove(_ id: String, of client: ClientID) -> Entry? {
        guard let entry = try? entry(id, of: client) else { return nil }
        entries[id] = nil
        return entry.isReported ? nil : entry
    }

    /// Gives a continuation to another program.
    ///
    /// - Throws: The error of ``entry(_:of:)``.
    mutating func transfer(
        _ id: String, from client: ClientID, to app: ClientID, of program: ClientProgram
    ) throws {
        _ = try entry(id, of: client)
        entries[id]?.client = app
        entries[id]?.program = program
    }

    /// Cancels a program's fetches and forgets its continuations.
    ///
    /// - Returns: The entries whose outcome must still be reported.
    mutating func clientLeft(_ client: ClientID) -> [Entry] {
        for (id, fetch) in fetches where id.client == client { fetch.task.cancel() }
        let own = entries.values.filter { $0.client == client }
        for entry in own { entries[entry.id] = nil }
        return own.filter { !$0.isReported }
    }

    /// Returns the ids of the activities that a program has not accepted yet.
    func pending(of client: ClientID) -> [String] {
        entries.values.filter { $0.client == client && !$0.isReported }.map(\.id)
    }

    /// Forgets continuations whose time is over.
    mutating func timePassed(at uptime: Duration) { entries = entries.filter { $0.value.until > uptime } }
}
