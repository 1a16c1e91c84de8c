// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// The result of `Circle.Probe`: how two devices of the circle reach each other.
public struct DeviceProbe: Hashable, Sendable {
    /// The results of one of the two devices.
    public struct Side: Hashable, Sendable {
        /// Whether the device hears the other device by radio.
        public var hears: Bool
        /// The signal strength in dBm. The value is nil if the device hears nothing, or if its
        /// radio does not report the strength.
        public var signal: Int?
        /// Whether the device advertises nothing at present.
        ///
        /// There are four possible reasons: Baton is paused there, the user is away, the device is
        /// about to sleep, or the state cannot be written.
        public var isMuted: Bool
        /// The transports that the device tried.
        public var ways: [Way]

        /// Creates the results of one device.
        public init(hears: Bool, signal: Int? = nil, isMuted: Bool = false, ways: [Way] = []) {
            self.hears = hears
            self.signal = signal
            self.isMuted = isMuted
            self.ways = ways
        }
    }

    /// The result of trying one transport from one of the two devices to the other.
    public struct Way: Hashable, Sendable {
        /// The name of the transport: `l2cap`, `tcp` or `simulated`.
        public var transport: String
        /// The time until data had gone both ways over a new channel, or nil if that failed.
        public var time: Duration?
        /// The reason for the failure, in English, or nil if the transport worked.
        public var reason: String?
        /// The reason for the failure, if this device tried the transport.
        public var failure: Reason?

        /// Creates the result of a transport.
        public init(transport: String, time: Duration?, reason: String? = nil, failure: Reason? = nil) {
            self.transport = transport
            self.time = time
            self.reason = reason
            self.failure = failure
        }
    }

    /// The answer of the other device.
    public var answer: DeviceAnswer
    /// The results of this device.
    public var here: Side
    /// The results of the other device.
    public var there: Side

    /// Creates the result of a probe.
    public init(answer: DeviceAnswer, here: Side, there: Side) {
        self.answer = answer
        self.here = here
        self.there = there
    }
}
