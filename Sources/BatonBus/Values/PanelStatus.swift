// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What a panel shows of Baton: the properties of the Panel interface.
public struct PanelStatus: Hashable, Sendable {
    /// What the daemon is at.
    public var state: State
    /// One line for people: why it is not running, and what to do; empty when it runs.
    public var reason: String
    /// When a pause is over, to the second; `nil` when there is none, or it lasts until the user
    /// ends it.
    public var pausedUntil: Date?
    /// The offer that the user most likely wants to continue here; `nil` when there is none. It has
    /// no signal strength.
    public let bestOffer: OfferSummary?
    /// A number that is another whenever ``DaemonStatus/withheld`` is; 0 before anything was
    /// withheld. Panels read the list when it changes: its names are not for every program on the
    /// bus.
    public var withheldNumber: UInt32

    /// A status.
    ///
    /// - Parameter bestOffer: Its signal strength is left out, for that changes with every beacon.
    public init(
        state: State, reason: String = "", pausedUntil: Date? = nil, bestOffer: OfferSummary? = nil,
        withheldNumber: UInt32 = 0
    ) {
        self.state = state
        self.reason = reason
        self.pausedUntil = pausedUntil
        var offer = bestOffer
        offer?.signal = nil
        self.bestOffer = offer
        self.withheldNumber = withheldNumber
    }

    /// What the daemon is at, in one word. More may come.
    public struct State: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        /// The word.
        public var rawValue: String
        /// A state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word.
        public var description: String { rawValue }

        /// It has just begun, and does not know yet.
        public static let starting = State(rawValue: "starting")
        /// It advertises, and listens.
        public static let running = State(rawValue: "running")
        /// The user has paused it.
        public static let paused = State(rawValue: "paused")
        /// This device is in no circle.
        public static let noCircle = State(rawValue: "no-circle")
        /// The radio cannot be used.
        public static let noRadio = State(rawValue: "no-radio")
        /// The device's keys cannot be used; the daemon does nothing.
        public static let unusable = State(rawValue: "unusable")
    }
}
