// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The invitations that somebody may still come with, each for ten minutes, by names of this
/// device's own.
///
/// The first device that comes with one has it from then on: it may come again when its connection
/// broke, and no other can.
struct OpenInvitations: Sendable {
    /// How many are open at a time; the oldest gives way.
    static let maximumCount = 8

    private struct Open: Sendable {
        let invitation: Invitation
        /// The uptime at which it is over, whatever the wall clock shows.
        let end: Duration
        /// Who has come with it.
        var joiner: DeviceID?
    }

    private var open: [String: Open] = [:]

    var count: Int { open.count }
    /// All of them, by name.
    var all: [String: Invitation] { open.mapValues(\.invitation) }
    /// The uptime at which the first of them is over.
    var deadline: Duration? { open.values.map(\.end).min() }
    /// The name of the one that has to give way before another is opened.
    var nextToGiveWay: String? {
        open.count < Self.maximumCount ? nil : open.min { $0.value.end < $1.value.end }?.key
    }

    /// Opens an invitation.
    ///
    /// - Returns: Its name.
    mutating func insert(_ invitation: Invitation, at uptime: Duration) -> String {
        let name = String(randomBytes: 8)
        open[name] = Open(invitation: invitation, end: uptime + .seconds(Invitation.lifetime))
        return name
    }

    /// A device comes with an invitation.
    ///
    /// - Returns: Whether it may join by that: nobody else has come with it.
    mutating func take(_ name: String, by joiner: DeviceID) -> Bool {
        guard let entry = open[name], entry.joiner == nil || entry.joiner == joiner else { return false }
        open[name]?.joiner = joiner
        return true
    }

    /// An invitation that is open.
    subscript(name: String) -> Invitation? { open[name]?.invitation }

    /// Ends an invitation: it is spent, or withdrawn.
    ///
    /// - Returns: It, if it was open.
    mutating func remove(_ name: String) -> Invitation? { open.removeValue(forKey: name)?.invitation }

    /// The names of those whose time is over.
    func over(at uptime: Duration) -> [String] { open.filter { $0.value.end <= uptime }.map(\.key) }
}
