// SPDX-License-Identifier: Apache-2.0

/// Limits how often a device is dialled because of received beacons, which may be replays.
///
/// The pause after a dial doubles until a dial succeeds.
public struct DialPace: Sendable {
    /// The first pause between two dials of a device, and the pause after a success.
    public static let shortestPause = Duration.seconds(10)
    /// The longest pause between two failed dials of a device.
    public static let longestPause = Duration.seconds(600)

    /// The earliest time of the next dial; `nil` before the first one.
    public private(set) var notBefore: Duration?
    private var pause = Self.shortestPause

    /// Creates the pace of a device that was not dialled yet.
    public init() {}

    /// Returns whether the device may be dialled now. If so, the dial counts.
    public mutating func dial(at uptime: Duration) -> Bool {
        if let notBefore, uptime < notBefore { return false }
        notBefore = uptime + pause
        pause = min(pause * 2, Self.longestPause)
        return true
    }

    /// Resets the pause after a successful dial.
    public mutating func succeeded() { pause = Self.shortestPause }
}
