// SPDX-License-Identifier: Apache-2.0

/// What a client may do beside what is its own.
public struct Admission: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt8
    /// Rights from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To manage the device: its circle, and what the user has decided.
    public static let managing = Admission(rawValue: 1)
}
