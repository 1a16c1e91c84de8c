// SPDX-License-Identifier: Apache-2.0

public import Crypto
import FoundationEssentials

/// The identity by which this machine recognises a network.
///
/// It is not a name. Only the owner of the key can find out which network it stands for.
public struct NetworkIdentity: Hashable, Sendable {
    /// The identity's 32 bytes.
    public let bytes: [UInt8]

    /// Creates a stored identity, or nil if it does not have 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == SHA256.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Creates the identity of a gateway's network.
    ///
    /// - Parameter linkLayerAddress: The gateway's link-layer address.
    init(of gateway: LocalNetwork.Gateway, linkLayerAddress: [UInt8], key: SymmetricKey) {
        // Each field follows its length, so that no two gateways give the same bytes.
        let prefix = LocalNetwork.Address.prefix(of: gateway.address, gateway.prefixLength)
        let fields = [Array(Self.purpose.utf8), linkLayerAddress, [UInt8(gateway.prefixLength)], prefix]
        let message = fields.flatMap { [UInt8($0.count)] + $0 }
        self.init(authenticating: message, key: key)
    }

    /// Returns the identity that all cables between two laptops share.
    public static func cable(key: SymmetricKey) -> NetworkIdentity {
        NetworkIdentity(authenticating: Array("Baton cable 1".utf8), key: key)
    }

    private init(authenticating message: [UInt8], key: SymmetricKey) {
        bytes = Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    /// Distinguishes the identity from all other messages that the key may authenticate.
    private static let purpose = "Baton network 1"
}

extension LocalNetwork {
    /// Returns the identities of the network, one for each gateway with a known link-layer address.
    ///
    /// Those of IPv4 gateways come first. All hosts with the same key compute the same identities.
    /// An IPv6 router is usually known by its link-local address. So its prefix is fe80::/64, and
    /// it stays the same when the provider's prefix changes.
    public func identities(key: SymmetricKey) -> [NetworkIdentity] {
        gateways.compactMap { gateway in
            gateway.linkLayerAddress.map { NetworkIdentity(of: gateway, linkLayerAddress: $0, key: key) }
        }
    }
}
