// SPDX-License-Identifier: Apache-2.0

/// How often a device is dialled for what was heard in its name, which may be a replay: the pause
/// after a dial doubles until one has come to something.
public struct DialPace: Sendable {
    /// Between two dials of one device, at first, and again once one has come to something.
    public static let shortestPause = Duration.seconds(10)
    /// Between two dials of one device that have come to nothing.
    public static let longestPause = Duration.seconds(600)

    /// When it may be dialled again; `nil` before the first time.
    public private(set) var notBefore: Duration?
    private var pause = Self.shortestPause

    /// A device that was not dialled yet.
    public init() {}

    /// Says whether the device may be dialled now, and takes it that it is.
    public mutating func dial(at uptime: Duration) -> Bool {
        if let notBefore, uptime < notBefore { return false }
        notBefore = uptime + pause
        pause = min(pause * 2, Self.longestPause)
        return true
    }

    /// A dial has come to something: the pauses begin anew.
    public mutating func succeeded() { pause = Self.shortestPause }
}
