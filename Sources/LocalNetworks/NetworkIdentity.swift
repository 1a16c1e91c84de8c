// SPDX-License-Identifier: Apache-2.0

public import Crypto
import FoundationEssentials

/// An identity by which this machine recognises a network.
///
/// The identity is computed with a key. Only somebody who has the key can find out which network
/// the identity means.
public struct NetworkIdentity: Hashable, Sendable {
    /// The identity's 32 bytes.
    public let bytes: [UInt8]

    /// Creates an identity from its stored bytes. Returns nil if there are not exactly 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == SHA256.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Creates the identity of a gateway's network.
    init(of gateway: LocalNetwork.Gateway, linkLayerAddress: [UInt8], key: SymmetricKey) {
        // Write the length before each field, so that different gateways never give the same bytes.
        let prefix = LocalNetwork.Address.prefix(of: gateway.address, gateway.prefixLength)
        let fields = [Array(Self.purpose.utf8), linkLayerAddress, [UInt8(gateway.prefixLength)], prefix]
        let message = fields.flatMap { [UInt8($0.count)] + $0 }
        self.init(authenticating: message, key: key)
    }

    /// Returns the one identity of all cables between two laptops.
    public static func cable(key: SymmetricKey) -> NetworkIdentity {
        NetworkIdentity(authenticating: Array("Baton cable 1".utf8), key: key)
    }

    private init(authenticating message: [UInt8], key: SymmetricKey) {
        bytes = Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    /// A text that distinguishes the authenticated bytes from all other messages that the key may
    /// authenticate.
    private static let purpose = "Baton network 1"
}

extension LocalNetwork {
    /// Returns the identities of the network, one for each gateway with a known link-layer address.
    ///
    /// The identities of IPv4 gateways come first. All hosts with the same key compute the same
    /// identities. An IPv6 router is usually known by its link-local address, with the prefix
    /// fe80::/64. So its identity stays the same when the provider's prefix changes.
    public func identities(key: SymmetricKey) -> [NetworkIdentity] {
        gateways.compactMap { gateway in
            gateway.linkLayerAddress.map { NetworkIdentity(of: gateway, linkLayerAddress: $0, key: key) }
        }
    }
}
