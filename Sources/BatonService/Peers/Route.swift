// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// The transports over which a device may be asked.
enum Route: Hashable, Sendable {
    /// Any transport.
    case any
    /// Only the radio, and only if this device hears the other device with at least this signal in
    /// dBm.
    case near(signal: Int)
    /// Only the local networks in which this device may speak first.
    case lan
    /// Only the endpoint from which a beacon came.
    case at(Endpoint)
    /// Any transport except the given one, which has stalled.
    case besides(TransportKind)

    var isNear: Bool { if case .near = self { true } else { false } }
}
