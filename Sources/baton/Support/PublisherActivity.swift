// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonClient
import Synchronization

/// The activity of `baton publish`. This activity accepts all streams. The command's options
/// determine where its contents come from.
final class PublisherActivity: PublishedActivity {
    private struct Stored {
        var state: ActivityState
        var isOffered = false
        var needsSave = false
    }

    let identity = ActivityIdentity()
    /// The streams that other devices have opened.
    let arrivals: AsyncStream<ContinuationStreams>
    private let sink: AsyncStream<ContinuationStreams>.Continuation
    private let connection: DaemonConnection
    private let contents: (any ActivityContents)?
    private let stored: Mutex<Stored>

    /// Creates an activity that is not offered yet.
    ///
    /// - Parameters:
    ///   - state: The initial state, which must be valid.
    ///   - contents: The source of the activity's contents, or `nil` to keep the contents of
    ///     `state`.
    init(_ state: ActivityState, on connection: DaemonConnection, contents: (any ActivityContents)?) {
        stored = Mutex(Stored(state: state))
        self.connection = connection
        self.contents = contents
        (arrivals, sink) = AsyncStream.makeStream(of: ContinuationStreams.self)
    }

    var isOfferedNow: Bool { stored.withLock { $0.isOffered } }
    var needsSave: Bool { stored.withLock { $0.needsSave } }
    var currentState: ActivityState { stored.withLock { $0.state } }

    /// Starts the source, and gets the first contents from it.
    ///
    /// - Throws: The reason why nothing can be offered.
    func begin() async throws {
        guard let contents else { return }
        let first = try await contents.begin { [weak self] in self?.contentsHaveChanged() }
        if let first { set(first) }
    }

    /// Begins to offer the activity.
    func becomeCurrent() {
        stored.withLock { ($0.isOffered, $0.needsSave) = (true, true) }
        connection.activityBecameCurrent(self)
    }

    /// Whether the last attempt to save got the newest contents.
    var areContentsSaved: Bool { contents?.areSaved ?? true }

    func stopContents() async { await contents?.stop() }

    /// Withdraws the activity for good.
    func end() {
        stored.withLock { $0.isOffered = false }
        connection.activityEnded(identity)
    }

    func saved() async -> ActivityState {
        let isAsked = stored.withLock { stored in
            defer { stored.needsSave = false }
            return stored.needsSave
        }
        guard isAsked, let contents else { return currentState }
        if let newest = await contents.newest() { set(newest) }
        return currentState
    }

    func outgoing(_ state: ActivityState) -> ActivityState { state }

    func wasContinued() async {}

    func receive(_ streams: ContinuationStreams, by connection: DaemonConnection) async -> Bool {
        sink.yield(streams)
        return true
    }

    private func contentsHaveChanged() {
        let isOffered = stored.withLock { stored in
            stored.needsSave = true
            return stored.isOffered
        }
        if isOffered { connection.activityChanged(self) }
    }

    private func set(_ contents: UserInfo) { stored.withLock { $0.state.userInfo = contents } }
}
