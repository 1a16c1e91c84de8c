// SPDX-License-Identifier: Apache-2.0

/// Decides whether kept links over local networks show the offers of all members that may be near.
/// The radio then listens less (Documentation/Energy.md).
struct MemberLinks: Sendable {
    /// How long the radio looks for a member that is not linked, counted from when the member was
    /// last near or connected, in seconds.
    static let absence: Int64 = 3_600

    private let unixTime: Int64
    private var isAnyLinked = false
    /// The latest Unix time at which a member that is not linked was near or connected.
    private var lastSeen: Int64?

    /// Creates the value without any member, at a Unix time.
    init(unixTime: Int64) { self.unixTime = unixTime }

    /// Adds a member of the circle other than this device.
    ///
    /// - Parameters:
    ///   - isLinked: Whether both devices keep a link over a local network.
    ///   - lastSeen: When the member was last near or connected, in Unix seconds; nil if neither
    ///     has happened since this program started.
    mutating func add(isLinked: Bool, lastSeen: Int64?) {
        if isLinked {
            isAnyLinked = true
        } else if let lastSeen {
            self.lastSeen = max(self.lastSeen ?? lastSeen, lastSeen)
        }
    }

    /// Whether at least one member is linked, and no other member was seen within ``absence``.
    var suffice: Bool { isAnyLinked && rest == nil }

    /// How long the radio still looks for a member; nil if the present links suffice, or if there
    /// is none.
    ///
    /// A time in the future shows that the clock was set back. Such a member counts as just seen.
    var rest: Duration? {
        guard isAnyLinked, let lastSeen else { return nil }
        let rest = Self.absence - (unixTime - min(lastSeen, unixTime))
        return rest > 0 ? .seconds(rest) : nil
    }
}
