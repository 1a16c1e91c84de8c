// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis

/// The hand-overs in progress, by the id of the offer or of the search result.
struct Openings: Sendable {
    /// The maximum number of hand-overs at a time.
    static let maximum = 8

    /// An app that receives an activity.
    struct Receiver: Sendable {
        let app: DesktopEntry
        let type: String
        let team: String
    }

    private struct Opening {
        let task: Task<OpenedOffer, any Error>
        var receiver: Receiver?
    }

    private var all: [String: Opening] = [:]

    /// The number of hand-overs in progress.
    var count: Int { all.count }

    /// The task of a hand-over, or nil if there is none with this id.
    subscript(id: String) -> Task<OpenedOffer, any Error>? { all[id]?.task }

    /// Returns the app that receives an activity, or nil for the browser and before the decision.
    func receiver(of id: String) -> Receiver? { all[id]?.receiver }

    /// The hand-overs that go to an app.
    var receivers: [(id: String, receiver: Receiver)] {
        all.compactMap { id, opening in opening.receiver.map { (id, $0) } }
    }

    /// Checks that a hand-over may begin: that it is not in progress already, and that the maximum
    /// is not reached.
    ///
    /// - Throws: ``BatonError`` with `limitReached`.
    func checkRoom(for id: String) throws {
        guard all[id] == nil else { throw BatonError(.limitReached, .alreadyContinuing) }
        guard all.count < Self.maximum else { throw BatonError(.limitReached, .tooManyContinuing) }
    }

    /// Adds a hand-over that has begun.
    mutating func begin(_ id: String, _ task: Task<OpenedOffer, any Error>, to receiver: Receiver? = nil) {
        all[id] = Opening(task: task, receiver: receiver)
    }

    /// Sets the receiving app of a hand-over.
    mutating func chose(_ receiver: Receiver, for id: String) { all[id]?.receiver = receiver }

    /// Removes a hand-over that has ended.
    mutating func ended(_ id: String) { all[id] = nil }

    /// Cancels a hand-over. Does nothing if there is none with this id.
    func cancel(_ id: String) { all[id]?.task.cancel() }

    func cancelAll() { for opening in all.values { opening.task.cancel() } }
}
