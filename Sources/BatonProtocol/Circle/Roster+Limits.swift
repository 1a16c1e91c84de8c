// SPDX-License-Identifier: Apache-2.0

import Diagnosis

/// Limits the length of a roster, and decides what to accept when it is full.
///
/// The limits must not let a device stay in the circle by filling the roster. Source:
/// `Documentation/Protocol/Circle.md`, "Limits".
extension Roster {
    /// The length in bytes up to which all valid statements are accepted.
    static let maximumLength = 256 * 1_024
    /// The additional length for removals, in bytes, for each free place among ``maximumMembers``.
    ///
    /// The longest removal is shorter than this, so the removal of a member always fits.
    static let lengthPerEmptyPlace = 4_992
    /// The maximum length of a roster, in bytes.
    static let maximumLengthWithRemovals = maximumLength + maximumMembers * lengthPerEmptyPlace

    /// The total length of all statements, in bytes.
    var length: Int { statements.reduce(0) { $0 + $1.length } }

    private var roomForRemovals: Int {
        Self.maximumLength + (Self.maximumMembers - members.count) * Self.lengthPerEmptyPlace - length
    }

    /// Merges all valid statements.
    ///
    /// - Throws: ``CircleError/Code/limitReached`` when the roster would exceed a limit. The roster
    ///   is then unchanged.
    mutating func mergeWithinLimits(_ received: [Statement]) throws {
        var grown = self
        guard try grown.merge(received) else { return }
        // A roster that is too long still accepts changes that do not make it longer, such as
        // another name.
        guard grown.length <= max(Self.maximumLength, length) else {
            throw CircleError.limitReached(
                "what devices have said of the circle takes too much room; found a new one", .circleRoomFull)
        }
        self = grown
    }

    /// Merges all valid statements, or only some if a limit prevents that.
    ///
    /// If the statements exceed a limit, only the removals among them are merged. If the removals
    /// exceed a limit too, one removal of each member is merged, and then other removals while
    /// there is room.
    ///
    /// - Returns: Whether all statements could be merged.
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

    /// Merges one removal of each member that any removal names.
    ///
    /// Each removal frees a member's place, and thereby the room that the removal itself needs.
    private mutating func mergeRemovalsOfMembers(_ removals: [Statement]) throws {
        var chosen: [DeviceID: Statement] = [:]
        for removal in inOrder(removals) {
            guard let gone = removal.gone, members[gone] != nil, chosen[gone] == nil else { continue }
            chosen[gone] = removal
        }
        try merge(Array(chosen.values))
    }

    /// Merges removals of devices that are already gone, if members signed them, while there is
    /// room.
    ///
    /// This happens, for example, when two members remove the same device at the same time. If a
    /// signer has removed a device several times, only the first removal is kept.
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

    /// Returns the removals sorted by body, those that members signed first.
    private func inOrder(_ removals: [Statement]) -> [Statement] {
        let sorted = removals.sorted { $0.body.lexicographicallyPrecedes($1.body) }
        return sorted.filter { members[$0.signer] != nil } + sorted.filter { members[$0.signer] == nil }
    }
}

extension Statement {
    /// The length that counts in a roster, in bytes: body, signature and protobuf's framing.
    var length: Int { body.count + 72 }

    /// The device that the statement removes, or nil.
    var gone: DeviceID? {
        if case .remove(let gone, _) = kind { gone } else { nil }
    }
}
