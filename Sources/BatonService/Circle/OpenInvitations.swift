// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The invitations that another device may still use, each for ten minutes.
///
/// This device gives each of them a name. The first device that uses an invitation owns it from
/// then on. That device may use the invitation again after its connection broke, but no other
/// device can.
struct OpenInvitations: Sendable {
    /// The maximum number of open invitations. The oldest invitation ends to make room for a new
    /// invitation.
    static let maximumCount = 8

    private struct Open: Sendable {
        let invitation: Invitation
        /// The uptime at which the invitation ends, whatever the wall clock shows.
        let end: Duration
        /// The device that has used the invitation, or nil if none has.
        var joiner: DeviceID?
    }

    private var open: [String: Open] = [:]

    var count: Int { open.count }
    /// All open invitations, by name.
    var all: [String: Invitation] { open.mapValues(\.invitation) }
    /// The uptime at which the first invitation ends, or nil if none is open.
    var deadline: Duration? { open.values.map(\.end).min() }
    /// The name of the invitation that must end before another can open, or nil if there is room.
    var nextToGiveWay: String? {
        open.count < Self.maximumCount ? nil : open.min { $0.value.end < $1.value.end }?.key
    }

    /// Opens an invitation.
    ///
    /// - Returns: The invitation's name.
    mutating func insert(_ invitation: Invitation, at uptime: Duration) -> String {
        let name = String(randomBytes: 8)
        open[name] = Open(invitation: invitation, end: uptime + .seconds(Invitation.lifetime))
        return name
    }

    /// Records that a device uses an invitation.
    ///
    /// - Returns: Whether the device may join, because no other device has used the invitation.
    mutating func take(_ name: String, by joiner: DeviceID) -> Bool {
        guard let entry = open[name], entry.joiner == nil || entry.joiner == joiner else { return false }
        open[name]?.joiner = joiner
        return true
    }

    /// Returns the open invitation with a name, or nil if there is none.
    subscript(name: String) -> Invitation? { open[name]?.invitation }

    /// Ends an invitation that is used or withdrawn.
    ///
    /// - Returns: The invitation, or nil if it was not open.
    mutating func remove(_ name: String) -> Invitation? { open.removeValue(forKey: name)?.invitation }

    /// Returns the names of the invitations whose time is over.
    func over(at uptime: Duration) -> [String] { open.filter { $0.value.end <= uptime }.map(\.key) }
}
