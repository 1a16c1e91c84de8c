// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries

/// What is being handed to apps and the browser, by the offer, or by what a search found.
struct Openings: Sendable {
    /// How many there are at a time.
    static let maximum = 8

    /// An app that is being handed an activity.
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

    /// How many there are.
    var count: Int { all.count }

    /// What is under way; nil for nothing.
    subscript(id: String) -> Task<OpenedOffer, any Error>? { all[id]?.task }

    /// Which app it is handed to; nil for the browser, and while that is not decided.
    func receiver(of id: String) -> Receiver? { all[id]?.receiver }

    /// All that are handed to an app.
    var receivers: [(id: String, receiver: Receiver)] {
        all.compactMap { id, opening in opening.receiver.map { (id, $0) } }
    }

    /// Whether something may be handed over now: not twice, and not too much at a time.
    ///
    /// - Throws: ``BatonError`` with `limitReached`.
    func checkRoom(for id: String) throws {
        guard all[id] == nil else {
            throw BatonError(.limitReached, "this activity is being continued already; wait for that, or cancel it")
        }
        guard all.count < Self.maximum else {
            throw BatonError(.limitReached, "too many activities are being continued; cancel one first")
        }
    }

    /// Something is under way.
    mutating func begin(_ id: String, _ task: Task<OpenedOffer, any Error>, to receiver: Receiver? = nil) {
        all[id] = Opening(task: task, receiver: receiver)
    }

    /// It is decided which app it is handed to.
    mutating func chose(_ receiver: Receiver, for id: String) { all[id]?.receiver = receiver }

    /// It has ended.
    mutating func ended(_ id: String) { all[id] = nil }

    /// Gives something up; nothing happens when it is not under way.
    func cancel(_ id: String) { all[id]?.task.cancel() }

    /// Gives all up.
    func cancelAll() { for opening in all.values { opening.task.cancel() } }
}
