// SPDX-License-Identifier: Apache-2.0

/// The way on which a device is to be asked.
enum Route: Hashable, Sendable {
    /// Whichever there is.
    case any
    /// The radio alone, where the device is heard with so many dBm at least.
    case near(signal: Int)

    var isNear: Bool { self != .any }
}
