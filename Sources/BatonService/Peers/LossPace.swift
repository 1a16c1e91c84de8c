// SPDX-License-Identifier: Apache-2.0

/// Decides how soon a device is dialled again after its connection was lost.
///
/// Eight losses in ten minutes are allowed, so that an attacker who can break connections cannot
/// cause endless dials.
struct LossPace: Sendable {
    /// The pause after each loss in ``window``.
    static let pauses = [0, 1, 2, 4, 8, 16, 32, 60].map { Duration.seconds($0) }
    /// How long a loss counts towards the limit.
    static let window = Duration.seconds(600)

    private var losses: [Duration] = []

    /// Records one more loss of the connection.
    ///
    /// - Returns: The uptime from which the device may be dialled again, or nil if too many losses
    ///   have happened.
    mutating func lost(at uptime: Duration) -> Duration? {
        losses.removeAll { uptime - $0 >= Self.window }
        guard losses.count < Self.pauses.count else { return nil }
        losses.append(uptime)
        return uptime + Self.pauses[losses.count - 1]
    }
}
