// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
public import Diagnosis

/// What there is to say of the service as a whole.
public struct ServiceStatus: Sendable {
    /// The radio's kind: `bluez` or `simulated`.
    public let radio: String
    /// What the radio can do just now.
    public let radioCondition: String
    /// One line about the radio.
    public let radioSummary: String
    /// The adapters in use.
    public let adapters: [String]
    /// This device.
    public let device: String
    /// What it is called.
    public let deviceName: String
    /// The circle's id; nil without one.
    public let circle: String?
    /// Why there is none, and what to do, in one line; nil with one.
    public let withoutCircle: String?
    /// Why no pairing by digits can begin now; nil when one can.
    public let pairingRefusal: String?
    /// The circle's devices.
    public let members: [CircleMember]
    /// Whether TCP is used.
    public let tcp: Bool
    /// Where this device can be dialled.
    public let endpoints: [String]
    /// What degrades the service.
    public let findings: [Finding]
    /// How much the service holds, by name: ``HandoffService/counts``.
    public let counts: [String: Int]
}
