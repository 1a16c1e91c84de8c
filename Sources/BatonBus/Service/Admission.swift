// SPDX-License-Identifier: Apache-2.0

/// What a client may do beside what is its own.
package struct Admission: OptionSet, Hashable, Sendable {
    /// The bits.
    package var rawValue: UInt8
    /// Rights from their bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To manage the device: its circle, and what the user has decided.
    package static let managing = Admission(rawValue: 1)
}
