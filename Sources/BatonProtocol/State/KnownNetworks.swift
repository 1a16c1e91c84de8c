// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftProtobuf

/// The local networks in which members of the circle were met, or which the user has allowed, with
/// the members' addresses there.
///
/// A network has an identity of 32 bytes, which only this device can compute. An address from one
/// network is of no use in another network.
public struct KnownNetworks: Hashable, Sendable {
    /// An address in a network, and the TCP port at which a member listens there.
    public struct Place: Hashable, Sendable {
        /// 4 or 16 bytes, in network order.
        public let address: [UInt8]
        /// The TCP port, not 0.
        public let port: UInt16

        /// Creates a place.
        public init(address: [UInt8], port: UInt16) { (self.address, self.port) = (address, port) }

        var isValid: Bool { [4, 16].contains(address.count) && port != 0 }
    }

    /// The length of an identity, in bytes.
    public static let identityLength = 32
    /// The maximum number of networks.
    public static let maximumCount = 32
    /// The maximum number of members in one network.
    public static let maximumMembers = 32
    /// The maximum number of places of one member in one network.
    public static let maximumPlaces = 3
    /// How long a network is remembered after its last use, in seconds.
    public static let lifetime: Int64 = 90 * 86_400
    /// The shortest time between two recorded uses of a network, in seconds.
    ///
    /// Uses in between are not recorded, because each record writes the state file.
    public static let useInterval: Int64 = 86_400

    private struct Network: Hashable, Sendable {
        var used: Int64
        var places: [DeviceID: [Place]] = [:]
    }

    /// The key with which this device computes the identities of networks, 32 bytes.
    public private(set) var key: [UInt8]
    private var networks: [[UInt8]: Network] = [:]

    /// Creates a table without networks, and with a new key.
    public init() { key = SymmetricKey(size: .bits256).withUnsafeBytes { [UInt8]($0) } }

    /// The number of networks.
    public var count: Int { networks.count }

    /// Returns whether a network is known.
    public func contains(_ identity: [UInt8]) -> Bool { networks[identity] != nil }

    /// Returns the members that were met in a network, with their places. The place at which a
    /// member proved itself comes first.
    public func places(in identity: [UInt8]) -> [DeviceID: [Place]] { networks[identity]?.places ?? [:] }

    /// Adds a network, or records that it was used.
    ///
    /// If there are too many networks, the one that was used the longest ago is forgotten.
    ///
    /// - Parameter unixTime: The present time, in seconds since 1970.
    public mutating func use(_ identity: [UInt8], at unixTime: Int64) {
        guard identity.count == Self.identityLength else { return }
        if let used = networks[identity]?.used {
            if abs(unixTime - used) >= Self.useInterval { networks[identity]?.used = unixTime }
            return
        }
        networks = networks.filter { unixTime - $0.value.used < Self.lifetime }
        if networks.count >= Self.maximumCount, let oldest = networks.min(by: { $0.value.used < $1.value.used }) {
            networks[oldest.key] = nil
        }
        networks[identity] = Network(used: unixTime)
    }

    /// Records where a member listens in a network, and adds the network if it is unknown.
    ///
    /// - Parameters:
    ///   - places: The places, beginning with the one at which the member proved itself. At most
    ///     ``maximumPlaces`` count.
    ///   - unixTime: The present time, in seconds since 1970.
    public mutating func met(_ device: DeviceID, at places: [Place], in identity: [UInt8], unixTime: Int64) {
        let places = Array(places.filter(\.isValid).prefix(Self.maximumPlaces))
        guard !places.isEmpty else { return }
        use(identity, at: unixTime)
        guard let network = networks[identity],
            network.places[device] != nil || network.places.count < Self.maximumMembers
        else { return }
        networks[identity]?.places[device] = places
    }

    /// Forgets devices that are not members of the circle.
    public mutating func keep(where isMember: (DeviceID) -> Bool) {
        networks = networks.mapValues { Network(used: $0.used, places: $0.places.filter { isMember($0.key) }) }
    }

    /// Forgets the networks that were not used for ``lifetime``.
    public mutating func forgetOld(at unixTime: Int64) {
        networks = networks.filter { unixTime - $0.value.used < Self.lifetime }
    }
}

extension KnownNetworks {
    /// Reads the networks of a state file. Invalid entries are left out.
    init(key: Data, _ messages: [WireKnownNetwork]) {
        self.init()
        guard key.count == Self.identityLength else { return }
        self.key = [UInt8](key)
        for message in messages.prefix(Self.maximumCount) where message.identity.count == Self.identityLength {
            var network = Network(used: message.used)
            for place in message.places.prefix(Self.maximumMembers) {
                guard let device = DeviceID(bytes: place.device) else { continue }
                let places = zip(place.addresses, place.ports).prefix(Self.maximumPlaces)
                    .map { Place(address: [UInt8]($0), port: UInt16(exactly: $1) ?? 0) }.filter(\.isValid)
                if !places.isEmpty { network.places[device] = places }
            }
            networks[[UInt8](message.identity)] = network
        }
    }

    var messages: [WireKnownNetwork] {
        networks.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { identity, network in
            .with {
                $0.identity = Data(identity)
                $0.used = network.used
                $0.places = network.places.sorted { $0.key < $1.key }.map { device, places in
                    .with {
                        $0.device = Data(device.bytes)
                        $0.addresses = places.map { Data($0.address) }
                        $0.ports = places.map { UInt32($0.port) }
                    }
                }
            }
        }
    }
}
