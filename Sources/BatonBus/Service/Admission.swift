// SPDX-License-Identifier: Apache-2.0

/// The rights of a client beyond its own activities and continuations.
package struct Admission: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8
    /// Creates rights from their bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The right to manage the device: to change its circle, and to decide for the user.
    package static let managing = Admission(rawValue: 1)
}
