// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The state of Baton that a panel shows: the properties of the Panel interface.
public struct PanelStatus: Hashable, Sendable {
    /// The daemon's state.
    public var state: State
    /// One line for people that says why Baton is not in the state `running`, and what to do. The
    /// reason is empty in the state `running`.
    public var reason: String
    /// The time at which the pause ends, in whole seconds. The time is `nil` without a pause, or if
    /// only the user ends the pause.
    public var pausedUntil: Date?
    /// The offer that the user most likely wants to continue here, without its signal strength, or
    /// `nil` if there is none.
    public let bestOffer: OfferSummary?
    /// A number that changes whenever ``DaemonStatus/withheld`` changes. The number is 0 before the
    /// first withheld item.
    ///
    /// When the number changes, panels read the list. The list itself is not a property, because
    /// not every program on the bus may see the names in it.
    public var withheldNumber: UInt32

    /// Creates a status.
    ///
    /// - Parameter bestOffer: The best offer. Its signal strength is removed, because the strength
    ///   changes with every beacon.
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

    /// The daemon's state, as one word. Later versions may add more.
    public struct State: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        /// The word.
        public var rawValue: String
        /// Creates a state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word.
        public var description: String { rawValue }

        /// The daemon has just started and does not know its state yet.
        public static let starting = State(rawValue: "starting")
        /// The daemon advertises and listens.
        public static let running = State(rawValue: "running")
        /// The user has paused Baton.
        public static let paused = State(rawValue: "paused")
        /// This device is in no circle.
        public static let noCircle = State(rawValue: "no-circle")
        /// The radio cannot be used.
        public static let noRadio = State(rawValue: "no-radio")
        /// The device's keys cannot be used, so the daemon does nothing.
        public static let unusable = State(rawValue: "unusable")
    }
}
