// SPDX-License-Identifier: Apache-2.0

/// How the radios of a directory hear each other.
public struct AirConditions: Codable, Hashable, Sendable {
    /// What lies between two radios; what is not given is as by default.
    public struct Path: Codable, Hashable, Sendable {
        /// One radio's address: with ``isDirected``, the one that sends.
        public var from: String
        /// The other radio's address.
        public var to: String
        /// Whether the path is for what goes from ``from`` to ``to`` alone.
        public var isDirected: Bool
        /// Signal strength in dBm, -127 to 20; below ``AirConditions/sensitivity`` is out of range.
        public var signal: Int?
        /// The probability that an advertisement is lost, 0 to 1.
        public var loss: Double?
        /// By how many milliseconds an advertisement is late, 0 to 60,000.
        public var advertisementDelay: Int?
        /// By how many milliseconds a channel's bytes are late, 0 to 60,000.
        public var channelDelay: Int?

        /// What lies between two radios.
        public init(
            from: String, to: String, isDirected: Bool = false, signal: Int? = nil, loss: Double? = nil,
            advertisementDelay: Int? = nil, channelDelay: Int? = nil
        ) {
            self.from = from
            self.to = to
            self.isDirected = isDirected
            self.signal = signal
            self.loss = loss
            self.advertisementDelay = advertisementDelay
            self.channelDelay = channelDelay
        }
    }

    /// The weakest signal that is heard, in dBm.
    public static let sensitivity = -100

    /// The signal strength of every path in dBm, -127 to 20.
    public var signal = -50
    /// The probability that an advertisement is lost, 0 to 1.
    public var loss = 0.0
    /// By how many milliseconds an advertisement is late, 0 to 60,000.
    public var advertisementDelay = 0
    /// By how many milliseconds a channel's bytes are late, 0 to 60,000.
    public var channelDelay = 0
    /// The paths that differ; of several that fit, each value is the last one given.
    public var paths: [Path] = []

    /// A clear air: -50 dBm everywhere, nothing lost, nothing late.
    public init() {}
}
