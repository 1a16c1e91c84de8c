// SPDX-License-Identifier: Apache-2.0

/// How soon a device is dialled again after its connection was lost. Eight losses in ten minutes
/// are allowed, so that whoever can break connections cannot cause dials without end.
struct LossPace: Sendable {
    /// The pause after each loss in ``window``.
    static let pauses = [0, 1, 2, 4, 8, 16, 32, 60].map { Duration.seconds($0) }
    /// How long a loss counts.
    static let window = Duration.seconds(600)

    private var losses: [Duration] = []

    /// The connection is lost once more.
    ///
    /// - Returns: The uptime from which the device may be dialled again; nil when all losses that
    ///   are allowed have happened.
    mutating func lost(at uptime: Duration) -> Duration? {
        losses.removeAll { uptime - $0 >= Self.window }
        guard losses.count < Self.pauses.count else { return nil }
        losses.append(uptime)
        return uptime + Self.pauses[losses.count - 1]
    }
}
