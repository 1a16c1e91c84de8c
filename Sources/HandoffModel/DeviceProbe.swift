// SPDX-License-Identifier: Apache-2.0

/// What another device of the circle and this one find of each other: what `Circle.Probe` gives.
public struct DeviceProbe: Hashable, Sendable {
    /// What one of the two finds of the other.
    public struct Side: Hashable, Sendable {
        /// Whether it hears the other by radio.
        public var hears: Bool
        /// How strongly, in dBm; nil where it does not, or its radio does not say.
        public var signal: Int?
        /// Whether it advertises nothing itself, as Baton is paused there, the screen is locked or
        /// its state cannot be written.
        public var isMuted: Bool
        /// The transports that it has.
        public var ways: [Way]

        /// What a device finds.
        public init(hears: Bool, signal: Int? = nil, isMuted: Bool = false, ways: [Way] = []) {
            self.hears = hears
            self.signal = signal
            self.isMuted = isMuted
            self.ways = ways
        }
    }

    /// A transport from one of the two to the other.
    public struct Way: Hashable, Sendable {
        /// `l2cap`, `tcp` or `simulated`.
        public var transport: String
        /// How long it took until something had gone each way over a channel of its own; nil where
        /// it does not lead there.
        public var time: Duration?
        /// Why not, for people; nil where it does.
        public var reason: String?

        /// A transport that was tried.
        public init(transport: String, time: Duration?, reason: String? = nil) {
            self.transport = transport
            self.time = time
            self.reason = reason
        }
    }

    /// That it answers.
    public var answer: DeviceAnswer
    /// What this device finds of the other.
    public var here: Side
    /// What the other finds of this one.
    public var there: Side

    /// What two devices find of each other.
    public init(answer: DeviceAnswer, here: Side, there: Side) {
        self.answer = answer
        self.here = here
        self.there = there
    }
}
