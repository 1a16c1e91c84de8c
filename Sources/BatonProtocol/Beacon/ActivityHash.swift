// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Crypto
import FoundationEssentials

/// What a beacon says of an activity: 5 bytes, a keyed hash of the app's team and the activity's
/// type.
///
/// Only members can compute it. All zero is reserved: no activity (idle beacons, and hails to
/// come).
public struct ActivityHash: Hashable, Sendable {
    /// Bytes in a hash.
    public static let byteCount = 5

    /// No activity.
    public static let none = ActivityHash(value: 0)

    /// The five bytes as a big-endian number.
    private let value: UInt64

    private init(value: UInt64) { self.value = value }

    /// A hash as received; `nil` unless there are exactly 5 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The hash of an activity under a circle's secret.
    ///
    /// A publisher of many activities keeps an ``ActivityHasher`` instead, which derives the key
    /// once.
    ///
    /// - Returns: `nil` where ``ActivityHasher/hash(team:type:)`` does.
    public init?(team: String, type: String, secret: CircleSecret) {
        guard let hash = ActivityHasher(secret: secret).hash(team: team, type: type) else { return nil }
        self = hash
    }

    /// The five bytes.
    public var bytes: [UInt8] { (0..<5).map { UInt8(truncatingIfNeeded: value >> (32 - 8 * $0)) } }

    /// A hash from the first five bytes of a digest; all zero becomes 1.
    fileprivate init(digest: some Sequence<UInt8>) {
        let value = digest.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt64($1) }
        self.value = value == 0 ? 1 : value
    }

    /// The five bytes at an offset of a plaintext that is known to hold them.
    init(_ plaintext: [UInt8], at offset: Int) {
        value = plaintext[offset..<(offset + Self.byteCount)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ActivityHash: CustomStringConvertible {
    /// Ten hexadecimal digits.
    public var description: String { value.hexadecimal(digits: 10) }
}

/// What an ``ActivityHash`` stands for: the team whose apps exchange the activity, and its type.
public struct ActivityKind: Hashable, Sendable {
    /// The team; empty for none.
    public var team: String
    /// The activity's type.
    public var type: String

    /// A kind of activities.
    public init(team: String = "", type: String) {
        self.team = team
        self.type = type
    }
}

/// Makes the ``ActivityHash``es of one circle secret.
public struct ActivityHasher: Sendable {
    private let keyed: HMAC<SHA256>

    /// A hasher under a circle's secret.
    public init(secret: CircleSecret) {
        keyed = HMAC(key: SymmetricKey(data: secret.derive(Array("baton activity 1".utf8), byteCount: 32)))
    }

    /// The hash of an activity.
    ///
    /// - Parameters:
    ///   - team: The app's team; may be empty.
    ///   - type: The activity's type.
    /// - Returns: `nil` when the type is empty or either text has a NUL, which separates the two.
    public func hash(team: String, type: String) -> ActivityHash? {
        guard !type.isEmpty, !team.utf8.contains(0), !type.utf8.contains(0) else { return nil }
        var mac = keyed
        mac.update(data: Array(team.utf8) + [0] + Array(type.utf8))
        return ActivityHash(digest: mac.finalize())
    }

    /// The hash of activities of a kind; `nil` where ``hash(team:type:)`` gives none.
    public func hash(of kind: ActivityKind) -> ActivityHash? { hash(team: kind.team, type: kind.type) }
}
