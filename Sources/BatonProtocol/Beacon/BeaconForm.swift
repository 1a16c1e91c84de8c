// SPDX-License-Identifier: Apache-2.0

/// The form in which a beacon is sealed.
public enum BeaconForm: Hashable, CaseIterable, Sendable {
    /// A radio advertisement.
    case advertisement
    /// A datagram in a local network, which opens only in the network for which it was sealed.
    case datagram

    /// The number of bytes that are sent.
    public var byteCount: Int { 9 + plaintextByteCount }

    /// The number of bytes that a receiver opens: the bytes that were sent, and then for a datagram
    /// the network's identity (``networkByteCount``).
    public var openedByteCount: Int { byteCount + networkByteCount }

    /// The length of the identity of the network in which a datagram is sealed.
    public var networkByteCount: Int { self == .datagram ? 32 : 0 }

    /// The length of the plaintext, in bytes.
    var plaintextByteCount: Int { self == .datagram ? 16 : Beacon.plaintextByteCount }

    /// The first byte that is sent.
    var version: UInt8 { self == .datagram ? 2 : Beacon.version }

    /// The number of hails that a receiver may try to open at once.
    var trialsAtOnce: Int { self == .datagram ? 16 : 1 }

    /// The text that distinguishes the keys made from a circle's secret.
    var beaconLabel: String { self == .datagram ? "baton datagram 1" : "baton beacon 1" }

    /// The text that distinguishes the keys made from a pairwise key.
    var hailLabel: String { self == .datagram ? "baton datagram hail 1" : "baton hail 1" }

    /// Returns whether bytes have the length and the version of this form.
    func fits(_ payload: [UInt8]) -> Bool { payload.count == openedByteCount && payload[0] == version }
}
