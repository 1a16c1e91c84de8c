// SPDX-License-Identifier: Apache-2.0

/// The calls that set the radio's advertisement. They may overlap, because a new advertisement does
/// not wait for an old one.
struct RadioCalls: Sendable {
    /// One call, with the tasks that wait for its end.
    typealias Call = Waiters<Void>

    /// The number of advertisements that were wanted so far.
    private(set) var wishes = 0
    /// The latest call; nil if it has ended.
    private(set) var latest: Call?
    /// Whether the latest call has not yet read the advertisement that is wanted.
    private var isDue = false
    private var running = 0
    /// Whether the wanted advertisement changed during one of these calls, so the radio may still
    /// advertise the old one.
    private var hasTakenOld = false

    /// Whether to repeat the only call that runs.
    var isToRepeat: Bool { running == 1 && hasTakenOld }

    /// Begins a call, or returns nil if the latest call has still to read the advertisement.
    mutating func begin() -> Call? {
        wishes += 1
        guard !isDue else { return nil }
        let call = Call()
        (latest, isDue) = (call, true)
        running += 1
        return call
    }

    /// Records that a call reads the advertisement.
    mutating func reads(_ call: Call) { if call === latest { isDue = false } }

    /// Records that the radio took an advertisement that is no longer wanted.
    mutating func tookOld() { hasTakenOld = true }

    /// Records that a call is repeated.
    mutating func repeats() { hasTakenOld = false }

    /// Records the end of a call.
    mutating func ended(_ call: Call) {
        running -= 1
        if call === latest { latest = nil }
        call.resolve(with: .success(()))
    }
}
