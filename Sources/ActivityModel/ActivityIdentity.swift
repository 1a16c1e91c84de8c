// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Tells activities apart, those that are gone included.
public struct ActivityIdentity: Hashable, Codable, Sendable, LosslessStringConvertible {
    private let value: UUID

    /// One that nothing else has.
    public init() { value = UUID() }

    /// One that was written down.
    ///
    /// - Parameter description: A UUID; what is none gives nil.
    public init?(_ description: String) {
        guard let value = UUID(uuidString: description) else { return nil }
        self.value = value
    }

    /// It as a UUID.
    public var description: String { value.uuidString.lowercased() }
}
