// SPDX-License-Identifier: Apache-2.0

/// How long a roster may become, and what is taken in all the same: whoever fills it up must not be
/// able to stay by that.
///
/// Source: `Documentation/Protocol/Circle.md`, "Limits".
extension Roster {
    /// Up to this length, in bytes, everything that holds is taken in.
    static let maximumLength = 256 * 1_024
    /// How much longer removals may make it for each place among ``maximumMembers`` that is empty:
    /// more than the longest of them has, so that one which takes a member away always fits.
    static let lengthPerEmptyPlace = 4_992
    /// The longest that a roster can be, in bytes.
    static let maximumLengthWithRemovals = maximumLength + maximumMembers * lengthPerEmptyPlace

    /// The lengths of all statements together.
    var length: Int { statements.reduce(0) { $0 + $1.length } }

    private var roomForRemovals: Int {
        Self.maximumLength + (Self.maximumMembers - members.count) * Self.lengthPerEmptyPlace - length
    }

    /// Takes all of the statements in that hold.
    ///
    /// - Throws: ``CircleError/Code/limitReached``, with nothing changed, when the roster would
    ///   pass a limit.
    mutating func mergeWithinLimits(_ received: [Statement]) throws {
        var grown = self
        guard try grown.merge(received) else { return }
        // What does not make it longer, such as another name, may be changed in a roster that is
        // too long.
        guard grown.length <= max(Self.maximumLength, length) else {
            throw CircleError.limitReached("what devices have said of the circle takes too much room; found a new one")
        }
        self = grown
    }

    /// Takes all of the statements in that hold; when a limit stands in the way, their removals
    /// alone; and when it stands in the way of these, those that take a member away.
    ///
    /// - Returns: Whether no limit stood in the way.
    mutating func mergeWhatFits(_ received: [Statement]) throws -> Bool {
        if try mergeUnlessLimited(received) { return true }
        let removals = received.filter { $0.isRemoval && !statements.contains($0) }
        if try !mergeUnlessLimited(removals) {
            try mergeRemovalsOfMembers(removals)
            try mergeOtherRemovals(removals)
        }
        return false
    }

    private mutating func mergeUnlessLimited(_ received: [Statement]) throws -> Bool {
        do {
            try mergeWithinLimits(received)
            return true
        } catch let error as CircleError where error.code == .limitReached {
            return false
        }
    }

    /// One removal of each member that is removed. Each makes a place empty, and with it the room
    /// that it takes.
    private mutating func mergeRemovalsOfMembers(_ removals: [Statement]) throws {
        var chosen: [DeviceID: Statement] = [:]
        for removal in inOrder(removals) {
            guard let gone = removal.gone, members[gone] != nil, chosen[gone] == nil else { continue }
            chosen[gone] = removal
        }
        try merge(Array(chosen.values))
    }

    /// What members say of devices that are gone, as when two remove one at the same time: one of
    /// each signer, and only while there is room.
    private mutating func mergeOtherRemovals(_ removals: [Statement]) throws {
        struct Saying: Hashable { let signer, gone: DeviceID }
        var said: Set<Saying> = []
        for removal in statements {
            if let gone = removal.gone { said.insert(Saying(signer: removal.signer, gone: gone)) }
        }
        var (chosen, room): ([Statement], Int) = ([], roomForRemovals)
        for removal in inOrder(removals) where members[removal.signer] != nil && removal.length <= room {
            guard let gone = removal.gone, isGone(gone),
                said.insert(Saying(signer: removal.signer, gone: gone)).inserted
            else { continue }
            chosen.append(removal)
            room -= removal.length
        }
        try merge(chosen)
    }

    /// Those of members first.
    private func inOrder(_ removals: [Statement]) -> [Statement] {
        let sorted = removals.sorted { $0.body.lexicographicallyPrecedes($1.body) }
        return sorted.filter { members[$0.signer] != nil } + sorted.filter { members[$0.signer] == nil }
    }
}

extension Statement {
    /// What it counts for in a roster's length: its body, its signature and what protobuf puts
    /// around them, in bytes.
    var length: Int { body.count + 72 }

    /// The device that it removes, if it does that.
    var gone: DeviceID? {
        if case .remove(let gone, _) = kind { gone } else { nil }
    }
}
