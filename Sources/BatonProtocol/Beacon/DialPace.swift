// SPDX-License-Identifier: Apache-2.0

/// How often a device is dialled for what was heard in its name, which may be a replay: the pause
/// after a dial doubles until one has come to something.
public struct DialPace: Sendable {
    /// When it may be dialled again; `nil` before the first time.
    public private(set) var notBefore: Duration?
    private var pause = OfferLimits.shortestDialPause

    /// A device that was not dialled yet.
    public init() {}

    /// Says whether the device may be dialled now, and takes it that it is.
    public mutating func dial(at uptime: Duration) -> Bool {
        if let notBefore, uptime < notBefore { return false }
        notBefore = uptime + pause
        pause = min(pause * 2, OfferLimits.longestDialPause)
        return true
    }

    /// A dial has come to something: the pauses begin anew.
    public mutating func succeeded() { pause = OfferLimits.shortestDialPause }
}
