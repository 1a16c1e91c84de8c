// SPDX-License-Identifier: Apache-2.0

public import Crypto
import FoundationEssentials

/// A network as this machine recognises it, without a name: only the owner of the key can tell
/// which network it is.
public struct NetworkIdentity: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// The identity that was stored; nil if these are not 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == SHA256.byteCount else { return nil }
        self.bytes = bytes
    }

    /// - Parameter linkLayerAddress: The gateway's.
    init(of gateway: LocalNetwork.Gateway, linkLayerAddress: [UInt8], key: SymmetricKey) {
        // Each field has its length before it, so that no two gateways are the same bytes.
        let prefix = LocalNetwork.Address.prefix(of: gateway.address, gateway.prefixLength)
        let fields = [Array(Self.purpose.utf8), linkLayerAddress, [UInt8(gateway.prefixLength)], prefix]
        let message = fields.flatMap { [UInt8($0.count)] + $0 }
        bytes = Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    /// Distinguishes it from all else that the key may authenticate.
    private static let purpose = "Baton network 1"
}

extension LocalNetwork {
    /// The identities of the network, one for each gateway whose link-layer address is known. The
    /// first is that of IPv4, if it has a gateway.
    ///
    /// All hosts with the same key compute the same identities. A router of IPv6 is usually known
    /// by its link-local address, so its prefix is fe80::/64 and does not change with the
    /// provider's.
    public func identities(key: SymmetricKey) -> [NetworkIdentity] {
        gateways.compactMap { gateway in
            gateway.linkLayerAddress.map { NetworkIdentity(of: gateway, linkLayerAddress: $0, key: key) }
        }
    }
}
