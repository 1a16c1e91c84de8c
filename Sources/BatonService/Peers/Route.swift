// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The way on which a device is to be asked.
enum Route: Hashable, Sendable {
    /// Whichever there is.
    case any
    /// The radio alone, where the device is heard with so many dBm at least.
    case near(signal: Int)

    var isNear: Bool { self != .any }
}

/// A dial under way: what is asked of a device near by does not wait for one that may end in TCP, or where it is heard less strongly.
struct DialID: Hashable {
    let device: DeviceID
    let route: Route
}
