// SPDX-License-Identifier: Apache-2.0

/// The conditions under which the radios of a directory hear each other.
public struct AirConditions: Codable, Hashable, Sendable {
    /// The conditions between two radios. A value that is nil is taken from ``AirConditions``.
    public struct Path: Codable, Hashable, Sendable {
        /// One radio's address. If ``isDirected`` is true, that radio sends.
        public var from: String
        /// The other radio's address.
        public var to: String
        /// Whether the path applies only to the direction from ``from`` to ``to``.
        public var isDirected: Bool
        /// The signal strength in dBm, -127 to 20. Below ``AirConditions/sensitivity`` the sending
        /// radio is out of range.
        public var signal: Int?
        /// The probability that an advertisement is lost, 0 to 1.
        public var loss: Double?
        /// The delay of an advertisement in milliseconds, 0 to 60,000.
        public var advertisementDelay: Int?
        /// The delay of a channel's bytes in milliseconds, 0 to 60,000.
        public var channelDelay: Int?

        /// Creates the conditions between two radios.
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

        /// Reads a path of `conditions.json`. `directed` is optional there.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            from = try values.decode(String.self, forKey: .from)
            to = try values.decode(String.self, forKey: .to)
            isDirected = try values.decodeIfPresent(Bool.self, forKey: .isDirected) ?? false
            signal = try values.decodeIfPresent(Int.self, forKey: .signal)
            loss = try values.decodeIfPresent(Double.self, forKey: .loss)
            advertisementDelay = try values.decodeIfPresent(Int.self, forKey: .advertisementDelay)
            channelDelay = try values.decodeIfPresent(Int.self, forKey: .channelDelay)
        }

        enum CodingKeys: String, CodingKey {
            case from, to, signal, loss, advertisementDelay, channelDelay
            case isDirected = "directed"
        }
    }

    /// The weakest signal that a radio hears, in dBm.
    public static let sensitivity = -100

    /// The signal strength of every path in dBm, -127 to 20.
    public var signal = -50
    /// The probability that an advertisement is lost, 0 to 1.
    public var loss = 0.0
    /// The delay of an advertisement in milliseconds, 0 to 60,000.
    public var advertisementDelay = 0
    /// The delay of a channel's bytes in milliseconds, 0 to 60,000.
    public var channelDelay = 0
    /// The paths with other conditions. If several paths match, the last path that sets a value
    /// counts.
    public var paths: [Path] = []

    /// Creates the conditions of clear air: -50 dBm everywhere, no loss and no delay.
    public init() {}

    /// Reads `conditions.json`. Missing values count as clear air.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        signal = try values.decodeIfPresent(Int.self, forKey: .signal) ?? signal
        loss = try values.decodeIfPresent(Double.self, forKey: .loss) ?? loss
        advertisementDelay = try values.decodeIfPresent(Int.self, forKey: .advertisementDelay) ?? advertisementDelay
        channelDelay = try values.decodeIfPresent(Int.self, forKey: .channelDelay) ?? channelDelay
        paths = try values.decodeIfPresent([Path].self, forKey: .paths) ?? []
    }
}

extension AirConditions {
    /// The maximum number of paths in a file.
    static let maximumPaths = 4_096

    /// The conditions in one direction, from one radio to another.
    struct Reach: Hashable {
        var signal: Int
        var loss: Double
        var advertisementDelay: Int
        var channelDelay: Int

        var isInRange: Bool { signal >= AirConditions.sensitivity }
    }

    func reach(from: String, to: String) -> Reach {
        var reach = Reach(
            signal: signal, loss: loss, advertisementDelay: advertisementDelay, channelDelay: channelDelay)
        for path in paths
        where (path.from, path.to) == (from, to) || (!path.isDirected && (path.to, path.from) == (from, to)) {
            reach.signal = path.signal ?? reach.signal
            reach.loss = path.loss ?? reach.loss
            reach.advertisementDelay = path.advertisementDelay ?? reach.advertisementDelay
            reach.channelDelay = path.channelDelay ?? reach.channelDelay
        }
        return reach
    }

    /// Returns whether two radios can have a channel, which needs both directions.
    func canConnect(_ one: String, _ other: String) -> Bool {
        reach(from: one, to: other).isInRange && reach(from: other, to: one).isInRange
    }

    /// The reason why the values are invalid, or nil if they are valid.
    var flaw: String? {
        let delays = 0...60_000
        let signals = -127...20
        guard paths.count <= Self.maximumPaths else { return "more than \(Self.maximumPaths) paths" }
        guard signals.contains(signal), paths.allSatisfy({ signals.contains($0.signal ?? 0) }) else {
            return "signal must be from -127 to 20 dBm"
        }
        guard (0...1).contains(loss), paths.allSatisfy({ (0...1).contains($0.loss ?? 0) }) else {
            return "loss must be from 0 to 1"
        }
        guard delays.contains(advertisementDelay), delays.contains(channelDelay),
            paths.allSatisfy({ delays.contains($0.advertisementDelay ?? 0) && delays.contains($0.channelDelay ?? 0) })
        else { return "delays must be from 0 to 60000 ms" }
        guard paths.allSatisfy({ SocketDirectory.isValid($0.from) && SocketDirectory.isValid($0.to) }) else {
            return "from and to must be addresses: 1 to 32 letters, digits, - and _"
        }
        return nil
    }
}
