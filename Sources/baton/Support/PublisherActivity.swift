// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonClient
import Synchronization

/// The activity of `baton publish`: it takes all streams, and has its contents from where the
/// command's options say.
final class PublisherActivity: PublishedActivity {
    private struct Stored {
        var state: ActivityState
        var isOffered = false
        var isInvalidated = false
        var needsSave = false
    }

    let identity = ActivityIdentity()
    /// The streams that other devices have opened.
    let arrivals: AsyncStream<ContinuationStreams>
    private let sink: AsyncStream<ContinuationStreams>.Continuation
    private let connection: DaemonConnection
    private let contents: (any ActivityContents)?
    private let stored: Mutex<Stored>

    /// - Parameters:
    ///   - state: What it is at first; one that is valid.
    ///   - contents: What gives it its contents; nil for those of `state`.
    init(_ state: ActivityState, on connection: DaemonConnection, contents: (any ActivityContents)?) {
        stored = Mutex(Stored(state: state))
        self.connection = connection
        self.contents = contents
        (arrivals, sink) = AsyncStream.makeStream(of: ContinuationStreams.self)
    }

    var isOfferedNow: Bool { stored.withLock { $0.isOffered } }
    var isInvalidated: Bool { stored.withLock { $0.isInvalidated } }
    var needsSave: Bool { stored.withLock { $0.needsSave } }
    var currentState: ActivityState { stored.withLock { $0.state } }

    /// Gets its first contents.
    ///
    /// - Throws: Why there is nothing to be offered.
    func begin() async throws {
        guard let contents else { return }
        let first = try await contents.begin { [weak self] in self?.contentsHaveChanged() }
        if let first { set(first) }
    }

    /// Offers it from now on.
    func becomeCurrent() {
        stored.withLock { ($0.isOffered, $0.needsSave) = (true, true) }
        connection.activityBecameCurrent(self)
    }

    /// Whether it had the newest contents when it was saved last.
    var areContentsSaved: Bool { contents?.areSaved ?? true }

    /// Ends what gives it its contents.
    func stopContents() async { await contents?.stop() }

    /// Withdraws it for good.
    func end() {
        stored.withLock { ($0.isOffered, $0.isInvalidated) = (false, true) }
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
