// SPDX-License-Identifier: Apache-2.0

/// Limits how often received beacons, which may be replays, cause a dial to one device.
///
/// The pause after a dial doubles until a dial succeeds.
public struct DialPace: Sendable {
    /// The first pause between two dials of a device, and the pause after a success.
    public static let shortestPause = Duration.seconds(10)
    /// The longest pause between two failed dials of a device.
    public static let longestPause = Duration.seconds(600)

    /// The uptime before which there is no further dial; `nil` before the first dial.
    public private(set) var notBefore: Duration?
    private var pause = Self.shortestPause

    /// Creates the pace for a device that has not been dialled yet.
    public init() {}

    /// Returns whether the device may be dialled now, and if so, starts the next pause.
    public mutating func dial(at uptime: Duration) -> Bool {
        if let notBefore, uptime < notBefore { return false }
        notBefore = uptime + pause
        pause = min(pause * 2, Self.longestPause)
        return true
    }

    /// Resets the pause after a successful dial.
    public mutating func succeeded() { pause = Self.shortestPause }
}
