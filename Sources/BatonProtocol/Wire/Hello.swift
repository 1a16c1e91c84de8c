// SPDX-License-Identifier: Apache-2.0

import TransportModel

/// What each device says first on a control channel, and again whenever it changes.
///
/// Limits are checked on encoding and on decoding; `Documentation/Protocol/Session.md`, "Hello",
/// lists them.
public struct Hello: Hashable, Sendable {
    /// The protocol version of this implementation.
    public static let currentVersion: UInt32 = 1
    /// The longest device name, in UTF-8 bytes: what a member's name may have.
    public static let maximumNameLength = Member.maximumNameLength
    /// How many types are told at most.
    public static let maximumTypes = 256
    /// How many endpoints are told at most.
    public static let maximumEndpoints = 16
    /// The most bytes of ``circle``.
    public static let maximumCircleLength = Circle.maximumEncodedLength

    /// The highest version that the sender speaks, at least 1; the lower of both counts.
    public var protocolVersion: UInt32
    /// The device's name as its user knows it: 1 to 63 UTF-8 bytes without control characters.
    public var name: String
    /// The sender's wall clock, in seconds since 1970.
    public var unixTime: Int64
    /// The sequence of the sender's beacon now; it overrides what was remembered.
    public var sequence: UInt32
    /// The hash of the sender's current activity, 5 bytes; `nil` when there is none.
    public var activity: [UInt8]?
    /// The types that the sender's hashes stand for, at most 256.
    public var types: [ActivityTypeEntry]
    /// Where the sender may be dialled besides by radio, at most 16.
    public var endpoints: [EndpointRecord]
    /// The sender's roster and secret record, opaque here; at most 902,144 bytes.
    public var circle: [UInt8]

    /// What a device says of itself.
    public init(
        protocolVersion: UInt32 = Self.currentVersion, name: String, unixTime: Int64, sequence: UInt32,
        activity: [UInt8]? = nil, types: [ActivityTypeEntry] = [], endpoints: [EndpointRecord] = [],
        circle: [UInt8] = []
    ) {
        self.protocolVersion = protocolVersion
        self.name = name
        self.unixTime = unixTime
        self.sequence = sequence
        self.activity = activity
        self.types = types
        self.endpoints = endpoints
        self.circle = circle
    }
}

/// One line of a hash-to-type table.
public struct ActivityTypeEntry: Hashable, Sendable {
    /// How many bytes a hash has.
    public static let hashLength = 5

    /// The hash that beacons carry, 5 bytes.
    public var hash: [UInt8]
    /// The team that the activity's apps belong to, at most 255 UTF-8 bytes.
    public var team: String
    /// The activity type, 1 to 255 UTF-8 bytes.
    public var type: String

    /// A line of a hash-to-type table.
    public init(hash: [UInt8], team: String, type: String) {
        self.hash = hash
        self.team = team
        self.type = type
    }
}

/// An endpoint as it is told to a peer; a transport that the receiver does not know is passed over
/// by it.
public struct EndpointRecord: Hashable, Sendable {
    /// The longest transport name, in UTF-8 bytes.
    public static let maximumTransportLength = 32
    /// The longest address, in UTF-8 bytes.
    public static let maximumAddressLength = 128

    /// The transport's name, as in ``TransportKind``: 1 to 32 UTF-8 bytes.
    public var transport: String
    /// The transport's own form of an address: 1 to 128 UTF-8 bytes.
    public var address: String
    /// A PSM or a port.
    public var port: UInt16

    /// Whether an IP address names an interface, as `fe80::1%eth0` does: only the machine that has
    /// the interface can mean anything by it, and a peer must not choose one here.
    var namesInterface: Bool { transport == TransportKind.tcp.rawValue && address.utf8.contains(UInt8(ascii: "%")) }

    /// An endpoint.
    public init(transport: String, address: String, port: UInt16) {
        self.transport = transport
        self.address = address
        self.port = port
    }
}
