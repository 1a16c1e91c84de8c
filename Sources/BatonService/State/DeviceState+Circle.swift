// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Diagnosis

/// The facts about the circle and its devices that follow from the stored state alone.
extension DeviceState {
    /// The earliest time that a correct clock can show: 2023-01-01T00:00:00Z.
    static let earliestTime: Int64 = 1_672_531_200
    /// The time without contact with any member, in seconds, after which this device assumes that
    /// it missed a change.
    static let outOfTouchAfter: Int64 = 86_400

    /// The ids of the circle's devices, this one included; empty without a circle.
    var members: Set<DeviceID> { Set(circle?.roster.members.keys ?? [:].keys) }

    /// All other members of the circle.
    var others: Set<DeviceID> { members.subtracting([identity.id]) }

    /// The other members that perhaps lack the circle's latest state.
    var unacknowledged: Set<DeviceID> { others.subtracting(acknowledged) }

    func isMember(_ device: DeviceID) -> Bool { circle?.roster.members[device] != nil }

    func member(short: UInt32) -> DeviceID? { circle?.roster.members.keys.first { $0.short == short } }

    /// Returns a device's name for people to read (``DeviceLabel``).
    func name(of device: DeviceID) -> String {
        let others = (circle?.roster.members ?? [:]).lazy.filter { $0.key != device }.map(\.value.name)
        return DeviceLabel.text(signedName(of: device), device: device.description, among: others)
    }

    /// Returns the name that a device has signed, or else the name under which it was added. Names
    /// in its hellos do not count.
    func signedName(of device: DeviceID) -> String {
        if device == identity.id { return name }
        return circle?.roster.members[device]?.name ?? device.description
    }

    /// Returns whether no member was in touch for so long that this device may have missed a
    /// change. True if the clock shows a time before the last contact.
    func isAlone(at unixTime: Int64) -> Bool {
        let passed = unixTime.subtractingReportingOverflow(inTouch)
        return passed.overflow || !(0..<Self.outOfTouchAfter).contains(passed.partialValue)
    }

    /// The earliest time that this device's clock can show if it is right. This is the time of the
    /// last contact with a member, less a tolerance for clocks that are set back a little, but
    /// never before ``earliestTime``.
    var notBefore: Int64 { max(Self.earliestTime, inTouch - PeerClocks.tolerance) }

    /// Why this device is in no circle; nil if it is in one. The status, events and errors report
    /// this finding.
    var withoutCircle: Finding? {
        guard circle == nil else { return nil }
        if isCircleUnproved { return Finding(.circleOutdated) }
        guard wasRemoved else { return Finding(.noCircle) }
        return Finding(.removed, removedBy.map { ["laptop": .text($0)] } ?? [:])
    }

    /// The finding that no other member has been in touch for a day; empty if one has. No member
    /// answers a device that was removed while it was away, so that device cannot know the reason.
    func solitude(at unixTime: Int64) -> [Finding] {
        guard members.count > 1, inTouch > 0, unixTime - inTouch >= Self.outOfTouchAfter else { return [] }
        return [Finding(.outOfTouch, ["since": .time(inTouch)])]
    }

    // MARK: - Changes of the circle, and who knows them

    /// Changes the circle for the user. No other member knows the result yet.
    mutating func changeCircle(_ change: (inout DeviceState) throws -> Void) rethrows {
        let before = circle
        try change(&self)
        if circle != before { acknowledged = [] }
    }

    /// Replaces the circle with one that has taken this device in.
    ///
    /// - Parameters:
    ///   - isKnown: Whether the inviter knows this version of the circle. It then informs the
    ///     members that do not know this device yet. If not, this device informs them of the
    ///     removals that the inviter does not know.
    ///   - new: The identity with which this device comes back to its circle, or nil.
    mutating func join(_ circle: Circle, isKnown: Bool, as new: DeviceIdentity?, at unixTime: Int64) {
        if let new { leaveCircle(isRemoval: false, as: new) }
        self.circle = circle
        acknowledged = isKnown ? members : []
        signName()
        inTouch = unixTime
        wasRemoved = false
    }

    /// Returns the circle to which this device comes back as a new device, after it was removed
    /// without learning of the removal (Decisions/0052-coming-back.md). The circle is merged from
    /// the knowledge of both devices, and must prove the removal.
    ///
    /// - Throws: ``BatonError/Code/alreadyInCircle`` when this device was not removed from the
    ///   circle; ``ChannelFailure/violation(_:)``, `CircleError`.
    func circleReturned(_ encoded: [UInt8], as new: DeviceIdentity) throws -> Circle {
        guard var circle else { throw BatonError(.pairingFailed, .leftMeanwhile) }
        _ = try circle.merge(CircleNews(encoded: encoded), by: new)
        guard circle.roster.members[identity.id] == nil else {
            throw BatonError(.alreadyInCircle, .stillInCircle)
        }
        // A device that was removed itself may report other removals, but cannot add a device.
        guard circle.roster.members[new.id] != nil else {
            throw ChannelFailure.violation("who takes this device in is no member of its circle")
        }
        return circle
    }

    /// Takes a device into the circle, or into one that this device founds with it.
    ///
    /// - Parameters:
    ///   - news: The circle that the device has agreed to. Changes that this device has learnt of
    ///     since then are kept.
    ///   - known: The circle if this device is in none yet.
    mutating func admit(_ device: DeviceID, with news: CircleNews, to known: Circle, at unixTime: Int64) throws {
        var grown = circle ?? known
        _ = try grown.merge(news, by: identity)
        circle = grown
        acknowledged = grown.isKnown(from: news) ? [device] : []
        inTouch = unixTime
        wasRemoved = false
    }

    /// Replaces the circle with the result of a member's news.
    ///
    /// - Parameters:
    ///   - isNew: Whether the news has changed the circle.
    ///   - isKnown: Whether the member knows the result.
    mutating func merge(_ merged: Circle, isNew: Bool, isKnown: Bool, by device: DeviceID, at unixTime: Int64) {
        if isNew { acknowledged = [] }
        circle = merged
        inTouch = unixTime
        if isKnown { acknowledged.insert(device) } else { acknowledged.remove(device) }
    }
}
