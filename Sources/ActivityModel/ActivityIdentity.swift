// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// An identifier of one activity. An identifier is never reused, not even after the activity is
/// gone.
public struct ActivityIdentity: Hashable, Codable, Sendable, LosslessStringConvertible {
    private let value: UUID

    /// Creates a new, unique identity.
    public init() { value = UUID() }

    /// Reads an identity from its text.
    ///
    /// - Parameter description: A UUID. Other texts give nil.
    public init?(_ description: String) {
        guard let value = UUID(uuidString: description) else { return nil }
        self.value = value
    }

    /// The identity as a UUID in lower case.
    public var description: String { value.uuidString.lowercased() }
}
