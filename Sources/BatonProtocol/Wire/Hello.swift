// SPDX-License-Identifier: Apache-2.0

import TransportModel

/// A device's description of itself, sent first on a control channel and again after each change.
///
/// Limits are checked on encoding and decoding. `Documentation/Protocol/Session.md`, "Hello", lists
/// them.
public struct Hello: Hashable, Sendable {
    /// The protocol version of this implementation.
    public static let currentVersion: UInt32 = 1
    /// The maximum length of a device's name, in UTF-8 bytes, as for a member's name.
    public static let maximumNameLength = Member.maximumNameLength
    /// The maximum number of types.
    public static let maximumTypes = 256
    /// The maximum number of endpoints.
    public static let maximumEndpoints = 16
    /// The maximum length of ``circle``, in bytes.
    public static let maximumCircleLength = Circle.maximumEncodedLength

    /// The highest version that the sender supports, at least 1.
    ///
    /// Two devices use the lower of their versions.
    public var protocolVersion: UInt32
    /// The name that the user gave the device: 1 to 63 UTF-8 bytes that are safe to show.
    public var name: String
    /// The time of the sender's wall clock, in seconds since 1970.
    public var unixTime: Int64
    /// The present sequence number of the sender's beacon, which overrides the number that the
    /// receiver remembers.
    public var sequence: UInt32
    /// The hash of the sender's current activity, 5 bytes; `nil` if there is none.
    public var activity: [UInt8]?
    /// The types that the sender's hashes stand for, at most 256.
    public var types: [ActivityTypeEntry]
    /// The endpoints at which the sender can be dialled other than by radio, at most 16.
    public var endpoints: [EndpointRecord]
    /// The sender's encoded circle (``CircleNews``); at most 902,144 bytes. The frame's decoder
    /// does not decode the circle.
    public var circle: [UInt8]
    /// Whether the sender keeps this channel open while nothing is requested.
    public var keepsLink = false

    /// Creates a hello.
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

/// An activity type and its hash.
public struct ActivityTypeEntry: Hashable, Sendable {
    /// The length of a hash, in bytes.
    public static let hashLength = 5

    /// The hash in beacons, 5 bytes.
    public var hash: [UInt8]
    /// The team that the activity's apps belong to, at most 255 UTF-8 bytes.
    public var team: String
    /// The activity type, 1 to 255 UTF-8 bytes.
    public var type: String

    /// Creates an entry.
    public init(hash: [UInt8], team: String, type: String) {
        self.hash = hash
        self.team = team
        self.type = type
    }
}

/// An endpoint in a message to a peer. The peer ignores transports that it does not know.
public struct EndpointRecord: Hashable, Sendable {
    /// The maximum length of a transport's name, in UTF-8 bytes.
    public static let maximumTransportLength = 32
    /// The maximum length of an address, in UTF-8 bytes.
    public static let maximumAddressLength = 128

    /// The transport's name, as in ``TransportKind``: 1 to 32 UTF-8 bytes.
    public var transport: String
    /// The address in the transport's own format: 1 to 128 UTF-8 bytes.
    public var address: String
    /// A PSM or a port.
    public var port: UInt16

    /// Whether the address is an IP address with an interface, such as `fe80::1%eth0`.
    ///
    /// Such an address has a meaning only on the machine with the interface, and a peer must not
    /// choose an interface of this machine.
    var namesInterface: Bool { transport == TransportKind.tcp.rawValue && address.utf8.contains(UInt8(ascii: "%")) }

    /// Creates an endpoint.
    public init(transport: String, address: String, port: UInt16) {
        self.transport = transport
        self.address = address
        self.port = port
    }
}
