// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Crypto
import FoundationEssentials

/// A keyed hash of an activity's team and type: the 5 bytes that a beacon contains.
///
/// Only members of the circle can compute the hash. Five zero bytes mean that there is no activity,
/// as in idle beacons and in hails.
public struct ActivityHash: Hashable, Sendable {
    /// The length of a hash in bytes.
    public static let byteCount = 5

    /// The value that means no activity.
    public static let none = ActivityHash(value: 0)

    /// The five bytes as a big-endian number.
    private let value: UInt64

    private init(value: UInt64) { self.value = value }

    /// Reads a received hash; returns `nil` unless there are exactly 5 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Calculates the hash of an activity with a circle's secret.
    ///
    /// To hash many activities, use an ``ActivityHasher``, which derives the key only once.
    ///
    /// - Returns: `nil` if ``ActivityHasher/hash(team:type:)`` returns `nil`.
    public init?(team: String, type: String, secret: CircleSecret) {
        guard let hash = ActivityHasher(secret: secret).hash(team: team, type: type) else { return nil }
        self = hash
    }

    /// The five bytes.
    public var bytes: [UInt8] { (0..<5).map { UInt8(truncatingIfNeeded: value >> (32 - 8 * $0)) } }

    /// Creates a hash from the first five bytes of a digest.
    ///
    /// Five zero bytes become the number 1, because zero means no activity.
    fileprivate init(digest: some Sequence<UInt8>) {
        let value = digest.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt64($1) }
        self.value = value == 0 ? 1 : value
    }

    /// Reads the five bytes at an offset. The plaintext must be long enough.
    init(_ plaintext: [UInt8], at offset: Int) {
        value = plaintext[offset..<(offset + Self.byteCount)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ActivityHash: CustomStringConvertible {
    /// The hash as ten hexadecimal digits.
    public var description: String { value.hexadecimal(digits: 10) }
}

/// The meaning of an ``ActivityHash``: an activity's type, and the team whose apps exchange it.
public struct ActivityKind: Hashable, Sendable {
    /// The team; empty for none.
    public var team: String
    /// The activity's type.
    public var type: String

    /// Creates a kind from a team and a type.
    public init(team: String = "", type: String) {
        self.team = team
        self.type = type
    }
}

/// Calculates the ``ActivityHash``es of one circle secret.
public struct ActivityHasher: Sendable {
    private let keyed: HMAC<SHA256>

    /// Creates a hasher for a circle's secret.
    public init(secret: CircleSecret) {
        keyed = HMAC(key: SymmetricKey(data: secret.derive(Array("baton activity 1".utf8), byteCount: 32)))
    }

    /// Calculates the hash of an activity.
    ///
    /// - Parameters:
    ///   - team: The app's team; may be empty.
    ///   - type: The activity's type.
    /// - Returns: `nil` if the type is empty, or if the team or the type contains NUL, which
    ///   separates the two.
    public func hash(team: String, type: String) -> ActivityHash? {
        guard !type.isEmpty, !team.utf8.contains(0), !type.utf8.contains(0) else { return nil }
        var mac = keyed
        mac.update(data: Array(team.utf8) + [0] + Array(type.utf8))
        return ActivityHash(digest: mac.finalize())
    }

    /// Calculates the hash of a kind of activities; returns `nil` if ``hash(team:type:)`` does.
    public func hash(of kind: ActivityKind) -> ActivityHash? { hash(team: kind.team, type: kind.type) }
}
